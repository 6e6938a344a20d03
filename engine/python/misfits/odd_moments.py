"""Finds moments that nobody writes: of the year 1 or 400, at which a search arrives by changing digits."""

from __future__ import annotations

import ast

from ....utils.python_names import last_name
from ....utils.python_source import literal_or, shared_expression, shared_module
from ..model.model import RICH_SOURCES, Trial

_YEARS = range(1900, 2101)


def has_odd_year(trial: Trial) -> bool:
    """Whether a trial that nobody wrote makes a date far from today."""
    if trial.source in RICH_SOURCES:
        return False
    trees = [*(shared_module(text.strip()) for text in trial.arrange), shared_expression(trial.act)]
    calls = [node for tree in trees if tree is not None for node in ast.walk(tree) if isinstance(node, ast.Call)]
    years = [literal_or(one.args[0], None) for one in calls if _makes_date(one)]
    return any(isinstance(year, int) and year not in _YEARS for year in years)


def _makes_date(node: ast.Call) -> bool:
    return last_name(node.func) in ("datetime", "date") and len(node.args) > 2
