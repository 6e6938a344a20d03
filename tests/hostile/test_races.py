"""Files that become others between the moment they are judged and the moment they are opened."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from testwright.analysis.openapi.lookup import ProjectFiles
from testwright.analysis.repository import Checkout
from testwright.core.errors import ToolFailure
from testwright.utils import untrusted_files
from testwright.utils.confined_paths import inside, read_text

SECRET = "openapi: the secret word is xylophone"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in (("project", "openapi: 3.1.0"), ("outside", SECRET)):
        (tmp_path / name / "docs").mkdir(parents=True)
        (tmp_path / name / "docs" / "openapi.yaml").write_text(text)
    return tmp_path / "project"


def _folder_becomes_a_link(root: Path) -> None:
    (root / "docs").rename(root / "before")
    (root / "docs").symlink_to(root.parent / "outside" / "docs")


def _file_becomes_a_link(root: Path) -> None:
    (root / "docs" / "openapi.yaml").unlink()
    (root / "docs" / "openapi.yaml").symlink_to(root.parent / "outside" / "docs" / "openapi.yaml")


def _file_becomes_a_pipe(root: Path) -> None:
    (root / "docs" / "openapi.yaml").unlink()
    os.mkfifo(root / "docs" / "openapi.yaml")


def _read_confined(root: Path) -> str:
    return read_text(inside(root, "docs/openapi.yaml"), "docs/openapi.yaml", (root,))


def _read_document(root: Path) -> str:
    return asyncio.run(ProjectFiles(root).read("docs/openapi.yaml")).decode()


def _hash_entry(root: Path) -> str:
    return Checkout(root).entry("docs/openapi.yaml").sha


@pytest.mark.parametrize("change", [_folder_becomes_a_link, _file_becomes_a_link, _file_becomes_a_pipe])
@pytest.mark.parametrize("read", [_read_confined, _read_document, _hash_entry])
def test_what_took_the_place_of_a_judged_file_is_not_read(
    change: Callable[[Path], None], read: Callable[[Path], str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(root)
    opened, waiting = untrusted_files._opened, [change]

    def opened_late(*arguments, **options):
        while waiting:
            waiting.pop()(root)
        return opened(*arguments, **options)

    monkeypatch.setattr(untrusted_files, "_opened", opened_late)
    with pytest.raises((ToolFailure, OSError)):
        read(root)
    assert not waiting


def test_a_file_in_none_of_the_folders_is_not_read(root: Path) -> None:
    with pytest.raises(ToolFailure, match="leads out of the folder"):
        read_text(root.parent / "outside" / "docs" / "openapi.yaml", "x", (root, root / "docs"))
