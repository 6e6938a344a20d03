"""What differs from a commit, in real repositories."""

import pytest

from testwright.core.errors import EnvironmentFault, HistoryError
from testwright.core.exit_code import ExitCode
from testwright.tests.support.projects.repositories import Repository
from testwright.vcs.changed_code import changed_code

SHOP = "def price():\n    return 1\n\n\ndef name():\n    return 'shop'\n"
STOCK = "def count():\n    return 0\n"


@pytest.fixture
def shop(tmp_path):
    """A repository with two modules on main, and a branch of its own checked out."""
    repository = Repository(tmp_path / "shop")
    repository.commit({"src/shop/pricing.py": SHOP, "src/shop/stock.py": STOCK, ".gitignore": "*.log\nbuilt/\n"})
    repository.git("checkout", "-q", "-b", "work")
    return repository


@pytest.mark.feature("T-18")
def test_a_changed_function_is_listed_by_file_and_name(shop):
    base = shop.git("rev-parse", "main")
    shop.commit({"src/shop/pricing.py": SHOP.replace("return 1", "return 2")})
    found = changed_code(shop.folder, "main")
    assert (found.since, found.base) == ("main", base)
    assert found.files == {"src/shop/pricing.py": ("price",)}
    assert found.to_dict() == {
        "since": "main",
        "base": base,
        "files": {"src/shop/pricing.py": ["price"]},
        "left_out": [],
    }


def test_changes_of_the_other_branch_are_not_listed(shop):
    shop.commit({"src/shop/pricing.py": SHOP.replace("return 1", "return 2")})
    shop.git("checkout", "-q", "main")
    shop.commit({"src/shop/stock.py": STOCK.replace("0", "7")})
    shop.git("checkout", "-q", "work")
    assert list(changed_code(shop.folder, "main").files) == ["src/shop/pricing.py"]


def test_staged_unstaged_and_untracked_changes_count_and_ignored_files_do_not(shop):
    shop.write({"src/shop/pricing.py": SHOP.replace("'shop'", "'store'")})
    shop.git("add", "-A")
    shop.write(
        {
            "src/shop/stock.py": STOCK.replace("0", "1"),
            "src/shop/new.py": "def fresh():\n    return 1\n",
            "src/shop/notes.txt": "no code",
            "built/made.py": "x = 1\n",
        }
    )
    assert changed_code(shop.folder, "main").files == {
        "src/shop/new.py": None,
        "src/shop/pricing.py": ("name",),
        "src/shop/stock.py": ("count",),
    }


def test_a_renamed_file_is_compared_with_what_it_was(shop):
    shop.git("mv", "src/shop/pricing.py", "src/shop/prices.py")
    shop.write({"src/shop/prices.py": SHOP.replace("return 1", "return 3")})
    shop.git("mv", "src/shop/stock.py", "src/shop/store.py")
    found = changed_code(shop.folder, "main")
    assert found.files == {"src/shop/prices.py": ("price",)}
    assert found.left_out == (("src/shop/store.py", "it was src/shop/stock.py, and no function of it changed"),)


def test_deleted_files_are_left_out_and_comments_are_named_as_no_change(shop):
    shop.git("rm", "-q", "src/shop/stock.py")
    shop.write({"src/shop/pricing.py": f"# about prices\n{SHOP}"})
    found = changed_code(shop.folder, "main")
    assert found.files == {}
    assert found.left_out == (("src/shop/pricing.py", "only comments, formatting or removed code"),)


def test_paths_are_those_of_the_project_inside_a_larger_repository(tmp_path):
    whole = Repository(tmp_path / "whole")
    whole.commit({"services/shop/a.py": STOCK, "services/mail/b.py": STOCK, "lib/moved.py": SHOP})
    whole.git("mv", "lib/moved.py", "services/shop/moved.py")
    whole.commit({"services/shop/a.py": STOCK.replace("0", "1"), "services/mail/b.py": STOCK.replace("0", "1")})
    found = changed_code(whole.folder / "services" / "shop", "HEAD~1")
    assert found.files == {"a.py": ("count",)}
    assert found.left_out == (("moved.py", "it was lib/moved.py, and no function of it changed"),)


def test_odd_names_are_read_as_they_are(shop):
    odd = "src/shop/ä name\twith\nline.py"
    shop.commit({odd: STOCK})
    shop.write({odd: STOCK.replace("0", "2")})
    assert changed_code(shop.folder, "HEAD").files == {odd: ("count",)}


def test_links_and_what_is_no_python_are_no_changes(shop):
    (shop.folder / "src" / "shop" / "linked.py").symlink_to("pricing.py")
    shop.commit({"src/shop/data.json": "{}"})
    assert changed_code(shop.folder, "main").files == {}


