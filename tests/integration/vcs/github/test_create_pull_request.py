"""Pull requests from tests, made on a local GitHub: created once, updated on a rerun, never doubled."""

import subprocess
import time
from typing import Any

import pytest

from testwright.core.errors import (
    GitHubAccessDenied,
    GitHubConflict,
    GitHubNotFound,
    GitHubRateLimited,
    GitHubUnreachable,
    UsageError,
)
from testwright.tests.support.github.local_github import READER
from testwright.utils.generated_header import with_header
from testwright.vcs.github.create import create_pull_request
from testwright.vcs.github.pull_request import CreatePullRequest, NewFile

pytestmark = pytest.mark.feature("A-12")

REPO = "acme/shop"
BRANCH = "testwright/unit-tests-1a2b3c4d"
ONE, TWO = "tests/generated/test_cart.py", "tests/generated/shop/test_prices.py"


def file(path, body):
    return NewFile(path, with_header(body, target="src/cart.py"))


FIRST = (file(ONE, "def test_one():\n    assert 1\n"), file(TWO, "def test_two():\n    assert 2\n"))


def wanted(*files, **fields):
    usual: dict[str, Any] = {
        "title": "Tests for the shop",
        "body": "What was tested.",
        "base_branch": "main",
        "head_branch": BRANCH,
        "tests_folder": "tests/generated",
        "key": "1a2b3c4d5e6f",
    }
    return CreatePullRequest(files or FIRST, **{**usual, **fields})


@pytest.fixture
def store(github):
    return github.add(REPO, {"src/cart.py": "x = 1\n", "README.md": "A shop.\n", "tests/test_old.py": "# old\n"})


