"""Proposes runs with two options: one that shows nothing by itself beside another, and two that may not go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ..model.programs import ProgramRun, RunObservation
from .plainer import outcome

MOST_PAIRS = 24
_MOST_OTHERS = 2


def paired_runs(seen: Sequence[tuple[ProgramRun, RunObservation]]) -> list[ProgramRun]:
    """Return runs of single commands with two options that were observed one by one.

    An option that changes nothing comes first, beside each that does: what it shows of changed rows needs a key by
    which rows are the same. Then come two options that each change something, which may be refused together.

    Args:
        seen: runs with their results.
    """
    found: dict[ProgramRun, None] = {}
    known = {run for run, _ in seen}
    for words in dict.fromkeys(run.words for run, _ in seen):
        own = [(run, result) for run, result in seen if run.words == words and len(run.commands) == 1]
        for run in _of_command(own):
            if run not in known:
                found.setdefault(run)
    return list(found)[:MOST_PAIRS]


def _of_command(own: Sequence[tuple[ProgramRun, RunObservation]]) -> Iterator[ProgramRun]:
    if not own:
        return
    # Documented lines come first, and may have options already: the plain one is what most others extend.
    plain, usual = max(own, key=lambda one: sum(bool(_added(one[0], run)) for run, _ in own))
    quiet: dict[tuple[str, ...], ProgramRun] = {}
    telling: dict[tuple[str, ...], ProgramRun] = {}
    for run, result in own:
        more = _added(plain, run)
        if more and result.last is not None and not result.last.code:
            # Of each option one value is enough.
            same = outcome(result) == outcome(usual)
            (quiet if same else telling).setdefault(more[:1], run)
    yield from (_both(plain, one, other) for one in quiet.values() for other in telling.values())
    yield from (_both(plain, one, other) for one in quiet.values() for other in _other_lines(plain, own, usual))
    yield from (_both(plain, one, other) for one, other in combinations(telling.values(), 2))


def _other_lines(
    plain: ProgramRun, own: Sequence[tuple[ProgramRun, RunObservation]], usual: RunObservation
) -> list[ProgramRun]:
    """Return a few lines with other values or files that end well with other results: `--plural` needs two rows."""
    found = [
        (run, len(result.last.out or ""))
        for run, result in own
        if result.last is not None and not result.last.code and outcome(result) != outcome(usual)
        if not _added(plain, run) and len(run.commands[0]) <= len(plain.commands[0])
    ]
    return [run for run, _ in sorted(found, key=lambda one: -one[1])[:_MOST_OTHERS]]


def _added(plain: ProgramRun, run: ProgramRun) -> tuple[str, ...]:
    """Return the one option that a run has behind the words of the plain one; empty where it differs otherwise."""
    usual, line = plain.commands[0], run.commands[0]
    more = line[len(usual) :]
    is_option = line[: len(usual)] == usual and bool(more) and more[0].startswith("-")
    is_option = is_option and sum(word.startswith("-") for word in more) == 1
    return more if is_option and set(plain.files) <= set(run.files) else ()


def _both(plain: ProgramRun, one: ProgramRun, other: ProgramRun) -> ProgramRun:
    """Return the other run with the option that one has besides the plain run's words."""
    files = dict(one.files) | dict(other.files)
    return ProgramRun(tuple(files.items()), ((*other.commands[0], *_added(plain, one)),), plain.words)
