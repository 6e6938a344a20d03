"""Observes inputs that a model proposes without an expectation: the engine pins what the code does with them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....engine.python.explore.given_trials import observe_given
from ....engine.python.facts.analyse import analyse_module
from ....engine.python.facts.names import ImportNames, imported_from_origin
from ....engine.python.judge.assertable_finding import AssertableFinding
from ....engine.python.judge.finding_selection import judge_findings
from ....engine.python.model.model import ModuleFacts, Trial
from ....engine.python.project.layout import find_layout
from ....engine.python.source.import_block import read_imports
from ....engine.python.write.case_namer import CaseNamer, CaseNaming
from ....sandbox.target import ProvideTarget
from ....utils.python_names import mentioned_names
from ....utils.python_source import parse_or_none
from ...contract.protocol import JsonObject


@dataclass(frozen=True, slots=True)
class ObservedCase:
    """A case with what was observed of it, in a spec's form, and the imports that it needs.

    Attributes:
        naming: id, title and outcome in words, by what was observed; the case still has its own.
    """

    case: JsonObject
    imports: tuple[str, ...]
    naming: CaseNaming


@dataclass(frozen=True, slots=True)
class CaseObserver:
    """Observes cases of unit specs.

    Attributes:
        python_target: prepares the project.
        root: the project's root.
    """

    python_target: ProvideTarget
    root: Path

    async def observe(
        self, path: str, cases: Sequence[Mapping[str, Any]], imports: Sequence[str]
    ) -> list[ObservedCase | None]:
        """Observe cases, whatever they expect; None for one of which nothing can be asserted.

        Args:
            path: of the module.
            cases: in a spec's form; their expectations are replaced.
            imports: of all cases.

        Raises:
            TestwrightError: the module cannot be read or imported. SyntaxError: a case is not Python.
        """
        facts = await asyncio.to_thread(lambda: analyse_module(self.root, path, find_layout(self.root)))
        trials = [_trial(case, imports) for case in cases]
        findings = await observe_given(await self.python_target(), facts, trials)
        seen = [finding for finding in findings if finding is not None]
        judged = iter((await asyncio.to_thread(judge_findings, facts, seen))[0])
        found = [next(judged) if finding is not None else None for finding in findings]
        namer = CaseNamer(facts, seen)
        return [
            _observed(case, one, facts, namer) if one is not None else None
            for case, one in zip(cases, found, strict=True)
        ]


def _trial(case: Mapping[str, Any], imports: Sequence[str]) -> Trial:
    arrange, act = case.get("arrange") or {}, case["act"]
    statements, expression = tuple(arrange.get("statements") or ()), str(act["expression"])
    tree = parse_or_none("\n".join((*statements, expression)))
    used = set(mentioned_names([tree])) if tree is not None else set[str]()
    needed = tuple(one.statement for one in read_imports(imports) if one.bound.partition(".")[0] in used)
    return Trial(
        str(case["subject"]),
        expression,
        imports=needed,
        arrange=statements,
        mode=act.get("mode") or "call",
        source="model",
        fixtures=tuple(arrange.get("fixtures") or ()),
    )


def _observed(case: Mapping[str, Any], found: AssertableFinding, facts: ModuleFacts, namer: CaseNamer) -> ObservedCase:
    trial, verdict = found.finding.trial, found.verdict
    names = ImportNames([*trial.imports, *verdict.imports])
    imports = imported_from_origin(trial.imports, facts)
    source = names.adopt(trial.arrange, trial.act, imports, verdict.expectations, verdict.imports)
    arrange = {"fixtures": list(trial.fixtures), "statements": list(source.statements)}
    seen = {
        **case,
        "steps": [*source.statements, source.expression],
        "arrange": arrange,
        "act": {"expression": source.expression, "mode": trial.mode},
        "expect": [expectation.to_json() for expectation in source.expect],
    }
    naming = namer.name(trial.subject, source.statements, source.expression, trial.mode, source.expect)
    return ObservedCase(seen, tuple(names.statements()), naming)
