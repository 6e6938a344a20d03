"""Tells which cases do the same, however they are written."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ...utils.python_source import parse_or_none

Act = tuple[Any, ...]


def act_of(case: Mapping[str, Any]) -> Act:
    """The identity of what a case does: arrangement and act, without how they are written."""
    arrange, act = case.get("arrange") or {}, case.get("act") or {}
    statements = tuple(normal_code(str(text)) for text in arrange.get("statements") or ())
    fixtures = tuple(sorted(arrange.get("fixtures") or ()))
    steps = repr({key: value for key, value in sorted(act.items()) if key not in ("expression", "mode")})
    return (statements, fixtures, normal_code(str(act.get("expression") or "")), act.get("mode") or "call", steps)


def normal_code(text: str) -> str:
    """Code as Python writes it; text that is no code as it stands."""
    tree = parse_or_none(text.strip())
    return text.strip() if tree is None else ast.unparse(tree)
