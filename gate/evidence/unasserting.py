"""Selects kept tests that assert nothing, of functions that a trivial implementation may stand in for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from ..model.verdicts import Verification
from .additions import function_of
from .assertions import tests_without_checks


def unasserting_tests(verification: Verification) -> Mapping[str, str]:
    """Why tests are left out that only show that nothing is raised, by node id.

    A test that asserts something stays: a further example, not its removal, is what its function needs.

    Args:
        verification: with the measurement by mutants; without one nothing is known.
    """
    silent: dict[str, frozenset[str]] = {}
    for path, text in verification.contents.items():
        with suppress(SyntaxError):
            silent[path] = tests_without_checks(text)
    kept = {verdict.nodeid for verdict in verification.kept}
    reasons: dict[str, str] = {}
    for trials in verification.mutation.functions if verification.mutation else ():
        if not trials.unnoticed:
            continue
        reason = (
            f"it asserts nothing: it passes with an implementation of {trials.name} that {trials.unnoticed[0].title}"
        )
        for nodeid in trials.tests:
            path, _, name = function_of(nodeid).partition("::")
            if nodeid in kept and name in silent.get(path, ()):
                reasons.setdefault(nodeid, reason)
    return reasons
