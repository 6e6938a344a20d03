"""What a model expects must come from elsewhere than the code, and what it calls documented must be shown."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.agents.guardrails.oracles import Documentation, oracle_problems
from testwright.tests.support.runs.model_runs import case, expectation

pytestmark = pytest.mark.feature("B-14", "B-02")

SOURCE = '''"""Money."""


def round_money(value):
    """Round to cents, halves up: round_money(0.125) is 0.13.

    >>> round_money(2)
    2.0
    """
    # Amounts above 1000 are refused with a ValueError.
    if value > 1000:
        raise ValueError(value)
    return float(int(value * 100)) / 100
'''
DOCUMENTED = Documentation(SOURCE)


@pytest.mark.parametrize(
    ("call", "is_named"),
    [
        ("price('the')", False),
        ("price('cat')", False),
        ("price('category')", True),
        ("price('catego')", False),
        ("price('net price')", True),
        ("price('et price')", False),
        ("price('old')", True),
        ("price('old', 'the')", False),
        ("price('A+B')", True),
        ("price(3)", False),
    ],
)
def test_lines_name_a_call_by_texts_in_quotes_or_by_whole_words_that_are_not_in_any_prose(
    call: str, is_named: bool
) -> None:
    prose = "# The net price of the category, or the 'old' one; `A+B` is both."
    assert Documentation(prose).names_call(call, [1, 1]) is is_named


def expecting(value: str | None, **more: Any) -> dict[str, Any]:
    """A case of `discounted(200)` with one expectation."""
    return case(200, "180", expect=[{**expectation(value or "180"), "value": value, **more}])


@pytest.mark.parametrize(
    "given",
    [
        expecting("discounted(200)"),
        expecting("[discounted(200)][0]"),
        expecting("result"),
        expecting("type(result)(result)"),
        expecting("mock.ANY"),
        expecting("[ANY]"),
        expecting(None, kind="holds", actual="result == result"),
        expecting(None, kind="holds", actual="result > 1 or True"),
        expecting(None, kind="holds", actual="(result == 3, 'said')"),
        expecting(None, kind="holds", actual="1"),
    ],
)
def test_an_expectation_that_holds_whatever_the_code_does_is_no_oracle(given: dict[str, Any]) -> None:
    [one] = oracle_problems(given, 0)
    assert one["path"] == "$.cases[0].expect[0]"


@pytest.mark.parametrize(
    "given",
    [
        expecting("180"),
        expecting("discounted(100) * 2"),
        expecting("'result'"),
        expecting(None, kind="holds", actual="result > 100 and result < 200"),
        expecting(None, kind="raises", exception="ValueError", actual=None),
        case(3, "3", expression="3", expect=[expectation("3")]),
    ],
)
def test_a_value_of_its_own_is_an_oracle(given: dict[str, Any]) -> None:
    assert oracle_problems(given, 0) == []


def rounding(expression: str, value: str, **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    expected = {**expectation(value), **more}
    given = case(1, value, expression=expression, title="a sum", subject="x", expect=[expected]) | {
        "expected": "It fits."
    }
    return given, expected


@pytest.mark.parametrize(
    ("expression", "value", "lines", "more"),
    [
        ("round_money(0.125)", "0.13", [5, 5], {}),
        ("f(7)", "Decimal('0.13')", [5, 5], {}),
        ("round_money(1001)", "0", [10, 10], {"kind": "raises", "exception": "ValueError"}),
        ("round_money(1000)", "1", [9, 12], {}),
    ],
)
def test_prose_that_says_the_value_or_speaks_of_the_call_shows_it(
    expression: str, value: str, lines: list[int], more: dict[str, Any]
) -> None:
    assert DOCUMENTED.shows(*rounding(expression, value, **more), lines)


@pytest.mark.parametrize("lines", [None, [], [1, 1], [11, 13], [90, 91]])
def test_code_and_other_prose_show_nothing(lines: list[int] | None) -> None:
    assert not DOCUMENTED.shows(*rounding("round_money(0.125)", "0.13"), lines)


@pytest.mark.parametrize(
    ("expression", "value", "said"),
    [
        ("round_money(0.125)", "0.12", "0.13"),
        ("round_money( 0.125 )", "0.13", None),
        ("round_money(2)", "3.0", "2.0"),
        ("round_money(2)", "2", None),
        ("round_money(5)", "0.12", None),
    ],
)
def test_another_value_in_the_cited_lines_for_the_same_call_contradicts(
    expression: str, value: str, said: str | None
) -> None:
    assert DOCUMENTED.contradicted_by(*rounding(expression, value), [5, 8]) == said


def test_a_signature_is_cited_for_the_docstring_below_it() -> None:
    assert DOCUMENTED.shows(*rounding("round_money(0.125)", "0.13"), [4, 4])


def test_a_module_that_does_not_parse_is_prose_throughout() -> None:
    assert Documentation("def half(:\n    gives 2 for 4").cited([2, 2]) == "    gives 2 for 4"


def test_one_word_in_common_shows_nothing_and_the_rule_does() -> None:
    given, expected = rounding("round_money(3)", "7")
    assert not DOCUMENTED.shows({**given, "title": "rounds money", "expected": "It rounds."}, expected, [5, 5])
    assert not DOCUMENTED.shows({**given, "expected": "The amounts are 2 values."}, expected, [5, 10])
    assert DOCUMENTED.shows({**given, "expected": "Large amounts above are refused."}, expected, [10, 10])


def test_lines_are_counted_as_python_counts_them() -> None:
    source = 'A = 1\x0c\x0c\nB = "\u2028\x1c"\n# It gives 7 for 3.\nC = 4\n'
    assert Documentation(source).cited([3, 3]) == "# It gives 7 for 3."
    assert Documentation(source.replace("\n", "\r\n")).cited([3, 3]) == "# It gives 7 for 3."
