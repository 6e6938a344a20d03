"""Reads the results that a document shows below its doctest prompts."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ....utils.python_names import printed_argument
from ....utils.python_source import parse_or_none
from ..model.model import PRINTS, Example, Trial


@dataclass(frozen=True, slots=True)
class DocumentedStatement:
    """A statement behind a prompt, with the result that stands below it; `want` is empty where none does."""

    node: ast.stmt
    want: str = ""
    line: int = 0


def documented_statements(examples: Iterable[Example]) -> list[DocumentedStatement]:
    """The statements of a document's prompts in their order; the result of a prompt is that of its only statement."""
    found: list[DocumentedStatement] = []
    for example in examples:
        tree = parse_or_none(example.act)
        body = tree.body if tree is not None else []
        want = example.want if len(body) == 1 else ""
        found += [DocumentedStatement(node, want, example.line if want else 0) for node in body]
    return found


class DocumentedResults:
    """The results of one document, by the expressions that they are shown for.

    Args:
        path: of the document, relative to the project.
        statements: of its prompts; the trees that steps are made of.
    """

    def __init__(self, path: str = "", statements: Iterable[DocumentedStatement] = ()) -> None:
        self._path = path
        self._shown = {
            id(expression): (f"{prefix}{one.want}", one.line)
            for one in statements
            if one.want.strip() and isinstance(one.node, ast.Expr)
            for expression, prefix in _asked(one.node.value, one.want)
        }

    def told(self, trial: Trial, act: ast.expr) -> Trial:
        """The trial of an act with the result that the document shows for it."""
        want, line = self._shown.get(id(act), ("", 0))
        return replace(trial, wanted=want, wanted_line=line, wanted_path=self._path) if want else trial


def _asked(value: ast.expr, want: str) -> list[tuple[ast.expr, str]]:
    """An expression with what its result is told by, and what `print` shows of another one."""
    printed = printed_argument(value) if isinstance(value, ast.Call) else None
    if printed is None:
        return [(value, "")]
    return [(value, ""), (printed, "" if "Traceback" in want else PRINTS)]
