"""The memory of one request: pieces without duplicates, the best first, hypotheses, conflicts."""

from __future__ import annotations

import pytest

from testwright.agents.evidence.memory import EvidenceMemory
from testwright.agents.evidence.model import Evidence, Hypothesis, JudgeAssessment, SourceKind, ValueExample
from testwright.agents.evidence.similarity import WordSimilarity

QUERY = "What should slugify do?"
REFUNDS = "A refund is booked on the day of the order and never later than the end of that month"


def piece(path: str, text: str, kind: SourceKind = "document", *examples: ValueExample, lines=(1, 5)) -> Evidence:
    return Evidence(kind, path, lines, path, text, examples=examples)


def example(want: str, path: str = "README.md", act: str = "slugify('a b')", **more) -> ValueExample:
    return ValueExample("slugify", act, want, path, 3, more.pop("kind", "document"), **more)


@pytest.mark.feature("D-02")
def test_a_piece_that_says_the_same_as_another_is_dropped_and_only_new_ids_are_returned():
    memory = EvidenceMemory(QUERY)
    copied = f"{REFUNDS}."
    assert memory.store_evidence([piece("a.md", REFUNDS), piece("b.md", copied)]) == ["a.md:1-5"]
    assert memory.store_evidence([piece("a.md", "something else, at a place that is known")]) == []
    assert [one.path for one in memory.get_all_evidence()] == ["a.md"]


@pytest.mark.feature("D-02")
@pytest.mark.parametrize(
    "other",
    [
        "A refund is booked on the day of the order and later than the end of that month",
        "A refund is booked on the 5 day of the order and never later than the end of that month",
    ],
)
def test_pieces_that_differ_in_a_negation_or_a_number_are_kept_beside_each_other(other):
    memory = EvidenceMemory(QUERY)
    assert len(memory.store_evidence([piece("a.md", REFUNDS), piece("b.md", other)])) == 2


def test_pieces_with_values_and_documents_come_before_code_that_only_mentions_the_names():
    memory = EvidenceMemory("slugify text")
    code = piece("text.py", "def slugify(text): return text", "code")
    shown = piece("README.md", "slugify('a b') is 'a-b'", "document", example("'a-b'"))
    memory.store_evidence([code, piece("other.md", "unrelated words"), shown])
    assert [one.path for one in memory.get_relevant_evidence(2)] == ["README.md", "text.py"]


def test_only_hypotheses_above_the_threshold_are_confirmed():
    memory = EvidenceMemory(QUERY)
    for confidence in (0.8, 0.81):
        memory.add_hypothesis(Hypothesis(f"sure to {confidence}", confidence))
    assert [one.confidence for one in memory.get_confirmed_hypotheses()] == [0.81]


def test_two_sources_that_expect_different_results_of_one_call_are_a_conflict():
    memory = EvidenceMemory(QUERY)
    memory.store_evidence(
        [
            piece("README.md", "slugify('a b') is 'a-b'", "document", example("'a-b'")),
            piece("test_text.py", "slugify", "test", example("'a_b'", "test_text.py", 'slugify("a b")', kind="test")),
        ]
    )
    assert [one.question for one in memory.conflicts] == [
        "slugify(\"a b\"): 'a_b' (test_text.py:3) or 'a-b' (README.md:3)?"
    ] or [one.question for one in memory.conflicts] == [
        "slugify('a b'): 'a-b' (README.md:3) or 'a_b' (test_text.py:3)?"
    ]


@pytest.mark.parametrize(("documented", "found"), [(("201", "400"), 1), (("201",), 0), (("201", "422"), 0)])
def test_a_status_that_a_test_expects_conflicts_with_a_document_that_lists_others_of_its_kind(documented, found):
    act = "POST /orders"
    statuses = [ValueExample(act, act, status, "api.md", 2, "document") for status in documented]
    memory = EvidenceMemory(QUERY)
    memory.store_evidence([piece("api.md", "POST /orders answers", "document", *statuses)])
    memory.store_evidence([piece("test_api.py", "status", "test", ValueExample(act, act, "422", "t.py", 9, "test"))])
    assert len(memory.conflicts) == found


