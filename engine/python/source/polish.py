"""Rewrites source text for readers: splits long strings, drops trailing zeros of dates.

`ruff format` runs on the text later; it settles quotes, line breaks and indentation.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import unicodedata
from functools import lru_cache
from itertools import accumulate

from ....utils.python_names import last_name
from ....utils.python_source import parse_python

LONG_STRING = 80
LONG_TEXT = 62
PART = 72
_SLICE_PARTS = 3
# What cannot stand between the colons of a slice, or is hard to read there.
_NO_BOUND = (ast.Starred, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda)
_MARK = "__testwright_text_{}__"
_TIME_TYPES = {"datetime": 3, "time": 0}
_TEXTS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
# A magic trailing comma: ruff would put one element on each line.
_LAST_COMMA = re.compile(r",\s*[\])}]")


@lru_cache(maxsize=2048)
def polish(source: str) -> str:
    """Rewrites a statement or expression without changing its meaning. Raises SyntaxError.

    Text that needs no change is returned as it was written, apart from surrounding space.
    """
    text = source.strip()
    tree = parse_python(text)
    polisher = _Polisher()
    changed = polisher.visit(tree)
    if not polisher.changed and "\n" not in text and not _LAST_COMMA.search(_TEXTS.sub("''", text)):
        return text
    rendered = ast.unparse(ast.fix_missing_locations(changed))
    for mark, parts in polisher.texts:
        rendered = rendered.replace(mark, parts)
    return rendered


def with_visible_marks(text: str) -> str:
    """Writes combining marks and variation selectors in string literals as escapes; `repr` shows them as they are.

    Raw strings stay as they are. Raises SyntaxError or tokenize.TokenError for text that is no Python.
    """
    if text.isascii():
        return text
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    pieces: list[str] = []
    done = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.STRING or token.string.isascii():
            continue
        if "r" in token.string.partition(token.string[-1])[0].lower():
            continue
        start, end = (starts[row - 1] + column for row, column in (token.start, token.end))
        pieces += [text[done:start], "".join(map(_visible, text[start:end]))]
        done = end
    return "".join([*pieces, text[done:]])


def _visible(letter: str) -> str:
    if letter.isascii() or unicodedata.category(letter) not in ("Mn", "Me", "Cf"):
        return letter
    return ascii(letter)[1:-1]


def string_parts(value: str | bytes) -> list[str]:
    """Splits a value into adjacent literals; one literal when it is short enough."""
    pieces: list[str] = []
    for line in _lines(value):
        while len(line) > PART:
            cut = _cut(line)
            pieces.append(repr(line[:cut]))
            line = line[cut:]
        if line:
            pieces.append(repr(line))
    return pieces or [repr(value)]


def is_long(value: object) -> bool:
    """Whether a constant should be written in parts."""
    if isinstance(value, bytes):
        return len(repr(value)) > LONG_STRING
    if not isinstance(value, str):
        return False
    several = value.strip("\n").count("\n") >= 1
    return len(repr(value)) > (LONG_TEXT if several else LONG_STRING)


def _lines(value: str | bytes) -> list[str] | list[bytes]:
    if isinstance(value, bytes):
        return [value]
    # Only "\n" ends a line here: splitlines would also break at form feeds and Unicode separators.
    lines = value.split("\n")
    kept = [line + "\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def _cut(line: str | bytes) -> int:
    if isinstance(line, bytes):
        return PART
    space = line.rfind(" ", PART // 2, PART)
    return PART if space < 0 else space + 1


class _Polisher(ast.NodeTransformer):
    def __init__(self) -> None:
        self.changed = False
        self._sole: set[int] = set()
        self.texts: list[tuple[str, str]] = []

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not is_long(node.value) or not isinstance(node.value, str | bytes):
            return node
        parts = string_parts(node.value)
        if len(parts) == 1:
            return node
        self.changed = True
        mark = _MARK.format(len(self.texts))
        text = "\n".join(parts)
        # The only argument of a call is in parentheses already.
        self.texts.append((mark, text if id(node) in self._sole else f"({text})"))
        return ast.Name(id=mark, ctx=ast.Load())

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        made = node.slice
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "slice" and made.args:
            whole = [None if ast.unparse(one) == "None" else one for one in made.args]
            parts = [None, *whole] if len(whole) == 1 else whole
            bounds = not made.keywords and not any(isinstance(one, _NO_BOUND) for one in whole)
            if bounds and len(parts) <= _SLICE_PARTS:
                # `box[slice(1, 3)]` is written `box[1:3]`.
                node.slice = ast.Slice(*parts)
                self.changed = True
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if len(node.args) == 1 and not node.keywords:
            self._sole.add(id(node.args[0]))
        self.generic_visit(node)
        least = _TIME_TYPES.get(last_name(node.func), len(node.args))
        # `datetime(2024, 5, 3, 0, 0)`: trailing zeros are the defaults. `repr` tells 0 from False and 0.0.
        while len(node.args) > least and isinstance(last := node.args[-1], ast.Constant) and repr(last.value) == "0":
            node.args.pop()
            self.changed = True
        return node
