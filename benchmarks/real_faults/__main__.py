"""Real faults: tests made from a version in which a package's makers had mended one, run in the version before.

    make bench-faults
    python -m testwright.benchmarks.real_faults --only boltons --only semver
    python -m testwright.benchmarks.real_faults --quick
    python -m testwright.benchmarks.real_faults --prove

A fault is caught when a kept test that runs the function concerned fails in the version that has it. The list is
`pairs.toml`; a pair counts when its proof, a few lines of Python, comes to different outcomes in both versions. Written
as JSON and Markdown. See benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..generators.commands import PreparationError
from ..generators.tools.generated import Terms
from ..generators.tools.testwright import CHECKOUT, Testwright
from .pairs import Pair, chosen, read_pairs
from .processes import tried_in_processes
from .report import markdown, summary
from .trial import NOT_PROVEN, Result, prepared

PUBLISHED = CHECKOUT / "benchmarks" / "results"


def main(words: Sequence[str] | None = None) -> int:
    """Try what the command line asks for. 1 when it cannot be, or when a proof does not hold with `--prove`; else 0."""
    arguments = _parser().parse_args(words)
    folder = arguments.folder.resolve() / "results" / arguments.name
    try:
        pairs = chosen(read_pairs(), arguments.only, quick=arguments.quick)
        with tempfile.TemporaryDirectory(prefix="testwright-faults-") as work:
            results = _results(pairs, arguments, folder, Path(work).resolve())
    except (PreparationError, ValueError) as fault:
        print(f"testwright bench-faults: {fault}", file=sys.stderr)
        return 1
    if arguments.prove:
        return int(any(result.verdict == NOT_PROVEN for result in results))
    if arguments.publish:
        _write(results, PUBLISHED)
    print(f"\n{summary([result.to_dict() for result in results])}\n\nWritten: {folder}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m testwright.benchmarks.real_faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", action="append", default=[], metavar="PKG", help="of this package; may be repeated")
    parser.add_argument("--quick", action="store_true", help="one module of each package: the first that is listed")
    parser.add_argument("--jobs", type=int, default=1, help="modules tried at the same time; default: 1")
    parser.add_argument("--prove", action="store_true", help="only run the proofs; no tests are made")
    parser.add_argument("--nice", type=int, default=0, help="of the runs of testwright")
    parser.add_argument("--memory", type=int, default=4096, metavar="MIB", help="address space of each process")
    parser.add_argument("--name", default="real_faults", help="of the results' folder")
    parser.add_argument("--folder", type=Path, default=CHECKOUT / ".bench", help="environments, sources, results")
    parser.add_argument("--publish", action="store_true", help="write the results to benchmarks/results as well")
    return parser


def _results(pairs: Sequence[Pair], arguments: argparse.Namespace, folder: Path, work: Path) -> list[Result]:
    """A result for each pair, in the order of the list; what is known so far stands in `folder` all the time."""
    home = arguments.folder.resolve()
    groups, results = prepared(pairs, home)
    _show(results)
    terms = Terms(home, work, memory_mib=arguments.memory, niceness=arguments.nice)
    suites = None if arguments.prove else folder / "suites"
    place = {pair: number for number, pair in enumerate(pairs)}
    for found in tried_in_processes(groups, terms, suites, arguments.jobs):
        _show(found)
        results = sorted([*results, *found], key=lambda result: place[result.pair])
        if suites is not None:
            _write(results, folder)
    return results


def _show(results: Iterable[Result]) -> None:
    for result in results:
        about = result.note or f"{len(result.failing)} of {result.tests} tests fail, {len(result.others)} others"
        shown = "proven" if result.verdict == "no test" and not result.seconds else f"{result.verdict}: {about}"
        print(f"{result.pair.name}: {shown}", flush=True)


def _write(results: Sequence[Result], folder: Path) -> None:
    told = {
        "made_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "testwright": Testwright().version(),
        "pairs": [result.to_dict() for result in results],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "real_faults.json").write_text(json.dumps(told, indent=1, sort_keys=True) + "\n")
    (folder / "real_faults.md").write_text(markdown(told))


if __name__ == "__main__":
    sys.exit(main())
