"""JSON is read after a sentence, in a fence, behind thoughts, as far as it came, and without what breaks its form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.agents.llm.specs.spec_answer import EACH_ALONE, MAY_LACK, READING_SCHEMA
from testwright.agents.model.chat import ModelCall
from testwright.agents.model.received import ReceivedAnswer
from testwright.agents.model.salvage import embedded_values
from testwright.agents.model.structured import ParsedAnswer, parse_answer
from testwright.core.errors import AgentFailure, SchemaValidationError
from testwright.tests.support.runs.model_runs import case, cases

pytestmark = pytest.mark.feature("B-15")

PLAN = {"steps": ["a {b}", 'say "x"']}
TEXT = json.dumps(PLAN)


@pytest.mark.parametrize(
    "answer",
    [
        f"Here are the tests:\n{TEXT}",
        f"Sure!\n```json\n{TEXT}\n```\nLet me know!",
        f"```\n{TEXT}\n```",
        f'<think>Hmm {{"a": 1}} and {{ more</think>\n{TEXT}',
        f"<THINKING>\n{TEXT[:-9]}\n</THINKING>{TEXT}",
        f'{{}} is empty, {{"a": 1}} is short: {TEXT} done',
        f"{{imports: [oops {TEXT}",
        f"{'{' * 20}{TEXT}",
    ],
)
def test_the_longest_object_in_a_text_is_its_value(answer: str) -> None:
    assert embedded_values(answer)[0].value == PLAN


@pytest.mark.parametrize("answer", ["", "I'm sorry, I can't.", "{imports: [oops", "[1, 2]", '{"a": NaN}', "{" * 5000])
def test_a_text_without_an_object_has_no_value(answer: str) -> None:
    assert embedded_values(answer) == []


CASES: dict[str, Any] = {
    "imports": ["import a"],
    "cases": [{"id": "one", "expect": [1]}, {"id": "two"}, {"id": "x"}],
}
WHOLE = json.dumps(CASES)


@pytest.mark.parametrize("cut", range(WHOLE.index('"two"'), len(WHOLE)))
def test_a_cut_answer_has_the_elements_that_came_in_whole(cut: int) -> None:
    [one] = embedded_values(WHOLE[:cut], "cases")
    assert not one.whole
    found = one.value
    assert found["imports"] == ["import a"]
    assert found["cases"] == CASES["cases"][: len(found["cases"])]
    assert len(found["cases"]) >= 1


@pytest.mark.parametrize("answer", [WHOLE[:20], WHOLE[: WHOLE.index('"expect"')], "no", '"cases": [{}]', ""])
def test_a_cut_answer_without_a_whole_element_has_none(answer: str) -> None:
    assert all(one.whole for one in embedded_values(answer, "cases"))


def reading(answer: Any, *, finish: str = "stop", each_alone: tuple[str, ...] = EACH_ALONE) -> ParsedAnswer:
    """What is read of an answer about a module."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    call = ModelCall("spec", "", "", READING_SCHEMA, may_lack=MAY_LACK, each_alone=each_alone)
    return parse_answer(ReceivedAnswer(text, len(text), finish), call, "m")


