"""The form that a reviewer fills: JSON, with an entry for each test function of a pack."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .neutral import test_functions

MERGE, REFUSE = "merge", "refuse"
REASONS = {
    "trivial": "trivial or degenerate input that shows nothing",
    "meaningless": "asserts nothing meaningful",
    "accident": "pins an accident: an error of misuse, private state, an implementation detail",
    "unreadable": "unreadable input or name",
    "duplicate": "duplicate",
    "misleading": "wrong or misleading name",
    "over-long": "over-long",
}


@dataclass(frozen=True)
class Verdict:
    """A reviewer's judgement of one test function; `struck` of its `rows` would be taken out."""

    module: str
    test: str
    merge: bool
    reasons: tuple[str, ...]
    rows: int
    struck: int


@dataclass(frozen=True)
class Review:
    """A filled form.

    Attributes:
        confidence: whether a suite would give confidence to refactor, by module.
        missing: documented features, typical uses and edges that a suite misses, by module.
        best, worst: test functions to be quoted, as (module, test).
    """

    reviewer: str
    verdicts: tuple[Verdict, ...]
    confidence: Mapping[str, bool]
    missing: Mapping[str, str]
    best: tuple[tuple[str, str], ...]
    worst: tuple[tuple[str, str], ...]


def empty_form(tests: Mapping[str, str]) -> dict[str, Any]:
    """A form for test files, by the names of their modules."""
    return {
        "reviewer": "",
        "reasons": REASONS,
        "best": [],
        "worst": [],
        "modules": {
            module: {
                "tests": {
                    function.name: {"verdict": "", "reasons": [], "rows": function.rows, "struck_rows": 0}
                    for function in test_functions(text)
                },
                "confidence": None,
                "missing": "",
            }
            for module, text in tests.items()
        },
    }


def read_form(path: Path) -> Review:
    """A filled form.

    Raises:
        ValueError: entries are not filled, or say what the form does not know; all of them are named.
    """
    raw = json.loads(path.read_text(encoding="utf-8"))
    faults = list(_faults(raw))
    if faults:
        raise ValueError(f"{path.name}:\n" + "\n".join(f"  {fault}" for fault in faults))
    modules = raw["modules"]
    return Review(
        raw["reviewer"],
        tuple(_verdict(module, test, told) for module, one in modules.items() for test, told in one["tests"].items()),
        {module: one["confidence"] for module, one in modules.items()},
        {module: one["missing"] for module, one in modules.items()},
        tuple(_place(text) for text in raw["best"]),
        tuple(_place(text) for text in raw["worst"]),
    )


def _verdict(module: str, test: str, told: Mapping[str, Any]) -> Verdict:
    """Of a refused table every row is struck."""
    merge = told["verdict"] == MERGE
    struck = told["struck_rows"] if merge else told["rows"]
    return Verdict(module, test, merge, () if merge else tuple(told["reasons"]), told["rows"], struck)


def _faults(raw: Mapping[str, Any]) -> Iterator[str]:
    if not raw.get("reviewer"):
        yield "reviewer: empty"
    for module, one in raw["modules"].items():
        for test, told in one["tests"].items():
            yield from (f"{module} {test}: {fault}" for fault in _faults_of(told))
        if not isinstance(one["confidence"], bool):
            yield f"{module}: confidence is neither true nor false"
    known = {f"{module}:{test}" for module, one in raw["modules"].items() for test in one["tests"]}
    for name in ("best", "worst"):
        yield from (f"{name}: {text} is no test of this pack" for text in raw[name] if text not in known)


def _faults_of(told: Mapping[str, Any]) -> Iterator[str]:
    if told["verdict"] not in (MERGE, REFUSE):
        yield f"verdict is neither {MERGE} nor {REFUSE}"
    unknown = sorted(set(told["reasons"]) - REASONS.keys())
    if unknown:
        yield f"unknown reasons {', '.join(unknown)}"
    if told["verdict"] == REFUSE and not told["reasons"]:
        yield "refused without a reason"
    if not 0 <= told["struck_rows"] <= told["rows"]:
        yield f"{told['struck_rows']} of {told['rows']} rows struck"


def _place(text: str) -> tuple[str, str]:
    module, _, test = text.partition(":")
    return module, test
