"""The page of broken and hostile answers names a test for each, and leaves none of the listed ones out."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from testwright.tests.support.agents.hostile_tests import HOSTILE

pytestmark = pytest.mark.feature("B-14", "B-15")

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "model-answers.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line.startswith("| ")]
ROWS = [row for row in ROWS if row[0] != "answer"]
KEPT_ONCE = 6


@cache
def source_of(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_row_names_a_test_that_exists(row: list[str]) -> None:
    _, becomes, test = row
    assert becomes
    found = re.fullmatch(r"`(?P<path>[\w/]+\.py)::(?P<name>\w+)(?:\[(?P<given>[^\]]+)\])?`", test)
    assert found is not None
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {node.name for node in ast.parse(source_of(found["path"])).body if isinstance(node, functions)}
    assert found["name"] in names
    assert not found["given"] or found["given"] in HOSTILE or f'"{found["given"]}"' in source_of(found["path"])


def test_there_are_more_scenarios_than_were_ever_found_and_each_stands_once() -> None:
    assert len({row[0] for row in ROWS}) == len(ROWS) >= 45


def test_every_hostile_test_is_listed_with_the_word_that_names_it() -> None:
    listed = {found[1]: row[1] for row in ROWS if (found := re.search(r"is_refused_and_named\[(\w+)\]", row[2]))}
    assert listed == {name: f"refused: `{said}`" for name, (said, _) in HOSTILE.items()}
    assert sum(row[0].endswith("†") for row in ROWS) == KEPT_ONCE
