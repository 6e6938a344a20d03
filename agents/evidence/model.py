"""Defines evidence about a target, what it shows by example, hypotheses, conflicts, and the judge's assessment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ..contract.protocol import JsonObject

SUFFICIENT_CONFIDENCE = 0.7
SUFFICIENT_SCORE = 6
CONFIRMED_CONFIDENCE = 0.8
MOST_FOR_JUDGE = 30
"""Pieces of evidence that a judge is given."""
LONGEST_TEXT = 4000

SourceKind = Literal["code", "document", "test", "api", "history"]


@dataclass(frozen=True, slots=True)
class ValueExample:
    """A call, or a request to an API, with what a source says comes of it.

    Attributes:
        about: the last part of the callable's name, or an operation such as `POST /orders`.
        act: the call's source; of a request the operation again.
        arrange: statements before it, imports among them.
        want: the result as a doctest would print it, or a status code; "" where `raises` says more, or nothing.
        raises: name of the exception; "" for none.
        line: where the source says it.
    """

    about: str
    act: str
    want: str
    path: str
    line: int
    kind: SourceKind
    arrange: tuple[str, ...] = ()
    raises: str = ""

    @property
    def expected(self) -> str:
        """What comes of the call, in one word or value."""
        return f"raises {self.raises}" if self.raises else self.want

    def to_dict(self) -> JsonObject:
        """Plain JSON values; `from_dict` reads them."""
        return {**asdict(self), "arrange": list(self.arrange)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ValueExample:
        """Raises KeyError, TypeError for other data."""
        fields: JsonObject = {**data, "arrange": tuple(data.get("arrange") or ())}
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that says something about the target.

    Attributes:
        path: POSIX path relative to the project, or the address of an API document.
        lines: first and last line, from 1; of a commit those that it touched, as they are now.
        title: what the passage is: a function, a heading, a commit's first line.
        query: what it was found with.
        score: how well it fits, higher is better; only comparable within one answer.
        examples: values that it shows.
    """

    kind: SourceKind
    path: str
    lines: tuple[int, int]
    title: str
    text: str
    query: str = ""
    score: float = 0.0
    examples: tuple[ValueExample, ...] = ()

    @property
    def id(self) -> str:
        """Where it is from, which no other piece has: `docs/usage.md:10-24`; of commits and operations also which."""
        which = {"history": self.title.partition(" ")[0], "api": self.title}.get(self.kind)
        return f"{self.path}:{self.lines[0]}-{self.lines[1]}{f'#{which}' if which else ''}"

    def to_dict(self) -> JsonObject:
        """Plain JSON values; `from_dict` reads them."""
        examples = [example.to_dict() for example in self.examples]
        return {**asdict(self), "lines": list(self.lines), "examples": examples, "id": self.id}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Evidence:
        """Raises KeyError, TypeError for other data."""
        given = {name: value for name, value in data.items() if name != "id"}
        first, last = data["lines"]
        examples = tuple(ValueExample.from_dict(one) for one in data.get("examples") or ())
        text = str(data["text"])[:LONGEST_TEXT]
        fields: JsonObject = {**given, "lines": (int(first), int(last)), "examples": examples, "text": text}
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What the target should do, or what looks like a defect of it.

    Attributes:
        confidence: 0 to 1; above 0.8 it is confirmed.
        evidence_ids: the pieces that it rests on.
    """

    statement: str
    confidence: float
    suspected_defect: bool = False
    evidence_ids: tuple[str, ...] = ()

    @property
    def is_confirmed(self) -> bool:
        """Whether its confidence is above the threshold."""
        return self.confidence > CONFIRMED_CONFIDENCE

    def to_dict(self) -> JsonObject:
        """Plain JSON values; `from_dict` reads them."""
        return {**asdict(self), "evidence_ids": list(self.evidence_ids)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Hypothesis:
        """Raises KeyError for other data; the confidence is brought between 0 and 1."""
        return cls(
            str(data["statement"]),
            min(1.0, max(0.0, float(data["confidence"]))),
            bool(data.get("suspected_defect")),
            tuple(str(one) for one in data.get("evidence_ids") or ()),
        )


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources that expect different things of one call.

    Attributes:
        one, other: what each says, and where (`value (path:line)`).
    """

    about: str
    act: str
    one: str
    other: str

    @property
    def question(self) -> str:
        """What a person has to decide."""
        return f"{self.act}: {self.one} or {self.other}?"


