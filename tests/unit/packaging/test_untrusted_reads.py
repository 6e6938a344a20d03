"""What a target or a sandboxed program could have touched is opened through `utils/untrusted_files.py` only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OPENING = {"read_text", "read_bytes", "write_text", "write_bytes", "open", "rglob"}
# A file without one of these names needs no syntax tree.
NAMED = re.compile(rf"\b({'|'.join(OPENING)})\b")
# Files of testwright's own, copies that no program can write, and files that a person names.
OWN = {
    "agents/llm/prompt.py",
    "agents/model/abilities.py",
    "agents/model/prices.py",
    "analysis/openapi/lookup.py",
    "analysis/repository.py",
    "engine/api/write/render.py",
    "engine/python/project/exploration_digest.py",
    "gate/runner/baseline.py",
}


@pytest.mark.parametrize("folder", ["engine", "gate", "agents", "analysis", "graph", "vcs"])
def test_files_of_projects_and_programs_are_opened_in_one_place(folder: str) -> None:
    found = set()
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if NAMED.search(text) else ():
            function = node.func if isinstance(node, ast.Call) else None
            method = isinstance(function, ast.Attribute) and function.attr in OPENING
            if method or (isinstance(function, ast.Name) and function.id == "open"):
                found.add(path.relative_to(ROOT).as_posix())
    assert found - OWN == set()
