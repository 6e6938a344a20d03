"""Finds tests of a model that do more themselves than call their target: what the interpreter's hook heard of them."""

from __future__ import annotations

from collections.abc import Collection

from ..model.results import SuiteResult

_SHOWN = 3


def own_acts(result: SuiteResult, watched: Collection[str] | None) -> dict[str, str]:
    """Return why tests are refused, by node id, and by path of files that could not be collected.

    Args:
        result: of a run with `acts`.
        watched: ids of the cases that a model wrote; None for all tests.
    """
    found: dict[str, str] = {}
    for test in result.tests:
        if watched is not None and test.case_id not in watched:
            continue
        holder = test.nodeid.split("::")[1].partition("[")[0] if "::" in test.nodeid else ""
        collected = [
            one.act for one in result.acts_outside_tests if one.path == test.path and one.holder in ("", holder)
        ]
        acts = list(dict.fromkeys([*collected, *test.acts]))
        if acts:
            found[test.nodeid] = act_reason(acts)
    for error in result.collect_errors:
        acts = [one.act for one in result.acts_outside_tests if one.path == error.path]
        if acts:
            found[error.path] = act_reason(acts)
    return found


def act_reason(acts: list[str]) -> str:
    """Say in one sentence why a test that does this itself is not kept."""
    more = f" and {len(acts) - _SHOWN} more" if len(acts) > _SHOWN else ""
    return f"written by a model, it does what only its target may do: {'; '.join(acts[:_SHOWN])}{more}"
