"""What sets values apart, in words for the names of tests and rows (B-18)."""

from __future__ import annotations

import pytest

from testwright.engine.python.write.value_features import (
    distinct_words,
    feature_beside,
    features,
    flag_words,
    with_feature,
)
from testwright.utils.python_source import parse_expression


def words(*sources: str) -> list[str]:
    return distinct_words([parse_expression(source) for source in sources])


@pytest.mark.feature("B-18")
@pytest.mark.parametrize(
    ("mine", "other", "feature"),
    [
        pytest.param("[1, 1, 2]", "[3, 1, 2]", "with_duplicates", id="duplicates"),
        pytest.param("[1, 2, 3]", "[3, 1, 2]", "sorted", id="sorted"),
        pytest.param("[1, None]", "[1, 2]", "with_none", id="none"),
        pytest.param("[-1, 2]", "[1, 2]", "with_negative_numbers", id="negative"),
        pytest.param("[[1], [1, 2]]", "[[1, 2], [3, 4]]", "with_uneven_rows", id="uneven"),
        pytest.param("'A B'", "'a b'", "uppercase", id="uppercase"),
        pytest.param("\"'a'\"", "'a'", "quoted", id="quoted"),
        pytest.param("'name'", "'name'", "", id="alike"),
        pytest.param("'a = 1 # one'", "'a = 1'", "with_comment", id="a comment"),
        pytest.param("'# all of it'", "'all'", "with_comment", id="nothing but a comment"),
        pytest.param("'#0099gg'", "'0099cc'", "with_punctuation", id="a colour, and no comment"),
        pytest.param("'order #12 is late'", "'order 12 is late'", "with_punctuation", id="a number, and no comment"),
        pytest.param("'a:b'", "'ab'", "with_colon", id="a colon"),
        pytest.param("'http://a/b'", "'ab'", "with_slash", id="no colon but that of a scheme"),
    ],
)
def test_the_first_feature_that_another_value_lacks_is_named(mine: str, other: str, feature: str) -> None:
    assert feature_beside(parse_expression(mine), [parse_expression(other)]) == feature


def test_rows_whose_words_are_the_same_are_told_apart_by_features() -> None:
    assert words("'line'", "' line '") == ["line", "padded_line"]
    assert words("[[1, 2], [3]]", "[[1, 1], [1, 1]]") == ["with_uneven_rows", "of_equal_items"]
    assert words("'kitten'", "''") == ["kitten", "empty_string"]


def test_a_feature_stands_before_or_after_its_noun() -> None:
    assert with_feature("sorted", "items") == "sorted_items"
    assert with_feature("with_none", "items") == "items_with_none"


def test_lists_are_told_apart_by_what_none_of_the_others_is_and_dictionaries_by_their_keys() -> None:
    assert words("[3, 1]", "[3, 1, 8, 2]") == ["pair", "list_of_four"]
    assert words("{'apple': 1, 'cherry': 8}", "{'banana': 3, 'apple': 1}") == ["apple_and_cherry", "banana_and_apple"]


@pytest.mark.parametrize(
    ("source", "named"),
    [("ns.REAL", "real"), ("ns.REAL | ns.PATH", "real_and_path"), ("ns.A | ns.REAL | ns.PATH", ""), ("box.size", "")],
)
def test_members_of_an_enumeration_are_told_by_their_names(source: str, named: str) -> None:
    assert flag_words(parse_expression(source)) == named


def test_two_equal_fields_of_a_colour_are_no_duplicates() -> None:
    assert "with_duplicates" not in features(parse_expression("(0, 0, 128)"))
    assert "with_duplicates" in features(parse_expression("(1, 1, 2, 3, 4)"))
