"""Reads the results that a document shows below its doctest prompts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ....utils.python_names import assigned_variable, printed_argument
from ....utils.python_source import parse_or_none
from ..model.model import PRINTS, Example, Trial


@dataclass(frozen=True, slots=True)
class DocumentedStatement:
    """A statement of a document, with the result that it shows for it; `want` is empty where it shows none.

    Attributes:
        certain: whether `want` surely is what the statement shows; words of a comment may speak of something else.
    """

    node: ast.stmt
    want: str = ""
    line: int = 0
    certain: bool = True


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
        statements: of its prompts and blocks; the trees that steps are made of.
    """

    def __init__(self, path: str = "", statements: Iterable[DocumentedStatement] = ()) -> None:
        self._path = path
        statements = list(statements)
        self._shown = {id(asked): (want, line) for asked, want, line in _asked(statements)}
        self._uncertain = {one.line for one in statements if not one.certain}

    def told(self, trial: Trial, act: ast.expr) -> Trial:
        """The trial of an act with the result that the document shows for it."""
        want, line = self._shown.get(id(act), ("", 0))
        source = "prose" if line in self._uncertain else trial.source
        return replace(trial, wanted=want, wanted_line=line, wanted_path=self._path, source=source) if want else trial


def _asked(statements: Iterable[DocumentedStatement]) -> Iterator[tuple[ast.expr, str, int]]:
    """Generates expressions with what is wanted of each and its line: what prompts ask, what `print` shows of another
    one, and what a variable was assigned that a later prompt asks for."""
    bound: dict[str, ast.expr] = {}
    for one in statements:
        assigned = assigned_variable(one.node)
        if assigned is not None:
            bound[assigned[0]] = assigned[1]
        if not (one.want.strip() and isinstance(one.node, ast.Expr)):
            continue
        value = one.node.value
        yield value, one.want, one.line
        printed = printed_argument(value) if isinstance(value, ast.Call) else None
        if printed is not None:
            yield printed, one.want if "Traceback" in one.want else f"{PRINTS}{one.want}", one.line
        made = bound.pop(value.id, None) if isinstance(value, ast.Name) else None
        if made is not None:
            yield made, one.want, one.line
