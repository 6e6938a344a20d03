"""Values of calls are used again, and known by who chose them (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter, Trial
from testwright.engine.python.usage.harvest import Harvester, builds_from_other_texts, texts_of_objects

FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(CallableFacts("parse", "function", (1, 9), (Parameter("text", "positional_or_keyword"),)),),
)


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(
    ("source", "origin"),
    [("doctest", "call_site"), ("existing_test", "call_site"), ("mutation", "mutation"), ("signature", "signature")],
)
def test_what_a_search_found_passes_for_nobodys_usage(source: str, origin: str) -> None:
    harvest = Harvester(FACTS).read([Trial("parse", "parse('<<')", source=source)])

    assert [one.origin for one in harvest.arguments["parse", "text"]] == [origin]


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(
    ("method", "act", "value"),
    [
        ("__contains__", "3 in shelf", "3"),
        ("__contains__", "'pear' not in shelf", "'pear'"),
        ("__getitem__", "shelf[-1]", "-1"),
        ("__setitem__", "shelf[-1]", "-1"),
    ],
)
def test_what_an_operator_gives_a_special_method_is_its_argument(method: str, act: str, value: str) -> None:
    parameters = tuple(Parameter(name, "positional_or_keyword") for name in ("self", "item"))
    member = CallableFacts(f"Shelf.{method}", "method", (2, 3), parameters, owner="Shelf")
    facts = ModuleFacts("m.py", "m", ".", "", classes=(ClassFacts("Shelf", "plain", (1, 9), members=(member,)),))

    harvest = Harvester(facts).read([Trial(f"Shelf.{method}", act, source="doctest")])

    assert [one.source for one in harvest.arguments[f"Shelf.{method}", "item"]] == [value]


TEMPLATE = ModuleFacts("m.py", "m", ".", "", classes=(ClassFacts("Template", "plain", (1, 9)),))


@pytest.mark.feature("B-16")
def test_texts_of_objects_are_known_with_and_without_their_placeholders() -> None:
    statements, imports = ("t = Template('shop/{page}')",), ("from m import Template",)
    trial = Trial("Template.fill", "t.fill()", imports, statements, source="doctest")

    assert texts_of_objects([trial], TEMPLATE) == {"Template": ("shop/{page}", "shop/")}


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(
    ("act", "is_other"),
    [("Template('kitten')", True), ("Template('shop')", False), ("Template(3)", False), ("Other('kitten')", False)],
)
def test_an_object_of_another_text_than_the_documented_ones_is_told(act: str, is_other: bool) -> None:
    assert builds_from_other_texts(Trial("Template", act), {"Template": ("shop",)}) is is_other


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(
    ("arrange", "values"),
    [
        (("given = '<<'",), ["'<<'"]),
        (("given = '<<'", "given = '>>'"), []),
        (("given = ['<<']", "given.append('>>')"), []),
        (("given = [open]",), []),
    ],
)
def test_a_literal_in_a_variable_is_the_value_that_a_call_is_given(arrange: tuple[str, ...], values: list[str]) -> None:
    harvest = Harvester(FACTS).read([Trial("parse", "parse(given)", arrange=arrange, source="document")])

    assert [one.source for one in harvest.arguments.get(("parse", "text"), [])] == values


def test_texts_of_objects_are_those_of_the_parts_of_others_as_well() -> None:
    trial = Trial("Template.fill", "Pair(Template('shop'), 'b').fill()", source="doctest")

    assert texts_of_objects([trial], TEMPLATE)["Template"] == ("shop",)
