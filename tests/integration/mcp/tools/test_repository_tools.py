"""`repo.tree` and `repo.read_file` show a checkout as git sees it, and nothing else (A-10)."""

from __future__ import annotations

import hashlib

import pytest

from testwright.core.errors import ToolFailure
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.mcp.tools import repo_tree
from testwright.tests.support.mcp.tool_session import make_services, write_files
from testwright.tests.support.projects.web_shop import LISTED, SHOP

COMMIT = "a" * 40
CONFIG = '[remote "fork"]\n\turl = https://example.com/me/shop.git\n[remote "origin"]\n\turl = {url}\n'

pytestmark = pytest.mark.feature("A-10")


@pytest.fixture
def services(tmp_path):
    return make_services(tmp_path, SHOP)


@pytest.fixture
async def client(services):
    async with ToolClient(build_toolbox(services)) as client:
        yield client


def checked_out(root, url="git@github.com:acme/shop.git", head="ref: refs/heads/main"):
    packed = f"# pack-refs with: peeled\n{COMMIT} refs/heads/main\n"
    write_files(root / ".git", {"HEAD": f"{head}\n", "config": CONFIG.format(url=url), "packed-refs": packed})


async def test_the_tree_has_gits_ids_and_leaves_out_what_is_ignored_or_secret(client, services):
    tree = await client.call("repo.tree", {})
    assert sorted(file["path"] for file in tree["files"]) == LISTED
    page = next(file for file in tree["files"] if file["path"] == "public/index.html")
    content = SHOP["public/index.html"].encode()
    assert page["size"] == len(content)
    assert page["sha"] == hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


async def test_a_checkout_of_more_files_than_are_listed_says_so(client, monkeypatch):
    monkeypatch.setattr(repo_tree, "MAX_FILES", 2)
    tree = await client.call("repo.tree", {})
    assert (len(tree["files"]), tree["truncated"]) == (2, True)


async def test_a_folder_without_git_is_local_and_a_worktree(client):
    tree = await client.call("repo.tree", {})
    assert (tree["repo_full_name"], tree["ref"], tree["commit"]) == ("local/project", "worktree", "")


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:acme/shop.git",
        "https://user:secret@example.com/acme/shop.git",
        "ssh://git@example.com/acme/shop/",
    ],
)
async def test_the_name_comes_from_the_remote_without_its_password(client, services, url):
    checked_out(services.root, url)
    tree = await client.call("repo.tree", {"ref": "main"})
    assert (tree["repo_full_name"], tree["ref"], tree["commit"]) == ("acme/shop", "main", COMMIT)
    assert "secret" not in str(tree)


async def test_a_detached_commit_is_its_own_ref(client, services):
    checked_out(services.root, head=COMMIT)
    assert (await client.call("repo.tree", {"ref": COMMIT}))["ref"] == COMMIT


async def test_another_ref_than_the_one_checked_out_is_refused(client, services):
    checked_out(services.root)
    with pytest.raises(ToolFailure, match="'other' is not checked out"):
        await client.call("repo.tree", {"ref": "other"})
    with pytest.raises(ToolFailure, match="not checked out"):
        await client.call("repo.read_file", {"path": "web/users.js", "ref": "other"})


async def test_a_file_of_the_tree_can_be_read_and_is_cached_until_it_changes(client, services):
    first = await client.call("repo.read_file", {"path": "web/users.js"})
    assert first["contents"] == SHOP["web/users.js"]
    await client.call("repo.read_file", {"path": "web/users.js"})
    (services.root / "web/users.js").write_text("changed, and of another size")
    assert (await client.call("repo.read_file", {"path": "web/users.js"}))["contents"].startswith("changed")
    assert [call.cached for call in client.calls()] == [False, True, False]


@pytest.mark.parametrize(
    "path",
    [".env", "deploy/server.pem", "out/made.js", "node_modules/express/index.js", "../x", "/etc/hostname", "none"],
)
async def test_what_the_tree_does_not_list_cannot_be_read(client, path):
    with pytest.raises(ToolFailure):
        await client.call("repo.read_file", {"path": path})


async def test_a_link_is_neither_listed_nor_read(client, services, tmp_path):
    (tmp_path / "secret.py").write_text("S = 1")
    (services.root / "app" / "link.py").symlink_to(tmp_path / "secret.py")
    tree = await client.call("repo.tree", {"path": "app"})
    assert "app/link.py" not in [file["path"] for file in tree["files"]]
    with pytest.raises(ToolFailure):
        await client.call("repo.read_file", {"path": "app/link.py"})
