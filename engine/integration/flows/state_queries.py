"""Adds state queries to flows: public methods of their objects, called after the act with values the flow used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from ....utils.python_source import parse_expression, parse_or_none, parse_python
from ...python.inputs.receivers import changes_state
from ...python.model.model import CallableFacts, ClassFacts, ModuleFacts, Trial
from ...python.search.initial_trials import ProposalContext
from ...python.source.annotations import type_hint

_FILLS = re.compile(
    r"(add|set|put|push|insert|append|extend|register|update|enqueue|store|save|remember|feed|write|record|create|assign|"
    r"attach|include|deposit|book|schedule|deliver|keep|receive|import|ingest|enrol|join|post|log|track|credit|open)(_.*)?"
)

ANSWER_VARIABLE = "taken"
"""The variable for the result of a step before the act."""
_ENDS = re.compile(r"(close|shutdown|stop|clear|reset|quit|exit|terminate|join|kill|wait|destroy)(_.*)?")
_TAKES = re.compile(r"(remove|take|pop|discard|delete|withdraw|cancel|unregister|drop|forget|release)(_.*)?")


def fills_object(member: CallableFacts) -> bool:
    """Whether a method probably adds something to its object."""
    if member.kind != "method" or not member.public or member.is_async or member.is_generator or member.has_setter:
        return False
    return _FILLS.fullmatch(member.name) is not None and (changes_state(member) or bool(member.parameters))


def takes_from_object(member: CallableFacts) -> bool:
    """Whether a method probably removes from its object something that an argument names."""
    if member.kind != "method" or not member.public or member.is_async or member.is_generator:
        return False
    return _TAKES.fullmatch(member.name) is not None and any(
        parameter.required for parameter in member.parameters if parameter.name not in ("self", "cls")
    )


def advances_object(member: CallableFacts) -> bool:
    """Whether a method without required arguments probably advances its object's state (`order.send()`)."""
    if member.kind != "method" or not changes_state(member) or fills_object(member) or member.name.startswith("__"):
        return False
    return not any(
        parameter.required for parameter in member.parameters if parameter.name != "self"
    ) and not _ENDS.fullmatch(member.name)


_MOST_PER_OBJECT = 6
_MOST = 14
_MOST_REOPENED = 2
_LONGEST = 90


def with_state_queries(trial: Trial, context: ProposalContext) -> Trial:
    """Adds queries of every arranged object of a project's class, and of the result."""
    # Queries would run outside of the event loop of the act.
    if trial.mode in ("await", "aiterate", "aenter"):
        return trial
    objects = dict(_objects(trial, context))
    given = _given(trial, objects, context)
    own = trial.subject.rpartition(".")[2]
    looks = [
        look
        for variable, known in objects.items()
        for look in _questions(variable, known, given, own, context)[:_MOST_PER_OBJECT]
    ]
    looks += _reopened(trial, given, own, context)
    looks.sort(key=lambda query: not query.endswith("()"))  # queries without arguments hardly ever change state
    returned = _returned(trial, context)
    asks = _questions("result", returned, given, own, context)[:_MOST_PER_OBJECT] if returned is not None else []
    asks = [query for query in asks if query.startswith("result.")]
    kept = any(statement.startswith(f"{ANSWER_VARIABLE} = ") for statement in trial.arrange)
    answers = [ANSWER_VARIABLE] if kept else []
    return replace(trial, looks=tuple(dict.fromkeys((*answers, *looks)))[:_MOST], asks=tuple(asks))


def _reopened(trial: Trial, given: dict[str, list[str]], own: str, context: ProposalContext) -> list[str]:
    """Queries of a second object on the same file: what was stored must be readable from it."""
    found: list[str] = []
    for statement in trial.arrange if "tmp_path" in trial.fixtures else ():
        for node in parse_python(statement).body:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            opened = ast.unparse(node.value)
            known = _class_of(node.value, context) if "tmp_path" in opened else None
            if known is not None:
                found += _questions(opened, known, given, own, context)[:_MOST_REOPENED]
    return found


def _returned(trial: Trial, context: ProposalContext) -> tuple[ModuleFacts, ClassFacts] | None:
    """The project's class that the subject's return annotation names."""
    subject = next((function for function in context.facts.callables() if function.qualname == trial.subject), None)
    for hint in type_hint(subject.returns).members() if subject is not None and subject.returns else ():
        known = context.index.class_in(hint.name, context.facts)
        if known is not None:
            return known
    return None


