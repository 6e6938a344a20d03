"""Makes objects at once of what a second step gives them: `Path("a/b")` for `Path()` and `path.load("a/b")`.

A reader looks for what the second step is for; where the constructor does the same, it is for nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace

from ....utils.python_names import assignment_in, last_name
from ....utils.python_source import shared_module
from ..facts.reading_methods import methods_called
from ..model.model import RICH_SOURCES, ModuleFacts, Trial
from ..search.simplified_trials import origin_of_variant


def filled_by_constructors(facts: ModuleFacts) -> dict[str, frozenset[str]]:
    """The methods that the constructor of a class calls on the new object, by the name of the class."""
    constructors = {one.name: one.constructor for one in facts.classes}
    return {name: frozenset(methods_called(one) if one is not None else ()) for name, one in constructors.items()}


def direct_constructions(trial: Trial, filled_by: Mapping[str, Container[str]]) -> list[Trial]:
    """Variants in which an object is constructed with the arguments of a method that is called on it, shortest first.

    Only methods count that the constructor calls itself; whether the object is the same, the outcome tells. What a
    person wrote stays as it is.

    Args:
        filled_by: those methods by class; see `filled_by_constructors`.
    """
    found = list(_without_first_call(trial, filled_by))
    for one in found:  # grows while it is read: the next statement may call such a method again
        found += [more for more in _without_first_call(one, filled_by) if more not in found]
    return sorted(found, key=lambda one: len(one.arrange))


def _without_first_call(trial: Trial, filled_by: Mapping[str, Container[str]]) -> Iterator[Trial]:
    """Variants with the arguments of the first method call on an object in its construction."""
    if trial.source in RICH_SOURCES:
        return
    member = trial.subject.rpartition(".")[2]
    for at, text in enumerate(trial.arrange):
        name, made, calls = _construction_and_calls(text, filled_by)
        end = at + 1
        following = _call_on(name, trial.arrange[end]) if name and not calls and end < len(trial.arrange) else None
        if following is not None:
            calls, end = [following], end + 1
        if made is None or len(calls) != 1 or not (calls[0].args or calls[0].keywords):
            continue
        called = last_name(calls[0].func)
        if called == member or called not in filled_by[last_name(made.func)]:
            continue
        given = {word.arg for word in calls[0].keywords}
        kept = [word for word in made.keywords if word.arg not in given]
        direct = ast.Call(made.func, calls[0].args, [*calls[0].keywords, *kept])
        line = f"{name} = {ast.unparse(direct)}"
        arrange = (*trial.arrange[:at], line, *trial.arrange[end:])
        yield replace(trial, arrange=arrange, source=origin_of_variant(trial), wanted=None, wanted_line=0)


def _construction_and_calls(text: str, classes: Container[str]) -> tuple[str, ast.Call | None, list[ast.Call]]:
    """The variable that a statement binds to an object, the call of its class, and the calls of methods behind that."""
    name, node = assignment_in(text) or ("", None)
    calls: list[ast.Call] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and last_name(node.func) not in classes:
        calls.append(node)
        node = node.func.value
    made = node if isinstance(node, ast.Call) and last_name(node.func) in classes else None
    return (name, made, calls) if made is not None else ("", None, [])


def _call_on(name: str, text: str) -> ast.Call | None:
    """The method call that a statement makes on a variable, or binds to it again; None for any other statement."""
    bound = assignment_in(text)
    tree = shared_module(text)
    statement = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    node = bound[1] if bound is not None and bound[0] == name else None
    node = statement.value if isinstance(statement, ast.Expr) else node
    of = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    return node if isinstance(node, ast.Call) and isinstance(of, ast.Name) and of.id == name else None
