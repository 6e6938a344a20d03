"""A model's cases join the engine's: what both say stands once, what they disagree about stands twice."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.agents.embedded.case_identity import act_of
from testwright.agents.embedded.specs.spec_merge import merged
from testwright.agents.guardrails.oracles import Documentation
from testwright.agents.llm.specs.answer_mending import Subjects
from testwright.agents.llm.specs.engine_cases import Decisions, numbered_cases
from testwright.tests.support.mcp.tool_session import expectation, unit_case, unit_spec

pytestmark = pytest.mark.feature("B-15")

IMPORTS = ["from shop.cart import Cart, half"]
SOURCE = '''# Copyright 2024 of the Half Company. All rights reserved.


def half(number):
    """Half of a number. The half of 4 is 2; of 3 it is 1, rounded down."""
    return number / 2


def third(number):
    """A third of a number."""
'''
ROUNDED = "rounds down"
EVIDENCE = {"path": "src/shop/cart.py", "lines": [5, 5]}


def pinned(number: str, value: str, **more: Any) -> dict[str, Any]:
    """A case of the engine: what half gave."""
    expect = [{"kind": "equals", "actual": "result", "value": value, "origin": "observed"}]
    act = {"expression": f"half({number})", "mode": "call"}
    return unit_case(id=f"tc_half_of_{number}", title=f"half({number}): {value}", act=act, expect=expect, **more)


def read(number: str, value: str, **more: Any) -> dict[str, Any]:
    """A case of a model: what half is documented to give."""
    expect = [expectation(value=value, origin="documented", evidence=EVIDENCE)]
    act = {"expression": f"half( {number} )", "mode": "call"}
    given = {"id": "tc_half", "title": "half halves", "act": act, "expect": expect, "written_by": "model"}
    return unit_case(**{**given, **more})


def test_a_case_that_says_what_the_engines_says_lends_its_title_and_its_document() -> None:
    spec, notes = merged(unit_spec(cases=[pinned("4", "2")]), [read("4", "2")], IMPORTS)
    [case] = spec["cases"]
    assert (case["id"], case["title"]) == ("tc_half_of_4", "half halves")
    assert case["expect"][0]["origin"] == "documented"
    assert case["expect"][0]["evidence"] == EVIDENCE
    assert "written_by" not in case
    assert notes == []


def test_a_case_that_expects_something_else_of_the_same_call_stands_beside_the_engines() -> None:
    spec, _ = merged(unit_spec(cases=[pinned("3", "1.5")]), [read("3", "1")], IMPORTS)
    assert [case["expect"][0]["value"] for case in spec["cases"]] == ["1.5", "1"]
    assert act_of(spec["cases"][0]) == act_of(spec["cases"][1])


def test_new_cases_follow_the_engines_under_ids_of_their_own() -> None:
    one, two = read("4", "2", id="tc_half_of_3"), read("10", "5", id="tc_half_of_3")
    spec, _ = merged(unit_spec(cases=[pinned("3", "1.5")]), [one, two], IMPORTS)
    assert [case["id"] for case in spec["cases"]] == ["tc_half_of_3", "tc_half_of_3_2", "tc_half_of_3_3"]


def test_a_name_that_the_file_binds_already_gives_way_in_the_models_case() -> None:
    moment = {"arrange": {"statements": ["day = datetime(2024, 1, 1)"]}, "act": {"expression": "half(day.day)"}}
    base = unit_spec(cases=[pinned("4", "2")], imports=["from shop.cart import half", "import datetime"])
    spec, _ = merged(base, [read("1", "0", **moment)], ["from datetime import datetime", *IMPORTS])
    assert spec["cases"][1]["arrange"]["statements"] == ["day = datetime.datetime(2024, 1, 1)"]
    assert "import datetime" in spec["imports"]


def test_a_case_that_is_no_python_is_left_out_alone() -> None:
    broken = read("4", "2", arrange={"statements": ["x = ("]})
    spec, [note] = merged(unit_spec(cases=[pinned("3", "1.5")]), [broken, read("8", "4")], IMPORTS)
    assert [case["act"]["expression"] for case in spec["cases"]] == ["half(3)", "half( 8 )"]
    assert "tc_half is no test" in note


def decided(*rows: dict[str, Any], notices: dict[str, list[int]] | None = None) -> tuple[dict[str, Any], list[str]]:
    """The spec of two pinned cases after decisions, and what was not done."""
    spec = unit_spec(cases=[pinned("4", "2.0"), pinned("3", "1.5")])
    decisions = Decisions(spec, Documentation(SOURCE), notices or {}, Subjects(SOURCE, "shop.cart"))
    blank = {"title": None, "lines": None, "reason": None}
    return decisions.carry_out({**blank, **row} for row in rows), decisions.notes


def test_a_doubt_about_a_pinned_value_becomes_a_suspected_defect_and_no_test() -> None:
    spec, _ = decided({"case": 2, "decision": "doubt", "lines": [5, 5], "reason": ROUNDED})
    assert [case["id"] for case in spec["cases"]] == ["tc_half_of_4"]
    [defect] = spec["suspected_defects"]
    assert defect["id"] == "sd_half_of_3"
    assert "rounded down" in defect["documented"]
    assert "1.5" in defect["observed"]
    assert defect["reproduce"] == "half(3)"


@pytest.mark.parametrize("lines", [None, [1, 1], [6, 6], [40, 41], [10, 10]])
def test_a_doubt_without_documentation_takes_nothing_away(lines: list[int] | None) -> None:
    spec, [note] = decided({"case": 2, "decision": "doubt", "lines": lines})
    assert len(spec["cases"]) == 2
    assert spec["suspected_defects"] == []
    assert "no effect" in note


@pytest.mark.parametrize(
    "reason", ["it should be whole", "wrong", "", "rounded down", "Half of a number. The half of 4 is 2; of 3 it is 1"]
)
def test_a_doubt_whose_lines_hold_a_small_number_of_the_call_only_is_a_question_and_the_case_stays(reason: str) -> None:
    spec, [note] = decided({"case": 2, "decision": "doubt", "lines": [5, 5], "reason": reason})
    assert len(spec["cases"]) == 2
    assert spec["suspected_defects"] == []
    assert note.startswith("a question: is `half(3)` right, which result equals 1.5? ")
    assert "rounded down" in note


def test_a_doubt_is_carried_out_before_a_case_that_its_case_would_spare_is_dropped() -> None:
    drop, doubt = {"case": 1, "decision": "drop"}, {"case": 2, "decision": "doubt", "lines": [5, 5], "reason": ROUNDED}
    spec, _ = decided(drop, doubt, notices={"tc_half_of_3": [1]})
    assert [case["id"] for case in spec["cases"]] == ["tc_half_of_4"]


def test_nothing_that_is_known_to_be_worth_keeping_is_dropped() -> None:
    drop_all = [{"case": 1, "decision": "drop"}, {"case": 2, "decision": "drop"}, {"case": 9, "decision": "drop"}]
    assert len(decided(*drop_all)[0]["cases"]) == 2  # nothing is known of what they notice
    assert [case["id"] for case in decided(*drop_all, notices={"tc_half_of_3": [1]})[0]["cases"]] == ["tc_half_of_3"]
    noticing = decided(*drop_all, notices={"tc_half_of_4": [1], "tc_half_of_3": [2]})[0]
    assert len(noticing["cases"]) == 2


def test_an_engines_case_takes_a_better_title() -> None:
    spec, _ = decided({"case": 1, "decision": "keep", "title": "an even number\nhas a whole half"})
    assert spec["cases"][0]["title"] == "an even number has a whole half"


def test_what_cases_that_follow_each_other_have_in_common_is_said_once() -> None:
    raising = [{"kind": "raises", "exception": "ValueError", "origin": "observed"}]
    alike = [{**pinned(value, "0"), "expect": raising} for value in ("1", "3")]
    after = [{**pinned(value, value), "arrange": {"statements": ["cart = Cart()"]}} for value in ("5", "7")]
    assert numbered_cases([*alike, *after, pinned("4", "2")]) == [
        "1. half(1); 2. half(3): raises ValueError('')",
        "3. half(5) after cart = Cart(): result equals 5",
        "4. half(7) after the same: result equals 7",
        "5. half(4) == 2",
    ]


def test_which_cases_have_a_document_behind_them_is_said_in_one_line() -> None:
    told = [{"kind": "equals", "actual": "result", "value": "2", "origin": "documented"}]
    cases = [{**pinned(str(number), "2"), "expect": told} for number in range(4)]
    assert numbered_cases([*cases[:3], pinned("9", "4.5"), cases[3]])[-1] == "Documented: 1-3, 5"


def test_where_there_is_no_room_each_subject_shows_fewer_cases_and_none_is_left_out() -> None:
    cases = [
        {**pinned(f"'{number} {'long ' * 20}'", f"{number}"), "subject": f"half_{number % 12}"} for number in range(96)
    ]
    lines = numbered_cases(cases)
    numbers = [int(line.partition(".")[0]) - 1 for line in lines]
    assert {number % 12 for number in numbers} == set(range(12))
    assert len(numbers) == 36


def test_cases_are_numbered_as_in_the_spec_whichever_are_shown() -> None:
    cases = [pinned("4", "2"), {**pinned("3", "1.5"), "subject": "Cart.add"}]
    assert numbered_cases(cases) == ["1. half(4) == 2", "2. half(3) == 1.5"]
    assert numbered_cases(cases, ["Cart"]) == ["2. half(3) == 1.5"]
