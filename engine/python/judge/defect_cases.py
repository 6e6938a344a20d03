"""Turns a suspected defect into the case that a document promises and the code fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ....utils.python_source import expression_or_none, literal_or, literal_value, parse_or_none
from ..model.spec_case import Case, SpecEvidence, SpecExpectation
from ..source.titles import cut_slug, subject_slug
from .defects import LONGEST
from .documented_exceptions import importable_exception

_RAISES = re.compile(r"raises (?P<name>[A-Za-z_][\w.]*)(: (?P<message>.+))?", re.DOTALL)
_ANNOTATION = "the annotation -> "
_NO_DOCUMENT = "no document announces "
_ANY_TEXT = ("...", "<BLANKLINE>")
"""Marks of a doctest that stand for other text."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Expected = tuple[tuple[Mapping[str, str], ...], tuple[str, ...]]
"""The fields of the expectations, and what they import."""


def defect_case(
    defect: Mapping[str, Any], module: str, path: str = "", source: str = ""
) -> tuple[Case, tuple[str, ...]] | None:
    """The case of one suspected defect in Python code, and the import statements that it needs.

    Args:
        defect: an entry of `suspected_defects` that the engine made.
        module: the target's, from which an exception is imported that it binds.
        path: the target's file; where it documents the subject, the test names that.
        source: the target's text, which tells what it binds, and whether the subject returns values.

    Returns:
        None where its lines are not statements that end in an expression, or what is documented is no value, output,
        exception or type that a test can compare, or may be either output or a value.
    """
    lines = parse_or_none(str(defect.get("reproduce") or ""))
    if lines is None or not lines.body or not isinstance(lines.body[-1], ast.Expr):
        return None
    imports = [ast.unparse(node) for node in lines.body if isinstance(node, ast.Import | ast.ImportFrom)]
    arrange = [ast.unparse(node) for node in lines.body[:-1] if not isinstance(node, ast.Import | ast.ImportFrom)]
    expected = _expected(defect, module, parse_or_none(source) or ast.Module([], []))
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
    return SpecExpectation(**fields, origin="documented", evidence=evidence)  # pyrefly: ignore[bad-argument-type]


def _expected(defect: Mapping[str, Any], module: str, tree: ast.Module) -> _Expected | None:
    documented, observed = str(defect["documented"]), str(defect.get("observed") or "")
    if documented.startswith(_NO_DOCUMENT):
        return (), ()  # to come to its end is all that is promised
    raises = _RAISES.fullmatch(documented)
    if raises is not None:
        found = importable_exception(raises["name"], module, tree)
        return None if found is None else (({"kind": "raises", "exception": found[0]},), tuple(filter(None, found[1:])))
    if documented.startswith(_ANNOTATION):
        return _of_type(documented.removeprefix(_ANNOTATION))
    if len(documented) >= LONGEST or any(mark in documented for mark in _ANY_TEXT):
        return None  # it is cut, or shown in part
    returns = _returns_values(str(defect["subject"]), tree)
    if observed.startswith("prints "):
        return None if returns else _output(documented, observed)
    if observed.startswith("returns "):
        return _equal_to(documented, observed)
    return None if returns is False else _value(documented)  # no result is known: it may have been printed


def _of_type(annotation: str) -> _Expected | None:
    node = expression_or_none(annotation)
    node = node.value if isinstance(node, ast.Subscript) else node
    return (({"kind": "is_instance", "value": node.id},), ()) if isinstance(node, ast.Name) else None


def _output(documented: str, observed: str) -> _Expected | None:
    """What is printed; None where a result was seen as well, or may be the last line that is documented."""
    printed = literal_or(observed.removeprefix("prints "), None)
    before, _, last = documented.rpartition("\n")
    if not isinstance(printed, str) or (printed.strip() == before and literal_or(last, None) is not None):
        return None
    return ({"kind": "output", "value": repr(f"{documented}\n")},), ()


def _equal_to(documented: str, observed: str) -> _Expected | None:
    """A result as a doctest shows it: as a value where it is a literal, else by what `repr` or `print` shows of it."""
    is_text = observed.startswith(("returns '", 'returns "'))
    try:
        value = literal_value(documented)
    except ValueError:
        if "\n" in documented:  # how a result is laid out does not count
            return None
        shown = "str" if is_text else "repr"
        return ({"kind": "equals", "actual": f"{shown}(result)", "value": repr(documented)},), ()
    # Of a text, "3" may be what `print` shows.
    return None if is_text and not isinstance(value, str) else _value(documented)


def _value(documented: str) -> _Expected | None:
    """A result that is a literal; None for another one."""
    try:
        value = literal_value(documented)
    except ValueError:
        return None
    if isinstance(value, float):
        return ({"kind": "approx", "value": documented},), ()
    if value is None or isinstance(value, bool):
        return ({"kind": "is", "value": documented},), ()
    return ({"kind": "equals", "value": ast.unparse(ast.parse(documented, mode="eval"))},), ()


def _returns_values(subject: str, tree: ast.Module) -> bool | None:
    """Whether a function returns or yields values, by its annotation or else its statements; None where unknown."""
    found: ast.AST = tree
    for name in subject.split("."):
        inside = (node for node in ast.iter_child_nodes(found) if isinstance(node, _DEFINITIONS) and node.name == name)
        found = next(inside, ast.Pass())
    if not isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    if found.returns is not None:
        return not (isinstance(found.returns, ast.Constant) and found.returns.value is None)
    return any(_gives_a_value(node) for node in _own_nodes(found))


def _gives_a_value(node: ast.AST) -> bool:
    if isinstance(node, ast.Return):
        return node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None)
    return isinstance(node, ast.Yield | ast.YieldFrom)


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and classes inside of it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            yield node
            waiting += ast.iter_child_nodes(node)
