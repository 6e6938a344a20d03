"""Trials that change what others find in the same process give way to those that they would spoil."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.tests.support.engine.written_tests import written_spec

pytestmark = pytest.mark.feature("B-02")

REGISTRY = '''
_KINDS = {"apple": "fruit", "carrot": "vegetable", "basil": "herb"}


def kind_of(word):
    """The kind of a plant.

    >>> kind_of("apple")
    'fruit'
    """
    if word not in _KINDS:
        raise KeyError(word)
    return _KINDS[word]


def plants_of(kind):
    """The plants of a kind.

    >>> plants_of("herb")
    ['basil']
    """
    return sorted(word for word, one in _KINDS.items() if one == kind)


def forget(letters=3):
    """Forget all plants; how many letters their kinds had, from so many on."""
    count = sum(len(kind) for kind in _KINDS.values() if len(kind) >= letters)
    _KINDS.clear()
    return count


def count_letters(word):
    """The letters of a word.

    >>> count_letters("apple")
    5
    """
    return len(word)
'''


def test_what_clears_a_registry_is_dropped_and_what_reads_it_stays(tmp_path: Path) -> None:
    cases = written_spec(tmp_path, REGISTRY, trials=300)["cases"]
    asked = {case["act"]["expression"] for case in cases}
    assert {"kind_of('apple')", "plants_of('herb')", "count_letters('apple')"} <= {
        text.replace('"', "'") for text in asked
    }
    assert not any("forget" in text for case in cases for text in (case["act"]["expression"], str(case["arrange"])))
