"""Proposes runs of a program: documented lines, each command with plain values, sequences of commands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....utils.in_turns import in_turns
from ..model.programs import ProgramRun, RunObservation
from .arguments import DATABASE, Command, InputFormats, ProgramArgument, input_files, plain_values
from .documented import arguments_in, files_in, matching_command, vocabulary_of
from .documented_files import file_of_name
from .tables import SEPARATORS, altered_table, as_lines, column_names, names_column, table_in_format

MOST_SINGLE = 44
MOST_FOLLOWING = 80
_MOST_VARIANTS = 10
MOST_ON_EDGES = 16
_MOST_STATES = 2
_MOST_EDGES = 4
_MOST_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """What is known of a program before it runs: commands, documented lines, input formats, samples, its source.

    Attributes:
        files: name and contents of the files that documents show.
    """

    commands: tuple[Command, ...]
    documented: tuple[tuple[str, ...], ...]
    reading: InputFormats
    samples: tuple[tuple[str, str], ...]
    source: str = ""
    files: tuple[tuple[str, str], ...] = ()

    def inputs_for(self, argument: ProgramArgument, shown: str = "") -> list[tuple[str, str]]:
        """Names and contents to try for an input file; see `input_files`."""
        return input_files(argument, self.reading, self.samples, self.vocabulary, shown, self.files)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Words of structured arguments."""
        examples = [text for command in self.commands for each in command.arguments for text in each.examples]
        return vocabulary_of(self.documented, examples)


@dataclass(frozen=True, slots=True)
class _ArgumentValue:
    """One argument as it is written on the line, and the file it needs, if any.

    Attributes:
        more: further files, of an argument that takes several.
    """

    words: tuple[str, ...]
    file: tuple[str, str] | None = None
    more: tuple[tuple[str, str], ...] = ()


