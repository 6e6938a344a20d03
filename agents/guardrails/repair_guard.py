"""Refuses refinements that weaken or drop assertions, add skips, or swallow exceptions.

A refined version is compared with the previous one by syntax tree; text, names and layout may change freely.
"""

from __future__ import annotations

import ast
import builtins

from ...utils.names.counted import counted
from ...utils.python_names import last_name
from ...utils.python_source import parse_or_none
from ..contract.protocol import JsonObject
from .assertion_strength import NOTHING
from .assertions import AssertionSummary, list_tests, skips_in, summarize_assertions
from .problems import problem

RULE = "weakened"


def weakened_code(previous: str, refined: str) -> list[JsonObject]:
    """Lists every way in which a refined test file asserts less; empty when it asserts as much.

    If the previous file does not parse, only skips, swallowed exceptions and tests that are not run are reported; a
    refined file that does not parse is left to the validation.
    """
    after = parse_or_none(refined)
    if after is None:
        return []
    new = _by_key(after)
    before = parse_or_none(previous)
    if before is None:
        return [found for value in new.values() for found in _marks(value, AssertionSummary(value.name, value.line))]
    found: list[JsonObject] = []
    for key, old in _by_key(before).items():
        if key not in new:
            found.append(_problem(old.line, f"the test {key} is gone", "write it again"))
            continue
        found += _weaker(old, new[key])
    if _module_skips(after) > _module_skips(before):
        found.append(_problem(1, "the file skips itself", "take the mark away"))
    return found


def _by_key(tree: ast.Module) -> dict[str, AssertionSummary]:
    """Summarizes tests by the cases they prove, or by name without a case id; collected tests go first."""
    marks = {
        id(test): sum(skips_in(mark) for mark in owner.decorator_list) + _class_skips(owner)
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        for test in owner.body
    }
    collected = _collected(tree)
    found: dict[str, AssertionSummary] = {}
    for test in list_tests(tree):
        item = summarize_assertions(test, marks.get(id(test), 0), run=id(test) in collected)
        for key in item.case_ids or (item.name,):
            if key not in found or item.run or not found[key].run:
                found[key] = item
    return found


def _class_skips(owner: ast.ClassDef) -> int:
    """Counts statements in a class body that disable its tests."""
    plain = [statement for statement in owner.body if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr)]
    return sum(skips_in(item) for item in plain)


def _collected(tree: ast.Module) -> set[int]:
    """Ids of the tests that a framework collects: top-level or in a test class, and not rebound later."""
    found: set[int] = set()
    for body in [
        tree.body,
        *(statement.body for statement in tree.body if isinstance(statement, ast.ClassDef) and _holds_tests(statement)),
    ]:
        standing: dict[str, int] = {}
        for statement in body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in statement.decorator_list]
                standing[statement.name] = 0 if "fixture" in map(last_name, marks) else id(statement)
                continue
            for name in ast.walk(statement):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store | ast.Del):
                    standing.pop(name.id, None)
        found |= set(standing.values())
    return found


def _holds_tests(owner: ast.ClassDef) -> bool:
    starts = any(
        isinstance(statement, ast.FunctionDef) and statement.name in ("__init__", "__new__") for statement in owner.body
    )
    return bool(owner.bases) or (owner.name.startswith("Test") and not starts)


def _weaker(old: AssertionSummary, new: AssertionSummary) -> list[JsonObject]:
    found = _marks(new, old)
    rated = [strength for strength in old.strengths if strength > NOTHING]
    if len(new.strengths) < len(rated):
        asserted = counted(len(new.strengths), "thing")
        found.append(_problem(new.line, f"{new.name} asserts {asserted} instead of {len(rated)}", "keep all"))
    elif any(now < then for now, then in zip(new.strengths, rated, strict=False)):
        found.append(_problem(new.line, f"an assertion of {new.name} is weaker than before", "keep it as exact"))
    if new.wide > old.wide:
        found.append(_problem(new.line, f"{new.name} expects any exception", "name the exception"))
    elif _admits_more(old, new):
        found.append(_problem(new.line, f"{new.name} admits more exceptions than before", "name the exception"))
    if new.rows < old.rows:
        found.append(_problem(new.line, f"{new.name} runs {new.rows} rows instead of {old.rows}", "keep every row"))
    if any(now > then for now, then in zip(new.tolerances, old.tolerances, strict=False)):
        found.append(_problem(new.line, f"{new.name} tolerates more than before", "keep the tolerance"))
    if new.unmatched > old.unmatched and len(new.strengths) <= len(old.strengths):
        found.append(_problem(new.line, f"{new.name} no longer checks the message", "keep the match"))
    return found


def _marks(new: AssertionSummary, old: AssertionSummary) -> list[JsonObject]:
    found: list[JsonObject] = []
    if new.skips > old.skips:
        found.append(_problem(new.line, f"{new.name} is skipped or expected to fail", "let it run"))
    if new.swallows > old.swallows:
        found.append(_problem(new.line, f"{new.name} swallows exceptions", "let them through"))
    if old.run and not new.run:
        found.append(_problem(new.line, f"{new.name} is no longer run", "leave it where tests are collected"))
    if new.conditional > old.conditional:
        found.append(_problem(new.line, f"{new.name} need not reach its assertions", "assert unconditionally"))
    return found


def _admits_more(old: AssertionSummary, new: AssertionSummary) -> bool:
    """Whether an exception is now expected by a base class of it, or together with others."""
    before = {name for item in old.raised for name in item}
    if not old.raised or len(new.raised) != len(old.raised):
        return False
    if max(map(len, new.raised)) > max(map(len, old.raised)):
        return True
    added = {name for item in new.raised for name in item} - before
    return any(_is_base(name, of) for name in added for of in before)


def _is_base(name: str, of: str) -> bool:
    base, derived = getattr(builtins, name, None), getattr(builtins, of, None)
    if not isinstance(base, type) or not isinstance(derived, type):
        return False
    return base is not derived and issubclass(derived, base)


def _module_skips(tree: ast.Module) -> int:
    plain = [
        statement
        for statement in tree.body
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    return sum(skips_in(item) for item in plain)


def _problem(line: int, message: str, suggestion: str) -> JsonObject:
    return {**problem("$", message, suggestion=suggestion, rule=RULE), "line": line}
