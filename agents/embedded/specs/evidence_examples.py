"""Adds to a unit spec what documents and tests show: calls with the result that they promise, observed in the sandbox.

A result that agrees makes the expectation `documented`, with the place of the document. One that contradicts becomes a
suspected defect, and no test keeps what the code does there.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ....engine.python.explore.given_trials import observe_given
from ....engine.python.facts.analyse import analyse_module, subjects
from ....engine.python.inputs.seeds import example_trial, printed_value
from ....engine.python.model.model import RAISES, CallableFacts, Example, Exploration, ModuleFacts, Trial
from ....engine.python.model.spec_case import Case
from ....engine.python.project.layout import Layout, find_layout
from ....engine.python.source.documents import documents_of
from ....engine.python.usage.project_index import ProjectIndex
from ....engine.python.usage.slicing import Subjects
from ....engine.python.write.assign_tables import assign_tables
from ....engine.python.write.compose import compose_spec
from ....engine.python.write.naming import name_tests
from ....sandbox.target import ProvideTarget
from ....utils.names.counted import counted
from ....utils.python_names import unique_name
from ....utils.python_source import literal_or, parse_or_none
from ...contract.protocol import JsonObject
from ..case_identity import act_of, normal_code
from .example_names import is_cut, origin_of
from .spec_merge import merged

_MOST = 40


@dataclass(frozen=True, slots=True)
class EvidenceExamples:
    """Adds examples to specs of unit tests.

    Attributes:
        python_target: prepares the project.
        root: the project's root.
    """

    python_target: ProvideTarget
    root: Path

    async def added(
        self, spec: Mapping[str, Any], examples: Sequence[Mapping[str, Any]]
    ) -> tuple[JsonObject, list[str], dict[str, str]]:
        """Return the spec with the examples, notes about what came of them, and the new ids of cases by former ones.

        Args:
            examples: calls with `about`, `act`, `arrange`, `want` or `raises`, `path`, `line` and `kind`.

        Raises:
            TestwrightError: the module cannot be read or imported.
        """
        path = str(spec["target"]["path"])
        layout = await asyncio.to_thread(find_layout, self.root)
        facts = await asyncio.to_thread(analyse_module, self.root, path, layout)
        trials = await asyncio.to_thread(example_trials_of, self.root, layout, facts, examples)
        if not trials:
            return dict(spec), [], {}
        found = await observe_given(await self.python_target(), facts, trials)
        findings = tuple(one for one in found if one is not None and (one.agrees or one.contradicts))
        if not findings:
            return dict(spec), [], {}
        framework = str(spec.get("framework") or "pytest")
        shown = await asyncio.to_thread(
            compose_spec, Exploration(facts, findings=findings), framework=framework, import_roots=layout.import_roots
        )
        tests = frozenset(str(row["path"]) for row in examples if row["kind"] == "test")
        made, notes = await asyncio.to_thread(_merged, spec, shown, tests)
        made["cases"], renamed = await asyncio.to_thread(_named_anew, made["cases"], facts, self.root)
        agreeing = sum(bool(one.agrees) for one in findings)
        return made, [*notes, *_notes(agreeing, findings)], renamed


def _notes(agreeing: int, findings: Sequence[object]) -> list[str]:
    contradicted = len(findings) - agreeing
    examples, verb = counted(len(findings), "example"), "contradicts" if contradicted == 1 else "contradict"
    return [f"{contradicted} of {examples} outside of the module {verb} it"] if contradicted else []


def example_trials_of(
    root: Path, layout: Layout, facts: ModuleFacts, examples: Sequence[Mapping[str, Any]]
) -> list[Trial]:
    """Turn examples into trials, at most 40, without those that cannot stand alone. Blocks.

    An example of a name that other modules define as well and that nothing imports from this one is left out. One of a
    test, or one whose set-up cannot be kept, may mean something else: a result that differs contradicts nothing.
    """
    index = ProjectIndex(root, layout, (facts,))
    finder = Subjects(facts, subjects(facts))
    known: dict[str, CallableFacts] = {one.name: one for one in facts.functions}
    shared = _defined_elsewhere(index, facts, known)
    trials: dict[tuple[str, ...], Trial] = {}
    for row in examples:
        about = str(row["about"])
        want = f"{RAISES}{row['raises']}" if row.get("raises") else str(row.get("want") or "")
        arrange = tuple(str(text) for text in row.get("arrange") or ())
        said = origin_of(about, str(row["act"]), arrange, facts)
        # A name that another module has too, and that is not imported from here, may mean the other.
        if not want or said == "other" or (said == "unknown" and about in shared):
            continue
        example = Example(arrange, str(row["act"]), want, int(row["line"]))
        # Without a callable to fall back on: the act itself has to call one of the module.
        trial = example_trial(example, None, facts, index, finder)
        if trial is None or (trial.subject.rpartition(".")[2] not in (about, "__init__") and trial.subject != about):
            continue
        certain = row["kind"] == "document" and not is_cut(arrange, trial)
        printed = printed_value(trial)
        if printed is not None:
            # What stands in a comment behind `print` may be other words than what it shows.
            certain, trial = certain and literal_or(want, None) is not None, printed
        trial = replace(trial, source="doctest" if certain else "prose", wanted_path=str(row["path"]))
        trials.setdefault((trial.act, *trial.arrange, trial.wanted or ""), trial)
    return list(trials.values())[:_MOST]


def _defined_elsewhere(index: ProjectIndex, facts: ModuleFacts, names: Mapping[str, object]) -> frozenset[str]:
    """Those of the names that another module of the project defines as well."""
    others = [index.facts_of(name) for name in index.modules() if name != facts.module]
    defined = {one.name for other in others if other is not None for one in other.callables()}
    return frozenset(names) & (defined | frozenset(dir(builtins)))


def _merged(spec: Mapping[str, Any], shown: Mapping[str, Any], tests: frozenset[str]) -> tuple[JsonObject, list[str]]:
    """The spec with the shown cases and defects, without cases that keep what a document contradicts.

    What a test of the project shows lends its place to a case of the same call, and is no further case.
    """
    contradicted = {_reproduced(str(one["reproduce"])) for one in shown["suspected_defects"]}
    base = dict(spec)
    base["cases"] = [
        case
        for case in spec["cases"]
        if not _is_call(case)
        or (act_of(case)[0::2][:2] not in contradicted and not any(_depends(case, one) for one in contradicted))
    ]
    present = {act_of(case) for case in base["cases"]}
    new = [case for case in shown["cases"] if act_of(case) in present or not _is_of_tests(case, tests)]
    made, notes = merged(base, new, [str(line) for line in shown["imports"]])
    taken = {str(one["id"]) for one in spec.get("suspected_defects") or ()}
    defects = [dict(one) for one in spec.get("suspected_defects") or ()]
    said = {(one["subject"], one["documented"]) for one in defects}
    for one in shown["suspected_defects"]:
        if (one["subject"], one["documented"]) not in said:
            defects.append({**one, "id": unique_name(str(one["id"]), taken)})
            taken.add(str(defects[-1]["id"]))
    covered = {str(case["subject"]) for case in made["cases"]} | {str(one["subject"]) for one in defects}
    unreached = [row for row in made.get("not_reached") or () if row["subject"] not in covered]
    return {**made, "suspected_defects": defects, "not_reached": unreached}, notes


def _reproduced(text: str) -> tuple[tuple[str, ...], str]:
    """The arrangement and the act of the code that shows a defect."""
    tree = parse_or_none(text)
    lines = (
        [ast.unparse(node) for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)] if tree else []
    )
    return (tuple(lines[:-1]), lines[-1]) if lines else ((), normal_code(text))


def _is_call(case: Mapping[str, Any]) -> bool:
    return act_of(case)[1] == () and act_of(case)[3] == "call"


def _named_anew(
    cases: Sequence[Mapping[str, Any]], facts: ModuleFacts, root: Path
) -> tuple[list[JsonObject], dict[str, str]]:
    """The cases in the tables that they now form, with these tables' names; the new ids by the former ones. Blocks."""
    placed = assign_tables([replace(Case.from_json(case), group=None) for case in cases], facts)
    documents = documents_of(root, (one.path for case in placed for one in case.documented))
    named = name_tests(placed, facts, documents=documents)
    return [named[case.id].to_json() for case in placed], {former: case.id for former, case in named.items()}


def _depends(case: Mapping[str, Any], contradicted: tuple[tuple[str, ...], str]) -> bool:
    """Whether a case only pins what the code returns for another call like the one that a document contradicts."""
    if any(row["kind"] == "raises" or row.get("origin") == "documented" for row in case["expect"]):
        return False
    arrange, act = act_of(case)[0::2][:2]
    return not arrange and not contradicted[0] and _form(act) == _form(contradicted[1]) is not None


def _form(act: str) -> tuple[str, int, tuple[str, ...]] | None:
    """What is called, with how many arguments and which options; None for other expressions."""
    tree = parse_or_none(act)
    node = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return None
    return ast.unparse(call.func), len(call.args), tuple(sorted(one.arg or "**" for one in call.keywords))


def _is_of_tests(case: Mapping[str, Any], tests: frozenset[str]) -> bool:
    return any((row.get("evidence") or {}).get("path") in tests for row in case["expect"])
