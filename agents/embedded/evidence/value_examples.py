"""Reads the values that documents and existing tests show: calls with results, requests with status codes."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

from ....engine.python.facts.code_examples import block_examples
from ....engine.python.facts.docstrings import examples_in
from ....engine.python.model.model import Example
from ....engine.python.usage.prose_examples import called_examples
from ....engine.python.usage.slicing import needed_statements
from ....utils.python_names import bound_outside_patterns, last_name, printed_argument
from ....utils.python_source import expression_or_none, literal_or, parse_or_none
from ...evidence.model import SourceKind, ValueExample
from .document_text import code_blocks, is_about_the_past, is_plain_statement, prompts_of, words_of

_MOST_EACH = 40
_LONGEST = 6000
_MOST_ARRANGED = 8
_RAISES = re.compile(r"[`\s,]*(?:raises|throws)\s+(?:an?\s+)?`?((?:\w+\.)*[A-Z]\w*)")
_LAST_LINE = re.compile(r"^((?:\w+\.)*[A-Z]\w*)(?::.*)?$")
_REQUEST = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+`?(/[\w{}/.:-]*)")
_STATUS = re.compile(r"(?<![\w.])([1-5]\d\d)(?![\w.])")
_STATUSES = frozenset(int(one) for one in HTTPStatus)
_METHODS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read_examples(
    kind: SourceKind, path: str, first: int, text: str, names: Sequence[str], *, is_cut: bool = False
) -> list[ValueExample]:
    """Read the examples of a passage that call one of the names, or that are requests to an API.

    Args:
        first: the passage's first line.
        names: of the target's public callables, last parts only.
        is_cut: the passage ends before its last line: its last example may be a part of one.
    """
    if len(text) > _LONGEST or is_cut:
        text = text[: text.rfind("\n", 0, _LONGEST) + 1]
        is_cut = True
    found: Iterator[ValueExample] = iter(())
    if kind == "document":
        found = _of_document(path, first, text, names)
    elif kind == "test":
        found = _of_tests(path, first, text, names)
    listed = sorted(found, key=lambda one: (one.line, one.act))
    if is_cut and listed:
        listed = [one for one in listed if one.line < listed[-1].line]
    unique = {(one.act, one.arrange, one.want, one.raises): one for one in reversed(listed)}
    return sorted(unique.values(), key=lambda one: (one.line, one.act))[:_MOST_EACH]


def _of_document(path: str, first: int, text: str, names: Sequence[str]) -> Iterator[ValueExample]:
    if is_about_the_past(path, text):
        return
    for example in examples_in(prompts_of(text), first):
        about = _named_in(example.act, names)
        if about and example.want.strip():
            last = _LAST_LINE.match(example.want.rstrip().rpartition("\n")[2])
            raises = last[1] if last and "Traceback" in example.want else ""
            want = "" if raises else example.want.rstrip()
            yield ValueExample(about, example.act, want, path, example.line, "document", example.arrange, raises)
    for before, block in code_blocks(text):
        if ">>>" not in block:
            yield from _of_block(path, first + before, block, names)
    yield from _in_words(path, first, text, names)
    yield from _requests(path, first, text)


def _of_block(path: str, first: int, block: str, names: Sequence[str]) -> Iterator[ValueExample]:
    """The assertions of a code block, and its calls with a literal in the comment behind them."""
    tree = parse_or_none(block)
    before: list[ast.stmt] = []
    for node in tree.body if tree is not None else ():
        line = first + node.lineno - 1
        for found, earlier in _of_calls(node, before):
            if about := _named_in(found.act, names):
                arrange = _set_up(earlier, found.act)
                yield ValueExample(about, found.act, found.want, path, line, "document", arrange, found.raises)
        before.append(node)
    for example in block_examples(block, first):
        act, want = _unwrapped(example)
        if about := _named_in(act, names):
            arrange = _set_up([node for text in example.arrange for node in _statements(text)], act)
            yield ValueExample(about, act, want, path, example.line, "document", arrange)


def _unwrapped(example: Example) -> tuple[str, str]:
    """The act of an example and its result; of `print(x)  # [1]` those of `x`. A printed number may be a text."""
    call = expression_or_none(example.act)
    shown = printed_argument(call) if call is not None else None
    want = _literal(example.want)
    if shown is not None and want[:1] in ("'", '"', "[", "{", "("):
        return ast.unparse(shown), want
    return example.act, example.want


def _statements(text: str) -> list[ast.stmt]:
    tree = parse_or_none(text)
    return tree.body if tree is not None else []


def _set_up(before: Sequence[ast.stmt], act: str) -> tuple[str, ...]:
    """The statements that a call needs, and all others before it that may change what it does, as source."""
    needed = set(_needed(before, act))
    return tuple(line for node in before if (line := ast.unparse(node)) in needed or not _is_plain(node))


def _is_plain(node: ast.stmt) -> bool:
    """Whether a statement only binds names to values."""
    if isinstance(node, ast.Assign):
        is_name = all(isinstance(one, ast.Name) for one in node.targets)
        return is_name and not any(isinstance(one, ast.Call | ast.Await) for one in ast.walk(node))
    return isinstance(node, ast.Import | ast.ImportFrom)


def _needed(before: Sequence[ast.stmt], act: str) -> tuple[str, ...]:
    """The statements that a call needs, as source."""
    tree = parse_or_none(act)
    kept = needed_statements(before, tree) if tree is not None else []
    return tuple(ast.unparse(node) for node in kept[-_MOST_ARRANGED:])


def _in_words(path: str, first: int, text: str, names: Sequence[str]) -> Iterator[ValueExample]:
    """Sentences and table rows: "`f(2)` returns `4`", "f('') raises ValueError", `| f(2) | 4 |`."""
    marked = words_of(text)
    plain = marked.replace("`", " ")
    for name in names:
        for at, act, want in called_examples(name, plain):
            if "..." not in want and not act.endswith("()") and is_plain_statement(marked, at):
                yield ValueExample(name, act, want, path, first + plain.count("\n", 0, at), "document")
        for match in re.finditer(rf"(?<![\w.>]){re.escape(name)}(\([^()\n]*\))", plain):
            raises = _RAISES.match(plain, match.end())
            call = parse_or_none(match[0])
            # Empty parentheses in a sentence say that the name is a function's.
            if not raises or not match[1].strip("() ") or not is_plain_statement(marked, match.start()):
                continue
            if call is not None and _is_literal_call(call):
                line = first + plain.count("\n", 0, match.start())
                yield ValueExample(name, match[0], "", path, line, "document", raises=raises[1].rpartition(".")[2])


def _is_literal_call(tree: ast.Module) -> bool:
    node = tree.body[0] if len(tree.body) == 1 else None
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    return all(_literal(ast.unparse(one)) for one in (*node.value.args, *(word.value for word in node.value.keywords)))


def _requests(path: str, first: int, text: str) -> Iterator[ValueExample]:
    """Status codes that a line names beside an operation: "`POST /orders` answers 400 without a body"."""
    for number, line in enumerate(text.split("\n")):
        for request in _REQUEST.finditer(line):
            act = f"{request[1]} {request[2]}"
            for status in _STATUS.findall(line[request.end() :]):
                if int(status) in _STATUSES:
                    yield ValueExample(act, act, status, path, first + number, "document")


@dataclass(frozen=True, slots=True)
class _Expected:
    act: str
    want: str = ""
    raises: str = ""


def _of_tests(path: str, first: int, text: str, names: Sequence[str]) -> Iterator[ValueExample]:
    tree = parse_or_none(textwrap.dedent(text))
    for function in ast.walk(tree) if tree is not None else ():
        if not isinstance(function, _Function):
            continue
        before: list[ast.stmt] = []
        asked: dict[str, str] = {}
        for node in function.body:
            line = first + node.lineno - 1
            for found, earlier in _of_calls(node, before):
                if about := _named_in(found.act, names):
                    arrange = _needed(earlier, found.act)
                    yield ValueExample(about, found.act, found.want, path, line, "test", arrange, found.raises)
            for act, status in _asserted_statuses(node, asked):
                yield ValueExample(act, act, status, path, line, "test")
            if isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.Expr):
                before.append(node)


def _of_calls(node: ast.stmt, before: Sequence[ast.stmt]) -> Iterator[tuple[_Expected, Sequence[ast.stmt]]]:
    """What a statement asserts of a call, or of a name for the result of one, and the statements before the call."""
    for found in _expectations(node):
        if not found.act.isidentifier():
            yield replace(found, act=_inlined(found.act, before)), before
            continue
        for at in range(len(before) - 1, -1, -1):
            bound = before[at]
            names = [ast.unparse(one) for one in bound.targets] if isinstance(bound, ast.Assign) else []
            if found.act in names:
                if isinstance(bound, ast.Assign) and isinstance(bound.value, ast.Call):
                    yield replace(found, act=_inlined(ast.unparse(bound.value), before[:at])), before[:at]
                break


def _inlined(act: str, before: Sequence[ast.stmt]) -> str:
    """The call with constants in place of the names that were last bound to one: documents use one name for many."""
    constants: dict[str, ast.expr | None] = {}
    for node in before:
        for name in bound_outside_patterns([node]):
            is_constant = (
                isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and len(node.targets) == 1
            )
            constants[name] = node.value if is_constant and isinstance(node, ast.Assign) else None
    tree = parse_or_none(act)
    return ast.unparse(_Constants(constants).visit(tree)) if tree is not None else act


class _Constants(ast.NodeTransformer):
    def __init__(self, constants: Mapping[str, ast.expr | None]) -> None:
        self._constants = constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._constants.get(node.id) or node


def _expectations(node: ast.stmt) -> Iterator[_Expected]:
    """What a statement asserts of a call: `assert f(2) == 4`, `self.assertEqual(f(2), 4)`, `with raises(E): f(2)`."""
    if isinstance(node, ast.Assert):
        yield from _compared(node.test)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name, args = last_name(node.value.func), node.value.args
        if name in ("assertEqual", "assertEquals", "assertIs") and len(args) >= 2:
            yield from _pair(args[0], args[1])
        elif name == "assertRaises" and len(args) >= 2:
            call = ast.Call(args[1], args[2:], node.value.keywords)
            yield _Expected(ast.unparse(call), raises=last_name(args[0]))
    elif isinstance(node, ast.With) and len(node.items) == 1 and len(node.body) == 1:
        manager, inner = node.items[0].context_expr, node.body[0]
        if isinstance(manager, ast.Call) and isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
            raises = last_name(manager.func) in ("raises", "assertRaises") and manager.args
            if raises:
                yield _Expected(ast.unparse(inner.value), raises=last_name(manager.args[0]))


def _compared(test: ast.expr) -> Iterator[_Expected]:
    """What `==` or `is` compares; that a result is truthy or falsy says no value."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.Is):
        yield from _pair(test.left, test.comparators[0])


