"""Finds the folders that an executable must see in order to run, from files alone: nothing is executed."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from ..utils.untrusted_files import read_source
from ..utils.user_folders import cloned_folders, exposes_home, home_folder
from .protocol import Program

_PYTHON = re.compile(r"^(python|pypy)(?:3(?:\.(\d+))?)?t?$")
_MOST_CONFIG_BYTES = 64 * 1024
_PRIVATE = tuple(map(Path, ("/etc", "/proc", "/sys", "/dev", "/run", "/boot")))
_SYSTEM = ("/usr", "/opt", "/nix/store", "/gnu/store", "/snap")
_MANAGERS = ("UV_PYTHON_INSTALL_DIR", "PYENV_ROOT", "CONDA_ROOT")
_MANAGED = (".local/share/uv/python", ".pyenv/versions", ".asdf/installs", ".local/share/mise/installs")
_TOOL_FOLDERS = frozenset(
    {".local", ".pyenv", ".asdf", ".nvm", ".volta", ".conda", ".rye", ".cache", ".virtualenvs", ".venvs", ".venv"}
)
"""Hidden folders of a home in which programs are installed; all others are private."""


@dataclass(frozen=True, slots=True)
class Installation:
    """A Python installation, as its files tell.

    Attributes:
        executable: the real file.
        prefix: the folder it is installed in.
        library: its standard library.
        minor: Y of its version 3.Y.
        implementation: `cpython` or `pypy`.
    """

    executable: Path
    prefix: Path
    library: Path
    minor: int
    implementation: str


def installation_of(executable: Path) -> Installation | None:
    """The installation that an interpreter belongs to; None for a file that is no installed Python.

    An installed Python is a program called like one, of the user or root, below a folder that holds the standard
    library of the same version.
    """
    real = executable.resolve()
    named = _PYTHON.match(real.name)
    try:
        facts = real.stat()
    except OSError:
        return None
    is_program = stat.S_ISREG(facts.st_mode) and os.access(real, os.X_OK)
    if named is None or not is_program or facts.st_uid not in (0, os.geteuid()):
        return None
    libraries = [
        (prefix, library)
        for prefix in list(real.parents)[1:3]
        for folder in ("lib", "lib64")
        for library in sorted((prefix / folder).glob(f"{named[1]}3.{named[2] or '*'}"))
        if (library / "os.py").is_file()
    ]
    if not libraries:
        return None
    prefix, library = libraries[0]
    minor = library.name.partition(".")[2]
    implementation = "pypy" if named[1] == "pypy" else "cpython"
    return Installation(real, prefix, library, int(minor), implementation) if minor.isdecimal() else None


def venv_of(executable: Path) -> Path | None:
    """The virtual environment an interpreter belongs to, or None."""
    folder = executable.parent.parent
    return folder if (folder / "pyvenv.cfg").is_file() else None


def read_venv_config(venv: Path) -> dict[str, str]:
    """The keys of pyvenv.cfg, in lower case; none where it is no plain file of a plausible size."""
    try:
        text = read_source(venv, "pyvenv.cfg", errors="replace", most=_MOST_CONFIG_BYTES)
    except OSError:
        return {}
    entries = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            entries[key.strip().lower()] = value.strip()
    return entries


def venv_installation(venv: Path, executable: Path) -> Installation | None:
    """The installation that a virtual environment was made from; None where that is no installed Python outside of it.

    Its executable leads there, or is a copy and its configuration says where it was copied from.
    """
    candidates = [executable]
    if executable.resolve().is_relative_to(venv.resolve()):
        home = Path(read_venv_config(venv).get("home", ""))
        names = dict.fromkeys((executable.name, executable.resolve().name, "python3", "python"))
        candidates = [home / name for name in names] if home.is_absolute() else []
    installations = (found for candidate in candidates if (found := installation_of(candidate)) is not None)
    return next((found for found in installations if not found.executable.is_relative_to(venv.resolve())), None)


def is_users_python(executable: Path, root: Path) -> bool:
    """Whether an installed Python is the user's, wherever it was named: ours, on the path, the system's or a manager's.

    A folder beside the project that only looks like an installation may be another clone. Nothing inside the project at
    `root`, or inside a repository that has it, is the user's, wherever the project lies.
    """
    real = executable.resolve()
    if any(real.is_relative_to(folder) for folder in cloned_folders(root)):
        return False
    known = [sys.executable, *(shutil.which(name) or "" for name in (executable.name, "python3", "python"))]
    if executable in {Path(path).resolve() for path in known if path}:
        return True
    managed = [Path(os.environ[name]) for name in _MANAGERS if os.environ.get(name)]
    managed += [home_folder() / name for name in _MANAGED]
    return any(executable.is_relative_to(folder.resolve()) for folder in (*map(Path, _SYSTEM), *managed))


def executable_folders(executable: Path) -> tuple[Path, ...]:
    """Folders and files to show read-only so that `executable` runs: its environment, its installation, its links.

    A folder that an environment or a link merely names is never among them: it has to be where a program is installed,
    and neither private nor a home, whatever the executable's place suggests.
    """
    wanted: list[Path] = []
    real = executable.resolve()
    venv = venv_of(executable)
    if venv is not None:
        wanted.append(venv)
        installation = venv_installation(venv, executable)
        if installation is None:
            return (venv,)
        wanted.append(installation.prefix)
    if real.is_file() and os.access(real, os.X_OK):
        wanted += _links(executable)
        wanted += [real.parent.parent] if real.parent.name in ("bin", "sbin") and not is_private(real) else []
    return tuple(dict.fromkeys(folder for folder in wanted if not exposes_home(folder)))


def program_folders(program: Program) -> tuple[Path, ...]:
    """What a program's executable must see; nothing for one in a folder that sandboxed programs can write.

    There it may be a link of theirs that leads anywhere.
    """
    executable = Path(program.argv[0])
    is_writable = any(executable.is_relative_to(folder) for folder in program.writable)
    return () if is_writable else executable_folders(executable)


def _links(executable: Path) -> list[Path]:
    """The executable and each link on the way to the real file."""
    chain = [executable]
    while chain[-1].is_symlink() and len(chain) < 40:
        chain.append(Path(os.path.normpath(chain[-1].parent / chain[-1].readlink())))
    return chain


def is_private(path: Path) -> bool:
    """Whether a path lies where nothing is installed or developed: the system's settings, hidden folders of a home."""
    real = path.resolve()
    if any(real.is_relative_to(folder) for folder in _PRIVATE):
        return True
    home = home_folder().resolve()
    inside = real.relative_to(home).parts if home != Path("/") and real.is_relative_to(home) else ()
    return bool(inside) and inside[0].startswith(".") and inside[0] not in _TOOL_FOLDERS
