"""Generates rows of arguments for a call: which parameters are passed, with which of their values."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Mapping

from ..model.candidates import Candidate, combined
from ..model.model import CallableFacts, Parameter

Row = tuple[tuple[Parameter, Candidate], ...]
Pools = Mapping[str, tuple[Candidate, ...]]
_MIXED_ROWS = 60
_CLOCK = re.compile(r"(\w+\.)*(monotonic|perf_counter|time|now|utcnow|today)(_ns)?")


def argument_rows(one: CallableFacts, pools: Pools, limit: int) -> Iterator[Row]:
    """Yields at most `limit` distinct rows, the plainest first; none where a required parameter has no values.

    First the required parameters with their first values; then each parameter varied alone, round-robin; then mixtures
    drawn with a seed of the callable's name. A parameter whose default is a real clock is always passed: results that
    depend on that clock cannot be repeated.
    """
    if any(item.required and not pools.get(item.name) for item in one.parameters):
        return
    required = [item for item in one.parameters if item.required or (_takes_clock(item) and pools.get(item.name))]
    seen: set[str] = set()
    for chosen in _choices(one, pools, required):
        row = _row(one, chosen)
        key = rendered_arguments(row).source
        if key not in seen:
            seen.add(key)
            yield row
            if len(seen) >= limit:
                return


def _choices(one: CallableFacts, pools: Pools, required: list[Parameter]) -> Iterator[dict[str, Candidate]]:
    base = {item.name: pools[item.name][0] for item in required}
    spread = [item for item in one.parameters if item.kind == "var_positional" and pools.get(item.name)]
    if spread:
        yield {**base, spread[0].name: pools[spread[0].name][0]}
    yield base
    varied = [item for item in one.parameters if pools.get(item.name)]
    longest = max((len(pools[item.name]) for item in varied), default=0)
    for index in range(longest):
        for item in varied:
            start = 1 if item.name in base else 0
            if start + index < len(pools[item.name]):
                yield {**base, item.name: pools[item.name][start + index]}
    if len(varied) > 1:
        yield from _mixtures(one, pools, varied)


def _mixtures(one: CallableFacts, pools: Pools, varied: list[Parameter]) -> Iterator[dict[str, Candidate]]:
    """Yields rows that vary several parameters at a time; seeded, so that each run draws the same."""
    generator = random.Random(zlib.crc32(one.qualname.encode()))
    for _ in range(_MIXED_ROWS):
        chosen: dict[str, Candidate] = {}
        for item in varied:
            if item.required or _takes_clock(item) or generator.random() < 0.5:
                chosen[item.name] = generator.choice(pools[item.name])
        yield chosen


def _takes_clock(item: Parameter) -> bool:
    return _CLOCK.fullmatch(item.default or "") is not None


def _row(one: CallableFacts, chosen: dict[str, Candidate]) -> Row:
    """The chosen values in order of declaration; positional-only parameters before a chosen one get their defaults."""
    last = max(
        (index for index, item in enumerate(one.parameters) if item.kind == "positional_only" and item.name in chosen),
        default=-1,
    )
    row: list[tuple[Parameter, Candidate]] = []
    for index, item in enumerate(one.parameters):
        if item.name in chosen:
            row.append((item, chosen[item.name]))
        elif item.kind == "positional_only" and index < last and item.default is not None:
            row.append((item, Candidate(item.default)))
    return tuple(row)


def rendered_arguments(row: Row) -> Candidate:
    """Renders the text between the brackets of the call, with all it needs."""
    parts: list[str] = []
    spreads = any(item.kind == "var_positional" for item, _ in row)
    for item, value in row:
        if item.kind in ("var_positional", "var_keyword"):
            if value.source:
                parts.append(value.source)
        elif item.kind == "keyword_only" or (
            item.default is not None and item.kind != "positional_only" and not spreads
        ):
            parts.append(f"{item.name}={value.source}")
        else:
            parts.append(value.source)
    return combined(", ".join(parts), (value for _, value in row))
