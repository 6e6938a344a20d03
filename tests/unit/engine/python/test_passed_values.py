"""What a parameter's value is passed on to, however many ways lead there."""

from __future__ import annotations

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.facts.type_inference import PassedValues
from testwright.engine.python.project.layout import ModulePlace

pytestmark = pytest.mark.feature("B-16")


def reached(source: str, start: str) -> list[tuple[str, str]]:
    facts = facts_from_source(source.encode(), ModulePlace("m.py", "m", "."))
    one = next(one for one in facts.callables() if one.qualname == start)
    return [(target.qualname, name) for target, name in PassedValues(facts).of(one, "node")]


def test_every_callable_comes_once_however_many_ways_lead_there() -> None:
    lines = ["class Visitor:"]
    for number in range(20):
        lines += [f"    def v{number}(self, node):"]
        lines += [f"        self.v{(number * 7 + step * 3 + 1) % 20}(node)" for step in range(8)]
    found = reached("\n".join(lines), "Visitor.v0")

    assert len(found) == len(set(found))
    assert {name for name, _ in found} == {f"Visitor.v{number}" for number in range(1, 20)}


def test_what_takes_a_value_at_first_hand_comes_before_what_takes_it_from_others() -> None:
    source = """
def a(node): b(node), c(node)
def b(item): d(item)
def c(x): b(x)
def d(y): a(y)
"""

    assert reached(source, "a") == [("b", "item"), ("c", "x"), ("d", "y")]
