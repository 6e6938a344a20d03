"""Finds the commands in a project's documents: lines that begin with the program's name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from ....utils.generated_header import is_untouched
from ...python.project.layout import Layout
from ..model.programs import ProjectProgram
from .arguments import Command, ProgramArgument

_MOST_COMMANDS = 12
_LARGEST = 400_000
_PLACEHOLDER = re.compile(r"[<>|&;$`*\[\]{}]|\.\.\.|…|^[A-Z_]{3,}$")
_WORD = re.compile(r"[A-Za-z]{3,}")


def documented_commands(root: Path, layout: Layout, program: ProjectProgram) -> list[tuple[str, ...]]:
    """Arguments of the commands in README, documentation and the program's own file, in order."""
    found: dict[tuple[str, ...], None] = {}
    for path in (program.place.path, *layout.documents):
        for arguments in _commands_in(_text(root / path), program):
            found.setdefault(arguments)
    return list(found)[:_MOST_COMMANDS]


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            return ""
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    return "" if is_untouched(text) else text


def _commands_in(text: str, program: ProjectProgram) -> Iterable[tuple[str, ...]]:
    names = [re.escape(program.name)]
    if program.start[0] == "-m":
        names.append(rf"python3? -m {re.escape(program.start[1])}")
    pattern = re.compile(rf"^\s*(?:[$%>] )?(?:{'|'.join(names)})[ \t]+(\S.*)$", re.MULTILINE)
    for match in pattern.finditer(text):
        try:
            arguments = tuple(shlex.split(match[1], comments=True))
        except ValueError:
            continue
        if arguments and not any(_PLACEHOLDER.search(argument) for argument in arguments):
            yield arguments


def matching_command(arguments: Sequence[str], commands: Sequence[Command]) -> Command | None:
    """The command that a documented line calls, or None where it uses unknown options."""
    for command in sorted(commands, key=lambda one: -len(one.words)):
        rest = list(arguments)
        if all(word in rest for word in command.words):
            known = {flag for one in (*command.arguments, *command.before) for flag in one.flags}
            options = [
                argument.partition("=")[0]
                for argument in arguments
                if argument.startswith("-") and not _is_number(argument)
            ]
            if all(option in known or (len(option) > 2 and option[:2] in known) for option in options):
                return command
    return None


def files_in(arguments: Sequence[str], command: Command) -> list[tuple[str, ProgramArgument]]:
    """Words of a documented line that stand for input files, with the argument each is given for."""
    return [(words[-1], one) for words, one in arguments_in(arguments, command) if one.kind == "input"]


def arguments_in(arguments: Sequence[str], command: Command) -> list[tuple[tuple[str, ...], ProgramArgument]]:
    """The words of a documented line, with the argument that each part of it is given for."""
    positional = [argument for argument in command.arguments if not argument.flags]
    by_flag = {flag: one for one in (*command.arguments, *command.before) for flag in one.flags}
    found: list[tuple[tuple[str, ...], ProgramArgument]] = []
    words = list(command.words)
    waiting = ""
    at = 0
    for word in arguments:
        if waiting:
            found.append(((waiting, word), by_flag[waiting]))
            waiting = ""
        elif word in by_flag:
            waiting = word if by_flag[word].kind != "flag" else ""
            if not waiting:
                found.append(((word,), by_flag[word]))
        elif words and word == words[0]:
            words.pop(0)
        elif not word.startswith("-") and at < len(positional):
            found.append(((word,), positional[at]))
            at += not positional[at].many
    return [pair for pair in found if pair[1] in command.arguments]


def vocabulary_of(commands: Iterable[Sequence[str]], examples: Iterable[str]) -> tuple[str, ...]:
    """Words that stand in structured arguments of documents and help texts (`tea:2:3.50`), in order."""
    texts = [*(word for arguments in commands for word in arguments), *examples]
    found: dict[str, None] = {}
    for text in texts:
        if re.search(r"[:=,]", text) and not re.match(r"\w+://|-", text):
            found.update((word, None) for word in _WORD.findall(text))
    return tuple(found)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-\d+(\.\d+)?", text) is not None
