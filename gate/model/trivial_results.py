"""Defines what came of trivial implementations of tested functions: plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...mutation.trivial import Kind


@dataclass(frozen=True, slots=True)
class TrivialSurvivor:
    """A trivial implementation that passes the tests of a function.

    Attributes:
        title: what it does; follows "an implementation that".
        elsewhere: whether a test notices it that does not call the function itself.
    """

    title: str
    kind: Kind
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class FunctionTrials:
    """What came of the trivial implementations of one function.

    Attributes:
        name: qualified within its module.
        tests: node ids of the tests that call it themselves.
        tried: how many implementations were put in its place.
        survivors: those that all of these tests pass with.
        noticed: for each of the others tests that fail with it, two at most.
        left_out: why none was tried; empty where they were.
    """

    path: str
    name: str
    line: int
    tests: tuple[str, ...] = ()
    tried: int = 0
    survivors: tuple[TrivialSurvivor, ...] = ()
    noticed: tuple[tuple[str, ...], ...] = ()
    left_out: str = ""

    @property
    def unnoticed(self) -> tuple[TrivialSurvivor, ...]:
        """The survivors that no test at all notices."""
        return tuple(survivor for survivor in self.survivors if not survivor.elsewhere)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "path": self.path,
            "function": self.name,
            "line": self.line,
            "tests": len(self.tests),
            "tried": self.tried,
            "survivors": [{"title": one.title, "kind": one.kind, "elsewhere": one.elsewhere} for one in self.survivors],
            "left_out": self.left_out,
        }


@dataclass(frozen=True, slots=True)
class TrivialSummary:
    """What trivial implementations say of a suite, in numbers."""

    functions: int
    passed: int
    elsewhere: int
    left_out: int

    @classmethod
    def of(cls, trials: Iterable[FunctionTrials]) -> TrivialSummary:
        """Count functions that were tried, those whose tests one passes, and those that only other tests save."""
        trials = list(trials)
        tried = [one for one in trials if one.tried]
        return cls(
            functions=len(tried),
            passed=sum(bool(one.unnoticed) for one in tried),
            elsewhere=sum(bool(one.survivors) and not one.unnoticed for one in tried),
            left_out=len(trials) - len(tried),
        )


@dataclass(frozen=True, slots=True)
class UnprovenExpectation:
    """An expectation that tests hold without.

    Attributes:
        tests: node ids of those that it stands in.
        why: it `accepts` another value, or the tests `never` come to it.
    """

    tests: tuple[str, ...]
    path: str
    line: int
    why: Literal["accepts", "never"]

    @property
    def reason(self) -> str:
        """One sentence."""
        what = "also holds with another value" if self.why == "accepts" else "is never come to"
        return f"its expectation in line {self.line} {what}: it proves nothing"


def unproven_expectation(fact: Mapping[str, Any]) -> UnprovenExpectation:
    """Read what the worker wrote about one expectation. Raises as `function_trials`."""
    why: Literal["accepts", "never"] = "never" if fact["why"] == "never" else "accepts"
    return UnprovenExpectation(tuple(map(str, fact["tests"])), str(fact["path"]), int(fact["line"]), why)


def function_trials(fact: Mapping[str, Any]) -> FunctionTrials:
    """Read what the worker wrote about one function.

    Raises:
        KeyError, TypeError, ValueError: it has another form.
    """
    survivors = tuple(
        TrivialSurvivor(str(one["title"]), one["kind"], bool(one["elsewhere"])) for one in fact["passing"]
    )
    return FunctionTrials(
        path=str(fact["path"]),
        name=str(fact["name"]),
        line=int(fact["line"]),
        tests=tuple(str(nodeid) for nodeid in fact["tests"]),
        tried=int(fact["tried"]),
        survivors=survivors,
        noticed=tuple(tuple(str(nodeid) for nodeid in nodeids) for nodeids in fact["noticed"]),
        left_out=str(fact["left_out"]),
    )
