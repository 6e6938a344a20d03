"""Staging and accepting: the user's files are never edited, and a crash leaves nothing half done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.core.errors import StoreCorrupt, UsageError
from testwright.store.files.base_names import unique_test_path
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
from testwright.utils.generated_header import is_untouched, with_header

TEST = "tests/generated/shop/test_cart.py"


@pytest.fixture
def staging(folder: RunFolder, project: Path) -> Staging:
    return Staging(folder, project)


def generated(body: str) -> str:
    return with_header(body, target="src/shop/cart.py")


def outcomes(staging: Staging) -> list[tuple[str, str]]:
    return [(one.path, one.outcome) for one in staging.accept()]


@pytest.mark.feature("B-09")
def test_a_staged_file_joins_the_project_when_it_is_accepted(staging: Staging, project: Path) -> None:
    place = staging.stage(TEST, generated("x = 1\n"))
    assert place.read_text() == generated("x = 1\n")
    assert not (project / "tests").exists()
    assert [(one.path, one.change) for one in staging.compare()] == [(TEST, "add")]
    assert staging.diff().splitlines()[:2] == ["--- /dev/null", f"+++ b/{TEST}"]
    assert outcomes(staging) == [(TEST, "added")]
    assert (project / TEST).read_text() == generated("x = 1\n")
    assert [path.name for path in (project / TEST).parent.iterdir()] == ["test_cart.py"]
    assert is_untouched((project / TEST).read_text()) is True


@pytest.mark.feature("B-09")
def test_accepting_again_changes_nothing(staging: Staging, project: Path) -> None:
    staging.stage(TEST, generated("x = 1\n"))
    staging.accept()
    before = (project / TEST).stat()
    assert outcomes(staging) == [(TEST, "unchanged")]
    after = (project / TEST).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert staging.diff() == ""


@pytest.mark.feature("B-09")
def test_a_file_of_ours_that_nobody_touched_is_updated_and_keeps_its_mode(staging: Staging, project: Path) -> None:
    staging.stage(TEST, generated("x = 1\n"))
    staging.accept()
    (project / TEST).chmod(0o640)
    staging.stage(TEST, generated("x = 2\n"))
    assert {"-x = 1", "+x = 2"} <= set(staging.diff().splitlines())
    assert outcomes(staging) == [(TEST, "updated")]
    assert (project / TEST).read_text() == generated("x = 2\n")
    assert (project / TEST).stat().st_mode & 0o777 == 0o640


@pytest.mark.feature("B-09")
@pytest.mark.parametrize(
    "theirs",
    [generated("x = 1\n") + "y = 2\n", "x = 1\n", "", generated("x = 1\n").replace("x = 1", "x = 9"), "\udcff\n"],
    ids=["added to", "never ours", "empty", "changed", "no text"],
)
def test_what_a_person_wrote_is_never_overwritten(staging: Staging, project: Path, theirs: str) -> None:
    (project / TEST).parent.mkdir(parents=True)
    (project / TEST).write_bytes(theirs.encode("utf-8", "surrogateescape"))
    staging.stage(TEST, generated("x = 2\n"))
    staging.stage("tests/generated/test_other.py", generated("z = 3\n"))
    found = {one.path: one for one in staging.accept()}
    assert found[TEST].outcome == ("edited" if "sha256" in theirs else "conflict")
    assert found[TEST].reason
    assert (project / TEST).read_bytes() == theirs.encode("utf-8", "surrogateescape")
    assert found["tests/generated/test_other.py"].outcome == "added"
    assert {one.path: one.change for one in staging.compare()}[TEST] == "conflict"


NARROW = "tests/generated/shop/test_cart__total.py"


def planned(staging: Staging, folder: RunFolder, symbols: list[str] | None) -> None:
    """Stage a test file that the plan says is about these symbols, or about the whole module."""
    params = {"test_path": TEST, "target": {"path": "src/shop/cart.py", "symbols": symbols}}
    folder.plan_json.write_text(json.dumps({"steps": [{"type": "generate_unit_tests", "params": params}]}))
    staging.stage(TEST, generated("x = 2\n"))


def place_narrow(project: Path, text: str) -> Path:
    place = project / NARROW
    place.parent.mkdir(parents=True)
    place.write_text(text)
    return place


def test_the_file_of_a_whole_module_replaces_those_of_its_members(
    staging: Staging, folder: RunFolder, project: Path
) -> None:
    narrow = place_narrow(project, generated("x = 1\n"))
    planned(staging, folder, None)
    assert outcomes(staging) == [(TEST, "added"), (NARROW, "removed")]
    assert not narrow.exists()
    assert outcomes(staging) == [(TEST, "unchanged")]


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        (generated("x = 1\n") + "y = 2\n", None),
        ("x = 1\n", None),
        (with_header("x = 1\n", target="src/shop/cart__total.py"), None),
        (generated("x = 1\n"), ["Cart"]),
    ],
    ids=["changed by a person", "never ours", "of another module", "beside a file of members"],
)
def test_no_other_file_is_removed(
    staging: Staging, folder: RunFolder, project: Path, text: str, symbols: list[str] | None
) -> None:
    narrow = place_narrow(project, text)
    planned(staging, folder, symbols)
    assert outcomes(staging) == [(TEST, "added")]
    assert narrow.read_text() == text


def test_an_acceptance_that_broke_off_brings_a_removed_file_back(
    staging: Staging, folder: RunFolder, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = place_narrow(project, generated("x = 1\n"))
    planned(staging, folder, None)
    with monkeypatch.context() as patched:
        patched.setattr("testwright.store.files.acceptance._forget", lambda _: None)  # as if it had been killed here
        staging.accept()
    assert not narrow.exists()
    assert staging.withdraw() == [TEST, NARROW]
    assert narrow.read_text() == generated("x = 1\n")
    assert not (project / TEST).exists()


def test_an_updated_file_says_which_functions_it_no_longer_tests(staging: Staging, project: Path) -> None:
    (project / "src/shop").mkdir(parents=True, exist_ok=True)
    (project / "src/shop/cart.py").write_text("def total(): ...\n\n\ndef fee(): ...\n")
    staging.stage(TEST, generated("from shop.cart import fee, total\n\nassert fee() is total()\n"))
    staging.accept()
    staging.stage(TEST, generated("from shop.cart import total\n\nassert total() is None\n"))
    assert [(file.outcome, dict(file.lost)) for file in staging.accept()] == [("updated", {"fee": ""})]


@pytest.mark.feature("B-09")
def test_a_checkout_with_other_line_ends_does_not_count_as_a_change(staging: Staging, project: Path) -> None:
    (project / TEST).parent.mkdir(parents=True)
    (project / TEST).write_bytes(generated("x = 1\n").replace("\n", "\r\n").encode())
    staging.stage(TEST, generated("x = 2\n"))
    assert outcomes(staging) == [(TEST, "updated")]


@pytest.mark.feature("B-09")
@pytest.mark.parametrize("kind", ["file link", "dangling link", "folder link", "folder", "file as folder"])
def test_nothing_is_written_through_links_or_over_folders(staging: Staging, project: Path, kind: str) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    place = project / TEST
    place.parent.parent.mkdir(parents=True)
    if kind == "folder link":
        place.parent.symlink_to(outside)
    elif kind == "file as folder":
        place.parent.write_text("")
    else:
        place.parent.mkdir()
        if kind == "folder":
            place.mkdir()
        else:
            (outside / "theirs.py").write_text("theirs")
            place.symlink_to(outside / ("theirs.py" if kind == "file link" else "nothing.py"))
    staging.stage(TEST, generated("x = 1\n"))
    assert outcomes(staging) == [(TEST, "conflict")]
    assert [path.name for path in outside.iterdir()] == (
        ["theirs.py"] if kind in ("file link", "dangling link") else []
    )
    assert all(path.read_text() == "theirs" for path in outside.iterdir())


@pytest.mark.parametrize("path", ["", "/etc/x.py", "../x.py", "a/../../x.py", "a/", "~/x.py", "a\\..\\x.py", "a/\0.py"])
def test_a_path_out_of_the_project_is_refused(staging: Staging, path: str) -> None:
    with pytest.raises(UsageError):
        staging.stage(path, "x")
    with pytest.raises(UsageError):
        staging.accept([path])


@pytest.mark.feature("T-10")
def test_a_staged_test_of_a_script_has_no_name_that_jest_looks_for_when_the_run_has_ended(
    staging: Staging, folder: RunFolder, project: Path
) -> None:
    path = "tests/generated/cart.test.ts"
    text = "// Generated by testwright from src/cart.ts\n"
    staging.stage(path, text)
    staging.stage(TEST, generated("x = 1\n"))
    staging.put_away()
    staging.put_away()
    assert sorted(file.name for file in folder.staged.rglob("*.*") if file.is_file()) == [
        *("cart.test.ts.staged", "test_cart.py")
    ]
    assert (staging.paths(), staging.text(path)) == ([path, TEST], text)
    assert [one.path for one in staging.accept([path])] == [path]
    assert (project / path).read_text() == text
    staging.bring_back()
    assert (folder.staged / path).is_file()


def test_only_the_chosen_files_are_accepted(staging: Staging, project: Path) -> None:
    staging.stage("tests/test_a.py", generated("a = 1\n"))
    staging.stage("tests/test_b.py", generated("b = 1\n"))
    assert [one.path for one in staging.accept(["tests/test_b.py"])] == ["tests/test_b.py"]
    assert not (project / "tests/test_a.py").exists()
    with pytest.raises(UsageError, match="not staged"):
        staging.accept(["tests/test_c.py"])
    staging.unstage("tests/test_a.py")
    staging.unstage("tests/test_a.py")
    assert staging.paths() == ["tests/test_b.py"]
    assert staging.text("tests/test_b.py") == generated("b = 1\n")


def test_a_file_without_a_kept_test_stays_in_the_folder_of_the_run(staging: Staging, project: Path) -> None:
    for path in ("tests/test_a.py", "tests/a.test.js"):
        staging.stage(path, generated("a = 1\n"))
        assert staging.set_aside(path).read_text(encoding="utf-8") == generated("a = 1\n")
    assert staging.paths() == []
    # A runner of scripts would find it there by its name.
    assert not list(project.rglob("*.test.js"))


def test_a_second_file_of_the_same_base_name_would_confuse_pytest_and_is_not_added(
    staging: Staging, project: Path
) -> None:
    (project / "tests/unit").mkdir(parents=True)
    (project / "tests/unit/test_cart.py").write_text("")
    staging.stage(TEST, generated("x = 1\n"))
    (answer,) = staging.accept()
    assert answer.outcome == "conflict"
    assert "tests/unit/test_cart.py" in answer.reason
    (project / "tests/unit/__init__.py").write_text("")
    assert outcomes(staging) == [(TEST, "added")]


def test_two_staged_files_of_one_base_name_are_not_both_added(staging: Staging) -> None:
    staging.stage("tests/generated/a/test_cart.py", generated("x = 1\n"))
    staging.stage("tests/generated/b/test_cart.py", generated("x = 1\n"))
    assert [one for _, one in outcomes(staging)] == ["added", "conflict"]


def test_a_unique_base_name_is_found_from_the_folders_above_it(project: Path) -> None:
    assert unique_test_path(project, TEST) == TEST
    (project / "tests").mkdir()
    (project / "tests/test_cart.py").write_text("")
    assert unique_test_path(project, TEST) == "tests/generated/shop/test_shop_cart.py"
    taken = ["tests/generated/other/test_shop_cart.py"]
    assert unique_test_path(project, TEST, taken) == "tests/generated/shop/test_cart_2.py"
    assert unique_test_path(project, "tests/test_cart.py") == "tests/test_cart.py"


def test_tests_that_a_run_of_the_whole_repository_wrote_keep_their_base_names(tmp_path: Path) -> None:
    package = tmp_path / "packages/shop"
    package.mkdir(parents=True)
    there = tmp_path / "tests/generated/packages/test_cart.py"
    there.parent.mkdir(parents=True)
    there.write_text(generated("x = 1\n"))
    assert unique_test_path(package, TEST) == TEST  # no repository: what lies above is nobody's

    (tmp_path / ".git").mkdir()
    assert unique_test_path(package, TEST) == "tests/generated/shop/test_shop_cart.py"

    (package / ".git").mkdir()
    assert unique_test_path(package, TEST) == TEST


def test_tests_of_sibling_packages_keep_their_base_names(tmp_path: Path) -> None:
    package = tmp_path / "packages/shop"
    package.mkdir(parents=True)
    for place in ("packages/till/tests/generated/test_cart.py", "libs/apps/bar/tests/unit/test_shop_cart.py"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("")
    assert unique_test_path(package, TEST) == TEST  # no repository: nobody runs pytest above

    (tmp_path / ".git").mkdir()
    assert unique_test_path(package, TEST) == "tests/generated/shop/test_cart_2.py"

    # In a package of their own, files of one base name do not clash.
    for place in ("packages/till/tests/generated/__init__.py", "libs/apps/bar/tests/unit/__init__.py"):
        (tmp_path / place).write_text("")
    assert unique_test_path(package, TEST) == TEST


def test_a_file_that_an_earlier_run_wrote_under_another_name_is_written_again_and_not_beside_itself(
    project: Path,
) -> None:
    (project / "tests").mkdir()
    (project / "tests/test_cart.py").write_text("")
    earlier = unique_test_path(project, TEST, target="src/shop/cart.py")
    (project / earlier).parent.mkdir(parents=True)
    (project / earlier).write_text(generated("x = 1\n") + "y = 2\n")
    assert unique_test_path(project, TEST, target="src/shop/cart.py") == earlier
    (project / "tests/test_cart.py").unlink()
    assert unique_test_path(project, TEST, target="src/shop/cart.py") == earlier
    assert unique_test_path(project, TEST, target="src/shop/other.py") == TEST


def test_a_reserved_base_name_is_not_chosen_but_the_files_earlier_place_is(project: Path) -> None:
    fixed = unique_test_path(project, TEST, target="src/shop/cart.py", reserved=["test_cart"])
    assert fixed == "tests/generated/shop/test_shop_cart.py"
    (project / TEST).parent.mkdir(parents=True)
    (project / TEST).write_text(generated("x = 1\n"))
    assert unique_test_path(project, TEST, target="src/shop/cart.py", reserved=["test_cart"]) == TEST


CRASH = """
import os
from pathlib import Path
from testwright.store.files import acceptance, files
from testwright.store.files.project_files import ProjectFile
from testwright.store.files.run_folder import RunFolder
from testwright.store.files.staging import Staging
written = []
whole = ProjectFile.write
def write(self, content, *, replacing):
    if len(written) == {count}:
        if {half}:
            files.write_beside(self.place, content[: len(content) // 2])
        os._exit(9)
    written.append(self.path)
    return whole(self, content, replacing=replacing)
ProjectFile.write = write
Staging(RunFolder(Path({state!r}), "r1"), Path({root!r})).accept()
"""


def crash(folder: RunFolder, project: Path, *, count: int, half: bool) -> None:
    script = CRASH.format(count=count, half=half, state=str(folder.state_dir), root=str(project))
    assert subprocess.run([sys.executable, "-c", script], timeout=120, check=False).returncode == 9


def tree(root: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
    }


@pytest.mark.feature("B-08", "B-09")
@pytest.mark.parametrize(("count", "half"), [(0, False), (1, True), (2, False)])
def test_an_acceptance_cut_short_by_a_crash_is_taken_back_on_resume(
    staging: Staging, folder: RunFolder, project: Path, count: int, half: bool
) -> None:
    (project / "src").mkdir()
    (project / "src/a.py").write_text("a = 1\n")
    (project / "tests/generated").mkdir(parents=True)
    (project / "tests/generated/test_a.py").write_text(generated("old = 1\n"))
    before = tree(project)
    for name in ("test_a.py", "deep/er/test_b.py", "test_c.py"):
        staging.stage(f"tests/generated/{name}", generated(f"# {name}\n"))
    crash(folder, project, count=count, half=half)
    assert len(staging.withdraw()) == count
    assert tree(project) == before
    assert not folder.accepting_json.exists()
    assert staging.withdraw() == []
    assert [one for _, one in outcomes(staging)] == ["added", "updated", "added"]


@pytest.mark.feature("B-09")
def test_withdrawing_leaves_alone_what_a_person_changed_since(
    staging: Staging, folder: RunFolder, project: Path
) -> None:
    staging.stage("tests/test_a.py", generated("a = 1\n"))
    staging.stage("tests/test_b.py", generated("b = 1\n"))
    crash(folder, project, count=1, half=False)
    with (project / "tests/test_a.py").open("a") as stream:
        stream.write("mine = 1\n")
    assert staging.withdraw() == []
    assert tree(project) == {"tests": None, "tests/test_a.py": (generated("a = 1\n") + "mine = 1\n").encode()}


def test_a_note_of_an_acceptance_that_does_not_read_is_reported(staging: Staging, folder: RunFolder) -> None:
    folder.accepting_json.write_text("{")
    with pytest.raises(StoreCorrupt):
        staging.withdraw()


@pytest.mark.feature("B-09")
def test_a_person_who_is_faster_wins(staging: Staging, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    staging.stage("test_a.py", generated("a = 1\n"))

    def hurry(descriptor: int) -> None:
        (project / "test_a.py").write_text("theirs")

    monkeypatch.setattr(os, "fsync", hurry)
    answers = staging.accept()
    assert [(answer.outcome, bool(answer.reason)) for answer in answers] == [("conflict", True)]
    assert (project / "test_a.py").read_text() == "theirs"
    assert [path.name for path in project.iterdir()] == ["test_a.py"]


@pytest.mark.feature("B-09")
@pytest.mark.parametrize("still_there", [True, False])
def test_tests_of_another_source_file_are_replaced_only_when_that_is_gone(
    staging: Staging, project: Path, still_there: bool
) -> None:
    path = "tests/generated/one.test.js"
    (project / "src").mkdir(parents=True, exist_ok=True)
    if still_there:
        (project / "src/one.js").write_text("export const one = 1;\n")
    (project / path).parent.mkdir(parents=True)
    (project / path).write_text(with_header("test('one', () => {});\n", target="src/one.js", comment="//"))
    staging.stage(path, with_header("test('two', () => {});\n", target="lib/one.js", comment="//"))
    assert [one.change for one in staging.compare()] == ["conflict" if still_there else "update"]
    assert outcomes(staging) == [(path, "conflict" if still_there else "updated")]
