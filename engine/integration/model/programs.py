"""Finds the programs of a project (scripts, runnable packages and modules), and holds their runs as plain data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...python.facts.analyse import imports_of, package_of
from ...python.model.model import Arc
from ...python.project.layout import Layout, ModulePlace
from ...python.project.source_roots import parse_file, read_config, read_toml, table_at

_ENTRY = re.compile(r"^\s*+([\w.-]++)\s*+=\s*+([\w.]++)\s*+(?::\s*+([\w.]++)\s*+)?(?:\[.*\]\s*+)?$")

_PARSERS = frozenset("argparse optparse getopt click rich_click typer docopt docopt_ng fire cleo cyclopts".split())
_SERVERS = frozenset({"uvicorn", "granian"})
_SERVING = frozenset({"serve", "serve_forever", "run_app", "run_simple"})
_RUN_BY_THEMSELVES = frozenset({"flask", "quart", "sanic", "bottle", "litestar"})
"""Frameworks whose applications have a method `run` that serves."""


@dataclass(frozen=True, slots=True)
class ProjectProgram:
    """A program of the project.

    Attributes:
        name: what users type.
        place: the module that it begins in.
        start: arguments of the interpreter that start it: `-m MODULE`, or `-c CODE` for a function.
    """

    name: str
    place: ModulePlace
    start: tuple[str, str]

    @property
    def helper(self) -> str:
        """The name of the function that runs it in a test file."""
        return "run_" + re.sub(r"\W+", "_", self.name).strip("_").lower()


def find_programs(root: Path, layout: Layout) -> tuple[ProjectProgram, ...]:
    """Finds the distinct programs whose module belongs to the project, console scripts first."""
    places = layout.by_module()
    found: dict[tuple[str, str], ProjectProgram] = {}
    for name, module, attribute in _declared(root):
        place = places.get(module)
        if place is not None:
            start = _start(root, place, name, attribute)
            found.setdefault(start, ProjectProgram(name, _defining(root, place, attribute, places), start))
    own = {value.place.module for value in found.values()}
    for place in layout.modules:
        package, _, last = place.module.rpartition(".")
        if last == "__main__" and package and package not in own:
            if not any(value.place.module.partition(".")[0] == package.partition(".")[0] for value in found.values()):
                found.setdefault(("-m", package), ProjectProgram(package.rpartition(".")[2], place, ("-m", package)))
        elif (
            place.module not in own
            and not found
            and _guarded_call(root, place) is not None
            and not _serves(root, place)
        ):
            found.setdefault(("-m", place.module), ProjectProgram(last, place, ("-m", place.module)))
    return tuple(found.values())


def _defining(root: Path, place: ModulePlace, attribute: str, places: dict[str, ModulePlace]) -> ModulePlace:
    """The module that a script's function is defined in, where the named one only imports it."""
    body = parse_file(root / place.path).body
    imports: list[ast.stmt] = [statement for statement in body if isinstance(statement, ast.ImportFrom)]
    statement = imports_of(imports, package_of(place)).get(attribute, "")
    module = statement.split()[1] if statement.startswith("from ") else ""
    return places.get(module, place)


def _start(root: Path, place: ModulePlace, name: str, attribute: str) -> tuple[str, str]:
    """`-m` where running the module does what the script does, else the function itself.

    A module that its package imports is not run a second time: Python warns of that.
    """
    if _guarded_call(root, place) == attribute and not _is_imported_by_package(root, place):
        return ("-m", place.module.removesuffix(".__main__"))
    function = attribute.partition(".")[0]
    return ("-c", f"import sys; from {place.module} import {function}; sys.argv[0] = {name!r}; sys.exit({attribute}())")


def _is_imported_by_package(root: Path, place: ModulePlace) -> bool:
    """Whether the `__init__.py` beside a module imports it."""
    package, _, last = place.module.rpartition(".")
    beside = (root / place.path).parent / "__init__.py"
    if not package or last == "__main__" or not beside.is_file():
        return False
    for node in ast.walk(parse_file(beside)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == last:
            return True
        if isinstance(node, ast.Import | ast.ImportFrom) and any(
            alias.name in (last, place.module) for alias in node.names
        ):
            return True
    return False


def _declared(root: Path) -> Iterator[tuple[str, str, str]]:
    """Console scripts of pyproject.toml, setup.cfg and setup.py, as name, module and function."""
    config = read_config(root / "setup.cfg").get("options.entry_points", "console_scripts", fallback="")
    for entry in [*_from_pyproject(root / "pyproject.toml"), *config.splitlines(), *_from_setup_py(root / "setup.py")]:
        match = _ENTRY.match(entry)
        if match is not None and match[3]:
            yield match[1], match[2], match[3]


def _from_pyproject(path: Path) -> list[str]:
    data = read_toml(path)
    tables = [table_at(data, *keys, "scripts") for keys in (("project",), ("tool", "poetry"), ("tool", "flit"))]
    return [f"{name} = {value}" for table in tables for name, value in table.items() if isinstance(value, str)]


def _from_setup_py(path: Path) -> list[str]:
    """Literal `entry_points` of a setup script, read without running it."""
    found: list[str] = []
    for node in ast.walk(parse_file(path)):
        if isinstance(node, ast.keyword) and node.arg == "entry_points" and isinstance(node.value, ast.Constant):
            found += _console_scripts(str(node.value.value))
        for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
            if isinstance(key, ast.Constant) and key.value == "console_scripts":
                items = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
                texts = [str(item.value) for item in items if isinstance(item, ast.Constant)]
                found += [line.strip() for text in texts for line in text.splitlines()]
    return found


def _console_scripts(text: str) -> list[str]:
    """The lines of the section of console scripts in entry points that are written as one text."""
    _, _, rest = text.partition("[console_scripts]")
    return [line.strip() for line in rest.partition("[")[0].splitlines()]


def _guarded_call(root: Path, place: ModulePlace) -> str | None:
    """The function that a module calls when it is run; empty where it does something else, None without a guard."""
    for node in _guards(root, place):
        statement = node.body[-1]
        value = statement.value if isinstance(statement, ast.Expr) else None
        value = statement.exc if isinstance(statement, ast.Raise) else value
        if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Call):
            value = value.args[0]  # sys.exit(main())
        if isinstance(value, ast.Call) and not value.args and not value.keywords:
            return ast.unparse(value.func)
        return ""
    return None


