from __future__ import annotations

import re
from pathlib import Path

import pytest

from testwright.engine.python.facts.type_inference import BY_NAME, inferred_hints
from testwright.engine.python.inputs.calls import argument_rows, rendered_arguments
from testwright.engine.python.inputs.operands import text_examples
from testwright.engine.python.inputs.pools import BY_TYPE, IMPORTED, LAMBDAS
from testwright.engine.python.model.model import CallableFacts, Candidate, Parameter
from testwright.engine.python.source.annotations import TypeHint, prose_hint, type_hint
from testwright.tests.support.engine.python_projects import context_of, write_project
from testwright.utils.regex_examples import matching_texts

pytestmark = pytest.mark.feature("B-06")


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        ("int", TypeHint("int")),
        ("Optional[int]", TypeHint("Union", (TypeHint("int"), TypeHint("None")))),
        ("int | None", TypeHint("Union", (TypeHint("int"), TypeHint("None")))),
        ("'Cart'", TypeHint("Cart")),
        ("typing.List['Cart']", TypeHint("list", (TypeHint("Cart"),))),
        ("Annotated[int, Field(gt=0)]", TypeHint("int")),
        ("Literal['a', 2]", TypeHint("Literal", (TypeHint("'a'"), TypeHint("2")))),
        ("Callable[[int, str], bool]", TypeHint("Callable", (TypeHint("int"), TypeHint("str"), TypeHint("bool")))),
        ("Callable[..., int]", TypeHint("Callable", (TypeHint("..."), TypeHint("int")))),
        ("tuple[int, ...]", TypeHint("tuple", (TypeHint("int"), TypeHint("...")))),
        ("1 +", TypeHint("Any")),
        (None, TypeHint("Any")),
    ],
)
def test_annotations_are_read(annotation, hint):
    assert type_hint(annotation) == hint


def test_prose_types_are_read():
    assert prose_hint("int or None, optional") == TypeHint("Union", (TypeHint("int"), TypeHint("None")))
    assert prose_hint("list of str") == TypeHint("list", (TypeHint("str"),))
    assert prose_hint("whatever you like") == TypeHint("Any")


SOURCE = """
import re
from dataclasses import dataclass
from enum import Enum
from typing import Callable, Iterable, Literal, NewType, Optional, TypedDict, TypeVar

UserId = NewType("UserId", int)
T = TypeVar("T", bound=str)
Pair = tuple[int, str]
CLOCK = re.compile(r"[0-2]\\d:[0-5]\\d")
KINDS = ("red", "blue")

class Colour(Enum):
    RED = 1
    BLUE = 2

class Row(TypedDict):
    name: str
    size: int

@dataclass
class Line:
    name: str
    colour: Colour = Colour.RED

class Base(Protocol):
    def run(self): ...

class Child(Base):
    def run(self): return 1

class Node:
    def __init__(self, parent: Optional["Node"] = None): ...

def typed(a: Line, b: Optional[Colour], c: Literal["x", "y"], d: Callable[[int], bool], e: Row, f: UserId, g: Pair,
          h: Iterable[Line], i: dict[str, int], j: T, k: type[Line], l: Base, m: Node): ...

def plain(pred, kind, when, limit, words, path, f, callback):
    if kind in KINDS or kind == "green":
        return 1
    if limit > 41:
        return 2
    if len(words) > 2:
        return 3
    CLOCK.match(when)
    with open(path) as stream:
        f(stream.read(), 2)
    for word in words:
        word.strip()

def outer(thing):
    return inner(thing)

def inner(mapping_like):
    return mapping_like.keys()

def make_line(line):
    return line
"""


@pytest.fixture
def module(tmp_path):
    write_project(tmp_path, {"m.py": SOURCE})
    return context_of(tmp_path, "m.py")


def values_of(module, function, parameter):
    facts, context = module
    one = next(item for item in facts.functions if item.qualname == function)
    return [
        item.source
        for item in context.values.for_parameter(one, next(p for p in one.parameters if p.name == parameter))
    ]


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ("a", "Line('apple')"),
        ("b", "Colour.RED"),
        ("c", "'x'"),
        ("d", "lambda x: x > 2"),
        ("e", "{'name': 'apple', 'size': 6}"),
        ("f", "2"),
        ("g", "(3, 'banana')"),
        ("j", "'kitten'"),
        ("k", "Line"),
        ("l", "Child()"),
        ("m", "Node()"),
    ],
)
def test_first_value_of_an_annotated_parameter_is_a_plain_one_of_its_type(module, parameter, expected):
    assert values_of(module, "typed", parameter)[0] == expected


def test_containers_hold_values_of_their_element_types(module):
    assert values_of(module, "typed", "h")[0].startswith("[Line('apple'), Line(")
    assert values_of(module, "typed", "i")[0].startswith("{'dog': 5")


def test_optional_gives_none_too(module):
    assert {"Colour.RED", "Colour.BLUE", "None"} <= set(values_of(module, "typed", "b"))


def test_compared_constants_are_among_the_values(module):
    assert {"'green'", "'red'", "'blue'"} <= set(values_of(module, "plain", "kind"))
    assert {"41", "42", "40"} <= set(values_of(module, "plain", "limit"))
    assert "[1, 2, 3]" in values_of(module, "plain", "words")


