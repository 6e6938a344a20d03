"""Exceptions that a docstring announces: in a section, in a sentence, or in the docstring of the class."""

import ast

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.facts.docstrings import documentation_of
from testwright.engine.python.judge.announcements import Announcements
from testwright.engine.python.judge.comparison import compare_with_document
from testwright.engine.python.judge.documented_exceptions import importable_exception
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
        ("Missing members are created instead of raising a PointerError.", []),
        ("Returns -1 rather than raising ValueError.", []),
        ("Instead of raising KeyError, returns None.", []),
        ("Never raises ValueError. No OSError is raised.", []),
    ],
)
def test_sentences_announce_exceptions(text: str, names: list[str]) -> None:
    function = ast.parse(f"def f():\n    {text!r}\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert [name for name, _ in documentation_of(function).raises] == names


IMPORTING = ast.parse("import csv as table\nimport ours\n")

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


def test_an_exception_out_of_code_of_others_is_not_the_one_that_a_raising_function_documents() -> None:
    source = b'''
def parse(text, convert):
    """Parse a text. Raises ValueError where it is blank."""
    if not text.strip():
        raise ValueError("the text is blank")
    return convert(text)
'''
    facts = facts_from_source(source, ModulePlace("texts.py", "texts", "."))

    def origin(act: str, line: int) -> str:
        observation = Observation("raised", raised=Raised("ValueError", "no", line, ("ValueError", "Exception")))
        (demand,) = Oracle(facts).judge(TrialFinding(Trial("parse", act), observation)).expectations
        return demand.origin

    assert (origin("parse(' ', int)", 5), origin("parse('kitten', int)", 6)) == ("documented", "observed")


@pytest.mark.parametrize(
    ("condition", "documented"),
    [
        pytest.param("if the text is no number, or below zero.", True, id="one of two conditions"),
        pytest.param("if the text is no number.", True, id="another condition than that of the own raise"),
        pytest.param("if the number is below zero.", False, id="the condition of the own raise"),
    ],
)
def test_a_document_that_says_more_than_the_own_raise_also_announces_what_others_raise(condition, documented) -> None:
    source = f'''
def level(text):
    """Reads a level.

    Raises:
        ValueError: {condition}
    """
    value = int(text)
    if value < 0:
        raise ValueError("a level is not below zero")
    return value
'''
    facts = facts_from_source(source.encode(), ModulePlace("texts.py", "texts", "."))
    announcements = Announcements(facts)
    by_others, own = (Raised("ValueError", "no", line, ("ValueError", "Exception")) for line in (8, 10))

    assert (announcements.lines_of("level", by_others) is not None) == documented
    assert announcements.lines_of("level", own) is not None


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("ValueError", ("ValueError", "")),
        ("builtins.KeyError", ("KeyError", "")),
        ("json.JSONDecodeError", ("json.JSONDecodeError", "import json")),
        ("struct.error", ("struct.error", "import struct")),
        ("socket.timeout", ("socket.timeout", "import socket")),
        ("urllib.error.HTTPError", ("urllib.error.HTTPError", "import urllib.error")),
        ("asyncio.TimeoutError", ("asyncio.TimeoutError", "import asyncio")),
        ("sqlite3.OperationalError", ("sqlite3.OperationalError", "import sqlite3")),
        ("table.Error", ("table.Error", "import csv as table")),
        ("ours.Late", ("ours.Late", "import ours")),
    ],
)
def test_an_exception_is_named_with_the_import_that_brings_it(name: str, named: tuple[str, str]) -> None:
    assert importable_exception(name, "m", IMPORTING) == named


@pytest.mark.parametrize(
    "name",
    [
        *("len", "int", "builtins.print", "NotThere"),
        *("json.NotThere", "json.JSONDecoder", "json.dumps", "socket.socket", "table.reader", "table.NotThere"),
        *("this.Error", "_socket.error", "elsewhere.Error"),
    ],
)
def test_what_is_no_exception_is_named_as_none(name: str) -> None:
    assert importable_exception(name, "m", IMPORTING) is None


@pytest.mark.parametrize(
    ("said", "announced"),
    [
        pytest.param(
            "A step that does not advance (e.g. 0 or a tuple of zeros) raises ValueError.", [True, False], id="one"
        ),
        pytest.param("Raises ValueError if the step does not advance, or is no tuple.", [True, True], id="both"),
        pytest.param("Raises ValueError for anything odd.", [True, True], id="neither in these words"),
    ],
)
def test_a_condition_in_the_words_of_one_message_announces_no_other_raise(said: str, announced: list[bool]) -> None:
    source = f'''
def walk(step):
    """Walks. {said}"""
    if step is None:
        raise ValueError("step expected int or tuple, not: %r" % step)
    if step == 0:
        raise ValueError("step does not advance: %r" % step)
'''
    announcements = Announcements(facts_from_source(source.encode(), ModulePlace("walks.py", "walks", ".")))
    still = Raised("ValueError", "step does not advance: 0", 7, ("ValueError", "Exception"))
    wrong = Raised("ValueError", "step expected int or tuple, not: None", 5, ("ValueError", "Exception"))

    assert [announcements.lines_of("walk", one) is not None for one in (still, wrong)] == announced
