"""The names of a table and its rows tell the ids of the cases."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.write.compose import compose_spec
from testwright.engine.python.write.render import render
from testwright.engine.python.write.rows.moment_rows import between_moments
from testwright.engine.python.write.rows.row_words import words_of_rows
from testwright.engine.python.write.rows.search_words import search_words
from testwright.tests.support.engine.shop_findings import exploration, shop_findings
from testwright.utils.names.case_names import cases_of_test, owned_tests

pytestmark = pytest.mark.feature("B-04", "B-06")


def test_no_row_of_a_rendered_file_repeats_an_id():
    notices: dict[str, list[int]] = {}
    spec = compose_spec(exploration(*shop_findings()), framework="pytest", notices=notices)
    known = {one["id"] for one in spec["cases"]}

    text = render(spec, "pytest")

    assert "tc_" not in text
    assert {name for test, owner in owned_tests(ast.parse(text)) for name in cases_of_test(test, owner, known)} == known
    assert set(notices) <= known


def _nodes(*sources: str) -> list[ast.expr]:
    return [ast.parse(source, mode="eval").body for source in sources]


def test_rows_in_which_something_is_looked_for_say_where_it_stands_among_the_items():
    array = _nodes("[1, 10, 12]", "[5, 10, 12]", "[3]", "[2, 4, 6, 8, 10]", "[6, 8, 10]", "[1, 9]")

    assert search_words({"array": array, "search_key": _nodes("10", "55", "4", "7", "7", "1")}) == [
        "inner_item",
        "above_all_sorted",
        "above_all_single",
        "gap_longer",
        "gap_shorter",
        "first_item",
    ]
    assert search_words({"words": _nodes("['a', 'b']", "['a']"), "target": _nodes("'b'", "'c'")}) == [
        "last_item",
        "missing_item",
    ]


def test_how_far_a_list_is_turned_is_not_looked_for_in_it():
    assert search_words({"array": _nodes("[1, 2, 3]", "[1, 2]"), "k": _nodes("2", "5")}) == []
    assert search_words({"array": _nodes("[1, 2, 3]", "[1, 2]"), "key": _nodes("7", "8")}) == []


def test_rows_of_numbers_are_named_by_their_order_or_their_sign() -> None:
    assert words_of_rows({"width": _nodes("10", "7")}, {}) == ["larger", "smaller"]
    assert words_of_rows({"index": _nodes("2", "-1", "0")}, {}) == ["positive", "negative", "zero"]
    assert words_of_rows({"begin": _nodes("3", "12"), "end": _nodes("5", "5")}, {}) == ["smaller_begin", "larger_begin"]


def test_rows_of_two_moments_say_how_far_these_are_apart() -> None:
    moments = {
        "d": _nodes(
            "datetime.datetime(2024, 5, 3, 10)", "datetime.datetime(2024, 5, 3, 10)", "datetime.date(2024, 5, 3)"
        ),
        "other": _nodes(
            "datetime.datetime(2024, 2, 29, 10)", "datetime.datetime(2024, 5, 3, 10)", "datetime.date(2024, 6, 14)"
        ),
    }

    assert words_of_rows(moments, {}) == ["months_later", "same_moment", "months_earlier"]


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("datetime(2024, 1, 3)", "datetime(2024, 1, 3, 6)", ["hours_earlier", "same_moment"]),
        ("datetime(2024, 1, 3, hour=5)", "datetime(2024, 1, 3)", ["hours_later", "same_moment"]),
        ("date(2024, 1, 3)", "datetime(2024, 1, 4, 6)", ["days_earlier", "same_moment"]),
        ("date(2024, 1, 3)", "datetime(2024, 1, 3, 6)", []),
        ("datetime(2024, 1, 3, 9, 0, tzinfo=UTC)", "datetime(2024, 1, 3, 9, 0, tzinfo=timezone(timedelta(1)))", []),
        (
            "datetime(2024, 1, 3, 9, 0, tzinfo=UTC)",
            "datetime(2024, 1, 3, 8, 0, tzinfo=UTC)",
            ["hours_later", "same_moment"],
        ),
    ],
)
def test_moments_are_only_said_to_be_apart_where_they_are(first: str, second: str, words: list[str]) -> None:
    same = "datetime(2024, 1, 3, 9, 0)"

    assert between_moments({"d": _nodes(first, same), "other": _nodes(second, same)}, "now") == words


def test_the_argument_of_another_kind_names_a_row() -> None:
    days = {
        "start": _nodes("3", "datetime.date(2017, 5, 1)", "datetime.date(2017, 5, 1)"),
        "stop": _nodes("datetime.date(2017, 8, 1)", "3", "datetime.date(2017, 8, 1)"),
    }

    assert words_of_rows({name: nodes[:2] for name, nodes in days.items()}, {}) == ["number_as_start", "number_as_stop"]


def test_a_text_that_stays_as_it_is_and_one_of_digits_are_named_by_what_they_are() -> None:
    texts = _nodes("'\\t'", "'kitten'")
    assert words_of_rows({"text": texts}, {"expected": _nodes("'    '", "'kitten'")}) == ["tab", "unchanged"]
    assert words_of_rows({"text": texts}, {"expected": _nodes("'    '", "'KITTEN'")}) == ["tab", "plain_word"]
    spans = _nodes("'2 weeks 1 day'", "'-1.5 weeks 3m 20s'")
    assert words_of_rows({"text": spans}, {"expected": _nodes("15", "20")}) == ["weeks_day", "negative"]


def test_lists_that_no_feature_tells_apart_are_named_by_their_size() -> None:
    assert words_of_rows({"mask": _nodes("[True, False, True]", "[True, True, False, False]")}, {}) == [
        "shorter",
        "longer",
    ]


def test_rows_of_one_moment_are_named_by_time_zone_day_or_month() -> None:
    plain, zoned = (
        "datetime.datetime(2024, 5, 3, 10)",
        "datetime.datetime(2024, 5, 3, 10, tzinfo=datetime.timezone.utc)",
    )
    assert words_of_rows({"d": _nodes(plain, zoned)}, {}) == ["without_time_zone", "with_time_zone"]
    days = _nodes("datetime.datetime(2024, 5, 3, 10)", "datetime.datetime(2024, 6, 14, 7)")
    assert words_of_rows({"d": days}, {}) == ["in_may", "in_june"]


def test_numbers_of_which_one_is_no_whole_one_are_told_by_that() -> None:
    assert words_of_rows({"lit": _nodes("3", "2.5")}, {}) == ["whole", "fractional"]


def test_a_number_and_a_word_without_a_meaning_are_told_by_their_kinds() -> None:
    assert words_of_rows({"value": _nodes("2", "'foo'")}, {}) == ["number", "text"]
    assert words_of_rows({"value": _nodes("2", "'five days'")}, {}) == ["number", "five_days"]


def test_that_one_of_several_arguments_is_empty_tells_its_row() -> None:
    cells = {"first": _nodes("'planning'", "[3, 1, 2]"), "second": _nodes("'playing'", "[]")}
    assert words_of_rows(cells, {}) == ["playing", "empty"]


def test_two_numbers_of_one_row_are_told_by_their_order() -> None:
    assert words_of_rows({"first": _nodes("3", "1"), "second": _nodes("1", "2")}, {}) == ["descending", "ascending"]


def test_a_number_that_equals_the_one_that_all_rows_share_is_called_equal() -> None:
    assert words_of_rows({"val": _nodes("4", "6")}, {}, beside=6) == ["smaller", "equal"]
    assert words_of_rows({"val": _nodes("4", "6")}, {}, beside=9) == ["smaller", "larger"]


def test_the_only_list_in_no_order_is_told_by_that() -> None:
    rows = {"items": _nodes("[1, 2, 1]", "[2, 2, 1]")}

    assert words_of_rows(rows, {}) == ["unsorted", "descending"]


def _moment(*parts: int, more: str = "") -> str:
    return f"datetime.datetime({', '.join(map(str, parts))}{more})"


@pytest.mark.parametrize(
    ("moments", "names"),
    [
        (
            (
                _moment(1987, 7, 4, 12),
                _moment(2024, 7, 4, 12),
                _moment(2024, 11, 4, 1),
                _moment(2024, 11, 4, 1, more=", fold=1"),
            ),
            ["july_1987", "july_2024", "november_2024", "november_2024_with_fold"],
        ),
        (
            (
                _moment(2019, 1, 14),
                _moment(2019, 1, 14, 0, 0, 59),
                _moment(2019, 1, 14, 12),
                _moment(2019, 1, 14, 0, 0, 0, 1),
            ),
            ["at_midnight", "at_00_00_59", "at_noon", "at_midnight_with_microseconds"],
        ),
        ((_moment(2024, 1, 3, more=", hour=5"), _moment(2024, 1, 3, 12)), ["at_night", "in_the_afternoon"]),
        (
            (_moment(2024, 6, 3, 8), _moment(2024, 6, 4, 8), _moment(2024, 6, 4, 9)),
            ["3_june_at_08_00", "4_june_at_08_00", "4_june_at_09_00"],
        ),
    ],
)
def test_rows_of_moments_say_as_much_of_date_and_time_as_tells_them_apart(moments: tuple[str, ...], names: list[str]):
    assert words_of_rows({"dt": _nodes(*moments)}, {}) == names


def test_moments_beside_other_columns_need_no_digits_of_these() -> None:
    moments = _nodes(*(_moment(2019, 1, 14, hour, 2) for hour in (1, 2, 3)))

    assert words_of_rows({"expression": _nodes("'0 0 1'", "'0 0 1'", "'2 4 1'"), "testdate": moments}, {}) == [
        "at_01_02",
        "at_02_02",
        "at_03_02",
    ]


@pytest.mark.parametrize(
    ("column", "values", "names"),
    [
        ("email", ("'a.com'", "'a@.com'"), ["a_com", "a_com_with_at_sign"]),
        ("text", ("'1'", "'+'", "'42'"), ["of_one_digit", "plus", "42"]),
        ("expression", ("'0 0 29 2 * 0 2024'", "'0 0 29 2 * 0 2023'"), ["0_0_29_2_2024", "0_0_29_2_2023"]),
        ("value", ("True", "'1'", "'on'"), ["true", "1", "on"]),
        ("strict", ("True", "'1'", "'on'"), ["strict", "1", "on"]),
        ("k", ("True", "'foo'", "3", "[1, 2]"), ["true", "text", "number", "items"]),
        ("v", ("[1, 2]", "'foo'", "3", "None"), ["items", "text", "number", "none"]),
    ],
)
def test_rows_say_what_is_written_where_nothing_else_tells_them_apart(
    column: str, values: tuple[str, ...], names: list[str]
) -> None:
    assert words_of_rows({column: _nodes(*values)}, {}) == names


def test_rows_of_refusals_take_no_part_of_a_message_for_a_whole_phrase() -> None:
    given = {"patch": _nodes("[{'op': 1}, {'op': 2}]", "[{'op': 3}, {'op': 4}]")}
    messages = {"message": _nodes("'unknown operation'", "\"Operation 'op' must be a string of some letters\"")}

    found = words_of_rows(given, messages)

    assert found[0].endswith("unknown_operation")
    assert not any("message" in name for name in found)
