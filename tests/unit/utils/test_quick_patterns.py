"""Patterns that take long on short texts are known before they are used."""

from __future__ import annotations

import pytest

from testwright.utils.regex_examples import is_quick


@pytest.mark.parametrize("pattern", ["(quiz)$", "(?i)(x|ch|ss|sh)$", r"([^aeiouy]|qu)y$", r"\A(a+)?b$", "$"])
def test_endings_of_words_are_found_at_once(pattern: str) -> None:
    assert is_quick(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"^(\w+\s?)*$", id="a repeat within a repeat"),
        pytest.param("(?=((ab){2})+)x", id="a repeat within a repeat that looks ahead"),
        pytest.param("(a|ab)*$", id="a choice that repeats"),
        pytest.param(".*" * 7, id="many repeats"),
        pytest.param("a?" * 7, id="many optional parts"),
        pytest.param("(", id="no pattern"),
    ],
)
def test_a_pattern_that_can_try_very_many_ways_is_not_quick(pattern: str) -> None:
    assert not is_quick(pattern)
