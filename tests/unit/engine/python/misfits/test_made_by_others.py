"""Objects of a class that documents forbid to call come from the functions that make them, with content (B-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.misfits.forbidden_calls import calls_forbidden_class, classes_made_elsewhere
from testwright.engine.python.model.model import Observation, Trial
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.tests.support.engine.python_projects import context_of, facts_of, first_trials, write_project

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
        "Never instantiate this class directly, use the factory function made.",
        "Users should not create `Box` directly, but call `made`.",
        "A class that should not be instantiated directly: use made().",
    ],
)
def test_a_class_says_in_many_ways_that_it_is_not_to_be_called(said: str, tmp_path: Path) -> None:
    source = f'class Box:\n    """A box. {said}"""\n\n\ndef made(item):\n    return Box()\n\n\ndef other(item): ...\n'
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert facts.classes[0].makers == ("made",)


@pytest.mark.parametrize(
    "said",
    [
        "Do not call it twice.",
        "Made by `made`, or directly.",
        "It never creates files directly in the folder.",
        "Do not create threads yourself, use `made`.",
        "The directory is not created by hand, `made` does so on first use.",
        "Files are not created directly; `made` puts them together.",
        "A factory. Widgets should not be constructed directly: use `made`.",
        "Temperatures should not be created by hand, use `made` for them.",
        "Should not be instantiated directly.",
    ],
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
    made = classes_made_elsewhere([Trial("Nodes.__len__", "len(v(1))")], facts)

    assert calls_forbidden_class(Trial("Nodes.__len__", act, arrange=arrange), made) is forbidden


def test_without_an_object_of_another_maker_a_class_keeps_its_tests(tmp_path: Path) -> None:
    facts = facts_of(write_project(tmp_path, {"m.py": VECTORS}), "m.py")

    assert classes_made_elsewhere([Trial("Nodes.__len__", "len(Nodes(1, [2], []))")], facts) == frozenset()


@pytest.mark.parametrize("source", ["doctest", "existing_test", "call_site"])
def test_what_a_person_builds_may_be_built(source: str) -> None:
    trial = Trial("Nodes.__len__", "len(Nodes(1, [2], []))", source=source)

    assert not calls_forbidden_class(trial, frozenset({"Nodes"}))


HANDLERS = '''
class Handler:
    """Base of the handlers. Should not be instantiated directly."""

    def __init__(self, name):
        self.name = name


class FileHandler(Handler):
    def __init__(self, name, size):
        self.name, self.size = name, size

    def label(self):
        return f"{self.name}:{self.size}"


class Shape:
    """A shape. Never instantiate directly; derive from it, or use `shape_of`."""

    def __init__(self, width):
        self.width = width


class Square(Shape):
    def area(self):
        return self.width**2


def shape_of(kind):
    return Square(3) if kind == "square" else None
'''


def test_what_is_said_of_a_base_is_not_said_of_its_heirs(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"m.py": HANDLERS})

    assert any("FileHandler(" in text for text in set_ups_of(project, "FileHandler.label"))
    assert any("Square(" in text for text in set_ups_of(project, "Square.area"))


NAMED = '''
class Point:
    """A point. Do not instantiate directly, use `Point.of_text`."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    @classmethod
    def of_text(cls, text):
        return cls(len(text), 2)

    def norm(self):
        return self.x + self.y


class Session:
    """Do not instantiate directly, use `connect`."""

    def __init__(self, state):
        self.state = state

    def is_open(self):
        return self.state == "open"


def connect():
    return Session("open")


class Pair:
    """Do not instantiate directly, use `pair`."""

    def __init__(self, parts):
        self.parts = parts

    def total(self):
        return sum(self.parts)


def pair(left: int, right: int):
    return Pair((left, right))


class Tokens:
    """Do not instantiate directly, use `read_tokens`."""

    def __init__(self, words: list):
        self.words = words

    def count(self):
        return len(self.words)


def read_tokens(source: Undefined):
    return Tokens(source.words)
'''


@pytest.mark.parametrize(
    ("member", "beginning"),
    [
        ("Point.norm", "point = Point.of_text("),
        ("Session.is_open", "session = connect()"),
        ("Pair.total", "pair = pair("),
        ("Tokens.count", "tokens = Tokens("),
    ],
)
def test_what_documents_say_to_use_is_called_with_all_that_it_needs(
    member: str, beginning: str, tmp_path: Path
) -> None:
    made = set_ups_of(write_project(tmp_path, {"m.py": NAMED}), member)

    assert made
    assert all(text.partition(" = ")[2].startswith(beginning.partition(" = ")[2]) for text in made)
    assert member != "Pair.total" or all(", " in text for text in made)


def test_a_class_makes_its_objects_where_all_that_others_make_fail(tmp_path: Path) -> None:
    source = '''
    class Box:
        """Do not instantiate directly, use `make`."""

        def __init__(self, items):
            self.items = items

        def total(self):
            return len(self.items)

    def make(name: str) -> "Box":
        raise ValueError(name)
    '''
    project = write_project(tmp_path, {"m.py": source})
    proposer = SourceProposer(project, find_layout(project), facts_of(project, "m.py"))
    for trial in list(proposer.wave(0)):
        proposer.follow_up(trial, Observation("arrange_failed"))
    later = [text for trial in proposer.wave(1) if trial.subject == "Box.total" for text in trial.arrange]

    assert any("Box(" in text for text in later)


def test_only_what_is_named_as_a_maker_makes_objects_of_a_class(tmp_path: Path) -> None:
    source = '''
    class Nodes:
        """Nodes of a tree. Do not instantiate directly, use `parse`; to walk and count them, see below, or `Walker`."""

    class Walker: ...

    def parse(text): ...

    def walk(nodes) -> Walker:
        return Walker()

    def count(nodes): ...
    '''
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert {owner.name: owner.makers for owner in facts.classes} == {"Nodes": ("parse",), "Walker": None}


def test_a_function_that_gives_back_another_class_makes_no_objects_of_this_one(tmp_path: Path) -> None:
    source = '''
    class Nodes:
        """Do not instantiate directly, use `parse` and walk through them by `walk` or `names`."""

    class Walker: ...

    def parse(text): ...

    def walk(nodes) -> Walker:
        return Walker()

    def names(nodes) -> list[str]: ...
    '''
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")

    assert facts.classes[0].makers == ("parse",)


def test_makers_that_take_each_other_s_objects_do_not_go_round_in_circles(tmp_path: Path) -> None:
    makers = "".join(f"def made_{at}(box: Box):\n    return Box(1)\n\n\n" for at in range(15))
    named = " or ".join(f"`made_{at}`" for at in range(15))
    source = (
        f'class Box:\n    """Do not instantiate directly, use {named}."""\n\n    def __init__(self, size: int):\n'
        f"        self.size = size\n\n    def double(self):\n        return self.size * 2\n\n\n{makers}"
    )

    assert set_ups_of(write_project(tmp_path, {"m.py": source}), "Box.double")


def set_ups_of(project: Path, member: str) -> set[str]:
    """What the receivers of a member are made of in the first trials."""
    return {trial.arrange[-1] for trial in first_trials(member, *context_of(project, "m.py"))}