def _pair(one: ast.expr, other: ast.expr) -> Iterator[_Expected]:
    for call, value in ((one, other), (other, one)):
        want = _literal(ast.unparse(value))
        if isinstance(call, ast.Call | ast.Attribute | ast.Name) and want:
            yield _Expected(ast.unparse(call), want)
            return


def _asserted_statuses(node: ast.stmt, asked: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Operations with the status that a test expects; `asked` learns which variable holds the answer to which."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and (act := _request_of(node.value)):
        asked[node.targets[0].id] = act
    test = node.test if isinstance(node, ast.Assert) else None
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Attribute) and test.left.attr == "status_code":
        owner = test.left.value
        act = asked.get(owner.id, "") if isinstance(owner, ast.Name) else _request_of(owner)
        status = _literal(ast.unparse(test.comparators[0])) if isinstance(test.ops[0], ast.Eq) else ""
        if act and _STATUS.fullmatch(status):
            yield act, status


def _request_of(node: ast.expr) -> str:
    """The operation of `client.post("/orders", …)`; "" for any other expression."""
    node = node.value if isinstance(node, ast.Await) else node
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS):
        return ""
    path = literal_or(node.args[0], None) if node.args else None
    return f"{node.func.attr.upper()} {path.partition('?')[0]}" if isinstance(path, str) and path[:1] == "/" else ""


def _named_in(act: str, names: Sequence[str]) -> str:
    """The name of the outermost call of an expression where it is one of the names; "" for none."""
    tree = parse_or_none(act)
    called = [last_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    return next((name for name in called if name in names), "")


def _literal(text: str) -> str:
    """A literal as Python writes it; "" for anything else, and where doctest would read `...` as any text."""
    marker = object()
    value = literal_or(text.strip(), marker)
    return "" if value is marker or "..." in repr(value) else repr(value)