GOOD, OTHER = case(50, "50"), case(200, "180")
BROKEN: dict[str, Any] = {
    "lacks a field": {key: value for key, value in OTHER.items() if key != "mode"},
    "has a field too many": {**OTHER, "note": "I am sure"},
    "has a field of another type": {**OTHER, "statements": "x = 1"},
    "has an unknown kind": {**OTHER, "expect": [{**OTHER["expect"][0], "kind": "is_about"}]},
    "has an unknown mode": {**OTHER, "mode": "guess"},
    "has an id of spaces": {**OTHER, "id": "a total of 200"},
    "is a text": "a total of 200 pays 180",
    "is null": None,
    "is too long": {**OTHER, "expression": "discounted(" + "1 + " * 300 + "1)"},
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_case_that_breaks_the_form_costs_itself_alone(what: str) -> None:
    read = reading({**cases(GOOD), "cases": [BROKEN[what], GOOD, BROKEN[what]]})
    assert read.value is not None
    assert read.value["cases"] == [GOOD]
    assert {str(issue["path"])[:10] for issue in read.left_out} == {"$.cases[0]", "$.cases[2]"}


def test_decisions_and_properties_that_break_the_form_cost_themselves_alone() -> None:
    decision = {"case": 1, "decision": "keep", "title": "better", "lines": None, "reason": None}
    read = reading({**cases(GOOD), "decisions": [{**decision, "decision": "burn"}, decision], "properties": [{}]})
    assert read.value == {**cases(GOOD), "decisions": [decision], "properties": []}
    assert len(read.left_out) > 1


def test_a_list_beyond_its_limit_and_words_beside_the_lists_cost_what_is_too_much() -> None:
    read = reading({**cases(*[GOOD] * 201), "thoughts": "I have read it all."})
    assert read.value is not None
    assert len(read.value["cases"]) == 200
    assert "thoughts" not in read.value


@pytest.mark.parametrize("answer", [{"cases": [BROKEN["is null"]]}, {"imports": 3, "cases": [GOOD]}, {"plan": []}, []])
def test_an_answer_of_which_nothing_is_left_is_refused_with_all_that_is_wrong(answer: Any) -> None:
    with pytest.raises(SchemaValidationError) as caught:
        reading(answer)
    assert caught.value.details["errors"]


def test_where_no_list_stands_alone_the_whole_answer_is_refused() -> None:
    with pytest.raises(SchemaValidationError):
        reading({**cases(GOOD), "cases": [BROKEN["is null"], GOOD]}, each_alone=())


def test_an_answer_that_is_cut_behind_a_broken_case_keeps_the_good_ones() -> None:
    text = json.dumps({**cases(GOOD), "cases": [BROKEN["has an unknown mode"], GOOD, OTHER]})
    read = reading(text[:-40], finish="length")
    assert read.value is not None
    assert read.value["cases"] == [GOOD]


@pytest.mark.parametrize("spoilt", ['"title": "a "quoted" word",', "\"title\": 'single',", '"title": "x" "id": 3,'])
def test_a_case_that_is_no_json_costs_what_comes_from_there(spoilt: str) -> None:
    text = json.dumps(cases(GOOD, OTHER)).replace('"title": "discounted takes 200 to 180",', spoilt)
    read = reading(f"Here are the tests:\n{text}")
    assert read.value is not None
    assert read.value["cases"] == [GOOD]
    assert [issue["path"] for issue in read.left_out] == ["$.cases[1]"]
    with pytest.raises(AgentFailure):
        reading(text, each_alone=())


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999", '"\\ud800"'])
@pytest.mark.parametrize("beside", ["", "Here are the tests:\n"])
@pytest.mark.parametrize("finish", ["stop", "length"])
def test_a_case_with_what_no_file_can_hold_costs_itself_alone(value: str, beside: str, finish: str) -> None:
    answer = {**cases(GOOD), "cases": [GOOD, {**OTHER, "title": "spoilt"}, OTHER]}
    text = beside + json.dumps(answer).replace('"spoilt"', value)
    read = reading(text if finish == "stop" else text[:-2], finish=finish)
    assert read.value is not None
    assert read.value["cases"] == [GOOD, OTHER]
    [issue] = read.left_out
    assert issue["path"] == "$.cases[1]"
    assert "half a character" in issue["message"]
    with pytest.raises(AgentFailure):
        reading(text, each_alone=())


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("finish", ["stop", "length"])
@pytest.mark.parametrize("draft", [cases(OTHER), cases()])
def test_a_draft_is_no_answer_beside_a_longer_one_that_has_a_broken_case(what: str, finish: str, draft: Any) -> None:
    final = json.dumps({**cases(GOOD), "cases": [GOOD, BROKEN[what], GOOD]})
    final = final if finish == "stop" else final[:-2]
    read = reading(f"First a draft:\n{json.dumps(draft)}\nAnd now:\n{final}", finish=finish)
    assert read.value is not None
    assert read.value["cases"] == [GOOD, GOOD]
    assert read.left_out


def test_a_draft_is_no_answer_beside_a_longer_one_that_breaks_off_in_a_case() -> None:
    final = json.dumps(cases(GOOD, GOOD, OTHER)).replace('"title": "discounted takes 200', '"title": "a "quoted" 200')
    read = reading(f"First a draft:\n{json.dumps(cases(OTHER))}\nAnd now:\n{final}")
    assert read.value is not None
    assert read.value["cases"] == [GOOD, GOOD]
    assert [issue["path"] for issue in read.left_out] == ["$.cases[2]"]


def test_an_empty_answer_stands_where_there_is_no_other() -> None:
    read = reading(f"There is nothing to add: {json.dumps(cases())} Is that right?")
    assert read.value is not None
    assert read.value["cases"] == []
