"""Counts how many planted performance faults the kept performance tests of a project catch.

    python benchmarks/planted_slowdowns.py ROOT [--count 12] [--seed 1] [--source src]

ROOT is a project with accepted performance tests; it is copied, and each fault is planted in the copy. The tests must
pass three times in a row without one. Only functions that have a test count; the others are listed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from testwright.mutation.slowdowns import KINDS, Slowdown, sample, slowdowns
from testwright.utils.names.case_names import snake_case

SECONDS = 300


def main() -> int:
    """Plant, run, print; 1 where the tests do not pass as they are."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="slowdowns-") as folder:
        root = Path(folder, "project")
        shutil.copytree(options.root, root, ignore=shutil.ignore_patterns(".testwright", "__pycache__", ".venv"))
        tests = sorted(root.glob("tests/generated/performance/test_*.py"))
        for number in range(3):
            if not _passes(root, tests, options.source):
                print(f"the tests do not pass as they are (run {number + 1})")
                return 1
        print(f"{len(tests)} files of tests pass three times in a row")
        found: list[tuple[Path, Slowdown]] = []
        untested: list[str] = []
        for test in tests:
            module = _module_of(test, root)
            text = test.read_text()
            for one in slowdowns(module.read_text()):
                if _is_tested(one.name, text):
                    found.append((module, one))
                else:
                    untested.append(one.name)
        chosen = sample([one for _, one in found], options.count, options.seed)
        caught = [one for one in chosen if _caught(one, found, root, tests, options.source)]
    print(f"caught {len(caught)} of {len(chosen)}: " + _by_kind(chosen, caught))
    print(f"functions without a performance test: {', '.join(sorted(set(untested))) or 'none'}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source", default="src")
    return parser.parse_args()


def _module_of(test: Path, root: Path) -> Path:
    """The file that the tests were generated from, as their first line says."""
    first = test.read_text().partition("\n")[0]
    return root / first.partition(" from ")[2].partition(";")[0]


def _is_tested(name: str, text: str) -> bool:
    """Whether a test is named after the function: one that only arranges for another is not what is timed."""
    words = snake_case(name.replace(".", "_"))
    titles = [line for line in text.splitlines() if line.startswith("def test_")]
    return any(re.match(rf"def test_(a_repeated_)?{words}_(grows|takes|costs|comes)", title) for title in titles)


def _caught(one: Slowdown, found: list[tuple[Path, Slowdown]], root: Path, tests: list[Path], source: str) -> bool:
    module = next(path for path, other in found if other is one)
    before = module.read_text()
    module.write_text(one.source)
    try:
        noticed = not _passes(root, tests, source)
    finally:
        module.write_text(before)
    print(f"{'caught' if noticed else 'MISSED'}  {one.kind} in {one.name} ({module.name}:{one.line})", flush=True)
    return noticed


def _passes(root: Path, tests: list[Path], source: str) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:langsmith_plugin", *map(str, tests)]
    environment = {**os.environ, "PYTHONPATH": str(root / source), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _by_kind(chosen: list[Slowdown], caught: list[Slowdown]) -> str:
    parts = []
    for kind in KINDS:
        of = [one for one in chosen if one.kind == kind]
        if of:
            parts.append(f"{kind} {sum(one in caught for one in of)} of {len(of)}")
    return ", ".join(parts)


if __name__ == "__main__":
    sys.exit(main())
