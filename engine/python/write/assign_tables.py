"""Assigns cases to tables, orders their rows, and names the tables and the cases in them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from ....utils.python_names import unused_name
from ....utils.python_source import parse_python
from ..judge.case_tables import Group, ParameterTable, cases_by_shape, common_outcome, read_group, shape_key, tabulate
from ..model.model import CallableFacts, ModuleFacts
from ..model.spec_case import Case
from ..source.titles import (
    CallArgument,
    arguments_of,
    cut_slug,
    named_argument_words,
    positional_names,
    snake_case,
    subject_slug,
)

_LONGEST_GROUP = 150


def assign_tables(cases: Sequence[Case], facts: ModuleFacts) -> list[Case]:
    """Sets `group` of cases that share a shape; keeps the order of subjects, rows together, documented rows first."""
    callables = {callable_.qualname: callable_ for callable_ in facts.callables()}
    by_name: dict[str, list[str]] = {}
    for callable_ in callables.values():
        # A leading dot tells methods from functions of the same name.
        key = callable_.name if callable_.kind in ("function", "constructor") else f".{callable_.name}"
        by_name.setdefault(key, positional_names(callable_))
    used: set[str] = set()
    order = {case.subject: at for at, case in reversed(list(enumerate(cases)))}
    placed: list[Case] = []
    parts = cases_by_shape(cases)
    shapes = Counter((part[0].subject, shape_key(part[0])) for part in parts)
    for bucket in parts:
        # Rows without a document come last.
        members = sorted(bucket, key=lambda case: case.documented[0].lines[0] if case.documented else 10**9)
        subject = callables.get(members[0].subject)
        own_parameters = positional_names(subject) if subject is not None and subject.name == "__call__" else []
        table = tabulate(members, (), partial(_parameter_name, by_name, own_parameters))
        if table is None:
            placed += bucket
            continue
        split = shapes[members[0].subject, shape_key(members[0])] > 1
        name = _table_name(table, callables.get(members[0].subject), used, common_outcome(members) if split else "")
        used.add(name)
        text = Group(name, tuple(snake_case(column) for column in table.columns)).text
        text = text if len(text) <= _LONGEST_GROUP else name
        placed += [replace(case, group=text) for case in members]
    return sorted(placed, key=lambda case: order[case.subject])


def _parameter_name(by_name: Mapping[str, list[str]], own_parameters: list[str], call: ast.Call, at: int) -> str | None:
    """Returns the parameter that receives an argument; `own_parameters`: parameters of `__call__` of the arranged
    object."""
    if isinstance(call.func, ast.Attribute):
        known = by_name.get(f".{call.func.attr}", by_name.get(call.func.attr, []))
    else:
        known = by_name.get(getattr(call.func, "id", ""), own_parameters)
    return known[at].strip("_") or None if at < len(known) else None


def _table_name(table: ParameterTable, facts: CallableFacts | None, used: set[str], ending: str) -> str:
    """Returns the first unused name: subject, exception, optional arguments, common outcome.

    Each `candidates +=` adds longer variants for the case that all shorter ones are taken.
    """
    first = table.cases[0]
    words = [subject_slug(first.subject) or "it"]
    if facts is not None and facts.kind == "constructor":
        words.append("construction")
    raised = next((one.exception for one in first.expect if one.kind == "raises"), None)
    if raised:
        words = words[:1]
        words.append(f"raises_{snake_case(raised.rpartition('.')[2])}")
        if any(one.kind == "raises" and one.match and not one.whole for one in first.expect):
            ending = "saying"  # rows that check part of the message, beside rows that check the type only
    plain = cut_slug("_".join(words))
    optional = _optional_words(table, facts)
    named = cut_slug(f"{plain}_{optional}") if optional else plain
    # Of a refusal the exception says most, of a result the optional arguments.
    candidates = [plain, named] if raised else [named, plain]
    if ending == "saying":
        candidates += [cut_slug(f"{candidate}_{ending}") for candidate in candidates]
    elif ending:
        candidates = [*(cut_slug(f"{candidate}_{ending}") for candidate in candidates), *candidates]
    construction = _construction_words(table)
    if construction:
        candidates += [cut_slug(f"{candidate}_{construction}") for candidate in candidates]
    if table.template.expect[0].kind == "approx":
        candidates += [cut_slug(f"{candidate}_approximately") for candidate in candidates]
    answer = _common_result(table)
    if answer:
        candidates += [cut_slug(f"{candidate}_is_{answer}") for candidate in candidates]
    candidates += [f"{candidates[0]}_{number}" for number in range(2, len(used) + 3)]
    return next(candidate for candidate in candidates if candidate not in used)


def _construction_words(table: ParameterTable) -> str:
    """Returns `with_limit` or `without_colour` by the keyword arguments of the last constructed object."""
    calls = [call for case in table.cases if (call := _last_construction(case)) is not None]
    if len(calls) != len(table.cases):
        return ""
    given = [CallArgument(keyword.arg, keyword.value, by_name=True) for keyword in calls[0].keywords if keyword.arg]
    sources = [{keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords} for call in calls]
    return _words([one for one in given if any(other.get(one.name) != one.source for other in sources)], given)


def _last_construction(case: Case) -> ast.Call | None:
    for statement in reversed(case.statements):
        node = parse_python(statement.strip()).body[-1]
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            return node.value
    return None


def _words(varying: Sequence[CallArgument], given: Sequence[CallArgument]) -> str:
    """Returns the names of varying arguments, then the values of the others."""
    names = [snake_case(one.name.removeprefix("with_") or one.name) for one in varying]
    words = named_argument_words([one for one in given if one not in varying])
    if not names:
        return words
    joint = "_and_".join(names)
    return f"with_{joint}_and_{words[5:]}" if words.startswith("with_") else f"with_{joint}_{words}".rstrip("_")


def _common_result(table: ParameterTable) -> str:
    """Returns `none`, `true` or `false` if every row has that result; else an empty string."""
    one = table.template.expect[0]
    if one.actual not in ("result", "not result"):
        return ""
    if one.kind == "holds":
        return "true" if one.actual == "result" else "false"
    return one.value.lower() if one.kind == "is" and one.value in ("None", "True", "False") else ""


def _optional_words(table: ParameterTable, facts: CallableFacts | None) -> str:
    """Returns `with_ndigits` if the argument varies, `with_empty_separator` or `without_months` if it is constant."""
    if facts is None:
        return ""
    rows = [arguments_of(case.expression, facts) for case in table.cases]
    required = {parameter.name for parameter in facts.parameters if parameter.required}
    varying: list[CallArgument] = []
    given: list[CallArgument] = []
    for at, argument in enumerate(rows[0]):
        if not argument.name or argument.name in required or len(given) > 1:
            continue
        given.append(argument)
        if len({row[at].source for row in rows if at < len(row)}) > 1:
            varying.append(argument)
    return _words(varying, given)


_LONGEST_ID = 110


def ids_by_table(cases: Sequence[Case]) -> dict[str, str]:
    """Returns new distinct ids by old ones: the table's name followed by the words that distinguish the row."""
    used = {case.id for case in cases}
    found: dict[str, str] = {}
    for case in cases:
        name = _after_table(case, read_group(case.group).name) if case.group else case.id
        found[case.id] = unused_name(name, used - {case.id})
        used.add(found[case.id])
    return found


def with_ids(cases: Sequence[Case], names: Mapping[str, str]) -> tuple[Case, ...]:
    """Returns the cases with new ids."""
    return tuple(replace(case, id=names[case.id]) for case in cases)


def _after_table(case: Case, table: str) -> str:
    """Returns `tc_sum_without_tax_of_5` for the row `tc_sum_of_5_without_tax` of the table `sum_without_tax`."""
    words, table_words = case.id.removeprefix("tc_").split("_"), table.split("_")
    common = 0
    while common < min(len(words), len(table_words)) and words[common] == table_words[common]:
        common += 1
    rest, more = words[common:], table_words[common:]
    if more and rest[-len(more) :] == more:
        rest = rest[: -len(more)]
    name = "_".join(("tc", *table_words, *rest))
    return name if rest and len(name) <= _LONGEST_ID else case.id
