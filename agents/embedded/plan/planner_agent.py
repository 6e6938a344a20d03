"""The planner without a model: turns a request in plain words into ordered steps.

It recognises files, folders, packages, modules and symbols (`pkg.mod:Class.method`), several of them, "only what has no
tests", "except X", a framework, one or several test types, and reports what it did not understand.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ....core.errors import RequestError
from ....engine.python.project.layout import Layout, find_layout
from ...contract.lifecycle import Agent, AgentContract
from ...contract.protocol import AgentRequest, JsonObject
from .api_plan import api_steps, is_address
from .changed_targets import changed_targets, unchanged_rows
from .integration_plan import integration_steps
from .plan_steps import CONTEXT, accept_step, context_step, verify_step
from .repository_steps import repository_plan
from .request_words import Clause, Mention, ParsedRequest, parse_request
from .step_scope import PlannedSteps, StepPlanner, StepScope
from .target_index import ModuleTarget, TargetIndex
from .unit_plan import unit_steps

STEP_PLANNERS: Mapping[str, StepPlanner] = {"unit": unit_steps, "api": api_steps, "integration": integration_steps}
"""Step planners by test type; other test types are not available."""

_MAPPED_WHOLE = {
    "text": "only what has changed",
    "reason": "the request is about the whole repository, which is mapped as it is",
    "suggestions": [],
}
_DOCUMENT = re.compile(r"\.(?:json|ya?ml)$", re.IGNORECASE)
_LONGEST_PATH = 120
_MOST_UNREADABLE = 20


@dataclass(slots=True)
class _Reading:
    """The interpretation of one request.

    Attributes:
        targets: targets that its parts name, by index of the part.
        documents: API documents that they name, by index of the part.
        limited: targets were found and limited to changed code, so that an empty plan is not an error.
        advice: what to do where nothing can be planned.
    """

    targets: dict[int, list[ModuleTarget]] = field(default_factory=dict)
    documents: dict[int, list[str]] = field(default_factory=dict)
    excluded: list[ModuleTarget] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    not_understood: list[JsonObject] = field(default_factory=list)
    skipped: list[JsonObject] = field(default_factory=list)
    limited: bool = False
    advice: str = ""


class EmbeddedPlannerAgent(Agent):
    """Plans tests for what a request names; for a repository and a depth, the repository steps.

    Inputs: `user_request`, `root`, and optionally `test_type`, `target`, `framework`, `tests_dir`, and `changes`, which
    limits targets to what changed. Result: `steps` in order (without status; none where nothing changed), `understood`,
    `not_understood` (text, reason, suggestions), `skipped` (target, reason). Several test types share one lookup of
    context and are verified together.

    Args:
        layout: finds the project's layout; replaced in tests only.
        command: starts the application of API tests; empty without one.
        contract: the schemas to check.
    """

    role = "planner"

    def __init__(
        self,
        *,
        layout: Callable[[Path], Layout] = find_layout,
        command: Sequence[str] = (),
        contract: AgentContract | None = None,
    ) -> None:
        super().__init__(contract=contract)
        self._layout = layout
        self._command = tuple(command)

    async def _work(self, request: AgentRequest) -> JsonObject:
        return await asyncio.to_thread(self.plan, request.inputs or {})

    def plan(self, inputs: JsonObject) -> JsonObject:
        """Build the plan for these inputs. Raises RequestError when nothing can be planned."""
        text = str(inputs.get("user_request") or "")
        whole = repository_plan(text)
        if whole is not None and inputs.get("test_type") in (None, "e2e"):
            return whole if inputs.get("changes") is None else {**whole, "not_understood": [_MAPPED_WHOLE]}
        words = parse_request(text)
        layout = self._layout(Path(str(inputs["root"])))
        index = TargetIndex(layout)
        reading = _Reading()
        clauses = _clauses(words, inputs)
        available = [clause for clause in clauses if clause.test_type in STEP_PLANNERS]
        for clause in clauses:
            if clause not in available:
                reading.not_understood.append(_unavailable_row(clause.test_type))
        reading.not_understood += [_second_framework(name, words.framework) for name in words.further_frameworks]
        _resolve(available, words, index, reading)
        if not available:
            raise _nothing_to_do(reading, "; ".join(str(row["reason"]) for row in reading.not_understood) + ".")
        framework = str(words.framework or inputs.get("framework") or "pytest")
        tests_dir = str(inputs.get("tests_dir") or "tests/generated")
        scope = StepScope(
            index=index,
            targets=(),
            named=False,
            request=text,
            documents=(),
            framework=framework,
            tests_dir=tests_dir,
            only_untested=words.only_untested,
            command=self._command,
        )
        steps = _steps(available, words, scope, reading, inputs.get("changes"))
        if not steps and not reading.limited:
            raise _nothing_to_do(reading, _why_nothing(layout, reading))
        return {
            "steps": steps,
            "understood": reading.understood,
            "not_understood": reading.not_understood,
            "skipped": [*reading.skipped, *_unreadable_rows(layout)],
        }


def _unreadable_rows(layout: Layout) -> list[JsonObject]:
    """The files that are not read, as rows of `skipped`; the last row counts those that are not listed."""
    rows: list[JsonObject] = [
        {"target": path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}…", "reason": reason}
        for path, reason in layout.skipped[:_MOST_UNREADABLE]
    ]
    more = len(layout.skipped) - len(rows)
    return [*rows, {"target": f"{more} more files", "reason": "they cannot be read either"}] if more else rows


def _clauses(words: ParsedRequest, inputs: Mapping[str, Any]) -> list[Clause]:
    """Split a request into parts; a test type or target given as an option applies to all parts."""
    test_type, target = inputs.get("test_type"), inputs.get("target")
    more = (Mention(str(target), True),) if target else ()
    mentions = tuple(mention for mention in words.mentions if not mention.excluded)
    if test_type or not words.clauses:
        return [Clause(test_type or "unit", (*mentions, *more))]
    if len(words.clauses) == 1:
        return [Clause(words.clauses[0].test_type, (*mentions, *more))]
    return [Clause(clause.test_type, (*clause.mentions, *more), clause.otherwise) for clause in words.clauses]


def is_document(text: str) -> bool:
    """Whether a word names an API description: an address, or a JSON or YAML file."""
    return is_address(text) or _DOCUMENT.search(text) is not None


def _second_framework(name: str, first: str | None) -> JsonObject:
    reason = f"the tests of one run are written for one framework, and {first} is named first"
    return {"text": name, "reason": reason, "suggestions": [f"another run for {name}"]}


def _unavailable_row(test_type: str) -> JsonObject:
    reason = f"{test_type} tests are not available yet"
    return {"text": f"{test_type} tests", "reason": reason, "suggestions": list(STEP_PLANNERS)}


def _resolve(clauses: Sequence[Clause], words: ParsedRequest, index: TargetIndex, reading: _Reading) -> None:
    """Resolve every mention to targets, documents or exclusions, and note what was not understood."""
    for mention in words.mentions:
        if mention.excluded:
            reading.excluded += _found(mention, index, reading)
    known: dict[Mention, list[ModuleTarget]] = {}
    for at, clause in enumerate(clauses):
        targets = reading.targets.setdefault(at, [])
        documents = reading.documents.setdefault(at, [])
        for mentions in (clause.mentions, clause.otherwise):
            if targets or documents:
                break
            for mention in sorted(mentions, key=lambda mention: mention.weak):
                if mention.weak and (targets or documents or not index.find(mention.text, explicit=False).targets):
                    continue
                if clause.test_type == "api" and is_document(mention.text):
                    documents.append(mention.text)
                    continue
                if mention not in known:
                    known[mention] = _found(mention, index, reading)
                targets += known[mention]
    if not any(known.values()) and not any(reading.documents.values()) and (words.whole or not known):
        reading.understood.append(f"the whole project: {len(index.modules)} modules")


def _found(mention: Mention, index: TargetIndex, reading: _Reading) -> list[ModuleTarget]:
    """Return the targets that a mention names, and note whether it was understood."""
    found = index.find(mention.text, explicit=mention.explicit)
    if not found.targets:
        reason = found.why_not or "it names no file, folder, package, module or symbol of the project"
        reading.not_understood.append(
            {"text": mention.text, "reason": reason, "suggestions": index.suggestions(mention.text)}
        )
        return []
    names = ", ".join(dict.fromkeys(_spelled(target) for target in found.targets[:3]))
    more = f" and {len(found.targets) - 3} more" if len(found.targets) > 3 else ""
    reading.understood.append(f"{mention.text}: {'not ' if mention.excluded else ''}{names}{more}")
    return list(found.targets)


def _steps(
    clauses: Sequence[Clause],
    words: ParsedRequest,
    whole: StepScope,
    reading: _Reading,
    changes: Mapping[str, Any] | None,
) -> list[JsonObject]:
    """Build the steps of all parts in order, then verifying and accepting; none when no part has a generate step.

    Args:
        whole: the scope common to all parts.
    """
    index = whole.index
    after = (CONTEXT,) if len(clauses) > 1 else ()
    left_out = tuple((target.place.path, name) for target in reading.excluded for name in target.symbols or ())
    generate: list[JsonObject] = []
    for at, clause in enumerate(clauses):
        wanted = reading.targets[at]
        named = bool(wanted or reading.documents[at])
        if not named and not words.whole and any(not mention.weak for mention in clause.mentions):
            continue
        targets = _chosen(wanted if named else [ModuleTarget(place) for place in index.modules], reading.excluded)
        if changes is not None:
            targets = _limited(targets, changes, index, reading)
            if not targets and not reading.documents[at]:
                continue
        scope = replace(
            whole,
            targets=targets,
            named=named,
            documents=tuple(reading.documents[at]),
            after=after,
            taken=tuple(str(step["params"]["test_path"]) for step in generate),
            left_out=left_out,
        )
        generate += _added(STEP_PLANNERS[clause.test_type](scope), scope, reading)
    if not generate:
        return []
    paths = [str(step["params"]["test_path"]) for step in generate]
    verify = verify_step([str(step["id"]) for step in generate], paths, whole.framework)
    before = [context_step(whole.request)] if after else []
    return [*before, *generate, verify, accept_step([str(verify["id"])], paths)]


def _limited(
    targets: tuple[ModuleTarget, ...], changes: Mapping[str, Any], index: TargetIndex, reading: _Reading
) -> tuple[ModuleTarget, ...]:
    """Limit the targets to changed code, and note what is left out."""
    kept = changed_targets(targets, changes, index)
    rows = unchanged_rows(targets, kept, changes)
    reading.skipped += [row for row in rows if row not in reading.skipped]
    reading.limited = reading.limited or bool(targets)
    note = f"what changed since {changes['since']}: {', '.join(map(_spelled, kept)) or 'nothing'}"
    if note not in reading.understood:
        reading.understood.append(note)
    return kept


def _added(planned: PlannedSteps, scope: StepScope, reading: _Reading) -> list[JsonObject]:
    """Return the steps of one part; note its remarks, and each document that no step tests."""
    reading.understood += [text for text in planned.understood if text not in reading.understood]
    reading.not_understood += planned.not_understood
    reading.advice = reading.advice or planned.advice
    reading.skipped += [row for row in planned.skipped if row not in reading.skipped]
    noted = {str(row["text"]) for row in planned.not_understood}
    for document in scope.documents:
        if document not in planned.used and document not in noted:
            reason = "no step could be made of it"
            reading.not_understood.append({"text": document, "reason": reason, "suggestions": []})
    return planned.steps


def _chosen(targets: Sequence[ModuleTarget], excluded: Sequence[ModuleTarget]) -> tuple[ModuleTarget, ...]:
    """Merge targets to one a module, in order of paths, without modules that are excluded completely."""
    whole_modules = {target.place.path for target in excluded if target.symbols is None}
    chosen: dict[str, ModuleTarget] = {}
    for target in targets:
        merged = chosen.get(target.place.path)
        if merged is not None and (merged.symbols is None or target.symbols is None):
            target = ModuleTarget(target.place)
        elif merged is not None:
            target = ModuleTarget(
                target.place, tuple(dict.fromkeys((*(merged.symbols or ()), *(target.symbols or ()))))
            )
        chosen[target.place.path] = target
    return tuple(target for path, target in sorted(chosen.items()) if path not in whole_modules)


def _spelled(target: ModuleTarget) -> str:
    return target.place.path if target.symbols is None else f"{target.place.module}:{', '.join(target.symbols)}"


def _why_nothing(layout: Layout, reading: _Reading) -> str:
    if not layout.modules:
        return f"There is no Python module to test in {layout.root}."
    if reading.skipped:
        return (
            "Nothing is left to test: "
            + "; ".join(f"{row['target']}: {row['reason']}" for row in reading.skipped)
            + "."
        )
    if reading.not_understood:
        rows = "; ".join(f"{row['text']!r}: {row['reason']}" for row in reading.not_understood)
        return f"The request names nothing that was found in {layout.root}: {rows}."
    return "Nothing is left to test after what the request excludes."


def _nothing_to_do(reading: _Reading, message: str) -> RequestError:
    hints = [hint for row in reading.not_understood for hint in row["suggestions"]]
    advice = f"Did you mean {', '.join(dict.fromkeys(hints))}?" if hints else "Name a file, folder, module or symbol."
    return RequestError(message, advice=reading.advice or advice, details={"not_understood": reading.not_understood})