@dataclass(frozen=True, slots=True)
class AssessmentDetails:
    """Two scores of 0 to 10, each with its reason.

    Attributes:
        mechanism_score: how clear it is what the target does: 0-3 hardly, 4-5 in part, 6-7 clear, 8-9 with its rules
            and errors, 10 wholly.
        evidence_score: how well something besides the code says what is right: 0-3 only the code, 4-5 names and types,
            6-7 documents or tests, 8-9 documents or tests with values, 10 a value for each promise.
        value_examples: calls with their results, in one line each.
    """

    mechanism_score: int
    mechanism_reasoning: str
    evidence_score: int
    evidence_reasoning: str
    value_examples: tuple[str, ...] = ()
    key_findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeAssessment:
    """The judge's assessment. `sufficient` and `recommendation` follow from scores and confidence, whatever it said."""

    details: AssessmentDetails
    confidence: float
    next_search_queries: tuple[str, ...] = ()
    reasoning: str = ""

    @property
    def sufficient(self) -> bool:
        """Whether confidence and both scores reach their thresholds."""
        scores = (self.details.mechanism_score, self.details.evidence_score)
        return self.confidence >= SUFFICIENT_CONFIDENCE and min(scores) >= SUFFICIENT_SCORE

    @property
    def recommendation(self) -> Literal["continue", "synthesize"]:
        """What follows."""
        return "synthesize" if self.sufficient else "continue"

    def contradictions(self, said: Mapping[str, Any]) -> list[str]:
        """Where an answer's own verdict differs from what its numbers come to."""
        found: list[str] = []
        if isinstance(said.get("sufficient"), bool) and said["sufficient"] != self.sufficient:
            found.append(f"the judge said sufficient={said['sufficient']}, its scores say {self.sufficient}")
        if said.get("recommendation") not in (None, self.recommendation):
            found.append(f"the judge said {said['recommendation']}, its scores say {self.recommendation}")
        return found

    def to_dict(self) -> JsonObject:
        """Plain JSON values; `from_dict` reads them."""
        details = asdict(self.details)
        details |= {name: list(details[name]) for name in ("value_examples", "key_findings")}
        return {
            "details": details,
            "sufficient": self.sufficient,
            "confidence": self.confidence,
            "recommendation": self.recommendation,
            "next_search_queries": list(self.next_search_queries),
            "reasoning": self.reasoning,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> JudgeAssessment:
        """Raises KeyError, TypeError, ValueError for other data; numbers are brought into their ranges."""
        details = data["details"]
        return cls(
            AssessmentDetails(
                _score(details["mechanism_score"]),
                str(details["mechanism_reasoning"]),
                _score(details["evidence_score"]),
                str(details["evidence_reasoning"]),
                tuple(str(one) for one in details.get("value_examples") or ()),
                tuple(str(one) for one in details.get("key_findings") or ()),
            ),
            min(1.0, max(0.0, float(data["confidence"]))),
            tuple(str(one) for one in data.get("next_search_queries") or () if str(one).strip()),
            str(data.get("reasoning") or ""),
        )


def _score(value: Any) -> int:
    return min(10, max(0, int(value)))


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """The structured report on a target.

    Attributes:
        findings: sentences that end in the numbers of their references: `f(2) is 4 [1][3]`.
        questions: what is not known, for a person.
        references: each source used, numbered from 1 by its place: path, lines, kind and title.
    """

    title: str
    summary: str
    findings: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    references: tuple[JsonObject, ...] = field(default_factory=tuple)

    def to_dict(self) -> JsonObject:
        """Plain JSON values."""
        return {
            "title": self.title,
            "summary": self.summary,
            "findings": list(self.findings),
            "questions": list(self.questions),
            "references": [dict(one) for one in self.references],
        }


def reference(piece: Evidence) -> JsonObject:
    """A piece of evidence as a report refers to it."""
    return {"path": piece.path, "lines": list(piece.lines), "kind": piece.kind, "title": piece.title}
