"""Gives variables of tests names of their own: none hides what the test file imports for another test."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import replace

from ....utils.python_names import assigned_names, assigned_variable, last_name, names_of, unique_name, with_renamed
from ....utils.python_source import parse_or_none, parse_python
from ..inputs.calls import variable_for
from ..model.spec_case import Case


def with_own_names(case: Case, imported: Collection[str]) -> Case:
    """The case with other names for variables that have the name of an import: `new_jaro = Jaro()` beside `jaro`.

    Args:
        imported: the names that the test file imports.
    """
    hiding = assigned_names(case.statements) & set(imported)
    if not hiding:
        return case
    used = _names_used(case) | set(imported)
    renamed: dict[str, str] = {}
    for name in sorted(hiding):
        renamed[name] = unique_name(f"{_word_before(name, case)}_{name.strip('_')}", used)
        used.add(renamed[name])
    return _renamed(case, renamed)


def with_names_of_classes(case: Case, bases: Mapping[str, Collection[str]]) -> Case:
    """The case with objects named for their own class, not for one that it derives from.

    Args:
        bases: the names of the classes that each class of the module derives from.
    """
    renamed: dict[str, str] = {}
    used = _names_used(case)
    for text in case.statements:
        tree = parse_or_none(text)
        bound = assigned_variable(tree.body[0]) if tree is not None and len(tree.body) == 1 else None
        made = last_name(bound[1].func) if bound is not None and isinstance(bound[1], ast.Call) else ""
        if bound is not None and bound[0] in {variable_for(base) for base in bases.get(made, ())}:
            renamed[bound[0]] = unique_name(variable_for(made), used)
            used.add(renamed[bound[0]])
    return _renamed(case, renamed) if renamed else case


def _names_used(case: Case) -> set[str]:
    texts = [*case.statements, case.expression, *(one.actual for one in case.expect)]
    return {name for text in texts for name in names_of(parse_python(text.strip()))}


def _renamed(case: Case, renamed: Mapping[str, str]) -> Case:
    return replace(
        case,
        statements=tuple(with_renamed(text, renamed) for text in case.statements),
        expression=with_renamed(case.expression, renamed),
        expect=tuple(replace(one, actual=with_renamed(one.actual, renamed)) for one in case.expect),
    )


def _word_before(name: str, case: Case) -> str:
    """`new` for an object that is made of a class, else the article."""
    for text in case.statements:
        tree = parse_or_none(text)
        bound = assigned_variable(tree.body[0]) if tree is not None and len(tree.body) == 1 else None
        if bound is not None and bound[0] == name and isinstance(bound[1], ast.Call):
            return "new" if last_name(bound[1].func)[:1].isupper() else "a"
    return "a"
