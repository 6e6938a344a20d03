"""Makes usable cases of a model's answer: mended, harmless, with expectations that can fail, each judged alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....core.errors import TestwrightError
from ....engine.python.source.import_block import read_imports
from ...contract.protocol import JsonObject
from ...embedded.specs.observed_cases import ObservedCase
from ...embedded.specs.spec_merge import merged
from ...guardrails.code_limits import case_problems, imported_by
from ...guardrails.oracles import RULE, Documentation, oracle_problems
from ...guardrails.problems import problem
from ..project_style import own_test_imports
from .answer_mending import Subjects, mended, read_names, unbound_names, unreadable
from .spec_answer import case_of, expanded, is_range, unfit_rows

Observe = Callable[[str, Sequence[Mapping[str, Any]], Sequence[str]], Awaitable[Sequence[ObservedCase | None]]]
"""Observes cases of a module (path, cases, imports); None for one of which nothing can be asserted."""

_PLACE = re.compile(r"^\$\.cases\[(\d+)\]")


@dataclass(slots=True)
class Usable:
    """What can be used of an answer.

    Attributes:
        cases: in a spec's form.
        imports: that they need.
        problems: of the cases that are left out, in the form of validation errors.
        notes: the same for the report.
    """

    cases: list[JsonObject] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    problems: list[JsonObject] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def leave_out(self, problems: Sequence[JsonObject]) -> None:
        """Leave a case out, for these reasons."""
        self.problems += problems
        self.notes += [f"a case of the model is left out: {row['message']}" for row in problems[:1]]


class AnswerCases:
    """Reads the cases of answers about one module.

    Args:
        target: of the spec. source: of the module. root: the project.
        observe: observes cases without expectation; None leaves them out.
        allowed: modules that a person allows tests to import.
    """

    def __init__(
        self,
        target: Mapping[str, Any],
        source: str,
        root: Path,
        observe: Observe | None,
        allowed: Collection[str] = (),
    ) -> None:
        self._path, self._module = str(target["path"]), str(target.get("module") or "")
        self._source = source
        self._root = root
        self._observe = observe
        self._allowed = allowed

    async def usable(self, answer: Mapping[str, Any], known_imports: Sequence[str]) -> Usable:
        """Return what can be used of an answer.

        Args:
            known_imports: of the spec; what they import the cases may import, too.
        """
        found, waiting = await asyncio.to_thread(self._checked, answer, known_imports)
        if waiting:
            await self._add_observed(found, waiting)
        return found

    def _checked(self, answer: Mapping[str, Any], known_imports: Sequence[str]) -> tuple[Usable, list[JsonObject]]:
        """The cases that can be used as they are, and those that are to be observed."""
        subjects, documentation = Subjects(self._source, self._module), Documentation(self._source)
        imported = imported_by(self._source) | imported_by("\n".join(known_imports)) | own_test_imports(self._root)
        own = read_imports(str(line) for line in answer["imports"])
        others = [one for one in read_imports(known_imports) if one.bound not in {mine.bound for mine in own}]
        imports = [one.statement for one in (*own, *others)]
        # An import that is refused by itself reaches no case; what is left is held against each, used or not.
        refused = {
            one.statement
            for one in own
            if case_problems({}, 0, [one.statement], self._module, imported=imported, allowed=self._allowed)
        }
        found, waiting = Usable(notes=list(unfit_rows(answer))), list[JsonObject]()
        for index, answered in enumerate(expanded(answer)):
            what = unreadable(answered)
            if what is not None:
                message = f"{answered['id']} cannot be read: {what}"
                found.leave_out([problem(f"$.cases[{index}]", message, suggestion="write plain Python")])
                continue
            case, missing = mended(answered, imports, subjects)
            imports += [one for one in missing if one not in imports]
            used = read_names(case)
            needed = [one.statement for one in read_imports(imports) if one.bound in used]
            present = [*_starred(answer["imports"]), *needed, *(one for one in imports if one not in refused)]
            present += [line for line in known_imports if line not in present]
            wrong = case_problems(case, index, present, self._module, imported=imported, allowed=self._allowed)
            wrong = wrong or [*oracle_problems(case, index), *_contradictions(case, index, documentation)]
            unbound = unbound_names(case, {one.bound for one in read_imports(imports)})
            if unbound and not wrong:
                message = f"{case['id']} uses {', '.join(unbound)}, which nothing binds"
                wrong = [problem(f"$.cases[{index}]", message, suggestion="import or arrange it")]
            if wrong:
                found.leave_out(wrong)
                continue
            found.imports += [one for one in needed if one not in found.imports]
            (found.cases if case["expect"] else waiting).append(
                case_of(_labelled(case, documentation, subjects), self._path)
            )
        return found, waiting

    async def _add_observed(self, found: Usable, waiting: Sequence[JsonObject]) -> None:
        """Add what is seen of the cases that expect nothing."""
        seen = await self._seen(waiting, found.imports)
        for case, one in zip(waiting, seen, strict=True):
            if one is None:
                message = f"{case['id']} has no expectation, and nothing was observed that could be asserted"
                found.leave_out([problem("$.cases", message, suggestion="expect a value")])
                continue
            found.cases.append(_renamed(one))
            found.imports += [line for line in one.imports if line not in found.imports]

    async def _seen(self, cases: Sequence[JsonObject], imports: Sequence[str]) -> Sequence[ObservedCase | None]:
        if self._observe is None:
            return [None] * len(cases)
        try:
            return await self._observe(self._path, cases, imports)
        except (TestwrightError, SyntaxError, OSError):
            return [None] * len(cases)

    async def observed_instead(
        self, spec: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]
    ) -> tuple[JsonObject, list[str], list[str]]:
        """The spec with what the code does in place of expectations that were judged wrong.

        Such a case is named by what was observed, since its title spoke of the expectation, and leaves its group. One
        of which nothing can be asserted leaves the spec, and so does one that another case says already.

        Returns:
            The spec, the ids of the replaced cases, and notes.
        """
        cases = list(spec.get("cases") or ())
        at = {int(found[1]) for error in errors if (found := _PLACE.match(str(error.get("path") or "")))}
        wrong = [place for place in sorted(at) if place < len(cases)]
        imports = [str(line) for line in spec.get("imports") or ()]
        seen = await self._seen([cases[place] for place in wrong], imports)
        others = {**spec, "cases": [case for place, case in enumerate(cases) if place not in wrong]}
        replaced = [(cases[place], one) for place, one in zip(wrong, seen, strict=True) if one is not None]
        needed = [line for _, one in replaced for line in one.imports]
        whole, notes = await asyncio.to_thread(merged, others, [_renamed(one) for _, one in replaced], needed)
        return whole, [str(case["id"]) for case, _ in replaced], notes


def _starred(imports: Sequence[object]) -> list[str]:
    """Imports of everything, which no case can be said to use: each case is held responsible for them."""
    return [str(line) for line in imports if "*" in str(line)]


def _renamed(one: ObservedCase) -> JsonObject:
    """A case by what was observed of it; what a model called it may say something else."""
    case = {key: value for key, value in one.case.items() if key != "group"}
    naming = one.naming
    return {**case, "id": naming.id, "title": naming.title, "expected": naming.expected}


def _contradictions(case: Mapping[str, Any], index: int, documentation: Documentation) -> list[JsonObject]:
    """Report documented expectations whose own cited lines give another value for the call."""
    found: list[JsonObject] = []
    for place, expected in enumerate(case["expect"]):
        said = documentation.contradicted_by(case, expected, expected["lines"])
        if said is not None and expected["origin"] == "documented":
            message = f"{case['id']} expects {expected['value']}, but the lines that it cites say {said}"
            path = f"$.cases[{index}].expect[{place}]"
            found.append(problem(path, message, suggestion="expect what is documented", rule=RULE))
    return found


def _labelled(case: Mapping[str, Any], documentation: Documentation, subjects: Subjects) -> JsonObject:
    """The case with `inferred` for expectations that are called documented, while the cited lines do not show it.

    Those that are shown say which object's lines they are.

    What another function's documentation says shows nothing.
    """

    def is_shown(expected: Mapping[str, Any]) -> bool:
        lines = expected["lines"]
        about = is_range(lines) and subjects.may_speak_of(str(case["subject"]), lines)
        return about and documentation.shows(case, expected, lines)

    def labelled(expected: Mapping[str, Any]) -> JsonObject:
        if expected["origin"] != "documented":
            return {**expected}
        if not is_shown(expected):
            return {**expected, "origin": "inferred"}
        return {**expected, "object": subjects.owner_of(expected["lines"], str(case["subject"]))}

    return {**case, "expect": [labelled(expected) for expected in case["expect"]]}
