"""Lists the branches that the kept tests never took, by the condition in the code that leads to them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...utils.python_source import parse_python
from ..model.coverage_data import FileCoverage

MOST = 40
_LONGEST = 80
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Owner = tuple[str, _Function]


@dataclass(frozen=True, slots=True)
class UncoveredBranch:
    """One thing that never happened.

    Attributes:
        subject: qualified name of the function it stands in; `module` outside of functions.
    """

    subject: str
    reason: str
    line: int

    def to_dict(self) -> dict[str, str | int]:
        """JSON form, as in a spec's `not_reached`."""
        return {"subject": self.subject, "reason": self.reason, "line": self.line}


def uncovered_branches(coverage: FileCoverage, source: str, most: int = MOST) -> tuple[UncoveredBranch, ...]:
    """What never ran in a file, in order of its lines; the last one counts what is left out beyond `most`.

    Functions of which nothing ran are told once, as a whole; they look dead when they are private and nothing in the
    file uses their name. Of what ran, each condition, loop, pattern and `except` is told that never went a way.

    Raises:
        SyntaxError: it is no Python.
    """
    tree = parse_python(source)
    owners = list(_functions(tree))
    silent = [(name, node) for name, node in owners if _is_silent(node, coverage)]
    inside = {line for _, node in silent for line in range(node.lineno, _end(node) + 1)}
    found = [_whole(name, node, tree) for name, node in silent if not _within(node, [one for _, one in silent])]
    for node in ast.walk(tree):
        for line, reason in _ways(node, coverage):
            if line not in inside:
                found.append(UncoveredBranch(_owner(line, owners), reason, line))
    found.sort(key=lambda one: (one.line, one.reason))
    if len(found) > most:
        rest = found[most - 1 :]
        found[most - 1 :] = [UncoveredBranch("module", f"{len(rest)} more, from this line on", rest[0].line)]
    return tuple(found)


def _functions(node: ast.AST, prefix: str = "") -> Iterator[_Owner]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Function | ast.ClassDef):
            if isinstance(child, _Function):
                yield f"{prefix}{child.name}", child
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def _is_silent(node: _Function, coverage: FileCoverage) -> bool:
    lines = set(range(node.body[0].lineno, _end(node) + 1)) & coverage.statements
    return bool(lines) and not lines & coverage.executed


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _within(node: _Function, others: Iterable[_Function]) -> bool:
    return any(other is not node and other.lineno <= node.lineno and _end(node) <= _end(other) for other in others)


def _owner(line: int, owners: Iterable[_Owner]) -> str:
    around = [(node.lineno, name) for name, node in owners if node.lineno <= line <= _end(node)]
    return max(around)[1] if around else "module"


def _whole(name: str, node: _Function, tree: ast.AST) -> UncoveredBranch:
    private = node.name.startswith("_") and not node.name.endswith("__")
    if private and not _is_used(node, tree):
        return UncoveredBranch(name, "looks dead: it is private, and nothing in its file uses it", node.lineno)
    reason = "never ran: no test reached a call of it" if private else "never ran"
    return UncoveredBranch(name, reason, node.lineno)


def _is_used(function: _Function, tree: ast.AST) -> bool:
    """Whether its name stands anywhere outside of it, texts included: they may be looked up."""
    own = {id(one) for one in ast.walk(function)}
    for node in ast.walk(tree):
        named = (
            (isinstance(node, ast.Name) and node.id)
            or (isinstance(node, ast.Attribute) and node.attr)
            or (isinstance(node, ast.Constant) and node.value)
        )
        if named == function.name and id(node) not in own:
            return True
    return False


def _ways(node: ast.AST, coverage: FileCoverage) -> Iterator[tuple[int, str]]:
    """The line and what never happened there, of one node."""
    if isinstance(node, ast.If | ast.While):
        for inward, line in _missing(node.test.lineno, node.body, coverage):
            yield line, f"`{_words(node.test)}` was never {'true' if inward else 'false'}"
    elif isinstance(node, ast.For | ast.AsyncFor):
        for inward, line in _missing(node.lineno, node.body, coverage):
            items = f"the loop over `{_words(node.iter)}`"
            yield line, f"{items} never had an item" if inward else f"{items} never came to its end"
    elif isinstance(node, ast.match_case):
        for inward, line in _missing(node.pattern.lineno, node.body, coverage):
            yield line, f"`case {_words(node.pattern)}` never {'matched' if inward else 'failed to match'}"
    elif isinstance(node, ast.Try | ast.TryStar):
        tried = any(statement.lineno in coverage.executed for statement in node.body)
        for handler in node.handlers if tried else ():
            first = handler.body[0].lineno
            if first in coverage.statements and first not in coverage.executed:
                caught = _words(handler.type) if handler.type is not None else "anything"
                yield handler.lineno, f"nothing raised `{caught}` where it is caught"


def _missing(line: int, body: list[ast.stmt], coverage: FileCoverage) -> Iterator[tuple[bool, int]]:
    """Ways never taken from a line that ran, and whether they lead into the body."""
    if line not in coverage.executed:
        return
    first, last = _start(body[0]), body[-1].end_lineno or body[-1].lineno
    ways = {first <= target <= last for start, target in coverage.missing_branches if start == line}
    for inward in sorted(ways, reverse=True):
        yield inward, line


def _start(statement: ast.stmt) -> int:
    decorated = getattr(statement, "decorator_list", None)
    return min(one.lineno for one in decorated) if decorated else statement.lineno


def _words(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
