"""Which branch of a remote a checkout stands for, in real repositories."""

import pytest

from testwright.tests.support.projects.repositories import Repository
from testwright.vcs.origin import origin_of

pytestmark = pytest.mark.feature("A-12")


@pytest.fixture
def clone(tmp_path):
    """A clone of a repository with `main`, and `feature` one commit further."""
    home = Repository(tmp_path / "home")
    home.commit({"pkg/a.py": "1"})
    home.git("checkout", "-q", "-b", "feature")
    home.commit({"pkg/a.py": "2"})
    home.git("checkout", "-q", "main")
    return Repository(tmp_path / "clone", clone=home)


def test_a_branch_stands_for_its_upstream(clone):
    clone.git("checkout", "-q", "-b", "mine", "origin/feature")
    assert origin_of(clone.folder).branch == "feature"


def test_a_branch_without_an_upstream_stands_for_its_own_name(clone):
    clone.git("checkout", "-q", "-b", "mine", "--no-track")
    assert origin_of(clone.folder).branch == "mine"


@pytest.mark.parametrize("branch", ["main", "feature"])
def test_a_detached_head_stands_for_the_branch_that_it_is_the_newest_commit_of(clone, branch):
    clone.git("checkout", "-q", "--detach", f"origin/{branch}")
    origin = origin_of(clone.folder / "pkg")
    assert (origin.branch, origin.folder, origin.top) == (branch, "pkg", clone.folder.resolve())


def test_an_older_commit_may_be_of_any_branch_and_stands_for_none(clone):
    clone.git("checkout", "-q", "origin/feature")
    clone.git("update-ref", "-d", "refs/remotes/origin/main")
    clone.git("tag", "v1", "HEAD~1")
    clone.git("checkout", "-q", "v1")
    assert origin_of(clone.folder).branch == ""


def test_of_several_branches_at_a_commit_the_default_one_counts_and_no_other_is_guessed(clone):
    clone.git("update-ref", "refs/remotes/origin/a-copy", "origin/main")
    clone.git("update-ref", "refs/remotes/origin/b-copy", "origin/feature")
    clone.git("checkout", "-q", "--detach", "origin/main")
    assert origin_of(clone.folder).branch == "main"
    clone.git("checkout", "-q", "--detach", "origin/feature")
    assert origin_of(clone.folder).branch == ""


def test_an_upstream_in_the_clone_itself_is_no_branch_of_a_remote(clone):
    clone.git("checkout", "-q", "-b", "mine", "--track", "main")
    assert origin_of(clone.folder).branch == "mine"


def test_a_tag_of_the_name_of_a_branch_does_not_hide_it(clone):
    clone.git("tag", "mine")
    clone.git("checkout", "-q", "-b", "mine", "--no-track")
    assert origin_of(clone.folder).branch == "mine"


def test_a_commit_that_no_branch_has_stands_for_none(clone):
    clone.git("checkout", "-q", "--detach")
    clone.commit({"b.py": "1"})
    assert origin_of(clone.folder).branch == ""
