"""Proposes calls of what a call returned: functions, decorators, and classes that are made at run time."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from itertools import zip_longest

from ....utils.in_turns import in_turns
from ....utils.python_names import dotted_name
from ....utils.python_source import literal_or, parse_expression
from ..domain.examples import ExampleContext, natural_values
from ..domain.from_types import domain_of_hint, without_aliases
from ..domain.inference import own_classes
from ..facts.type_inference import name_entry
from ..model.model import CallableFacts, Candidate, ModuleFacts, Observation, Trial
from ..source.annotations import type_hint
from .trial_mutation import with_act, with_needs

_FUNCTION_NAME = re.compile(r"_*(f|fn|func|function|method|wrapped|callback|callable_?|user_function|decorated|view)")

_MOST_ROWS = 3


def result_calls(trial: Trial, observation: Observation, facts: ModuleFacts | None = None) -> list[Trial]:
    """Returns calls of a result that is itself callable: a closure, a partial, a decorated function.

    Args:
        facts: the target module, which says what a function that it returns takes: a decorator takes a function.
    """
    value = observation.value
    if observation.outcome != "returned" or trial.mode != "call" or value is None or trial.act.count(")(") > 1:
        return []
    if value.type_name.rpartition(".")[2] in _CLASS_TYPES:
        return _constructions_of_result(trial)
    if value.type_name.rpartition(".")[2] not in _CALLABLE_TYPES:
        return []
    inner = f"({trial.act})" if trial.act.startswith("lambda") else trial.act
    subject = next((one for one in facts.callables() if one.qualname == trial.subject), None) if facts else None
    declared = rows_of_annotation(subject, facts) if subject is not None and facts is not None else None
    if declared is not None:
        acts = [(f"{inner}({', '.join(value.source for value in row)})", row) for row in declared]
        return [with_needs(with_act(trial, act), list(row)) for act, row in acts]
    rows = _rows_for(subject.returned_parameters if subject is not None else ())
    calls = [with_act(trial, f"{inner}({arguments})") for arguments in rows]
    return list(in_turns([calls, _decorations(trial)]))


def rows_of_annotation(one: CallableFacts, facts: ModuleFacts) -> list[tuple[Candidate, ...]] | None:
    """Rows of arguments for the function of `-> Callable[[bytes], str]`, the plainest first, aliases looked up.

    None where the annotation leaves open what the function takes.
    """
    hint = without_aliases(type_hint(one.returns), dict(facts.constants))
    taking = next((member for member in hint.members() if member.name == "Callable" and member.arguments), None)
    if taking is None or any(argument.name == "..." for argument in taking.arguments[:-1]):
        return None
    columns: list[list[Candidate]] = []
    for at, argument in enumerate(taking.arguments[:-1]):
        domain = domain_of_hint(argument, own_classes(facts))
        name = one.returned_parameters[at] if at < len(one.returned_parameters) else ""
        found = [it.candidate for it in natural_values(domain, ExampleContext(name, at)) if not it.candidate.arrange]
        if domain.kind == "callable" or not found:
            return None
        columns.append(found[:_MOST_ROWS])
    # A column that ends before the others stays at its first value.
    rows = [
        tuple(value or column[0] for value, column in zip(row, columns, strict=True)) for row in zip_longest(*columns)
    ]
    return rows or [()]


def _rows_for(names: tuple[str, ...]) -> tuple[str, ...]:
    """Arguments for a function whose parameters have these names; those of all kinds for one that is not known."""
    if not names:
        return _TRIED_ROWS
    if _FUNCTION_NAME.fullmatch(names[0]):
        return ()  # it decorates, and nobody decorates a number
    suggested = [entry[1] if (entry := name_entry(name)) is not None else () for name in names]
    named = ", ".join(values[0] if values else "'abc'" for values in suggested)
    return tuple(dict.fromkeys((*([named] if any(suggested) else []), *_TRIED_ROWS)))


def _constructions_of_result(trial: Trial) -> list[Trial]:
    """Returns trials that build objects of a class that the call made, with a value for each name it was given."""
    call = parse_expression(trial.act)
    given = [literal_or(argument, None) for argument in call.args] if isinstance(call, ast.Call) else []
    texts = [value for value in given if isinstance(value, str) and value.isidentifier()]
    made = texts[0][:1].upper() + texts[0][1:] if texts and given[0] == texts[0] else "Made"
    names = next((value for value in given if isinstance(value, list | tuple) and value), ())
    several = next((value.replace(",", " ").split() for value in given if isinstance(value, str) and " " in value), [])
    fields = [name for name in names or several if isinstance(name, str) and name.isidentifier()]
    rows = [", ".join(_FIELD_VALUES[: len(fields)])] if fields else []
    rows += [", ".join(f"{name}={value}" for name, value in zip(fields, _FIELD_VALUES, strict=False))] if fields else []
    arrange = (*trial.arrange, f"{made} = {trial.act}")
    found: list[Trial] = []
    for row in (*rows, "", "3", "3, 4"):
        for form in _OBJECT_USES:
            found.append(with_act(replace(trial, arrange=arrange), form.format(f"{made}({row})")))
    return found


_FIELD_VALUES = ("3", "4", "5", "6", "7")
_OBJECT_USES = ("repr({})", "{}", "list({})")
_CLASS_TYPES = frozenset({"type", "EnumType", "EnumMeta", "ABCMeta"})


def _decorations(trial: Trial) -> list[Trial]:
    """Returns trials that use the called function as a decorator, or a maker of one, and call what it decorates."""
    call = parse_expression(trial.act)
    if not isinstance(call, ast.Call) or not dotted_name(call.func):
        return []
    plain = [ast.unparse(call.func)] if len(call.args) == 1 and not call.keywords else []
    found: list[Trial] = []
    for definition, used in DECORATED:
        for decorator in (*plain, trial.act):
            if "lambda" not in decorator:
                arrange = (*trial.arrange, f"@{decorator}\n{definition}")
                found.append(with_act(replace(trial, arrange=arrange), used))
    # What is kept between calls shows in the second one.
    return [*found, *(replace(one, arrange=(*one.arrange, one.act)) for one in found)]


# Sample functions that decorators are given, and calls of them.
DECORATED = (
    ("def double(number):\n    return 2 * number", "double(4)"),
    ("def fail():\n    raise ValueError('no luck')", "fail()"),
    ("def greet(name, greeting='Hello'):\n    return f'{greeting}, {name}!'", "greet('Ann')"),
)


_CALLABLE_TYPES = frozenset({"FunctionType", "MethodType", "partial", "BuiltinFunctionType", "_lru_cache_wrapper"})
_TRIED_ROWS = ("", "3", "'abc'", "[3, 1, 2]", "lambda x: x", "3, 4", "{'a': 1}", "None", "('a', 1)", "'a', 'b', 'c'")
