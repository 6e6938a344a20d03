"""Domains are inferred from annotations, documents, real calls and the use in bodies."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from testwright.engine.python.domain.describe import described
from testwright.engine.python.domain.examples import ExampleContext, natural_values
from testwright.engine.python.domain.from_literals import domain_of_values
from testwright.engine.python.domain.inference import infer_domains
from testwright.engine.python.domain.phrases import domain_of_phrase
from testwright.engine.python.facts.type_inference import name_entry
from testwright.engine.python.model.domain import ParameterDomain
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project

pytestmark = pytest.mark.feature("B-06")

SOURCE = '''
"""Small classics, without annotations."""

from .nodes import Chained

TOKENS = {"U": 1, "D": -1, "L": 2}


class Span:
    def __init__(self, start=0, end=0):
        self.start = start
        self.end = end


class Item:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


def distance(first, second):
    """The number of edits between two words."""
    rows = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    return rows[-1][-1]


def joined(spans):
    out = []
    for one in sorted(spans, key=lambda span: span.start):
        if out and one.start <= out[-1].end:
            out[-1].end = max(out[-1].end, one.end)
        else:
            out.append(one)
    return out


def widths(pairs):
    return [high - low for low, high in pairs]


def total(board):
    found = 0
    for row in range(len(board)):
        for column in range(len(board[0])):
            found += board[row][column]
    return found


def reachable(links, start):
    seen, waiting = set(), [start]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            for other in links[node]:
                waiting.append(other)
    return seen


def nearest(roads, start):
    best = {start: 0}
    for town in roads:
        for other in roads[town]:
            best[other] = min(best.get(other, 99), best.get(town, 99) + roads[town][other])
    return best


def length(head):
    count = 0
    while head:
        count += 1
        head = head.next
    return count


def depth_of(node):
    return node.weight + node.below.weight


def place_of(values, wanted):
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def steps(moves):
    return sum(TOKENS[move] for move in moves)


def digit_sum(s):
    return sum(int(letter) for letter in s if letter != "-")


def kept(items, keep):
    return [item for item in items if keep(item)]


def root(number):
    if number < 0:
        raise ValueError("negative")
    return number ** 0.5 // 1


def label(record):
    return record["name"].upper() + str(record["size"] % 2)
'''
NODES = """
class Chained:
    def __init__(self, weight):
        self.weight = weight
        self.below = None
