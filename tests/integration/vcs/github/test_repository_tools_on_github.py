"""`repo.tree` and `repo.read_file` of a repository on GitHub: the contracts of a checkout, without one."""

import dataclasses
import hashlib
import time

import pytest

from testwright.analysis import github_repository
from testwright.analysis.github_repository import GitHubRepository
from testwright.core.errors import GitHubAccessDenied, GitHubNotFound, GitHubRateLimited, ToolFailure
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.store.cache.conditional_answers import ConditionalAnswers
from testwright.tests.support.mcp.tool_session import make_services
from testwright.vcs.github.names import repository_name

pytestmark = pytest.mark.feature("A-10")

REPO = "Acme/shop"
FILES = {
    "app/main.py": "x = 1\n",
    "app/big.bin": b"\0\1",
    "app/latin.txt": "é".encode("latin-1"),
    "README.md": "A shop.\n",
    ".env.local": "SECRET=1",
    ".env.example": "SECRET=",
    "node_modules/a/index.js": "no",
    "deploy/server.pem": "no",
}
LISTED = [".env.example", "README.md", "app/big.bin", "app/latin.txt", "app/main.py"]


@pytest.fixture
def store(github):
    return github.add(REPO, FILES)


@pytest.fixture
def call(connect, tmp_path):
    """Call a tool in a session of its own, as a run has one."""

    async def called(tool, name="acme/shop", cache=None, token=None, **arguments):
        async with connect(*([token] if token is not None else []), cache=cache) as api:
            repository = GitHubRepository(api, repository_name(name))
            services = dataclasses.replace(make_services(tmp_path, {}), repository=repository)
            async with ToolClient(build_toolbox(services)) as client:
                return await client.call(tool, arguments)

    return called


async def test_the_tree_is_that_of_a_checkout_with_sizes_and_gits_ids(call, store):
    tree = await call("repo.tree")
    assert [file["path"] for file in tree["files"]] == LISTED
    assert (tree["repo_full_name"], tree["ref"], tree["commit"]) == (REPO, "main", store.resolve("main"))
    assert tree["truncated"] is False
    page = next(file for file in tree["files"] if file["path"] == "README.md")
    assert page["sha"] == hashlib.sha1(b"blob 8\0A shop.\n").hexdigest()
    assert [file["path"] for file in (await call("repo.tree", path="app"))["files"]] == LISTED[2:]


@pytest.mark.parametrize("name", ["acme/shop@feature/x", "acme/shop@v1", "acme/shop@COMMIT"])
async def test_a_branch_a_tag_or_a_commit_is_read(call, store, name):
    store.refs["refs/heads/feature/x"] = store.resolve("main")
    commit = store.commit_files({"app/new.py": "y = 2\n"}, "more", "feature/x")
    store.refs["refs/tags/v1"] = commit
    name = name.replace("COMMIT", commit)
    read = await call("repo.read_file", name, path="app/new.py")
    assert (read["contents"], read["ref"]) == ("y = 2\n", name.partition("@")[2])
    assert (await call("repo.read_file", path="app/new.py", ref=commit))["contents"] == "y = 2\n"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("app/gone.py", "has no file"),
        ("../app/main.py", "has no file"),
        (".env.local", "has no file"),
        ("app/big.bin", "is a binary file"),
        ("app/latin.txt", "is not text in UTF-8"),
    ],
)
async def test_what_is_missing_secret_or_no_text_is_said(call, store, path, says):
    with pytest.raises(ToolFailure, match=says):
        await call("repo.read_file", path=path)


async def test_a_huge_file_is_listed_and_not_fetched(call, github, store):
    store.commit_files({"app/huge.csv": "x" * (4 * 1024 * 1024 + 1)}, "huge")
    with pytest.raises(ToolFailure, match="has 4194305 bytes; at most 4194304 are read"):
        await call("repo.read_file", path="app/huge.csv")
    assert github.asked("GET", "/git/blobs/") == []


async def test_links_are_not_listed(call, store):
    blob = store.add_blob(b"../../etc/passwd")
    tree = store.tree_with(store.resolve("main"), [{"mode": "120000", "sha": blob, "path": "app/link.py"}])
    store.refs["refs/heads/main"] = store.commit_tree(tree, [store.resolve("main")], "link")
    assert [file["path"] for file in (await call("repo.tree"))["files"]] == LISTED


async def test_a_tree_that_github_cuts_says_so(call, github, store):
    github.truncated = True
    assert (await call("repo.tree"))["truncated"] is True


async def test_a_repository_of_more_files_than_are_listed_says_so(call, store, monkeypatch):
    monkeypatch.setattr(github_repository, "MAX_FILES", 2)
    tree = await call("repo.tree")
    assert ([file["path"] for file in tree["files"]], tree["truncated"]) == (LISTED[:2], True)


async def test_everything_read_is_of_one_commit_also_when_the_branch_moves(connect, store):
    async with connect() as api:
        repository = GitHubRepository(api, repository_name("acme/shop"))
        first = await repository.tree(None)
        store.commit_files({"app/main.py": "x = 2\n"}, "moved")
        _, _, text = await repository.read("app/main.py", first.ref)
    assert text == "x = 1\n"


async def test_what_has_not_changed_is_asked_for_conditionally_and_costs_nothing(call, github, store, tmp_path):
    def kept():
        return ConditionalAnswers(tmp_path / "kept")

    first = await call("repo.tree", cache=kept())
    left = github.remaining
    assert await call("repo.tree", cache=kept()) == first
    assert [one.status for one in github.seen[-3:]] == [304, 304, 304]
    assert github.remaining == left
    store.commit_files({"app/new.py": "y = 2\n"}, "more")
    assert len((await call("repo.tree", cache=kept()))["files"]) == len(first["files"]) + 1
    for place in (tmp_path / "kept").iterdir():
        place.write_text("[broken")
    assert len((await call("repo.tree", cache=kept()))["files"]) == len(first["files"]) + 1


async def test_a_private_repository_needs_a_token(call, github):
    github.add("acme/private", FILES, private=True)
    assert (await call("repo.tree", "acme/private"))["files"]
    with pytest.raises(GitHubNotFound, match="404"):
        await call("repo.tree", "acme/private", token="")
    with pytest.raises(GitHubAccessDenied, match="401"):
        await call("repo.tree", "acme/private", token="gho_wrong")


async def test_a_ref_that_is_not_there_is_said(call, store):
    with pytest.raises(ToolFailure, match="Acme/shop has no branch, tag or commit 'gone'"):
        await call("repo.tree", "acme/shop@gone")


async def test_a_rate_limit_is_an_error_of_its_own_and_no_missing_file(call, github, store):
    github.remaining, github.reset = 3, time.time() + 900
    with pytest.raises(GitHubRateLimited) as raised:
        await call("repo.read_file", path="README.md")
    assert 800 < int(str(raised.value.details["retry_after"])) < 1000
