"""Turns comparisons that documents show into expectations: `f(x) == y` into the act `f(x)` and the value y.

What y reads of literals that the test assigns, as `obj["foo"][0]`, is written as the value that it is.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from ....utils.python_names import assigned_names, assigned_variable, mentioned_names, names_of
from ....utils.python_source import literal_or, parse_expression, parse_python
from ..model.model import TrialFinding, Value
from ..source.import_block import read_imports
from ..usage.slicing import names_in

LONGEST_VALUE = 72
_NO_LITERAL = object()


def without_comparison(finding: TrialFinding) -> TrialFinding:
    """Turns an act `x == y` or `x is None` that returned True into the act x with an expectation."""
    trial, seen = finding.trial, finding.observation
    node = parse_expression(trial.act)
    value = seen.value
    if trial.mode != "call" or value is None or value.source != "True" or "result" in finding.unstable:
        return finding
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return finding
    left, right = node.left, node.comparators[0]
    subject = trial.subject.rpartition(".")[2]
    naming = [side for side in (left, right) if subject in mentioned_names([side])]
    if isinstance(node.ops[0], ast.Eq) and naming == [right]:
        left, right = right, left
    constant = isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool))
    if isinstance(node.ops[0], ast.Is) and constant:
        told = Value("NoneType" if ast.unparse(right) == "None" else "bool", ast.unparse(right))
    elif isinstance(node.ops[0], ast.Eq) and not constant:
        # What a test reads of its own set-up is written as the value that it is.
        part = _value_of_part(right, trial.arrange, [expression for expression, _ in seen.effects])
        right = parse_expression(part) if part is not None else right
        approximate = any(isinstance(one, ast.Constant) and isinstance(one.value, float) for one in ast.walk(right))
        read = names_in(ast.unparse(right))
        if read & assigned_names(trial.arrange):
            return finding
        imports = tuple(binding.statement for binding in read_imports(trial.imports) if binding.bound in read)
        told = Value("object", ast.unparse(right), imports=imports, approximate=approximate)
    else:
        return finding
    # The document says whether the comparison holds, and nothing of what its left side looks like.
    wanted = trial.wanted and ""
    trial = replace(trial, act=ast.unparse(left), wanted=wanted)
    return replace(finding, trial=trial, observation=replace(seen, value=told))


def _value_of_part(node: ast.expr, statements: Sequence[str], changed: Sequence[str]) -> str | None:
    """Returns the source of what a subscript of a local literal holds; None where that is not certain, or long.

    A statement that does more with the variable than to assign it may have changed what it holds.

    Args:
        changed: expressions whose value the act changed.
    """
    keys: list[ast.expr] = []
    while isinstance(node, ast.Subscript):
        keys.append(node.slice)
        node = node.value
    if not keys or not isinstance(node, ast.Name):
        return None
    trees = [parse_python(text.strip()) for text in statements]
    naming = [tree for tree in trees if node.id in names_of(tree)]
    bound = assigned_variable(naming[0].body[0]) if len(naming) == 1 and len(naming[0].body) == 1 else None
    if bound is None or bound[0] != node.id or any(node.id in names_of(parse_python(one)) for one in changed):
        return None
    value = literal_or(bound[1], _NO_LITERAL)
    for key in reversed(keys):
        at = literal_or(key, _NO_LITERAL)
        try:
            value = value[at]
        except (TypeError, KeyError, IndexError):
            return None
    source = repr(value)
    return source if value is not _NO_LITERAL and len(source) <= LONGEST_VALUE else None
