"""Reads the examples of code without prompts, whose results stand in comments or nowhere: `print(area(2))  # 4`."""

from __future__ import annotations

import ast
import copy
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from ....utils.python_names import bound_outside_patterns, last_name, loaded_names, printed_argument
from ....utils.python_source import expression_or_none, literal_or, parse_or_none, source_lines
from ..model.model import Example

_LONGEST_TEXT = 8_000
_MOST_EACH = 20
_MOST_LINES = 5
_SAYS = r"(?:[-=]*>|\u2192|\u21d2|==?|(?:[Rr]eturns|[Pp]rints|[Gg]ives|[Oo]utputs?|[Rr]esult)\b:?)"
_COMMENT = re.compile(rf"#+\s*(?P<says>{_SAYS})?\s*(?P<told>.+?)\s*$")
_NUMBERED = re.compile(r"\(\d+\)!?$")
_FENCE = re.compile(r"^(`{3,}|~{3,})[ ]*+(python|py|python3)?[ ]*+$")
_MARKER = object()


def block_examples(block: str, first_line: int, *, plain: bool = False) -> Iterator[Example]:
    """Generates the calls of a code block that say their result, each with the statements before it.

    Read are comments behind a call or an assignment of one (`total = f(2)  # 4`), behind `print` or in the lines after
    it, and a literal in the line after a call. What `print` shows is certain only where it is a literal: other words
    may speak of something else. So may a literal in the comment below another call, and an object that a comment says
    comes out: `half(box)  # => Box(2)` becomes a comparison, and the class may compare nothing.

    Args:
        block: Python code without the indentation that all lines share.
        first_line: number of the block's first line in its file.
        plain: whether calls that say no result are examples as well: what they pass was chosen by a person.
    """
    tree = parse_or_none(block)
    lines = source_lines(block)
    body = tree.body if tree is not None else []
    for at, node in enumerate(body):
        following = body[at + 1] if at + 1 < len(body) else None
        found = _said(node, following, lines) or (_plain_call(node) if plain else None)
        if found is not None:
            act, want, certain = found
            before, act = _resolved(body[:at], act) if isinstance(act, ast.Call) else (body[:at], act)
            arrange = tuple(ast.unparse(one) for one in before)
            yield Example(arrange, ast.unparse(act), want, first_line + node.lineno - 1, certain)


def results_in_comments(block: str) -> tuple[list[ast.stmt], dict[int, tuple[str, bool]]]:
    """Returns a block's statements, and by position what comments say of calls: the result, and whether it surely is.

    Args:
        block: Python code; without statements where it does not parse.
    """
    tree = parse_or_none(block)
    lines = source_lines(block)
    body = tree.body if tree is not None else []
    found: dict[int, tuple[str, bool]] = {}
    for at, node in enumerate(body):
        said = _said(node, body[at + 1] if at + 1 < len(body) else None, lines)
        if said is not None and isinstance(node, ast.Expr) and said[0] is node.value:
            found[at] = said[1], said[2]
    return body, found


def docstring_examples(raw: str, first_line: int) -> tuple[Example, ...]:
    """Returns the examples of a docstring's code blocks: fenced, or indented below its words.

    A block goes on from those before it: what they bind and do holds in it.

    Args:
        raw: the docstring as written.
        first_line: number of its first line in the file.
    """
    if "(" not in raw or len(raw) > _LONGEST_TEXT:
        return ()
    found = list(_consecutive(raw, first_line))
    # What says its result counts before what only shows what is passed.
    kept = sorted(range(len(found)), key=lambda at: not found[at].want)[:_MOST_EACH]
    return tuple(found[at] for at in sorted(kept))


def _consecutive(raw: str, first_line: int) -> Iterator[Example]:
    known: tuple[str, ...] = ()
    for start, block in _blocks(raw):
        for one in block_examples(block, first_line + start, plain=True):
            yield replace(one, arrange=(*known, *one.arrange))
        tree = parse_or_none(block)
        # Calls count, too: they may have changed what a name is bound to.
        known = (*known, *(ast.unparse(one) for one in (tree.body if tree is not None else []) if not _prints(one)))


