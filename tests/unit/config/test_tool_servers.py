"""The entries of mcpServers: their shape, where they come from, and that nothing secret is stored with them (T-12)."""

from __future__ import annotations

import json

import pytest

from testwright.config.settings import load_settings, restore_settings
from testwright.config.tool_servers import MOST_FILE_BYTES, read_servers, servers_from
from testwright.core.errors import SettingsError
from testwright.utils.redact import Redactor, without_secrets

USUAL = {
    "search": {
        "command": "code-search",
        "args": ["--index", "${HOME}/indexes", "--token=${SEARCH_TOKEN}"],
        "env": {"API_TOKEN": "${SEARCH_TOKEN}", "LEVEL": "${LEVEL:-info}", "TOKEN_FILE": "/x"},
        "alwaysAllow": ["search"],
        "tools": {"get_codebase_context": {"name": "find", "arguments": {"api_key": "{query}"}, "answer": {"a": 1}}},
    },
    "forge": {
        "type": "streamable-http",
        "url": "https://forge.example.com/mcp?team=${TEAM}&api_key=${FORGE_KEY2}",
        "headers": {"Authorization": "Bearer ${FORGE_TOKEN}", "X-Api-Key": "${FORGE_KEY2}"},
        "startTimeout": 5,
        "max-answer-bytes": 2048,
        "optional": True,
        "tools": ["repo.tree", "repo.read_file"],
    },
    "off": {"command": "never", "disabled": True},
}


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({"mcpServers": USUAL, "other": 1}))
    return path


@pytest.mark.feature("T-12")
def test_the_usual_shape_is_read(config, tmp_path):
    search, forge = read_servers(config)
    assert (search.name, search.transport, search.command) == ("search", "stdio", "code-search")
    assert dict(search.env)["LEVEL"] == "${LEVEL:-info}"
    assert search.tools is not None
    assert [(tool.tool, tool.name, tool.answer) for tool in search.tools] == [
        ("get_codebase_context", "find", {"a": 1})
    ]
    assert (forge.transport, forge.start_timeout, forge.answer_bytes, forge.optional) == ("http", 5, 2048, True)
    assert forge.tools is not None
    assert [tool.tool for tool in forge.tools] == ["repo.tree", "repo.read_file"]


@pytest.mark.feature("T-12")
def test_servers_survive_being_stored_with_a_run_word_for_word(config, tmp_path):
    settings = load_settings({"root": tmp_path, "mcp_config": config})
    stored = json.loads(json.dumps(settings.stored()))
    redactor = Redactor(["unrelated-secret-value"])
    assert without_secrets(stored, redactor) == redactor.value(stored) == stored
    assert restore_settings(stored) == settings


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"command": "a", "url": "https://b"}, "either a command or a url"),
        ({}, "either a command or a url"),
        ({"command": ""}, "command"),
        ({"command": "a", "headers": {"A": "b"}}, "headers belong to a url"),
        ({"url": "https://b", "args": ["x"]}, "belong to a command"),
        ({"url": "ftp://b"}, "http:// or https://"),
        ({"type": "sse", "url": "https://b"}, "streamable HTTP"),
        ({"type": "stdio", "url": "https://b"}, "needs a command"),
        ({"type": "pigeon", "command": "a"}, "'pigeon' is not known"),
        ({"command": "a", "timeout": 0}, "timeout"),
        ({"command": "a", "comand": "b"}, "comand"),
        ({"command": "a", "tools": "all"}, "tools must be"),
        ({"command": "a", "tools": {"lint_code": 7}}, "tools.lint_code must be"),
        ({"command": "a", "env": {"API_TOKEN": "abc"}}, "API_TOKEN must come from the environment"),
        ({"url": "https://b", "headers": {"Authorization": "Basic x"}}, "Authorization must come from the environment"),
        ({"command": "a", "args": ["sk-abcdefghijklmnopqrstuvwx"]}, "looks like a secret"),
        ({"url": "https://me:pass-word-1@b/mcp"}, "looks like a secret"),
        ("a", "must be an object"),
    ],
)
def test_an_entry_that_is_wrong_is_named_and_its_secret_is_not_repeated(tmp_path, entry, said):
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({"mcpServers": {"search": entry}}))
    with pytest.raises(SettingsError, match="search: ") as caught:
        read_servers(path)
    assert said in caught.value.message
    assert not any(one in caught.value.message for one in ("sk-abc", "pass-word-1"))
    assert caught.value.advice


@pytest.mark.parametrize("name", ["built-in", "", "a/b", "x" * 65, "\n"])
def test_a_name_that_cannot_be_shown_is_refused(name):
    with pytest.raises(ValueError, match="name"):
        servers_from({name: {"command": "a"}})


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"mcpServers": []}', "\xff", "[" * 100_000, " " * (MOST_FILE_BYTES + 1)],
    ids=["empty", "list", "bare", "entries", "binary", "deep", "large"],
)
def test_a_file_that_is_none_is_a_settings_error(tmp_path, text):
    path = tmp_path / "servers.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError, match="are not usable"):
        read_servers(path)
    with pytest.raises(SettingsError, match="cannot be read"):
        read_servers(tmp_path / "nowhere.json")


@pytest.mark.feature("T-12")
def test_the_projects_file_may_name_servers_but_not_how_they_are_trusted(tmp_path):
    (tmp_path / "testwright.toml").write_text(
        '[mcp-servers.search]\ncommand = "find"\ncwd = "tools"\nstart-timeout = 3\n[mcp-servers.search.env]\nA = "1"\n'
    )
    untrusted = load_settings({"root": tmp_path})
    assert untrusted.mcp_servers == ()
    assert 'mcp_servers = ["search"]' in untrusted.ignored
    [server] = load_settings({"root": tmp_path, "trust_project": True}).mcp_servers
    assert (server.name, server.cwd, server.start_timeout) == ("search", tmp_path / "tools", 3)
    for line in ("trust-project = true", 'mcp-config = "x.json"', 'cache-url = "redis://h"'):
        (tmp_path / "testwright.toml").write_text(line)
        with pytest.raises(SettingsError, match="unknown setting"):
            load_settings({"root": tmp_path})


def test_a_wrong_entry_in_the_projects_file_names_file_and_server(tmp_path):
    (tmp_path / "testwright.toml").write_text("[mcp-servers.search]\nurl = 'ftp://x'\n")
    with pytest.raises(SettingsError, match=r"testwright\.toml: mcp_servers\.search: the url must begin"):
        load_settings({"root": tmp_path, "trust_project": True})


def test_a_configuration_that_is_named_takes_the_place_of_the_projects(config, tmp_path, monkeypatch):
    (tmp_path / "testwright.toml").write_text('[mcp-servers.other]\ncommand = "x"\n')
    named = load_settings({"root": tmp_path, "mcp_config": config})
    assert [mcp_server.name for mcp_server in named.mcp_servers] == ["search", "forge"]
    monkeypatch.setenv("TESTWRIGHT_MCP_CONFIG", str(config))
    assert load_settings({"root": tmp_path}).mcp_servers == named.mcp_servers
    monkeypatch.delenv("TESTWRIGHT_MCP_CONFIG")
    monkeypatch.setenv("TESTWRIGHT_MCP_SERVERS", json.dumps({"third": {"url": "http://localhost/mcp"}}))
    assert [mcp_server.name for mcp_server in load_settings({"root": tmp_path}).mcp_servers] == ["third"]
