"""A model's verdict never replaces silently what is known: both sides are told, a documented promise needs lines."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.agents.embedded.analyzer_agent import analyse_results
from testwright.agents.llm.analyzer_agent import apply_verdicts
from testwright.tests.support.mcp.tool_session import expectation, unit_case, unit_spec

pytestmark = pytest.mark.feature("B-02")

LINES = [
    '"""A cart."""',
    "",
    "def half(number):",
    '    """Half of an even number."""',
    "    return number // 2 + 1",
]
KNOWN = {
    "id": "sd_half_of_four",
    "title": "half: is off by one",
    "subject": "half",
    "documented": "half of 4 is 2",
    "observed": "3",
    "reproduce": "half(4)",
    "evidence": {"path": "src/shop/cart.py", "lines": [3, 4]},
}


def decided(
    said: str,
    lines: list[int] | None,
    *,
    origin: str = "documented",
    kind: str = "product_defect",
    source: list[str] = LINES,
    **more: Any,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The analysis of one disagreement, and its finding."""
    case = unit_case(expect=[expectation(origin=origin)])
    spec = unit_spec(cases=[case], **more)
    dropped = {"case_id": case["id"], "nodeid": "t::a", "class": kind, "reason": "no", "message": "assert 3 == 2"}
    results = {"kept": [], "dropped": [dropped], "repeats": 0}
    verdict = {"case_id": case["id"], "verdict": said, "reason": "I say so.", "documented": "2 for 4", "lines": lines}
    base = analyse_results(results, spec)
    found = apply_verdicts(base, [{"case": case, "result": dropped}], {case["id"]: verdict}, spec, source)
    [finding] = [one for one in found["findings"] if one["case_id"] == case["id"]]
    return found, finding


@pytest.mark.parametrize("lines", [None, [], [4], [0, 2], [4, 99], [900, 901], [2, 2], [-1, -1]])
@pytest.mark.parametrize("kind", ["product_defect", "test_defect"])
def test_a_documented_promise_is_not_overruled_by_a_word(lines: list[int] | None, kind: str) -> None:
    found, finding = decided("wrong_expectation", lines, kind=kind)
    assert [defect["id"] for defect in found["suspected_defects"]] == ["sd_half_of_four"]
    assert found["refine"] == []
    assert finding["class"] == "product_defect"
    for told in ("I say so.", "stays a suspected defect", "documented", "The result is 2.", "assert 3 == 2"):
        assert told in finding["detail"]


@pytest.mark.feature("B-14")
def test_a_value_that_the_documentation_says_is_not_overruled_at_all() -> None:
    """Whatever lines the model cites: nothing buries what is written there."""
    saying = [*LINES[:3], '    """Half of an even number; 2 for 4."""', LINES[4]]
    found, finding = decided("wrong_expectation", [4, 5], source=saying)
    assert [defect["id"] for defect in found["suspected_defects"]] == ["sd_half_of_four"]
    assert found["refine"] == []
    assert "I say so." in finding["detail"]


def test_lines_that_are_there_overrule_it_and_the_finding_tells_both() -> None:
    found, finding = decided("wrong_expectation", [4, 5])
    assert found["suspected_defects"] == []
    assert [one["case_id"] for one in found["refine"]] == ["tc_half_of_four"]
    assert finding["class"] == "test_defect"
    for told in ("lines 4 to 5", "return number // 2 + 1", "I say so.", "The result is 2.", "assert 3 == 2"):
        assert told in finding["detail"]


@pytest.mark.parametrize("origin", ["inferred", "observed"])
def test_what_is_not_documented_goes_back_by_a_verdict_alone(origin: str) -> None:
    found, finding = decided("wrong_expectation", None, origin=origin, kind="test_defect")
    assert found["suspected_defects"] == []
    assert len(found["refine"]) == 1
    assert origin in finding["detail"]


def test_a_defect_without_a_promise_is_refined_and_the_verdict_is_told() -> None:
    found, finding = decided("defect", [4, 4], origin="observed", kind="test_defect")
    assert found["suspected_defects"] == []
    assert len(found["refine"]) == 1
    assert "calls it a defect (I say so.)" in finding["detail"]


def test_lines_that_are_not_there_are_not_a_defects_evidence() -> None:
    found, _ = decided("defect", [70, 80])
    assert found["suspected_defects"][0]["evidence"] == {"path": "src/shop/cart.py", "lines": [1, 4]}


@pytest.mark.parametrize("said", ["wrong_expectation", "defect"])
def test_what_the_engine_knows_for_a_defect_no_verdict_changes(said: str) -> None:
    found, _ = decided(said, [4, 5], suspected_defects=[KNOWN])
    assert found["suspected_defects"] == [KNOWN]


def test_what_is_dropped_and_kept_is_not_the_models_to_say() -> None:
    found, _ = decided("wrong_expectation", [4, 5])
    assert found["drop"] == ["tc_half_of_four"]


def test_a_pin_of_a_defect_that_the_model_was_not_shown_is_dropped_too() -> None:
    failing, pin = unit_case(), unit_case(id="tc_pin", expect=[expectation(origin="observed")])
    failing["expect"] = [expectation(origin="documented")]
    spec = unit_spec(cases=[failing, pin])
    row = {"case_id": failing["id"], "nodeid": "t::a", "class": "product_defect", "reason": "no"}
    base = analyse_results({"dropped": [row]}, spec, pins=False)
    assert apply_verdicts(base, [], {}, spec, LINES)["drop"] == [failing["id"], "tc_pin"]
