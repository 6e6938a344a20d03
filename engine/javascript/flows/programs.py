"""Proposes runs of a package's programs: the lines of its README, alone and after each other, and what they refuse."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ....sandbox.javascript.syntax import string_value, walk
from ....utils.untrusted_files import source_or_empty
from ..domain.value_pools import quoted_text
from ..model import Function, Parameter, Value
from ..observations import Observations, Seen
from ..selection import Chosen
from ..trials import Trial
from .helpers import runner_of
from .seams import Program, ScriptSeams

_READMES = ("README.md", "readme.md", "Readme.md", "docs/README.md", "docs/usage.md")
_FENCE = re.compile(r"^```(?:sh|bash|shell|console|text)?\s*$")
_SHELL = re.compile(r"[|<>&;$`*\\]")
_PLACEHOLDER = re.compile(r"^[\[<].*[\]>]$|^\.\.\.$|^[A-Z_]{3,}$")
_FILE = re.compile(r"[\w-]+\.(?:json|txt|csv|md|log|db)")
_MOST_LINES = 8
_MOST = 10
_MOST_REFUSED = 4
_TRACE = re.compile(r"\\n\s+at |node:internal|\\n    throw ")
Words = tuple[str, ...]


def documented_lines(root: Path, folder: str, program: Program) -> list[Words]:
    """The words after the program's name in each documented line that a shell would not change.

    Args:
        folder: of the package, POSIX, relative to the root.
    """
    found: list[Words] = []
    for name in _READMES:
        # What opens a block of another language closes without a word.
        inside: bool | None = None
        for line in source_or_empty(root, (PurePosixPath(folder) / name).as_posix(), errors="replace").splitlines():
            if line.startswith("```"):
                inside = bool(_FENCE.match(line.strip())) if inside is None else None
            elif inside and (words := _words(line, program)) is not None and words not in found:
                found.append(words)
    return found[:_MOST_LINES]


def _words(line: str, program: Program) -> Words | None:
    text = re.sub(r"^\s*\$?\s*(?:npx\s+)?", "", line.partition(" #")[0])
    text = re.sub(rf"^node\s+(?:\./)?\S*{re.escape(PurePosixPath(program.path).name)}(?=\s|$)", program.name, text)
    if not re.match(rf"{re.escape(program.name)}(?:\s|$)", text) or _SHELL.search(text):
        return None
    try:
        words = tuple(shlex.split(text)[1:])
    except ValueError:
        return None
    return None if any(_PLACEHOLDER.match(word) for word in words) else words


def program_trials(root: Path, folder: str, seams: ScriptSeams, first: int) -> list[Trial]:
    """The runs to try.

    Args:
        first: the id of the first one.
    """
    files = tuple(dict.fromkeys(_files(seams)))
    found: list[Trial] = []
    for program in seams.programs:
        lines = documented_lines(root, folder, program)
        alone = [(words, ()) for words in lines]
        after = [(words, (other,)) for words in lines for other in lines if other != words]
        changed = [(words, ()) for line in lines for words in _changed(line)]
        runs: dict[tuple[Words, tuple[Words, ...]], bool] = dict.fromkeys(alone, True)
        for one in (*after, *changed, ((), ()), (("--help",), ()), (("no-such-command",), ())):
            runs.setdefault(one, False)
        function = _function(program, seams)
        found += [_trial(program, function, words, before, files) for words, before in runs]
    return [replace(one, id=first + at) for at, one in enumerate(found)]


def _changed(line: Words) -> Iterator[Words]:
    """A documented line with another number, or without its last word."""
    for at, word in enumerate(line):
        if re.fullmatch(r"\d+(?:\.\d+)?", word):
            for other in ("0", str(int(float(word)) * 10)):
                yield (*line[:at], other, *line[at + 1 :])
    if len(line) > 1:
        yield line[:-1]


def _files(seams: ScriptSeams) -> Iterator[str]:
    """Names of files that stand in the sources."""
    for module in seams.modules:
        for node in walk(module.root):
            if node.type == "string" and (text := string_value(node)) and _FILE.fullmatch(text):
                yield text


def _function(program: Program, seams: ScriptSeams) -> Function:
    """The function of the test file that runs a program, as if it were the entry's."""
    parameters = (Parameter("folder"), Parameter("words", rest=True))
    return Function(runner_of(program.name), "function", parameters, seams.entry.root)


def _trial(program: Program, function: Function, words: Words, before: Sequence[Words], files: Sequence[str]) -> Trial:
    runner = runner_of(program.name)
    prelude = ["const folder = temporaryFolder();"]
    prelude += [f"{runner}({', '.join(('folder', *map(quoted_text, one)))});" for one in before]
    shown = " ".join(words)
    said = f"for {shown}" if words else "without arguments"
    if before:
        said += f" after {' '.join(before[-1])}"
    return Trial(
        0,
        function,
        ("folder", *map(quoted_text, words)),
        value=Value("", kind="run"),
        prelude=tuple(prelude),
        circumstance=said,
        readings=tuple(f"readFileSync(join(folder, '{name}'), 'utf8')" for name in files),
        needs=frozenset({runner}),
    )


def chosen_runs(trials: Sequence[Trial], found: Observations, documented: Sequence[Words]) -> list[Chosen]:
    """The runs that become tests: documented ones, those that another one before them changes, and refusals."""
    usable = [(one, found.seen[one.id]) for one in trials if _is_told(found.seen.get(one.id))]
    alone = {one.arguments: seen.source for one, seen in usable if len(one.prelude) == 1}
    picked: list[Chosen] = []
    refused: set[str] = set()
    lines = {("folder", *map(quoted_text, words)) for words in documented}
    for one, seen in usable:
        is_after, code = len(one.prelude) > 1, _status(seen)
        if one.arguments in lines and not is_after and code == 0:
            picked.append(Chosen(one, seen, "documented line", not picked))
        elif is_after and code == 0 and alone.get(one.arguments, seen.source) != seen.source:
            picked.append(Chosen(one, seen, "reads what the run before it left behind"))
        elif code != 0 and not is_after and seen.source not in refused and len(refused) < _MOST_REFUSED:
            refused.add(seen.source)
            picked.append(Chosen(one, seen, "is refused with words of its own"))
        elif code == 0 and not is_after and seen.source not in {each.seen.source for each in picked}:
            picked.append(Chosen(one, seen, "gives another result"))
    return picked[:_MOST]


def _is_told(seen: Seen | None) -> bool:
    """Whether a run gave the same twice, ended by itself, and with no trace of a fault that nobody meant."""
    told = seen is not None and seen.stable and seen.outcome == "value" and bool(seen.source)
    # A refusal without a word shows nothing that a person could have meant.
    told = told and seen is not None and not seen.source.endswith("stdout: '', stderr: '' }")
    return told and seen is not None and _TRACE.search(seen.source) is None and _status(seen) is not None


def _status(seen: Seen) -> int | None:
    found = re.match(r"\{ status: (\d+),", seen.source)
    return int(found[1]) if found else None
