"""Finds the inputs of a working call that have a size, and makes forms of the call in which they can grow."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import replace

from ...utils.python_names import bound_names, names_of, unique_name
from ...utils.python_source import parse_expression, parse_python
from ..python.model.model import CallableFacts, Trial
from ..python.source.import_block import read_imports
from .model import SIZE, VALUE, ScaledForm, with_names

NUMBER = "__number__"
"""The name that stands for the number of an item until one is chosen that the call does not use."""

_MOST_FORMS = 6
_TEXT = re.compile(r"text|content|source|line|data|doc|string|body|html|markdown|s$|value|message|input|raw|csv|query")
_SPREAD = "7919 % 10_007"
"""Two primes: multiples of the one, modulo the other, are in no order and all differ, for more items than are tried."""
_Items = ast.List | ast.Tuple | ast.Set


def scaled_forms(trial: Trial, facts: CallableFacts) -> list[ScaledForm]:
    """The forms of a call in which one of its inputs grows, the most representative first; empty without a size."""
    try:
        act = parse_expression(trial.act)
        arrange = [parse_python(text) for text in trial.arrange]
    except SyntaxError:
        return []
    forms: list[ScaledForm] = []
    call = _call_of(act, facts.name)
    for node, parameter in _direct_arguments(call, facts):
        forms += _of_argument(trial, act, node, parameter)
    direct = {id(node) for node, _ in _direct_arguments(call, facts)}
    for node in ast.walk(act):
        if id(node) not in direct and isinstance(node, ast.List | ast.Dict | ast.Set):
            forms += _of_argument(trial, act, node, "items")
    taken = {one.bound for one in read_imports(trial.imports)}
    taken |= {name for tree in (act, *arrange) for name in names_of(tree) | bound_names(tree)}
    forms += _of_arrangement(trial, act, arrange, taken)
    return [_with_own_names(form, taken) for form in forms[:_MOST_FORMS]]


def _with_own_names(form: ScaledForm, taken: set[str]) -> ScaledForm:
    """A form whose item number, and the size in its function, have names that the call does not use."""
    number = {NUMBER: unique_name("number", taken)}
    helper = with_names(form.helper, {**number, SIZE: unique_name("size", taken)})
    return replace(form, value=with_names(form.value, number), helper=helper)


def _call_of(act: ast.expr, name: str) -> ast.Call | None:
    """The call of the subject in an act: `normalise(x)` in `list(normalise(x))`."""
    for node in ast.walk(act):
        if isinstance(node, ast.Call):
            function = node.func
            called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if called == name:
                return node
    return None


def _direct_arguments(call: ast.Call | None, facts: CallableFacts) -> list[tuple[ast.expr, str]]:
    if call is None:
        return []
    names = [one.name for one in facts.parameters if one.is_positional and one.name not in ("self", "cls")]
    found = [(node, names[at] if at < len(names) else "items") for at, node in enumerate(call.args)]
    return [*found, *((one.value, one.arg or "items") for one in call.keywords)]


def _of_argument(trial: Trial, act: ast.expr, node: ast.expr, parameter: str) -> Iterator[ScaledForm]:
    """Forms with another expression in the place of one node of the act."""
    whole = _with_placeholder(act, node)
    noun = _plural(parameter)
    for value in _grown(node):
        yield ScaledForm(noun, noun, trial.arrange, ast.unparse(value), whole)
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    if text and (_TEXT.search(parameter) or re.search(r"[\s,;]", text)):
        for value in _long_texts(text):
            yield ScaledForm("characters", parameter, trial.arrange, value, whole, must_grow=True)
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0:
        yield ScaledForm(parameter, parameter, trial.arrange, SIZE, whole, inlined=True, must_grow=True)


def _of_arrangement(trial: Trial, act: ast.expr, arrange: list[ast.Module], taken: set[str]) -> Iterator[ScaledForm]:
    """Forms with a function of the size that builds the object which the act uses."""
    read = {node.id for node in ast.walk(act) if isinstance(node, ast.Name)}
    made = [_assigned(tree) for tree in arrange]
    used = [name for name in dict.fromkeys(made) if name and name in read]
    if len(used) != 1 or not _is_self_contained(trial, used[0], made):
        return
    name = used[0]
    for at, noun, grown in _grown_statements(arrange):
        body = [*trial.arrange[:at], grown, *trial.arrange[at + 1 :]]
        lines = "\n".join(f"    {line}" for text in [*body, f"return {name}"] for line in text.split("\n"))
        maker = unique_name(f"{name}_of" if not name.startswith("_") else "made_of", taken)
        helper = f"def {maker}({SIZE}):\n{lines}"
        yield ScaledForm(noun, name, (), f"{maker}({SIZE})", with_names(trial.act, {name: VALUE}), helper)


def _is_self_contained(trial: Trial, name: str, made: list[str | None]) -> bool:
    """Whether the object is bound once, by a statement of the arrangement."""
    return made.count(name) == 1 and not trial.fixtures and len(trial.arrange) <= 8


def _grown_statements(arrange: list[ast.Module]) -> Iterator[tuple[int, str, str]]:
    """The statements with a size: their places, what grows, and the statement that has `size` of it."""
    for at, tree in reversed(list(enumerate(arrange))):
        statement = tree.body[0] if len(tree.body) == 1 else None
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            function = statement.value.func
            if isinstance(function, ast.Attribute) and (statement.value.args or statement.value.keywords):
                for call in filter(None, (_varied_arguments(statement.value),)):
                    yield at, "items", f"for {NUMBER} in range({SIZE}):\n    {ast.unparse(call)}"
        if isinstance(statement, ast.Assign):
            for node in ast.walk(statement.value):
                for grown in _grown(node) if isinstance(node, ast.expr) else ():
                    value = _swapped(statement.value, node, grown)
                    yield at, "items", f"{ast.unparse(statement.targets[0])} = {ast.unparse(value)}"


def _assigned(tree: ast.Module) -> str | None:
    statement = tree.body[0] if len(tree.body) == 1 else None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return target.id if isinstance(target, ast.Name) else None
    return None


def _grown(node: ast.AST) -> Iterator[ast.expr]:
    """Expressions like a literal with `size` items: first with items that differ, then with its own again and again."""
    if isinstance(node, ast.List | ast.Set | ast.Tuple) and node.elts and _are_alike(node.elts):
        item = _varied(node.elts[0])
        if item is not None:
            yield _comprehension(node, ast.unparse(item))
        if not isinstance(node, ast.Set):
            times = f"({SIZE} // {len(node.elts)})" if len(node.elts) > 1 else SIZE
            yield parse_expression(f"{ast.unparse(node)} * {times}")
    elif isinstance(node, ast.Dict) and node.keys and node.keys[0] is not None:
        key = _varied(node.keys[0])
        if key is not None:
            value = _varied(node.values[0]) or node.values[0]
            yield parse_expression(f"{{{ast.unparse(key)}: {ast.unparse(value)} for {NUMBER} in range({SIZE})}}")


def _are_alike(items: list[ast.expr]) -> bool:
    """Whether items could be more of the same: `(1, "a")` is a record and no row of items."""
    kinds = {type(one.value).__name__ if isinstance(one, ast.Constant) else type(one).__name__ for one in items}
    return len(kinds) == 1


def _comprehension(node: _Items, item: str) -> ast.expr:
    inner = f"{item} for {NUMBER} in range({SIZE})"
    if isinstance(node, ast.Tuple):
        return parse_expression(f"tuple({inner})")
    return parse_expression(f"[{inner}]" if isinstance(node, ast.List) else f"{{{inner}}}")


def _varied(node: ast.expr) -> ast.expr | None:
    """An expression that differs with `number` in its first text, else in its first number; None without either."""
    constants = [one for one in ast.walk(node) if isinstance(one, ast.Constant)]
    texts = [one for one in constants if isinstance(one.value, str) and one.value]
    numbers = [one for one in constants if type(one.value) in (int, float)]
    chosen = (texts or numbers)[:1]
    if not chosen:
        return None
    value = chosen[0].value
    if isinstance(value, str):
        by = ast.JoinedStr([ast.Constant(f"{value}-"), ast.FormattedValue(ast.Name(NUMBER), -1, None)])
    elif isinstance(value, float):
        by = parse_expression(f"{NUMBER} * {_SPREAD} + 0.5")
    else:
        by = parse_expression(f"{NUMBER} * {_SPREAD} + 1")
    return _swapped(node, chosen[0], by)


def _varied_arguments(call: ast.Call) -> ast.expr | None:
    """A call whose first text or number among its arguments differs each time."""
    for node in (*call.args, *(one.value for one in call.keywords)):
        varied = _varied(node)
        if varied is not None:
            return _swapped(call, node, varied)
    return None


def _long_texts(text: str) -> Iterator[str]:
    """Expressions of a text that is `size` times as long: joined by what separates its parts, or only repeated."""
    separator = next((mark for mark in ("\n", ", ", ",", " ") if mark in text), "")
    if separator:
        yield f"{separator!r}.join([{text!r}] * {SIZE})"
    yield f"{text!r} * {SIZE}"


def _plural(parameter: str) -> str:
    """What a parameter holds several of, in words."""
    word = parameter.strip("_").lower()
    if word in ("items", "values", "iterable", "seq", "sequence", "data", "args", "it", "xs", "obj", "collection"):
        return "items"
    return word if word.endswith("s") else f"{word}_items"


def _with_placeholder(act: ast.expr, node: ast.expr) -> str:
    return ast.unparse(_swapped(act, node, ast.Name(VALUE)))


def _swapped(tree: ast.expr, node: ast.AST, by: ast.expr) -> ast.expr:
    """A copy of a tree with another expression in the place of one of its nodes."""
    if tree is node:
        return by
    path = list(ast.walk(tree)).index(node)
    made = copy.deepcopy(tree)
    target = list(ast.walk(made))[path]
    swapped = _Swap(target, by).visit(made)
    assert isinstance(swapped, ast.expr)
    return ast.fix_missing_locations(swapped)


class _Swap(ast.NodeTransformer):
    def __init__(self, node: ast.AST, by: ast.expr) -> None:
        self._node, self._by = node, by

    def visit(self, node: ast.AST) -> ast.AST:
        return self._by if node is self._node else self.generic_visit(node)
