"""A test that is to be named is compared with others by what it is."""

from __future__ import annotations

from testwright.engine.python.model.spec_case import Case
from testwright.engine.python.write.acting_member import NamedTest
from testwright.engine.python.write.situation import Situation


def test_siblings_that_know_each_other_are_compared_without_end() -> None:
    first, second = (NamedTest([Case("a", "x", "table", "table()", "call", ())], None, Situation()) for _ in range(2))
    first.alike, second.alike = (second,), (first,)

    assert first == second
    assert "alike" not in repr(first)
