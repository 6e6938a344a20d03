"""Runs testwright on ten modules with a loop of the run switched off or on, and prints what each loop brought.

    python benchmarks/ablation.py --sources FOLDER --results benchmarks/results/ablation.jsonl [--seconds 200]

Conditions of a module, each a dry run of its own without models:

    plain     no evidence loop, goal validation, a lorebook kept
    evidence  as plain, with the evidence loop
    no goal   as plain, without goal validation
    second    as plain, once more over the same state: the lorebook of the first run is there

Sources come from `pip download --no-binary :all: --no-deps` into the folder, where they are not there yet. A row is
appended to the results as soon as it is known; what they have already is not run again, so that the work can be done
in portions of `--seconds`. Kept tests, documented expectations, suspected defects and mutants are those of report.json;
mutants are a seeded sample, the same in all conditions. Seconds are the run's own; on a shared machine they say little.

    python benchmarks/ablation.py --sources FOLDER --results benchmarks/results/ablation.jsonl --review OUT

writes a pack for reviewers instead, as `review_pack` does: of each module for which `plain` and `evidence` kept other
numbers of tests, the suites of both, in an order that says nothing. Which is which stands in OUT.key.json alone. Suites
are those of the last runs below FOLDER; what is not there is run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

from testwright.benchmarks.review_pack.pack import Entry, shuffled_pairs, write_entries

ROOT = Path(__file__).resolve().parents[1]
MODULES = (
    ("stringcase-1.2.0", "stringcase.py"),
    ("python_slugify-9.2.0", "slugify/slugify.py"),
    ("humanize-4.17.0", "src/humanize/filesize.py"),
    ("humanize-4.17.0", "src/humanize/lists.py"),
    ("inflection-0.5.1", "inflection/__init__.py"),
    ("titlecase-2.2.0", "titlecase/__init__.py"),
    ("roman-5.2", "src/roman/__init__.py"),
    ("python_stdnum-2.2", "stdnum/luhn.py"),
    ("python_stdnum-2.2", "stdnum/verhoeff.py"),
    ("toolz-1.0.0", "toolz/dicttoolz.py"),
)
CONDITIONS = ("plain", "evidence", "no goal", "second")
REVIEWED = ("plain", "evidence")
SETTINGS = {
    "plain": {"EVIDENCE": "off", "CONTROL__GOAL": "true", "CONTROL__LOREBOOK": "on"},
    "evidence": {"EVIDENCE": "on", "CONTROL__GOAL": "true", "CONTROL__LOREBOOK": "on"},
    "no goal": {"EVIDENCE": "off", "CONTROL__GOAL": "false", "CONTROL__LOREBOOK": "on"},
    "second": {"EVIDENCE": "off", "CONTROL__GOAL": "true", "CONTROL__LOREBOOK": "on"},
}


def main() -> None:
    """Run what the results lack, and print the table of all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, required=True, help="folder of unpacked source distributions")
    parser.add_argument("--results", type=Path, required=True, help="file of one JSON object a line")
    parser.add_argument("--seconds", type=float, help="begin no further run after so many")
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--review", type=Path, metavar="OUT", help="write a pack for reviewers instead")
    parser.add_argument("--count", type=int, default=0, help="of modules in the pack; 0, the default, for all")
    parser.add_argument("--seed", type=int, default=1, help="of the order in the pack")
    arguments = parser.parse_args()
    began = time.monotonic()
    rows = known_rows(arguments.results)
    if arguments.review is not None:
        write_review(arguments, rows)
        return
    for package, module in MODULES:
        for condition in CONDITIONS:
            is_over = arguments.seconds is not None and time.monotonic() - began > arguments.seconds
            if is_over or any(
                row["module"] == label(package, module) and row["condition"] == condition for row in rows
            ):
                continue
            rows.append(measured(arguments, package, module, condition))
            with arguments.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    print(table(rows))


def known_rows(results: Path) -> list[dict[str, Any]]:
    """The rows that are known already."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def write_review(arguments: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Write the suites of both conditions for the modules whose kept tests differ. Raises SystemExit."""
    plain, evidence = REVIEWED
    pairs = [
        (entry(arguments, *name, plain), entry(arguments, *name, evidence))
        for name in differing(rows)[: arguments.count or None]
    ]
    try:
        more = {"conditions": list(REVIEWED), "seed": arguments.seed}
        write_entries(shuffled_pairs(pairs, arguments.seed), arguments.review, more)
    except (FileExistsError, ValueError) as fault:
        sys.exit(f"no pack: {fault}")
    print(f"{arguments.review}: {len(pairs)} modules, {2 * len(pairs)} suites")


