"""Gives variables of tests names of their own: none hides a builtin, or what the test file imports for another test."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

from ....utils.python_names import assigned_names, assignment_in, last_name, names_of, unique_name, with_renamed
from ....utils.python_source import parse_or_none
from ..inputs.calls import variable_for
from ..model.spec_case import Case

# Those that every supported Python has: `site` adds some for interactive use, and new versions add classes.
_INTERACTIVE = frozenset("copyright credits exit help license quit".split())
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower() and not name.startswith("_")) - _INTERACTIVE
_VOWELS = frozenset("aeio")  # words in u mostly begin with another sound: a url, a user


def with_own_names(case: Case, imported: Collection[str]) -> Case:
    """The case with other names for variables that have the name of an import or a builtin: `new_all = All()`.

    Args:
        imported: the names that the test file imports.
    """
    assigned = assigned_names(case.statements)
    hiding = assigned.intersection(imported)
    if builtin := assigned & _BUILTINS:
        hiding |= builtin - _expected_as_values(case)
    if not hiding:
        return case
    wanted = {name: f"{_word_before(name, case)}_{name.strip('_')}" for name in sorted(hiding)}
    return _renamed(case, wanted, {*imported, *_BUILTINS})


def with_names_of_classes(case: Case, bases: Mapping[str, Collection[str]]) -> Case:
    """The case with objects named for their own class, not for one that it derives from.

    Args:
        bases: the names of the classes that each class of the module derives from.
    """
    bound = [found for text in case.statements if (found := assignment_in(text)) is not None]
    made_of = [(name, last_name(value.func) if isinstance(value, ast.Call) else "") for name, value in bound]
    times = Counter(name for name, _ in made_of)
    # A variable that is bound again holds objects of several classes.
    wrong = {
        name: variable_for(made)
        for name, made in made_of
        if times[name] == 1
        and name != variable_for(made)
        and name in {variable_for(base) for base in bases.get(made, ())}
    }
    return _renamed(case, wrong, ()) if wrong else case


def _renamed(case: Case, wanted: Mapping[str, str], taken: Collection[str]) -> Case:
    """The case with other names for variables, each with a number where the case or `taken` has its name."""
    texts = [*case.statements, case.expression, *(one.actual for one in case.expect)]
    trees = [parse_or_none(text.strip()) for text in texts]
    used = {name for tree in trees if tree is not None for name in names_of(tree)} | set(taken)
    renamed: dict[str, str] = {}
    for name, right in wanted.items():
        renamed[name] = unique_name(right, used)
        used.add(renamed[name])
    return replace(
        case,
        statements=tuple(with_renamed(text, renamed) for text in case.statements),
        expression=with_renamed(case.expression, renamed),
        expect=tuple(replace(one, actual=with_renamed(one.actual, renamed)) for one in case.expect),
    )


def _word_before(name: str, case: Case) -> str:
    """`new` for an object that is made of a class, else the article."""
    for text in case.statements:
        bound = assignment_in(text)
        made = bound[1] if bound is not None and bound[0] == name else None
        if isinstance(made, ast.Call) and last_name(made.func)[:1].isupper():
            return "new"
    return "an" if name[:1] in _VOWELS else "a"


def _expected_as_values(case: Case) -> set[str]:
    """Names that stand for a value in what is expected, not for what is called there."""
    trees = [tree for one in case.expect if one.value and (tree := parse_or_none(one.value)) is not None]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called}
