"""Reads and writes cases of the test spec as typed data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....utils.canonical import attributes

JsonObject = dict[str, Any]

WEAK_KINDS = frozenset({"is_instance", "length"})
MESSAGE = "str(error)"
# Names in `actual` besides `result` and arranged ones; each framework renders them in its own way.
CODE = "raised.value.code"
PRINTED_ERRORS = "printed_err"
ELSEWHERE = frozenset({CODE, PRINTED_ERRORS})
# Between statements that print and an act whose output counts; what redirects the act alone needs none.
CAPTURE = "capsys"
FORGET_PRINTED = f"{CAPTURE}.readouterr()"


@dataclass(frozen=True, slots=True)
class SpecEvidence:
    """Where an expectation comes from: a path relative to the project root and its first and last line.

    `object`: qualified name of what documents it; empty where that is unknown.
    """

    path: str
    lines: tuple[int, int]
    object: str = ""


@dataclass(frozen=True, slots=True)
class SpecExpectation:
    """One assertion after the act; fields that its kind does not use are None (see the spec's schema).

    `raises` with `MESSAGE` as `actual` asserts that `match` is the whole message of the exception, not only a part.
    """

    kind: str
    actual: str = "result"
    value: str | None = None
    exception: str | None = None
    match: str | None = None
    origin: str = "observed"
    evidence: SpecEvidence | None = None
    relative: float | None = None
    absolute: float | None = None

    @property
    def whole(self) -> bool:
        """Whether `match` is all of an exception's message."""
        return self.kind == "raises" and self.actual == MESSAGE and self.match is not None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SpecExpectation:
        """Read one expectation; missing optional fields take the defaults."""
        found = data.get("evidence")
        evidence = None
        if isinstance(found, Mapping) and found.get("path"):
            lines = list(found.get("lines") or (0, 0))
            evidence = SpecEvidence(str(found["path"]), (int(lines[0]), int(lines[-1])), str(found.get("object") or ""))
        tolerance = data.get("tolerance") or {}
        return cls(
            kind=str(data["kind"]),
            actual=str(data.get("actual") or "result"),
            value=data.get("value"),
            exception=data.get("exception"),
            match=data.get("match"),
            origin=str(data.get("origin") or "observed"),
            evidence=evidence,
            relative=tolerance.get("relative"),
            absolute=tolerance.get("absolute"),
        )

    def to_json(self) -> JsonObject:
        """The JSON form, without the fields that are None."""
        fields: JsonObject = {"kind": self.kind}
        if self.whole or self.kind not in ("raises", "warns", "output"):
            fields["actual"] = self.actual
        for name in ("value", "exception", "match"):
            if getattr(self, name) is not None:
                fields[name] = getattr(self, name)
        tolerance = {"relative": self.relative, "absolute": self.absolute}
        tolerance = {name: number for name, number in tolerance.items() if number is not None}
        if tolerance:
            fields["tolerance"] = tolerance
        fields["origin"] = self.origin
        if self.evidence is not None:
            fields["evidence"] = {"path": self.evidence.path, "lines": list(self.evidence.lines)}
            if self.evidence.object:
                fields["evidence"]["object"] = self.evidence.object
        return fields


@dataclass(frozen=True, slots=True)
class Case:
    """One test case: arrange (`fixtures`, `statements`), act (`expression`, `mode`), expect."""

    id: str
    title: str
    subject: str
    expression: str
    mode: str = "call"
    expect: tuple[SpecExpectation, ...] = ()
    fixtures: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    priority: str = "medium"
    preconditions: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    expected: str = ""
    group: str | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Case:
        """Read one case. Raises KeyError, TypeError or ValueError where the schema is not kept."""
        arrange = data.get("arrange") or {}
        act = data["act"]
        return cls(
            id=str(data["id"]),
            title=str(data["title"]),
            subject=str(data["subject"]),
            expression=str(act["expression"]),
            mode=str(act.get("mode") or "call"),
            expect=tuple(SpecExpectation.from_json(one) for one in data["expect"]),
            fixtures=tuple(arrange.get("fixtures") or ()),
            statements=tuple(arrange.get("statements") or ()),
            priority=str(data.get("priority") or "medium"),
            preconditions=tuple(data.get("preconditions") or ()),
            steps=tuple(data.get("steps") or ()),
            expected=str(data.get("expected") or ""),
            group=data.get("group"),
        )

    def to_json(self) -> JsonObject:
        """The JSON form, as the unit spec's schema has it."""
        data: JsonObject = {
            **attributes(self, "id", "title", "subject", "priority", "preconditions", "steps", "expected"),
        }
        if self.group is not None:
            data["group"] = self.group
        data["arrange"] = {"fixtures": list(self.fixtures), "statements": list(self.statements)}
        data["act"] = {"expression": self.expression, "mode": self.mode}
        data["expect"] = [expectation.to_json() for expectation in self.expect]
        return data

    @property
    def documented(self) -> tuple[SpecEvidence, ...]:
        """The documents of this case's documented expectations, in order, without repeats."""
        found = [one.evidence for one in self.expect if one.origin == "documented" and one.evidence is not None]
        return tuple(dict.fromkeys(found))

    @property
    def origin(self) -> str:
        """The strongest origin among the expectations."""
        origins = {expectation.origin for expectation in self.expect}
        return next((one for one in ("documented", "inferred") if one in origins), "observed")
