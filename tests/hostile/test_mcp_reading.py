"""What a client can read through the tools: the served project, and nothing that a link in it leads to."""

import json
import os

import pytest

from testwright.tests.support.hostile.projects import hostile_project
from testwright.tests.support.mcp.serving import data, real_client

SECRET = "the secret word is xylophone"


@pytest.fixture
def project(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "notes.md").write_text(f"# Notes\n\n{SECRET}\n")
    (outside / "secret.py").write_text(f'"""{SECRET}"""\n\n\ndef secret():\n    """{SECRET}"""\n    return 1\n')
    root = hostile_project(tmp_path / "pk", {"docs/guide.md": "# Guide\n\nThe word of the guide is glockenspiel.\n"})
    (root / "NOTES.md").symlink_to(outside / "notes.md")
    (root / "docs" / "linked").symlink_to(outside)
    (root / "src" / "pk" / "link.py").symlink_to(outside / "secret.py")
    (root / "inside.md").symlink_to("docs/guide.md")
    os.mkfifo(root / "README.md")
    return root


async def test_a_search_reads_no_link_that_leads_out_and_no_pipe(project):
    async with real_client(project) as client:
        found = data(await client.call_tool("get_codebase_context", {"query": "secret word xylophone glockenspiel"}))
    assert "glockenspiel" in json.dumps(found)
    assert "xylophone" not in json.dumps(found)


async def test_a_file_that_became_a_link_since_it_was_indexed_is_not_read(project, tmp_path):
    async with real_client(project) as client:
        data(await client.call_tool("get_codebase_context", {"query": "glockenspiel"}))
        (project / "docs" / "guide.md").unlink()
        (project / "docs" / "guide.md").symlink_to(tmp_path / "outside" / "notes.md")
        found = data(await client.call_tool("get_codebase_context", {"query": "glockenspiel guide"}))
    assert "xylophone" not in json.dumps(found)


@pytest.mark.parametrize("configuration", ["ruff.toml", ".ruff.toml", "pyproject.toml"])
async def test_linting_by_the_projects_rules_reads_no_file_that_these_name(project, tmp_path, configuration):
    (tmp_path / "outside" / "rules.toml").write_text(f"{SECRET}\n")
    line = f"extend = {str(tmp_path / 'outside' / 'rules.toml')!r}\n"
    (project / configuration).write_text(f"[tool.ruff]\n{line}" if configuration == "pyproject.toml" else line)
    async with real_client(project) as client:
        refused = await client.call_tool("lint_code", {"file_path": "src/pk/good.py"})
    assert refused.is_error
    assert "ruff failed" in str(refused.content)
    assert "xylophone" not in str(refused.content)


async def test_rules_of_what_git_ignores_keep_nobody_busy(project):
    stars, folders = "*a" * 30 + "b", "**/a/" * 30 + "b"
    (project / ".gitignore").write_text(f"{stars}\n{folders}\n")
    (project / ("a" * 250)).mkdir()
    (project / ("a/" * 100)).mkdir(parents=True)
    (project / "api").mkdir()
    (project / "api" / "openapi.json").write_text(
        '{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {}}'
    )
    async with real_client(project) as client:
        answer = await client.call_tool("get_openapi_spec", {})
    assert answer.content


async def test_a_conftest_that_is_a_link_out_of_the_project_gives_no_fixture(project, tmp_path):
    fixture = "import pytest\n\n\n@pytest.fixture\ndef planted():\n    return 1\n"
    (tmp_path / "outside" / "conftest.py").write_text(fixture)
    (project / "conftest.py").symlink_to(tmp_path / "outside" / "conftest.py")
    (project / "test_a.py").write_text("def test_a(planted):\n    assert planted == 1\n")
    async with real_client(project) as client:
        found = data(await client.call_tool("validate_test_code", {"code_path": "test_a.py", "framework": "pytest"}))
    assert "planted" in json.dumps(found["errors"])


async def test_a_report_nested_too_deeply_is_no_report(project):
    folder = project / ".testwright" / "runs" / "evil"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text("[" * 200_000)
    async with real_client(project) as client:
        answer = await client.call_tool("get_report", {"run_id": "evil"})
    assert answer.is_error
    assert "nested too deeply" not in str(answer.content)