"""


@pytest.fixture(scope="module")
def domains(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParameterDomain]:
    root = write_project(
        tmp_path_factory.mktemp("project"), {"shop/__init__.py": "", "shop/m.py": SOURCE, "shop/nodes.py": NODES}
    )
    _, context = context_of(root, "shop/m.py")
    return {f"{one.qualname}.{name}": domain for one in context.domains for name, domain in one.parameters}


@pytest.mark.parametrize(
    ("parameter", "kind", "description"),
    [
        ("distance.first", "text", "a text"),
        ("distance.second", "text", "a text"),
        ("joined.spans", "sequence", "a list of objects of Span"),
        ("widths.pairs", "sequence", "a list of pairs of integers"),
        ("total.board", "matrix", "a matrix of integers"),
        ("reachable.links", "graph", "a graph, a dictionary of nodes with lists of neighbours"),
        ("nearest.roads", "graph", "a graph, a dictionary of nodes with dictionaries of neighbours and weights"),
        ("length.head", "object", "an object of Item, linked by next"),
        ("depth_of.node", "object", "an object of Chained"),
        ("place_of.values", "sequence", "a sorted list"),
        ("digit_sum.s", "text", "a text of digits"),
        ("kept.keep", "callable", "a function of 1 argument"),
        ("label.record", "mapping", "a dictionary with 'name', 'size'"),
    ],
)
def test_the_use_in_the_body_says_what_a_parameter_takes(domains, parameter, kind, description):
    assert (domains[parameter].kind, domains[parameter].description) == (kind, description)


def test_parameters_of_one_callable_are_related(domains):
    assert domains["reachable.start"].related("member of") == "links"
    assert domains["place_of.wanted"].related("member of") == "values"


def test_letters_looked_up_in_a_constant_are_its_keys(domains):
    assert domains["steps.moves"].choices == ("'U'", "'D'", "'L'")


def test_a_check_at_the_beginning_bounds_a_number(domains):
    assert domains["root.number"].minimum == 0


def test_code_is_evidence_and_a_name_alone_is_not(domains):
    assert domains["total.board"].strong
    assert not ParameterDomain("text", source="name").strong


DOCUMENTED = '''
def google(limit, names):
    """Filters.

    Args:
        limit (int): a positive integer.
        names: list of strings to keep.
    """

def numpy(values, bias):
    """Filters.

    Parameters
    ----------
    values : list of float
        The measurements.
    bias : float, optional
        Added to each.
    """

def sphinx(text, table):
    """Filters.

    :param text: binary string
    :param table: a matrix of integers
    """

def prose(spans):
    """Given a collection of intervals, merges those that overlap."""

def sectioned(place):
    """Given an absolute path for a file (Unix-style), simplify it.

    :type place: str
    """

def listed(row):
    """Given a sorted array, finds its middle.

    :type row: List[int]
    """

def typed(when: "datetime.date", size: int | None, unit: Literal["cm", "in"], pair: tuple[int, str], by=2.5): ...
'''


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParameterDomain]:
    facts = facts_of(write_project(tmp_path_factory.mktemp("project"), {"m.py": DOCUMENTED}), "m.py")
    return {f"{one.qualname}.{name}": domain for one in infer_domains(facts) for name, domain in one.parameters}


@pytest.mark.parametrize(
    ("parameter", "source", "description"),
    [
        ("google.limit", "docstring", "a positive integer"),
        ("google.names", "docstring", "a list of texts"),
        ("numpy.values", "docstring", "a list of numbers"),
        ("numpy.bias", "docstring", "a number"),
        ("sphinx.text", "docstring", "a text of binary digits"),
        ("sphinx.table", "docstring", "a matrix of integers"),
        ("prose.spans", "prose", "a list of pairs of integers"),
        ("sectioned.place", "docstring", "an absolute path"),
        ("listed.row", "docstring", "a sorted list of integers"),
        ("typed.when", "annotation", "a date"),
        ("typed.size", "annotation", "an integer, or None"),
        ("typed.unit", "annotation", "one of 'cm', 'in'"),
        ("typed.pair", "annotation", "a tuple of an integer, a text"),
        ("typed.by", "default", "a number"),
    ],
)
def test_documents_annotations_and_defaults_say_what_a_parameter_takes(documented, parameter, source, description):
    assert (documented[parameter].source, documented[parameter].description) == (source, description)


FORMATS = '''
def fetched(target: str):
    """Fetches.

    Args:
        target: The URL to fetch.
    """

def invited(guest, callback_url, notify_email):
    """Invites.

    :param str guest: e-mail address of who is invited
    """

def called(label: str):
    """Names.

    :param label: the name of a file path element
    """
'''


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("fetched.target", "'https://example.com/a/b?x=1&y=2#top'"),
        ("invited.guest", "'ann@example.com'"),
        ("invited.callback_url", "'https://example.com/a/b?x=1&y=2#top'"),
        ("invited.notify_email", "'ann@example.com'"),
        ("called.label", "'apple'"),
    ],
)
def test_a_text_whose_format_the_documents_or_its_name_say_is_of_that_format(tmp_path, parameter, value):
    facts = facts_of(write_project(tmp_path, {"m.py": FORMATS}), "m.py")
    known = {f"{one.qualname}.{name}": domain for one in infer_domains(facts) for name, domain in one.parameters}
    made = natural_values(known[parameter], ExampleContext(parameter.partition(".")[2]))

    assert made[0].candidate.source == value


@pytest.mark.parametrize(
    ("phrase", "description"),
    [
        ("sorted array of integers", "a sorted list of integers"),
        ("non-negative integer", "a non-negative integer"),
        ("weighted graph", "a graph, a dictionary of nodes with dictionaries of neighbours and weights"),
        ("list of words", "a list of texts"),
        ("string containing just the characters", "a text"),
        ("linked list of integers", "a value"),
    ],
)
def test_noun_phrases_name_domains(phrase, description):
    assert described(domain_of_phrase(phrase)) == description


ENTERED = '''
class Shelf:
    def add(self, value):
        """Add a value.

        :param value: value to add to sorted list
        """
        self.items.append(value)

    def first(self, value):
        """The first index in the list."""
        return self.items.index(value)

    def reserve(self, size):
        """Make room.

        :param size: length of the list
        """
        return size * 2

    def holds(self, value):
        """Whether `value` is an element of the sorted list."""
        return value in self.items

    def rank(self, order):
        """Rank them.

        :param order: list of integers in ascending order
        """
        return order[0]
'''


@pytest.mark.parametrize(
    ("method", "description"),
    [
        ("add", "a value"),
        ("first", "a value"),
        ("reserve", "an integer"),
        ("holds", "a value"),
        ("rank", "a sorted list of integers"),
    ],
)
def test_what_stands_behind_a_preposition_is_another_thing_than_the_parameter(tmp_path, method, description):
    _, context = context_of(write_project(tmp_path, {"m.py": ENTERED}), "m.py")
    found = {one.qualname: dict(one.parameters) for one in context.domains}
    domains = [described(one) for one in found.get(f"Shelf.{method}", {}).values()]
    assert (domains or ["a value"]) == [description]


MERGED = """
def merged(x):
    '''Merges.

    >>> merged([[1, 3], [2, 6]])
    [[1, 6]]
    '''
    return x
