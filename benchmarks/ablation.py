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
    arguments = parser.parse_args()
    began = time.monotonic()
    rows = known_rows(arguments.results)
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


def label(package: str, module: str) -> str:
    """How the table names a module."""
    return f"{package.rpartition('-')[0]}: {module.removeprefix('src/')}"


def measured(arguments: argparse.Namespace, package: str, module: str, condition: str) -> dict[str, Any]:
    """One row. Raises SystemExit with the output of a run that gave no report."""
    tree = unpacked(arguments.sources, package)
    state = "plain" if condition == "second" else condition
    command = [sys.executable, str(ROOT / "main.py"), "run", f"unit tests for {module}", "--root", str(tree)]
    command += ["--state-dir", str(arguments.sources / "state" / f"{package}-{Path(module).stem}-{state}")]
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
        "lore": lore_entries(arguments.sources / "state" / f"{package}-{Path(module).stem}-{state}"),
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
