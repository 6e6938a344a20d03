"""JSON is read after a sentence, in a fence, behind thoughts, and as far as it came before it was cut off."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.agents.model.salvage import embedded_values, whole_elements

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
    assert embedded_values(answer)[0] == PLAN


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
    found = whole_elements(WHOLE[:cut], "cases")
    assert found is not None
    assert found["imports"] == ["import a"]
    assert found["cases"] == CASES["cases"][: len(found["cases"])]
    assert len(found["cases"]) >= 1


@pytest.mark.parametrize("answer", [WHOLE[:20], WHOLE[: WHOLE.index('"expect"')], "no", '"cases": [{}]', ""])
def test_a_cut_answer_without_a_whole_element_has_none(answer: str) -> None:
    assert whole_elements(answer, "cases") is None
