"""Provides pytest and coverage to targets that lack them, from a folder of the user's cache, last on the target's path.

Nothing is installed into the target's environment. What it has itself is used as it is; what it lacks is copied from
our own environment when that runs there, else fetched by pip into the cache. Both come with bytecode: no program in
the sandbox may write any there, and each would take a second to compile pytest. Everything here blocks: call it
through `asyncio.to_thread`.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from importlib.metadata import Distribution
from importlib.util import cache_from_source
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from ..core.errors import InterpreterError, StorageError, ToolMissing
from ..utils.untrusted_folders import remove_tree
from ..utils.user_folders import writable_folder
from .distributions import declared_name, plain_distributions
from .interpreter import Interpreter

TOOLS = ("pytest", "coverage")
BENCHMARK_TOOLS = ("pytest-benchmark",)
"""What performance tests need besides."""
LOAD_TOOLS = ("locust",)
"""What load tests are run with, in a folder of its own: its many packages are no part of any project."""
_LEAST = {
    "pytest": SpecifierSet(">=7"),
    "coverage": SpecifierSet(">=6"),
    "pytest-benchmark": SpecifierSet(">=4"),
    "locust": SpecifierSet(">=2.20"),
    "pytest-playwright": SpecifierSet(">=0.7"),
}
_PIP_SECONDS = 300
_NEVER_IMPORTED = r"/(pygments/(lexers|styles|formatters)/(?!_|python|terminal)|(.*/)?tests?/)"
"""Paths below the folder of the tools."""


def test_overlay(interpreter: Interpreter, caches: Sequence[Path]) -> tuple[Path, ...]:
    """Folders to put last on the target's path so that pytest and coverage import there; none when it has both.

    Args:
        caches: the user's cache folders; the first that can be written keeps them, by content, for later runs.

    Raises:
        InterpreterError: the target has a tool too old, or parts that clash with ours, or a tool could not be had.
        StorageError: the cache cannot be written.
    """
    return tools_overlay(TOOLS, interpreter, caches)


test_overlay.__test__ = False  # pyrefly: ignore[missing-attribute] - pytest is not to take it for a test


def tools_overlay(tools: Sequence[str], interpreter: Interpreter, caches: Sequence[Path]) -> tuple[Path, ...]:
    """Folders to put last on the target's path so that test tools import there; none when it has them all.

    Args:
        tools: distributions, as they are called where packages are published.
        caches: as in `test_overlay`.

    Raises:
        InterpreterError, StorageError: as `test_overlay`.
        ToolMissing: tools that tests of one kind need could not be had.
    """
    present = _installed(_sites(interpreter), tools)
    missing = []
    for tool in tools:
        if tool not in present:
            missing.append(tool)
        elif not _LEAST[tool].contains(present[tool].version, prereleases=True):
            raise InterpreterError(
                f"the target's {tool} is {present[tool].version}; {_LEAST[tool]} is needed",
                advice=_advice(interpreter, (tool,)),
            )
    if not missing:
        return ()
    # Locust runs apart, without the target's packages: what it needs is there whatever they are.
    theirs = {} if tuple(tools) == LOAD_TOOLS else _installed(_sites(interpreter))
    ours = _closure(missing, interpreter, theirs)
    cache = writable_folder(caches, "overlay")
    try:
        same = _same_build(interpreter)
        if ours is not None and (same or _runner() is None):
            return (_copied(ours, cache, compiled=same),)
        fetched = _fetched(missing, interpreter, cache)
        if fetched is not None:
            return (fetched,)
        if ours is not None:
            return (_copied(ours, cache, compiled=same),)
    except OSError as fault:
        raise StorageError(
            f"the test tools could not be written to {cache}: {fault}", advice="Check free space and permissions there."
        ) from fault
    # Without pytest there are no tests at all; the others are for tests of one kind.
    error = InterpreterError if set(tools) & set(TOOLS) else ToolMissing
    raise error(
        f"the target's Python {_version(interpreter)} lacks {' and '.join(missing)}, and pip could not fetch them",
        advice=_advice(interpreter, missing),
    )


def lacking_tools(interpreter: Interpreter) -> tuple[str, ...]:
    """Those of pytest and coverage that the target does not have itself."""
    present = _installed(_sites(interpreter), TOOLS)
    return tuple(tool for tool in TOOLS if tool not in present)


def _sites(interpreter: Interpreter) -> tuple[Path, ...]:
    return (*interpreter.site_paths, *([interpreter.user_site] if interpreter.user_site else ()))


def _advice(interpreter: Interpreter, tools: Iterable[str]) -> str:
    wanted = " ".join(f'"{tool}{_LEAST[tool]}"' for tool in tools)
    return f"Install what is needed there: `{interpreter.path} -m pip install {wanted}`."


def _version(interpreter: Interpreter) -> str:
    return ".".join(map(str, interpreter.version))


def _installed(sites: Iterable[Path], tools: Collection[str] = ()) -> dict[str, Distribution]:
    """Distributions in folders by normalised name; the first one found counts, as on a path. Nothing is imported.

    Args:
        tools: names of those that are wanted; all without any, of which an environment has hundreds.
    """
    found: dict[str, Distribution] = {}
    for distribution in plain_distributions(sites, tools):
        name = declared_name(distribution)
        if name:
            found.setdefault(canonicalize_name(name), distribution)
    return found


def _closure(
    tools: Iterable[str], interpreter: Interpreter, present: dict[str, Distribution]
) -> list[Distribution] | None:
    """Our own distributions that give the target the tools, or None when ours do not suit it.

    Raises:
        InterpreterError: the target has a part in a version that ours does not work with.
    """
    own = _installed(Path(entry) for entry in sys.path if entry)
    wanted, chosen = list(tools), {}
    while wanted:
        name = canonicalize_name(wanted.pop())
        if name in chosen:
            continue
        distribution = own.get(name)
        needs = SpecifierSet((distribution.metadata["Requires-Python"] or "") if distribution else "")
        if distribution is None or not needs.contains(_version(interpreter)):
            return None
        chosen[name] = distribution
        for requirement in _requirements(distribution, interpreter):
            theirs = present.get(canonicalize_name(requirement.name))
            if theirs is None:
                wanted.append(requirement.name)
            elif not requirement.specifier.contains(theirs.version, prereleases=True):
                raise InterpreterError(
                    f"the target lacks {name}, and its {requirement} is met by {theirs.version} only",
                    advice=_advice(interpreter, [tool for tool in tools if tool in _LEAST]),
                )
    return [chosen[name] for name in sorted(chosen)]


def _requirements(distribution: Distribution, interpreter: Interpreter) -> Iterable[Requirement]:
    """What a distribution needs in the target, extras left out."""
    version = interpreter.version
    target = {
        "python_version": f"{version[0]}.{version[1]}",
        "python_full_version": _version(interpreter),
        "implementation_name": interpreter.implementation,
        "extra": "",
    }
    for line in distribution.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate(target):
            yield requirement


def _same_build(interpreter: Interpreter) -> bool:
    """Whether compiled parts of our packages load there."""
    return interpreter.version[:2] == sys.version_info[:2] and interpreter.implementation == sys.implementation.name


def _copied(parts: Iterable[Distribution], cache: Path, *, compiled: bool) -> Path:
    """The folder with copies of our distributions, made on first use; `compiled` where our bytecode loads there."""
    parts = list(parts)
    names = "\n".join(f"{one.metadata['Name']}=={one.version}" for one in parts)
    key = hashlib.sha256(f"{sys.version}\n{compiled}\n{names}".encode()).hexdigest()[:16]
    place = cache / f"copied-{key}"

    def fill(folder: Path) -> None:
        for part in parts:
            _copy_distribution(part, folder)
        if compiled and sys.executable:  # our own environment may be installed without bytecode
            _compile([sys.executable, "-I", "-S"], folder)

    return _made(place, fill)


def _copy_distribution(part: Distribution, folder: Path) -> None:
    for file in part.files or ():
        if ".." in file.parts or file.suffix in (".pyc", ".pth") or file.is_absolute():
            continue
        source = Path(str(part.locate_file(file)))
        if source.is_file():
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)  # with its mode, and its time, which its bytecode holds
            if file.suffix == ".py" and (bytecode := Path(cache_from_source(source))).is_file():
                compiled = target.parent / bytecode.parent.name / bytecode.name
                compiled.parent.mkdir(exist_ok=True)
                shutil.copyfile(bytecode, compiled)


def _made(place: Path, fill) -> Path:
    """The folder `place`, filled beside it and renamed, so that nobody ever sees half of it."""
    if place.is_dir():
        return place.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=".making-", dir=place.parent))
    try:
        fill(making)
        making.chmod(0o755)
        try:
            making.rename(place)
        except OSError:
            if not place.is_dir():
                raise
    finally:
        remove_tree(making, ignore_errors=True)
    return place.resolve()


def _runner() -> Path | None:
    """The part of our pip that other interpreters can run, or None."""
    pip = _installed((Path(entry) for entry in sys.path if entry), ("pip",)).get("pip")
    runner = Path(str(pip.locate_file("pip/__pip-runner__.py"))) if pip is not None else None
    return runner if runner is not None and runner.is_file() else None


class _PipError(Exception):
    """Pip could not fetch the tools: no network, no such release, no time."""


def _fetched(tools: Iterable[str], interpreter: Interpreter, cache: Path) -> Path | None:
    """The folder pip filled for this version of Python, or None when it could not."""
    wanted = sorted(f"{tool}{_LEAST[tool]}" for tool in tools)
    try:
        return _made(_fetched_folder(tools, interpreter, cache), lambda folder: _run_pip(wanted, interpreter, folder))
    except _PipError:
        return None


def _fetched_folder(tools: Iterable[str], interpreter: Interpreter, cache: Path) -> Path:
    version = f"{interpreter.version[0]}.{interpreter.version[1]}"
    key = re.sub(r"[^a-z0-9.]+", "-", f"{interpreter.implementation}-{version}-{'-'.join(tools)}")
    return cache / f"fetched-{key}"


def load_tools_place(interpreter: Interpreter, caches: Sequence[Path]) -> str:
    """Where Locust is for a target: its environment or a folder of the cache; empty where it is yet to be fetched."""
    if all(tool in _installed(interpreter.site_paths, LOAD_TOOLS) for tool in LOAD_TOOLS):
        return "the target's environment"
    folders = [_fetched_folder(LOAD_TOOLS, interpreter, cache / "overlay") for cache in caches]
    return next((str(folder) for folder in folders if folder.is_dir()), "")


def _run_pip(wanted: list[str], interpreter: Interpreter, folder: Path) -> None:
    """Have pip put wheels into a folder. Raises _PipError, also for an installation that is not the user's.

    Our pip is run by the installation the target's interpreter comes from, without `site`: so it judges versions and
    markers as that Python does, and nothing in the target's environment is executed.
    """
    runner = _runner()
    if runner is None or not interpreter.is_users:
        raise _PipError
    python = [str(interpreter.base), "-I", "-S"]
    command = [*python, str(runner), "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-input", "--no-compile", "--only-binary", ":all:", "--root-user-action", "ignore"]
    command += ["--target", str(folder), "--retries", "1", "--timeout", "15", *wanted]
    try:
        subprocess.run(command, capture_output=True, timeout=_PIP_SECONDS, check=True, cwd=folder)
    except (subprocess.SubprocessError, OSError) as fault:
        raise _PipError from fault
    _compile(python, folder)  # pip itself would compile hundreds of modules that pytest never imports


def _compile(python: Sequence[str], folder: Path) -> None:
    """Have an interpreter write the bytecode that is lacking in a folder; tools without it are slower, no worse."""
    skipped = f"^{re.escape(str(folder))}{_NEVER_IMPORTED}"
    command = [*python, "-m", "compileall", "-q", "-x", skipped, str(folder)]
    with suppress(subprocess.SubprocessError, OSError):
        subprocess.run(command, capture_output=True, timeout=_PIP_SECONDS, check=False, cwd=folder)