def differing(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The modules for which the conditions under review kept other numbers of tests, in the order of `MODULES`."""
    kept = {(row["module"], row["condition"]): row["kept"] for row in rows}
    pairs = {name: [kept.get((label(*name), condition)) for condition in REVIEWED] for name in MODULES}
    return [name for name, (plain, evidence) in pairs.items() if None not in (plain, evidence) and plain != evidence]


def entry(arguments: argparse.Namespace, package: str, module: str, condition: str) -> Entry:
    """One suite for the pack: that of the last run of a module under a condition."""
    state = state_folder(arguments.sources, package, module, condition)
    if not staged_tests(state):
        measured(arguments, package, module, condition)
    files = [path.read_text(encoding="utf-8") for path in staged_tests(state)]
    return Entry(f"{label(package, module)}, {condition}", unpacked(arguments.sources, package) / module, files)


def staged_tests(state: Path) -> list[Path]:
    """The test files that the last run of a state folder staged; none without a finished run."""
    reports = sorted(state.glob("runs/*/report.json"), key=lambda path: path.stat().st_mtime_ns)
    return sorted((reports[-1].parent / "staged").rglob("test_*.py")) if reports else []


def state_folder(sources: Path, package: str, module: str, condition: str) -> Path:
    """Where the runs of a module under a condition keep their state; a second run goes on with that of the first."""
    return sources / "state" / f"{package}-{Path(module).stem}-{'plain' if condition == 'second' else condition}"


def label(package: str, module: str) -> str:
    """How the table names a module."""
    return f"{package.rpartition('-')[0]}: {module.removeprefix('src/')}"


def measured(arguments: argparse.Namespace, package: str, module: str, condition: str) -> dict[str, Any]:
    """One row. Raises SystemExit with the output of a run that gave no report."""
    tree = unpacked(arguments.sources, package)
    state = state_folder(arguments.sources, package, module, condition)
    command = [sys.executable, str(ROOT / "main.py"), "run", f"unit tests for {module}", "--root", str(tree)]
    command += ["--state-dir", str(state)]
    command += [
        "--trials",
        str(arguments.trials),
        "--mutants",
        str(arguments.mutants),
        "--dry-run",
        "--no-cache",
        "--json",
    ]
    settings = {f"TESTWRIGHT_{name}": value for name, value in SETTINGS[condition].items()}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings}, check=False)
    try:
        report = json.loads(done.stdout)
        targets = report["targets"]
    except (ValueError, KeyError):
        sys.exit(f"no report of {module}, {condition}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    mutation = [target["mutation"] for target in targets if target.get("mutation")]
    return {
        "module": label(package, module),
        "condition": condition,
        "exit_reason": report["exit_reason"],
        "kept": report["totals"]["kept"],
        "documented": report["totals"]["origins"]["documented"],
        "defects": len(report["suspected_defects"]),
        "noticed": sum(found["killed"] for found in mutation),
        "sampled": sum(found["sampled"] for found in mutation),
        "seconds": round(report["run"]["seconds"], 1),
        "lore": lore_entries(state),
    }


def unpacked(sources: Path, package: str) -> Path:
    """The folder of an unpacked source distribution, which is fetched where it is missing."""
    tree = sources / package
    if not tree.is_dir():
        name, _, version = package.rpartition("-")
        fetch = [
            "download",
            "--quiet",
            "--no-binary",
            ":all:",
            "--no-deps",
            "--dest",
            str(sources),
            f"{name}=={version}",
        ]
        subprocess.run([sys.executable, "-m", "pip", *fetch], check=True)
        with tarfile.open(sources / f"{package}.tar.gz") as packed:
            packed.extractall(sources, filter="data")
    return tree


def lore_entries(state: Path) -> int:
    """How many entries the lorebook of a state folder has."""
    return sum(len(json.loads(file.read_text()).get("entries", [])) for file in state.rglob("lorebook-*.json"))


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a Markdown table, a line for each module; figures in the order of the conditions."""
    lines = [
        f"Figures in the order {', '.join(CONDITIONS)}.",
        "",
        "| module | kept | documented | suspected defects | mutants noticed | of | lorebook | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    names = ("kept", "documented", "defects", "noticed", "sampled", "lore", "seconds")
    for module in dict.fromkeys(row["module"] for row in rows):
        by_condition = {row["condition"]: row for row in rows if row["module"] == module}
        cells = [
            " · ".join(str(by_condition[name][key]) if name in by_condition else "?" for name in CONDITIONS)
            for key in names
        ]
        lines.append(f"| {module} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
