"""Factories take what their names and documents say, and tables get rows with named columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.domain.examples import ExampleContext, natural_values
from testwright.engine.python.domain.inference import infer_domains
from testwright.engine.python.domain.membership import count_outside
from testwright.engine.python.domain.records import is_namespace
from testwright.engine.python.model.domain import ParameterDomain
from testwright.engine.python.model.model import Trial
from testwright.engine.python.search.initial_trials import callable_trials
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project

pytestmark = pytest.mark.feature("B-06")

SOURCE = '''
_MISSING = object()


class Sheet:
    def __init__(self, data=None, headers=_MISSING, note=None):
        self.headers = list(headers)
        self.note = note
        self.rows = [list(row) for row in data]

    @classmethod
    def from_dict(cls, data, headers=_MISSING):
        return cls.from_any(data, headers)

    @classmethod
    def from_list(cls, data, headers=_MISSING):
        return cls.from_any(data, headers)

    @classmethod
    def from_object(cls, data, headers=_MISSING):
        return cls.from_any(data, headers)

    @classmethod
    def from_any(cls, data, headers):
        if isinstance(data, dict):
            data = [[data.get(name) for name in data.keys()]]
        return cls(data, headers)

    def shown(self):
        cells = []
        for row in self.rows:
            for cell in row:
                if isinstance(cell, Sheet):
                    cells.append(cell.shown())
                else:
                    cells.append(str(row[0]))
        return "".join(cells)


def made(source):
    """Create a Sheet from a :class:`dict`, as a report does."""
    return source


class Grid:
    def __init__(self, data=None, headers=_MISSING, note=None):
        self.headers = headers
        self.note = note
        self.rows = [list(row) for row in data]


class Bag:
    """A set that keeps its order.

    >>> Bag("hello")
    Bag(helo)
    """

    def __init__(self, other=None):
        self.items = {}
        if other:
            self.update(other)

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, item):
        return item in self.items

    def add(self, item):
        self.items[item] = None

    def update(self, *others):
        for item in (Bag(others[0]) if isinstance(others[0], Bag) else others[0]):
            self.add(item)

    def __sub__(self, other):
        return Bag(item for item in self if item not in Bag(other))


def titled(note=None):
    return note or {}


def limited(paths):
    """Cut differences off.

    :param paths: List of path limit tuples or one object
    """
    return [path for path in paths]


def turned(orientation=None):
    """Turn a page.

    :param str orientation: one of 'auto', 'wide', or 'high' (or the first letter of any of those)
    """
    return orientation


def reached(graph, start):
    seen, waiting = set(), [start]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            for other in graph[node]:
                waiting.append(other)
    return seen


class Span:
    def __init__(self, start, end):
        self.start, self.end = start, end


def widths(spans):
    return [one.end - one.start for one in spans]
'''


@pytest.fixture
def facts(tmp_path: Path):
    return facts_of(write_project(tmp_path, {"sheet.py": SOURCE}), "sheet.py")


def domain_of(facts, callable_name: str, name: str):
    found = {one.qualname: one for one in infer_domains(facts, source=SOURCE)}
    return found[callable_name].of(name)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("Sheet.from_dict", "{'banana': 3, 'apple': 1, 'cherry': 8}"),
        ("Sheet.from_list", "[['banana', 3], ['apple', 1], ['cherry', 8]]"),
    ],
)
def test_a_factory_takes_what_its_name_says_whatever_is_done_with_it_later(facts, member, value):
    values = natural_values(domain_of(facts, member, "data"), ExampleContext("data"))

    assert values[0].candidate.source == value


@pytest.mark.parametrize(
    ("sentence", "element"),
    [
        pytest.param("It converts to a list of bools and to text.", "boolean", id="flags"),
        pytest.param("Made from a list of strings.", "text", id="texts"),
        pytest.param("It has a list of nodes.", None, id="objects of which nothing is known"),
    ],
)
def test_a_factory_takes_the_kind_of_list_that_its_class_documents(tmp_path, sentence, element):
    source = f'''
class Bits:
    """A row of bits. {sentence}"""

    @classmethod
    def from_list(cls, list_):
        return cls(list_)
'''
    _, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")
    domain = next(one for one in context.domains if one.qualname == "Bits.from_list").of("list_")

    assert (domain.element.kind if domain.element is not None else None) == element


def test_an_object_is_made_with_an_attribute_for_each_column(tmp_path, facts):
    _, context = context_of(tmp_path, "sheet.py")
    member = next(one for one in facts.callables() if one.qualname == "Sheet.from_object")

    values = context.values.for_parameter(member, member.parameters[0])

    assert values[0].source == "SimpleNamespace(name='kitten', count=6)"


def test_the_names_of_columns_are_as_many_as_the_columns(facts):
    values = natural_values(domain_of(facts, "Sheet.from_list", "headers"), ExampleContext("headers"))

    assert values[0].candidate.source == "['name', 'count']"


def test_a_class_that_some_cells_are_asked_for_says_nothing_of_all_cells(facts):
    data = domain_of(facts, "Sheet", "data")

    assert "Sheet" not in data.description


def test_a_sentence_says_what_something_is_created_from(facts):
    assert domain_of(facts, "made", "source").kind == "mapping"


def test_a_table_is_built_with_rows_and_the_names_of_their_columns(tmp_path, facts):
    _, context = context_of(tmp_path, "sheet.py")
    owner = next(one for one in facts.classes if one.name == "Grid")

    made = context.values.of_class(facts, owner)

    assert "Grid([['banana', 3], ['apple', 1], ['cherry', 8]], ['name', 'count'])" in {one.source for one in made}


def test_a_range_is_no_list_of_objects(tmp_path, facts):
    _, context = context_of(tmp_path, "sheet.py")
    known = replace(facts, domains=context.domains)

    assert count_outside(Trial("widths", "widths(range(5))"), known) == 1
    assert count_outside(Trial("widths", "widths([Span(1, 3)])"), known) == 0


def test_a_container_holds_no_objects_of_its_own_class(tmp_path, facts):
    _, context = context_of(tmp_path, "sheet.py")
    domains = {one.qualname: one for one in context.domains}

    assert "Bag" not in domains["Bag"].of("other").description
    assert "Bag" not in domains["Bag.add"].of("item").description


def test_an_operator_is_given_an_object_with_other_content_than_the_first_receiver(tmp_path, facts):
    _, context = context_of(tmp_path, "sheet.py")
    member = next(one for one in facts.callables() if one.qualname == "Bag.__sub__")

    first = next(callable_trials(member, context, 0))

    assert (first.arrange[0], first.act) == ("bag = Bag('hello')", "bag - Bag('kitten')")


def test_a_dictionary_that_stands_in_for_nothing_says_that_one_is_expected(facts):
    assert domain_of(facts, "titled", "note").kind == "mapping"


def test_a_list_of_tuples_is_no_list_of_words(facts):
    known = replace(facts, domains=infer_domains(facts, source=SOURCE))

    assert count_outside(Trial("limited", "limited(['a', 'b'])"), known) == 1
    assert count_outside(Trial("limited", "limited([('a', 'b')])"), known) == 0


def test_texts_that_a_document_says_to_choose_from_come_first(facts):
    values = natural_values(domain_of(facts, "turned", "orientation"), ExampleContext("orientation"))

    assert [one.candidate.source for one in values[:3]] == ["'auto'", "'wide'", "'high'"]


@pytest.mark.parametrize(
    ("graph", "outside"),
    [
        ("{'A': ['B'], 'B': []}", 0),
        ("{'A': ['B']}", 1),
        ("{'A': []}", 0),
        ("{name: ['B'] for name in 'AB'}", 0),
    ],
)
def test_the_neighbours_in_a_graph_are_nodes_of_it(facts, graph, outside):
    known = replace(facts, domains=infer_domains(facts, source=SOURCE))

    assert count_outside(Trial("reached", f"reached({graph}, 'A')"), known) == outside


def test_an_object_of_a_module_of_the_project_that_is_called_types_is_no_plain_record():
    assert is_namespace(ParameterDomain("object", type_name="SimpleNamespace", module="types"))
    assert not is_namespace(ParameterDomain("object", type_name="Span", module="types"))
