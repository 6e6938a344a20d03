"""The results as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .trial import CAUGHT, MISSED, NO_SUITE, NO_TEST, NOT_PROVEN

LIMIT = 70
_HEAD = ("package", "versions", "module", "function", "fault", "verdict", "tests", "failing", "others failing")


def summary(results: Sequence[Mapping[str, Any]]) -> str:
    """The figures: faults caught of those in functions that have tests, and what became of the others."""
    count = Counter(one["verdict"] for one in results)
    tested = count[CAUGHT] + count[MISSED]
    share = 100 * count[CAUGHT] / tested if tested else 0.0
    loosely = sum(1 for one in results if one["failing"] or one["others"])
    proven = len(results) - count[NOT_PROVEN]
    packages = len({one["package"] for one in results if one["verdict"] != NOT_PROVEN})
    lines = [
        f"{proven} pairs of {packages} packages, {count[NOT_PROVEN]} more do not count (not proven)",
        f"caught: {count[CAUGHT]} of {tested} faults in functions that have tests, {share:.0f} % (at least {LIMIT} %: "
        f"{'yes' if share >= LIMIT else '**no**'})",
        f"no test runs the function: {count[NO_TEST]}; no suite at all: {count[NO_SUITE]}",
        f"any kept test fails in the version with the fault, of this function or another: {loosely} of {proven}",
    ]
    return "\n".join(f"- {line}" for line in lines)


def markdown(told: Mapping[str, Any]) -> str:
    """The whole of a run: the figures and a line for each pair."""
    results = told["pairs"]
    about = (
        f"testwright {told['testwright']}, {told['made_at']}. Tests are made from the fixed version and run in the one "
        "with the fault. `tests` run the function in the fixed version; `failing` are those of them that fail because "
        "of the fault: on the fixed version with the functions' earlier text, where that is the fault (`alone`), else "
        "on the version with the fault. `others failing` fail there for another difference."
    )
    rows = [
        (
            one["package"],
            f"{one['faulty']} → {one['fixed']}",
            one["module"],
            ", ".join(one["functions"]),
            one["fault"],
            one["verdict"] + (f" ({one['note']})" if one["note"] else ""),
            str(one["tests"]),
            f"{len(one['failing'])}{' (alone)' if one['isolated'] else ''}",
            str(len(one["others"])),
        )
        for one in results
    ]
    table = "\n".join(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows)
    head = f"| {' | '.join(_HEAD)} |\n|{'|'.join(['---'] * len(_HEAD))}|"
    return f"{about}\n\n{summary(results)}\n\n{head}\n{table}\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
