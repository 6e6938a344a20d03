"""Tells where a call left items sorted that were passed in another order, without promising it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from ....utils.python_source import literal_or, shared_module, walk
from ..model.model import TrialFinding, Value

_ORDERING = re.compile(r"sort|order|rank|heap|revers|shuffle|rotate|arrange", re.IGNORECASE)


def is_only_sorted(finding: TrialFinding, effect: Value) -> bool:
    """Whether what was asked for, or refused, left items behind in order that were passed in another one.

    To find a median they are sorted: where they are kept so is nothing that the call promises.
    """
    seen = finding.observation
    returned_nothing = seen.outcome == "returned" and (seen.value is None or seen.value.source == "None")
    if returned_nothing or _ORDERING.search(finding.trial.subject):
        return False
    items = literal_or(effect.source or "None", None)
    if not isinstance(items, list) or not _are_in_order(items):
        return False
    trees = filter(None, map(shared_module, finding.trial.arrange))
    nodes = (node for tree in trees for node in walk(tree) if isinstance(node, ast.List | ast.Tuple))
    passed = (literal_or(node, None) for node in nodes)
    return any(one is not None and _are_in_order(one) is False and sorted(one) == items for one in passed)


def _are_in_order(items: Sequence[Any]) -> bool | None:
    """Whether items are sorted; None where they cannot be compared."""
    try:
        return list(items) == sorted(items)
    except TypeError:
        return None
