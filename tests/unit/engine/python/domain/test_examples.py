"""Natural values of a domain: the representative first, edges as companions, none outside."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from testwright.engine.python.domain.degenerate import is_degenerate
from testwright.engine.python.domain.examples import ExampleContext, natural_values, representative_value
from testwright.engine.python.domain.membership import count_outside
from testwright.engine.python.inputs.calls import argument_rows, rendered_arguments
from testwright.engine.python.model.domain import ParameterDomain, Precondition
from testwright.engine.python.model.model import Trial
from testwright.tests.support.engine.python_projects import context_of, first_trials, write_project

pytestmark = pytest.mark.feature("B-06")

INTEGER, TEXT = ParameterDomain("integer"), ParameterDomain("text")
PAIRS = ParameterDomain("sequence", element=ParameterDomain("sequence", element=INTEGER, length=2), source="use")


@pytest.mark.parametrize(
    ("domain", "name", "source"),
    [
        (TEXT, "a", "'kitten'"),
        (INTEGER, "n", "6"),
        (ParameterDomain("integer", minimum=0, maximum=1), "bit", "0"),
        (ParameterDomain("sequence", element=INTEGER), "numbers", "[3, 1, 8, 2]"),
        (ParameterDomain("sequence", element=INTEGER, preconditions=(Precondition("sorted"),)), "a", "[1, 3, 5, 7, 9]"),
        (ParameterDomain("sequence", element=TEXT), "words", "['banana', 'apple', 'cherry']"),
        (PAIRS, "intervals", "[[1, 3], [2, 6], [8, 10]]"),
        (ParameterDomain("matrix", element=INTEGER), "m", "[[1, 2, 3], [4, 5, 6], [7, 8, 9]]"),
        (ParameterDomain("matrix", element=INTEGER), "maze", "[[1, 1, 0], [0, 1, 0], [0, 1, 1]]"),
        (ParameterDomain("graph", style="list"), "g", "{'A': ['B', 'C'], 'B': ['D'], 'C': ['D'], 'D': []}"),
        (ParameterDomain("mapping", key=TEXT, value=INTEGER), "d", "{'banana': 3, 'apple': 1, 'cherry': 8}"),
        (ParameterDomain("text", preconditions=(Precondition("binary digits"),)), "a", "'1101'"),
        (ParameterDomain("text", preconditions=(Precondition("absolute path"),)), "a", "'/home/user/notes.txt'"),
        (ParameterDomain("text", choices=("'A'", "'E'", "'O'")), "s", "'KITTEN'"),
        (ParameterDomain("text", choices=("'('", "')'", "'['", "']'")), "s", "'([])()'"),
        (ParameterDomain("text", choices=("' '", "'+'", "'-'"), words=("'+'", "'-'", "' '")), "line_type", "'+'"),
        (ParameterDomain("callable", arity=1, value=ParameterDomain("boolean")), "keep", "lambda x: x > 2"),
        (ParameterDomain("choice", choices=("'cm'", "'in'")), "unit", "'cm'"),
        (TEXT, "initial_indent", "'* '"),
        (TEXT, "placeholder", "'...'"),
        (ParameterDomain("date"), "when", "datetime.date(2024, 5, 3)"),
    ],
)
def test_the_first_value_is_what_a_person_would_write(domain, name, source):
    made = natural_values(domain, ExampleContext(name))[0]

    assert made.candidate.source == source


def test_two_parameters_of_one_kind_get_different_values():
    first, second = (representative_value(TEXT, ExampleContext(name, place)) for place, name in enumerate("ab"))

    assert first is not None
    assert second is not None
    assert (first.source, second.source) == ("'kitten'", "'sitting'")


@pytest.mark.parametrize(
    "domain", [INTEGER, TEXT, PAIRS, ParameterDomain("matrix"), ParameterDomain("graph", style="set")]
)
def test_edges_follow_the_plain_values_and_are_marked(domain):
    values = natural_values(domain)
    marks = [value.degenerate for value in values]

    assert marks == sorted(marks)
    assert True in marks
    assert values == natural_values(domain)


def test_no_value_is_outside_of_the_bounds():
    domain = ParameterDomain("integer", minimum=2, maximum=36)

    assert all(2 <= int(value.candidate.source) <= 36 for value in natural_values(domain))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[]", True),
        ("''", True),
        ("0", True),
        ("1", True),
        ("[5]", True),
        ("[2, 2, 2]", True),
        ("'aaa'", True),
        ("{}", True),
        ("lambda x: x", True),
        ("lambda x: None", True),
        ("set()", True),
        ("[3, 1, 2]", False),
        ("'kitten'", False),
        ("True", False),
        ("-5", False),
        ("lambda x: x * 2", False),
        ("{'a': 1, 'b': 2}", False),
        ("made()", False),
    ],
)
def test_empty_single_equal_and_identity_values_are_degenerate(source, expected):
    assert is_degenerate(ast.parse(source, mode="eval").body) is expected


SOURCE = """
class Node:
    def __init__(self, value):
        self.value = value
        self.next = None


