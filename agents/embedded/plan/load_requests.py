"""Decides which parts of a request want load on a running application; timing single calls is something else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ....engine.performance.load.profiles import PROFILE_NAMES, SMOKE
from .reading import Reading, is_document
from .request.parsed_request import Clause

LOCUST = "locust"
_LOAD = re.compile(r"\b(?:load|stress|spike|soak|locust)\b", re.IGNORECASE)
_TESTS = re.compile(r"\btest", re.IGNORECASE)
_LOAD_TESTS = re.compile(r"\b(?:load|stress|spike|soak)[ -]tests?\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"\b(?:apis?|http|rest|endpoints?)\b(?:\s+tests?)?\s*(?:,|&|\+|\band\b|\bplus\b|\bthen\b)+\s*(?:the\s+)?"
    r"(?:performance|load|stress|spike|soak)\b",
    re.IGNORECASE,
)
"""Kinds of tests beside each other: "API and load"."""
_ONLY_NAME = re.compile(r"(?:with|using|use|in|via|through|as)?\s*(?:the\s+)?locust", re.IGNORECASE)


def is_of_load(clause: Clause) -> bool:
    """Whether load is wanted: many users of a running application at once."""
    return clause.test_type == "performance" and _LOAD.search(clause.text) is not None


def with_load(clauses: Sequence[Clause], framework: str | None, reading: Reading, request: str = "") -> list[Clause]:
    """Return the clauses with the framework of those that want load; "the API" that is loaded is no clause of its own.

    Args:
        framework: the one that the request or an option names; None for none.
        request: its words, for load tests that stand beside other performance tests in one sentence.
    """
    named = [clause for clause in clauses if clause.test_type == "performance"]
    # "unit tests with locust" asks for no load tests.
    if len(clauses) > 1 and named and all(_ONLY_NAME.fullmatch(clause.text) for clause in named):
        others = sorted({clause.test_type for clause in clauses} - {"performance"})
        reason = f"load tests are written for {LOCUST}, and {' and '.join(others)} tests are not"
        reading.unclear(LOCUST, reason, ["pytest"], stops=True)
        return [clause for clause in clauses if clause not in named]
    meant = [clause for clause in clauses if clause.test_type == "api" and not _TESTS.search(clause.text)]
    # One that names modules times their calls, whatever else of the request speaks of an API.
    takes = [clause for clause in named if framework == LOCUST or is_of_load(clause) or not clause.mentions]
    if meant and named and not takes and _LOAD_TESTS.search(request):
        # "performance tests for pricing and load tests for the API"
        return [replace(one, test_type="performance", framework=LOCUST) if one in meant else one for one in clauses]
    meant = meant if takes and not _BESIDE.search(request) else []
    loaded = [clause for clause in named if _describes(clause) or (clause in takes and _is_loaded(clause, framework))]
    loaded += [clause for clause in takes if meant and clause not in loaded]
    if framework == LOCUST and not named:
        kinds = " and ".join(sorted({clause.test_type for clause in clauses}))
        reading.unclear(LOCUST, f"load tests are written for it, and {kinds} tests are not", ["pytest"], stops=True)
    if not loaded:
        return list(clauses)
    # "load tests for the API": the endpoints that it names belong to the load tests.
    mentions = tuple(mention for clause in meant for mention in clause.mentions)
    return [
        replace(clause, framework=LOCUST, mentions=(*clause.mentions, *(mentions if clause in takes else ())))
        if clause in loaded
        else clause
        for clause in clauses
        if clause not in meant
    ]


def _is_loaded(clause: Clause, framework: str | None) -> bool:
    return framework == LOCUST or is_of_load(clause)


def _describes(clause: Clause) -> bool:
    """Whether a description of an API is to be tested."""
    return any(is_document(mention.text) for mention in clause.mentions)


def profiles_in(request: str) -> list[str]:
    """The profiles that a request names, and the smallest one; all where it says no more than load."""
    said = {word for word in PROFILE_NAMES if re.search(rf"\b{word}\b", request, re.IGNORECASE)}
    return [name for name in PROFILE_NAMES if name in said | {SMOKE}] if said - {"load"} else list(PROFILE_NAMES)
