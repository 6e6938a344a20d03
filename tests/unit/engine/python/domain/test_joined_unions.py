"""Domains of several kinds are joined to the smallest union that has them all (B-06)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.domain.from_literals import join, join_all
from testwright.engine.python.model.domain import ParameterDomain

pytestmark = pytest.mark.feature("B-06")

INTEGER, REAL, TEXT = ParameterDomain("integer"), ParameterDomain("real"), ParameterDomain("text")
NUMBER = ParameterDomain("union", alternatives=(INTEGER, REAL))
NAMED = ParameterDomain("union", alternatives=(INTEGER, TEXT))


def test_a_union_of_which_one_member_is_left_is_that_member() -> None:
    assert join(NUMBER, INTEGER) == REAL


@pytest.mark.parametrize("other", [TEXT, NUMBER])
def test_a_union_that_may_be_unset_stays_so(other: ParameterDomain) -> None:
    found = join(replace(NAMED, optional=True), other)

    assert (found.kind, found.optional) == ("union", True)


def test_a_member_that_may_be_unset_is_none_beside_the_same_member() -> None:
    found = join_all([NAMED, replace(TEXT, optional=True)])

    assert found == replace(NAMED, optional=True)
