"""The planner without a model: turns a request in plain words into ordered steps.

It recognises files, folders, packages, modules and symbols (`pkg.mod:Class.method`), several of them, what is left out,
conditions ("only what has no tests", "changed since main"), a framework, one or several kinds of tests, and accounts
for every word: what it did not understand is named, and stops it where going on would do something else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....engine.python.project.layout import Layout, find_layout
from ...contract.lifecycle import Agent, AgentContract
from ...contract.protocol import AgentRequest, JsonObject
from .api_plan import api_steps
from .changed_targets import changed_targets, unchanged_rows
from .e2e_plan import browser_framework, browser_steps, with_browser, with_whole_sites
from .fitting_types import Fitting, fitting_types
from .integration_plan import integration_steps
from .load_requests import LOCUST, with_load
from .most_complex import most_complex
from .named_programs import NO_PROGRAM, programs_meant
from .order.importance import in_order_of_importance
from .order.plan_size import within_limits
from .performance_plan import performance_steps
from .plan_steps import CONTEXT, accept_step, context_step, verify_step
from .reading import Reading, by_options, merged, resolve, spelled
from .refusals import (
    check_understood,
    refuse_frameworks,
    refuse_other_work,
    refuse_types,
    refused_request,
    unreadable_rows,
    why_nothing,
)
from .repository_steps import repository_plan
from .request.lexicon import AVAILABLE_FRAMEWORKS
from .request.parsed_request import Clause, Mention, ParsedRequest
from .request.parser import parse_request
from .script_frameworks.api_frameworks import api_framework, with_api_framework
from .script_plan import script_plan, wants_scripts
from .step_scope import PlannedSteps, StepPlanner, StepScope
from .target_index import ModuleTarget, TargetIndex
from .understanding import Part, sentence
from .unit_plan import unit_steps

STEP_PLANNERS: Mapping[str, StepPlanner] = {
    "unit": unit_steps,
    "api": api_steps,
    "integration": integration_steps,
    "e2e": browser_steps,
    "performance": performance_steps,
}
"""Step planners by test type; other test types are not available."""


class EmbeddedPlannerAgent(Agent):
    """Plans tests for what a request names; for a repository and a depth, the repository steps.

    Inputs: `user_request`, `root`, and optionally `test_type`, `target`, `framework`, `tests_dir`, `include` and
    `exclude` (names and patterns), `strict` (True stops at anything that is not understood, False goes on with the
    rest, None stops only where something else would be done), and `changes`, which limits targets to what changed.
    Result: `steps` in order (without status; none where nothing changed), `understood` (first the plan in one
    sentence), `not_understood` (text, reason, suggestions), `skipped` (target, reason). Several test types share one
    lookup of context and are verified together.

    Args:
        layout: finds the project's layout; replaced in tests only.
        command: starts the application of API tests; empty without one.
        application: the application of API tests, as `module:attribute`; empty where it is to be found.
        url: origin of a site for browser tests that runs already; empty for none.
        contract: the schemas to check.
    """

    role = "planner"

    def __init__(
        self,
        *,
        layout: Callable[[Path], Layout] = find_layout,
        command: Sequence[str] = (),
        application: str = "",
        url: str = "",
        contract: AgentContract | None = None,
    ) -> None:
        super().__init__(contract=contract)
        self._layout = layout
        self._started = (tuple(command), application, url)

    async def _work(self, request: AgentRequest) -> JsonObject:
        return await asyncio.to_thread(self.plan, request.inputs or {})

    def plan(self, inputs: JsonObject) -> JsonObject:
        """Build the plan for these inputs. Raises RequestError when nothing can be planned."""
        layout = self._layout(Path(str(inputs["root"])))
        index = TargetIndex(layout)
        words = parse_request(
            str(inputs.get("user_request") or ""), index.names, lambda name: bool(index.methods(name))
        )
        whole = repository_plan(words) if inputs.get("test_type") in (None, "e2e") else None
        if whole is not None:
            whole["not_understood"] += [] if inputs.get("changes") is None else [_MAPPED_WHOLE]
            check_understood(whole["not_understood"], [], inputs.get("strict"))
            return whole
        if wants_scripts(words, inputs):
            return within_limits(script_plan(words, inputs, index.layout.root))
        return within_limits(_Planning(inputs, index, words, self._started).result())


_MAPPED_WHOLE = {
    "text": "only what has changed",
    "reason": "the request is about the whole repository, which is mapped as it is",
    "suggestions": [],
}


class _Planning:
    """The planning of one request: its clauses, what they name, and their steps."""

    def __init__(
        self,
        inputs: Mapping[str, Any],
        index: TargetIndex,
        words: ParsedRequest,
        started: tuple[tuple[str, ...], str, str],
    ) -> None:
        self._inputs = inputs
        self._index = index
        self._words = words
        self._reading = Reading()
        self._fitting = Fitting({})
        self._conditions: list[str] = []
        self._program_clauses: set[str] = set()
        preferred = [name for name in words.frameworks if name in AVAILABLE_FRAMEWORKS]
        usual = str(inputs.get("framework") or "pytest")
        if usual == "unittest" and preferred[:1] == ["pytest"]:
            self._reading.skipped.append({"target": f"framework {usual}", "reason": "the request says pytest"})
        if usual in words.excluded_frameworks:
            usual = next(name for name in AVAILABLE_FRAMEWORKS if name != usual)
        load = [name for name in (*words.frameworks, str(inputs.get("framework") or "")) if name == LOCUST]
        self._load_framework = load[0] if load else None
        request = str(inputs.get("user_request") or "")
        self._api_framework = api_framework(words, inputs)
        self._browser_framework = browser_framework(words, str(inputs.get("framework") or ""), request)
        usual = usual if usual in AVAILABLE_FRAMEWORKS else "pytest"
        self._scope = StepScope(
            index=index,
            targets=(),
            named=False,
            request=request,
            documents=(),
            framework=(preferred or [usual])[0],
            tests_dir=str(inputs.get("tests_dir") or "tests/generated"),
            only_untested=words.only_untested,
            only_changed=inputs.get("changes") is not None,
            command=started[0],
            application=started[1],
            url=started[2],
        )

    def result(self) -> JsonObject:
        """Plan, and account for every word. Raises RequestError."""
        reading, words = self._reading, self._words
        strict = self._inputs.get("strict")
        for text, reason in words.unknown:
            reading.unclear(text, reason, stops=True)
        refuse_other_work(words, reading)
        if "unit" in words.excluded_types and not words.clauses and words.names_nothing and not words.whole:
            reading.unclear("no unit tests", "it says only what is not wanted; name what to test", stops=True)
        # Note a base of changed code that is not the one whose changes were read.
        wanted, changes = self._words.changed_since, self._inputs.get("changes")
        if wanted is not None and (changes is None or changes["since"] != wanted):
            read = "nothing was compared" if changes is None else f"what changed since {changes['since']} was compared"
            self._reading.unclear(f"changed since {wanted}", read, [f"--changed-since {wanted}"], stops=True)
        refuse_frameworks(words, reading, self._api_framework)
        included = by_options(
            tuple(self._inputs.get("include") or ()), tuple(self._inputs.get("exclude") or ()), self._index, reading
        )
        request = str(self._inputs.get("user_request") or "")
        clauses = with_load(self._clauses(), self._load_framework, reading, request)
        if self._api_framework:
            clauses = with_api_framework(clauses, self._api_framework)
        else:
            clauses = with_browser(clauses, self._browser_framework, words, reading)
        clauses = with_whole_sites(refuse_types(clauses, words, STEP_PLANNERS, reading), self._index, reading)
        resolve(clauses, words, self._index, reading)
        if not clauses:
            raise refused_request(reading, "; ".join(str(row["reason"]) for row in reading.not_understood) + ".")
        self._about_programs(clauses)
        clauses = self._fitted(clauses, included)
        parts = self._parts(clauses, included)
        steps = self._steps([part for part in parts if part.steps], several=len(clauses) > 1)
        done = reading.tested and not reading.not_understood
        if not steps and not reading.limited and not done:
            raise refused_request(reading, why_nothing(self._index.layout, reading))
        check_understood(reading.not_understood, reading.stopping, strict)
        said = sentence(
            parts,
            self._scope.framework,
            conditions=self._conditions,
            left_out=reading.left_out,
            nothing="nothing to test: there are tests of it already"
            if done
            else "nothing to test: nothing of it has changed"
            if reading.limited
            else "",
        )
        return {
            "steps": steps,
            "understood": [said, *reading.understood],
            "not_understood": reading.not_understood,
            "skipped": [*reading.skipped, *unreadable_rows(self._index.layout)],
        }

    def _clauses(self) -> list[Clause]:
        """Split a request into parts; a test type or target given as an option applies to all parts."""
        words, test_type, target = self._words, self._inputs.get("test_type"), self._inputs.get("target")
        more = (Mention(str(target), True),) if target else ()
        mentions = (*(mention for mention in words.mentions if not mention.excluded), *more)
        if test_type or not words.clauses:
            for clause in words.clauses:
                if clause.test_type != test_type:
                    reason = f"--test-type {test_type} narrows the request"
                    self._reading.skipped.append({"target": clause.text, "reason": reason})
            kinds = [kind for kind in STEP_PLANNERS if kind not in words.excluded_types]
            # A framework that only load tests are written for says what is wanted.
            usual = "performance" if self._load_framework and not test_type else (kinds or ["unit"])[0]
            usual = "e2e" if self._browser_framework and not self._load_framework else usual
            kind = test_type or usual
            text = next((clause.text for clause in words.clauses if clause.test_type == kind), "")
            return [Clause(kind, mentions, text=text)]
        if len(words.clauses) == 1:
            return [replace(words.clauses[0], mentions=mentions, otherwise=())]
        return [replace(clause, mentions=(*clause.mentions, *more)) for clause in words.clauses]

    def _about_programs(self, clauses: Sequence[Clause]) -> None:
        """Limit what a request asks of "the command line program" to the modules in which the programs begin."""
        reading = self._reading
        for at, clause in enumerate(clauses):
            found = programs_meant(clause.mentions, self._index) if not reading.documents[at] else None
            weak = [mention.text for mention in clause.mentions if mention.weak]
            # A module that has such a name is meant by it.
            if found is None or any(self._index.find(word, explicit=False).targets for word in weak):
                continue
            reading.targets[at] = found
            self._program_clauses.add(clause.test_type)
            if not found:
                reading.unclear(" ".join(weak), NO_PROGRAM, stops=True)

    def _fitted(self, clauses: list[Clause], included: Sequence[ModuleTarget] | None) -> list[Clause]:
        """Add the kinds of tests that fit the project, where the request names none and means a whole.

        A request for a part (one module, what changed, what has no tests) keeps to unit tests.
        """
        words, reading = self._words, self._reading
        partial = words.only_untested or words.most_complex or self._inputs.get("changes") is not None
        if not words.clauses and self._program_clauses and reading.targets[0]:
            # A program is tested by its runs.
            self._program_clauses.add("integration")
            return [replace(clauses[0], test_type="integration")]
        if (
            words.clauses
            or self._inputs.get("test_type")
            or partial
            or not reading.groups
            or clauses[0].test_type != "unit"
        ):
            return clauses
        if not reading.targets[0] and not words.whole and not words.names_nothing:
            return clauses
        wanted = reading.targets[0] or [ModuleTarget(place) for place in self._index.modules]
        fitting = fitting_types(merged(wanted, reading.excluded, included), self._index)
        reasons = {kind: why for kind, why in fitting.reasons.items() if kind not in words.excluded_types}
        self._fitting = Fitting(reasons)
        fitted = self._fitting.clauses(clauses[0].mentions)
        for at in range(1, len(fitted)):
            reading.targets[at], reading.documents[at], reading.endpoints[at] = list(reading.targets[0]), [], []
        return fitted

    def _parts(self, clauses: Sequence[Clause], included: Sequence[ModuleTarget] | None) -> list[Part]:
        """Plan the generate steps of each clause."""
        reading, words = self._reading, self._words
        changes = self._inputs.get("changes")
        excluded = reading.excluded
        left_out = tuple((target.place.path, name) for target in excluded for name in target.symbols or ())
        gone = frozenset(target.place.path for target in excluded if target.symbols is None)
        parts: list[Part] = []
        if words.only_untested:
            self._conditions.append("only what has no tests yet")
        for at, clause in enumerate(clauses):
            wanted = reading.targets[at]
            named = bool(wanted or reading.documents[at])
            of_all = words.whole or reading.endpoints[at]
            if not named and not of_all and any(not mention.weak for mention in clause.mentions):
                continue
            everything = [ModuleTarget(place) for place in self._index.modules]
            if words.rest and at == self._place_of_rest(clauses):
                wanted, named = self._rest(everything, at), False
            targets = merged(wanted or everything, excluded, included)
            if words.most_complex is not None:
                targets, of = most_complex(targets, words.most_complex, self._index)
                self._conditions += [of] if of not in self._conditions else []
            if changes is not None:
                targets = self._limited(targets, changes)
                if not targets and not reading.documents[at]:
                    continue
            scope = replace(
                self._scope,
                targets=targets,
                framework=clause.framework or self._scope.framework,
                named=named or included is not None or words.most_complex is not None,
                documents=tuple(reading.documents[at]),
                endpoints=tuple(dict.fromkeys(reading.endpoints[at])),
                after=(CONTEXT,) if len(clauses) > 1 else (),
                taken=tuple(str(step["params"]["test_path"]) for part in parts for step in part.steps),
                left_out=left_out,
                excluded=gone,
                only_programs=clause.test_type == "integration"
                and (clause.test_type in self._fitting.reasons or clause.test_type in self._program_clauses),
            )
            planned = STEP_PLANNERS[clause.test_type](scope)
            steps = self._added(planned, scope)
            why = self._fitting.reasons.get(clause.test_type, "") or planned.why
            parts.append(Part(clause.test_type, steps, not named, why))
        return parts

    def _place_of_rest(self, clauses: Sequence[Clause]) -> int:
        """The part that "everything else" stands in: the first that names nothing, else the last."""
        found = self._reading.targets
        return next((at for at in range(len(clauses)) if not found[at]), len(clauses) - 1)

    def _rest(self, everything: Sequence[ModuleTarget], at: int) -> list[ModuleTarget]:
        """Everything but what the other parts of the request name."""
        others = [found for part, found in self._reading.targets.items() if part != at]
        taken = {target.place.path for found in others for target in found}
        return [target for target in everything if target.place.path not in taken]

    def _limited(self, targets: tuple[ModuleTarget, ...], changes: Mapping[str, Any]) -> tuple[ModuleTarget, ...]:
        """Limit the targets to changed code, and note what is left out."""
        reading = self._reading
        kept = changed_targets(targets, changes, self._index)
        rows = unchanged_rows(targets, kept, changes)
        reading.skipped += [row for row in rows if row not in reading.skipped]
        reading.limited = reading.limited or bool(targets)
        condition = f"only what changed since {changes['since']}"
        self._conditions += [condition] if condition not in self._conditions else []
        note = f"what changed since {changes['since']}: {', '.join(map(spelled, kept)) or 'nothing'}"
        if note not in reading.understood:
            reading.understood.append(note)
        return kept

    def _added(self, planned: PlannedSteps, scope: StepScope) -> list[JsonObject]:
        """Return the steps of one part; note its remarks, and each document that no step tests."""
        reading = self._reading
        reading.understood += [text for text in planned.understood if text not in reading.understood]
        reading.not_understood += planned.not_understood
        reading.advice = reading.advice or planned.advice
        reading.skipped += [row for row in planned.skipped if row not in reading.skipped]
        reading.tested = reading.tested or planned.tested
        noted = {str(row["text"]) for row in planned.not_understood}
        for document in scope.documents:
            if document not in planned.used and document not in noted:
                reading.unclear(document, "no step could be made of it")
        return planned.steps

    def _steps(self, parts: Sequence[Part], *, several: bool) -> list[JsonObject]:
        """Order the steps of each part, what is named first, the rest by importance; then verify and accept.

        There are none when no part has a generate step.

        Files are verified and accepted in order of paths: what order they were made in is nothing to them.
        """
        generate = [step for part in parts for step in part.steps]
        if not generate:
            return []
        before = [context_step(self._scope.request)] if several else []
        named = tuple(dict.fromkeys(self._reading.named))
        ordered = [step for part in parts for step in in_order_of_importance(part.steps, self._index, named)]
        # What is written only is not verified, and joins the project when somebody says so.
        run = [step for step in generate if not step["params"].get("not_run")]
        if not run:
            return [*before, *ordered]
        paths = [str(step["params"]["test_path"]) for step in run]
        frameworks = {str(step["params"]["framework"]) for step in run}
        framework = frameworks.pop() if len(frameworks) == 1 else self._scope.framework
        verify = verify_step([str(step["id"]) for step in run], paths, framework)
        return [*before, *ordered, verify, accept_step([str(verify["id"])], paths)]
