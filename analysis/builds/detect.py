"""Detects from its files how a project is built or checked; runs nothing."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from ...engine.python.project.layout import Layout, find_layout
from ...sandbox.interpreter import Interpreter
from ...utils.untrusted_files import source_or_empty

Kind = Literal["configured", "python", "types", "node", "make"]
Status = Literal["passed", "failed", "timed_out", "unavailable", "skipped"]
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class BuildStep:
    """One program that shows whether the project builds.

    Attributes:
        kind: `python` compiles every module, `types` is a type checker in the target's interpreter.
        command: for people.
        detected_from: the file, and the place in it, that declares the step.
        python: arguments for the target's interpreter, when that runs it.
        program: another program by name, and its arguments.
        stdin: what the program reads.
        missing: why it cannot run, when that is known before.
        advice: what to do about that.
    """

    kind: Kind
    command: str
    detected_from: str
    python: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    stdin: bytes = b""
    missing: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class BuildError:
    """One error; `path` is relative to the project if it lies inside, `line` and `column` count from 1."""

    path: str
    line: int | None
    column: int | None
    code: str
    message: str
    severity: Severity = "error"

    def to_dict(self) -> dict[str, Any]:
        """The error in the form of the tool's answer."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step.

    Attributes:
        exit_code: None when it did not run; negative for a signal.
        seconds: wall time.
        output: what it wrote, paths relative to the project.
        reason: why it is not `passed`, in words.
    """

    step: BuildStep
    status: Status
    exit_code: int | None = None
    seconds: float = 0.0
    output: str = ""
    reason: str = ""
    advice: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The step in the form of the tool's answer."""
        step = {name: getattr(self.step, name) for name in ("kind", "command", "detected_from")}
        ending = {"status": self.status, "exit_code": self.exit_code, "duration_seconds": round(self.seconds, 3)}
        return {**step, **ending, "reason": self.reason, "advice": self.advice}


MAX_BYTES = 1024 * 1024
_PYTHON_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGETS = ("build", "typecheck", "check", "all")
_CHECK_SCRIPTS = ("typecheck", "type-check", "check-types", "types", "tsc")
_TARGET_LINE = re.compile(r"^([A-Za-z][\w.-]*(?:[ \t]+[A-Za-z][\w.-]*)*)[ \t]*::?(?!=)", re.MULTILINE)
_SHELL = re.compile(r"[^\w\s./:=,@%+-]")
_MYPY = ("--no-color-output", "--show-column-numbers", "--show-error-codes", "--hide-error-context", "--no-pretty")


def detect(root: Path, interpreter: Interpreter, command: str | None = None) -> list[BuildStep]:
    """Lists the steps of a build in order; empty when the project does not declare one. Blocks.

    A configured command is all there is. Else Python modules are compiled and the type checker that the project
    configures runs; the scripts `typecheck` and `build` of package.json run, or tsc where there is a tsconfig.json;
    and where there is neither, a target `build`, `typecheck`, `check` or `all` of the Makefile does.
    """
    if command is not None and command.strip():
        return [_configured(command.strip())]
    steps = [*_python(root, interpreter), *_node(root)]
    return steps or _make(root)


def _configured(command: str) -> BuildStep:
    """Builds the step of a configured command, without a shell if possible: the weak sandbox has none."""
    source = "the setting build_command"
    if not _SHELL.search(command):
        words = command.split()
        if words[0] in ("python", "python3") and words[1:]:
            return BuildStep("configured", command, source, python=tuple(words[1:]))
    return BuildStep("configured", command, source, program=("/bin/sh", "-c", command))


def _python(root: Path, interpreter: Interpreter) -> list[BuildStep]:
    layout = find_layout(root)
    modules = [place.path for place in layout.modules]
    named = next((name for name in _PYTHON_FILES if (root / name).is_file()), "")
    steps = []
    if modules:
        noun = "module" if len(modules) == 1 else "modules"
        steps.append(
            BuildStep(
                "python",
                f"python -m compileall -q -f -i - ({len(modules)} {noun})",
                named or "its Python modules",
                python=("-m", "compileall", "-q", "-f", "-i", "-"),
                stdin="\n".join(modules).encode(errors="surrogateescape"),
            )
        )
    return [*steps, *_checkers(root, layout, interpreter)]