"""


def test_the_values_of_real_calls_are_generalised(tmp_path):
    _, context = context_of(write_project(tmp_path, {"m.py": MERGED}), "m.py")

    ((_, domain),) = context.domains[0].parameters

    assert domain.source in ("doctest", "call site")
    assert domain.description == "a list of pairs of integers"


PASSED_ON = {
    "shop/__init__.py": "",
    "shop/types.py": "from typing import Callable\n\nKeep = Callable[[int, int], bool]\n",
    "shop/tables.py": "def total(table):\n    return sum(price for _, price in table.items())\n",
    "shop/cart.py": (
        "from .tables import total\nfrom .types import Keep\n\n\n"
        "def bill(prices, keep: Keep):\n    return total(prices)\n\n\n"
        "def width(size):\n    return size // 8 + ((size % 8) != 0)\n\n\n"
        "def joined(spans):\n    found = list(spans[0])\n    for start, end in sorted(spans):\n"
        "        found.append(end - start)\n    return found\n\n\n"
        "def find(text, needle):\n    return text.find(needle)\n"
    ),
}


@pytest.fixture(scope="module")
def passed_on(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParameterDomain]:
    _, context = context_of(write_project(tmp_path_factory.mktemp("project"), PASSED_ON), "shop/cart.py")
    return {f"{one.qualname}.{name}": domain for one in context.domains for name, domain in one.parameters}


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        pytest.param("bill.prices", "mapping", id="what_a_function_of_another_module_takes"),
        pytest.param("bill.keep", "callable", id="an_imported_alias_of_a_type"),
        pytest.param("width.size", "integer", id="a_number_to_which_a_comparison_is_added"),
    ],
)
def test_other_modules_say_what_a_parameter_takes(passed_on, parameter, kind):
    assert passed_on[parameter].kind == kind


def test_what_is_unpacked_has_as_many_items_as_names_whatever_else_is_done_with_it(passed_on):
    element = passed_on["joined.spans"].element
    assert element is not None
    assert (element.kind, element.length) == ("tuple", 2)


def test_a_needle_is_a_part_of_its_text(passed_on):
    assert passed_on["find.needle"].related("part of") == "text"


@pytest.mark.parametrize(
    ("examples", "is_sorted"),
    [
        (("[1, 10, 12, 15]", "[5, 10, 12, 14]"), True),
        (("[1, 10, 12, 15]", "[5, 1, 12, 14]"), False),
        (("[1, 10, 12, 15]",), False),
        (("[1, 10]", "[2, 3]"), False),
        (("['a', 'b', 'c', 'd']", "['b', 'c', 'd', 'e']"), False),
    ],
)
def test_lists_of_numbers_that_are_all_in_order_are_sorted_by_intent(examples: tuple[str, ...], is_sorted: bool):
    nodes = [ast.parse(text, mode="eval").body for text in examples]

    assert domain_of_values(nodes, lambda name: None).requires("sorted") == is_sorted


PARSED = """
import time
from datetime import date, datetime


def day_of(text):
    return datetime.strptime(text, "%d.%m.%Y").day


def month_of(text):
    return date.fromisoformat(text).month


def minute_of(text):
    return time.strptime(text, "%H:%M").tm_min


def any_of(text, layout):
    return datetime.strptime(text, layout)


def broken(text):
    return datetime.strptime(text, "%")
