"""Draws the figures of a run: `python plot.py results.json plot.svg`, with matplotlib, in an environment of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

COLOURS = {"testwright": "#1f6f8b", "pynguin": "#e08e45", "ghostwriter": "#9a9a9a"}


def drawn(results: dict[str, Any], place: Path) -> None:
    """Two rows of bars: branch coverage, and mutants noticed of 100."""
    import matplotlib as mpl  # pyrefly: ignore[missing-import] - it is in the environment of the plot only

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "testwright"
    from matplotlib import pyplot  # pyrefly: ignore[missing-import]

    rows = results["modules"]
    names = [name for name in COLOURS if any(name in row["tools"] for row in rows)]
    figure, axes = pyplot.subplots(2, 1, figsize=(max(6.0, 1.0 * len(rows) + 2), 7.0), sharex=True)
    for axis, title, value in zip(axes, ("branch coverage, %", "mutants noticed, %"), (branch, noticed), strict=True):
        for number, name in enumerate(names):
            places = [place + 0.8 * (number - (len(names) - 1) / 2) / len(names) for place in range(len(rows))]
            heights = [value(row, name) for row in rows]
            axis.bar(places, heights, 0.8 / len(names), label=name, color=COLOURS[name])
        axis.set_ylabel(title)
        axis.set_ylim(0, 100)
        axis.grid(axis="y", alpha=0.3)
        axis.set_axisbelow(True)
    axes[0].legend(ncols=len(names), loc="upper left", bbox_to_anchor=(0, 1.15), frameon=False)
    axes[1].set_xticks(range(len(rows)), [row["module"] for row in rows], rotation=35, ha="right")
    figure.tight_layout()
    figure.savefig(place, metadata={"Date": None} if place.suffix == ".svg" else None)


def branch(row: dict[str, Any], name: str) -> float:
    """Branch coverage; a crash counts as imports only."""
    found = row["tools"].get(name)
    coverage = None if found is None else row["imports_only"] if found["crash"] else found["coverage"]
    return coverage["branch"] if coverage else 0.0


def noticed(row: dict[str, Any], name: str) -> float:
    """Mutants noticed, in percent of the sample."""
    mutants = row["tools"].get(name, {}).get("mutants")
    return 100.0 * mutants["killed"] / mutants["sampled"] if mutants and mutants["sampled"] else 0.0


if __name__ == "__main__":
    drawn(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