def _guards(root: Path, place: ModulePlace) -> Iterator[ast.If]:
    """Only the guard `if __name__ == "__main__"` says what running the module does."""
    for node in parse_file(root / place.path).body:
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            yield node


def takes_arguments(root: Path, place: ModulePlace) -> bool:
    """Whether a module reads a command line: by a library for it, or from `sys.argv`."""
    tree = parse_file(root / place.path)
    if _PARSERS & {name.partition(".")[0] for name in _imported(tree)}:
        return True
    taken = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "sys")
    if any(alias.name == "argv" for node in taken for alias in node.names):
        return True
    return any(isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.argv" for node in ast.walk(tree))


def _serves(root: Path, place: ModulePlace) -> bool:
    """Whether running the module starts a server, which answers requests and never ends: its tests are API tests."""
    imported = {name.partition(".")[0] for name in _imported(parse_file(root / place.path))}
    calls = [node for guard in _guards(root, place) for node in ast.walk(guard) if isinstance(node, ast.Call)]
    for call in calls:
        owner, _, name = ast.unparse(call.func).rpartition(".")
        if name in _SERVING or (name == "run" and (owner in _SERVERS or (owner and imported & _RUN_BY_THEMSELVES))):
            return True
    return False


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@dataclass(frozen=True, slots=True)
class RunConditions:
    """The environment of a run; `shift`: seconds that the clock is ahead."""

    hash_seed: int = 0
    shift: int = 0
    traced: bool = False


DEFAULT_CONDITIONS = RunConditions(hash_seed=1)


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """Commands of one program that run one after the other in one folder.

    Attributes:
        files: names and texts of the files in the folder before the first command.
        commands: arguments of each command; the last one is under test.
        words: subcommand of the last one, empty for a program without.
    """

    files: tuple[tuple[str, str], ...]
    commands: tuple[tuple[str, ...], ...]
    words: tuple[str, ...] = ()

    @property
    def cost(self) -> float:
        """Reading cost: roughly the characters of the files and commands."""
        texts = sum(len(text) / 4 + 15 for _, text in self.files)
        return texts + sum(30 + sum(len(word) + 2 for word in command) for command in self.commands)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The exit code and output of one command; an output is None where it is binary or too long."""

    code: int
    out: str | None
    err: str | None
    ended: str
    arcs: frozenset[Arc] = frozenset()


@dataclass(frozen=True, slots=True)
class RunObservation:
    """The results of one run.

    Attributes:
        before, after: the folder's files around the last command: `text`, `tables` (rows by table) with `columns`
            and `keys` (columns of the primary key) by table, or `size` each.
        outside: files that it changed outside of its folder.
        failed: the reason why it could not be run; empty when it ran.
    """

    endings: tuple[CommandResult, ...] = ()
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    outside: tuple[str, ...] = ()
    failed: str = ""

    @property
    def last(self) -> CommandResult | None:
        """The last command's ending."""
        return self.endings[-1] if self.endings else None

    def rows_before(self, name: str) -> dict[str, Any]:
        """The rows by table that a database had before the last command; empty for other files."""
        return ((self.before or {}).get(name) or {}).get("tables") or {}

    def kept_rows(self, run: ProgramRun) -> dict[str, Any]:
        """Databases with rows that a command leaves as they are which was run before; empty for other commands."""
        last = self.last
        is_repeated = len(run.commands) > 1 and run.commands[-1] == run.commands[-2]
        if not is_repeated or last is None or last.code or self.changed():
            return {}
        return {
            name: answer for name, answer in (self.after or {}).items() if any((answer.get("tables") or {}).values())
        }

    def changed(self) -> dict[str, Any]:
        """Non-empty files that the last command created or changed."""
        before, after = self.before or {}, self.after or {}
        return {
            name: answer for name, answer in after.items() if before.get(name) != answer and holds_something(answer)
        }


def holds_something(content: Mapping[str, Any]) -> bool:
    """Whether a file has contents, or a database a row."""
    return any((content.get("tables") or {}).values()) or bool(content.get("text") or content.get("size"))


def run_observation_from(answer: Mapping[str, Any], expected: int) -> RunObservation:
    """Parses one answer of the worker; a run that stopped early has fewer endings than commands."""
    if answer.get("failed"):
        return RunObservation(failed=str(answer["failed"]))
    endings = tuple(
        CommandResult(
            code=int(command["code"]),
            out=command["out"],
            err=command["err"],
            ended=str(command["ended"]),
            arcs=frozenset((start, end) for start, end in command.get("arcs") or ()),
        )
        for command in answer["commands"]
    )
    failed = "" if len(endings) == expected else f"an earlier command {endings[-1].ended}" if endings else "nothing ran"
    return RunObservation(endings, answer["before"], answer["after"], tuple(answer["outside"]), failed)
