"""Whether a change of what a module holds is seen."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from testwright.sandbox.worker.http.object_state import fingerprint

pytestmark = pytest.mark.feature("T-20")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Decimal(0), Decimal("9.5")),
        (Fraction(1, 2), Fraction(1, 3)),
        (datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)),
        (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, 1)),  # noqa: DTZ001 - the application's own
        (datetime.time(1), datetime.time(2)),
        (datetime.timedelta(1), datetime.timedelta(2)),
        (uuid.UUID(int=1), uuid.UUID(int=2)),
        (bytearray(b"a"), bytearray(b"b")),
    ],
)
def test_another_value_is_seen(before: Any, after: Any) -> None:
    assert fingerprint([before], set()) != fingerprint([after], set())
    assert fingerprint([before], set()) == fingerprint([before], set())


class _Till:
    __slots__ = ("__sum", "name")

    def __init__(self, total: int) -> None:
        self.name, self.__sum = "till", total


def test_what_a_private_slot_holds_is_seen() -> None:
    assert fingerprint(_Till(1), {__name__}) != fingerprint(_Till(2), {__name__})
