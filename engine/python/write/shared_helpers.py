"""Functions that several tests arrange alike stand once, at the top of the test file (B-06)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ....utils.python_source import parse_python
from ..facts.optional_imports import missing_words
from ..judge.selection import free_names
from ..model.spec_case import Case
from ..source.case_shapes import bound_names


def lifted(cases: Sequence[Case]) -> tuple[list[str], list[Case]]:
    """The functions to write before the tests, and the cases without them. Raises SyntaxError.

    A function that stands in one test only, or reads what its test arranged, stays where it is; one that loads the
    module in another way never does.
    """
    alike = Counter(text for case in cases for text in dict.fromkeys(case.statements) if _is_free(text, case))
    names: dict[str, str] = {}
    for text, count in alike.items():
        if count > 1 or missing_words([text]):
            names.setdefault(_name(text) or "", text)
    shared = set(names.values())
    return list(names.values()), [
        replace(case, statements=tuple(text for text in case.statements if text not in shared)) for case in cases
    ]


def _name(statement: str) -> str | None:
    """The name of the function that a statement defines."""
    if not statement.startswith("def "):
        return None
    node = parse_python(statement).body[0]
    return node.name if isinstance(node, ast.FunctionDef) else None


def _is_free(statement: str, case: Case) -> bool:
    if _name(statement) is None:
        return False
    others = [text for text in case.statements if text != statement]
    return free_names(statement).isdisjoint(bound_names(others) | set(case.fixtures))
