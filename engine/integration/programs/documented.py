"""Finds the commands in a project's documents, and options whose help text documents a wrong default."""

from __future__ import annotations

import re
import shlex
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from ....utils.generated_header import is_untouched
from ....utils.untrusted_files import source_or_empty
from ...python.project.layout import Layout
from ...python.source.titles import cut_slug
from ..model.programs import DEFAULT_CONDITIONS, ProgramRun, ProjectProgram, RunConditions, RunObservation
from .arguments import Command, ProgramArgument

_MOST_COMMANDS = 12
_LARGEST = 400_000
_PLACEHOLDER = re.compile(r"[<>|&;$`*\[\]{}]|\.\.\.|…|^[A-Z_]{3,}$")
_FIELD = re.compile(r"\{\w+\}")
_PATTERN = re.compile(r"^\*\.(\w+)$")
_WORD = re.compile(r"[A-Za-z]{3,}")
_SENTENCE = re.compile(
    r"(?<![\w./=-])(?:a|an|and|are|as|be|by|can|does|for|from|has|if|in|is|it|of|on|or|that|the|then|this|to|was|when"
    r"|which|will|with|you|your)(?![\w/=-]|\.\w)",
    re.IGNORECASE,
)
_MOST_SUCH = 1
_CODE = re.compile(
    r"[-+*/%<>!|&:@^]*=(?![\w-])|[(,]|:\s|\.[A-Za-z_]\w*\s*[(=]|import \w+$|is (?:not )?None\b|if .+ else "
)
_NEGATIVE = re.compile(r"-\d+(\.\d+)?")
_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})[\s{.]*([\w+-]*)")
_SHELLS = ("", "sh", "bash", "zsh", "fish", "shell", "shell-session", "console", "terminal", "powershell", "cmd")
# Outside a block `>` begins a quotation.
_PROMPT = re.compile(r"[ \t]*[$%] ")
_PROMPT_IN_BLOCK = re.compile(r"[ \t]*[$%>] ")


def documented_commands(
    root: Path, layout: Layout, program: ProjectProgram, commands: Iterable[Command] = ()
) -> list[tuple[str, ...]]:
    """Arguments of the commands in README, documentation and the program's own file, in order.

    Args:
        commands: those that the program is known to have: a line that begins with one of them is no code.
    """
    commands = list(commands)
    known = {command.words[0] for command in commands if command.words}
    found: dict[tuple[str, ...], None] = {}
    for path in (program.place.path, *layout.documents):
        for arguments, is_shown in _commands_in(_text(root / path), program, known):
            if is_shown or not _names_no_file(arguments, commands):
                found.setdefault(_with_values_apart(arguments, commands))
    return list(found)[:_MOST_COMMANDS]


def _with_values_apart(arguments: Sequence[str], commands: Sequence[Command]) -> tuple[str, ...]:
    """Return a line with the values of its options as words of their own: `--key id` for `--key=id`."""
    command = matching_command(arguments, commands)
    own = (*command.arguments, *command.before) if command is not None else ()
    taking = {flag for argument in own if argument.kind != "flag" for flag in argument.flags}
    found: list[str] = []
    for word in arguments:
        option, _, value = word.partition("=")
        found += [option, value] if value and option in taking else [word]
    return tuple(found)


def _text(path: Path) -> str:
    text = source_or_empty(path.parent, path.name, most=_LARGEST)
    return "" if is_untouched(text) else text


def _commands_in(text: str, program: ProjectProgram, known: Collection[str]) -> Iterable[tuple[tuple[str, ...], bool]]:
    """Each line's arguments, and whether it is surely a command: behind a prompt or in a fenced block for a shell."""
    names = [re.escape(program.name)]
    if program.start[0] == "-m":
        names.append(rf"python3? -m {re.escape(program.start[1])}")
    pattern = re.compile(rf"[ \t]*(?:[$%>] )?(?:{'|'.join(names)})[ \t]+(\S.*)$")
    # A line that ends in a backslash goes on in the next one.
    for line, is_shown in _lines(re.sub(r"(?<![ \t])[ \t]*\\\n[ \t]*", " ", text)):
        match = pattern.match(line)
        if match is None:
            continue
        try:
            # A pattern of file names stands for one of them.
            arguments = tuple(_PATTERN.sub(r"input.\1", word) for word in shlex.split(match[1], comments=True))
        except ValueError:
            continue
        is_code = _CODE.match(match[1]) and not {*arguments[:1]} & {*known}
        if is_code or _is_prose(match[1]):
            continue
        # A folder cannot be made up as a file is.
        if arguments and not any(_is_placeholder(one, match[1]) or one.endswith("/") for one in arguments):
            yield arguments, is_shown


def _is_placeholder(word: str, line: str) -> bool:
    """Whether a word stands for another one; in a quoted template (`"item {id}"`) names in braces do not."""
    is_quoted = any(f"{quote}{word}{quote}" in line for quote in "'\"")
    return _PLACEHOLDER.search(_FIELD.sub("", word) if is_quoted else word) is not None


def _lines(text: str) -> Iterable[tuple[str, bool]]:
    """Each line of a document but its fences, and whether what stands there is given to a shell."""
    opened, language = "", ""
    block: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if opened and fence and fence[1].startswith(opened) and fence[1] == line.strip():
            yield from _lines_of_block(block, language)
            opened, block = "", []
        elif opened:
            block.append(line)
        elif fence:
            opened, language = fence[1], fence[2].lower()
        else:
            yield line, _PROMPT.match(line) is not None
    # What nothing closes is no block.
    yield from ((line, _PROMPT.match(line) is not None) for line in block)


def _lines_of_block(lines: Sequence[str], language: str) -> Iterable[tuple[str, bool]]:
    """Each line of a fenced block likewise: where some have a prompt, the others are output."""
    prompts = [_PROMPT_IN_BLOCK.match(line) is not None for line in lines]
    for line, has_prompt in zip(lines, prompts, strict=True):
        is_shell = language in _SHELLS and has_prompt is any(prompts)
        yield line, is_shell or _PROMPT.match(line) is not None


def _is_prose(text: str) -> bool:
    """Whether what follows a program's name goes on a sentence about it; quoted words are arguments."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", text).strip()
    return len(_SENTENCE.findall(bare)) > _MOST_SUCH or bool(re.search(r"[a-z]{2}[.:,]$|[a-z], ", bare))


def _names_no_file(arguments: Sequence[str], commands: Sequence[Command]) -> bool:
    """Whether a line is a program's name and a word of prose (`tool documentation`) where the program takes a file."""
    if len(arguments) != 1 or not arguments[0].isalpha():
        return False
    command = matching_command(arguments, commands)
    return command is not None and bool(files_in(arguments, command))


def matching_command(arguments: Sequence[str], commands: Sequence[Command]) -> Command | None:
    """The command that a documented line calls, or None where it uses unknown options."""
    for command in sorted(commands, key=lambda command: -len(command.words)):
        rest = list(arguments)
        if all(word in rest for word in command.words):
            known = {flag for argument in (*command.arguments, *command.before) for flag in argument.flags}
            flagged = [word for word in arguments if word.startswith("-") and not _NEGATIVE.fullmatch(word)]
            options = [word.partition("=")[0] for word in flagged]
            named = all(option in known or (len(option) > 2 and option[:2] in known) for option in options)
            if named and not _is_beyond(arguments, command):
                return command
    return None


def _is_beyond(arguments: Sequence[str], command: Command) -> bool:
    """Whether a line has more words than its command takes: it is none of its lines."""
    positional = [argument for argument in command.arguments if not argument.flags]
    if any(argument.many for argument in positional):
        return False
    by_flag = {flag: argument for argument in (*command.arguments, *command.before) for flag in argument.flags}
    words, waiting = 0, 0
    for word in arguments:
        if waiting and not word.startswith("-"):
            waiting -= 1
        elif word.startswith("-") and not _NEGATIVE.fullmatch(word):
            option = by_flag.get(word)
            # The value of an option may follow in any number.
            if option is not None and option.many:
                return False
            waiting = option.count if option is not None and option.kind != "flag" else 0
        else:
            words += 1
    return words > len(command.words) + sum(argument.count for argument in positional)


def files_in(arguments: Sequence[str], command: Command) -> list[tuple[str, ProgramArgument]]:
    """Words of a documented line that stand for input files, with the argument each is given for."""
    return [(words[-1], argument) for words, argument in arguments_in(arguments, command) if argument.kind == "input"]


def arguments_in(arguments: Sequence[str], command: Command) -> list[tuple[tuple[str, ...], ProgramArgument]]:
    """The words of a documented line, with the argument that each part of it is given for."""
    positional = [argument for argument in command.arguments if not argument.flags]
    by_flag = {flag: argument for argument in (*command.arguments, *command.before) for flag in argument.flags}
    found: list[tuple[tuple[str, ...], ProgramArgument]] = []
    words = list(command.words)
    option: list[str] = []
    at = 0
    for word in arguments:
        # The words before are a flag and those of its values that are given so far.
        if option:
            option.append(word)
            if len(option) > by_flag[option[0]].count:
                found.append((tuple(option), by_flag[option[0]]))
                option = []
        elif word in by_flag:
            if by_flag[word].kind == "flag":
                found.append(((word,), by_flag[word]))
            else:
                option = [word]
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


Observe = Callable[[Sequence[ProgramRun], RunConditions], Awaitable[list[RunObservation]]]
_MOST_STATES = 6


async def wrong_documented_defaults(
    observe: Observe,
    program: ProjectProgram,
    commands: Sequence[Command],
    seen: Sequence[tuple[ProgramRun, RunObservation]],
    source: str = "",
) -> list[dict[str, Any]]:
    """Finds options whose help names a wrong default: without the option the program behaves differently.

    Args:
        observe: runs the program.
        seen: runs so far; those that end well are tried with the option, and with its documented default.
        source: text of the file that the program begins in, where the help text may stand.
    """
    found: list[dict[str, Any]] = []
    for command in commands:
        for argument in command.arguments:
            if _differs(argument):
                entry = await _shown(observe, program, command, argument, seen)
                if entry is not None:
                    line = _line_of(argument.help, source)
                    found.append({**entry, "evidence": {"path": program.place.path, "lines": [line, line]}})
    return found


def relies_on_wrong_default(run: ProgramRun, commands: Sequence[Command]) -> bool:
    """Whether a run depends on a default that the help text contradicts: its behaviour should not be asserted."""
    command = next((command for command in commands if command.words == run.words), None)
    given = set(run.commands[-1])
    return any(
        _differs(argument) and not set(argument.flags) & given for argument in (command.arguments if command else ())
    )


def _differs(argument: ProgramArgument) -> bool:
    """Whether the help text names another default than the parser has."""
    documented, real = argument.documented_default, argument.default
    # A positional argument or a switch has no default that could be tried.
    if not argument.flags or argument.kind == "flag" or documented is None or real is None:
        return False
    # A word for a sign, such as `comma` for `,`, is its name and no value.
    if documented.isalpha() and not any(letter.isalnum() for letter in real):
        return False
    return _plain(documented) != _plain(real)


def _plain(text: str) -> str:
    stripped = text.strip("'\"`").rstrip(".").lower()
    try:
        return repr(float(stripped))
    except ValueError:
        return stripped


async def _shown(
    observe: Observe,
    program: ProjectProgram,
    command: Command,
    argument: ProgramArgument,
    seen: Sequence[tuple[ProgramRun, RunObservation]],
) -> dict[str, Any] | None:
    """The defect as a spec entry, if a run without the option differs from one with the documented default."""
    assert argument.documented_default is not None
    assert argument.default is not None
    ended_well = [run for run, result in seen if result.last is not None and result.last.code == 0]
    usable = [run for run in ended_well if run.words == command.words and not {*argument.flags} & {*run.commands[-1]}]
    states = sorted(usable, key=lambda run: -len(run.commands))[:_MOST_STATES]
    tried = [
        (run, _with(run, argument, argument.documented_default), _with(run, argument, argument.default))
        for run in states
    ]
    results = await observe([run for group in tried for run in group], DEFAULT_CONDITIONS)
    for at, (run, promised, _) in enumerate(tried):
        without, documented, actual = results[3 * at : 3 * at + 3]
        if _outcome(without) == _outcome(actual) and _outcome(without) != _outcome(documented):
            name, default = " ".join([program.name, *command.words]), argument.documented_default
            same = f"does what {argument.flag} {argument.default} does, not {argument.flag} {default}"
            observed = f"without {argument.flag} it {same}"
            slug = cut_slug(re.sub(r"\W+", "_", f"{name}_{argument.name}_default").strip("_").lower(), 60)
            return {
                "id": f"sd_{slug}",
                "title": f"{name}: {observed}, where its help says that {default} is the default"[:290],
                "subject": name,
                "documented": f"{argument.flag}: {argument.help}"[:600],
                "observed": f"{observed}; {_shown_result(without)} instead of {_shown_result(documented)}"[:600],
                "reproduce": reproduce(program, (run, promised)),
            }
    return None


def _with(run: ProgramRun, argument: ProgramArgument, value: str) -> ProgramRun:
    last = (*run.commands[-1], argument.flag, value)
    return ProgramRun(run.files, (*run.commands[:-1], last), run.words)


def _outcome(result: RunObservation) -> tuple[Any, ...]:
    last = result.last
    return (result.failed, last and (last.code, last.out, last.err, last.ended), result.changed())


def _line_of(help_text: str, source: str) -> int:
    """The first line that holds the help text, or its beginning."""
    for text in (help_text, help_text[:30]):
        at = source.find(text) if text else -1
        if at >= 0:
            return source.count("\n", 0, at) + 1
    return 1


def _shown_result(result: RunObservation) -> str:
    last = result.last
    return repr((last.out or last.err or "")[:120]) if last is not None else "nothing"


def reproduce(program: ProjectProgram, runs: Sequence[ProgramRun]) -> str:
    """Lines for a shell in the project's root that show the last commands of some runs after the same beginning."""
    root = program.place.import_root
    path = '"$PWD"' if root == "." else f'"$PWD/{root}"'
    lines = [f"export PYTHONPATH={path}", 'cd "$(mktemp -d)"']
    for name, text in runs[0].files:
        lines.append(f"printf %s {shlex.quote(text)} > {shlex.quote(name)}")
    for command in (*runs[0].commands[:-1], *(run.commands[-1] for run in runs)):
        lines.append(shlex.join(["python", *program.start, *command]))
    return "\n".join(lines)[:4000]
