"""Turns a suspected defect into the case that a document promises and the code fails."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping
from typing import Any

from ....utils.python_source import expression_or_none, literal_value, parse_or_none
from ..model.spec_case import Case, SpecEvidence, SpecExpectation
from ..source.titles import cut_slug, subject_slug

_RAISES = re.compile(r"raises (?P<name>[A-Za-z_][\w.]*)(: (?P<message>.+))?", re.DOTALL)
_ANNOTATION = "the annotation -> "
_NO_DOCUMENT = "no document announces "


def defect_case(defect: Mapping[str, Any], module: str, path: str = "") -> tuple[Case, tuple[str, ...]] | None:
    """The case of one suspected defect in Python code, and the import statements that it needs.

    Args:
        defect: an entry of `suspected_defects` that the engine made.
        module: the target's, from which an exception is imported that is not built in.
        path: the target's file; where it documents the subject, the test names that.

    Returns:
        None where its lines are not statements that end in an expression, or what is documented is no value, output,
        exception or type that a test can compare.
    """
    lines = parse_or_none(str(defect.get("reproduce") or ""))
    if lines is None or not lines.body or not isinstance(lines.body[-1], ast.Expr):
        return None
    imports = [ast.unparse(node) for node in lines.body if isinstance(node, ast.Import | ast.ImportFrom)]
    arrange = [ast.unparse(node) for node in lines.body[:-1] if not isinstance(node, ast.Import | ast.ImportFrom)]
    documented = str(defect["documented"])
    expected = _expected(documented, str(defect.get("observed") or ""), module)
    if expected is None:
        return None
    expectations, more = expected
    place = defect.get("evidence") or {}
    subject, evidence = str(defect["subject"]), None
    if place:
        first, last = place.get("lines") or (1, 1)
        evidence = SpecEvidence(str(place["path"]), (first, last), subject if place["path"] == path else "")
    case = Case(
        id=f"tc_{cut_slug(subject_slug(subject))}_as_documented",
        title=str(defect["title"]),
        subject=subject,
        expression=ast.unparse(lines.body[-1].value),
        expect=tuple(_documented(one, evidence) for one in expectations),
        statements=tuple(arrange),
        priority="high",
    )
    return case, (*imports, *more)


def _documented(fields: Mapping[str, str], evidence: SpecEvidence | None) -> SpecExpectation:
    return SpecExpectation(**fields, origin="documented", evidence=evidence)  # type: ignore[arg-type]


def _expected(
    documented: str, observed: str, module: str
) -> tuple[tuple[Mapping[str, str], ...], tuple[str, ...]] | None:
    """The fields of the expectations, and what they import."""
    if documented.startswith(_NO_DOCUMENT):
        return (), ()  # to come to its end is all that is promised
    raises = _RAISES.fullmatch(documented)
    if raises is not None:
        name = raises["name"].rpartition(".")[2]
        expected = {"kind": "raises", "exception": name}
        return (expected,), () if hasattr(builtins, name) else (f"from {module} import {name}",)
    if documented.startswith(_ANNOTATION):
        return _of_type(documented.removeprefix(_ANNOTATION))
    if observed.startswith("prints "):
        return ({"kind": "output", "value": repr(f"{documented}\n")},), ()
    return _equal_to(documented, observed)


def _of_type(annotation: str) -> tuple[tuple[Mapping[str, str], ...], tuple[str, ...]] | None:
    node = expression_or_none(annotation)
    node = node.value if isinstance(node, ast.Subscript) else node
    return (({"kind": "is_instance", "value": node.id},), ()) if isinstance(node, ast.Name) else None


def _equal_to(documented: str, observed: str) -> tuple[tuple[Mapping[str, str], ...], tuple[str, ...]] | None:
    """A result as a doctest shows it: as a value where it is a literal, else by what `repr` or `print` shows of it."""
    try:
        value = literal_value(documented)
    except ValueError:
        if "..." in documented:  # it stands for any text
            return None
        shown = "str" if observed.startswith(("returns '", 'returns "')) else "repr"
        return ({"kind": "equals", "actual": f"{shown}(result)", "value": repr(documented)},), ()
    if isinstance(value, float):
        return ({"kind": "approx", "value": documented},), ()
    if value is None or isinstance(value, bool):
        return ({"kind": "is", "value": documented},), ()
    return ({"kind": "equals", "value": ast.unparse(ast.parse(documented, mode="eval"))},), ()
