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
def test_a_class_that_isinstance_is_about_answers_as_before_while_its_clock_stands_still(tmp_path: Path) -> None:
    source = '''
from datetime import date, datetime


def next_birthday(born: date | datetime) -> date:
    """Return the birthday that comes next."""
    if isinstance(born, datetime):
        born = born.date()
    return born.replace(year=datetime.now().year)
'''
    text = render(written_spec(tmp_path, source), "pytest")
    assert "class FrozenDatetime(datetime.datetime, metaclass=Kind):" in text
    root = make_project(tmp_path / "elsewhere", {**files(source), "tests/test_written.py": text})
    assert "passed" in pytest_output(root)
    assert "failed" not in pytest_output(root)


CACHE = '''
import time


class Cache:
    """Keeps values for some seconds."""

    def __init__(self, seconds: int = 60):
        self.seconds = seconds
        self._entries = {}

    def set(self, key: str, value: int) -> None:
        """Keep a value."""
        self._entries[key] = (time.time(), value)

    def get(self, key: str) -> int | None:
        """Return a value, None where there is none or it is too old."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        stored, value = entry
        if time.time() - stored > self.seconds:
            del self._entries[key]
            return None
        return value

    def __len__(self) -> int:
        return len(self._entries)
'''


@pytest.mark.feature("B-11")
def test_time_goes_by_for_what_expires(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, CACHE, trials=300)
    text = render(spec, "pytest")
    expired = next(part for part in text.split("    def ") if "now += 3600" in part)
    assert expired.startswith("test_get_after_a_while(self, monkeypatch)")
    assert 'monkeypatch.setattr("shop.cart.time.time", lambda: now)' in expired
    assert "assert len(cache) == 0" in expired
    root = make_project(tmp_path / "elsewhere", {**files(CACHE), "tests/test_written.py": text})
    assert "passed" in pytest_output(root)


def test_a_parameter_that_is_called_now_names_no_time_of_day(tmp_path: Path) -> None:
    source = "def ago(moment: int, now: int) -> str:\n    return f'{now - moment} seconds ago'\n"
    spec = written_spec(tmp_path, source, trials=100)
    assert not any("night" in case["id"] or "morning" in case["id"] for case in spec["cases"])


POLL = '''
import asyncio


async def poll(check, attempts: int = 3, wait: float = 1.0) -> bool:
    """Ask until the check says yes, with waits in between."""
    for _ in range(attempts):
        if check():
            return True
        await asyncio.sleep(wait)
    return False
'''


@pytest.mark.feature("B-11")
def test_coroutines_do_not_wait_either(tmp_path: Path) -> None:
    text = render(written_spec(tmp_path, POLL, trials=200), "pytest")
    assert 'monkeypatch.setattr("shop.cart.asyncio.sleep", noting_waits(waits))' in text
    assert "waits == [2.5, 2.5, 2.5]" in text
    root = make_project(tmp_path / "elsewhere", {**files(POLL), "tests/test_written.py": text})
    assert "passed" in pytest_output(root, "--durations=1")


BREAKER = '''
import time


class Open(Exception):
    """Raised while calls are refused."""


class Breaker:
    """Refuses to call a function that failed too often, for some seconds."""

    def __init__(self, threshold: int = 5, timeout: int = 30):
        self.threshold = threshold
        self.timeout = timeout
        self.failures = 0
        self._opened = 0.0

    def call(self, function):
        """Call the function."""
        if self.failures >= self.threshold and time.monotonic() - self._opened < self.timeout:
            raise Open(f"{self.failures} failures")
        try:
            return function()
        except Exception:
            self.failures += 1
            self._opened = time.monotonic()
            raise
'''


@pytest.mark.feature("B-18")
def test_a_circuit_breaker_refuses_after_failures_and_tries_again_later(tmp_path: Path) -> None:
    text = render(written_spec(tmp_path, BREAKER, trials=150), "pytest")
    refused, later = (
        next(part for part in text.split("    def test_") if told in part) for told in ("raises(Open", "now += 60")
    )
    assert "breaker = Breaker(threshold=2, timeout=60)" in refused
    assert 'assert calls == ["fetch", "fetch", "fetch"]' in later
    root = make_project(tmp_path / "elsewhere", {**files(BREAKER), "tests/test_written.py": text})
    assert "passed" in pytest_output(root)
