"""The copy of the project: what is in it, what is not, and that the project is only read."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from testwright.core.errors import ProjectError, StorageError
from testwright.sandbox.snapshot import copy_tree, take_snapshot
from testwright.utils.untrusted_folders import remove_tree

pytestmark = pytest.mark.feature("B-05")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "projèct with spaces"
    (root / "src" / "shop").mkdir(parents=True)
    (root / "src" / "shop" / "cart.py").write_text("TOTAL = 0\n")
    (root / "setup.cfg").write_text("[metadata]\n")
    return root


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "copy"


def test_files_are_copied_with_names_of_any_kind(project: Path, into: Path) -> None:
    (project / "näme with ✓ and 'quotes'.txt").write_text("x")
    (project / "line\nbreak").write_text("y")
    odd = os.fsencode(project) + b"/not-utf8-\xff"
    with open(odd, "wb") as file:  # noqa: PTH123 - pathlib has no bytes
        file.write(b"z")
    taken = take_snapshot(project, into)
    assert "näme with ✓ and 'quotes'.txt" in taken.files
    assert "line\nbreak" in taken.files
    assert os.fsdecode(b"not-utf8-\xff") in taken.files
    assert (into / "src/shop/cart.py").read_text() == "TOTAL = 0\n"
    assert taken.files == tuple(sorted(taken.files))


def test_equal_trees_have_equal_digests_and_others_have_not(project: Path, tmp_path: Path) -> None:
    first = take_snapshot(project, tmp_path / "a")
    assert take_snapshot(project, tmp_path / "b").digest == first.digest
    (project / "setup.cfg").chmod(0o755)
    second = take_snapshot(project, tmp_path / "c")
    (project / "setup.cfg").write_text("[options]\n")
    third = take_snapshot(project, tmp_path / "d")
    assert len({first.digest, second.digest, third.digest}) == 3


@pytest.mark.parametrize("junk", [".git", ".venv", "node_modules", "__pycache__", ".testwright", ".env", ".tox"])
def test_junk_and_secrets_are_left_out(project: Path, into: Path, junk: str) -> None:
    (project / "src" / junk).mkdir()
    (project / "src" / junk / "file").write_text("x")
    taken = take_snapshot(project, into)
    assert taken.files == ("setup.cfg", "src/shop/cart.py")
    assert taken.left_out == ()


def test_an_environment_is_junk_whatever_its_name(project: Path, into: Path) -> None:
    (project / "py312").mkdir()
    (project / "py312" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert take_snapshot(project, into).files == ("setup.cfg", "src/shop/cart.py")


def test_links_inside_stay_links_and_lead_into_the_copy(project: Path, into: Path) -> None:
    (project / "relative").symlink_to("src/shop/cart.py")
    (project / "absolute").symlink_to(project / "src")
    (project / "dangling").symlink_to("nowhere")
    taken = take_snapshot(project, into)
    assert {"relative", "absolute", "dangling"} <= set(taken.files)
    assert (into / "relative").is_symlink()
    assert (into / "absolute").resolve() == (into / "src").resolve()
    assert (into / "dangling").readlink() == Path("nowhere")


def test_links_that_lead_out_are_left_out(project: Path, into: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (project / "direct").symlink_to(tmp_path / "secret")
    (project / "dotted").symlink_to("../secret")
    (project / "via").symlink_to("direct")
    (project / "loop").symlink_to("loop")
    taken = take_snapshot(project, into)
    assert taken.files == ("setup.cfg", "src/shop/cart.py")
    assert [name for name, _ in taken.left_out] == ["direct", "dotted", "loop", "via"]


def test_pipes_and_sockets_are_left_out(project: Path, into: Path) -> None:
    os.mkfifo(project / "pipe")
    short = Path(tempfile.mkdtemp(prefix="tw-", dir="/tmp"))
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(short / "s"))
            try:
                (short / "s").rename(project / "socket")
            except OSError:
                pytest.skip("the temporary folder is on another file system")
            taken = take_snapshot(project, into)
    finally:
        remove_tree(short)
    assert taken.left_out == (("pipe", "not a regular file"), ("socket", "not a regular file"))


def test_a_read_only_project_gives_a_writable_copy(project: Path, into: Path, tmp_path: Path) -> None:
    for path in (*project.rglob("*"), project):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        take_snapshot(project, into)
        copy_tree(into, tmp_path / "work")
    finally:
        for path in (project, project / "src", project / "src/shop"):
            path.chmod(0o755)
    for copy in (into, tmp_path / "work"):
        assert stat.S_IMODE((copy / "setup.cfg").stat().st_mode) == 0o644
        assert stat.S_IMODE((copy / "src").stat().st_mode) & 0o700 == 0o700


def test_writing_into_a_workspace_changes_neither_snapshot_nor_project(
    project: Path, into: Path, tmp_path: Path
) -> None:
    take_snapshot(project, into)
    copy_tree(into, tmp_path / "work")
    with (tmp_path / "work/src/shop/cart.py").open("r+") as file:
        file.write("CHANGED")
    assert (into / "src/shop/cart.py").read_text() == "TOTAL = 0\n"
    assert (project / "src/shop/cart.py").read_text() == "TOTAL = 0\n"


def test_copies_keep_links_modes_times_and_contents(project: Path, into: Path, tmp_path: Path) -> None:
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o700)
    (project / "empty").touch()
    (project / "large").write_bytes(os.urandom(3_000_001))
    (project / "link").symlink_to("run.sh")
    os.utime(project / "setup.cfg", (1_000_000_000, 1_000_000_000))
    take_snapshot(project, into)
    work = tmp_path / "work"
    copy_tree(into, work)
    assert os.access(work / "run.sh", os.X_OK)
    assert (work / "link").readlink() == Path("run.sh")
    assert (work / "large").read_bytes() == (project / "large").read_bytes()
    assert (work / "empty").read_bytes() == b""
    assert (work / "setup.cfg").stat().st_mtime == 1_000_000_000


def test_a_copy_inside_the_project_does_not_contain_itself(project: Path) -> None:
    state = project / "state"
    state.mkdir()
    (state / "old").write_text("x")
    taken = take_snapshot(project, state / "copy", exclude=(state,))
    assert taken.files == ("setup.cfg", "src/shop/cart.py")
    assert take_snapshot(project, project / "copy", exclude=(state,)).files == taken.files


def test_too_many_files_are_a_clear_error(project: Path, into: Path) -> None:
    with pytest.raises(ProjectError, match="more than 1 files"):
        take_snapshot(project, into, max_files=1)


def test_too_many_bytes_name_what_weighs_most(project: Path, into: Path) -> None:
    (project / "data").mkdir()
    (project / "data" / "blob").write_bytes(bytes(3 << 20))
    with pytest.raises(ProjectError, match="more than 2 MiB") as raised:
        take_snapshot(project, into, max_bytes=2 << 20)
    assert "data (3 MiB)" in raised.value.advice


def test_a_wide_and_deep_tree_is_copied_whole(tmp_path: Path, into: Path) -> None:
    root = tmp_path / "big"
    deep = root.joinpath(*["d"] * 120)
    deep.mkdir(parents=True)
    (deep / "bottom").write_text("x")
    wide = root / "wide"
    wide.mkdir()
    for number in range(300):
        (wide / f"f{number}").touch()
    assert len(take_snapshot(root, into).files) == 301


def test_a_missing_root_is_a_project_error(tmp_path: Path, into: Path) -> None:
    with pytest.raises(ProjectError, match="is not a folder"):
        take_snapshot(tmp_path / "missing", into)


def test_a_place_that_cannot_be_written_is_a_storage_error(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError) as raised:
        take_snapshot(project, tmp_path / "file" / "copy")
    assert "--state-dir" in raised.value.advice
    with pytest.raises(StorageError):
        copy_tree(project, tmp_path / "file" / "work")


def test_removing_copes_with_locked_folders_and_does_not_follow_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    tree = tmp_path / "tree"
    (tree / "locked" / "inner").mkdir(parents=True)
    (tree / "locked" / "inner" / "file").touch()
    (tree / "link").symlink_to(outside)
    (tree / "locked" / "inner").chmod(0)
    (tree / "locked").chmod(0)
    remove_tree(tree)
    remove_tree(tmp_path / "missing")
    assert not tree.exists()
    assert (outside / "kept").exists()
