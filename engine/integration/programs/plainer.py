"""Finds runs that have words too many: a plainer run with the same results shows all that they show."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from ..model.programs import ProgramRun, RunObservation
from .proposals import tells_by_code

_USAGE = "usage:"
_HELP_OPTIONS = ("-h, --help", "--help")


def idle_runs(seen: Mapping[ProgramRun, RunObservation]) -> frozenset[ProgramRun]:
    """The runs with options or files that change neither what is printed nor the folder, nor how the program ends.

    Args:
        seen: runs that may become tests, each with its results.
    """
    return frozenset(
        run
        for run, result in seen.items()
        if any(is_plainer(other, run) and outcome(seen[other]) == outcome(result) for other in seen)
    )


def merged_runs(seen: Mapping[ProgramRun, RunObservation]) -> frozenset[ProgramRun]:
    """The runs whose every line of output plainer runs print, too: two options that have nothing to do with each other.

    Args:
        seen: runs that may become tests, each with its results.
    """
    found: set[ProgramRun] = set()
    for run, result in seen.items():
        last = result.last
        if last is None or last.code or not last.out or result.changed():
            continue
        lines = _lines(result)
        plainer = [_lines(seen[other]) for other in seen if is_plainer(other, run)]
        if len(plainer) > 1 and set(lines) <= {line for one in plainer for line in one}:
            # In another order they say something else.
            found |= {run} if all(_in_order(lines, one) for one in plainer) else set()
    return frozenset(found)


def _in_order(lines: Sequence[str], others: Sequence[str]) -> bool:
    """Whether those lines that both have, each once, stand in the same order."""
    shared = [line for line in dict.fromkeys(lines) if line in others]
    return shared == [line for line in dict.fromkeys(others) if line in shared]


def _lines(result: RunObservation) -> list[str]:
    last = result.last
    return (last.out or "").splitlines() if last is not None and not last.code else []


def is_plainer(one: ProgramRun, other: ProgramRun) -> bool:
    """Whether a run has the commands and files of another one, without some of its words."""
    if one.commands == other.commands or len(one.commands) != len(other.commands) or one.words != other.words:
        return False
    pairs = zip(one.commands, other.commands, strict=True)
    return set(one.files) <= set(other.files) and all(_is_within(fewer, more) for fewer, more in pairs)


def _is_within(fewer: Sequence[str], more: Collection[str]) -> bool:
    """Whether words stand among others in the same order."""
    left = iter(more)
    return all(word in left for word in fewer)


def outcome(result: RunObservation) -> tuple[object, ...]:
    """The results of a run that a user sees; runs with equal outcomes are duplicates."""
    last = result.last
    return (result.changed(), last.code, last.out, last.err) if last is not None else (None, 0)


def without_names(text: str, run: ProgramRun) -> str:
    """A text with one mark for the names of a run's files: what differs in them alone says the same."""
    for name in sorted((name for name, _ in run.files), key=len, reverse=True):
        text = re.sub(rf"(?<![\w.-])(?:\./)?{re.escape(name)}(?![\w-])", "<file>", text)
    return text


def prints_help(result: RunObservation) -> bool:
    """Whether a run tells how the program is used and nothing else."""
    last = result.last
    if last is None or result.changed() or tells_by_code(result):
        return False
    text = (last.out or "").lstrip().lower()
    return text.startswith(_USAGE) and any(line.strip(" \t│|").startswith(_HELP_OPTIONS) for line in text.splitlines())
