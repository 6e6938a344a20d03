"""Names the tests of program runs: by the command, how it ends, and what sets a run apart from the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ....utils.python_names import unique_name
from ...python.source.titles import cut_slug
from ..model.programs import ProjectProgram
from ..programs.arguments import Command, long_options
from ..programs.proposals import tells_by_code
from ..programs.runs import KeptRun, ProgramFlows

_LONGEST_VALUE = 20
_LONGEST_CAUSE = 48


@dataclass(frozen=True, slots=True)
class _LinePart:
    """An option with its value, or a positional argument, of a command line.

    Attributes:
        option: the long name of the option, without dashes; empty for a positional argument.
        argument: what the parser calls a positional argument; empty where that is not known.
        is_file: whether it is an input file.
    """

    option: str
    value: str
    argument: str = ""
    is_file: bool = False


def run_names(flows: ProgramFlows, kept: Sequence[KeptRun], taken: set[str]) -> list[str]:
    """A case id for each run: its command, the command before it, its ending, and what distinguishes it from others."""
    longs = [long_options(flows.commands, entry.run.words) for entry in kept]
    bases = [_base(flows.program, run, long) for run, long in zip(kept, longs, strict=True)]
    lines = [_line_parts(entry.run.commands[-1], _command_of(entry, flows)) for entry in kept]
    names: list[str] = []
    said: dict[str, Sequence[_LinePart]] = {}
    for entry, line, base in zip(kept, lines, bases, strict=True):
        same = [other for other, its in zip(lines, bases, strict=True) if its == base]
        own = distinguishing_words(line, same) if len(same) > 1 else ""
        words = f"{base}_{own}" if own else base
        if entry.seen.last is not None and entry.seen.last.code and not tells_by_code(entry.seen):
            words = _failing(base, line, lines, entry, flows.program)
        if words in said:
            words = f"{words}_{_beside(line, said[words])}"
        said.setdefault(words, line)
        names.append(unique_name(f"tc_{cut_slug(_slug(words), 80)}", taken))
        taken.add(names[-1])
    return names


def _failing(
    base: str, line: Sequence[_LinePart], lines: Sequence[Sequence[_LinePart]], entry: KeptRun, program: ProjectProgram
) -> str:
    """Name a failure by what most other lines do not have: options that do not go together, or the file."""
    parts = Counter(part for other in lines for part in set(other))
    given = Counter(option for other in lines for option in {part.option for part in other})
    options = [part.option for part in line if part.option and 2 * given[part.option] <= len(lines)]
    files = [part for part in line if not part.option and part.is_file and 2 * parts[part] <= len(lines)]
    last = entry.seen.last
    said = _slug(told_cause((last.err or last.out or "") if last is not None else "", program))
    words = [f"with_{'_and_'.join(options[:2])}"] if options else []
    words += [f"for_{PurePosixPath(file.value).stem}" for file in files[:1]]
    return "_".join([base, *(words or [said] * (0 < len(said) <= _LONGEST_CAUSE))])


def _command_of(entry: KeptRun, flows: ProgramFlows) -> Command | None:
    return next((command for command in flows.commands if command.words == entry.run.words), None)


def _line_parts(line: Sequence[str], command: Command | None) -> tuple[_LinePart, ...]:
    """The options and positional arguments of a line; without a known command, each word is one."""
    arguments = (*command.arguments, *command.before) if command is not None else ()
    by_flag = {flag: argument for argument in arguments for flag in argument.flags}
    positional = [argument for argument in arguments if not argument.flags]
    words, subcommand = list(line), list(command.words) if command is not None else []
    found: list[_LinePart] = []
    at = 0
    while words:
        word = words.pop(0)
        known = by_flag.get(word)
        if known is not None:
            count = 0 if known.kind == "flag" else known.count
            values, words = words[:count], words[count:]
            found.append(_LinePart(known.flag.strip("-"), " ".join(values), is_file=known.kind == "input"))
        elif word.startswith("-"):
            option, _, value = word.partition("=")
            found.append(_LinePart(option.strip("-"), value))
        elif subcommand and word == subcommand[0]:
            subcommand.pop(0)
        else:
            argument = positional[at] if at < len(positional) else None
            at += argument is not None and not argument.many
            name, is_file = (argument.name, argument.kind == "input") if argument is not None else ("", False)
            found.append(_LinePart("", word, name, is_file))
    return tuple(found)


def distinguishing_words(line: Sequence[_LinePart], others: Sequence[Sequence[_LinePart]]) -> str:
    """Return what tells a line from others: an option, its value, an option that it lacks, or its arguments.

    Args:
        others: lines with the same beginning of their name, the line itself among them.
    """
    given = Counter(option for other in others for option in {part.option for part in other})
    parts = Counter(part for other in others for part in set(other))
    own_parts = [part for part in line if parts[part] < len(others)]
    # What most lines have sets none apart, unless a line has nothing else.
    rare = [part for part in own_parts if 2 * parts[part] <= len(others)]
    options = [part for part in rare or own_parts if part.option]
    rarest = min((parts[part] for part in rare if not part.option), default=len(others))
    if options and min(parts[part] for part in options) <= rarest:
        part = min(options, key=lambda one: (given[one.option], parts[one]))
        values = {one.value for other in others for one in other if one.option == part.option}
        is_told = len(values) > 1 and len(part.value) <= _LONGEST_VALUE
        return f"with_{part.option}_{part.value}" if is_told else f"with_{part.option}"
    own = {part.option for part in line}
    lacking = [option for option, count in given.items() if option not in own and 4 * count >= 3 * (len(others) - 1)]
    if lacking and len(others) > 2 and not rare:
        return f"without_{lacking[0]}"
    # A plain line between others with options needs no more words.
    if not rare and not own - {""} and len(given) > 1:
        return ""
    return _of_arguments(line, parts, len(others))


def _of_arguments(line: Sequence[_LinePart], parts: Mapping[_LinePart, int], lines: int) -> str:
    """What the positional arguments of a line say that those of others do not."""
    files = [part for part in line if part.is_file and not part.option]
    if len(files) > 1 and len({part.value for part in files}) == 1:
        return "for_the_same_file"
    if any(count > 1 for name, count in Counter(part.argument for part in files).items() if name):
        return "for_several_files"
    own = [part for part in line if not part.option and parts[part] < lines]
    if not own:
        return ""
    rarest = [part for part in own if parts[part] == min(parts[one] for one in own)]
    if len(files) > 1 and len(rarest) == 1 and rarest[0].argument:
        return f"for_{rarest[0].argument}_{PurePosixPath(rarest[0].value).stem}"
    return f"for_{'_'.join('the_folder' if part.value == '.' else part.value for part in rarest[:2])}"


def _beside(line: Sequence[_LinePart], other: Sequence[_LinePart]) -> str:
    """What a line has or lacks beside another one that the same words name."""
    mine, theirs = [part.option for part in line if part.option], [part.option for part in other if part.option]
    more = [option for option in mine if option not in theirs]
    less = [option for option in theirs if option not in mine]
    return f"and_{more[0]}" if more else f"without_{less[0]}" if less else distinguishing_words(line, [line, other])


def _base(program: ProjectProgram, kept: KeptRun, long: Mapping[str, str]) -> str:
    run, last = kept.run, kept.seen.last
    assert last is not None
    words = [program.name, *run.words]
    *earlier, line = run.commands
    if earlier and earlier[-1] == line:
        options = [long.get(word, word).strip("-") for word in line if word in long]
        words += [*(f"with_{option}" for option in options[:1]), "again"]
    elif earlier:
        first = [word for word in earlier[-1] if not word.startswith("-")][:1]
        words += ["after", *(first if run.words else ["another_run"])]
    if last.code and not tells_by_code(kept.seen):
        words += ["fails"]
    elif last.code:
        options = [long.get(word, word).strip("-") for word in run.commands[-1] if word in long]
        said = told_cause(last.err or last.out or "", program)
        words += [*(f"with_{option}" for option in options[:1]), "reports"]
        words += [cut_slug(_slug(said), 40)] if said and not options else []
    else:
        changed = kept.seen.changed()
        written = [name for name, content in changed.items() if content.get("text") is not None]
        filled = [table for name, content in changed.items() for table in _filled(kept, name, content)]
        kept_tables = [
            table for content in kept.seen.kept_rows(run).values() for table, rows in content["tables"].items() if rows
        ]
        filling = "adds_to" if words[-1] == "again" else "fills"
        words += ["writes", written[0]] if written else [filling, filled[0]] if filled else []
        words += ["keeps", kept_tables[0]] if kept_tables else []
    return _slug("_".join(words))


def _filled(kept: KeptRun, name: str, content: Mapping[str, Any]) -> list[str]:
    """The tables of a file whose rows the last command changed."""
    before = kept.seen.rows_before(name)
    return [table for table, rows in (content.get("tables") or {}).items() if rows and rows != before.get(table)]


def told_cause(text: str, program: ProjectProgram) -> str:
    """The line that says why a program failed or what it reports, without its numbers: the last one after a usage."""
    lines = [line for line in text.strip().splitlines() if re.search(r"[A-Za-z]{3}", line)] or [""]
    line = lines[-1] if lines[0].lower().startswith("usage") or _names_file(lines[0]) else lines[0]
    # A parser names the program and the command that it parses, click says `Error: ` alone.
    line = re.sub(rf"^(?:{re.escape(program.name)}(?: [\w ]+)?: )?(?:error: )?", "", line.strip(), flags=re.IGNORECASE)
    return re.sub(r"^\W*(?:Errno \d+\W+|\d+\W+)*", "", line)


def _names_file(line: str) -> bool:
    """Whether a line is a file's name alone, as linters print it above what they find."""
    return re.fullmatch(r"\S+\.\w+:?", line) is not None


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
