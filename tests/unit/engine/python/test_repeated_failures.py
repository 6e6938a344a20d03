"""A guard against failures is shown by a function of the test that fails as often as it may, and once more."""

from __future__ import annotations

import pytest

from testwright.engine.python.scenarios.repeated_failures import guards
from testwright.tests.support.engine.python_projects import facts_of, write_project

pytestmark = pytest.mark.feature("B-18")

CODE = """
class Breaker:
    def __init__(self, failure_threshold=5, recovery_timeout=30, name=None):
        self.name = name

    def __call__(self, function):
        return function

    def call(self, function, *given):
        return function(*given)


class Bag:
    def __init__(self, size=5):
        self.size = size

    def call(self, function):
        return function
"""


def test_a_guard_decorates_the_function_or_is_given_it_to_call(tmp_path):
    facts = facts_of(write_project(tmp_path, {"m.py": CODE}), "m.py")

    found = [(one.trial.subject, one.trial.arrange[0], one.trial.act) for one in guards(facts)]

    built = "breaker = Breaker(failure_threshold=2, recovery_timeout=60)"
    assert found == [("Breaker.__call__", built, "fetch()"), ("Breaker.call", built, "breaker.call(fetch)")]


def test_the_function_has_failed_as_often_as_it_may_before_the_act(tmp_path):
    facts = facts_of(write_project(tmp_path, {"m.py": CODE}), "m.py")

    assert next(guards(facts)).trial.arrange[1:] == (
        "@breaker\ndef fetch():\n    raise ConnectionError('no answer')",
        "for _ in range(2):\n    with pytest.raises(ConnectionError):\n        fetch()",
    )
