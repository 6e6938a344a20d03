"""Generators of tests side by side: testwright, Pynguin and the ghostwriter of Hypothesis.

    make bench
    make bench-quick
    python -m testwright.benchmarks.generators --only testwright --reuse-peers
    python -m testwright.benchmarks.generators --further tabulate==0.10.0:tabulate

On each module: coverage, mutants noticed, size, what does not hold, time and memory. Written as JSON, Markdown and a
plot. See benchmarks/README.md for how it is measured.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..review_pack.pool import SETS, pool
from .commands import PreparationError, prepared_by
from .corpus import QUICK, TWELVE, Subject, chosen, further
from .environments import environment
from .running import Plan, measured
from .table import limits_table, markdown
from .tools.generated import Terms, Tool
from .tools.ghostwriter import Ghostwriter
from .tools.pynguin import Pynguin
from .tools.testwright import CHECKOUT, Testwright
from .watched import adopt_orphans

_QUICK_SECONDS = 10
_QUICK_MUTANTS = 30
_SECONDS = 60
_MUTANTS = 100
PUBLISHED = CHECKOUT / "benchmarks" / "results"


def tools() -> tuple[Tool, ...]:
    """All generators, in the order of the table."""
    return (Testwright(), Pynguin(), Ghostwriter())


def main(words: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for. 1 when it asks for something that is not there, else 0."""
    arguments = _parser().parse_args(words)
    try:
        subjects = _subjects(arguments)
        adopt_orphans()
        with tempfile.TemporaryDirectory(prefix="testwright-bench-") as work:
            results = measured(_plan(arguments, subjects, Path(work)), lambda line: print(line, flush=True))
    except (PreparationError, ValueError) as fault:
        print(f"testwright bench: {fault}", file=sys.stderr)
        return 1
    folder = arguments.folder / "results" / arguments.name
    _written(results, folder, plot=not arguments.no_plot, home=arguments.folder)
    if arguments.publish:
        shutil.copytree(folder, PUBLISHED, dirs_exist_ok=True, ignore=shutil.ignore_patterns("suites"))
    print(f"\n{limits_table(results['modules']) or 'testwright was not measured'}\n\nWritten: {folder}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m testwright.benchmarks.generators",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [tool.name for tool in tools()]
    parser.add_argument("--only", action="append", choices=names, help="run no other generator; may be repeated")
    parser.add_argument("--modules", nargs="+", metavar="MODULE", help="of the twelve; default: all")
    parser.add_argument("--further", nargs="+", default=[], metavar="PACKAGE==VERSION:MODULE", help="other modules")
    parser.add_argument("--set", choices=SETS, help="modules of a set that reviews are of")
    quick = f"{' and '.join(QUICK)}, Pynguin {_QUICK_SECONDS} s, {_QUICK_MUTANTS} mutants"
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--seconds", type=int, help=f"of Pynguin's search, and of its assertions; default: {_SECONDS}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", type=int, default=4096, metavar="MIB", help="address space of each process")
    parser.add_argument("--mutants", type=int, help=f"of each module; 0 for none; default: {_MUTANTS}")
    parser.add_argument("--nice", type=int, default=0, help="of the generators; below 0, for root, on a busy machine")
    parser.add_argument("--conditions", action="store_true", help="run testwright's suites under other conditions too")
    parser.add_argument("--reuse-peers", action="store_true", help="take what peers made before on the same terms")
    parser.add_argument("--known", action="store_true", help="run nothing: show what is known of peers on these terms")
    parser.add_argument("--name", default="latest", help="of the results' folder")
    parser.add_argument("--folder", type=Path, default=CHECKOUT / ".bench", help="environments, sources, results")
    parser.add_argument("--publish", action="store_true", help="copy the results to benchmarks/results")
    parser.add_argument("--no-plot", action="store_true")
    return parser


def _subjects(arguments: argparse.Namespace) -> list[Subject]:
    """What is measured: the twelve unless modules are named, or others only. Raises ValueError."""
    others = [further(one) for one in arguments.further]
    if arguments.set:
        others = [*pool(arguments.set), *others]
    if arguments.modules:
        return [*chosen(arguments.modules), *others]
    if arguments.quick:
        return [*chosen(QUICK), *others]
    return others or list(TWELVE)


def _plan(arguments: argparse.Namespace, subjects: Sequence[Subject], work: Path) -> Plan:
    seconds = arguments.seconds or (_QUICK_SECONDS if arguments.quick else _SECONDS)
    mutants = arguments.mutants
    if mutants is None:
        mutants = _QUICK_MUTANTS if arguments.quick else _MUTANTS
    terms = Terms(
        arguments.folder.resolve(),
        work.resolve(),
        seconds,
        seed=arguments.seed,
        mutants=mutants,
        memory_mib=arguments.memory,
        niceness=arguments.nice,
    )
    named = frozenset(() if arguments.known else arguments.only or [tool.name for tool in tools()])
    suites = arguments.folder.resolve() / "results" / arguments.name / "suites"
    reuse = arguments.reuse_peers or arguments.known
    return Plan(subjects, tools(), named, reuse, terms, suites, arguments.conditions)


def _written(results: dict[str, Any], folder: Path, *, plot: bool, home: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    (folder / "table.md").write_text(markdown(results))
    if plot:
        python = environment("plot", home.resolve()).python
        script = str(Path(__file__).with_name("plot.py"))
        prepared_by([str(python), script, str(folder / "results.json"), str(folder / "plot.svg")])


if __name__ == "__main__":
    sys.exit(main())
