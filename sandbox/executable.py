"""Finds the folders that an executable must see in order to run."""

from __future__ import annotations

import os
from pathlib import Path


def venv_of(executable: Path) -> Path | None:
    """The virtual environment an interpreter belongs to, or None."""
    folder = executable.parent.parent
    return folder if (folder / "pyvenv.cfg").is_file() else None


def read_venv_config(venv: Path) -> dict[str, str]:
    """The keys of pyvenv.cfg, in lower case."""
    entries = {}
    for line in (venv / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines():
        key, equals, value = line.partition("=")
        if equals:
            entries[key.strip().lower()] = value.strip()
    return entries


def executable_folders(executable: Path) -> tuple[Path, ...]:
    """Folders and files to show read-only so that `executable` runs: its environment, its installation, its links.

    A home folder, or one above it, is never among them, whatever the executable's place suggests.
    """
    wanted: list[Path] = []
    venv = venv_of(executable)
    if venv is not None:
        wanted.append(venv)
        home = read_venv_config(venv).get("home")
        if home and Path(home).is_absolute():
            wanted.append(Path(home).parent)
    wanted.extend(_links(executable))
    wanted.append(executable.resolve().parent.parent)
    return tuple(dict.fromkeys(folder for folder in wanted if not exposes_home(folder)))


def _links(executable: Path) -> list[Path]:
    """The executable and each link on the way to the real file."""
    chain = [executable]
    while chain[-1].is_symlink() and len(chain) < 40:
        chain.append(Path(os.path.normpath(chain[-1].parent / chain[-1].readlink())))
    return chain


def home_folder() -> Path:
    """The user's home; a name that does not exist for a user without one."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/nonexistent")


def exposes_home(folder: Path) -> bool:
    """Whether showing a folder would show somebody's home or the whole file system."""
    home = home_folder()
    homes = {home, home.resolve(), home / ".local", home.resolve() / ".local", Path("/root")}
    if folder.parent == Path("/home") or folder in homes:
        return True
    return any(one.is_relative_to(folder) for one in homes) and folder.is_dir()
