"""Which records detect what another one detects: those that differ in nothing but their texts (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.explore.simplify import differs_in_texts_alone
from testwright.engine.python.model.model import Observation, Value
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.tests.unit.engine.python.test_select_trials import record

pytestmark = pytest.mark.feature("B-16")

URI = "https://example.org{/page}"


def shown(text: str, answer: str, compared: str = "", act: str = "str(t)") -> TrialRecord:
    operands = ((3, compared, "6"),) if compared else ()
    seen = Observation("returned", value=Value("str", source=answer, length=len(answer)), operands=operands)
    return record(1, act, seen, (1, 2), arrange=(f"t = Template({text!r})",))


def test_a_text_that_comes_out_as_it_went_in_is_any_text() -> None:
    assert differs_in_texts_alone(shown("kitten", "'<kitten>'"), shown(URI, f"'<{URI}>'"))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(shown(URI, "'<kitten>'"), id="another_outcome"),
        pytest.param(shown(URI, f"'<{URI}>'", compared="26"), id="another_comparison_on_the_way"),
        pytest.param(shown(URI, f"'<{URI}>'", act="str(t, 3)"), id="another_call"),
    ],
)
def test_what_differs_in_more_than_its_texts_may_detect_something_else(other: TrialRecord) -> None:
    assert not differs_in_texts_alone(shown("kitten", "'<kitten>'"), other)
