"""Pull requests made where a person has worked: nothing of theirs is overwritten, put back or taken over."""

import pytest

from testwright.core.errors import GitHubConflict
from testwright.tests.support.github.local_github import WRITER
from testwright.utils.generated_header import with_header
from testwright.vcs.github.create import create_pull_request
from testwright.vcs.github.pull_request import CreatePullRequest, NewFile

pytestmark = pytest.mark.feature("A-12")

REPO = "acme/shop"
BRANCH = "testwright/unit-tests-1a2b3c4d"
ONE, TWO = "tests/generated/test_cart.py", "tests/generated/shop/test_prices.py"


def file(path, number):
    return NewFile(path, with_header(f"def test_it():\n    assert {number}\n", target="src/cart.py"))


def wanted(*files, head=BRANCH):
    return CreatePullRequest(
        files=files or (file(ONE, 1), file(TWO, 1)),
        title="Tests for the shop",
        body="What was tested.",
        base_branch="main",
        head_branch=head,
        tests_folder="tests/generated",
        key="1a2b3c4d5e6f",
    )


@pytest.fixture
def store(github):
    return github.add(REPO, {"src/cart.py": "x = 1\n"})


@pytest.fixture
def make(connect):
    async def made(content=None):
        async with connect(WRITER) as api:
            return await create_pull_request(api, REPO, content or wanted())

    return made


def without(store, path):
    """A person's commit on the branch that removes a file."""
    rows = [
        {"mode": "100644", "path": name, "sha": store.add_blob(text.encode())}
        for name, text in store.files(BRANCH).items()
        if name != path
    ]
    commit = store.commit_tree(store.tree_with("", rows), [store.resolve(BRANCH)], "drop this test")
    store.refs[f"refs/heads/{BRANCH}"] = commit


async def test_a_test_file_that_a_person_has_removed_is_not_put_back(store, make):
    await make()
    without(store, TWO)
    again = await make(wanted(file(ONE, 2), file(TWO, 2)))
    assert (again.written, again.left_alone) == ((ONE,), (TWO,))
    later = await make(wanted(file(ONE, 3), file(TWO, 3)))
    assert (later.written, later.left_alone) == ((ONE,), (TWO,)), "the newest commit of ours is not the only one"
    assert TWO not in store.files(BRANCH)


async def test_a_new_test_file_joins_what_a_person_has_cut_down(store, make):
    await make()
    without(store, TWO)
    three = file("tests/generated/test_new.py", 3)
    assert (await make(wanted(file(ONE, 1), file(TWO, 1), three))).written == (three.path,)


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: f"# SPDX-License-Identifier: MIT\n{text}",
        lambda text: f"import sys\n{text}",
        lambda text: text.replace("\n", "\n# Reviewed by Ann\n", 1),
        lambda text: text.replace("# testwright:", "import sys\n# testwright:", 1),
    ],
    ids=["a line above", "code above", "a line in the header", "code in the header"],
)
async def test_a_file_whose_header_a_person_has_changed_is_left_alone(store, make, edit):
    await make()
    edited = edit(store.files(BRANCH)[ONE])
    store.commit_files({ONE: edited}, "by hand", BRANCH)
    assert (await make(wanted(file(ONE, 2), file(TWO, 1)))).left_alone == (ONE,)
    assert store.files(BRANCH)[ONE] == edited


async def test_an_open_pull_request_of_a_persons_is_not_taken_over(github, store, make):
    first = store.resolve("main")
    store.commit_files({"src/cart.py": "x = 2\n"}, "a feature", "main")
    store.refs |= {"refs/heads/feature/x": store.resolve("main"), "refs/heads/main": first}
    pull = github.repositories[REPO].open_pull("feature/x", "main", "My feature", "My text")
    with pytest.raises(GitHubConflict, match="is not of testwright") as raised:
        await make(wanted(head="feature/x"))
    assert "--head" in raised.value.advice
    assert (store.log("feature/x"), pull["body"]) == (["a feature", "first"], "My text")


async def test_a_pull_request_whose_text_a_person_has_replaced_stays_ours(github, store, make):
    await make()
    github.repositories[REPO].pulls[0]["body"] = "All mine."
    again = await make()
    assert (again.outcome, again.number) == ("updated", 1)
    assert github.repositories[REPO].pulls[0]["body"].startswith("All mine.\n\n<!-- testwright:")


async def test_a_persons_commit_in_the_middle_of_a_closed_branch_is_not_lost(github, store, make):
    await make()
    store.commit_files({"src/cart.py": "x = 3\n"}, "by hand", BRANCH)
    await make(wanted(file(ONE, 2), file(TWO, 1)))
    github.repositories[REPO].pulls[0]["state"] = "closed"
    tip = store.resolve(BRANCH)
    with pytest.raises(GitHubConflict, match="not all of its commits are of testwright"):
        await make(wanted(file(ONE, 3)))
    assert store.resolve(BRANCH) == tip


async def test_a_file_keeps_its_mode(store, make):
    await make()
    row = {"mode": "100755", "path": ONE, "sha": store.add_blob(file(ONE, 1).contents.encode())}
    tip = store.resolve(BRANCH)
    store.refs[f"refs/heads/{BRANCH}"] = store.commit_tree(store.tree_with(tip, [row]), [tip], "chmod +x")
    assert (await make(wanted(file(ONE, 2)))).written == (ONE,)
    rows = store.tree(store.resolve(BRANCH), recursive=True)
    assert [one["mode"] for one in rows if one["path"] == ONE] == ["100755"]