def _checkers(root: Path, layout: Layout, interpreter: Interpreter) -> list[BuildStep]:
    tools = _table(_toml(root / "pyproject.toml"), "tool")
    steps = []
    mypy = _mypy_config(root, tools)
    if mypy is not None:
        source, names_files = mypy
        paths = () if names_files else _packages(layout)
        steps.append(_checker("mypy", (*_MYPY, *paths), source, interpreter))
    for tool in ("pyright", "basedpyright"):
        config, source = _table(tools, tool), f"pyproject.toml [tool.{tool}]"
        if tool == "pyright" and (root / "pyrightconfig.json").is_file():
            config, source = {"include": True}, "pyrightconfig.json"
        if config or tool in tools:
            paths = () if "include" in config else _packages(layout)
            steps.append(_checker(tool, paths, source, interpreter))
    return steps


def _checker(tool: str, arguments: tuple[str, ...], source: str, interpreter: Interpreter) -> BuildStep:
    places = [*interpreter.site_paths, *([interpreter.user_site] if interpreter.user_site else [])]
    installed = any((place / tool).is_dir() for place in places)
    shown = [argument for argument in arguments if argument not in _MYPY]
    return BuildStep(
        "types",
        " ".join(("python -m", tool, *shown)),
        source,
        python=("-m", tool, *arguments),
        missing="" if installed else f"{tool} is not installed in the target's interpreter ({interpreter.origin})",
        advice="" if installed else f"Install it there: {interpreter.path} -m pip install {tool}",
    )


def _mypy_config(root: Path, tools: dict[str, Any]) -> tuple[str, bool] | None:
    """The source of mypy's configuration, and whether it names the files to check; None without one."""
    for name in ("mypy.ini", ".mypy.ini", "setup.cfg"):
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read_string(_text(root / name))
        except configparser.Error:
            continue
        if parser.has_section("mypy"):
            names_files = any(parser.has_option("mypy", key) for key in ("files", "packages", "modules"))
            return f"{name} [mypy]", names_files
        if name == "mypy.ini" and _text(root / name):
            return name, False
    if "mypy" in tools:
        names_files = any(key in _table(tools, "mypy") for key in ("files", "packages", "modules"))
        return "pyproject.toml [tool.mypy]", names_files
    return None


def _packages(layout: Layout) -> tuple[str, ...]:
    """The outermost folder or file of each package, as arguments for type checkers."""
    found: dict[str, None] = {}
    for place in layout.modules:
        base = "" if place.import_root == "." else f"{place.import_root}/"
        inner = place.path.removeprefix(base)
        found.setdefault(base + inner.partition("/")[0])
    return tuple(found)


def _node(root: Path) -> list[BuildStep]:
    scripts = _table(_json(root / "package.json"), "scripts")
    names = [next((item for item in _CHECK_SCRIPTS if item in scripts), None), "build" if "build" in scripts else None]
    steps = [
        BuildStep("node", f"npm run {name}", f"package.json scripts.{name}", program=("npm", "run", name))
        for name in names
        if name is not None
    ]
    if steps or not (root / "package.json").is_file() or not (root / "tsconfig.json").is_file():
        return steps
    program = ("node_modules/.bin/tsc", "--noEmit", "--pretty", "false", "-p", ".")
    missing = "" if (root / program[0]).exists() else "tsc is not installed in the project's node_modules"
    advice = "Install it there: npm install --save-dev typescript" if missing else ""
    return [BuildStep("node", "tsc --noEmit -p .", "tsconfig.json", program=program, missing=missing, advice=advice)]


def _make(root: Path) -> list[BuildStep]:
    for name in _MAKEFILES:
        targets = {part for found in _TARGET_LINE.findall(_text(root / name)) for part in found.split()}
        for target in _TARGETS:
            if target in targets:
                return [BuildStep("make", f"make {target}", f"{name} target {target}", program=("make", target))]
    return []


def _text(place: Path) -> str:
    return source_or_empty(place.parent, place.name, errors="replace", most=MAX_BYTES)


def _toml(place: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(place))
    except (ValueError, RecursionError):  # among them numbers with too many digits
        return {}


def _json(place: Path) -> dict[str, Any]:
    try:
        value = json.loads(_text(place) or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _table(parent: dict[str, Any], name: str) -> dict[str, Any]:
    value = parent.get(name)
    return value if isinstance(value, dict) else {}
