"""Documents against what was seen: only a clean difference is a contradiction (B-02)."""

from __future__ import annotations

import pytest

from testwright.engine.python.judge.comparison import compare_with_document
from testwright.engine.python.model.model import Observation, Raised, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial

pytestmark = pytest.mark.feature("B-02")


def judged(wanted: str, seen: ObservedTrial) -> bool | None:
    return compare_with_document(Trial("f", "f()", wanted=wanted), seen).agrees


def shown(text: str, output: str = "") -> ObservedTrial:
    return ObservedTrial(Observation("returned", value=Value("object"), output=output), shown=text)


def raised(name: str, message: str = "", line: int = 5, bases: tuple[str, ...] = ()) -> ObservedTrial:
    return ObservedTrial(Observation("raised", raised=Raised(name, message, line, bases)))


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        ("3\n", shown("3")),
        ("[1,\n 2]\n", shown("[1, 2]")),
        ("[0, 1, ..., 9]\n", shown("[0, 1, 2, 3, 9]")),
        ("{'b': 1, 'a': 2}\n", shown("{'a': 2, 'b': 1}")),
        ("{2, 1}\n", shown("{1, 2}")),
        ('"a"\n', shown("'a'")),
        ("[datetime.date(2024, 5, 3)]\n", shown("[date(2024, 5, 3)]")),
        ("0.3\n", shown("0.30000000000000004")),
        ("hello\n3\n", shown("3", output="hello\n")),
        ("hello\n", shown("", output="hello\n")),
        ("Traceback (most recent call last):\n    ...\nValueError: too small\n", raised("ValueError", "too small")),
        ("Traceback (most recent call last):\nshop.CartError: no\n", raised("shop.errors.CartError", "no")),
        ("raises:LookupError", raised("KeyError", bases=("LookupError",))),
    ],
)
def test_a_document_that_is_right_agrees(wanted: str, seen: ObservedTrial) -> None:
    assert judged(wanted, seen) is True


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        ("3\n", shown("4")),
        ("'a'\n", shown("'b'")),
        ("[1, 2]\n", shown("[2, 1]")),
        ("Item('a')\n", shown("Item('b')")),
        ("hello\n", shown("", output="bye\n")),
        ("3\n", raised("ValueError", "no")),
        ("Traceback (most recent call last):\nValueError: no\n", shown("3")),
        ("Traceback (most recent call last):\nValueError: no\n", raised("KeyError", "no")),
        ("raises:ValueError", shown("3")),
    ],
)
def test_a_document_that_is_wrong_is_contradicted(wanted: str, seen: ObservedTrial) -> None:
    assert judged(wanted, seen) is False


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        ("", shown("3")),
        ("<Thing object at 0x7f0000000000>\n", shown("<Thing object at 0x7f1111111111>")),
        ("3.14\n", shown("3.14159")),
        ("[1L]\n", shown("[1]")),
        ("OrderedDict([('a', 1)])\n", shown("OrderedMap({'a': 1})")),
        ("3\n", raised("NameError", "x is not defined")),
        ("3\n", raised("TypeError", "bad call", line=0)),
        ("3\n", ObservedTrial(Observation("timed_out"))),
        ("3\n", shown("")),
        ("Traceback (most recent call last):\nValueError: one way to say it\n", raised("ValueError", "another")),
        ("raises:ValueError", raised("TypeError")),
    ],
)
def test_what_cannot_be_compared_fairly_is_neither(wanted: str, seen: ObservedTrial) -> None:
    assert judged(wanted, seen) is None


def test_a_contradiction_says_what_the_document_said() -> None:
    verdict = compare_with_document(Trial("f", "f()", wanted="3\n"), shown("4"))
    assert verdict.contradicts == "3"
    announced = compare_with_document(Trial("f", "f()", wanted="raises:ValueError"), shown("4"))
    assert announced.contradicts == "raises ValueError"
