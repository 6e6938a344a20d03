"""Tells texts of a format that has nothing to do with those that persons pass: arithmetic for a schedule."""

from __future__ import annotations

from collections.abc import Set

from ....utils.python_source import literal_or
from ..domain.arguments import Argument, arguments_of
from ..inputs.text_formats import ALL_TEXTS
from ..model.model import RICH_SOURCES, ModuleFacts, Trial

_SHOWN = frozenset({"doctest", "call site"})
_SIGNS = frozenset("+*=<>/^")


def passes_foreign_text(trial: Trial, facts: ModuleFacts, fitting: Set[str]) -> bool:
    """Whether a trial that nobody wrote passes a sample of a format that the module does not speak of, where persons
    pass texts of their own.

    Args:
        fitting: samples of the formats that the module speaks of.
    """
    if trial.source in RICH_SOURCES or trial.wanted:
        return False
    return any(_is_foreign(one, fitting) for one in arguments_of(trial, facts)[0])


def _is_foreign(one: Argument, fitting: Set[str]) -> bool:
    text = literal_or(one.value, None)
    known = one.domain.kind == "text" and (one.domain.source in _SHOWN or bool(one.domain.choices))
    # Words and numbers are no text of another format, only none of this one.
    speaks = isinstance(text, str) and text in ALL_TEXTS and bool(_SIGNS & set(text)) and " " in text
    return known and speaks and text not in fitting
