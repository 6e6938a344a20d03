"""Command line programs of a repository, from its sources and manifests: Typer, click, argparse, console scripts."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...utils.python_source import parse_or_none

_WORDS = re.compile(r"\b(?:typer|click|argparse|__main__)\b")
_CONSTRUCTORS = {
    "typer.Typer": "typer",
    "argparse.ArgumentParser": "argparse",
    "click.Group": "click",
    "click.command": "click",
    "click.group": "click",
}


@dataclass(frozen=True, slots=True)
class CommandLineProgram:
    """A program that people start from a command line.

    Attributes:
        name: as it is typed: a console script's name, else `python FILE` or `python -m PACKAGE`.
        file, line: where its parser, application or entry function is.
        framework: typer, click or argparse; "" where none of them is seen.
        commands: names of its subcommands, sorted.
    """

    name: str
    file: str
    line: int
    framework: str = ""
    commands: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The program as JSON."""
        found = {"name": self.name, "file": self.file, "line": self.line, "framework": self.framework}
        return {**found, "commands": list(self.commands)}


def command_line_programs(
    texts: Mapping[str, str], modules: Mapping[str, str], imported: Mapping[str, tuple[str, ...]]
) -> tuple[CommandLineProgram, ...]:
    """Find the programs of a repository, sorted by file and name.

    Args:
        texts: path → text of sources and manifests, without tests.
        modules: dotted name → file.
        imported: file → files of the repository that it imports.
    """
    sources = {path: found for path, text in texts.items() if path.endswith(".py") and (found := _read(path, text))}
    scripts = {name: place for path, text in texts.items() for name, place in _console_scripts(path, text)}
    programs: list[CommandLineProgram] = []
    for name, place in sorted(scripts.items()):
        module, _, function = place.partition(":")
        file = modules.get(module.strip())
        if file is not None:
            programs.append(_of_script(name, file, function.strip(), texts.get(file, ""), sources, imported))
    named = {program.file for program in programs}
    # What a console script starts may have its parser in a module that it imports: one program, not two.
    used = named | {other for file in named for other in imported.get(file, ())}
    programs += [found for path, found in sources.items() if path not in used and found.name]
    return tuple(sorted(programs, key=lambda program: (program.file, program.name)))


def _of_script(
    name: str,
    file: str,
    function: str,
    text: str,
    sources: Mapping[str, CommandLineProgram],
    imported: Mapping[str, tuple[str, ...]],
) -> CommandLineProgram:
    places = [file, *imported.get(file, ())]
    found = next((sources[path] for path in places if path in sources and sources[path].framework), None)
    if found is not None:
        return replace(found, name=name, file=file, line=found.line if found.file == file else _line(text, function))
    return CommandLineProgram(name, file, _line(text, function))


def _line(text: str, function: str) -> int:
    found = re.search(rf"^(?:async )?(?:def )?{re.escape(function)}\b", text, re.MULTILINE)
    return 1 if found is None else text.count("\n", 0, found.start()) + 1


def _read(path: str, text: str) -> CommandLineProgram | None:
    """What one file says of a program; its name is empty where nothing starts the file itself."""
    if not _WORDS.search(text) and not path.endswith("__main__.py"):
        return None
    tree = parse_or_none(text, path)
    if tree is None:
        return None
    names = dict(_imports(tree))
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    decorated = {id(one): node for node in nodes if isinstance(node, _FUNCTIONS) for one in node.decorator_list}
    made = [(call.lineno, framework) for call in calls if (framework := _CONSTRUCTORS.get(_dotted(call.func, names)))]
    # A decorator without brackets is no call.
    made += [
        (node.lineno, "click")
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Name) and id(node) in decorated and _is_click(node, names)
    ]
    started = _started(tree, path)
    if started is None and not made:
        return None
    line, framework = min(made, default=(started or 1, ""))
    commands = tuple(sorted(set(_commands(calls, decorated, names, framework))))
    return CommandLineProgram("" if started is None else _typed(path), path, line, framework, commands)


def _is_click(node: ast.expr, names: Mapping[str, str]) -> bool:
    return _CONSTRUCTORS.get(_dotted(node, names)) == "click"


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _typed(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return (
        f"python -m {folder.removeprefix('src/').replace('/', '.')}"
        if name == "__main__.py" and folder
        else f"python {path}"
    )


def _started(tree: ast.Module, path: str) -> int | None:
    """The line from which a file runs as a program; None where it does not."""
    for node in tree.body:
        if isinstance(node, ast.If) and "__name__" in (text := ast.unparse(node.test)) and "__main__" in text:
            return node.lineno
    return 1 if path.rpartition("/")[2] == "__main__.py" else None


def _commands(
    calls: list[ast.Call], decorated: Mapping[int, Any], names: Mapping[str, str], framework: str
) -> Iterator[str]:
    """Names of subcommands: those of decorated functions, or of `add_parser`."""
    for call in calls:
        if not isinstance(call.func, ast.Attribute):
            continue
        first = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        given = next((one.value for one in call.keywords if one.arg == "name"), None)
        text = first if first is not None else given.value if isinstance(given, ast.Constant) else None
        if framework == "argparse":
            if call.func.attr == "add_parser" and isinstance(text, str):
                yield text
        # `@click.command()` is a program of its own; `@app.command()` and `@group.command()` are subcommands.
        elif (
            call.func.attr in ("command", "group")
            and id(call) in decorated
            and _dotted(call.func, names) not in _CONSTRUCTORS
        ):
            yield text if isinstance(text, str) else decorated[id(call)].name.replace("_", "-")


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _dotted(node: ast.AST, names: Mapping[str, str]) -> str:
    """The name that an expression has where it was imported from; "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])


def _console_scripts(path: str, text: str) -> list[tuple[str, str]]:
    """Console scripts of a manifest: (name, `module:function`); none where it does not parse."""
    name = path.rpartition("/")[2]
    try:
        if name == "pyproject.toml":
            manifest = tomllib.loads(text)
            poetry = (manifest.get("tool") or {}).get("poetry") or {}
            project = manifest.get("project") or {}
            found = {**(poetry.get("scripts") or {}), **(project.get("scripts") or {})}
            return [(key, place) for key, place in found.items() if isinstance(place, str)]
        if name == "setup.cfg":
            parser = configparser.RawConfigParser(strict=False)
            parser.read_string(text)
            lines = parser.get("options.entry_points", "console_scripts", fallback="").splitlines()
            return [
                (key.strip(), place.strip()) for key, sign, place in (line.partition("=") for line in lines) if sign
            ]
    except (ValueError, RecursionError, AttributeError, TypeError, configparser.Error):
        return []
    return []