class Shelf:
    def __init__(self, room=11):
        self.things = {}

    def put(self, key, thing):
        self.things[key] = thing

    def get(self, key):
        return self.things.get(key)


def merged(first, second):
    head = first
    while head.next:
        head = head.next
    head.next = second
    second = second.next
    return first


def widths(pairs):
    return [high - low for low, high in pairs]


def total(grid):
    found = 0
    for row in range(len(grid)):
        for column in range(len(grid[0])):
            found += grid[row][column]
    return found


def mapped(values, change):
    return [change(value) for value in values]


def place(array, query):
    low, high = 0, len(array) - 1
    while low <= high:
        middle = (low + high) // 2
        if array[middle] == query:
            return middle
        if array[middle] < query:
            low = middle + 1
        else:
            high = middle - 1
    return None
"""


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory):
    return context_of(write_project(tmp_path_factory.mktemp("project"), {"m.py": SOURCE}), "m.py")


def first_trial(context, name: str) -> Trial:
    return first_trials(name, *context)[0]


def test_nodes_are_built_and_linked_and_two_lists_differ(context):
    trial = first_trial(context, "merged")

    assert trial.act == "merged(first, second)"
    assert trial.arrange[:2] == ("first = Node(3)", "first.next = Node(1)")
    assert "second = Node(5)" in trial.arrange


def test_a_container_is_read_with_content_in_it(context):
    trial = first_trial(context, "Shelf.get")

    assert [text.partition("(")[0] for text in trial.arrange] == ["shelf = Shelf", "shelf.put", "shelf.put"]


def test_what_is_searched_is_a_member_of_a_sorted_list(context):
    facts, known = context
    one = next(one for one in facts.callables() if one.qualname == "place")
    pools = {item.name: known.values.for_parameter(one, item) for item in one.parameters}

    assert rendered_arguments(next(argument_rows(one, pools, 1))).source == "[1, 3, 5, 7, 9], 5"


@pytest.mark.parametrize(
    ("act", "count"),
    [
        ("widths([(1, 4), (3, 2)])", 0),
        ("widths([(1, 4), []])", 1),
        ("widths('abc')", 1),
        ("total([[1, 2], [3, 4]])", 0),
        ("total([[1, 1], [1, 1], 'a'])", 1),
        ("total([[1, 2], [3]])", 1),
        ("mapped([1, 2], lambda x: x + 1)", 0),
        ("mapped([1, 2], lambda: 1)", 1),
        ("mapped([1, 2], 5)", 1),
        ("merged(Node(1), Node(2))", 0),
        ("merged([1], 'a')", 2),
        ("anything(1, 'a')", 0),
    ],
)
def test_arguments_are_held_against_what_the_code_does_with_them(context, act, count):
    facts, known = context

    assert count_outside(Trial("m", act), replace(facts, domains=known.domains)) == count


def test_a_small_number_that_is_the_default_has_its_neighbours_as_values() -> None:
    found = [one.candidate.source for one in natural_values(INTEGER, ExampleContext("size", default="1"))]

    assert found[:3] == ["2", "3", "4"]
    assert not any(source.startswith("-") for source in found)
    assert natural_values(INTEGER, ExampleContext("size"))[0].candidate.source == "6"


def test_a_function_named_for_a_test_answers_whether_something_holds() -> None:
    found = natural_values(ParameterDomain("callable", arity=2), ExampleContext("sim_test"))

    assert "==" in found[0].candidate.source or "<" in found[0].candidate.source


@pytest.mark.parametrize("name", ["bit", "bits", "code_bits"])
def test_a_text_of_bits_is_made_of_zeros_and_ones(name: str) -> None:
    found = natural_values(TEXT, ExampleContext(name))

    assert found[0].candidate.source == "'1101'"


def test_a_decimal_that_is_a_share_is_below_one() -> None:
    found = natural_values(ParameterDomain("real", type_name="Decimal"), ExampleContext("tax_rate"))

    assert found[0].candidate.source == "Decimal('0.25')"
    assert found[0].candidate.imports == ("from decimal import Decimal",)
