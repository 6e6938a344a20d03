"""Tells words that no person passes from those that code, documents and tests name: an option may take no such word."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ....utils.python_names import last_name
from ....utils.python_source import shared_expression
from ..model.domain import UNKNOWN, CallableDomains, ParameterDomain
from ..model.model import CallableFacts, Trial
from ..source.shown_calls import shown_calls
from .harvest import AS_WRITTEN

_EQUALITY = frozenset({"==", "!=", "in", "not in"})


def written_acts(trials: Iterable[Trial]) -> str:
    """The calls that stand in documents and tests, as one text to look words up in.

    Those of other code are no such evidence: what it passes is completed by values that nobody wrote.
    """
    return " ".join(trial.act for trial in trials if trial.source in AS_WRITTEN)


def is_invented_word(
    option: str, value: ast.expr | None, called: CallableFacts, domain: ParameterDomain, written: str
) -> bool:
    """Whether an option is given a word that no written call has, and that neither its domain nor the code names.

    Args:
        written: as from `written_acts`.
    """
    word = value.value if isinstance(value, ast.Constant) else None
    if not isinstance(word, str) or not word.isalpha():
        return False
    named = {*domain.choices, *domain.words, *domain.samples, *domain.parts}
    named.update(part.operand for part in called.comparisons if part.name == option)
    named.update(one.default for one in called.parameters if one.name == option and one.default is not None)
    return repr(word) not in named and repr(word) not in written


def invented_words(
    trial: Trial, called: CallableFacts | None, domains: CallableDomains | None, written: str
) -> Iterator[tuple[str, bool]]:
    """Generates the options that a trial gives a word which no person passes, and whether it can be no choice of them.

    Args:
        written: as from `written_acts`.
    """
    if called is None or trial.source in AS_WRITTEN or "='" not in trial.act:
        return
    name = called.owner if called.kind == "constructor" else called.name
    calls = [one for one in shown_calls(shared_expression(trial.act)) if last_name(one.func) == name]
    for keyword in calls[0].keywords if calls else ():
        domain = domains.of(keyword.arg) if domains is not None and keyword.arg else UNKNOWN
        if keyword.arg and is_invented_word(keyword.arg, keyword.value, called, domain, written):
            needed = any(one.name == keyword.arg and one.required for one in called.parameters)
            yield keyword.arg, not needed and _is_one_of_several(keyword.arg, called, domain)


def _is_one_of_several(option: str, called: CallableFacts, domain: ParameterDomain) -> bool:
    """Whether the code tells an option's values apart by what they are equal to: what is none of them is no choice."""
    compared = any(
        part.name == option and part.operator in _EQUALITY and part.operand != "''" for part in called.comparisons
    )
    return compared or bool(domain.choices or domain.words)
