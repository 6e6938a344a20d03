"""The page that names a test for each way to do harm names tests and modules that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "security-tests.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
ROWS = [row for row in ROWS if row[1] != "found once"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_each_row_names_a_module_and_a_test_that_exist(row: list[str]) -> None:
    _, _, rule, module, test = row
    assert rule
    assert (ROOT / re.findall(r"`([^`]+)`", module)[0]).exists()
    path, _, name = test.strip("`").partition("::")
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {node.name for node in ast.parse((ROOT / path).read_text("utf-8")).body if isinstance(node, functions)}
    assert name in names


def test_every_finding_has_a_row() -> None:
    numbers = [*range(1, 26), 28, 30]
    assert {row[0] for row in ROWS} - {""} == {f"D{number}" for number in numbers}


def test_the_corpus_lists_every_kind() -> None:
    """In its README, by the file that has it."""
    listed = (ROOT / "tests" / "hostile" / "README.md").read_text("utf-8")
    for path in sorted((ROOT / "tests" / "data" / "hostile").glob("*.py")):
        [line] = [line for line in listed.splitlines() if line.startswith(f"| `{path.name}`")]
        nodes = ast.parse(path.read_text("utf-8")).body
        kinds = {node.name for node in nodes if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}
        assert kinds == set(re.findall(r"`(\w+)`", line.split("|")[2])), path.name
    for path in sorted((ROOT / "tests" / "hostile").glob("test_*.py")):
        assert f"`{path.name}`" in listed
