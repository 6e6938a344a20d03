"""Measures how well get_codebase_context finds what a question asks for, beside plain grep.

    python benchmarks/context_search.py
    python benchmarks/context_search.py click --top 10 --misses

The questions and their answers stand in `benchmarks/context/`: a passage is right when it overlaps the function, method
or class that an answer names, or lies in the file where it names only that. recall@5 is the share of questions with a
right passage among the first five. grep gets the words of the question and is believed file by file: the five files
with the most matching lines, which is easier to get right than five passages, so the search is given by file as well.
Sources come from `pip download --no-binary :all: --no-deps`, at the version that the questions were written for.
With TESTWRIGHT_EMBEDDINGS set, the ranking by words and meanings is measured too.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testwright.analysis.code_search.index import CodebaseIndex, Match
from testwright.analysis.code_search.vectors import PassageVectors
from testwright.app.tool_factory import vectors_of
from testwright.config.settings import load_settings

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = Path(__file__).parent / "context"
ENOUGH = 0.8
SHORTEST_WORD = 4


@dataclass(frozen=True)
class Answer:
    """A right place: a file, and the lines in it unless any will do."""

    path: str
    lines: tuple[int, int] | None

    def is_met_by(self, match: Match) -> bool:
        """Whether a passage shows some of it."""
        chunk = match.passage.chunk
        overlaps = self.lines is None or (chunk.first <= self.lines[1] and chunk.last >= self.lines[0])
        return match.passage.path == self.path and overlaps


@dataclass
class Row:
    """Counts of questions answered right, and the seconds of the first and of a later search."""

    project: str
    questions: int = 0
    passages: int = 0
    files: int = 0
    grep: int = 0
    first: float = 0.0
    later: float = 0.0


def main() -> None:
    """Measure every project named, all of them without a name; exits with 1 below recall@5 of 0.8."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", help="names of files in benchmarks/context")
    parser.add_argument("--top", type=int, default=5)
    parser.add_argument("--misses", action="store_true", help="print the questions that were not answered")
    arguments = parser.parse_args()
    wanted = arguments.projects or sorted(path.stem for path in QUESTIONS.glob("*.json"))
    with tempfile.TemporaryDirectory(prefix="context-search-") as folder:
        rows = [
            measured(json.loads((QUESTIONS / f"{name}.json").read_text()), Path(folder), arguments) for name in wanted
        ]
    top = arguments.top
    print(f"{'project':<12} questions  passages@{top}  files@{top}  grep files@{top}  first s  later ms")
    for row in rows:
        shares = [getattr(row, one) / row.questions for one in ("passages", "files", "grep")]
        print(
            f"{row.project:<12} {row.questions:>9}  {shares[0]:>10.2f}  {shares[1]:>7.2f}  {shares[2]:>12.2f}"
            f"  {row.first:>7.2f}  {row.later * 1000:>8.1f}"
        )
    total = sum(row.questions for row in rows)
    recall = sum(row.passages for row in rows) / total
    grep = sum(row.grep for row in rows) / total
    print(f"recall@{top} over {total} questions: {recall:.2f}; plain grep, by file: {grep:.2f}")
    if top == 5 and recall < ENOUGH:
        sys.exit(1)


def measured(asked: dict[str, Any], folder: Path, arguments: argparse.Namespace) -> Row:
    """Ask all questions of one project."""
    root = downloaded(asked["project"], asked["version"], folder) if asked["version"] else ROOT
    index = CodebaseIndex(root, folder / f"{asked['project']}.json", embeddings(folder))
    row = Row(asked["project"])
    for question in asked["questions"]:
        began = time.monotonic()
        matches = index.search(question["question"], limit=arguments.top).matches
        spent = time.monotonic() - began
        row.first, row.later = (spent, row.later) if not row.questions else (row.first, max(row.later, spent))
        answers = [place(root, answer) for answer in question["answers"]]
        found = any(answer.is_met_by(match) for answer in answers for match in matches)
        paths = {answer.path for answer in answers}
        row.questions += 1
        row.passages += found
        row.files += bool(paths & {match.passage.path for match in matches})
        row.grep += bool(paths & set(grepped(root, question["question"], arguments.top)))
        if arguments.misses and not found:
            print(f"  {question['question']}: {[f'{hit.passage.path}:{hit.passage.chunk.first}' for hit in matches]}")
    return row


def embeddings(folder: Path) -> PassageVectors | None:
    """The embeddings model of the environment, if one is set."""
    return vectors_of(load_settings({"root": ROOT, "state_dir": folder}), os.environ)


def place(root: Path, answer: str) -> Answer:
    """An answer as written, `path` or `path::Name.name`, with its lines."""
    path, _, name = answer.partition("::")
    node: ast.AST = ast.parse((root / path).read_text())
    if not name:
        return Answer(path, None)
    for part in name.split("."):
        node = next(one for one in ast.walk(node) if getattr(one, "name", None) == part and hasattr(one, "body"))
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return Answer(path, (first, node.end_lineno or first))


def grepped(root: Path, question: str, top: int) -> list[str]:
    """The files with the most lines that hold a word of the question, as grep counts them."""
    words = [word for word in re.findall(r"\w+", question) if len(word) >= SHORTEST_WORD]
    command = ["grep", "-rIicE", "--include=*.py", "--include=*.md", "--include=*.rst", "|".join(words), "."]
    folders = [f"--exclude-dir={one}" for one in (".venv", ".git", "node_modules", ".testwright")]
    told = subprocess.run([*command, *folders], cwd=root, capture_output=True, text=True, check=False).stdout
    counts = Counter({line.rpartition(":")[0]: int(line.rpartition(":")[2]) for line in told.splitlines()})
    order = sorted(counts, key=lambda path: (-counts[path], path))
    return [path.removeprefix("./") for path in order[:top]]


def downloaded(name: str, version: str, folder: Path) -> Path:
    """The unpacked source distribution of a package."""
    into = folder / name
    command = ["pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps", "--dest", str(into)]
    subprocess.run([sys.executable, "-m", *command, f"{name}=={version}"], check=True)
    [archive] = into.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(into, filter="data")
    return next(path for path in into.iterdir() if path.is_dir())


if __name__ == "__main__":
    main()
