"""Examples of the settings that do not work are told with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.explore.unknown_examples import unknown_examples
from testwright.engine.python.inputs.given_examples import ExampleRecord
from testwright.engine.python.model.model import Observation, Raised, Trial
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.engine.python.usage.project_index import ProjectIndex
from testwright.tests.support.engine.python_projects import facts_of, write_project

SOURCE = """
class Rule:
    def __init__(self, text: str): ...

def apply_rule(rule, total: int):
    return total

def fee(total: int):
    return 2
"""
RETURNED = Observation(outcome="returned")
RAISED = Observation(outcome="raised", raised=Raised("TypeError", "fee() takes 1 positional argument but 2 were given"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path, {"m.py": SOURCE})


def notes_after(project: Path, examples: dict[str, str], *observations: Observation) -> list[str]:
    """The notes once the trials that the examples lead to have been seen with these observations, in turns."""
    proposer = SourceProposer(project, find_layout(project), facts_of(project, "m.py"), examples=examples)
    trials = [trial for trial in proposer.initial() if trial.source == "example"]
    for at, trial in enumerate(trials):
        proposer.follow_up(trial, observations[at % len(observations)])
    return proposer.examples.notes()


def test_a_call_that_raises_is_told_with_the_exception(project):
    (note,) = notes_after(project, {"m:fee": "fee(1, 2)"}, RAISED)
    assert note == (
        "The example of `m:fee` in the settings does not work: it raises TypeError: fee() takes 1 positional argument "
        "but 2 were given."
    )


def test_a_call_that_returns_needs_no_word(project):
    assert notes_after(project, {"m:fee": "fee(1)"}, RETURNED) == []


def test_a_call_that_does_not_end_is_told(project):
    (note,) = notes_after(project, {"m:fee": "fee(1)"}, Observation(outcome="timed_out"))
    assert "it timed out" in note


@pytest.mark.parametrize("key", ["rule", "m:apply_rule"])
def test_a_name_that_the_module_does_not_know_is_told(project, key):
    source = "Money('3')" if key == "rule" else "apply_rule(Money('3'), 1)"
    (note,) = notes_after(project, {key: source}, RETURNED)
    assert "m neither defines nor imports Money" in note


def test_a_value_fails_only_where_no_call_with_it_returns(project):
    examples = {"total": "12345"}
    assert "no call with it returns, it raises TypeError" in notes_after(project, examples, RAISED)[0]
    assert notes_after(project, examples, RAISED, RETURNED) == []


def test_a_value_counts_where_its_parameter_gets_it_and_not_where_its_text_stands(project):
    facts = facts_of(project, "m.py")
    calls = {
        "apply_rule(Rule('1'), 1)": ["total"],
        "fee(12)": [],
        "fee(total= 1)": ["total"],
        "fee(amount)": ["total"],
        "apply_rule(1, 2)": ["rule"],
    }
    for act, passed in calls.items():
        record = ExampleRecord({"total": "1", "rule": "1"}, facts, ProjectIndex(project, find_layout(project)))
        trial = Trial(subject="fee", act=act, arrange=("amount = 1",), source="example")
        record.observe(trial, RAISED)
        told = [note for note in record.notes() if "no call with it returns" in note]
        assert [name for name in ("rule", "total") if any(f"`{name}`" in note for note in told)] == passed, act


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("shop:fee", "the project has no module shop"),
        ("m:feee", "m defines no function or method feee; did you mean fee"),
        ("rulle", "no function of the project has a parameter of that name"),
    ],
)
def test_a_key_that_names_nothing_of_the_project_is_unknown(project, key, reason):
    known = {"m:fee": "fee(1)", "m:Rule": "Rule('a')", "total": "1"}
    assert unknown_examples({**known, key: "1"}, find_layout(project)) == {key: reason}
