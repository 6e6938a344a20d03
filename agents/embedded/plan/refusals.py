"""Refuses in words what is not available, and stops a plan that would do something else than the request asks for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ....core.errors import RequestError
from ....engine.python.project.layout import Layout
from ....utils.names.counted import counted
from ...contract.protocol import JsonObject
from .reading import NOT_FOUND, SEVERAL, Reading
from .request.lexicon import AVAILABLE_FRAMEWORKS, BROWSER_FRAMEWORKS, LOAD_FRAMEWORKS, SCRIPT_FRAMEWORKS
from .request.parsed_request import Clause, ParsedRequest
from .request.parser import CODE_STAYS, TESTS_STAY

_MOST_NAMED = 5
_LONGEST_PATH = 120
_MOST_UNREADABLE = 20
_SMALLEST_CHANGE = "Leave it out, or say it in other words; --no-strict goes on with what was understood."


def refuse_frameworks(words: ParsedRequest, reading: Reading, api_framework: str) -> None:
    """Note frameworks that are not available, and those beside the first. Raises RequestError if none is available.

    Args:
        api_framework: what API tests are written for where these are scripts; else empty.
    """
    available = [name for name in words.frameworks if name in AVAILABLE_FRAMEWORKS]
    of_one_type = {*LOAD_FRAMEWORKS, *BROWSER_FRAMEWORKS, api_framework}
    for name in words.frameworks:
        if name in available or name in of_one_type:
            continue
        reason = (
            "it tests JavaScript and TypeScript, which is a run of its own"
            if name in SCRIPT_FRAMEWORKS
            else f"tests for {name} are not available yet"
        )
        reading.unclear(name, reason, list(AVAILABLE_FRAMEWORKS))
    if words.frameworks and not available and not set(words.frameworks) & of_one_type:
        raise refused_request(reading, "; ".join(str(row["reason"]) for row in reading.not_understood) + ".")
    for name in available[1:]:
        reason = f"the tests of one run are written for one framework, and {available[0]} is named first"
        reading.unclear(name, reason, [f"another run for {name}"])
    both = [name for name in AVAILABLE_FRAMEWORKS if name in words.excluded_frameworks]
    if len(both) == len(AVAILABLE_FRAMEWORKS):
        reading.unclear(" and ".join(both), "tests are written for one of them", stops=True)


def refuse_other_work(words: ParsedRequest, reading: Reading) -> None:
    """Raise RequestError where a request asks for work on code or tests that are there, and for nothing else."""
    others = [reason for _, reason in words.unknown if reason in (TESTS_STAY, CODE_STAYS)]
    if others and words.names_nothing and not words.whole and not words.clauses:
        raise refused_request(reading, f"{others[0][:1].upper()}{others[0][1:]}.")


def refuse_types(
    clauses: Sequence[Clause], words: ParsedRequest, available: Collection[str], reading: Reading
) -> list[Clause]:
    """Return the clauses whose kind of tests is available and wanted, and note the others."""
    kept: list[Clause] = []
    for clause in clauses:
        if clause.test_type in words.excluded_types:
            reading.unclear(clause.text or clause.test_type, "it is asked for and left out at once", stops=True)
        elif clause.test_type in available:
            kept.append(clause)
        else:
            name = clause.text if clause.test_type == "property" else f"{clause.test_type} tests"
            reading.unclear(name, f"{name} are not available yet", sorted(available))
    if words.depth is not None:
        level = f"{words.depth} depth"
        reason = "a depth belongs to the end-to-end tests of a whole repository, which are a run of their own"
        reading.unclear(level, reason, [f"test this repository, {level}"])
    return kept


def check_understood(rows: Sequence[JsonObject], stopping: Sequence[str], strict: bool | None) -> None:
    """Stop where a part of the request was not understood.

    Args:
        stopping: the texts without which something else would be done.
        strict: True stops at every row, False at none, None at those of `stopping`.

    Raises:
        RequestError: with `not_understood`, and `can_go_on`: the plan could do the rest.
    """
    if strict is False:
        return
    found = [row for row in rows if strict or row["text"] in stopping]
    if not found:
        return
    listed = "; ".join(f"{row['text']!r}: {row['reason']}" for row in found)
    hints = [str(hint) for row in found for hint in row["suggestions"]]
    meant = f"Did you mean {', '.join(dict.fromkeys(hints))}? " if hints else ""
    raise RequestError(
        f"Not understood, so nothing was done: {listed}.",
        advice=f"{meant}{_SMALLEST_CHANGE}",
        details={"not_understood": list(rows), "can_go_on": True},
    )


def refused_request(reading: Reading, message: str) -> RequestError:
    """Build the error of a request that leads to no step."""
    hints = [hint for row in reading.not_understood for hint in row["suggestions"]]
    advice = f"Did you mean {', '.join(dict.fromkeys(hints))}?" if hints else "Name a file, folder, module or symbol."
    return RequestError(message, advice=reading.advice or advice, details={"not_understood": reading.not_understood})


def _known(layout: Layout) -> str:
    names = [place.module for place in layout.modules]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f" Its modules are {', '.join(names[:_MOST_NAMED])}{more}; `the project` means all."


def why_nothing(layout: Layout, reading: Reading) -> str:
    """Say why a request leads to no step."""
    if not layout.modules:
        return f"There is no Python module to test in {layout.root}."
    if reading.not_understood and not reading.tested:
        rows = "; ".join(f"{row['text']!r}: {row['reason']}" for row in reading.not_understood)
        if all(row["reason"] == SEVERAL for row in reading.not_understood):
            return f"Not understood, so nothing was done: {rows}."
        is_unknown = any(row["reason"] == NOT_FOUND for row in reading.not_understood)
        return (
            f"The request names nothing that was found in {layout.root}: {rows}.{_known(layout) if is_unknown else ''}"
        )
    if reading.skipped:
        left = "; ".join(f"{row['target']}: {row['reason']}" for row in reading.skipped)
        unknown = "; ".join(f"{row['text']!r}: {row['reason']}" for row in reading.not_understood)
        return f"Nothing is left to test: {left}.{f' Not understood: {unknown}.' if unknown else ''}"
    return "Nothing is left to test after what the request excludes."


def unreadable_rows(layout: Layout) -> list[JsonObject]:
    """The files that are not read, as rows of `skipped`; the last row counts those that are not listed."""
    rows: list[JsonObject] = [
        {"target": path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}…", "reason": reason}
        for path, reason in layout.skipped[:_MOST_UNREADABLE]
    ]
    more = len(layout.skipped) - len(rows)
    they = "it" if more == 1 else "they"
    rest = {"target": counted(more, "more file"), "reason": f"{they} cannot be read either"}
    return [*rows, rest] if more else rows