def _prints(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Call) and last_name(value.func) == "print"


def _plain_call(node: ast.stmt) -> tuple[ast.expr, str, bool] | None:
    """The call of a statement that says no result; what it prints rather than the printing."""
    value = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    if not isinstance(value, ast.Call):
        return None
    if last_name(value.func) == "print":
        shown = printed_argument(value)
        return (shown, "", True) if isinstance(shown, ast.Call) else None
    return value, "", True


def _said(node: ast.stmt, following: ast.stmt | None, lines: list[str]) -> tuple[ast.expr, str, bool] | None:
    """What a statement asks for, the result that the code says, and whether it surely is that; None without one."""
    value = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    if isinstance(value, ast.Compare) and isinstance(node, ast.Expr):
        return _equated(value) if _holds(node, following, lines) else None
    if not isinstance(value, ast.Call):
        return None
    end = node.end_lineno or node.lineno
    comment = _comment_behind(node, lines)
    told = comment["told"] if comment is not None and not _NUMBERED.match(comment["told"]) else ""
    if last_name(value.func) == "print":
        if len(value.args) != 1 or value.keywords or isinstance(value.args[0], ast.Constant | ast.JoinedStr):
            return None
        text = told or _comment_below(lines, end)
        return (value, text, _is_literal(text)) if text else None
    if _is_literal(told):
        return value, repr(literal_or(told, None)), True
    made = expression_or_none(told) if comment is not None and comment["says"] else None
    if isinstance(made, ast.Call) and last_name(made.func)[:1].isupper() and isinstance(node, ast.Expr):
        return ast.Compare(value, [ast.Eq()], [made]), "True", False
    below = _comment_below(lines, end) if isinstance(node, ast.Expr) else ""
    if _is_literal(below):
        return value, below, False
    # `f(2)` with `4` in the next line is a session whose prompts were left out.
    shown = _value_below(node, following) if isinstance(node, ast.Expr) else None
    if shown is not None and _is_literal(ast.unparse(shown)):
        return value, ast.unparse(shown), True
    return None


def _holds(node: ast.Expr, following: ast.stmt | None, lines: list[str]) -> bool:
    """Whether nothing behind a comparison or below it says that it does not hold."""
    comment, below = _comment_behind(node, lines), _value_below(node, following)
    answers = [comment["told"] if comment is not None else "", ast.unparse(below) if below is not None else ""]
    return not any(literal_or(text, True) is False for text in answers)


def _equated(node: ast.Compare) -> tuple[ast.expr, str, bool] | None:
    """The result that `half(4) == 2` says of the call on its left; an object is compared as it stands."""
    if len(node.ops) > 1 or not isinstance(node.ops[0], ast.Eq) or not isinstance(node.left, ast.Call):
        return None
    right = node.comparators[0]
    if _is_literal(ast.unparse(right)):
        return node.left, ast.unparse(right), True
    return (node, "True", True) if isinstance(right, ast.Call) and last_name(right.func)[:1].isupper() else None


def _resolved(before: list[ast.stmt], call: ast.Call) -> tuple[list[ast.stmt], ast.Call]:
    """Reads `data = load(text)` followed by `print(data["name"])` as `print(load(text)["name"])`.

    Returns:
        The statements without the assignment, and the call with its value; both unchanged where a statement between
        them may change what the value depends on, or a part of what is printed is no variable.
    """
    part = printed_argument(call)
    while isinstance(part, ast.Subscript | ast.Attribute):
        part = part.value
    if not isinstance(part, ast.Name):
        return before, call
    name = part.id
    bound = [at for at, node in enumerate(before) if name in bound_outside_patterns([node])]
    assigned = before[bound[-1]] if bound else None
    if not isinstance(assigned, ast.Assign) or not isinstance(assigned.value, ast.Call | ast.Attribute):
        return before, call
    if len(assigned.targets) > 1 or not isinstance(assigned.targets[0], ast.Name):
        return before, call
    read = {name, *loaded_names(assigned.value)}
    if any(not _only_shows(node, read) for node in before[bound[-1] + 1 :]):
        return before, call
    inlined = _Inlined(name, assigned.value).visit(copy.deepcopy(call))
    return [*before[: bound[-1]], *before[bound[-1] + 1 :]], inlined


