"""What trials did when they were called, as data, and how it is read from the rows that the harness writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...mutation.model import Mutant
from ...sandbox.javascript.jest import SourceMap

Reached = frozenset[tuple[str, int]]
Lines = frozenset[tuple[str, int]]
"""Path of a module and line."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a trial did.

    Attributes:
        outcome: `value`, `throws`, `pending`, `arrange` (it could not be set up) or `hung`.
        source: of the value; empty where it cannot be written out.
        kind: `number`, `string`, `array`, `object`, `function`, … ; `size` of texts and collections.
        instance: name of the class of the value, empty for plain ones.
        argument: index of the argument that it is itself, -1 for none.
        changed: for each argument its source after the call, empty where it is as before.
        facts: expressions over the instance: sources before and after.
        error: name and message.
        branches: (statement or branch, arm) that it reached: ids of the measurement, in measured files after the first
            one with the file's number before them: `1.s4`.
    """

    outcome: str
    source: str = ""
    kind: str = ""
    size: int | None = None
    instance: str = ""
    is_async: bool = False
    iterated: bool = False
    is_self: bool = False
    argument: int = -1
    changed: tuple[str, ...] = ()
    facts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    error: tuple[str, str] = ("", "")
    stable: bool = True
    branches: Reached = frozenset()
    lines: Lines = frozenset()
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """A mutant, or a trivial implementation of a function (`answer` is what it always returns)."""

    mutant: Mutant
    function: str = ""
    answer: str = ""


@dataclass(slots=True)
class Observations:
    """What was observed.

    Attributes:
        seen: by the id of the trial.
        kills: by the id of the trial, indexes of the changes that it notices.
        hung: ids of trials that did not come to an end.
    """

    seen: dict[int, Seen] = field(default_factory=dict)
    kills: dict[int, set[int]] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    hung: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def seen_of(row: Mapping[str, Any]) -> Seen:
    """What a row of the results says."""
    error = row.get("error") or {}
    branches: set[tuple[str, int]] = set()
    reached: Sequence[Mapping[str, Any]] = row.get("reach") or []
    for at, reach in enumerate(reached):
        head = f"{at}." if at else ""
        branches |= {(f"{head}s{one}", 0) for one in reach["s"]}
        branches |= {(f"{head}b{one}", int(arm)) for one, arm in reach["b"]}
    return Seen(
        str(row["outcome"]),
        str(row.get("source") or "") if row.get("exact") else "",
        str(row.get("kind") or ""),
        row.get("size"),
        str(row.get("instance") or ""),
        bool(row.get("isAsync")),
        bool(row.get("iterated")),
        bool(row.get("self")),
        int(row.get("argument", -1)),
        tuple(map(str, row.get("changed") or ())),
        {str(name): (str(was), str(now)) for name, (was, now) in (row.get("facts") or {}).items()},
        (str(error.get("name") or ""), str(error.get("message") or "")),
        True,
        frozenset(branches),
        frozenset(),
        row,
    )


def signature_of(seen: Seen) -> str:
    """What a trial did, as `signature` of the harness."""
    row = seen.raw
    if seen.outcome != "value":
        return _json([seen.outcome, *seen.error])
    return _json([seen.outcome, row["source"] if row["exact"] else row["kind"], row["changed"], row["facts"]])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def lines_of(seen: Seen, measured: Sequence[str], maps: Mapping[str, SourceMap]) -> Lines:
    """The lines that a trial reached.

    Args:
        measured: the measured files, in the order of their numbers.
        maps: places by file.
    """
    found: set[tuple[str, int]] = set()
    for name, _ in seen.branches:
        number, _, bare = name.rpartition(".")
        path = measured[int(number or 0)]
        places = maps.get(path) or SourceMap()
        line = places.statements.get(bare[1:], 0) if bare[0] == "s" else places.branches.get(bare[1:], (0, ()))[0]
        if line:
            found.add((path, line))
    return frozenset(found)
