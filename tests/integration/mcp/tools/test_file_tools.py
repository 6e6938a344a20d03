"""File tools stay inside the run's folder; syntax and lint tools read files of the run and the project (T-12)."""

from __future__ import annotations

import json

import pytest

from testwright.core.errors import ToolFailure, ToolInputError
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services, write_files


@pytest.fixture
def services(tmp_path):
    return make_services(tmp_path)


@pytest.fixture
async def client(services):
    async with ToolClient(build_toolbox(services)) as client:
        yield client


async def test_what_is_written_can_be_read_and_listed(client, services):
    text = "Grüße\n\ttab\n"
    await client.call("write_file", {"path": "specs/deep/note.txt", "contents": text})
    assert await client.call("read_file", {"path": "specs/deep/note.txt"}) == {
        "path": "specs/deep/note.txt",
        "contents": text,
        "bytes": len(text.encode()),
    }
    listed = await client.call("list_files", {"folder": "specs"})
    assert listed == {"files": [{"path": "specs/deep/note.txt", "bytes": len(text.encode())}], "truncated": False}
    assert (services.run_folder.specs / "deep" / "note.txt").read_text() == text


ATTACKS = ["../../../evil.txt", "/tmp/evil.txt", "specs/../../evil.txt", "specs\\..\\evil", "a\0b", "link/evil.txt"]


@pytest.mark.parametrize("path", ATTACKS)
async def test_a_path_that_leads_out_of_the_runs_folder_is_refused(client, services, tmp_path, path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "evil.txt").write_text("secret")
    (services.run_folder.path / "link").symlink_to(outside)
    for tool, arguments in (
        ("write_file", {"path": path, "contents": "x"}),
        ("read_file", {"path": path}),
        ("list_files", {"folder": path}),
    ):
        with pytest.raises(ToolFailure):
            await client.call(tool, arguments)
    assert (outside / "evil.txt").read_text() == "secret"
    assert [entry.name for entry in outside.iterdir()] == ["evil.txt"]


async def test_a_link_to_a_file_is_neither_read_nor_written_nor_listed(client, services, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (services.run_folder.specs / "a.txt").symlink_to(secret)
    with pytest.raises(ToolFailure, match="symbolic link"):
        await client.call("read_file", {"path": "specs/a.txt"})
    with pytest.raises(ToolFailure, match="symbolic link"):
        await client.call("write_file", {"path": "specs/a.txt", "contents": "x"})
    assert (await client.call("list_files", {"folder": "specs"}))["files"] == []
    assert secret.read_text() == "secret"


@pytest.mark.parametrize("path", ["events.jsonl", "scratch/x", "lock"])
async def test_what_the_run_keeps_for_itself_is_not_written(client, path):
    with pytest.raises(ToolFailure, match="kept by the run itself"):
        await client.call("write_file", {"path": path, "contents": "x"})


async def test_files_too_large_or_no_text_are_refused(client, services):
    with pytest.raises(ToolFailure, match="at most"):
        await client.call("write_file", {"path": "specs/big.txt", "contents": "x" * (4 * 1024 * 1024 + 1)})
    (services.run_folder.specs / "big.bin").write_bytes(b"x" * (4 * 1024 * 1024 + 1))
    with pytest.raises(ToolFailure, match="at most"):
        await client.call("read_file", {"path": "specs/big.bin"})
    (services.run_folder.specs / "odd.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ToolFailure, match="not UTF-8"):
        await client.call("read_file", {"path": "specs/odd.bin"})
    with pytest.raises(ToolFailure, match="no file"):
        await client.call("read_file", {"path": "specs"})
    with pytest.raises(ToolFailure, match="is a folder"):
        await client.call("write_file", {"path": "specs", "contents": "x"})
    with pytest.raises(ToolInputError):
        await client.call("read_file", {"path": ""})


@pytest.mark.feature("T-12")
@pytest.mark.parametrize(
    ("language", "good", "bad", "line"),
    [
        ("python", "x = 1\n", "x = 1\ny = = 2\n", 2),
        ("json", '{"a": 1}', '{"a": 1,\n}', 2),
        ("toml", "a = 1\n", "a = 1\nb = \n", 2),
        ("yaml", "a: [1, 2]\n", "a: 1\nb: [1\n", 3),
    ],
)
async def test_check_syntax_reports_where_a_file_does_not_parse(client, services, language, good, bad, line):
    write_files(services.run_folder.path, {"specs/good": good, "specs/bad": bad})
    assert await client.call("check_syntax", {"file_path": "specs/good", "language": language}) == {
        "valid": True,
        "errors": [],
    }
    answer = await client.call("check_syntax", {"file_path": "specs/bad", "language": language})
    assert answer["valid"] is False
    assert answer["errors"][0]["line"] in (line, line - 1)
    assert answer["errors"][0]["message"]


async def test_a_language_without_a_parser_is_refused_with_those_that_have_one(client):
    with pytest.raises(ToolFailure, match="cobol") as caught:
        await client.call("check_syntax", {"file_path": "src/shop/cart.py", "language": "cobol"})
    assert "python" in json.dumps(caught.value.details)


@pytest.mark.feature("T-12")
async def test_lint_code_follows_the_projects_rules_and_has_its_own_for_tests(client, services):
    write_files(
        services.root, {"ruff.toml": 'lint.select = ["E711"]\n', "src/shop/a.py": "import os\nx = os == None\n"}
    )
    write_files(services.run_folder.staged, {"tests/test_a.py": "import os\n"})
    project = await client.call("lint_code", {"file_path": "src/shop/a.py"})
    assert [(error["rule"], error["line"]) for error in project["errors"]] == [("E711", 2)]
    staged = await client.call("lint_code", {"file_path": "tests/test_a.py"})
    assert [(error["rule"], error["line"]) for error in staged["errors"]] == [("F401", 1)]


async def test_lint_code_refuses_what_it_cannot_lint(client, services):
    write_files(services.root, {"README.md": "# Shop\n", "ruff.toml": "lint.select = 7\n"})
    with pytest.raises(ToolFailure, match="no linter"):
        await client.call("lint_code", {"file_path": "README.md"})
    with pytest.raises(ToolFailure, match="ruff failed"):
        await client.call("lint_code", {"file_path": "src/shop/cart.py"})
    with pytest.raises(ToolFailure, match="no file"):
        await client.call("lint_code", {"file_path": "src/shop/none.py"})
    with pytest.raises(ToolFailure, match="outside"):
        await client.call("lint_code", {"file_path": "/etc/passwd"})