"""


@pytest.mark.parametrize(
    ("function", "choices"),
    [
        ("day_of", ("'15.03.2024'", "'31.12.2023'", "'29.02.2024'")),
        ("month_of", ("'2024-03-15'", "'2023-12-31'", "'2024-02-29'")),
        ("minute_of", ("'10:30'", "'08:05'", "'23:59'")),
        ("any_of", ("'2024-05-03'", "'03/05/2024'", "'2024-05-03T10:30:15.000000Z'")),
        ("broken", ()),
    ],
)
def test_what_is_parsed_as_a_moment_is_written_in_its_format(tmp_path, function, choices):
    _, context = context_of(write_project(tmp_path, {"m.py": PARSED}), "m.py")
    domains = {one.qualname: dict(one.parameters) for one in context.domains}

    assert domains[function]["text"].choices == choices


def test_a_text_that_is_parsed_by_any_format_is_of_the_first_of_these(tmp_path):
    _, context = context_of(write_project(tmp_path, {"m.py": PARSED}), "m.py")
    layout = next(one for one in context.domains if one.qualname == "any_of").of("layout")

    assert layout.choices[0] == "'%Y-%m-%d'"


def test_the_domain_of_any_number_of_arguments_is_that_of_one(tmp_path: Path) -> None:
    source = "def longest(*words):\n    return max(words)\n\n\ndef shortest(words):\n    return min(words)\n"
    facts = facts_of(write_project(tmp_path, {"m.py": source}), "m.py")
    found = {one.qualname: one.of("words").kind for one in infer_domains(facts)}

    assert found["longest"] != "sequence"
    assert found["shortest"] == "sequence"


def test_what_every_dictionary_can_do_suggests_no_class_that_can_do_it_too(tmp_path: Path) -> None:
    source = (
        "class Schema:\n"
        "    def items(self): ...\n    def copy(self): ...\n    def update(self, more): ...\n\n\n"
        "def expanded(rules):\n    copied = rules.copy()\n    for name, rule in rules.items():\n"
        "        copied[name] = rule\n    return copied\n"
    )
    _facts, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")
    domains = {one.qualname: dict(one.parameters) for one in context.domains}

    assert domains["expanded"]["rules"].kind == "mapping"


def test_an_instance_of_a_class_is_found_wherever_the_project_defines_it(tmp_path: Path) -> None:
    source = (
        "def checked(validator, text):\n"
        '    """Checks.\n\n'
        "    :param validator: An instance of the :class:`~rules.Validator` to use.\n"
        '    :param text: Objects of interest.\n    """\n'
        "    return validator.check(text)\n"
    )
    rules = "class Validator:\n    def check(self, text): ...\n"
    files = {"m.py": source, "rules.py": rules}
    _, context = context_of(write_project(tmp_path, files), "m.py")
    domains = {one.qualname: dict(one.parameters) for one in context.domains}

    assert domains["checked"]["validator"].type_name == "Validator"
    assert domains["checked"]["validator"].source == "docstring"


PASSED_THROUGH = """
def checked(name, value, optional=False):
    if value is None and not optional:
        raise TypeError("expected %s" % name)
    return value


class Url:
    def __init__(self, scheme, query, port=None):
        self.scheme = checked("scheme", scheme)
        self.query = [(key, value) for key, value in checked("query", query)]
        self.port = checked("port", port, True)

    def default_port(self):
        return self.port + 1

    def is_secure(self):
        return self.scheme.lower().endswith("s")

    @classmethod
    def parse(cls, text):
        scheme, rest = text.split(":")
        return cls(scheme, [], int(rest))

    def joined(self, other):
        return type(self)(other, self.query).scheme + self.__class__.parse(other).scheme
"""


def domains_of(folder: Path, source: str) -> dict[str, ParameterDomain]:
    root = write_project(folder, {"shop/__init__.py": "", "shop/urls.py": source})
    _, context = context_of(root, "shop/urls.py")
    return {f"{one.qualname}.{name}": domain for one in context.domains for name, domain in one.parameters}


def test_what_one_call_passes_through_a_function_says_nothing_of_what_another_does(tmp_path: Path) -> None:
    found = domains_of(tmp_path, PASSED_THROUGH)
    assert found["Url.scheme"].kind == "text"
    assert found["Url.query"].kind == "sequence"
    assert found["Url.port"].kind == "integer"


def test_calling_the_class_of_an_object_makes_an_object_and_no_function_of_it(tmp_path: Path) -> None:
    found = domains_of(tmp_path, PASSED_THROUGH)
    assert found["Url.parse.text"].kind == "text"
    assert found["Url.joined.other"].kind == "text"


def test_an_object_of_a_format_and_a_flag_are_no_texts() -> None:
    assert domain_of_phrase("a regular expression").kind == "text"
    assert domain_of_phrase("a compiled regular expression").kind != "text"
    assert domain_of_phrase("an HTML parser").kind != "text"
    assert name_entry("callback_url") is not None
    assert "str" not in {(name_entry(name) or ("",))[0] for name in ("is_url", "use_regex", "strip_html")}


def test_a_text_that_is_a_number_in_one_branch_may_be_any_text(tmp_path: Path) -> None:
    source = """
def look_up(root, key, chosen, row):
    try:
        amount = float(row["amount"])
    except ValueError:
        amount = row.get("amount")
    place = int(chosen)
    if isinstance(root, list):
        key = int(key)
    key.upper()
    return root[key][place], chosen.upper()
"""
    found = domains_of(tmp_path, source)

    assert found["look_up.row"].kind == "mapping"
    assert not found["look_up.key"].requires("digits")
    assert found["look_up.chosen"].requires("digits")
