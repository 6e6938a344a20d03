"""Objects of a class that documents forbid to call come from the functions that make them, with content (B-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.misfits.forbidden_calls import calls_forbidden_class
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project

pytestmark = pytest.mark.feature("B-16")

VECTORS = '''
from abc import ABC, abstractmethod


class Nodes:
    def __init__(self, count, root, tail):
        self.count, self.items = count, root + tail

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.items[index]


class Vector(ABC):
    """A vector.

    Do not instantiate directly, instead use the factory function :py:func:`v`.
    """

    @abstractmethod
    def __len__(self):
        """
        >>> len(v(1, 2, 3))
        3
        """

    @abstractmethod
    def __getitem__(self, index):
        """
        >>> v1 = v(5, 6, 7)
        >>> v1[2]
        7
        """


_EMPTY = Nodes(0, [], [])
Vector.register(Nodes)


def v(*elements):
    return Nodes(len(elements), list(elements), _EMPTY.items)
'''


@pytest.mark.parametrize(
    "said",
    [
        "Do not instantiate directly, use `made`.",
        "Not meant to be created directly: `made` does that.",
        "Objects should not be constructed by hand but with `made`.",
        "Must not be directly instantiated; see `made`.",
    ],
)
def test_a_class_says_in_many_ways_that_it_is_not_to_be_called(said: str, tmp_path: Path) -> None:
    source = f'class Box:\n    """A box. {said}"""\n\n\ndef made(item):\n    return Box()\n\n\ndef other(item): ...\n'
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert facts.classes[0].makers == ("made",)


@pytest.mark.parametrize(
    "said", ["Do not call it twice.", "Made by `made`, or directly.", "It never creates files directly in the folder."]
)
def test_a_class_that_only_speaks_of_makers_may_be_called(said: str, tmp_path: Path) -> None:
    source = f'class Box:\n    """A box. {said}"""\n\n\ndef made(item):\n    return Box()\n'
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert facts.classes[0].makers is None


def test_what_is_said_of_a_class_holds_for_those_that_are_registered_with_it(tmp_path: Path) -> None:
    facts = facts_of(write_project(tmp_path, {"m.py": VECTORS}), "m.py")

    assert {owner.name: owner.makers for owner in facts.classes} == {"Nodes": ("v",), "Vector": ("v",)}


def test_a_class_that_derives_from_one_that_may_not_be_called_may_not_be_called(tmp_path: Path) -> None:
    source = '''
    class Base:
        """Never create it directly, use `made`."""

    class Box(Base):
        def __init__(self, parts):
            self.parts = parts

    class Open(Base):
        """A box that anybody builds."""

    def made(item):
        return Box([item])
    '''
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert {owner.name: owner.makers for owner in facts.classes} == {"Base": ("made",), "Box": ("made",), "Open": None}


def test_receivers_are_what_documents_make(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"m.py": VECTORS})
    trials = list(SourceProposer(project, find_layout(project), facts_of(project, "m.py")).initial())
    made = {text for trial in trials for text in trial.arrange if text.startswith("nodes = ")}

    assert "nodes = v(5, 6, 7)" in made
    assert not any("Nodes(" in text for text in made)


def test_the_examples_of_an_abstract_member_are_those_of_the_class_behind_it(tmp_path: Path) -> None:
    _, context = context_of(write_project(tmp_path, {"m.py": VECTORS}), "m.py")

    assert {(one.subject, one.act) for one in context.seeds if one.wanted} == {
        ("Nodes.__len__", "len(v(1, 2, 3))"),
        ("Nodes.__getitem__", "v1[2]"),
    }


@pytest.mark.parametrize(
    ("arrange", "act", "forbidden"),
    [
        (("nodes = Nodes(3, [1], [])",), "len(nodes)", True),
        ((), "v(1, 2) == Nodes(2, [1, 2], [])", True),
        (("nodes = v(1, 2)",), "len(nodes)", False),
    ],
)
def test_a_trial_that_builds_such_an_object_itself_is_told(
    arrange: tuple[str, ...], act: str, forbidden: bool, tmp_path: Path
) -> None:
    facts = facts_of(write_project(tmp_path, {"m.py": VECTORS}), "m.py")

    assert calls_forbidden_class(Trial("Nodes.__len__", act, arrange=arrange), facts) is forbidden
