"""Runs testwright on real packages' source trees and prints what came of it.

    python benchmarks/real_packages.py humanize inflection --twice
    python benchmarks/real_packages.py --tree path/to/unpacked/sdist

For each package: modules with public functions or classes, those with kept tests, mean branch coverage by the kept
tests, seconds, idle share, how many of three shuffled repeats of the accepted files pass, and with --twice whether
plan, specs and tests of a second run are the same bytes. Sources come from `pip download --no-binary :all: --no-deps`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHUFFLE = """
import os, random

def pytest_collection_modifyitems(items):
    random.Random(int(os.environ["SHUFFLE"])).shuffle(items)
"""


@dataclass
class Row:
    """One line of the table. Shares are between 0 and 1."""

    package: str
    modules: int
    with_tests: int
    tests: int
    branches: float
    seconds: float
    idle: float
    passes: str
    same: str
    defects: int
    unexplained: int


def main() -> None:
    """Measure every package named, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", help="names to download")
    parser.add_argument("--tree", action="append", default=[], type=Path, help="an unpacked source tree")
    parser.add_argument("--twice", action="store_true", help="run again and compare the bytes")
    parser.add_argument("--jobs", default="2")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="real-packages-") as folder:
        trees = [shutil.copytree(tree, Path(folder) / "given" / tree.name, symlinks=True) for tree in arguments.tree]
        trees += [downloaded(name, Path(folder)) for name in arguments.packages]
        rows = []
        for tree in trees:
            rows.append(measured(tree, arguments.jobs, twice=arguments.twice))
            print(told(rows[-1]), flush=True)
    modules, tested = sum(row.modules for row in rows), sum(row.with_tests for row in rows)
    mean = sum(row.branches * row.modules for row in rows) / max(1, modules)
    print(
        f"\n{tested} of {modules} modules with tests ({tested / max(1, modules):.0%}), mean branch coverage {mean:.1%}"
    )


def downloaded(name: str, folder: Path) -> Path:
    """The unpacked source distribution of a package."""
    into = folder / name
    command = ["pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps", "--dest", str(into), name]
    subprocess.run([sys.executable, "-m", *command], check=True)
    [archive] = into.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(into, filter="data")
    return next(path for path in into.iterdir() if path.is_dir())


def measured(tree: Path, jobs: str, *, twice: bool) -> Row:
    """Run on a fresh copy of a tree, and judge what came of it."""
    copy = shutil.copytree(tree, tree.with_name(f"{tree.name}-first"), symlinks=True)
    began = time.monotonic()
    report = run(copy, jobs)
    seconds = time.monotonic() - began
    same = "-"
    if twice:
        again = shutil.copytree(tree, tree.with_name(f"{tree.name}-again"), symlinks=True)
        run(again, jobs)
        same = "yes" if made(copy) == made(again) else "NO"
    targets = [
        target
        for target in report["targets"]
        if target["cases"] or target["not_reached"] or target["status"] == "failed"
    ]
    shares = [share(target["coverage"]["after"]) for target in targets]
    known = [share for share in shares if share is not None]
    return Row(
        package=tree.name,
        modules=len(targets),
        with_tests=sum(bool(target["kept"]) for target in targets),
        tests=report["totals"]["kept"],
        branches=sum(known) / max(1, len(known)),
        seconds=seconds,
        idle=report["run"]["idle"]["share"],
        passes=repeats(copy, report),
        same=same,
        defects=report["totals"]["suspected_defects"],
        unexplained=sum(not row["reason"] for target in targets for row in target["not_reached"]),
    )


def run(copy: Path, jobs: str) -> dict[str, Any]:
    """One run of the command, as its JSON report."""
    command = [sys.executable, str(ROOT / "main.py"), "run", "unit tests for the whole project", "--json"]
    done = subprocess.run(
        [*command, "--root", str(copy), "--run-id", "bench", "--jobs", jobs],
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout.strip():
        raise SystemExit(f"{copy.name}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def made(copy: Path) -> dict[str, bytes]:
    """Plan, specs and staged tests of a run."""
    folder = copy / ".testwright" / "runs" / "bench"
    kept = [folder / "plan.json", *(folder / "specs").rglob("*"), *(folder / "staged").rglob("*")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(kept) if path.is_file()}


def share(coverage: dict[str, int] | None) -> float | None:
    """Branch coverage, or statement coverage where there are no branches; None where nothing was measured."""
    if coverage is None:
        return 0.0
    if coverage["branches"]:
        return coverage["covered_branches"] / coverage["branches"]
    return coverage["covered"] / coverage["statements"] if coverage["statements"] else None


def repeats(copy: Path, report: dict[str, Any]) -> str:
    """How many of three shuffled runs of the accepted files pass, outside testwright."""
    files = [row["path"] for row in report["files"] if row["outcome"] in ("added", "updated", "unchanged")]
    if not files:
        return "-"
    plugin = copy / ".testwright" / "shuffle_for_benchmark.py"
    plugin.write_text(SHUFFLE)
    roots = [str(copy), str(copy / "src"), str(plugin.parent)]
    passed = 0
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots), "SHUFFLE": seed, "PYTHONHASHSEED": seed}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "shuffle_for_benchmark",
            "-c",
            os.devnull,
            "--rootdir",
            str(copy),
        ]
        done = subprocess.run(
            [*command, *files], cwd=copy, env=environment, capture_output=True, text=True, check=False
        )
        passed += done.returncode == 0
        if done.returncode:
            print(done.stdout[-2000:], file=sys.stderr)
    return f"{passed}/3"


def told(row: Row) -> str:
    """The row as a line."""
    return (
        f"{row.package:26} {row.with_tests:3}/{row.modules:<3} modules {row.tests:5} tests  "
        f"branches {row.branches:6.1%}  "
        f"{row.seconds:6.1f} s  idle {row.idle:5.1%}  repeats {row.passes}  same {row.same}  defects {row.defects}"
        f"  unexplained {row.unexplained}"
    )


if __name__ == "__main__":
    main()
