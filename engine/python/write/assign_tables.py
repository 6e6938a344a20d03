"""Assigns cases to tables and orders their rows."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ....utils.names.case_names import snake_case
from ....utils.python_names import assignment_in, last_name, names_of, unique_name
from ....utils.python_source import expression_or_none, literal_or, parse_expression
from ..judge.case_tables import Group, cases_by_shape, shape_key, tabulate
from ..model.model import CallableFacts, ModuleFacts
from ..model.spec_case import Case, SpecExpectation
from ..source.shown_calls import by_position, spelled_as
from ..source.titles import positional_names, subject_slug

_LONGEST_GROUP = 150


def assign_tables(cases: Sequence[Case], facts: ModuleFacts) -> list[Case]:
    """Sets `group` of cases that share a shape; keeps the order of subjects, rows together, documented rows first."""
    callables = {callable_.qualname: callable_ for callable_ in facts.callables()}
    by_name: dict[str, list[str]] = {}
    for callable_ in callables.values():
        by_name.setdefault(_key(callable_), positional_names(callable_))
    used: set[str] = set()
    order = {case.subject: at for at, case in reversed(list(enumerate(cases)))}
    placed: list[Case] = []
    parts = cases_by_shape(cases)
    for bucket in parts:
        # Rows without a document come last.
        members = sorted(bucket, key=lambda case: case.documented[0].lines[0] if case.documented else 10**9)
        subject = callables.get(members[0].subject)
        own_parameters = (
            positional_names(subject) if subject is not None and _calls_own_object(members[0], subject) else []
        )
        # Another class may have a method of the same name.
        known = by_name if subject is None else by_name | {_key(subject): positional_names(subject)}
        table = tabulate(members, (), partial(_parameter_name, known, own_parameters))
        if table is None:
            placed += bucket
            continue
        name = unique_name(subject_slug(members[0].subject) or "it", used)
        used.add(name)
        text = Group(name, tuple(snake_case(column) for column in table.columns)).text
        text = text if len(text) <= _LONGEST_GROUP else name
        placed += [replace(case, group=text) for case in members]
    return sorted(placed, key=lambda case: order[case.subject])


def _key(one: CallableFacts) -> str:
    """A callable's name; a leading dot tells methods from functions of the same name."""
    return one.name if one.kind in ("function", "constructor") else f".{one.name}"


def alike_in_precision(cases: Sequence[Case]) -> list[Case]:
    """Compares a float approximately where another case of the same form does: `0.75` beside `0.6666666666666666`."""
    return _alike(cases, lambda one: one.kind == "approx", _approximate)


def alike_in_messages(cases: Sequence[Case]) -> list[Case]:
    """Asks for a part of a message where another case of the same form does, so that both are rows of one table."""
    return _alike(cases, _asks_for_part, _in_part)


def alike_in_spelling(cases: Sequence[Case], facts: ModuleFacts) -> list[Case]:
    """Passes by name or by position as another case of the same call does, so that both are rows of one table.

    Documented cases stay as they are written.
    """
    callables = {callable_.qualname: callable_ for callable_ in facts.callables()}
    models: dict[tuple[str, str | None], Case] = {}
    keyed: list[tuple[Case, tuple[str, str | None]]] = []
    for case in cases:
        subject = callables.get(case.subject)
        act = by_position(case.expression, subject) if subject is not None else None
        key = (case.subject, shape_key(replace(case, expression=act)) if act is not None else case.id)
        keyed.append((case, key))
        known = models.get(key)
        if known is None or (case.documented and not known.documented):
            models[key] = case
    there = Counter(map(_code_of, cases))
    found: list[Case] = []
    for case, key in keyed:
        plain = case.documented or models[key] is case
        other = case if plain else _spelled_as(case, models[key], callables[case.subject])
        # Two rows that are alike are no table.
        found.append(case if other is case or there[_code_of(other)] else other)
        there[_code_of(found[-1])] += 1
    return found


def alike_in_steps(cases: Sequence[Case]) -> list[Case]:
    """Acts at once, as another case does, where the last statement only names what the act then shows: `list(found)`
    after `found = search(text)`. Both are rows of one table."""
    forms = {(case.subject, shape_key(case)) for case in cases}
    found: list[Case] = []
    for case in cases:
        short = _at_once(case)
        same = short is not None and (case.subject, shape_key(short)) in forms
        found.append(short if short is not None and same else case)
    return found


def _at_once(case: Case) -> Case | None:
    """The case with what its last statement binds in the place of the variable, which only the act reads, and once."""
    bound = assignment_in(case.statements[-1]) if case.statements else None
    act = parse_expression(case.expression)
    if bound is None or not isinstance(bound[1], ast.Call) or not isinstance(act, ast.Call) or len(act.args) != 1:
        return None
    read = [node for node in ast.walk(act) if isinstance(node, ast.Name) and node.id == bound[0]]
    told = [text for one in case.expect for text in (one.actual, one.value or "None")]
    if read != act.args or any(bound[0] in names_of(parse_expression(one)) for one in told):
        return None
    act.args = [bound[1]]
    return replace(case, statements=case.statements[:-1], expression=ast.unparse(act))


def _code_of(case: Case) -> tuple[object, ...]:
    return case.subject, case.mode, case.statements, case.expression


def _spelled_as(case: Case, model: Case, subject: CallableFacts) -> Case:
    act = spelled_as(case.expression, model.expression, subject)
    other = replace(case, expression=act) if act is not None else case
    return other if shape_key(other) == shape_key(model) else case


def _alike(
    cases: Sequence[Case],
    is_loose: Callable[[SpecExpectation], bool],
    loosened: Callable[[SpecExpectation], SpecExpectation],
) -> list[Case]:
    """The cases, with the expectations loosened of those that then have the form of one that expects so itself."""
    forms = {(case.subject, shape_key(case)) for case in cases if any(map(is_loose, case.expect))}
    found: list[Case] = []
    for case in cases:
        loose = replace(case, expect=tuple(map(loosened, case.expect))) if forms else case
        same = loose.expect != case.expect and (case.subject, shape_key(loose)) in forms
        found.append(loose if same else case)
    return found


def _asks_for_part(one: SpecExpectation) -> bool:
    return one.kind == "raises" and one.match is not None and not one.whole


def _in_part(one: SpecExpectation) -> SpecExpectation:
    return replace(one, actual="result") if one.whole else one


def _approximate(one: SpecExpectation) -> SpecExpectation:
    if one.kind != "equals" or one.origin == "documented":
        return one
    is_float = isinstance(literal_or(parse_expression(one.value or "None"), None), float)
    return replace(one, kind="approx") if is_float else one


def _calls_own_object(case: Case, subject: CallableFacts) -> bool:
    """Whether the act calls an object of the subject's class, not what was made with one: `Schema(Lower())("HI")`."""
    built = (expression_or_none(text.partition(" = ")[2]) for text in case.statements)
    made = {last_name(node.func) for node in built if isinstance(node, ast.Call)}
    return subject.name == "__call__" and (not made or subject.owner in made)


def _parameter_name(by_name: Mapping[str, list[str]], own_parameters: list[str], call: ast.Call, at: int) -> str | None:
    """Returns the parameter that receives an argument; `own_parameters`: parameters of `__call__` of the arranged
    object."""
    if isinstance(call.func, ast.Attribute):
        known = by_name.get(f".{call.func.attr}", by_name.get(call.func.attr, []))
    else:
        known = by_name.get(getattr(call.func, "id", ""), own_parameters)
    return known[at].strip("_") or None if at < len(known) else None
