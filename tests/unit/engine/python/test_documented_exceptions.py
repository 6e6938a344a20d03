"""Exceptions that a docstring announces: in a section, in a sentence, or in the docstring of the class."""

import ast

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.facts.docstrings import documentation_of
from testwright.engine.python.judge.comparison import compare_with_document
from testwright.engine.python.judge.oracle import Oracle
from testwright.engine.python.model.model import Observation, Raised, Trial, TrialFinding
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.project.layout import ModulePlace

pytestmark = pytest.mark.feature("B-02")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Parse a level.\n\nRaises ValueError for an unknown level.", ["ValueError"]),
        ("Raise a `Full` or ``queues.Empty``.", ["Full", "Empty"]),
        ("Stops by raising ValueError, TypeError and KeyError.", ["ValueError", "TypeError", "KeyError"]),
        ("If there is none, an :exc:`IndexError` is raised.", ["IndexError"]),
        ("It never raises KeyError, does not raise TypeError, and no OSError is raised.", []),
        ("This raises the question of Full.empty.", []),
    ],
)
def test_sentences_announce_exceptions(text: str, names: list[str]) -> None:
    function = ast.parse(f"def f():\n    {text!r}\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert [name for name, _ in documentation_of(function).raises] == names


SOURCE = b'''
class Level:
    """A level.

    Raises ValueError where it is negative.
    """

    def __init__(self, value):
        if value < 0:
            raise ValueError("a level is positive")
        self.value = value
'''


@pytest.mark.parametrize(("source", "says"), [("prose", None), ("doctest", "raises ValueError")])
def test_an_exception_that_another_source_announces_accuses_only_where_it_is_certain(source, says) -> None:
    trial = Trial("f", "f('')", source=source, wanted="raises:ValueError", wanted_path="a.md")
    assert compare_with_document(trial, ObservedTrial(Observation("returned"))).contradicts == says


def test_a_class_documents_what_its_constructor_raises() -> None:
    facts = facts_from_source(SOURCE, ModulePlace("levels.py", "levels", "."))
    raised = Observation("raised", raised=Raised("ValueError", "a level is positive", 10, ("ValueError", "Exception")))
    (demand,) = Oracle(facts).judge(TrialFinding(Trial("Level", "Level(-1)"), raised)).expectations
    assert (demand.origin, demand.evidence and demand.evidence.object) == ("documented", "Level")
