"""Proposes trials whose text is a sample of a format: which one a callable parses is found by trying them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice

from ....utils.python_source import expression_or_none
from ..domain.example_tables import TEXTS, WORDS
from ..inputs.text_formats import ALL_TEXTS, format_texts
from ..model.model import CallableFacts, ModuleFacts, Trial
from ..source.literals import ACT, LiteralSpan, literal_places, with_source

_MOST_OF_BRANCHING = 36
_MOST = 12
_FIRST = 6
# Texts of which the domain says nothing but that they are text.
_GENERIC = frozenset({*WORDS, *TEXTS, *ALL_TEXTS, "first line\nsecond line\n", '{"a": 1}'})


def with_format_trials(trials: Iterable[Trial], one: CallableFacts, facts: ModuleFacts) -> Iterator[Trial]:
    """Yields the trials of a callable, and after the first few those with sample texts in place of a plain one."""
    stream = iter(trials)
    first = list(islice(stream, _FIRST))
    yield from first
    fitting = [trial for trial in first if _plain_texts(trial)]
    # What is passed beside the text, as values for a template, decides what becomes of it.
    base = min(fitting, key=lambda trial: (not _argument_count(trial), _argument_count(trial)), default=None)
    if base is not None:
        yield from _in_formats(base, one, facts)
    yield from stream


def _argument_count(trial: Trial) -> int:
    tree = expression_or_none(trial.act)
    return len(tree.args) + len(tree.keywords) if isinstance(tree, ast.Call) else 0


def _plain_texts(trial: Trial) -> list[LiteralSpan]:
    """The literals of a trial that are texts of no particular format: the receiver's, and that of the call."""
    places = [place for place in literal_places(trial) if isinstance(place.value, str) and place.value in _GENERIC]
    arranged = [place for place in places if place.statement != ACT]
    return [*arranged[-1:], *[place for place in places if place.statement == ACT][:1]]


def _in_formats(base: Trial, one: CallableFacts, facts: ModuleFacts) -> Iterator[Trial]:
    names = [one.name, *(parameter.name for parameter in one.parameters), one.owner or ""]
    words = [*names, facts.module, one.documentation.summary, *(owner.name for owner in facts.classes)]
    places = _plain_texts(base)
    most = (_MOST_OF_BRANCHING if one.branch_lines else _MOST) // max(1, len(places))
    for text in format_texts(words, most):
        for place in places:
            if text != place.value:
                yield with_source(base, place, repr(text), "domain")
