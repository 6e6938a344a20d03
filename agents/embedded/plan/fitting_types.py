"""Chooses the kinds of tests that fit a project, for a request that names none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....engine.api.document.apps import find_applications
from ....engine.integration.model.programs import find_programs
from .request.parsed_request import Clause, Mention
from .target_index import ModuleTarget, TargetIndex


@dataclass(frozen=True, slots=True)
class Fitting:
    """Kinds of tests beside unit tests, with the reason for each, by kind."""

    reasons: dict[str, str]

    def clauses(self, mentions: Sequence[Mention]) -> list[Clause]:
        """Build one clause a kind, unit tests first; all are about the same."""
        return [Clause(kind, tuple(mentions), (), kind) for kind in ("unit", *self.reasons)]


def fitting_types(targets: Sequence[ModuleTarget], index: TargetIndex) -> Fitting:
    """Look for a web application and for console programs among the targets. Nothing is imported."""
    paths = {target.place.path for target in targets}
    reasons: dict[str, str] = {}
    applications = [app for app in find_applications(index.layout) if app.place.path in paths]
    if applications:
        reasons["api"] = f"it has a web application ({applications[0].framework})"
    programs = [program for program in find_programs(index.layout.root, index.layout) if program.place.path in paths]
    if programs:
        reasons["integration"] = f"it has a console program ({programs[0].name})"
    return Fitting(reasons)
