"""Code that reads the clock is tested with a clock that stands still, and code that waits without waiting (B-11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import files
from testwright.tests.support.engine.written_tests import written_spec
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import pytest_output

GREETING = '''
import time
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone


@dataclass
class Subscription:
    """A subscription of a customer."""

    customer: str
    started: date
    months: int = 12

    def is_active(self) -> bool:
        """Return whether the subscription is running today."""
        return self.started <= date.today() <= self.started + timedelta(days=30 * self.months)


def greeting(name: str) -> str:
    """Greet somebody by the time of day."""
    hour = datetime.now().hour
    if hour < 12:
        return f"Good morning, {name}!"
    return f"Good evening, {name}!"


def receipt(order_id: int, total: float) -> dict:
    """Return the receipt of an order with the time of its creation."""
    return {"order": order_id, "total": round(total, 2), "created": datetime.now(timezone.utc).isoformat()}


def token(user: str, lifetime: int = 3600) -> tuple[str, int]:
    """Return a token and the second in which it expires."""
    return f"{user}-token", int(time.time()) + lifetime


def timed(text: str) -> str:
    """Return the text in capitals, and note how long that took."""
    start = time.time()
    result = text.upper()
    _durations.append(time.time() - start)
    return result


_durations = []


def poll(attempts: int = 3, wait: float = 0.5) -> int:
    """Wait longer before each attempt; return the number of attempts."""
    for attempt in range(attempts):
        time.sleep(wait * 2**attempt)
    return attempts
'''


@pytest.mark.feature("B-11")
def test_the_clock_stands_still_where_it_matters_and_waits_are_noted(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, GREETING)
    text = render(spec, "pytest")
    assert spec["not_reached"] == []
    assert 'monkeypatch.setattr("shop.cart.datetime", datetime_at(now))' in text
    assert 'monkeypatch.setattr("shop.cart.date", date_on(now))' in text
    assert '"created": "2024-06-14T09:00:00+00:00"' in text
    assert "Good morning" in text
    assert "Good evening" in text
    assert "-token" in text
    assert "1718359200" in text
    assert 'monkeypatch.setattr("shop.cart.time.sleep", waits.append)' in text
    assert "assert waits == [" in text
    timed = next(part for part in text.split("\ndef ") if part.startswith("test_timed"))
    assert "monkeypatch" not in timed  # what it tells does not depend on the clock

    root = make_project(tmp_path / "elsewhere", {**files(GREETING), "tests/test_written.py": text})
    assert "passed" in pytest_output(root)


@pytest.mark.feature("B-11")
def test_a_class_that_isinstance_is_about_is_not_replaced(tmp_path: Path) -> None:
    source = '''
from datetime import date, datetime


def next_birthday(born: date | datetime) -> date:
    """Return the birthday that comes next."""
    if isinstance(born, datetime):
        born = born.date()
    return born.replace(year=datetime.now().year)
'''
    text = render(written_spec(tmp_path, source), "pytest")
    assert "FrozenDatetime" not in text
