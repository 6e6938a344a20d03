"""The page of the contracts' examples names a test for each, which carries the number of its feature."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "contract-examples.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line.startswith("| ")]
ROWS = [row for row in ROWS if row[0] != "feature"]
CONTRACTS = [
    *(f"C-{number:02}" for number in range(1, 7)),
    *(f"D-{number:02}" for number in range(1, 10)),
    *(f"P-{number:02}" for number in range(1, 13)),
]


@cache
def features_of(path: str) -> dict[str, set[str]]:
    """Numbers of the features that each test of a file carries; those of the whole file count for all."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    marks = (node.value for node in tree.body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node))
    of_file = {number for mark in marks for number in numbers(mark)}
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {
        one.name: of_file | {number for mark in one.decorator_list for number in numbers(mark)} for one in functions
    }


def numbers(mark: ast.expr) -> Iterator[str]:
    for node in ast.walk(mark):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.feature"):
            yield from (str(given.value) for given in node.args if isinstance(given, ast.Constant))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]}")
def test_each_example_is_a_test_that_carries_the_number_of_its_feature(row: list[str]) -> None:
    feature, example, test = row
    assert example
    found = re.fullmatch(r"`(?P<path>[\w/]+\.py)::(?P<name>\w+)`", test)
    assert found is not None
    assert feature in features_of(found["path"]).get(found["name"], set())


@pytest.mark.parametrize("feature", CONTRACTS)
def test_every_contract_has_an_example(feature: str) -> None:
    assert any(row[0] == feature for row in ROWS)