def _objects(trial: Trial, context: ProposalContext) -> Iterator[tuple[str, tuple[ModuleFacts, ClassFacts]]]:
    """Arranged variables that hold an object of a project's class."""
    for statement in trial.arrange:
        try:
            body = parse_python(statement).body
        except SyntaxError:
            continue
        for node in body:
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            known = _class_of(node.value, context)
            if known is not None:
                yield node.targets[0].id, known


def _class_of(node: ast.expr, context: ProposalContext) -> tuple[ModuleFacts, ClassFacts] | None:
    if not isinstance(node, ast.Call):
        return None
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        name = node.func.value.id  # a factory: `Cart.from_rows(…)`
    return (context.index.class_in(name, context.facts) or context.index.find_class(name)) if name else None


def _given(
    trial: Trial, objects: dict[str, tuple[ModuleFacts, ClassFacts]], context: ProposalContext
) -> dict[str, list[str]]:
    """Values that the flow passes, by the names of their parameters."""
    found: dict[str, list[str]] = {}
    for source in (*trial.arrange, trial.act):
        tree = parse_or_none(source)
        if tree is None:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = _callee(node, objects, context)
            parameters = called.parameters if called is not None else ()
            names = [parameter.name for parameter in parameters if parameter.name not in ("self", "cls")]
            keywords = [(keyword.arg, keyword.value) for keyword in node.keywords]
            for name, value in (*zip(names, node.args, strict=False), *keywords):
                if name and isinstance(value, ast.Constant | ast.UnaryOp):
                    found.setdefault(name, []).append(ast.unparse(value))
    return found


def _callee(
    node: ast.Call, objects: dict[str, tuple[ModuleFacts, ClassFacts]], context: ProposalContext
) -> CallableFacts | None:
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        known = objects.get(node.func.value.id)
        members = known[1].members if known else ()
        return next((member for member in members if member.name == node.func.attr), None)
    if isinstance(node.func, ast.Name):
        known = context.index.class_in(node.func.id, context.facts) or context.index.find_class(node.func.id)
        if known is not None:
            return context.index.constructor(*known)
        return next((function for function in context.facts.functions if function.name == node.func.id), None)
    return None


def _questions(
    variable: str,
    known: tuple[ModuleFacts, ClassFacts],
    given: dict[str, list[str]],
    act: str,
    context: ProposalContext,
    *,
    deeper: bool = True,
) -> list[str]:
    """Calls of methods that change nothing; their arguments are values that the flow used before."""
    facts, owner = known
    found: list[str] = []
    for member in owner.members:
        if not member.public or member.is_async or member.is_context_manager or changes_state(member):
            continue
        # A query must not be the action itself, nor sound like another command.
        if member.kind != "method" or member.name.startswith("__") or member.name == act or _acts(member):
            continue
        arguments = _arguments(member, given)
        if arguments is None:
            continue
        call = f"{variable}.{member.name}({', '.join(arguments)})"
        inner = context.index.class_in(member.returns or "", facts) if deeper and member.returns else None
        # It returns an object of the project: its own queries say more, one level deep.
        if inner is not None and inner[1].kind == "plain":
            found += _questions(call, inner, given, act, context, deeper=False)[:3]
        elif member.returns not in ("None", None) or not member.parameters:
            # A generator is equal to nothing: its items are compared.
            found.append(f"list({call})" if member.is_generator else call)
    if any(member.name == "__len__" for member in owner.members):
        found.append(f"len({variable})")
    return [look for look in found if len(look) <= _LONGEST and _parses(look)]


def _arguments(member: CallableFacts, given: dict[str, list[str]]) -> list[str] | None:
    found: list[str] = []
    for parameter in member.parameters:
        if not parameter.required or parameter.name in ("self", "cls"):
            continue
        if parameter.name not in given:
            return None
        found.append(given[parameter.name][0])
    return found


def _acts(member: CallableFacts) -> bool:
    """Whether a method's name suggests a command rather than a query."""
    return fills_object(member) or member.name.startswith(
        ("close", "shutdown", "stop", "commit", "rollback", "run", "start", "send", "delete", "remove", "clear")
    )


def _parses(source: str) -> bool:
    try:
        parse_expression(source)
    except SyntaxError:
        return False
    return True
