"""Applies several random changes at once to a trial's literals, using the module's constants; the seed is fixed.

"Havoc" is AFL's term for stacked random mutations.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ....utils.python_source import literal_or
from ..inputs.variations import changed_text, changed_words, is_structured, variations, words_of
from ..model.model import ModuleFacts, Trial
from ..source.literals import LiteralSpan, literal_places, plain, with_source

_MAXIMUM_CONSTANT = 200
_MAXIMUM_TOKEN = 12
_MAXIMUM_TEXT = 80
_LONGEST_MIXED = 60
_MOST_MIXED = 20
_LARGEST = 10**9


@lru_cache(maxsize=8)
def module_constants(facts: ModuleFacts) -> tuple[str | int | float | bytes, ...]:
    """Returns the distinct short constants of the module and its functions, sorted."""
    sources = [text for callable_ in facts.callables() for text in callable_.read_constants]
    found: dict[tuple[str, str], str | int | float | bytes] = {}
    for text in (*sources, *(value for _, value in facts.constants)):
        value: Any = literal_or(text, None) if len(text) <= _MAXIMUM_CONSTANT else None
        for item in value if isinstance(value, list | tuple | set | dict) else (value,):
            if _is_word(item):
                found.setdefault((type(item).__name__, repr(item)), item)
    return tuple(found[key] for key in sorted(found))


def _is_word(value: object) -> bool:
    """Whether a constant is short enough to be mixed into others."""
    if isinstance(value, str | bytes):
        return 0 < len(value) <= _MAXIMUM_TOKEN
    return isinstance(value, int | float) and abs(value) < _LARGEST


def havoc_mutations(
    trial: Trial, facts: ModuleFacts, line: int, wave: int, count: int, others: Sequence[Trial] = ()
) -> list[Trial]:
    """Returns up to `count` trials with one to three literals changed; deterministic in trial, line and wave.

    Args:
        others: further trials whose texts may be mixed in.
    """
    generator = random.Random(zlib.crc32(f"{trial.act}|{line}|{wave}".encode()))
    words = [*_near(facts, line), *module_constants(facts), *_texts(others)]
    spoken = words_of([place.value for place in literal_places(trial) if isinstance(place.value, str)])
    found: list[Trial] = []
    for _ in range(count):
        changed = trial
        for _ in range(generator.choice((1, 1, 2, 3))):
            places = literal_places(changed)
            if not places:
                return found
            place = generator.choice(places)
            source = _changed(place, words, spoken, generator)
            if source is not None:
                changed = with_source(changed, place, source)
        if changed is not trial:
            found.append(changed)
    return found


@lru_cache(maxsize=512)
def _near(facts: ModuleFacts, line: int) -> tuple[str | int | float | bytes, ...]:
    """Returns constants of comparisons near a line, four times each so that they are drawn more often."""
    found: list[str | int | float | bytes] = []
    around = [item for item in facts.callables() if item.lines[0] <= line <= item.lines[1]]
    for comparison in (comparison for callable_ in around for comparison in callable_.comparisons):
        value = literal_or(comparison.operand, None) if abs(comparison.line - line) <= 3 else None
        items = value if isinstance(value, tuple | list) else [value]
        found.extend(item for item in items if isinstance(item, str | int | float | bytes))
    return tuple(found * 4)


def _texts(trials: Sequence[Trial]) -> list[str]:
    """Returns distinct short texts that trials pass."""
    found: dict[str, None] = {}
    for trial in trials:
        for place in literal_places(trial):
            if isinstance(place.value, str) and 0 < len(place.value) <= _LONGEST_MIXED:
                found[place.value] = None
    return list(found)[:_MOST_MIXED]


def _changed(
    place: LiteralSpan, words: list[str | int | float | bytes], spoken: list[str], generator: random.Random
) -> str | None:
    """Returns another source for a literal, or None; `spoken`: words of the trial's own texts."""
    value = place.value
    same = [word for word in words if type(word) is type(value)]
    if isinstance(value, str):
        texts = [word for word in words if isinstance(word, str)]
        if is_structured(value) and generator.random() < 0.75:
            return plain(changed_text(value, texts, generator), _longest(place))
        if texts and generator.random() < 0.75:
            return _mixed_in(value, generator.choice(texts), place, generator)
    if _is_words(value) and generator.random() < 0.75:
        texts = [word for word in words if isinstance(word, str)]
        return plain(type(value)(changed_words(value, [*spoken * 2, *texts], generator)), _longest(place))
    if isinstance(value, int | float) and not isinstance(value, bool) and same and generator.random() < 0.5:
        return plain(generator.choice(same))
    near = variations(value)
    return generator.choice(near) if near else None


def _mixed_in(value: str, word: str, place: LiteralSpan, generator: random.Random) -> str | None:
    if len(value) > _MAXIMUM_TEXT:
        return plain(word)
    at = generator.randrange(len(value) + 1)
    end = min(len(value), at + generator.choice((0, 0, 1, 1, 2, 4)))
    return plain(value[:at] + word + value[end:], _longest(place))


def _is_words(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(one, str) for one in value)


def _longest(place: LiteralSpan) -> int:
    """Returns the maximum length of a changed literal; a long documented text may stay long."""
    return max(160, len(place.source) + 60)
