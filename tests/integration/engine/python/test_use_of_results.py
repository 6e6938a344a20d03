"""What a function returns is used, and what was registered is asked for: the use is what is asserted (B-02, B-06)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from testwright.tests.support.engine.written_tests import written_tests

TOOLS = '''
import functools


def counted(function):
    """Count the calls of a function."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


def retry(times=3, default=None):
    """Call a function again on errors."""

    def decorate(function):
        def wrapper(*args):
            for _ in range(times):
                try:
                    return function(*args)
                except ValueError:
                    continue
            return default

        return wrapper

    return decorate


def adder(step):
    """Return a function that adds a step."""

    def add(number):
        return number + step

    return add
'''

AGENDA = '''
class Agenda:
    """Entries with reminders."""

    def __init__(self):
        self.entries = []

    def entry(self, hour=9):
        """Begin an entry."""
        return Entry(self, hour)

    def planned(self):
        """Return all entries."""
        return self.entries[:]

    def wipe(self):
        """Remove all entries."""
        del self.entries[:]


class Entry:
    """One entry; it is on the agenda once it is confirmed."""

    def __init__(self, agenda, hour):
        self.agenda = agenda
        self.hour = hour

    def confirm(self):
        """Put it on the agenda."""
        self.agenda.entries.append(self)
        return self
'''


@pytest.mark.feature("B-02")
def test_decorators_are_used_and_functions_that_are_returned_are_called(tmp_path: Path) -> None:
    text = written_tests(tmp_path, TOOLS)
    assert re.search(r"@counted\n|counted\(.+\)\(.*\) == ", text)
    assert "@retry()\n    def double" not in text  # without the decorator it would answer the same
    assert re.search(r"assert adder\(\d+\)\((\d+|value)\) == (\d+|expected)", text)
    assert "callable(" not in text
    assert "FunctionType" not in text


@pytest.mark.feature("B-06")
def test_what_was_registered_with_an_object_is_asked_for_by_its_variable_and_removed_again(tmp_path: Path) -> None:
    text = written_tests(tmp_path, AGENDA)
    entry = "agenda = Agenda()\n        entry = agenda.entry()\n        entry.confirm()\n"
    assert f"{entry}\n        assert agenda.planned() == [entry]" in text
    assert "        agenda.entry().confirm()\n\n        agenda.wipe()\n\n        assert agenda.entries == []" in text
