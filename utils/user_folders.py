"""Finds folders that are the user's own, and keeps them apart from what came with a clone.

What is executed outside of a run's own folder lies in the user's cache folder, where nobody but this user's testwright
has put it: never in the project's state folder, which a clone may bring along.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from ..core.errors import StorageError
from .untrusted_files import read_bytes

_OTHERS_WRITE = 0o002
_ADVICE = "Name a folder outside the project that can be written in XDG_CACHE_HOME."


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
    return any(home.is_relative_to(folder) for home in homes) and folder.is_dir()


def cloned_folders(root: Path) -> list[Path]:
    """The project's folder and those of repositories around it, but none that a home lies in, as with kept dotfiles."""
    real = root.resolve()
    around = (folder for folder in real.parents if (folder / ".git").exists() and not exposes_home(folder))
    return [real, *around]


def cache_folders(root: Path, environment: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Folders for what is installed once and executed later, the best first; they need not exist.

    The user's cache folder, then one in the folder of temporary files that bears the user's number. One inside the
    project or its repository is left out, and so is one of another user's or that others can write.

    Args:
        root: the project.
        environment: whose XDG_CACHE_HOME and HOME decide; ours without it.
    """
    variables = os.environ if environment is None else environment
    given, home = variables.get("XDG_CACHE_HOME", ""), variables.get("HOME", "")
    own = Path(given) if given.startswith("/") else Path(home) / ".cache" if home.startswith("/") else None
    found = [own / "testwright"] if own is not None else []
    found.append(Path(tempfile.gettempdir()).absolute() / f"testwright-{os.getuid()}")
    cloned = cloned_folders(root)
    return tuple(folder for folder in found if not _is_cloned(folder, cloned) and _is_own(folder))


def unforeseeable_name(root: Path, environment: Mapping[str, str] | None = None) -> str:
    """A name that nobody but this user knows in advance, for folders in a project that no clone may have prepared.

    It is derived from the project's path and a secret in the user's cache folder. Where none can be kept, it lasts as
    long as this process.

    Args:
        environment: as in `cache_folders`.
    """
    secret = next((found for folder in cache_folders(root, environment) if (found := _secret_in(folder))), _PASSING)
    return hmac.digest(secret, os.fsencode(root.resolve()), "sha256").hex()[:16]


_SECRET_BYTES = 32
_PASSING = secrets.token_bytes(_SECRET_BYTES)


def _secret_in(folder: Path) -> bytes | None:
    """The secret in a cache folder, made where it is missing; None where it can be neither read nor written."""
    place = folder / "secret"
    beside = folder / f".secret.{secrets.token_hex(8)}"
    try:
        if not os.path.lexists(place):
            writable_folder([folder], "")
            beside.touch(mode=0o600)
            beside.write_bytes(secrets.token_bytes(_SECRET_BYTES))
            with suppress(FileExistsError):  # another process was faster
                os.link(beside, place)
        facts = place.lstat()
        found = read_bytes(folder, place.name, most=_SECRET_BYTES)
    except (OSError, StorageError):
        return None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    return found if len(found) == _SECRET_BYTES and facts.st_uid == os.getuid() else None


def writable_folder(folders: Iterable[Path], name: str) -> Path:
    """A folder in the first of `cache_folders` that can be written, made where it is missing.

    Raises:
        StorageError: there is none.
    """
    complaint = "all lie inside the project, or are not this user's"
    for folder in folders:
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            if _is_own(folder):  # somebody else may have been faster
                inner = folder / name
                inner.mkdir(exist_ok=True)
                with tempfile.TemporaryFile(dir=inner):
                    return inner
        except OSError as fault:
            complaint = f"{folder}: {fault.strerror or fault}"
    raise StorageError(f"There is no folder for what testwright installs ({complaint}).", advice=_ADVICE)


def _is_cloned(folder: Path, cloned: Iterable[Path]) -> bool:
    try:
        real = folder.resolve()
    except (OSError, RuntimeError):
        return True
    return any(real.is_relative_to(clone) for clone in cloned)


def _is_own(folder: Path) -> bool:
    """Whether a folder is missing, or a plain one of this user's or root's that others cannot write."""
    try:
        facts = folder.lstat()
    except OSError:
        return not folder.is_symlink()
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid in (os.getuid(), 0) and not facts.st_mode & _OTHERS_WRITE