def test_calls_of_one_name_from_two_modules_are_no_conflict():
    one, other = (
        ValueExample("dumps", "dumps(1)", want, "a.md", 1, "document", (f"from {module} import dumps",))
        for want, module in (("'1'", "json"), ("'one'", "textkit"))
    )
    memory = EvidenceMemory(QUERY)
    memory.store_evidence([piece("a.md", "json", "document", one), piece("b.md", "textkit", "document", other)])
    assert memory.conflicts == []


def test_many_tests_leave_room_for_the_code():
    memory = EvidenceMemory(QUERY)
    tests = [piece(f"test_{n}.py", f"slugify {n}", "test", example(f"'{n}'")) for n in range(31)]
    memory.store_evidence([*tests, piece("text.py", "def slugify(text): ...", "code")])
    assert "code" in {one.kind for one in memory.get_relevant_evidence(30)}


def test_a_memory_survives_being_stored():
    memory = EvidenceMemory(QUERY)
    memory.store_evidence([piece("README.md", "slugify('a b') is 'a-b'", "document", example("'a-b'"))])
    memory.add_hypothesis(Hypothesis("it joins words", 0.9, evidence_ids=("README.md:1-5",)))
    memory.iteration_count = 2
    again = EvidenceMemory.from_dict(memory.to_dict())
    assert again.to_dict() == memory.to_dict()
    assert "2 rounds" in again.get_context_summary()


@pytest.mark.feature("D-06")
def test_memories_of_two_requests_share_nothing():
    one, other = EvidenceMemory(QUERY), EvidenceMemory(QUERY)
    one.store_evidence([piece("README.md", "slugify")])
    one.add_hypothesis(Hypothesis("it joins words", 0.9))
    assert (other.get_all_evidence(), other.hypotheses) == ([], [])


@pytest.mark.feature("D-03")
@pytest.mark.parametrize(
    ("confidence", "scores", "sufficient"),
    [(0.7, (6, 6), True), (0.69, (10, 10), False), (1.0, (5, 10), False), (1.0, (10, 5), False)],
)
def test_evidence_is_sufficient_only_where_confidence_and_both_scores_reach_their_thresholds(
    confidence, scores, sufficient
):
    said = {
        "details": {
            "mechanism_score": scores[0],
            "mechanism_reasoning": "it is clear what it does",
            "evidence_score": scores[1],
            "evidence_reasoning": "documents show values",
        },
        "confidence": confidence,
        "sufficient": not sufficient,
        "recommendation": "synthesize" if not sufficient else "continue",
    }
    found = JudgeAssessment.from_dict(said)
    assert (found.sufficient, found.recommendation) == (sufficient, "synthesize" if sufficient else "continue")
    assert len(found.contradictions(said)) == 2


class CountingSimilarity(WordSimilarity):
    """Counts comparisons of two texts."""

    def __init__(self) -> None:
        self.comparisons = 0

    def between(self, one: str, other: str) -> float:
        self.comparisons += 1
        return super().between(one, other)


@pytest.mark.feature("D-02")
def test_a_piece_is_compared_only_with_those_that_name_the_same_values():
    similarity = CountingSimilarity()
    memory = EvidenceMemory(QUERY, similarity)
    different = [piece("a.md", f"{REFUNDS}, at most {number} times", lines=(number, number)) for number in range(150)]
    assert len(memory.store_evidence(different)) == 150
    assert similarity.comparisons == 0
    again = EvidenceMemory.from_dict(memory.to_dict(), similarity)
    assert again.store_evidence([piece("b.md", f"{REFUNDS}, at most 7 times.")]) == []
    assert similarity.comparisons == 1