def faults_found_by_git(folder):
    command = ["git", "-C", str(folder), "fsck", "--full", "--strict", "--no-dangling"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.fixture
def make(connect):
    async def made(content=None, token=None, repository=REPO):
        async with connect(*([token] if token else [])) as api:
            return await create_pull_request(api, repository, content or wanted())

    return made


def pulls(github):
    return github.repositories[REPO].pulls


async def test_files_come_as_one_commit_on_a_branch_of_their_own_and_a_pull_request(github, store, make):
    result = await make()
    assert (result.outcome, result.number, result.branch) == ("created", 1, BRANCH)
    assert result.written == (ONE, TWO)
    head = store.files(f"refs/heads/{BRANCH}")
    assert head[ONE] == FIRST[0].contents
    assert {path: head[path] for path in head if path not in (ONE, TWO)} == store.files("main")
    assert store.log(BRANCH) == ["Tests for the shop", "first"]
    (pull,) = pulls(github)
    assert (pull["title"], pull["base"]["ref"], pull["head"]["ref"]) == ("Tests for the shop", "main", BRANCH)
    assert pull["body"].startswith("<!-- testwright:pull-request 1a2b3c4d5e6f -->\nWhat was tested.\n")
    assert result.url == pull["html_url"]


async def test_what_is_made_is_whole_for_git_itself(store, make, tmp_path):
    await make()
    store.export(tmp_path / "shop.git")
    assert faults_found_by_git(tmp_path / "shop.git") == ""


async def test_the_same_again_changes_nothing(github, store, make):
    await make()
    before = len(github.asked("POST")) + len(github.asked("PATCH"))
    again = await make()
    assert (again.outcome, again.number, again.written) == ("unchanged", 1, ())
    assert len(github.asked("POST")) + len(github.asked("PATCH")) == before


async def test_a_change_of_the_tests_is_a_further_commit_of_the_same_pull_request(github, store, make):
    await make()
    changed = (FIRST[0], file(TWO, "def test_two():\n    assert 22\n"))
    again = await make(wanted(*changed, body="Tested again."))
    assert (again.outcome, again.number, again.written) == ("updated", 1, (TWO,))
    assert len(store.log(BRANCH)) == 3
    assert store.files(BRANCH)[TWO] == changed[1].contents
    assert "Tested again." in pulls(github)[0]["body"]
    assert "What was tested." not in pulls(github)[0]["body"]


async def test_what_a_person_has_written_stays(github, store, make):
    await make()
    edited = FIRST[0].contents + "\n\ndef test_mine():\n    assert 3\n"
    store.commit_files({ONE: edited}, "by hand", BRANCH)
    pulls(github)[0].update(title="Better title", body=f"Mine before.\r\n\r\n{pulls(github)[0]['body']}\r\nMine after.")
    changed = (file(ONE, "def test_one():\n    assert 11\n"), file(TWO, "def test_two():\n    assert 22\n"))
    again = await make(wanted(*changed, body="New."))
    assert (again.outcome, again.written, again.left_alone) == ("updated", (TWO,), (ONE,))
    assert store.files(BRANCH)[ONE] == edited
    assert store.log(BRANCH)[1] == "by hand"
    assert pulls(github)[0]["title"] == "Better title"
    assert pulls(github)[0]["body"].splitlines()[0] == "Mine before."
    assert pulls(github)[0]["body"].endswith("Mine after.")
    assert "\nNew.\n" in pulls(github)[0]["body"]
    await make(wanted(*changed, title="Given anew", keep_title=False))
    assert pulls(github)[0]["title"] == "Given anew"


async def test_a_pull_request_from_a_renamed_branch_is_found_by_its_marker(github, store, make):
    await make()
    store.refs["refs/heads/mine"] = store.resolve(BRANCH)
    del store.refs[f"refs/heads/{BRANCH}"]
    pulls(github)[0]["head"]["ref"] = "mine"
    again = await make(wanted(file(ONE, "def test_one():\n    assert 5\n")))
    assert (again.outcome, again.number, again.branch) == ("updated", 1, "mine")


async def test_a_marker_in_a_pull_request_of_a_fork_is_not_ours(github, store, make):
    await make()
    pulls(github)[0]["head"]["repo"] = {**pulls(github)[0]["head"]["repo"], "full_name": "someone/shop"}
    pulls(github)[0]["head"]["ref"] = "theirs"
    again = await make(wanted(file(ONE, "def test_one():\n    assert 5\n")))
    assert (again.outcome, again.number) == ("created", 2)


async def test_after_a_merge_the_base_has_everything_and_later_tests_begin_anew(github, store, make):
    await make()
    store.commit_files({one.path: one.contents for one in FIRST}, "squashed", "main")
    pulls(github)[0]["state"] = "closed"
    assert (await make()).outcome == "nothing_new"
    later = await make(wanted(FIRST[0], file(TWO, "def test_two():\n    assert 22\n")))
    assert (later.outcome, later.number, later.written) == ("created", 2, (TWO,))
    assert store.log(BRANCH) == ["Tests for the shop", "squashed", "first"]


async def test_a_branch_of_somebody_elses_is_left_alone(github, store, make):
    store.commit_files({"src/cart.py": "x = 2\n"}, "theirs", "main")
    store.refs[f"refs/heads/{BRANCH}"] = store.resolve("main")
    with pytest.raises(GitHubConflict, match="its newest commit is not of testwright") as raised:
        await make()
    assert "--head" in raised.value.advice
    assert pulls(github) == []


@pytest.mark.parametrize(
    "path",
    [
        "src/cart.py",
        "tests/generated/../../src/x.py",
        "/etc/x.py",
        "tests/generated/.github/workflows/x.yml",
        "a\\b.py",
    ],
)
async def test_no_path_outside_of_the_tests_folder_is_written(github, store, make, path):
    with pytest.raises(UsageError):
        await make(wanted(NewFile(path, "x = 1\n")))
    assert github.seen == []


@pytest.mark.parametrize("folder", ["", ".", "..", ".github", "/tests"])
def test_a_tests_folder_is_a_folder_below_the_repositorys(folder):
    with pytest.raises(UsageError, match="is no folder for tests"):
        wanted(tests_folder=folder)


@pytest.mark.parametrize("title", ["", "  ", "x" * 257])
def test_a_title_has_1_to_256_characters(title):
    with pytest.raises(UsageError, match="256"):
        wanted(title=title)
    assert wanted(title="x" * 256).title


async def test_a_link_in_place_of_a_test_file_is_not_followed(github, store, make):
    tree = store.tree_with(store.resolve("main"), [{"mode": "120000", "sha": store.add_blob(b"../src"), "path": ONE}])
    store.refs["refs/heads/main"] = store.commit_tree(tree, [store.resolve("main")], "link")
    assert (await make()).left_alone == (ONE,)


async def test_a_file_in_place_of_the_tests_folder_is_said(github, store, make):
    store.commit_files({"tests/generated": "a file"}, "in the way", "main")
    with pytest.raises(GitHubConflict, match="generated in tests/generated is no folder"):
        await make()


ERRORS = [
    ("GET", "/git/ref/", 401, GitHubAccessDenied, "missing, wrong or expired"),
    ("POST", "/git/blobs", 403, GitHubAccessDenied, "contents: write"),
    ("POST", "/pulls", 403, GitHubAccessDenied, "pull-requests: write"),
    ("POST", "/git/trees", 404, GitHubNotFound, "may see the repository"),
    ("POST", "/git/trees", 422, GitHubConflict, ""),
]


@pytest.mark.parametrize(("method", "path", "status", "error", "advice"), ERRORS)
async def test_a_refusal_is_a_typed_error_that_says_what_to_do(
    github, store, make, method, path, status, error, advice
):
    github.fail(method, path, status)
    with pytest.raises(error, match=f"GitHub answered {status}") as raised:
        await make()
    assert advice in raised.value.advice


async def test_actions_that_may_not_make_pull_requests_are_told_where_to_allow_it(github, store, make):
    github.fail("POST", "/pulls", 403, "GitHub Actions is not permitted to create or approve pull requests.")
    with pytest.raises(GitHubAccessDenied) as raised:
        await make()
    assert "Workflow permissions" in raised.value.advice


async def test_a_token_that_may_only_read_changes_nothing(github, store, make):
    with pytest.raises(GitHubAccessDenied):
        await make(token=READER)
    assert list(store.heads()) == ["main"]


async def test_a_missing_branch_is_told_from_a_missing_repository(github, store, make):
    with pytest.raises(GitHubNotFound, match="has no branch 'release'") as raised:
        await make(wanted(base_branch="release"))
    assert "--base" in raised.value.advice
    with pytest.raises(GitHubNotFound, match="GitHub answered 404"):
        await make(repository="acme/none")


@pytest.mark.parametrize("path", ["/git/blobs", "/git/trees", "/git/commits", "/git/refs", "/pulls"])
@pytest.mark.parametrize("after", [False, True], ids=["not done", "answer lost"])
async def test_a_failure_of_github_is_tried_again_and_nothing_is_doubled(github, store, make, waits, path, after):
    github.fail("POST", path, 502, after=after)
    result = await make()
    assert result.outcome in ("created", "unchanged", "updated")
    assert waits == [1.0]
    assert len(pulls(github)) == 1
    assert len(store.log(BRANCH)) == 2


async def test_a_github_that_stays_broken_ends_it(github, store, make, waits):
    for _ in range(4):
        github.fail("POST", "/git/trees", 500)
    with pytest.raises(GitHubUnreachable, match="500"):
        await make()
    assert waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("left", [4, 7, 8, 9, 10, 11, 12])
async def test_a_rate_limit_in_the_middle_ends_it_and_the_next_call_goes_on(github, store, make, left):
    github.remaining, github.reset = left, time.time() + 3000
    with pytest.raises(GitHubRateLimited) as raised:
        await make()
    assert 2900 < int(str(raised.value.details["retry_after"])) < 3100
    github.remaining = 5000
    assert (await make()).outcome in ("created", "unchanged")
    assert len(pulls(github)) == 1
    assert len(store.log(BRANCH)) == 2


async def test_a_limit_that_ends_soon_is_waited_for(github, store, make, waits):
    github.remaining, github.reset = 4, time.time() + 20
    assert (await make()).outcome == "created"
    assert len(waits) == 1
    assert 15 < waits[0] < 25


@pytest.mark.parametrize(
    ("headers", "message", "expected"),
    [
        ({"retry_after": "7"}, "slow down", 7.0),
        ({}, "You have exceeded a secondary rate limit.", 60.0),
    ],
)
@pytest.mark.parametrize("status", [403, 429])
async def test_a_secondary_limit_is_waited_for_as_long_as_it_says(
    github, store, make, waits, status, headers, message, expected
):
    github.fail("POST", "/git/blobs", status, message, **headers)
    assert (await make()).outcome == "created"
    assert waits == [expected]


async def test_a_secondary_limit_that_lasts_ends_it(github, store, make, waits):
    github.fail("POST", "/git/blobs", 403, "secondary rate limit", retry_after="600")
    with pytest.raises(GitHubRateLimited, match="600 s"):
        await make()
    assert waits == []


async def test_a_push_in_between_is_never_overwritten(github, store, make):
    await make()
    tip = store.resolve(BRANCH)
    github.fail("PATCH", "/git/refs/", 422, "Update is not a fast forward")
    with pytest.raises(GitHubConflict, match="has moved meanwhile"):
        await make(wanted(file(ONE, "def test_one():\n    assert 9\n")))
    assert store.resolve(BRANCH) == tip


async def test_a_repository_that_moved_says_so(github, make):
    github.add(REPO, {"a": "b"}, moved=True)
    with pytest.raises(GitHubNotFound) as raised:
        await make()
    assert "has moved" in raised.value.advice


async def test_more_pull_requests_than_a_page_are_searched(github, store, make):
    await make()
    ours = pulls(github)[0]
    ours["head"] = {**ours["head"], "ref": "renamed"}
    store.refs["refs/heads/renamed"] = store.resolve(BRANCH)
    del store.refs[f"refs/heads/{BRANCH}"]
    repository = github.repositories[REPO]
    for number in range(101):
        repository.open_pull(f"other-{number}", "main", "other", "")
    assert (await make()).number == 1
    assert [one.path for one in github.asked("GET", "/pulls$")].count(f"/repos/{REPO}/pulls") == 2 + 3
