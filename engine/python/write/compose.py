"""Composes a unit test spec, valid against the unit test schema, from an exploration."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ....utils.python_source import parse_expression, parse_python
from ..facts.analyse import subjects
from ..facts.names import ImportNames, imported_from_origin
from ..inputs.calls import variable_for
from ..judge.assertable_finding import AssertableFinding
from ..judge.case_tables import MOST_ROWS, shape_key
from ..judge.defects import suspected_defects
from ..judge.finding_selection import assertable_findings, showing_more
from ..judge.oracle import OracleVerdict
from ..judge.suite_size import BuiltCases, fit_to_limits, limits_for
from ..model.model import Exploration, ModuleFacts
from ..model.spec_case import CAPTURE, FORGET_PRINTED, PRINTED_ERRORS, WEAK_KINDS, Case
from ..model.spec_domain import spec_domains
from ..source.documents import Documents
from ..source.import_block import read_imports
from .acting_member import names_a_look, names_an_edge
from .assign_tables import alike_in_messages, alike_in_precision, alike_in_spelling, alike_in_steps, assign_tables
from .case_namer import describe_case
from .local_names import with_names_of_classes, with_own_names
from .naming import name_tests
from .render import render_cases

SCHEMA_VERSION = "1.0.0"
NAMED_BY = 5
_PATCHED = "its surroundings have to be changed (environment, working folder), which only tests for pytest do"
_PYTEST_ONLY = frozenset({"monkeypatch", "request"})
_NAMELESS_ROW = re.compile(r"(.+)_row(?:_\d+)?")
_NUMBERED = re.compile(r"(\w+)_\d+")
_RANKED = re.compile(r"_for_(larger|smaller)_[a-z_]+$")
_MOST_NOT_REACHED = 2000
_LEFT_OUT = "its tests were left out to keep the file short; ask for it by its name to get them"


def compose_spec(
    exploration: Exploration,
    *,
    framework: str,
    request: str = "",
    import_roots: Sequence[str] = (),
    notices: dict[str, list[int]] | None = None,
    documents: Documents = MappingProxyType({}),
) -> dict[str, Any]:
    """Returns the unit spec of one module. `cases` may be empty; `not_reached` then gives the reasons.

    Args:
        framework: pytest or unittest.
        request: the user's request; it does not influence the cases.
        import_roots: the layout's import roots; the first one is used if the facts name none.
        notices: receives the numbers of the mutants that cases detect, by case id; only the first few cases are listed
            for each mutant.
        documents: the module's file, and others that document it: tests are named by what they say.
    """
    facts = exploration.facts
    judged, without = assertable_findings(exploration)
    if framework == "unittest":
        judged = _without_patches(judged, without)
    names: ImportNames = ImportNames(())
    noticed: dict[str, frozenset[int]] = {}

    def build(judged: Sequence[AssertableFinding]) -> BuiltCases:
        nonlocal names
        expected = [text for one in judged for text in (*one.finding.trial.imports, *one.verdict.imports)]
        names = ImportNames(expected)
        built = _named(_cases(judged, facts, names), facts, documents)
        noticed.clear()
        noticed.update((name, one.finding.kills) for name, one in zip(built.ids, judged, strict=True))
        return built

    def written(cases: Sequence[Case]) -> str:
        return render_cases(cases, framework, imports=names.statements(), module=facts.module)

    judged = _without_indistinct(judged, build(judged), facts)
    cases = fit_to_limits(judged, build, written, limits_for(exploration.source_lines, len(subjects(facts)))).cases
    if notices is not None:
        notices.update(_first_to_notice([case.id for case in cases], noticed))
    defects = suspected_defects(exploration)
    covered = {case.subject for case in cases} | {str(defect["subject"]) for defect in defects}
    spec: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "test_type": "unit",
        "title": f"Unit tests for {facts.module}",
        "language": "python",
        "framework": framework,
        "target": _target(facts, import_roots),
        "imports": names.statements(),
        "cases": [case.to_json() for case in cases],
        "suspected_defects": defects,
        "not_reached": _not_reached(exploration, without, covered),
    }
    domains = spec_domains(facts)
    if domains:
        spec["domains"] = domains
    return spec


def _without_indistinct(
    judged: Sequence[AssertableFinding], built: BuiltCases, facts: ModuleFacts
) -> list[AssertableFinding]:
    """Drops findings whose tests or rows only a number, or the look of a value, tells from others, for want of words.

    Edges, rules, documented ones that words or what they show tell apart, and the only one of a member stay. So do
    rows, calls with a larger or smaller number or with a value that looks otherwise (negative, with a comma), and those
    on an object that came about otherwise, that run a way through the code that no other one does: what only notices
    more is not worth a row that a reader cannot tell from its sibling. Two tests that no words tell apart are one, as
    are two that pass a value by its place and by its name.
    """
    cases = built.of_findings()
    rows = {(case.subject, case.id) for case in cases}

    def is_row(case: Case) -> bool:
        row = _NUMBERED.fullmatch(case.id)
        return row is not None and (case.subject, row[1]) in rows

    free = [(one, case) for one, case in zip(judged, cases, strict=True) if not (one.documented or one.finding.is_edge)]
    set_up = set_up_words(facts, cases)
    told = built.told
    looks = {id(one) for one, case in free if names_a_look(told[case.id], set_up.get(case.subject, frozenset()))}
    vague = {id(one) for one, case in free if case.id in built.vague or told[case.id].endswith("_by_name")}
    nameless = {id(one) for one, case in free if id(one) in vague and not _RANKED.search(told[case.id])}
    documented = _vague_examples(judged, cases, built.vague)
    untold = {id(one) for one, case in free if is_row(case)} | looks | vague
    named = [one for one in judged if id(one) not in untold | documented]
    edges = {id(one) for one, case in free if names_an_edge(told[case.id])}
    others = showing_more([one for one in judged if id(one) in untold - nameless - edges], named, by_kills=False)
    others += showing_more([one for one in judged if id(one) in edges - nameless], [*named, *others])
    # What is asked of an object without any argument is asked of a new one as well: the other answer is no constant.
    asked = {id(one) for one, case in free if id(one) in edges - nameless and _asks_for_nothing(case)}
    others += [one for one in judged if id(one) in asked - {id(other) for other in others}]
    others += showing_more([one for one in judged if id(one) in documented], [*named, *others])
    kept = {id(one) for one in (*named, *others)} - _further_nameless_rows(judged, cases)
    shown = {one.finding.trial.subject for one in judged if id(one) in kept}
    only = {one.finding.trial.subject: id(one) for one in reversed(judged) if one.finding.trial.subject not in shown}
    kept.update(only.values())
    return [one for one in judged if id(one) in kept]


def _further_nameless_rows(judged: Sequence[AssertableFinding], cases: Sequence[Case]) -> set[int]:
    """The identities of all but the first of the rows that no words tell apart, documented ones among them."""
    found: dict[tuple[str, str], list[int]] = {}
    for one, case in zip(judged, cases, strict=True):
        nameless = _NAMELESS_ROW.fullmatch(case.id)
        if nameless is not None and case.group:
            found.setdefault((case.subject, nameless[1]), []).append(id(one))
    return {one for rows in found.values() for one in rows[1:]}


def _asks_for_nothing(case: Case) -> bool:
    """Whether an act passes nothing to what it calls: `cart.total()`, `len(cart)`, `cart.size`."""
    act = parse_expression(case.expression)
    calls = [node for node in ast.walk(act) if isinstance(node, ast.Call)]
    given = [part for call in calls for part in (*call.args, *call.keywords)]
    return all(isinstance(part, ast.Name) for part in given)


def _vague_examples(judged: Sequence[AssertableFinding], cases: Sequence[Case], vague: Collection[str]) -> set[int]:
    """The identities of documented findings that nobody can tell from their siblings.

    Edges are none of them, nor are rows of one shape that are more than a table holds: their second table has no words
    of its own, though it goes on where the first one ends.
    """
    examples = [
        (one, case)
        for one, case in zip(judged, cases, strict=True)
        if one.documented and not one.finding.is_edge and case.id in vague
    ]
    rows = Counter((case.subject, shape_key(case)) for case in cases) if examples else Counter()
    return {id(one) for one, case in examples if rows[case.subject, shape_key(case)] <= MOST_ROWS}


def set_up_words(facts: ModuleFacts, cases: Sequence[Case]) -> dict[str, frozenset[str]]:
    """The parameters of constructors that members have not, too, by qualified name of the member, and the keywords that
    their objects are made with where any are taken: `Table(title="beta")`."""
    written: dict[str, set[str]] = {}
    for case in cases:
        trees = (parse_python(text.strip()) for text in case.statements)
        keywords = (node.arg for tree in trees for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg)
        written.setdefault(case.subject, set()).update(keywords)
    return {
        member.qualname: frozenset(one.name for one in owner.constructor.parameters).union(
            written.get(member.qualname, ())
        )
        - {one.name for one in member.parameters}
        for owner in facts.classes
        if owner.constructor is not None
        for member in owner.members
    }


def _target(facts: ModuleFacts, import_roots: Sequence[str]) -> dict[str, Any]:
    return {
        "path": facts.path,
        "module": facts.module,
        "import_root": facts.import_root or next(iter(import_roots), "."),
        "digest": facts.digest,
    }


def _without_patches(judged: list[AssertableFinding], without: dict[str, str]) -> list[AssertableFinding]:
    """Returns the findings that unittest can express; adds reasons for callables that have no other."""
    kept = [
        one
        for one in judged
        if not _PYTEST_ONLY & set(one.finding.trial.fixtures) and "import pytest" not in one.finding.trial.imports
    ]
    for one in judged:
        if one not in kept:
            without.setdefault(one.finding.trial.subject, _PATCHED)
    return kept


def _first_to_notice(ids: Sequence[str], noticed: Mapping[str, frozenset[int]]) -> dict[str, list[int]]:
    counted: Counter[int] = Counter()
    found: dict[str, list[int]] = {}
    for case_id in ids:
        mine = sorted(one for one in noticed.get(case_id, ()) if counted[one] < NAMED_BY)
        counted.update(mine)
        if mine:
            found[case_id] = mine
    return found


def _cases(judged: Sequence[AssertableFinding], facts: ModuleFacts, names: ImportNames) -> list[Case]:
    """Returns the cases of findings, in their order."""
    cases = [_case(f"tc_{number}", one, facts, names) for number, one in enumerate(judged)]
    imported = {one.bound for one in read_imports(names.statements())}
    bases = {owner.name: owner.bases for owner in facts.classes}
    called = [with_own_names(with_names_of_classes(case, bases), imported) for case in cases]
    alike = alike_in_steps(alike_in_spelling(alike_in_messages(alike_in_precision(called)), facts))
    return [_described(case) for case in alike]


def _named(cases: Sequence[Case], facts: ModuleFacts, documents: Documents) -> BuiltCases:
    """Puts cases into tables and gives them their names."""
    placed = assign_tables(cases, facts)
    vague = set[str]()
    told = dict[str, str]()
    named = name_tests(placed, facts, vague, documents, told)
    ids = tuple(named[one.id].id for one in cases)
    by_id = {named[one].id: words for one, words in told.items()}
    return BuiltCases(ids, tuple(named[one.id] for one in placed), frozenset(named[one].id for one in vague), by_id)


def _case(identifier: str, judged: AssertableFinding, facts: ModuleFacts, names: ImportNames) -> Case:
    """Returns the case of a finding; `name_tests` replaces its identifier once all cases are known."""
    trial, verdict = judged.finding.trial, judged.verdict
    imports = imported_from_origin(trial.imports, facts)
    source = names.adopt(trial.arrange, trial.act, imports, verdict.expectations, verdict.imports)
    statements, fixtures = source.statements, trial.fixtures
    if judged.finding.observation.printed_before and any(
        one.kind == "output" or one.actual == PRINTED_ERRORS for one in source.expect
    ):
        statements, fixtures = (*statements, FORGET_PRINTED), (*fixtures, CAPTURE)
    return Case(
        id=identifier,
        title="",
        subject=trial.subject,
        priority=_priority(verdict),
        fixtures=fixtures,
        statements=statements,
        expression=source.expression,
        mode=trial.mode,
        expect=source.expect,
    )


def _described(case: Case) -> Case:
    """The case with its title, preconditions, steps and expectation in words."""
    described = describe_case(case.expression, case.mode, case.expect)
    return replace(
        case,
        title=described.title,
        preconditions=tuple(" ".join(statement.split())[:900] for statement in case.statements[:50]),
        steps=(described.step,),
        expected=described.expected,
    )


def _priority(verdict: OracleVerdict) -> str:
    if any(expectation.origin == "documented" for expectation in verdict.expectations):
        return "high"
    if all(expectation.kind in WEAK_KINDS for expectation in verdict.expectations):
        return "low"
    return "medium"


def _not_reached(exploration: Exploration, without: dict[str, str], covered: set[str]) -> list[dict[str, Any]]:
    lines = {callable_.qualname: callable_.lines[0] for callable_ in exploration.facts.callables()}
    found: dict[str, dict[str, Any]] = {}
    covered = covered | _arranged(exploration, covered)
    for one in exploration.unreached:
        if one.qualname not in covered:
            line = one.line or lines.get(one.qualname, 0)
            found[one.qualname] = _unreached(one.qualname, one.reason, line, one.question)
    for subject, reason in without.items():
        if subject not in covered:
            found[subject] = _unreached(subject, reason, lines.get(subject, 0))
    for subject in dict.fromkeys(one.trial.subject for one in exploration.findings):
        if subject not in covered and subject not in found:
            found[subject] = _unreached(subject, _LEFT_OUT, lines.get(subject, 0))
    listed = sorted(found.values(), key=lambda one: (one.get("line", 0), one["subject"]))
    if len(listed) > _MOST_NOT_REACHED:  # the schema takes no more, and refuses the whole spec
        more = len(listed) - _MOST_NOT_REACHED
        listed = listed[:_MOST_NOT_REACHED]
        listed[-1]["reason"] += f"; {more} further functions have no test either"
    return listed


def _arranged(exploration: Exploration, covered: set[str]) -> set[str]:
    """Methods whose effect the tests of other members show: `keep` is called before `orders` is asked."""
    tested = [one.trial for one in exploration.findings if one.trial.subject in covered]
    return {
        f"{owner.name}.{member.name}"
        for owner in exploration.facts.classes
        if owner.kind not in ("abstract", "protocol")
        for member in owner.members
        for trial in tested
        if trial.subject.startswith(f"{owner.name}.")
        and any(text.startswith(f"{variable_for(owner.name)}.{member.name}(") for text in trial.arrange)
    }


def _unreached(subject: str, reason: str, line: int, question: str = "") -> dict[str, Any]:
    entry: dict[str, Any] = {"subject": subject, "reason": reason or "no input was found that calls it"}
    if line > 0:
        entry["line"] = line
    if question:
        entry["question"] = question
    return entry
