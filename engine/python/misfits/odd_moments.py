"""Finds moments that nobody writes: of the year 1 or 400, at which a search arrives by changing digits."""

from __future__ import annotations

import ast
import re

from ....utils.python_names import dotted_name
from ....utils.python_source import literal_or, shared_module
from ..inputs.operands import YEARS
from ..model.model import RICH_SOURCES, Documentation, ModuleFacts, Trial
from .forbidden_calls import calls_in

_FIRST_OF_FOUR_DIGITS = 1000


def has_odd_year(trial: Trial, facts: ModuleFacts) -> bool:
    """Whether a trial that nobody wrote makes a date far from today, of a year that neither code nor document names."""
    if trial.source in RICH_SOURCES:
        return False
    names = _names_of_dates(trial, facts)
    years = [_year_of(one) for one in calls_in(trial) if dotted_name(one.func) in names]
    odd = [year for year in years if year is not None and year not in YEARS]
    return bool(odd) and not any(_is_named(year, facts) for year in odd)


def _names_of_dates(trial: Trial, facts: ModuleFacts) -> set[str]:
    """What the classes of dates are called in a trial: `date`, `datetime.datetime`."""
    names: set[str] = set()
    for statement in (*trial.imports, *(text for _, text in facts.imports)):
        tree = shared_module(statement.strip())
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.ImportFrom) and node.module == "datetime":
                names |= {one.asname or one.name for one in node.names if one.name in ("date", "datetime")}
            elif isinstance(node, ast.Import):
                modules = [one.asname or one.name for one in node.names if one.name == "datetime"]
                names |= {f"{module}.{name}" for module in modules for name in ("date", "datetime")}
    return names


def _year_of(node: ast.Call) -> int | None:
    given = node.args[0] if node.args else next((one.value for one in node.keywords if one.arg == "year"), None)
    year = literal_or(given, None) if given is not None else None
    return year if isinstance(year, int) and len(node.args) + len(node.keywords) > 2 else None


def _is_named(year: int, facts: ModuleFacts) -> bool:
    """Whether the code compares with a year, or a document speaks of it."""
    if year < _FIRST_OF_FOUR_DIGITS:
        return False  # such a number counts other things
    callables = facts.callables()
    documents = [facts.documentation, *(one.documentation for one in (*facts.classes, *callables))]
    written = [text for _, text in facts.constants] + [text for one in callables for text in one.constants]
    written += [text for one in documents for text in _texts_of(one)]
    return any(re.search(rf"\b{year}\b", text) for text in written)


def _texts_of(documentation: Documentation) -> list[str]:
    shown = [text for one in documentation.examples for text in (*one.arrange, one.act)]
    return [documentation.text, *shown]
