"""Callables lend one another their inputs: what one returns, what a sibling is shown with, what stands in the code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.domain.membership import count_outside, without_refuted
from testwright.engine.python.inputs.calls import member_form
from testwright.engine.python.model.domain import CallableDomains, ParameterDomain
from testwright.engine.python.model.model import CallableFacts, Candidate, Observation, Trial, Value
from testwright.engine.python.search.passed_results import PassedResults
from testwright.engine.python.search.round_trips import round_trips
from testwright.engine.python.search.trial_mutation import shown_result
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")

SOURCE = '''
import re

def to_data(box):
    """Export a box to a list of pairs."""
    return [(name, size) for name, size in box.items()]

def from_data(data):
    """Import a box from a list of pairs."""
    return {name: size for name, size in data}

def escape(s):
    return s.replace("~", "~0").replace("/", "~1")

def unescape(s):
    return s.replace("~1", "/").replace("~0", "~")

def fields(template: str):
    """Names the fields of a template.

    >>> fields("{noun} is {age:d} years old")
    ['noun', 'age']
    """
    return re.findall(r"[{](\\\\w+)", template)

def tokens(template: str):
    return re.split("[{}]", template)

def names(text: str):
    return [Name(one) for one in fields(text)]

def count(words: str):
    return len(names(words))

class Name:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Name({self.name!r})"

def show(value, conv=repr, left="(", right=")", sep=" | ", pattern=r"\\\\[", limit=float("inf")):
    """Shows a value.

    :param conv: function that is used to represent a value.
    """
    return left + conv(value) + right + sep + pattern + str(limit)

class Later:
    def __init__(self, value: int):
        self.value = value

    def __format__(self, spec):
        return self.value.__format__(spec)

    def __unicode__(self):
        return str(self.value)

class Card:
    def __init__(self, name):
        self.name = name

    def to_dict(self):
        return {"name": self.name}

    @classmethod
    def from_dict(cls, data):
        return cls(data["name"])

    def encode(self, text):
        return self.name + ":" + text

    def decode(self, text):
        return text.removeprefix(self.name + ":")

class Ends:
    """Holds what a list ends with."""

    def __init__(self, items):
        self.items = items

def step(doc, part):
    if part == "-":
        return Ends(doc)
    return doc[part]

def last(doc, parts):
    for part in parts.split("/"):
        doc = step(doc, part)
    return doc
'''


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The facts of the module and what is known of its values."""
    return context_of(write_project(tmp_path_factory.mktemp("project"), {"m.py": SOURCE}), "m.py")


def values_of(shown, subject: str, name: str) -> list[str]:
    facts, context = shown
    one = next(one for one in facts.callables() if one.qualname == subject)
    item = next(item for item in one.parameters if item.name == name)
    return [value.source for value in context.values.for_parameter(one, item)]


def test_what_one_function_returns_is_given_to_the_one_that_undoes_it(shown):
    trial = Trial("to_data", "to_data({'apple': 3})", source="domain")
    seen = Observation("returned", value=Value("list", source="[('apple', 3)]"))

    found = PassedResults(shown[1]).follow_up(trial, seen)

    assert [(one.subject, one.act) for one in found] == [("from_data", "from_data([('apple', 3)])")]


@pytest.mark.parametrize(
    ("subject", "act", "result", "found"),
    [
        pytest.param(
            "Card.to_dict", "card.to_dict()", "{'name': 'Ann'}", "Card.from_dict({'name': 'Ann'})", id="a factory"
        ),
        pytest.param("Card.encode", "card.encode('hi')", "'Ann:hi'", "card.decode('Ann:hi')", id="the same object"),
    ],
)
def test_what_a_method_returns_is_given_to_what_undoes_it(shown, subject, act, result, found):
    trial = Trial(subject, act, arrange=("card = Card('Ann')",), source="domain")
    seen = Observation("returned", value=Value("object", source=result))

    assert found in [one.act for one in PassedResults(shown[1]).follow_up(trial, seen)]


@pytest.mark.parametrize(
    ("source", "result"),
    [
        pytest.param("domain", "[]", id="an empty result"),
        pytest.param("havoc", "[('ap', 3)]", id="what a search made up"),
        pytest.param("domain", "{'apple': 3}", id="what was given itself"),
    ],
)
def test_what_shows_nothing_of_the_way_back_is_not_given_to_it(shown, source, result):
    trial = Trial("to_data", "to_data({'apple': 3})", source=source)
    seen = Observation("returned", value=Value("list", source=result))

    assert PassedResults(shown[1]).follow_up(trial, seen) == []


def test_the_way_there_and_back_is_shown_with_the_richest_text(shown):
    facts, _ = shown
    poor = record(0, "escape('~')", returned("'~0'"))
    rich = record(1, "escape('kitten~sitting/mitten')", returned("'kitten~0sitting~1mitten'"))

    first, *_ = [given for _, given in round_trips([poor, rich], facts)]

    assert first == "'kitten~sitting/mitten'"


def test_nobody_shows_the_way_there_and_back_with_an_empty_list(shown):
    facts, _ = shown
    assert list(round_trips([record(0, "from_data([])", returned("{}"))], facts)) == []


