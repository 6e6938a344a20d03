"""Estimates how hard a trial is to read as a test; short plain calls cost least."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..model.model import Observation, Trial

# Values that people wrote read best, mutated ones worst.
_SOURCES: Mapping[str, float] = {
    "doctest": 0,
    "prose": 0,
    "example": 0,
    "existing_test": 4,
    "call_site": 4,
    "usage": 4,
    "signature": 8,
    "domain": 6,
    "constant": 10,
    "sequence": 12,
    "simplified": 14,
    "plainer": 14,
    "mutation": 20,
}
_ASSIGNED = re.compile(r"(\w+)\s*=(?!=)")
_ODD = re.compile(
    r"\\[xuU0-9]|lambda|float\('nan'\)|object\(\)|\d{8,}|\.(?:now|today)\(\)|\d\.\d{5,}|\bdate(?:time)?\((?!\d{4}\b)|\bPath\('[^/\w]*'\)"
)
_GLANCE = 40
# Empty and one-letter texts: a person would write a meaningful one.
_NAMELESS = re.compile(r"(?<![\w'\"])(?:'[a-z]?'|'aab'|\"[a-z]?\")(?!['\"])")


def reading_cost(trial: Trial, observation: Observation) -> float:
    """Returns about the number of characters to read, with surcharges for odd or uninformative parts."""
    text = _length(trial.act) + sum(_length(statement) + 4 for statement in trial.arrange)
    odd = sum(len(_ODD.findall(one)) for one in (trial.act, *trial.arrange))
    nameless = sum(len(_NAMELESS.findall(one)) for one in (trial.act, *trial.arrange))
    value = observation.value
    shown = 0.0
    if value is not None:
        if value.source is not None:
            shown = min(len(value.source), 200) / 2 if len(value.source) > 20 else 0
        elif value.attributes:
            shown = 15 + 10 * min(len(value.attributes), 4)  # several assertions, which together tell a part of it
        else:
            shown = 60
        leaves_traces = observation.effects or observation.output or observation.errors or observation.warnings
        if value.source == "None" and not leaves_traces:
            shown = 40
    imports = 3 * max(0, len(trial.imports) - 1)
    origin = _SOURCES.get(trial.source, 14) + (6 if trial.fixtures else 0)
    return text + 12 * odd + 10 * nameless + shown + imports + origin


def _length(code: str) -> float:
    """Characters to read; of a line that is seen at one glance, half of them."""
    return len(code) / 2 if len(code) <= _GLANCE else len(code) - _GLANCE / 2


def rebinds_import(trial: Trial) -> bool:
    """Whether an arranging statement assigns to an imported name, which readers and the renderer would confuse."""
    imported = {import_.split()[-1].partition(".")[0] for import_ in trial.imports}
    assigned = {match[1] for one in trial.arrange if (match := _ASSIGNED.match(one))}
    return bool(imported & assigned)
