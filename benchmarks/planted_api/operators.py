"""Faults that change what a web application answers, of kinds that people make: planted in handlers and data access.

A fault is found by the shape of the code, in FastAPI, Flask and Django applications and in what they call; nothing
of it depends on one application. Whether it changes an answer is found out by requests (`behaviour.py`).
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .edits import Edit, Source
from .functions import Function, functions_of, models_answered
from .kinds import KINDS, model_edits


@dataclass(frozen=True)
class Fault:
    """One change of a file; `source` is the whole file with it."""

    kind: str
    path: str
    line: int
    where: str
    before: str
    after: str
    source: str


def faults_in(text: str, path: str, answered: frozenset[str] = frozenset()) -> list[Fault]:
    """Return all faults that can be planted in a module, in order of lines. Raises SyntaxError.

    Args:
        answered: names of the classes that answers are made of, in any module; see `models_answered`.
    """
    source = Source(text)
    found: dict[tuple[int, int, str], Fault] = {}
    for function in functions_of(source.tree):
        for kind, edits in KINDS.items():
            for edit in edits(function, source):
                _add(found, kind, edit, function.name, source, path)
    for kind, name, edit in model_edits(source, answered):
        _add(found, kind, edit, name, source, path)
    return sorted(found.values(), key=lambda fault: (fault.line, fault.kind, fault.after))


def _add(
    found: dict[tuple[int, int, str], Fault], kind: str, edit: Edit, where: str, source: Source, path: str
) -> None:
    key = (edit.start, edit.end, edit.text)
    # The same change may be of two kinds, or in a function within another: the first counts.
    if key in found:
        return
    changed = source.applied(edit)
    ast.parse(changed)
    line, before, after = source.lines(edit)
    found[key] = Fault(kind, path, line, where, before, after, changed)


def drawn(faults: Sequence[Fault], seed: int) -> Iterator[Fault]:
    """Yield the faults in an order drawn with a seed: one of each kind, then a second of each, and so on."""
    chance = random.Random(seed)
    by_kind: dict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        by_kind[fault.kind].append(fault)
    for rows in by_kind.values():
        chance.shuffle(rows)
    kinds = sorted(by_kind)
    chance.shuffle(kinds)
    while any(by_kind.values()):
        for kind in kinds:
            if by_kind[kind]:
                yield by_kind[kind].pop()


__all__ = ["Fault", "Function", "drawn", "faults_in", "models_answered"]