def single_runs(known: ProgramFacts) -> list[ProgramRun]:
    """Distinct runs of one command each, documented lines first."""
    # The plainest run of each command, then the second one of each, and so on.
    most = max(_MOST_VARIANTS, MOST_SINGLE // max(1, len(known.commands)))
    turns = [list(dict.fromkeys(command_runs(command, known)))[:most] for command in known.commands]
    return list(dict.fromkeys((*documented_runs(known), *in_turns(turns))))[:MOST_SINGLE]


def documented_runs(known: ProgramFacts) -> list[ProgramRun]:
    """A run of each documented line, with files for the inputs that it names."""
    runs: list[ProgramRun] = []
    for arguments in known.documented:
        command = matching_command(arguments, known.commands) if known.commands else Command((), ())
        if command is None:
            continue
        files: list[tuple[str, str]] = []
        for name, argument in files_in(arguments, command):
            if not name.startswith(("/", "~")) and ".." not in name:
                own = _file_for(name, argument, known)
                same = any(text == own[1] and other != name for other, text in files)
                files.append((name, _other_text(argument, own, files, known)) if same else own)
        runs.append(ProgramRun(tuple(dict(files).items()), (tuple(arguments),), command.words))
    return runs


def command_runs(command: Command, known: ProgramFacts) -> Iterator[ProgramRun]:
    """Runs of one command: a documented line or what it requires; each further value; each option by itself."""
    required = [argument for argument in command.arguments if argument.required or not argument.flags]
    pools = {argument.name: _given(argument, known) for argument in command.arguments}
    pools |= _column_names(command, pools, known)
    shown = _documented(command, known)
    base = {argument.name: pools[argument.name][0] for argument in required if pools[argument.name]} | shown
    apart = _told_apart(command, base, known, shown)
    base |= apart
    pools |= {name: [value, *pools[name][1:]] for name, value in apart.items()}
    needed = {argument.name for argument in required}
    required = [argument for argument in required if argument.kind != "output" or argument.name not in shown]
    yield _run(command, base)
    # A documented line may have options that the program does without.
    yield _run(command, {name: value for name, value in base.items() if name in needed})
    optional = [argument for argument in command.arguments if argument.flags and not argument.required]
    for at in range(8):
        for entry in required:
            if at < len(pools[entry.name]):
                yield _run(command, {**base, entry.name: pools[entry.name][at]})
        for item in optional:
            if at < len(pools[item.name]) and item.name not in ("version", "help"):
                given = pools[item.name][at]
                beside = {name: value for name, value in base.items() if name not in item.apart}
                written = _in_format(beside, item, given.words[-1])
                yield _run(command, {**written, item.name: given})
                if written != beside and item.kind != "flag":
                    # A program that finds the format out by itself needs no option, and some options are for output.
                    yield _run(command, written)
                    yield _run(command, {**beside, item.name: given})
                # An option may be for files of another kind than the first one.
                for files in _other_inputs(command, beside, pools, known) if not at else ():
                    yield _run(command, {**files, item.name: given})
        if command is next((one for one in known.commands if one.before == command.before), None):
            yield from _with_options_before(command, base, known, at)


def _other_inputs(
    command: Command,
    values: Mapping[str, _ArgumentValue],
    pools: Mapping[str, Sequence[_ArgumentValue]],
    known: ProgramFacts,
) -> Iterator[dict[str, _ArgumentValue]]:
    """Yield the values with other files for the one input of a command: those of documents, and one that is made up."""
    inputs = [argument.name for argument in command.arguments if argument.kind == "input" and argument.name in values]
    ways = pools[inputs[0]] if len(inputs) == 1 and known.files else ()
    others = [way for way in ways if way.file is not None and way.file != values[inputs[0]].file]
    documented = [way for way in others if way.file in known.files]
    for way in (*documented, *[way for way in others if way.file not in known.files][:1]):
        yield {**values, inputs[0]: way}


_FOR_OUTPUT = re.compile(r"\b(?:out|output|print|export|write|to|convert|render|result|report)\b", re.IGNORECASE)
_LINES = re.compile(r"newline[- ](?:delimited|separated)|json ?lines|ndjson|jsonl", re.IGNORECASE)


def _in_format(values: Mapping[str, _ArgumentValue], option: ProgramArgument, ending: str) -> dict[str, _ArgumentValue]:
    """Return the values with files in the format that an option names: `--format tsv` reads no commas.

    Args:
        ending: the option's value.
    """
    if _FOR_OUTPUT.search(f"{option.name} {option.help}".replace("_", " ")):
        return dict(values)
    found: dict[str, _ArgumentValue] = {}
    reads_lines = option.kind == "flag" and _LINES.search(option.help) is not None
    for name, value in values.items():
        found[name] = value
        if value.file is None:
            continue
        stem, _, own = value.file[0].rpartition(".")
        if own in SEPARATORS and ending in (*SEPARATORS, "json") and own != ending:
            file = f"{stem}.{ending}", table_in_format(value.file[1], SEPARATORS[own], ending)
        elif reads_lines and (lines := as_lines(value.file[1])):
            file = value.file[0], lines
        else:
            continue
        found[name] = _ArgumentValue((*value.words[:-1], file[0]), file)
    return found


def _with_options_before(
    command: Command, base: Mapping[str, _ArgumentValue], known: ProgramFacts, at: int
) -> Iterator[ProgramRun]:
    """Yield runs with each option that the program itself takes before a subcommand."""
    for item in command.before:
        ways = _given(item, known) if item.flags and item.name not in ("version", "help") else []
        if at < len(ways):
            plain = _run(command, base)
            files = dict(plain.files) | dict([file] if (file := ways[at].file) is not None else [])
            yield ProgramRun(tuple(files.items()), ((*ways[at].words, *plain.commands[0]),), command.words)


def _column_names(
    command: Command, pools: Mapping[str, Sequence[_ArgumentValue]], known: ProgramFacts
) -> dict[str, list[_ArgumentValue]]:
    """Return the columns of the table that a command reads, for arguments that name a column."""
    files = [way.file for argument in command.arguments for way in pools[argument.name] if way.file is not None]
    heads = [columns for name, text in files if (columns := column_names(name, text))]
    naming = [argument for argument in command.arguments if heads and names_column(argument)]
    return {
        argument.name: [
            _flagged(argument, _ArgumentValue((name,)))
            for name in dict.fromkeys(
                (*(one[0] for one in _shown_values(argument, known) if len(one) == 1), *heads[0][:_MOST_COLUMNS])
            )
        ]
        for argument in naming
    }


def _told_apart(
    command: Command, base: Mapping[str, _ArgumentValue], known: ProgramFacts, shown: Collection[str]
) -> dict[str, _ArgumentValue]:
    """Return other files for inputs that would hold what an earlier one holds: of equal ones nothing is told.

    Args:
        shown: arguments whose files have the names that a documented line gives.
    """
    found: dict[str, _ArgumentValue] = {}
    held: list[tuple[str, str]] = []
    for argument in command.arguments:
        own = base[argument.name].file if argument.kind == "input" and argument.name in base else None
        if own is None:
            continue
        if any(own[1] == text for _, text in held) and not (argument.name in shown and own in held):
            name = own[0] if argument.name in shown else _free_name(argument, own[0], [name for name, _ in held])
            own = name, _other_text(argument, own, held, known)
            words = base[argument.name].words
            found[argument.name] = _ArgumentValue((*words[:-1], own[0]), own)
        held.append(own)
    return found


def _free_name(argument: ProgramArgument, name: str, held: Sequence[str]) -> str:
    ending = name.rpartition(".")[2]
    stem = re.sub(r"\W+", "_", argument.name).strip("_").lower() or "other"
    made = stem if stem.endswith(f".{ending}") else f"{stem}.{ending}"
    return f"other_{made}" if made in held else made


def _other_text(
    argument: ProgramArgument, own: tuple[str, str], held: Sequence[tuple[str, str]], known: ProgramFacts
) -> str:
    """Return other contents for a file than those that are held."""
    ending = own[0].rpartition(".")[2]
    if ending in SEPARATORS:
        return altered_table(own[1], SEPARATORS[ending])
    ways = known.inputs_for(argument, own[0])
    others = [text for _, text in ways if text not in [text for _, text in held]]
    return [*others, "".join(own[1].splitlines(keepends=True)[1:])][0]


def _documented(command: Command, known: ProgramFacts) -> dict[str, _ArgumentValue]:
    """What the first documented line of a command gives to each argument."""
    line = next((line for line in known.documented if matching_command(line, known.commands) is command), None)
    if line is None:
        return {}
    found: dict[str, _ArgumentValue] = {}
    for words, argument in arguments_in(line, command):
        file = None
        if argument.kind == "input":
            file = _file_for(words[-1], argument, known)
        before = found.get(argument.name)
        # A value has one file: of several inputs the first is given.
        if before is not None and before.file is not None:
            continue
        found[argument.name] = _ArgumentValue((*before.words, *words) if before is not None else words, file)
    return found


def _file_for(word: str, argument: ProgramArgument, known: ProgramFacts) -> tuple[str, str]:
    """Name and contents of the file that a word of a documented line stands for; one in the folder for `.`."""
    named = "" if word == "." else word
    shown = file_of_name(known.files, named)
    if shown is not None:
        return shown
    name, text = known.inputs_for(argument, named)[0]
    return named or name, text


def _shown_name(argument: ProgramArgument, known: ProgramFacts) -> str:
    """The name of a file that a documented line gives for an argument."""
    for line in known.documented:
        command = matching_command(line, known.commands)
        for words, entry in arguments_in(line, command) if command is not None else ():
            if entry == argument and words[-1] != ".":
                return words[-1]
    return ""


def _shown_values(argument: ProgramArgument, known: ProgramFacts) -> list[tuple[str, ...]]:
    """The values that documented lines give for an argument."""
    found: list[tuple[str, ...]] = []
    for line in known.documented:
        command = matching_command(line, known.commands)
        given = arguments_in(line, command) if command is not None else []
        found += [words[1:] if argument.flags else words for words, entry in given if entry == argument]
    return found


def _given(argument: ProgramArgument, known: ProgramFacts) -> list[_ArgumentValue]:
    """Ways to give one argument, the plainest first."""
    if argument.kind == "flag":
        return [_ArgumentValue((argument.flag,))]
    if argument.kind == "input":
        files = known.inputs_for(argument, _shown_name(argument, known))
        ways = [_ArgumentValue((name,), (name, text)) for name, text in files]
        if argument.many and len(files) > 1 and files[0][1] != files[1][1]:
            first = (_shown_name(argument, known) or files[0][0], files[0][1])
            both = _ArgumentValue((first[0], files[1][0]), first, (files[1],))
            ways[1:1] = [both] if first[0] != files[1][0] else []
        return [_flagged(argument, way) for way in (*ways, _ArgumentValue((f"missing.{_ending(files)}",)))]
    if argument.kind == "output":
        return [_flagged(argument, _ArgumentValue((_output_name(argument),)))]
    shown = _shown_values(argument, known)
    values = tuple(dict.fromkeys((*(one[0] for one in shown if len(one) == 1), *plain_values(argument))))
    if argument.kind in ("whole", "number"):
        defaults = (argument.documented_default, argument.default)
        values = tuple(dict.fromkeys((*(default for default in defaults if default), *values)))
    if argument.count > 1:
        made_up = tuple((values * argument.count)[: argument.count])
        whole = [words for words in shown if len(words) == argument.count]
        return [_flagged(argument, _ArgumentValue(words)) for words in whole or [made_up]]
    ways = [_ArgumentValue((value,)) for value in values]
    if argument.many and len(values) > 1:
        ways.insert(1, _ArgumentValue(values[:2]))
    return [_flagged(argument, way) for way in ways]


def _flagged(argument: ProgramArgument, given: _ArgumentValue) -> _ArgumentValue:
    return replace(given, words=(argument.flag, *given.words)) if argument.flags else given


def _ending(files: Sequence[tuple[str, str]]) -> str:
    return files[0][0].rpartition(".")[2] if files else "txt"


def _output_name(argument: ProgramArgument) -> str:
    if DATABASE.match(argument.name.lower().replace("-", "_")):
        return "data.db"
    description = f"{argument.name} {argument.help}".lower()
    if re.search(r"(?:^|[_-])(?:dir|directory|folder)$", argument.name.lower()):
        return argument.name.strip("_").lower().replace("-", "_")
    ending = next(
        (format_ for format_ in ("csv", "json", "html", "xml", "yaml", "toml", "md") if format_ in description), "txt"
    )
    stem = argument.name.strip("_").lower().replace("-", "_")
    return stem if stem.endswith(f".{ending}") else f"{stem}.{ending}"


def _run(command: Command, given: Mapping[str, _ArgumentValue]) -> ProgramRun:
    """A run of one command: positional arguments first, then options."""
    order = [argument for argument in command.arguments if not argument.flags] + [
        argument for argument in command.arguments if argument.flags
    ]
    chosen = [given[argument.name] for argument in order if argument.name in given]
    words = [word for value in chosen for word in value.words]
    files = dict(file for value in chosen for file in (value.file, *value.more) if file is not None)
    return ProgramRun(tuple(files.items()), ((*command.words, *words),), command.words)


def following_runs(seen: Sequence[tuple[ProgramRun, RunObservation]], single: Sequence[ProgramRun]) -> list[ProgramRun]:
    """Runs in which a command follows others that changed their folder.

    Args:
        seen: observed runs, of one command or of two.
        single: the commands that may come last.
    """
    states = [run for run, result in seen if leaves_state(run, result)]
    found: dict[ProgramRun, None] = {}
    for single_run in single:
        for state in _spread(states):
            # The same command three times shows nothing that twice does not.
            if state.commands[-1] == single_run.commands[-1] and len(state.commands) > 1:
                continue
            files = dict(state.files)
            # Both commands need a file of one name with different contents.
            if any(files.get(name, text) != text for name, text in single_run.files):
                continue
            files.update(single_run.files)
            found.setdefault(
                ProgramRun(tuple(files.items()), (*state.commands, *single_run.commands), single_run.words)
            )
    return list(found)[:MOST_FOLLOWING]


def boundary_runs(seen: Sequence[tuple[ProgramRun, RunObservation]], commands: Sequence[Command]) -> list[ProgramRun]:
    """Runs whose integer arguments are numbers in the folder or the output, where comparisons have boundaries."""
    found: dict[ProgramRun, None] = {}
    for run, result in seen:
        last = result.last
        command = next((command for command in commands if command.words == run.words), None)
        if command is None or last is None or result.failed or (last.code and not tells_by_code(result)):
            continue
        # The first command begins in an empty folder: what it prints are the numbers that there are.
        line, first = run.commands[-1], len(run.commands) == 1
        held = _numbers_of(last.out or "") if first else _numbers_in(result.before or {})
        for words, argument in arguments_in(line, command):
            if argument.kind != "whole" or not words[-1].isdigit():
                continue
            at = len(line) - 1 - line[::-1].index(words[-1])
            for number in held[:_MOST_EDGES]:
                edge = (*line[:at], number, *line[at + 1 :])
                found.setdefault(ProgramRun(run.files, (*run.commands[:-1], edge), run.words))
    known = {run for run, _ in seen}
    return [run for run in found if run not in known][:MOST_ON_EDGES]


def boundary_arguments(run: ProgramRun, result: RunObservation, commands: Sequence[Command]) -> tuple[str, ...]:
    """Names of the last command's arguments that equal a whole number in the folder."""
    command = next((command for command in commands if command.words == run.words), None)
    held = set(_numbers_in(result.before or {}))
    given = arguments_in(run.commands[-1], command) if command is not None and held else []
    return tuple(value.name for words, value in given if value.kind == "whole" and words[-1] in held)


def _numbers_in(folder: Mapping[str, Any]) -> list[str]:
    """Whole numbers in rows and texts of a folder, in order."""
    found: dict[str, None] = {}
    for content in folder.values():
        for rows in (content.get("tables") or {}).values():
            found.update((str(cell), None) for row in rows for cell in row if isinstance(cell, int) and cell > 0)
    for content in folder.values():
        found.update((number, None) for number in _numbers_of(content.get("text") or ""))
    return list(found)


def _numbers_of(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"(?<![\w.-])[1-9]\d{0,5}(?![\w.-])", text)))


def tells_by_code(result: RunObservation) -> bool:
    """Whether a run ended with a code that belongs to what it printed, as a linter or a comparison does."""
    last = result.last
    return last is not None and last.code in _TELLING and bool(last.out) and not last.err


_TELLING = range(1, 64)
"""Codes from 64 on are those of sysexits: a failure."""


def _spread(states: Sequence[ProgramRun]) -> list[ProgramRun]:
    """A few states, the first of each subcommand before the second ones."""
    by_words: dict[tuple[str, ...], list[ProgramRun]] = {}
    for state in states:
        by_words.setdefault(state.words, []).append(state)
    firsts = [group[0] for group in by_words.values()]
    return [*firsts, *(state for group in by_words.values() for state in group[1:])][:_MOST_STATES]


def leaves_state(run: ProgramRun, result: RunObservation) -> bool:
    """Whether a run succeeded and left a database with rows, or a file that none of its arguments names."""
    last = result.last
    if last is None or result.failed or last.code != 0 or last.ended != "exited" or result.outside:
        return False
    named = {word for command in run.commands for word in command}
    return any(name not in named or content.get("tables") for name, content in result.changed().items())
