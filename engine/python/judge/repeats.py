"""Leaves out findings whose tests would repeat another one's call, answer, state or refusal."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from ....utils.python_source import parse_expression, parse_python
from ..model.spec_case import Case
from .assertable_finding import AssertableFinding
from .case_tables import shape_key


def call_key(one: AssertableFinding) -> tuple[object, ...]:
    """Returns the identity of a call; unparsed, because documents and trials may quote the same text differently."""
    trial = one.finding.trial
    arrange = tuple(ast.unparse(parse_python(text)) for text in trial.arrange)
    return (trial.subject, arrange, ast.unparse(parse_expression(trial.act)), trial.mode)


def without_repeats(judged: Sequence[AssertableFinding]) -> list[AssertableFinding]:
    """Keeps each call once (the documented one, else the first), and each refusal once unless its cases form a
    table."""
    found: dict[tuple[object, ...], AssertableFinding] = {}
    for one in judged:
        key = call_key(one)
        if key not in found or (one.documented and not found[key].documented):
            found[key] = one
    states = _states_shown(found.values())
    shapes: dict[tuple[object, ...], str | None] = {}
    shown: set[tuple[object, ...]] = set()
    kept: list[AssertableFinding] = []
    for one in found.values():
        answer = _answer_beside_set_up(one)
        if answer in shown and not one.documented:
            continue  # only a value of the set-up differs, and nothing shows it
        asked = _state_asked(one)
        if asked in states and (states[asked] or not one.documented):
            continue  # the test of the call that changed it asserts the same beside its result
        shown.add(answer)
        refusal = _refusal(one)
        form = shape_key(_as_case(one)) if refusal is not None else None
        if refusal is not None and not one.documented and refusal in shapes and shapes[refusal] != form:
            continue
        if refusal is not None:
            shapes.setdefault(refusal, form)
        kept.append(one)
    return kept


def _states_shown(judged: Iterable[AssertableFinding]) -> dict[tuple[object, ...], bool]:
    """Returns what tests assert beside the result of their call, and whether a documented one does.

    It is the statements with the call, the state, and its value.
    """
    found: dict[tuple[object, ...], bool] = {}
    for one in judged:
        trial = one.finding.trial
        lines = tuple(ast.unparse(parse_python(text)) for text in (*trial.arrange, trial.act))
        if any(each.actual == "result" for each in one.verdict.expectations):
            for each in one.verdict.expectations:
                state = (lines, each.kind, each.actual, each.value)
                found[state] = found.get(state, False) or one.documented
    return found


def _state_asked(one: AssertableFinding) -> tuple[object, ...]:
    """Returns, in the form of `_states_shown`, what a test asks for that calls its subject before."""
    trial = one.finding.trial
    lines = tuple(ast.unparse(parse_python(text)) for text in trial.arrange)
    if len(one.verdict.expectations) != 1 or one.verdict.expectations[0].actual != "result":
        return ()
    demand = one.verdict.expectations[0]
    return (lines, demand.kind, ast.unparse(parse_expression(trial.act)), demand.value)


def _answer_beside_set_up(one: AssertableFinding) -> tuple[object, ...]:
    """Returns the act with all that is expected, and the set-up without its literals."""
    trial = one.finding.trial
    trees = [parse_python(text) for text in trial.arrange]
    for node in (inner for tree in trees for inner in ast.walk(tree)):
        if isinstance(node, ast.Constant):
            node.value = None
    expected = tuple(
        (each.kind, each.actual, each.value, each.exception, each.match) for each in one.verdict.expectations
    )
    return (trial.subject, tuple(map(ast.dump, trees)), trial.act, trial.mode, expected)


def _refusal(one: AssertableFinding) -> tuple[object, ...] | None:
    """Returns the identity of a refusal: its subject, exception, message and raising line; None for others."""
    raised = one.finding.observation.raised
    if raised is None:
        return None
    demand = one.verdict.expectations[0]
    return (one.finding.trial.subject, demand.exception, demand.match, raised.line)


def _as_case(one: AssertableFinding) -> Case:
    trial = one.finding.trial
    expect = one.verdict.expectations
    return Case("tc_x", "x", trial.subject, trial.act, trial.mode, expect, trial.fixtures, trial.arrange)
