"""Which commits changed a file, and which of its functions, in real repositories."""

from testwright.tests.support.projects.repositories import Repository
from testwright.vcs.history import file_history

SHOP = "def price():\n    return 1\n\n\ndef name():\n    return 'shop'\n"


def test_commits_are_listed_newest_first_with_the_functions_they_changed(tmp_path):
    repository = Repository(tmp_path / "shop")
    repository.commit({"src/shop.py": SHOP})
    repository.commit({"README.md": "A shop."})
    repository.commit({"src/shop.py": SHOP.replace("return 1", "return 2")})
    found = file_history(repository.folder, "src/shop.py", 10)
    assert [one.symbols for one in found] == [("price",), None]
    assert all(len(one.id) == 10 and one.subject for one in found)
    assert len(file_history(repository.folder, "src/shop.py", 1)) == 1


def test_a_repository_without_a_commit_has_no_history(tmp_path):
    assert file_history(Repository(tmp_path / "new").folder, "src/shop.py", 10) == ()