def test_a_text_has_the_signs_that_its_own_function_looks_for(shown):
    assert values_of(shown, "escape", "s")[0] == "'kitten~sitting/mitten'"
    assert values_of(shown, "unescape", "s")[0] == "'kitten~1sitting~0mitten'"


def test_a_parameter_takes_what_a_document_gives_its_namesake(shown):
    assert values_of(shown, "tokens", "template")[0] == "'{noun} is {age:d} years old'"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        pytest.param("left", ["'<'", "'['"], id="an opening bracket"),
        pytest.param("right", ["'>'", "']'"], id="a closing bracket"),
        pytest.param("conv", ["'<{}>'.format"], id="a conversion to text"),
    ],
)
def test_beside_a_default_that_is_a_sign_another_one_is_tried(shown, name, values):
    assert values_of(shown, "show", name)[: len(values)] == values


def test_nothing_that_is_always_the_same_converts_a_value(shown):
    assert not {"lambda x: True", "bool", "lambda x: None"} & set(values_of(shown, "show", "conv"))


def test_a_document_that_is_looked_into_is_no_object_without_items(shown):
    _, context = shown
    domain = next(one for one in context.domains if one.qualname == "last").of("doc")
    assert domain.type_name != "Ends"


def test_a_format_specification_is_passed_by_format(shown):
    facts, _ = shown
    one = next(one for one in facts.callables() if one.qualname == "Later.__format__")
    form = member_form(one, "later", ((one.parameters[0], Candidate("'.2f'")),))

    assert form is not None
    assert form.act == "format(later, '.2f')"
    assert "'.2f'" in values_of(shown, "Later.__format__", "spec")[:3]


def test_a_method_that_only_python_2_calls_is_not_called():
    one = CallableFacts("Later.__unicode__", "method", (1, 2), owner="Later", parameters=())
    assert member_form(one, "later", ()) is None


@pytest.mark.parametrize(("subject", "name"), [("names", "text"), ("count", "words")])
def test_a_parameter_takes_what_a_document_gives_to_what_it_is_passed_on_to(shown, subject, name):
    assert values_of(shown, subject, name)[0] == "'{noun} is {age:d} years old'"


LENDING = '''
class Address:
    """An address.

    >>> Address("x").add(path="/\u00e9tage/one two?x=1&y=2#top").join(tail="kitten/sitting")
    >>> Address("x").join(tail="mitten/mitten").join(tail="a")
    """

    def add(self, path: str):
        return self.host + path

    def join(self, tail: str):
        return self.host + tail.strip("/")

    def cut(self, tail: str):
        return self.host.removesuffix(tail.strip("/"))

class Local(Address):
    def drop(self, tail: str):
        return self.host + tail.upper()

class Disk:
    def add(self, path: str):
        return self.root + path.strip("/")

def add(path: str):
    return path.strip("/")
'''


@pytest.mark.parametrize(
    ("subject", "name", "borrowed"),
    [
        pytest.param("Address.cut", "tail", True, id="another method of the class"),
        pytest.param("Local.drop", "tail", True, id="a method of a class made of it"),
        pytest.param("Disk.add", "path", False, id="a method of an unlike class"),
        pytest.param("add", "path", False, id="a function"),
    ],
)
def test_a_method_borrows_from_its_namesakes_in_its_own_class_and_lineage_only(tmp_path, subject, name, borrowed):
    lending = context_of(write_project(tmp_path, {"m.py": LENDING}), "m.py")
    shown = {"'/\u00e9tage/one two?x=1&y=2#top'", "'kitten/sitting'", "'mitten/mitten'"}

    assert (values_of(lending, subject, name)[0] in shown) == borrowed
    assert bool(shown & set(values_of(lending, subject, name))) == borrowed


def test_a_list_of_objects_that_compare_nothing_is_shown_as_a_whole(shown):
    trial = Trial("names", "names('{a} {b}')")
    seen = Observation("returned", value=Value("list", text="[Name('a'), Name('b')]"))

    assert [one.act for one in shown_result(trial, seen, shown[0])] == ["repr(names('{a} {b}'))"]


@pytest.mark.parametrize("text", ["[Ends([1])]", "[<Name>]", "[1, 2]"])
def test_other_lists_are_not_shown_by_their_text(shown, text):
    seen = Observation("returned", value=Value("list", text=text))

    assert shown_result(Trial("names", "names('')"), seen, shown[0]) == []


def test_what_the_inverse_returned_is_inside_the_domain(tmp_path):
    facts = facts_of(write_project(tmp_path, {"m.py": SOURCE}), "m.py")
    items = ParameterDomain("tuple", fields=(("0", ParameterDomain("text")), ("1", ParameterDomain("text"))), length=2)
    rows = ParameterDomain("sequence", type_name="list", element=items, source="docstring")
    facts = replace(facts, domains=(CallableDomains("from_data", (("data", rows),)),))
    back = Trial("from_data", "from_data([('apple', 3)])"), Observation("returned")
    forth = (
        Trial("to_data", "to_data({'apple': 3})"),
        Observation("returned", value=Value("list", source="[('apple', 3)]")),
    )
    opened = replace(facts, domains=without_refuted(facts, [forth, back]))

    assert [count_outside(back[0], one) for one in (facts, opened)] == [1, 0]
    assert count_outside(Trial("from_data", "from_data([('apple',)])"), opened) == 1
