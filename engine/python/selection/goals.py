"""Tells which behaviours a trial shows besides its arcs: endings, kinds of results, sides of comparisons."""

from __future__ import annotations

from functools import lru_cache

from ....utils.python_source import literal_value
from ..model.model import RICH_SOURCES, Observation
from ..search.influence_trials import Distinction
from ..search.trial_search import TrialRecord

Goal = tuple[object, ...]
DISTINCTION = "distinction"


def goals_of(record: TrialRecord) -> frozenset[Goal]:
    """Returns the behaviours a record shows. The first item is the rank: 0 endings and what an argument is for, 1 kinds
    of results and effects, 2 sides of comparisons and real usage."""
    subject, observation = record.trial.subject, record.observation
    goals: set[Goal] = set()
    if observation.raised is not None:
        goals.add((0, subject, observation.raised.type_name, observation.raised.line))
    else:
        goals.add((0, subject, "returned"))
        goals.add((1, subject, *_kind_of_result(observation)))
        if observation.output or observation.errors:
            goals.add((1, subject, "output"))
        goals.update((1, subject, "warns", category) for category, _message in observation.warnings)
        for expression, _value in observation.effects:
            # Which attribute changed, whatever the variable is called.
            changed = "file" if "tmp_path" in expression else expression.partition(".")[2]
            goals.add((1, subject, "effect", changed))
        if record.trial.source in RICH_SOURCES:
            goals.add((2, subject, "as used"))
    if Distinction in record.notes:
        goals.add((0, subject, DISTINCTION, record.notes[Distinction]))
    for line, left, right in observation.operands:
        relation = "=" if left == right else _relation(left, right)
        goals.add((2, subject, line, relation))
        # Being one off a boundary is also being on that side of it.
        goals.add((2, subject, line, relation[:1]))
    return frozenset(goals)


def _kind_of_result(observation: Observation) -> Goal:
    value = observation.value
    if value is None or value.source is None:
        return ("object", value.type_name if value else "")
    if value.source in ("None", "True", "False"):
        return (value.source,)
    if value.length is not None:
        size = "empty" if value.length == 0 else "one" if value.length == 1 else "many"
        return (value.type_name, size, "")
    sign = "-" if value.source.startswith("-") else "0" if value.source in ("0", "0.0") else ""
    return (value.type_name, "", sign)


@lru_cache(maxsize=8192)
def _relation(left: str, right: str) -> str:
    """Classifies two different operands: `<` or `>`, followed by `1` for numbers one apart; `!` where unordered.

    Shifted boundaries change exactly this. Cached because loops compare the same operands again and again.
    """
    try:
        value, other = literal_value(left), literal_value(right)
        if isinstance(value, str | bytes):  # texts are compared for equality, hardly ever for order
            return "!"
        numbers = isinstance(value, int | float) and isinstance(other, int | float)
        return ("<" if value < other else ">") + ("1" if numbers and abs(value - other) == 1 else "")
    except (ValueError, TypeError):
        return "!"
