"""Texts that a person would write, and samples of the formats that a module speaks of (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.inputs.plain_texts import MANGLED, oddness
from testwright.engine.python.inputs.text_formats import format_texts, named_texts


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(
    ("text", "rating"),
    [
        pytest.param("kitten", 0, id="a_word"),
        pytest.param("name=value", 0, id="a_sample"),
        pytest.param("42", 0, id="a_number"),
        pytest.param("name : value", 1, id="known_words_with_signs"),
        pytest.param("name='value", 2, id="an_open_quote"),
        pytest.param("(name", 2, id="an_open_bracket"),
        pytest.param("##", 2, id="signs_alone"),
        pytest.param("irst line", MANGLED, id="half_a_word"),
        pytest.param("name\x00", MANGLED, id="a_sign_that_does_not_print"),
        pytest.param("é中", MANGLED, id="letters_of_other_alphabets"),
    ],
)
def test_texts_are_rated_by_how_odd_they_are(text: str, rating: int) -> None:
    assert oddness(text) == rating


def test_formats_that_a_module_names_come_first() -> None:
    assert format_texts(["dotenv.parser", "parse_binding"], 9)[0] == "name=value"
    assert "[1,2]" in format_texts(["portion.io", "parse an interval"], 5)
    assert format_texts(["Version", "a semantic version"], 3)[0] == "1.2.3"


def test_each_other_format_is_tried_as_well_and_none_twice() -> None:
    texts = format_texts([], 36)
    assert len(texts) == len(set(texts)) == 36
    assert named_texts([]) == frozenset()