def test_a_file_in_conflict_is_changed_as_a_whole(shop):
    shop.commit({"src/shop/pricing.py": SHOP.replace("return 1", "return 2")})
    shop.git("checkout", "-q", "main")
    shop.commit({"src/shop/pricing.py": SHOP.replace("return 1", "return 5")})
    shop.git("checkout", "-q", "work")
    with pytest.raises(AssertionError, match="merge"):
        shop.git("merge", "main")
    assert changed_code(shop.folder, "main").files == {"src/shop/pricing.py": None}


def reason(error):
    return error.value.details["reason"], error.value.exit_code, error.value.advice


def test_a_folder_without_a_repository_is_refused(tmp_path):
    with pytest.raises(HistoryError, match="no git repository") as error:
        changed_code(tmp_path, "main")
    assert reason(error)[:2] == ("no_repository", ExitCode.USAGE)


def test_a_repository_without_a_commit_is_refused(tmp_path):
    Repository(tmp_path / "empty")
    with pytest.raises(HistoryError, match="no commit yet") as error:
        changed_code(tmp_path / "empty", "main")
    assert reason(error)[0] == "no_commits"


@pytest.mark.parametrize("ref", ["nowhere", "--output=stolen", "-x", "", "main:src/shop/stock.py", "a..b"])
def test_a_ref_that_names_no_commit_is_refused_and_never_an_option(shop, ref):
    with pytest.raises(HistoryError, match="knows no commit") as error:
        changed_code(shop.folder, ref)
    assert reason(error)[0] == "unknown_ref"
    assert not (shop.folder / "stolen").exists()


def test_histories_without_a_common_commit_are_refused(shop):
    shop.git("checkout", "-q", "--orphan", "apart")
    shop.commit(message="another beginning")
    with pytest.raises(HistoryError, match="no commit in common") as error:
        changed_code(shop.folder, "main")
    assert reason(error)[0] == "unrelated"


def test_a_shallow_clone_without_the_base_says_what_to_fetch(shop, tmp_path):
    first = shop.git("rev-parse", "HEAD")
    shop.commit({"src/shop/stock.py": STOCK.replace("0", "1")})
    clone = Repository(tmp_path / "clone", clone=shop, depth=1)
    for ref in (first, "origin/main"):
        with pytest.raises(HistoryError, match="shallow") as error:
            changed_code(clone.folder, ref)
        assert reason(error)[0] == "shallow"
        assert "fetch-depth: 0" in reason(error)[2]


def test_a_shallow_clone_whose_ends_do_not_meet_says_what_to_fetch(shop, tmp_path):
    shop.commit({"src/shop/stock.py": STOCK.replace("0", "1")})
    clone = Repository(tmp_path / "clone", clone=shop, depth=1)
    clone.git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    with pytest.raises(HistoryError, match="shallow") as error:
        changed_code(clone.folder, "origin/main")
    assert reason(error)[0] == "shallow"


def test_without_git_the_error_says_what_to_install(shop, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFault, match="git is not installed") as error:
        changed_code(shop.folder, "main")
    assert "apt install git" in error.value.advice


def test_variables_of_another_repository_and_its_programs_are_not_followed(shop, monkeypatch, tmp_path):
    shop.write({"src/shop/stock.py": STOCK.replace("0", "4")})
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    for name in ("diff.external", "core.fsmonitor", "diff.py.textconv"):
        shop.git("config", name, str(program))
    shop.write({".gitattributes": "*.py diff=py\n"})
    assert changed_code(shop.folder, "main").files == {"src/shop/stock.py": ("count",)}
    assert not ran.exists()


def test_line_ends_of_windows_in_the_work_tree_are_no_change(shop):
    (shop.folder / "src/shop/stock.py").write_bytes(STOCK.replace("\n", "\r\n").encode())
    found = changed_code(shop.folder, "main")
    assert (found.files, found.left_out) == ({}, ())


def test_a_staged_change_that_the_work_tree_takes_back_is_no_change(shop):
    shop.write({"src/shop/stock.py": STOCK.replace("0", "1")})
    shop.git("add", "-A")
    shop.write({"src/shop/stock.py": STOCK})
    assert changed_code(shop.folder, "main").files == {}


def test_a_file_that_is_only_meant_to_be_added_is_new(shop):
    shop.write({"src/shop/new.py": "def fresh():\n    return 1\n"})
    shop.git("add", "-N", "src/shop/new.py")
    assert list(changed_code(shop.folder, "main").files) == ["src/shop/new.py"]


def test_a_repository_with_longer_ids_is_compared_like_any(tmp_path):
    (tmp_path / "long").mkdir()
    whole = Repository(tmp_path / "long")
    whole.git("init", "-q", "--object-format=sha256", str(tmp_path / "longer"))
    longer = Repository(tmp_path / "longer")
    longer.commit({"a.py": SHOP, "b.py": STOCK})
    longer.write({"b.py": STOCK.replace("0", "1")})
    assert changed_code(longer.folder, "HEAD").files == {"b.py": ("count",)}
