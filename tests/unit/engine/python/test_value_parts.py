"""One varying field, key or element is left out of a value; the others stay assertable (B-11)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.judge.comparison import stable_part
from testwright.engine.python.judge.value_checks import value_checks
from testwright.engine.python.judge.value_parts import parts_of, shared_parts
from testwright.engine.python.model.model import Observation, Value


def returned(source: str, imports: tuple[str, ...] = ()) -> Observation:
    return Observation("returned", value=Value("shop.Order", source, imports))


def left_of(*sources: str) -> tuple[list[tuple[str, str | None]], tuple[str, ...]]:
    first, *others = [returned(source) for source in sources]
    same = stable_part(first, others)
    assert same is not None
    assert same.observation.value is not None
    checks, _ = value_checks("result", same.observation.value, same.unstable)
    return [(check.actual, check.value) for check in checks], same.unstable


@pytest.mark.feature("B-11")
@pytest.mark.parametrize(
    ("sources", "asserted", "unstable"),
    [
        (("Order(id='a1', total=3)", "Order(id='b2', total=3)"), [("result.total", "3")], ("result.id",)),
        (("{'id': 'a1', 'total': 3}", "{'id': 'b2', 'total': 3}"), [("result['total']", "3")], ("result['id']",)),
        (("['paid', 1.5]", "['paid', 2.5]"), [("result[0]", "'paid'")], ("result[1]",)),
        (
            ("{'order': Order(id='a', total=3), 'ok': True}", "{'order': Order(id='b', total=3), 'ok': True}"),
            [("result['order'].total", "3"), ("result['ok']", "True")],
            ("result['order'].id",),
        ),
    ],
)
def test_only_the_part_that_varies_is_left_out(
    sources: tuple[str, ...], asserted: list[tuple[str, str]], unstable: tuple[str, ...]
) -> None:
    assert left_of(*sources) == (asserted, unstable)


@pytest.mark.feature("B-11")
def test_parts_left_after_one_run_are_compared_with_every_further_run() -> None:
    asserted, unstable = left_of(
        "Order(id='a', total=3, state='new')",
        "Order(id='b', total=3, state='new')",
        "Order(id='c', total=4, state='new')",
        "Order(id='d', total=3, state='new')",
    )
    assert asserted == [("result.state", "'new'")]
    assert unstable == ("result.id", "result.total")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Order(id='a', total=3)", "Refund(id='b', total=3)"),
        ("Order(id='a', total=3)", "Order(id='b')"),
        ("{'id': 1, 'total': 3}", "{'total': 3, 'id': 2}"),
        ("[1, 2]", "[1, 2, 3]"),
        ("(1, 2)", "[1, 3]"),
        ("'abc'", "'abd'"),
    ],
)
def test_values_of_different_shapes_share_no_parts(one: str, other: str) -> None:
    assert shared_parts(Value("x", one), Value("x", other)) == ((), ())


@pytest.mark.feature("B-11")
def test_an_effect_keeps_the_parts_that_do_not_vary() -> None:
    def noted(stamp: str) -> Observation:
        return replace(returned("None"), effects=(("log.last", Value("dict", f"{{'at': {stamp}, 'what': 'paid'}}")),))

    same = stable_part(noted("1.0"), [noted("2.0"), noted("3.0")])
    assert same is not None
    assert [(name, value.source) for name, value in same.observation.effects] == [("log.last['what']", "'paid'")]


def test_a_part_needs_only_the_imports_of_its_own_source() -> None:
    whole = Value("dict", "{'day': date(2024, 1, 1), 'n': 1}", ("from datetime import date", "import decimal"))
    parts = parts_of(whole)
    assert parts["['day']"].imports == ("from datetime import date",)
    assert parts["['n']"].imports == ()


def test_private_fields_are_not_asserted() -> None:
    value = Value("x", attributes=(("owner._name", Value("str", "'a'")), ("size", Value("int", "2"))))
    checks, _ = value_checks("result", value)
    assert [check.actual for check in checks] == ["result.size"]
