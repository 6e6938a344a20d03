"""Finds the target's own interpreter.

A project's environment is a folder somebody else filled: its facts are read from files, and neither it nor what it says
it was made from is executed. An interpreter of the user's (given, active, or ours) is asked for its facts, in isolated
mode without `site`. Everything here blocks: call it through `asyncio.to_thread`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..core.errors import InterpreterError
from ..utils.untrusted_files import read_json, read_source
from ..utils.user_folders import cloned_folders, exposes_home
from .executable import (
    Installation,
    executable_folders,
    is_private,
    is_users_python,
    read_venv_config,
    venv_installation,
    venv_of,
)

_MOST_BYTES = 1024 * 1024

OLDEST = (3, 9)
_PROBE = """
import json, os, site, sys, sysconfig
paths = sysconfig.get_paths()
user = os.path.join(os.path.expanduser("~"), ".local", "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
print(json.dumps({
    "executable": sys.executable, "version": list(sys.version_info[:3]), "implementation": sys.implementation.name,
    "prefixes": [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix],
    "libraries": [paths["stdlib"], paths["platstdlib"]],
    "sites": list(dict.fromkeys([paths["purelib"], paths["platlib"], *site.getsitepackages()])), "user_site": user,
}))
"""
_PROBE_ENVIRONMENT = ("PATH", "HOME", "PYENV_ROOT", "PYENV_VERSION", "LD_LIBRARY_PATH")
_ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
_ADVICE = "Name one with --python, or make one: `python3 -m venv .venv`."


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The interpreter target code runs in.

    Attributes:
        path: as it is to be started (inside a virtual environment where there is one).
        version: (major, minor, micro).
        prefix_paths: folders that must be readable for it to run, besides the system's own.
        origin: where it was found, for people: "--python", "project environment .venv", …
        base: the installation's own executable; for a virtual environment, the one it was made from.
        is_users: whether `base` may be executed outside the sandbox: it is the user's, not just named by the project.
        implementation: `cpython`, `pypy`, …
        site_paths: folders its packages are in.
        user_site: the user's package folder, when this interpreter would use it and it exists.
        linked: folders its packages are linked to (editable installs); those outside the project are in `prefix_paths`.
        library_path: LD_LIBRARY_PATH, as far as it names folders of this interpreter.
        notes: what was passed over, and why.
    """

    path: Path
    version: tuple[int, int, int]
    prefix_paths: tuple[Path, ...]
    origin: str
    base: Path
    is_users: bool = True
    implementation: str = "cpython"
    site_paths: tuple[Path, ...] = ()
    user_site: Path | None = None
    linked: tuple[Path, ...] = ()
    library_path: str = ""
    notes: tuple[str, ...] = ()


class _BrokenError(Exception):
    """A candidate that cannot be used; the next one is tried."""


def find_interpreter(
    root: Path, explicit: Path | None, environment: Mapping[str, str] | None = None, *, trusted: bool = False
) -> Interpreter:
    """The interpreter for the project: `explicit`, the project's environment, the repository's, the active one, ours.

    Folders outside the project that its environment links to are shown only where a person chose the environment: by
    `explicit`, by activating it, or by trusting the project.

    Args:
        environment: where the active environment is read from; the process's own when None.
        trusted: whether the project is trusted.

    Raises:
        InterpreterError: the explicit one does not work, the one the project has is too old, or none works.
    """
    notes: list[str] = []
    environment = os.environ if environment is None else environment
    active = {Path(environment[name]).resolve() for name in _ACTIVE if environment.get(name)}
    for path, origin in _candidates(root, explicit, environment):
        is_chosen = trusted or explicit is not None or path.parent.parent.resolve() in active
        try:
            found = _inspect(path, origin, root, is_chosen=is_chosen)
        except _BrokenError as fault:
            if explicit is not None:
                raise InterpreterError(f"--python {explicit} does not work: {fault}", advice=_ADVICE) from fault
            notes.append(f"{origin} passed over: {fault}")
            continue
        if found.version < OLDEST:
            version = ".".join(map(str, found.version))
            raise InterpreterError(
                f"the target's Python ({origin}) is {version}; {OLDEST[0]}.{OLDEST[1]} or newer is needed",
                advice=_ADVICE,
                details={"path": str(path), "version": version},
            )
        return replace(found, notes=(*notes, *found.notes))
    raise InterpreterError("no Python works for this project: " + "; ".join(notes), advice=_ADVICE)


def _candidates(root: Path, explicit: Path | None, environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    if explicit is not None:
        found = shutil.which(explicit) if len(explicit.parts) == 1 and not explicit.exists() else None
        yield Path(found or explicit).expanduser().absolute(), "--python"
        return
    for place in _places_of_environments(root):
        for name in (".venv", "venv", "env"):
            folder = place / name
            if (folder / "pyvenv.cfg").is_file():
                where = "project environment" if place == root.absolute() else "environment of the repository,"
                yield folder / "bin" / "python", f"{where} {name if place == root.absolute() else folder}"
    for variable in _ACTIVE:
        if environment.get(variable):
            yield Path(environment[variable]).absolute() / "bin" / "python", f"active environment ({variable})"
    yield Path(sys.executable), "testwright's own"


def _places_of_environments(root: Path) -> list[Path]:
    """The project's folder, and those above it to the top of its repository: packages of one often share one."""
    place = root.absolute()
    top = None if (root / ".git").exists() else next(iter(cloned_folders(root)[1:]), None)
    if top is None:
        return [place]
    return [place, *(folder for folder in root.resolve().parents if folder.is_relative_to(top))]


def _inspect(path: Path, origin: str, root: Path, *, is_chosen: bool) -> Interpreter:
    """The facts about one candidate. Raises _BrokenError."""
    if path.is_dir():
        path = path / "bin" / "python"
    if not os.access(path, os.X_OK):
        raise _BrokenError(f"{path} is not an executable file")
    venv = venv_of(path)
    # What a clone brings is untrusted, also where it lies above a package of it.
    roots = (root.absolute(), *cloned_folders(root))
    # An environment that lies in the project, by its path or by where its link leads, is untrusted.
    is_projects = venv is not None and any(
        path.is_relative_to(folder) or venv.resolve().is_relative_to(folder) for folder in roots
    )
    installation = _real_installation(venv, path) if venv is not None and is_projects else None
    # A link out of the project could name any environment of the user's; only a person may choose that.
    if is_projects and venv is not None and not is_chosen and not any(map(venv.resolve().is_relative_to, roots)):
        raise _BrokenError(f"it is a link out of the project, to {venv.resolve()}: activate it, or trust the project")
    base = installation.executable if installation else path if venv is None else _base_of(path)
    # The project's own environment is read, never executed; an interpreter of the user's is asked.
    facts = _read_facts(installation, venv) if installation and venv else _ask(base)
    version = tuple(facts["version"][:3])
    if venv is None:
        path = Path(facts["executable"] or path)
        prefixes = [Path(prefix) for prefix in facts["prefixes"]]
        sites = [Path(site) for site in facts["sites"]]
    else:
        # What a virtual environment sees is decided by its configuration, not by the base interpreter.
        shared = read_venv_config(venv).get("include-system-site-packages", "").lower() == "true"
        prefixes = [venv, *(Path(prefix) for prefix in facts["prefixes"])]
        library = f"python{version[0]}.{version[1]}"
        sites = [venv / "lib" / library / "site-packages", venv / "lib64" / library / "site-packages"]
        sites += [Path(site) for site in facts["sites"]] if shared else []
    user_site = Path(facts["user_site"])
    folders = [*prefixes, *(Path(library) for library in facts["libraries"]), *executable_folders(path), *sites]
    user = user_site if venv is None and user_site.is_dir() else None
    folders += [user] if user else []
    linked = linked_folders((*_existing(sites), *([user] if user else ())))
    outside = [folder for folder in linked if not folder.resolve().is_relative_to(root.resolve())]
    # A path file in the project's environment could show the target any folder of the user's.
    hidden = [] if is_chosen or not is_projects else [each for each in outside if not _is_beside(each, root)]
    folders += [folder for folder in outside if folder not in hidden]
    return Interpreter(
        path=path,
        version=(version[0], version[1], version[2]),
        prefix_paths=_outermost(folders),
        origin=origin,
        base=base,
        is_users=installation is None or is_users_python(base, root),
        implementation=facts["implementation"],
        site_paths=_existing(sites),
        user_site=user,
        linked=tuple(folder for folder in linked if folder not in hidden),
        library_path=_library_path(_outermost(folders)),
        notes=(_hidden_note(origin, hidden),) if hidden else (),
    )


def _is_beside(folder: Path, root: Path) -> bool:
    """Whether a folder belongs to another part of the repository, and has neither the project nor the history in it."""
    real = folder.resolve()
    is_around = root.resolve().is_relative_to(real)
    return not is_around and any(real.is_relative_to(top) for top in cloned_folders(root)[1:])


def _hidden_note(origin: str, hidden: list[Path]) -> str:
    folders = ", ".join(map(str, hidden))
    return (
        f"{origin} links to folders outside the project, which it does not see until you trust the project, activate "
        f"the environment, or name it with --python: {folders}"
    )


def _real_installation(venv: Path, path: Path) -> Installation:
    """The installation of an environment that the project brings along. Raises _BrokenError."""
    found = venv_installation(venv, path)
    if found is None:
        home = read_venv_config(venv).get("home", "")
        raise _BrokenError(f"the installation it was made from ({home or 'unknown'}) is no installed Python")
    return found


def _read_facts(installation: Installation, venv: Path) -> dict:
    """What `_ask` would answer about an installation, from its files and from what made the environment."""
    config = read_venv_config(venv)
    said = (config.get("version") or config.get("version_info") or "").split(".")
    is_same = said[:2] == ["3", str(installation.minor)] and len(said) > 2 and said[2].isdecimal()
    prefix, name = installation.prefix, installation.library.name
    sites = [installation.library / "site-packages", prefix / "local" / "lib" / name / "dist-packages"]
    return {
        "version": [3, installation.minor, int(said[2]) if is_same else 0],
        "implementation": installation.implementation,
        "prefixes": [prefix],
        "libraries": [installation.library],
        "sites": [*sites, prefix / "lib" / "python3" / "dist-packages"],
        "user_site": "",
    }


def _library_path(prefixes: tuple[Path, ...]) -> str:
    """The part of LD_LIBRARY_PATH that an interpreter with a shared library of its own may need."""
    entries = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    return ":".join(
        entry for entry in entries if entry and any(Path(entry).is_relative_to(prefix) for prefix in prefixes)
    )


def _base_of(path: Path) -> Path:
    """The interpreter that a virtual environment of the user's was made from. Raises _BrokenError."""
    venv = path.parent.parent
    real = path.resolve()
    if not real.is_relative_to(venv.resolve()):
        return real
    home = read_venv_config(venv).get("home", "")
    for name in (path.name, real.name, "python3", "python"):
        if home and (Path(home) / name).is_file():
            return Path(home) / name
    raise _BrokenError(f"the installation it was made from ({home or 'unknown'}) is gone")


def _ask(executable: Path) -> dict:
    """What the probe says. Version managers' shims need PATH and HOME. Raises _BrokenError."""
    environment = tuple((name, os.environ[name]) for name in _PROBE_ENVIRONMENT if name in os.environ)
    is_ours = executable.resolve() == Path(sys.executable).resolve()
    said = _said_by_ours(executable, environment) if is_ours else _said_by(executable, environment)
    return json.loads(said)


@cache  # what runs this process stays what it is meanwhile
def _said_by_ours(executable: Path, environment: tuple[tuple[str, str], ...]) -> str:
    return _said_by(executable, environment)


def _said_by(executable: Path, environment: tuple[tuple[str, str], ...]) -> str:
    """Run the probe; its answer is JSON. Raises _BrokenError."""
    try:
        answer = subprocess.run(
            [str(executable), "-I", "-S", "-c", _PROBE],
            capture_output=True,
            text=True,
            timeout=60,
            env=dict(environment),
            cwd="/",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise _BrokenError(f"{executable} does not run: {fault}") from fault
    try:
        json.loads(answer.stdout)
    except ValueError as fault:
        last = answer.stderr.strip().splitlines()[-1:] or [f"exit code {answer.returncode}"]
        raise _BrokenError(f"{executable} does not answer like a Python: {last[0]}") from fault
    return answer.stdout


def _existing(folders: list[Path]) -> tuple[Path, ...]:
    found: dict[Path, Path] = {}
    for folder in folders:
        if folder.is_dir():
            found.setdefault(folder.resolve(), folder)
    return tuple(found.values())


def _outermost(folders: list[Path]) -> tuple[Path, ...]:
    """Existing folders without those inside another one, none of which shows a home."""
    kept: list[Path] = []
    for folder in sorted(set(folders), key=lambda path: path.parts):
        if any(folder.is_relative_to(outer) for outer in kept):
            continue
        if folder.exists() and not exposes_home(folder):
            kept.append(folder)
    return tuple(kept)


def linked_folders(sites: Iterable[Path]) -> tuple[Path, ...]:
    """Existing folders outside `sites` that path files and editable installs in them name, in a stable order.

    Homes and private folders are never among them: no package is developed there.
    """
    places = tuple(sites)
    found: dict[Path, None] = {}
    for site in places:
        for folder in (*_path_files(site), *_editable_installs(site)):
            if (
                folder.is_dir()
                and not any(folder.is_relative_to(place) for place in places)
                and not _shows_too_much(folder)
            ):
                found[folder] = None
    return tuple(found)


def _shows_too_much(folder: Path) -> bool:
    return exposes_home(folder) or exposes_home(folder.resolve()) or is_private(folder)


def _path_files(site: Path) -> Iterator[Path]:
    for file in sorted(site.glob("*.pth")):
        try:
            lines = read_source(site, file.name, errors="replace", most=_MOST_BYTES).splitlines()
        except OSError:
            continue  # a link, a pipe, or endless: no path file
        for line in lines:
            text = line.strip()
            if text and not text.startswith(("#", "import ", "import\t")) and "\0" not in text:
                yield site / text


def _editable_installs(site: Path) -> Iterator[Path]:
    for file in sorted(site.glob("*.dist-info/direct_url.json")):
        try:
            source = read_json(site, file.relative_to(site).as_posix(), most=_MOST_BYTES)
            url = urlsplit(source["url"])
            editable = source.get("dir_info", {}).get("editable") is True
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            continue  # somebody else's file in a form nobody promised
        if editable and url.scheme == "file":
            yield Path(unquote(url.path))
