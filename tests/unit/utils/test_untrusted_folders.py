"""Folders of any depth and mode are walked and removed without recursion, without long paths, without leaving them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from testwright.utils.untrusted_folders import MAX_DEPTH, remove_tree, walk_files


def make_deep(root: Path, levels: int, name: str = "d") -> None:
    """Folders inside each other, far deeper than a path can name, with a file in the innermost."""
    root.mkdir(exist_ok=True)
    folder = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(os.open("deep.py", os.O_WRONLY | os.O_CREAT, dir_fd=folder))
    os.close(folder)


@pytest.mark.parametrize(("levels", "name"), [(5000, "d"), (100, "n" * 200)])
def test_a_tree_deeper_than_any_path_is_walked_to_its_bound_and_removed(tmp_path: Path, levels: int, name: str) -> None:
    make_deep(tmp_path / "tree", levels, name)
    (tmp_path / "tree" / "near.py").write_text("")
    skipped: list[tuple[str, str]] = []
    found = list(walk_files(tmp_path / "tree", skipped=lambda path, reason: skipped.append((path, reason))))
    assert [path.name for path in found] == ["near.py"]
    ((place, reason),) = skipped
    assert (place.count("/") == MAX_DEPTH and "folders deep" in reason) or "longer than" in reason
    remove_tree(tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_is_passed_over_and_named(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "good.py").write_text("")
    (tmp_path / "inner" / "link.py").symlink_to("../good.py")
    (tmp_path / "gone.py").symlink_to("/nonexistent/x.py")
    (tmp_path / "out.py").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("inner")
    os.mkfifo(tmp_path / "README.md")
    skipped: dict[str, str] = {}
    found = [path.relative_to(tmp_path).as_posix() for path in walk_files(tmp_path, skipped=skipped.__setitem__)]
    assert found == ["good.py", "inner/link.py"]
    assert sorted(skipped) == ["README.md", "gone.py", "out.py"]


def test_removing_follows_no_link_and_opens_what_shuts_everybody_out(tmp_path: Path) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    (tree / "locked" / "inner").mkdir(parents=True)
    outside.mkdir()
    (outside / "kept").write_text("")
    (tree / "locked" / "inner" / "link").symlink_to(outside)
    (tree / "locked" / "inner" / "file").write_text("")
    (tree / "locked" / "inner").chmod(0)
    (tree / "locked").chmod(0)
    tree.chmod(0o500)
    remove_tree(tree)
    remove_tree(tmp_path / "missing")
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
    assert [path.name for path in outside.iterdir()] == ["kept"]


def test_a_link_in_the_place_of_the_tree_is_removed_itself(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "tree").symlink_to("outside")
    remove_tree(tmp_path / "tree")
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
