"""Texts that the code tells apart are what a parameter is given first; guesses that trials refute are given up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.domain.examples import ExampleContext, natural_values
from testwright.engine.python.domain.inference import infer_domains
from testwright.engine.python.domain.membership import without_refuted
from testwright.engine.python.model.domain import UNKNOWN, CallableDomains, ParameterDomain
from testwright.engine.python.model.model import Observation, Raised, Trial, Value
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project

pytestmark = pytest.mark.feature("B-16")

MARKS = 'ADDED = "+"\nREMOVED = "-"\nSPACE = " "\n'
LINES = """
from marks import ADDED, REMOVED

SPACE = " "
TABLE = "none"


class Line:
    def __init__(self, text: str, mark: str):
        self.text = text
        self.mark = mark

    def is_added(self):
        return self.mark == ADDED

    def is_removed(self):
        return self.mark == REMOVED

    def is_kept(self):
        return self.mark == SPACE


def cut(name):
    if name[0] == "a" or name[0] == "b":
        return name[1:]
    return name + "!"


def only(mode: str):
    return mode == "fast"


class Seen:
    def __init__(self):
        self._items = set()

    def put(self, item):
        self._items.add(item)
        return item | {1}

    def spell(self, key):
        self._items.add(key)
        return [one for one in key]


def shadowed(TABLE):
    return TABLE["a"]
"""


@pytest.fixture
def domains(tmp_path: Path) -> dict[tuple[str, str], ParameterDomain]:
    root = write_project(tmp_path, {"marks.py": MARKS, "lines.py": LINES})
    _, context = context_of(root, "lines.py")
    return {(one.qualname, name): domain for one in context.domains for name, domain in one.parameters}


def test_constants_that_a_stored_text_is_compared_with_are_its_words(domains) -> None:
    assert set(domains["Line", "mark"].words) == {"'+'", "'-'", "' '"}
    assert domains["Line", "text"].words == ()


def test_what_pieces_of_a_text_are_compared_with_are_no_words_of_it(domains) -> None:
    assert domains["cut", "name"].words == ()


def test_one_text_alone_is_an_exception_and_no_word(domains) -> None:
    assert domains["only", "mode"].words == ()


def test_words_come_first_and_then_one_text_that_is_none() -> None:
    domain = ParameterDomain("text", words=("'+'", "'-'"))
    given = natural_values(domain, ExampleContext(name="mark"))
    assert [value.candidate.source for value in given][:2] == ["'+'", "'-'"]
    assert [value.degenerate for value in given][:2] == [False, False]
    others = [value.candidate.source for value in given if not value.degenerate][2:]
    assert len(others) == 1


def test_a_member_of_a_set_is_guessed_to_be_no_set_or_list(domains) -> None:
    assert domains["Seen.put", "item"].kind == "any"
    assert domains["Seen.spell", "key"].source != "use"


def test_a_parameter_in_capitals_is_not_the_constant_of_that_name(domains) -> None:
    assert domains["shadowed", "TABLE"].kind == "mapping"


def test_a_number_is_the_first_of_a_union_where_a_text_must_be_one(tmp_path: Path) -> None:
    source = "def at(place: str | int):\n    return int(place) + 1\n"
    root = write_project(tmp_path, {"places.py": source})
    (known,) = infer_domains(facts_of(root, "places.py"), source=source)
    assert [one.kind for one in known.of("place").alternatives] == ["integer", "text"]


def refuted(tmp_path: Path, source: str, *seen: tuple[str, Observation]) -> ParameterDomain:
    """What is left of a guess that a parameter takes a set."""
    root = write_project(tmp_path, {"boxes.py": "def put(item):\n    return hash(item)\n"})
    guess = CallableDomains("put", (("item", ParameterDomain("set", type_name="set", source=source)),))  # pyrefly: ignore[bad-argument-type]
    facts = replace(facts_of(root, "boxes.py"), domains=(guess,))
    pairs = [(Trial("put", act, imports=("from boxes import put",)), observation) for act, observation in seen]
    return without_refuted(facts, pairs)[0].of("item")


REFUSED = Observation("raised", raised=Raised("TypeError", "unhashable type: 'set'", 2))
RETURNED = Observation("returned", value=Value("int", source="1"))
SETS = (("put({1, 2})", REFUSED), ("put({3})", REFUSED))


def test_a_guess_is_given_up_where_all_that_fits_is_refused_and_something_else_is_not(tmp_path: Path) -> None:
    assert refuted(tmp_path, "use", *SETS, ("put(1)", RETURNED)) == UNKNOWN


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        pytest.param("use", SETS, id="nothing_else_is_accepted"),
        pytest.param("use", (*SETS, ("put({4})", RETURNED), ("put(1)", RETURNED)), id="one_that_fits_is_accepted"),
        pytest.param("docstring", (*SETS, ("put(1)", RETURNED)), id="a_document_says_so"),
    ],
)
def test_a_domain_stays(source: str, seen: tuple[tuple[str, Observation], ...], tmp_path: Path) -> None:
    assert refuted(tmp_path, source, *seen).kind == "set"


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("query", "'x=1&y=2'"),
        ("target", "'https://example.com/a/b?x=1&y=2#top'"),
    ],
)
def test_what_is_taken_to_pieces_at_signs_of_an_address_is_one_or_a_part_of_one(name, first):
    domain = ParameterDomain("text", parts=("'#'", "'?'", "'='", "'&'"), source="use")
    assert natural_values(domain, ExampleContext(name))[0].candidate.source == first
