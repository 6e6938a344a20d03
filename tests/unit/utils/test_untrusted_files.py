"""Files that somebody else could have put there: read and written without following, waiting or filling the memory."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from testwright.utils.untrusted_files import (
    UntrustedFileError,
    decoded_json,
    is_source_file,
    read_bytes,
    read_source,
    read_source_bytes,
    write_file,
)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)  # a socket's path has at most 107 bytes
        server.bind(path.name)


TRAPS: dict[str, Callable[[Path], None]] = {
    "a link to a file": lambda path: path.symlink_to("/etc/passwd"),
    "a link to an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a pipe": lambda path: os.mkfifo(path),
    "a folder": lambda path: path.mkdir(),
    "a socket": _socket,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given" / "inner").mkdir(parents=True)
    return tmp_path / "given"


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("read", [read_bytes, read_source_bytes])
def test_what_is_no_regular_file_of_the_folder_is_refused_at_once(
    folder: Path, trap: str, read: Callable[[Path, str], bytes]
) -> None:
    TRAPS[trap](folder / "result")
    with pytest.raises(UntrustedFileError):
        read(folder, "result")
    assert not is_source_file(folder, folder / "result")


def test_a_file_is_read_up_to_its_bound_and_not_beyond(folder: Path) -> None:
    (folder / "inner" / "result").write_bytes(b"1234")
    assert read_bytes(folder, "inner/result", most=4) == b"1234"
    with pytest.raises(UntrustedFileError, match="larger than"):
        read_bytes(folder, "inner/result", most=3)


def test_a_file_without_a_size_is_bounded_by_what_is_read_of_it() -> None:
    with pytest.raises(UntrustedFileError, match="larger than"):
        read_bytes(Path("/proc/self"), "status", most=10)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "inner/../../secret", "", "."])
def test_names_that_lead_out_are_refused(folder: Path, name: str) -> None:
    (folder.parent / "secret").write_text("secret")
    with pytest.raises(UntrustedFileError, match="leads out"):
        read_bytes(folder, name)


def test_a_folder_on_the_way_that_became_a_link_is_not_entered(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir()
    (folder.parent / "elsewhere" / "result").write_text("secret")
    (folder / "inner").rmdir()
    (folder / "inner").symlink_to("../elsewhere")
    with pytest.raises(UntrustedFileError, match="a link"):
        read_bytes(folder, "inner/result")
    with pytest.raises(UntrustedFileError, match="a link"):
        write_file(folder, "inner/plan", "text")
    assert [path.name for path in (folder.parent / "elsewhere").iterdir()] == ["result"]


@pytest.mark.parametrize("dangling", [True, False])
def test_writing_replaces_a_planted_link_and_leaves_what_it_leads_to(folder: Path, dangling: bool) -> None:
    victim = folder.parent / "victim"
    if not dangling:
        victim.write_text("mine")
    (folder / "inner" / "plan").symlink_to(victim)
    write_file(folder, "inner/plan", "ours")
    assert (folder / "inner" / "plan").read_text() == "ours"
    assert not (folder / "inner" / "plan").is_symlink()
    assert (victim.exists(), dangling) in ((False, True), (True, False))
    assert dangling or victim.read_text() == "mine"


def test_writing_where_a_folder_stands_leaves_nothing_behind(folder: Path) -> None:
    (folder / "plan").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_file(folder, "plan", "ours")
    assert sorted(path.name for path in folder.iterdir()) == ["inner", "plan"]


def test_a_project_s_links_are_followed_inside_its_root_only(folder: Path) -> None:
    (folder / "real.py").write_bytes(b"A = 1\r\nB = 2\r")
    (folder / "inner" / "linked.py").symlink_to("../real.py")
    (folder.parent / "secret.py").write_text("SECRET = 1\n")
    (folder / "outside.py").symlink_to("../secret.py")
    assert read_source(folder, "inner/linked.py") == "A = 1\nB = 2\n"
    assert is_source_file(folder, folder / "inner" / "linked.py")
    with pytest.raises(UntrustedFileError, match="outside"):
        read_source(folder, "outside.py")
    assert not is_source_file(folder, folder / "outside.py")


def test_a_project_s_file_is_named_below_its_root_or_with_it_also_where_a_link_leads_to_the_root(folder: Path) -> None:
    (folder / "given").mkdir()
    for place, text in {"one.py": "A = 1\n", "given/one.py": "B = 1\n"}.items():
        (folder / place).write_text(text)
    (folder.parent / "linked").symlink_to("given")
    for root in (folder, folder.parent / "linked", Path("given")):
        assert read_source(root, "one.py") == read_source(root, Path("inner/../one.py")) == "A = 1\n"
        assert read_source(root, "given/one.py") == read_source(root, folder / "given" / "one.py") == "B = 1\n"


def test_json_that_is_nested_without_end_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="nested"):
        decoded_json(b"[" * 200_000)
