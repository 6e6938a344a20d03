"""Passes default arguments explicitly: mutants in a sum of fields only show where no field is zero."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ....utils.python_names import last_name
from ....utils.python_source import parse_expression, parse_python
from ..model.model import CallableFacts, ModuleFacts, Parameter, Trial
from ..source.literals import ACT

_MOST = 6
_NUMBERS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "11")


def with_explicit_defaults(trial: Trial, facts: ModuleFacts) -> list[Trial]:
    """Returns variants of the trial: all plain parameters passed in all calls, then in one call, then one at a time."""
    known = {
        callable_.name: callable_
        for callable_ in facts.callables()
        if callable_.kind in ("function", "constructor", "classmethod")
    }
    known |= {callable_.qualname: callable_ for callable_ in facts.callables() if callable_.kind == "constructor"}
    found: list[Trial | None] = [_everywhere(trial, known)]
    for statement in (ACT, *range(len(trial.arrange))):
        text = trial.act if statement == ACT else trial.arrange[statement]
        try:
            tree = parse_expression(text) if statement == ACT else parse_python(text)
        except SyntaxError:
            continue
        for node, facts_of_it in _calls(tree, known):
            found += [_changed(trial, statement, tree) for _ in _given(node, facts_of_it)]
    return list(dict.fromkeys(one for one in found if one is not None))[:_MOST]


def _everywhere(trial: Trial, known: Mapping[str, CallableFacts]) -> Trial | None:
    """Passes all parameters in every call, with other values in each, so that two objects of a call differ."""
    changed, count = trial, 0
    for statement in (*range(len(trial.arrange)), ACT):
        text = trial.act if statement == ACT else trial.arrange[statement]
        try:
            tree = parse_expression(text) if statement == ACT else parse_python(text)
        except SyntaxError:
            return None
        more = 0
        for node, facts in _calls(tree, known):
            free = _free(node, facts, count + more)
            node.keywords += [ast.keyword(one.name, parse_expression(value)) for one, value in free]
            more += bool(free)
        count += more
        made = _changed(changed, statement, tree) if more else changed
        if made is None:
            return None
        changed = made
    return changed if count > 1 else None


def _calls(tree: ast.AST, known: Mapping[str, CallableFacts]) -> list[tuple[ast.Call, CallableFacts]]:
    """Returns the calls of the module's callables, in the order of the tree."""
    found: list[tuple[ast.Call, CallableFacts]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in known:
                found.append((node, known[name]))
    return found


def _given(call: ast.Call, facts: CallableFacts) -> Iterator[None]:
    """Changes the call in place once for each variant, and restores it at the end."""
    free = _free(call, facts, 0)
    before = list(call.keywords)
    ways = [free, *([one] for one in free)] if len(free) > 1 else [[one] for one in free]
    for way in ways:
        call.keywords = [*before, *(ast.keyword(one.name, parse_expression(value)) for one, value in way)]
        yield
    call.keywords = before


def _free(call: ast.Call, facts: CallableFacts, shift: int) -> list[tuple[Parameter, str]]:
    """Returns plain parameters that a call leaves to their defaults, each with a value that depends on `shift`."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(keyword.arg is None for keyword in call.keywords):
        return []
    places = [
        parameter for parameter in facts.parameters if parameter.kind in ("positional_only", "positional_or_keyword")
    ]
    taken = {place.name for place in places[: len(call.args)]} | {keyword.arg for keyword in call.keywords}
    return [
        (parameter, value)
        for number, parameter in enumerate(facts.parameters)
        if parameter.name not in taken and parameter.kind in ("positional_or_keyword", "keyword_only")
        for value in [_other(parameter, number + 3 * shift)]
        if value
    ]


def _other(parameter: Parameter, number: int) -> str:
    """Returns a value unlike the default, which must be a number or a boolean; else an empty string."""
    if parameter.default in ("True", "False"):
        return "False" if parameter.default == "True" else "True"
    try:
        float(parameter.default or "")
    except ValueError:
        return ""
    return _NUMBERS[number % len(_NUMBERS)]


def _changed(trial: Trial, statement: int, tree: ast.AST) -> Trial | None:
    text = ast.unparse(tree)
    if statement == ACT:
        return replace(trial, act=text, source="mutation", wanted=None, wanted_line=0)
    if "\n" in text:
        return None
    arrange = (*trial.arrange[:statement], text, *trial.arrange[statement + 1 :])
    return replace(trial, arrange=arrange, source="mutation", wanted=None, wanted_line=0)
