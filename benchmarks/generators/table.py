"""The figures as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from .limits import branch_of, checks, share_of
from .machine import BUSY

_HEAD = (
    "module",
    "by",
    "line %",
    "branch %",
    "noticed",
    "set aside",
    "tests",
    "rows",
    "test lines",
    "a source line",
    "failing",
    "flaky",
    "xfail",
    "wall s",
    "CPU s",
    "first s",
    "again s",
    "MiB",
)


def markdown(results: Mapping[str, Any]) -> str:
    """The whole of a run: how it was measured, the table, the means, and what testwright must show."""
    rows = results["modules"]
    parts = [_about(results), _table(_HEAD, [line for row in rows for line in _lines(row)])]
    names = list(dict.fromkeys(name for row in rows for name in row["tools"]))
    parts.append(_table(("mean of", "line %", "branch %", "noticed of 100", "modules"), _means(rows, names)))
    parts.append(limits_table(rows))
    parts.append(_remarks(rows))
    return "\n\n".join(part for part in parts if part) + "\n"


def limits_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """What testwright must show and whether it does; empty where it was not measured."""
    found = checks(rows)
    if not found:
        return ""
    words = {True: "yes", False: "**no**", None: "?"}
    return _table(("must show", "measured", "holds"), [(one.limit, one.shown, words[one.holds]) for one in found])


def _about(results: Mapping[str, Any]) -> str:
    machine, terms = results["machine"], results["terms"]
    tools = ", ".join(f"{name} {version}" for name, version in results["tools"].items())
    return (
        f"{tools}. {machine['processors']} processors ({machine['model']}), {machine['memory_gib']} GiB, Python "
        f"{machine['python']}, {machine['system']}. Pynguin searches for {terms['seconds']} s and takes as long for "
        f"its assertions; seed {terms['seed']}; each process may hold {terms['memory_mib']} MiB. {results['made_at']}."
    )


def _lines(row: Mapping[str, Any]) -> list[tuple[str, ...]]:
    imports = row["imports_only"]
    name = f"{row['module']} ({row['source_lines']} lines)"
    lines: list[tuple[str, ...]] = [(name, "imports only", *_covered(imports), *[""] * (len(_HEAD) - 4))]
    for tool, found in row["tools"].items():
        lines.append(("", tool, *_one(found, imports, row["source_lines"])))
    return lines


def _one(found: Mapping[str, Any], imports: Mapping[str, Any] | None, source_lines: int) -> tuple[str, ...]:
    cost = (
        f"{found['wall_seconds']:.0f}{' †' if found['load'] > BUSY else ''}",
        f"{found['cpu_seconds']:.0f}",
        _seconds(found["first_seconds"]),
        _seconds(found["again_seconds"]),
        f"{found['peak_mib']:.0f}",
    )
    if found["crash"]:
        return (*_covered(imports), "crashed", *[""] * 8, *cost)
    mutants = found["mutants"]
    return (
        *_covered(found["coverage"]),
        f"{mutants['killed']} of {mutants['sampled']}" if mutants else "",
        str(mutants["equivalent"]) if mutants else "",
        str(found["functions"]),
        str(found["rows"]),
        str(found["test_lines"]),
        f"{found['test_lines'] / source_lines:.2f}",
        *(str(len(found[name])) for name in ("failing", "flaky", "xfail")),
        *cost,
    )


def _covered(coverage: Mapping[str, Any] | None) -> tuple[str, str]:
    return (f"{coverage['line']:.0f}", f"{coverage['branch']:.0f}") if coverage else ("0", "0")


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _means(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Means over the modules that a generator was run on; a crash counts as imports only, without mutants noticed."""
    lines: list[tuple[str, ...]] = []
    for name in names:
        own = [row for row in rows if name in row["tools"]]
        covered, noticed = [], []
        for row in own:
            found = row["tools"][name]
            coverage = row["imports_only"] if found["crash"] else found["coverage"]
            covered.append(coverage["line"] if coverage else 0.0)
            noticed += [share for share in (share_of(found, "killed"),) if share is not None]
        branches = [branch_of(row, name) or 0.0 for row in own]
        means = (f"{mean(values):.1f}" if values else "" for values in (covered, branches, noticed))
        lines.append((name, *means, str(len(own))))
    return lines


def _remarks(rows: Sequence[Mapping[str, Any]]) -> str:
    """Crashes with their reasons, loads that make wall times lie, and notes."""
    told = []
    for row in rows:
        for name, found in row["tools"].items():
            about = f"- {row['module']}, {name}"
            if found["crash"]:
                told.append(f"{about}: no usable suite, counted as imports only ({found['crash']})")
            told += [f"{about}: {note}" for note in (*found["said"], *found.get("notes", ()), *_about_mutants(found))]
    if any(found["load"] > BUSY for row in rows for found in row["tools"].values()):
        told.insert(0, "- † the machine was busy with other work: wall seconds are too high, look at the CPU seconds")
    return "\n".join(told)


def _about_mutants(found: Mapping[str, Any]) -> list[str]:
    """Mutants that were not tried, and the rules by which others were set aside; which these are stands in the JSON."""
    mutants = found.get("mutants")
    if not mutants:
        return []
    told = [f"{mutants['untried']} mutants could not be tried"] if mutants["untried"] else []
    rules = Counter(one["rule"] for one in mutants["set_aside"])
    counted = ", ".join(f"{count} {rule}" for rule, count in sorted(rules.items()))
    return told + ([f"set aside as equivalent: {counted}"] if counted else [])


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = "|".join(["---"] * len(head))
    rows = [f"| {' | '.join(line)} |" for line in (head, *lines)]
    return "\n".join([rows[0], f"|{rule}|", *rows[1:]])
