"""The examples and thresholds of the contract of evidence, as they stand there."""

from __future__ import annotations

import pytest

from testwright.agents.embedded.evidence.judge_agent import assessment_text
from testwright.agents.evidence.memory import EvidenceMemory
from testwright.agents.evidence.model import (
    CONFIRMED_CONFIDENCE,
    MOST_FOR_JUDGE,
    SUFFICIENT_CONFIDENCE,
    SUFFICIENT_SCORE,
    Evidence,
    Hypothesis,
    JudgeAssessment,
)
from testwright.agents.evidence.similarity import DUPLICATE
from testwright.core.events import EventType
from testwright.core.outcome import EvidenceExit
from testwright.graph.evidence_loop.state import LoopLimits

THRESHOLDS = {
    "confidence": (SUFFICIENT_CONFIDENCE, 0.7),
    "both scores": (SUFFICIENT_SCORE, 6),
    "rounds": (LoopLimits().rounds, 5),
    "stalls": (LoopLimits().stalls, 3),
    "similarity of duplicates": (DUPLICATE, 0.9),
    "pieces for the judge": (MOST_FOR_JUDGE, 30),
    "confirmed hypothesis": (CONFIRMED_CONFIDENCE, 0.8),
    "seconds": (LoopLimits().seconds, 600),
    "tokens": (LoopLimits().tokens, 50_000),
}
SAID = {
    "details": {
        "mechanism_score": 8,
        "mechanism_reasoning": "Strong evidence for the pathway",
        "evidence_score": 7,
        "evidence_reasoning": "Several trials speak of it",
    },
    "confidence": 0.85,
    "reasoning": "Strong evidence for the pathway in trials",
}


@pytest.mark.feature("D-03", "D-08")
@pytest.mark.parametrize("name", THRESHOLDS)
def test_each_critical_threshold_is_that_of_the_contract(name: str) -> None:
    ours, contract = THRESHOLDS[name]
    assert ours == contract


@pytest.mark.feature("D-03")
def test_the_assessment_of_the_example_is_sufficient_and_says_so() -> None:
    found = JudgeAssessment.from_dict(SAID)
    assert (found.sufficient, found.recommendation, found.next_search_queries) == (True, "synthesize", ())
    assert "SUFFICIENT EVIDENCE (confidence 85%)" in assessment_text(found)
    assert "INSUFFICIENT" not in assessment_text(found)


@pytest.mark.feature("D-03")
def test_what_is_not_sufficient_names_the_next_queries() -> None:
    queries = ["suggested query 1", "suggested query 2"]
    found = JudgeAssessment.from_dict({**SAID, "confidence": 0.6, "next_search_queries": queries})
    assert (found.sufficient, found.recommendation) == (False, "continue")
    assert found.to_dict()["next_search_queries"] == queries
    assert "INSUFFICIENT" in assessment_text(found)


@pytest.mark.feature("D-03")
def test_an_assessment_has_the_fields_of_the_contract() -> None:
    assert set(JudgeAssessment.from_dict(SAID).to_dict()) == {
        *("details", "sufficient", "confidence", "recommendation", "next_search_queries", "reasoning")
    }


@pytest.mark.feature("D-04", "D-06")
def test_the_hypothesis_of_the_example_is_kept_and_not_confirmed() -> None:
    memory = EvidenceMemory("What drives it?")
    memory.add_hypothesis(Hypothesis("the receptor drives it", 0.75))
    memory.add_hypothesis(Hypothesis("it is released", 0.8))
    memory.add_hypothesis(Hypothesis("it binds", 0.85))
    assert [one.statement for one in memory.get_confirmed_hypotheses()] == ["it binds"]


@pytest.mark.feature("D-06")
def test_a_memory_begins_empty_and_has_the_parts_and_methods_of_the_contract() -> None:
    memory = EvidenceMemory("What drives it?")
    parts = (memory.hypotheses, memory.conflicts, memory.evidence_ids, memory.get_all_evidence())
    assert (memory.query, parts, memory.iteration_count) == ("What drives it?", ([], [], [], []), 0)
    [first] = memory.store_evidence([Evidence("document", "a.md", (1, 2), "A", "the receptor binds")])
    assert (memory.evidence_ids, memory.store_evidence(memory.get_all_evidence())) == ([first], [])
    assert [piece.id for piece in memory.get_relevant_evidence(1)] == [first]
    assert memory.get_context_summary().startswith("## What drives it?")


@pytest.mark.feature("D-07")
def test_the_twelve_types_of_events_are_those_of_the_contract() -> None:
    assert [str(kind) for kind in EventType][:12] == [
        *("started", "thinking", "searching", "search_complete", "judging", "judge_complete", "hypothesizing"),
        *("synthesizing", "streaming", "complete", "error", "progress"),
    ]


@pytest.mark.feature("D-08")
def test_a_loop_ends_in_one_of_the_ways_of_the_contract() -> None:
    assert {str(reason) for reason in EvidenceExit} == {"approved", "max_rounds", "stalled", "timeout", "token_budget"}
