"""A construction that only stores its arguments is no test where members have some; one that cleans them is."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.model import (
    CallableFacts,
    ClassFacts,
    ModuleFacts,
    Observation,
    Parameter,
    Trial,
    Value,
)
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.candidates import TrialCandidate
from testwright.engine.python.selection.plain_constructions import drop_plain_constructions
from testwright.engine.python.selection.representative import NO_RESULT, Representation

pytestmark = pytest.mark.feature("B-18")

GIVEN = Parameter("given", "positional_or_keyword")
ITEMS = Parameter("items", "positional_or_keyword", default="None")
NOTHING_SHOWN = Representation(0, False, "", (), None, NO_RESULT)


def candidate(act: str, **attributes: str) -> TrialCandidate:
    held = tuple((name, Value("object", source)) for name, source in attributes.items())
    seen = ObservedTrial(Observation("returned", value=Value("m.Box", attributes=held)))
    record = TrialRecord(0, Trial("Box", act), seen, frozenset(), frozenset())
    return TrialCandidate(record, frozenset(), 0, asserts=True, example=False, representation=NOTHING_SHOWN)


def left(*found: TrialCandidate, parameters: tuple[Parameter, ...] = (GIVEN,)) -> list[str]:
    """The constructions that stay, of a class with a method that has tests."""
    members = (CallableFacts("Box.area", "method", (4, 6), owner="Box"),)
    made = CallableFacts("Box", "constructor", (2, 3), (Parameter("self", "positional_or_keyword"), *parameters))
    facts = ModuleFacts("m.py", "m", ".", "", classes=(ClassFacts("Box", "plain", (1, 6), (), made, members),))
    by_subject = {"Box": list(found), "Box.area": [candidate("box.area()")]}
    drop_plain_constructions(by_subject, facts)
    return [one.record.trial.act for one in by_subject.get("Box", ())]


@pytest.mark.parametrize(
    ("cleaned", "stored"),
    [
        pytest.param(candidate("Box(-5)", level="0"), candidate("Box(7)", level="7"), id="clamped_to_zero"),
        pytest.param(candidate("Box('no')", on="False"), candidate("Box('x')", on="'x'"), id="parsed_as_false"),
        pytest.param(candidate("Box('  ')", text="''"), candidate("Box('x')", text="'x'"), id="stripped_to_nothing"),
        pytest.param(candidate("Box(',')", parts="[]"), candidate("Box('x')", parts="['x']"), id="split_to_nothing"),
    ],
)
def test_what_is_cleaned_to_an_empty_value_is_more_than_stored(cleaned: TrialCandidate, stored: TrialCandidate) -> None:
    assert left(cleaned, stored) == [cleaned.record.trial.act]


def test_what_every_construction_leaves_empty_is_no_more_than_stored() -> None:
    assert left(candidate("Box(3)", given="3", seen="[]"), candidate("Box(7)", given="7", seen="[]")) == []


def test_an_empty_value_that_was_given_is_stored() -> None:
    assert left(candidate("Box([])", given="[]"), candidate("Box(0)", given="0"), candidate("Box(7)", given="7")) == []


def test_what_an_argument_that_is_left_out_leaves_empty_is_stored() -> None:
    few, more = candidate("Box(3)", given="3", items="[]"), candidate("Box(3, ['x'])", given="3", items="['x']")
    assert left(few, more, parameters=(GIVEN, ITEMS)) == []


def test_a_default_explains_nothing_where_another_value_was_given() -> None:
    level = Parameter("level", "positional_or_keyword", default="0")
    clamped, plain = candidate("Box(-5)", level="0"), candidate("Box(7)", level="7")
    assert left(clamped, plain, parameters=(level,)) == ["Box(-5)"]


def test_an_object_that_is_given_nothing_and_begins_empty_is_the_beginning_of_other_tests() -> None:
    assert left(candidate("Box()", items="[0]", count="0"), parameters=()) == []


def test_what_an_object_that_is_given_nothing_begins_with_is_shown_where_it_says_something() -> None:
    assert left(candidate("Box()", items="[]", limit="10"), parameters=()) == ["Box()"]


def test_what_stands_for_an_option_that_is_left_out_shows_in_what_the_members_do() -> None:
    assert left(candidate("Box()", items="['a', 'b']"), parameters=(ITEMS,)) == []
    assert left(candidate("Box()", items="[]", limit="10"), parameters=(ITEMS,)) == ["Box()"]


@pytest.mark.parametrize("preset", ["[1, 2, 3]", "{'a': 1}", "('x', 0)"])
def test_a_table_that_a_constructor_presets_is_shown(preset: str) -> None:
    assert left(candidate("Box()", items="[]", table=preset), parameters=()) == ["Box()"]


def test_an_object_of_another_class_that_is_made_of_an_argument_shows_in_what_uses_it() -> None:
    hours = candidate("Box(-5, 'EST')", offset="datetime.timedelta(days=-1, seconds=68400)", name="'EST'")

    assert left(hours) == []
    assert left(candidate("Box(2)", given="2", hours="2.0")) == []
    assert left(candidate("Box(2)", given="2", grid="[[0, 0], [0, 0]]")) == ["Box(2)"]


def test_what_is_only_stored_is_no_test_where_nothing_else_has_tests() -> None:
    facts = ModuleFacts("m.py", "m", ".", "", classes=(ClassFacts("Node", "plain", (1, 6)),))
    by_subject = {"Node": [candidate("Node(1)", value="1")]}

    drop_plain_constructions(by_subject, facts)

    assert by_subject == {}


def test_what_is_handed_on_is_stored_and_a_flag_that_every_object_begins_with_is_no_behaviour() -> None:
    ttype = Parameter("ttype", "positional_or_keyword", default="None")

    assert left(candidate("Box(T.Text)", ttype="('Text',)"), parameters=(ttype,)) == []
    assert left(candidate("Box()", is_group="True"), parameters=(ttype,)) == []


def test_an_object_that_is_cleaned_is_more_than_stored() -> None:
    assert left(candidate("Box(Decimal('1.249'))", given="Decimal('1.25')")) == []
    assert left(candidate("Box(' a ')", given="'a'")) == ["Box(' a ')"]


def test_the_name_of_a_type_that_was_given_is_stored() -> None:
    assert left(candidate("Box(int)", name="'int'"), candidate("Box(str)", name="'text'")) == ["Box(str)"]
    assert left(candidate("Box(str.upper)", name="'upper'"), candidate("Box(str.lower)", name="'str'")) == [
        "Box(str.lower)"
    ]
    assert left(candidate("Box(2)", kind="'Box'"), candidate("Box(3)", kind="'none'")) == ["Box(2)", "Box(3)"]


def test_that_an_object_of_nothing_holds_the_default_of_an_option_is_no_test() -> None:
    size = Parameter("size", "positional_or_keyword", default="24")

    assert left(candidate("Box()", size="24"), parameters=(size,)) == []
    assert left(candidate("Box()", size="25"), parameters=(size,)) == ["Box()"]