def test_values_match_the_patterns_they_are_matched_with(module):
    texts = [text.strip("'") for text in values_of(module, "plain", "when")]
    assert any(re.fullmatch(r"[0-2]\d:[0-5]\d", text) for text in texts)


def test_called_parameters_are_functions_of_that_arity(module):
    assert values_of(module, "plain", "f")[0] == "lambda x, y: x + y"


def test_opened_parameters_are_paths_and_real_files(module):
    assert any("tmp_path" in text for text in values_of(module, "plain", "path"))


def test_uses_are_followed_into_functions_of_the_module(module):
    facts, _ = module
    outer = next(item for item in facts.functions if item.qualname == "outer")
    assert inferred_hints(facts, outer, outer.parameters[0])[0].name == "dict"


def test_parameter_named_like_a_class_gets_its_objects(module):
    assert values_of(module, "make_line", "line")[0] == "Line('apple')"


@pytest.mark.parametrize(
    "pattern",
    [r"(\w+)@(\w+)\.com", r"^a{2,3}(b|c)?$", r"[^x]+\s\d", r"(?P<y>\d{4})-(?P<m>\d\d)", r"(a)\1", r"(?:x|y)+?z"],
)
def test_texts_made_of_a_pattern_match_it(pattern):
    texts = matching_texts(pattern)
    assert texts
    assert all(re.search(pattern, text) for text in texts)


def test_date_formats_give_dates_and_prose_gives_nothing():
    assert text_examples("%Y-%m-%d") == ["2024-02-29"]
    assert text_examples("hello world") == []
    assert text_examples("(unclosed [") == []


def test_pools_hold_valid_expressions_without_clocks_or_addresses():
    texts = [text for pool in (*BY_TYPE.values(), *LAMBDAS.values()) for text in pool]
    texts += [text for _, _, pool in BY_NAME for text in pool]
    space: dict[str, object] = {}
    for statement, *sources in IMPORTED.values():
        exec(statement, space)
        texts += sources
    exec("import io", space)
    for text in texts:
        eval(text, space)
        assert "object()" not in text
        assert "now" not in text


def test_of_what_may_hold_anything_texts_come_first(tmp_path):
    source = (
        "from typing import Sequence, TypeVar\n\nT = TypeVar('T')\n\n\n"
        "def same(*sequences: Sequence[T], bounds: Sequence[int] = ()):\n    return len(sequences)\n"
    )
    write_project(tmp_path, {"m.py": source})
    module = context_of(tmp_path, "m.py")
    assert values_of(module, "same", "sequences")[:2] == ["'abc', 'abd'", "'abc'"]
    assert values_of(module, "same", "bounds")[0].startswith("[")


def test_a_parameter_that_takes_a_real_clock_is_always_given_one_that_stands():
    parameters = (
        Parameter("ttl", "positional_or_keyword"),
        Parameter("timer", "positional_or_keyword", default="time.monotonic"),
        Parameter("size", "positional_or_keyword", default="None"),
    )
    cache = CallableFacts("Cache", "constructor", (1, 2), parameters)
    pools = {
        "ttl": (Candidate("1"), Candidate("2")),
        "timer": (Candidate("lambda: 0"), Candidate("lambda: 100")),
        "size": (Candidate("3"),),
    }
    rows = [rendered_arguments(row).source for row in argument_rows(cache, pools, 6)]
    assert rows[0] == "1, timer=lambda: 0"
    assert all("timer=" in row for row in rows)
    assert "1, timer=lambda: 100" in rows


CLOCKED = """
import datetime


def _now():
    return datetime.datetime.now()


def age(born: datetime.date):
    return _now().date() - born


def late(due: datetime.date, today: datetime.date = None):
    return (today or datetime.date.today()) - due


def weekday(day: datetime.date):
    return day.weekday()
"""


@pytest.mark.feature("B-11")
@pytest.mark.parametrize(("name", "relative"), [("age", True), ("late", False), ("weekday", False)])
def test_dates_near_now_are_only_for_code_that_reads_the_clock_and_takes_no_moment(
    tmp_path: Path, name: str, relative: bool
) -> None:
    facts, context = context_of(write_project(tmp_path, {"ages.py": CLOCKED}), "ages.py")
    function = next(item for item in facts.functions if item.name == name)
    found = context.values.for_parameter(function, function.parameters[0])
    assert any(value.source == "datetime.date(2024, 6, 13)" for value in found) is relative
    assert not any("today()" in value.source for value in found)
    assert any(value.source.startswith("datetime.date(2024") for value in found)


def test_a_number_beside_a_collection_is_small_enough_for_its_few_items(tmp_path):
    page = "def page(items: list[str], number: int, size: int = 20): return items"
    source = f"{page}\n\ndef year(number: int): return number\n"
    write_project(tmp_path, {"m.py": source})
    module = context_of(tmp_path, "m.py")
    assert values_of(module, "page", "number")[0] == "2"
    assert values_of(module, "page", "size")[0] == "3"
    assert values_of(module, "year", "number")[0] == "6"
