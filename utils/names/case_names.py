"""Maps tests to the cases of a spec, by case ids in the test or by the names of class, function and row.

`TestCart.test_add_of_apple` proves `tc_cart_add_of_apple`; the row `of_2` of `test_double` proves `tc_double_of_2`.
An id in a row's id or in a docstring takes precedence over names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

CASE_ID = re.compile(r"\btc_[a-z0-9_]+")
TestNode = ast.FunctionDef | ast.AsyncFunctionDef


def snake_case(name: str) -> str:
    """`SortedList` as `sorted_list`, `__len__` as `len`, `Vector2D` as `vector2d`; a-z, 0-9 and single underscores."""
    return slug(re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name))


def slug(text: str) -> str:
    """Lower-case words joined by single underscores."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))


def named_case(owner: str | None, function: str, row: str = "") -> str:
    """The id that names tell; a word that is both class and function, as in `TestLower.test_lower`, counts once.

    Args:
        owner: the test class, None for a function of the module.
        row: the id of a parametrised row.
    """
    words = dict.fromkeys((snake_case((owner or "").removeprefix("Test")), function.removeprefix("test_")))
    return "_".join(("tc", *filter(None, (*words, row))))


def owned_tests(tree: ast.AST, owner: str | None = None) -> Iterator[tuple[TestNode, str | None]]:
    """All test functions below a node, with the class each stands in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from owned_tests(node, node.name)
            continue
        if isinstance(node, TestNode) and node.name.startswith("test"):
            yield node, owner
        yield from owned_tests(node, owner)


def rows_of(test: TestNode) -> Iterator[tuple[ast.Call, str]]:
    """Parametrised rows that have an id, with it."""
    for mark in test.decorator_list:
        for node in ast.walk(mark):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                value = keyword.value
                if keyword.arg == "id" and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield node, value.value  # pyrefly: ignore[invalid-yield]


def row_case(owner: str | None, test: TestNode, row: str, known: Container[str] = ()) -> str:
    """The case that a row proves; empty where neither its id nor its names tell one that is known."""
    if CASE_ID.match(row):
        return row
    named = named_case(owner, test.name, row)
    return named if named in known else ""


def cases_of_test(test: TestNode, owner: str | None, known: Container[str] = ()) -> tuple[str, ...]:
    """The ids of the cases that a test proves, those of its rows first.

    Args:
        owner: the class it stands in.
        known: ids that names may tell: a name alone proves nothing.
    """
    ids = [row_case(owner, test, row, known) for _, row in rows_of(test)]
    ids += CASE_ID.findall(ast.get_docstring(test) or "")
    named = named_case(owner, test.name)
    if not any(ids) and named in known:
        ids.append(named)
    return tuple(dict.fromkeys(filter(None, ids)))
