"""How many of the latest commits changed each file, in real repositories."""

import pytest

from testwright.tests.support.projects.repositories import Repository
from testwright.vcs.recent_changes import RecentChanges, recent_changes

pytestmark = pytest.mark.feature("B-19")


def test_commits_are_counted_by_file_below_the_projects_own_folder(tmp_path):
    repository = Repository(tmp_path / "all")
    repository.commit({"shop/src/a.py": "1", "shop/src/ü b.py": "1", "other/c.py": "1"})
    repository.commit({"shop/src/a.py": "2"})
    repository.commit({"other/c.py": "2"})
    assert recent_changes(repository.folder / "shop") == RecentChanges(2, {"src/a.py": 2, "src/ü b.py": 1})


def test_merges_count_by_the_commits_they_bring(tmp_path):
    repository = Repository(tmp_path / "shop")
    repository.commit({"a.py": "1"})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit({"b.py": "1"})
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert recent_changes(repository.folder) == RecentChanges(2, {"a.py": 1, "b.py": 1})


def test_without_a_history_nothing_is_counted(tmp_path, monkeypatch):
    plain = tmp_path / "plain"
    plain.mkdir()
    assert recent_changes(plain) == RecentChanges()
    empty = Repository(tmp_path / "empty")
    assert recent_changes(empty.folder) == RecentChanges()
    empty.commit({"a.py": "1"})
    monkeypatch.setenv("PATH", "")
    assert recent_changes(empty.folder) == RecentChanges()


def test_a_broken_repository_is_no_reason_to_stop(tmp_path):
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / ".git").write_text("gitdir: nowhere")
    assert recent_changes(folder) == RecentChanges()