def _only_shows(node: ast.stmt, read: set[str]) -> bool:
    """Whether a statement prints something without a call that may change one of the variables: `print(stack.pop())`.

    The functions themselves are no variables: `print(area(2))` changes nothing that `area(3)` depends on.
    """
    shown = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(shown, ast.Call) or last_name(shown.func) != "print":
        return False
    calls = [one for part in shown.args for one in ast.walk(part) if isinstance(one, ast.Call)]
    objects = [one.func for one in calls if isinstance(one.func, ast.Attribute)]
    given = [part for one in calls for part in (*one.args, *one.keywords)]
    return read.isdisjoint(name for part in (*objects, *given) for name in loaded_names(part))


class _Inlined(ast.NodeTransformer):
    """Puts an expression in place of a variable."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self._name = name
        self._value = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._value if node.id == self._name else node


def _comment_behind(node: ast.stmt, lines: list[str]) -> re.Match[str] | None:
    """The comment in the line in which a statement ends."""
    line = lines[(node.end_lineno or node.lineno) - 1]
    return _COMMENT.search(line[_code_end(line, node) :])


def _value_below(node: ast.stmt, following: ast.stmt | None) -> ast.expr | None:
    """The expression that is all of the line below a statement."""
    end = node.end_lineno or node.lineno
    return following.value if isinstance(following, ast.Expr) and following.value.lineno == end + 1 else None


def _code_end(line: str, node: ast.stmt) -> int:
    """Where a statement ends in its last line, in characters; the syntax tree counts bytes."""
    return len(line.encode()[: node.end_col_offset or 0].decode(errors="ignore"))


def _comment_below(lines: list[str], end: int) -> str:
    """The text of the comments in the lines directly below a place; "" where there are none, or too many."""
    found: list[str] = []
    for line in lines[end:]:
        if not line.startswith("#"):
            break
        found.append(line[2:] if line.startswith("# ") else line[1:])
    if not found or len(found) > _MOST_LINES:
        return ""
    told = _COMMENT.match(f"# {found[0]}")
    return "\n".join([told["told"] if told is not None else "", *found[1:]])


def _is_literal(text: str) -> bool:
    return bool(text) and "..." not in text and literal_or(text, _MARKER) is not _MARKER


def _blocks(raw: str) -> Iterator[tuple[int, str]]:
    """Blocks of code in a docstring with the number of lines before each; those with prompts are left out."""
    lines = source_lines(raw.expandtabs())
    margin = min((_indent(line) for line in lines[1:] if line.strip()), default=0)
    lines = [line[margin:] if at else line for at, line in enumerate(lines)]
    # `f(2)` with `== 4` in the next line is one comparison.
    goes_on = [line.lstrip().startswith("== ") for line in [*lines[1:], ""]]
    lines = [f"{line} \\" if goes_on[at] and line.endswith(")") else line for at, line in enumerate(lines)]
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        end = at + 1
        if fence is not None:
            while end < len(lines) and lines[end].rstrip() != fence[1]:
                end += 1
            yield from _block(lines, at + 1, end)
            end += 1
        elif lines[at].startswith(" "):
            while end < len(lines) and (lines[end].startswith(" ") or not lines[end].strip()):
                end += 1
            yield from _block(lines, at, end)
        at = end


def _block(lines: list[str], start: int, end: int) -> Iterator[tuple[int, str]]:
    """The block between two lines; where it is words with code below them, the blocks that are indented further."""
    text = "\n".join(lines[start:end])
    block = textwrap.dedent(text)
    if ">>>" in block or "(" not in block:
        return
    if parse_or_none(block) is not None:
        yield start, block
        return
    shared = min((_indent(line) for line in lines[start:end] if line.strip()), default=0)
    at = start
    while at < end:
        stop = at + 1
        if _indent(lines[at]) > shared:
            while stop < end and (_indent(lines[stop]) > shared or not lines[stop].strip()):
                stop += 1
            inner = textwrap.dedent("\n".join(lines[at:stop]))
            if parse_or_none(inner) is not None:
                yield at, inner
        at = stop


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
