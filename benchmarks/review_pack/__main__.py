"""A folder for reviewers: modules and the tests that testwright keeps for them, without a mark of origin.

    python -m testwright.benchmarks.review_pack OUT --set lot --seed 1
    python -m testwright.benchmarks.review_pack OUT --set dev --count 6 --suites .bench/results/latest/suites/testwright
    python -m testwright.benchmarks.review_pack OUT --modules boltons==26.2.0:boltons.mathutils

OUT gets module_01.py, test_module_01.py and so on, INSTRUCTIONS.md and form.json. Which module is which stands beside
it, in OUT.key.json. Two reviewers fill a copy of the form each; `testwright.benchmarks.review_score` reads both.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..generators.commands import PreparationError
from ..generators.tools.generated import Terms
from ..generators.tools.testwright import CHECKOUT
from ..generators.watched import adopt_orphans
from .pack import write_pack
from .pool import SETS, drawn, named

_COUNT = 8


def main(words: Sequence[str] | None = None) -> int:
    """Write a pack. 1 when the folder is there already, or nothing could be made; else 0."""
    arguments = _parser().parse_args(words)
    try:
        if arguments.out.exists():
            raise ValueError(f"{arguments.out} is there already")
        subjects = named(arguments.modules) or drawn(arguments.set, arguments.seed, arguments.count)
        adopt_orphans()
        with tempfile.TemporaryDirectory(prefix="testwright-review-") as work:
            terms = Terms(arguments.folder.resolve(), Path(work).resolve(), niceness=arguments.nice)
            write_pack(subjects, arguments.out, terms, arguments.suites)
    except (PreparationError, ValueError) as fault:
        print(f"testwright review pack: {fault}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m testwright.benchmarks.review_pack",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--set", choices=SETS, default="lot", help="which modules; default: lot")
    parser.add_argument("--seed", type=int, default=0, help="of the lot")
    parser.add_argument("--count", type=int, default=_COUNT, help=f"of modules, 0 for all; default: {_COUNT}")
    parser.add_argument("--modules", nargs="+", default=[], metavar="PACKAGE==VERSION:MODULE", help="these, no lot")
    parser.add_argument("--suites", type=Path, help="folder of suites by module: these are not made again")
    parser.add_argument("--nice", type=int, default=0, help="of the runs of testwright")
    parser.add_argument("--folder", type=Path, default=CHECKOUT / ".bench", help="environments and sources")
    return parser


if __name__ == "__main__":
    sys.exit(main())
