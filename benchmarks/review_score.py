"""The figures of a review: two filled forms of one pack.

    python -m testwright.benchmarks.review_score OUT first.json second.json --title "Round 1, lot, seed 1"

Prints how many test functions would be merged, rows struck, suites that give confidence and the reasons; of every
figure the worse of the two counts. With --title it is added to benchmarks/results/review.md, best and worst quoted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from .generators.tools.testwright import CHECKOUT
from .review_pack.form import REASONS, Review, read_form
from .review_pack.neutral import quoted

PUBLISHED = CHECKOUT / "benchmarks" / "results" / "review.md"
_HEAD = "# Reviews\n\nHow they are made: [benchmarks/README.md](../README.md#reviews). The newest comes last.\n"


def main(words: Sequence[str] | None = None) -> int:
    """Read two forms and print their figures. 1 when one is not filled, or they are of different packs; else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m testwright.benchmarks.review_score",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pack", type=Path, metavar="OUT")
    parser.add_argument("forms", type=Path, nargs=2, metavar="FORM")
    parser.add_argument("--title", help="of the section that is added to the results")
    parser.add_argument("--results", type=Path, default=PUBLISHED, help="the page it is added to")
    arguments = parser.parse_args(words)
    try:
        reviews = [read_form(path) for path in arguments.forms]
        _same(reviews)
    except (OSError, ValueError) as fault:
        print(f"testwright review score: {fault}", file=sys.stderr)
        return 1
    print(figures(reviews))
    if arguments.title:
        page = arguments.results
        text = page.read_text(encoding="utf-8") if page.is_file() else _HEAD
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"{text}\n{section(arguments.title, reviews, arguments.pack)}", encoding="utf-8")
    return 0


def figures(reviews: Sequence[Review]) -> str:
    """A table with a column for each review and one for what counts; the reasons below it."""
    rows = [
        _row("functions merged", reviews, _merged, lambda one: len(one.verdicts), worst=min),
        _row("rows struck", reviews, _struck, _rows, worst=max),
        _row("suites that give confidence", reviews, lambda one: sum(one.confidence.values()), _suites, worst=min),
    ]
    head = ["figure", *(review.reviewer for review in reviews), "counts"]
    table = "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
    return f"{table}\n\n{_reasons(reviews)}"


def section(title: str, reviews: Sequence[Review], pack: Path) -> str:
    """The figures, what suites miss, and the best and the worst tests, as a section of the page."""
    parts = [f"## {title}", figures(reviews)]
    missing = [
        f"- {module} ({one.reviewer}): {text}" for one in reviews for module, text in one.missing.items() if text
    ]
    parts += ["### Missing\n\n" + "\n".join(missing)] if missing else []
    for name in ("best", "worst"):
        places = list(dict.fromkeys(place for one in reviews for place in getattr(one, name)))
        parts += [f"### {name.capitalize()}"] if places else []
        parts += [_quote(pack, module, test) for module, test in places]
    return "\n\n".join(parts) + "\n"


def _quote(pack: Path, module: str, test: str) -> str:
    text = (pack / f"test_{module}.py").read_text(encoding="utf-8")
    return f"{module}:\n\n```python\n{quoted(text, test)}\n```"


def _row(
    name: str,
    reviews: Sequence[Review],
    part: Callable[[Review], int],
    whole: Callable[[Review], int],
    *,
    worst: Callable[[Iterable[int]], int],
) -> list[str]:
    """A figure of each review, and the worse of them."""
    shown = {part(one): f"{part(one)} of {whole(one)} ({_percent(part(one), whole(one))})" for one in reviews}
    return [name, *(shown[part(one)] for one in reviews), f"**{shown[worst(shown)]}**"]


def _reasons(reviews: Sequence[Review]) -> str:
    """How often each reason was given, most frequent first."""
    counts = [Counter(reason for verdict in one.verdicts for reason in verdict.reasons) for one in reviews]
    order = sorted(REASONS, key=lambda reason: (-sum(count[reason] for count in counts), reason))
    lines = [f"| {reason} | {' | '.join(str(count[reason]) for count in counts)} |" for reason in order]
    head = f"| reason | {' | '.join(one.reviewer for one in reviews)} |\n|{'---|' * (len(reviews) + 1)}"
    return "\n".join([head, *lines])


def _same(reviews: Sequence[Review]) -> None:
    first, second = ({(verdict.module, verdict.test) for verdict in one.verdicts} for one in reviews)
    if first != second:
        raise ValueError("the forms are of different packs")


def _merged(review: Review) -> int:
    return sum(verdict.merge for verdict in review.verdicts)


def _struck(review: Review) -> int:
    return sum(verdict.struck for verdict in review.verdicts)


def _rows(review: Review) -> int:
    return sum(verdict.rows for verdict in review.verdicts)


def _suites(review: Review) -> int:
    return len(review.confidence)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "none"


if __name__ == "__main__":
    sys.exit(main())
