"""What testwright must show, checked against the figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Check:
    """One limit: `shown` is what was measured, in words; `holds` is None where it could not be told."""

    limit: str
    shown: str
    holds: bool | None


def checks(rows: Sequence[Row]) -> list[Check]:
    """Every limit, over the modules that testwright was measured on."""
    own = [(row, row["tools"]["testwright"]) for row in rows if "testwright" in row["tools"]]
    if not own:
        return []
    branches = {row["module"]: branch_of(row, "testwright") for row, _ in own}
    lengths = [found["test_lines"] / row["source_lines"] for row, found in own if not found["crash"]]
    return [
        _mean("mean branch coverage at least 88 %", list(branches.values()), 88, least=True),
        _each("no module below 70 % of branches", branches, lambda value: value >= 70),
        _beside(rows),
        _mean("at least 80 of 100 sampled mutants noticed on average", _shares(own, "killed"), 80, least=True),
        _set_aside(own),
        *(_none(own, name) for name in ("failing", "flaky", "xfail")),
        *_elsewhere(own),
        _mean("at most 1 test line a source line on average", lengths, 1, least=False),
        _largest(own, "functions", "at most 80 test functions a module", 80),
        _largest(own, "rows", "at most 300 rows a module", 300),
        _largest(own, "wall_seconds", "at most 30 s a module", 30, unit=" s"),
        _largest(own, "first_seconds", "less than 5 s to the first tests", 5, unit=" s", below=True),
        _largest(own, "again_seconds", "less than 1 s for a second run", 1, unit=" s", below=True),
        _largest(own, "peak_mib", "less than 1.5 GiB of memory", 1536, unit=" MiB", below=True),
    ]


def branch_of(row: Row, tool: str) -> float | None:
    """Branch coverage of a generator on a module; a crash counts as imports only, None where it was not measured."""
    found = row["tools"].get(tool)
    if found is None:
        return None
    coverage = row["imports_only"] if found["crash"] else found["coverage"]
    return coverage["branch"] if coverage else 0.0


def share_of(found: Row, name: str) -> float | None:
    """Mutants in percent of the sample; of a crash 0, None where none was tried."""
    mutants = found.get("mutants")
    if mutants and mutants["sampled"]:
        return 100.0 * mutants[name] / mutants["sampled"]
    return 0.0 if found["crash"] else None


def _shares(own: Sequence[tuple[Row, Row]], name: str) -> list[float | None]:
    return [share_of(found, name) for _, found in own]


def _set_aside(own: Sequence[tuple[Row, Row]]) -> Check:
    """By the mean, with the module beside it that has most."""
    limit = "at most 10 % of mutants set aside as equivalent on average"
    check = _mean(limit, _shares(own, "equivalent"), 10, least=False)
    shares = {row["module"]: share for row, found in own if (share := share_of(found, "equivalent")) is not None}
    if not shares:
        return check
    most = max(shares, key=lambda name: shares[name])
    return Check(limit, f"{check.shown}, highest: {most} {shares[most]:.0f}", check.holds)


def _mean(limit: str, values: Sequence[float | None], bound: float, *, least: bool) -> Check:
    known = [value for value in values if value is not None]
    if not known:
        return Check(limit, "not measured", None)
    value = mean(known)
    return Check(limit, f"{value:.2f}", value >= bound if least else value <= bound)


def _each(limit: str, values: Mapping[str, float | None], holds: Callable[[float], bool]) -> Check:
    known = {name: value for name, value in values.items() if value is not None}
    lowest = min(known, key=lambda name: known[name])
    failing = [f"{name} {value:.0f}" for name, value in known.items() if not holds(value)]
    return Check(limit, ", ".join(failing) or f"lowest: {lowest} {known[lowest]:.0f}", not failing)


def _beside(rows: Sequence[Row]) -> Check:
    limit = "at least Pynguin's branch coverage on each module"
    below, compared = [], 0
    for row in rows:
        ours, theirs = branch_of(row, "testwright"), branch_of(row, "pynguin")
        if ours is not None and theirs is not None:
            compared += 1
            if ours < theirs:
                below.append(f"{row['module']} {ours:.1f} < {theirs:.1f}")
    if not compared:
        return Check(limit, "Pynguin was not measured", None)
    return Check(limit, ", ".join(below) or f"on {compared} modules", not below)


def _none(own: Sequence[tuple[Row, Row]], name: str) -> Check:
    found = {row["module"]: len(figures.get(name, ())) for row, figures in own}
    some = [f"{module} {count}" for module, count in found.items() if count]
    return Check(f"0 {name}", ", ".join(some) or "0", not some)


def _elsewhere(own: Sequence[tuple[Row, Row]]) -> list[Check]:
    """One limit for each condition that suites were run under; a condition that could not be had has no answer."""
    names = list(dict.fromkeys(name for _, found in own for name in found.get("conditions", ())))
    checks = []
    for name in names:
        told = {row["module"]: found["conditions"][name] for row, found in own if "conditions" in found}
        some = [f"{module} {len(tests)}" for module, tests in told.items() if isinstance(tests, list) and tests]
        missing = [f"{module}: {why}" for module, why in told.items() if isinstance(why, str)]
        shown = ", ".join(some + missing) or f"0 on {len(told)} modules"
        checks.append(Check(f"0 failing under {name}", shown, False if some else None if missing else True))
    return checks


def _largest(
    own: Sequence[tuple[Row, Row]], name: str, limit: str, bound: float, *, unit: str = "", below: bool = False
) -> Check:
    known = {row["module"]: found[name] for row, found in own if found.get(name) is not None}
    if not known:
        return Check(limit, "not measured", None)
    over = [module for module, value in known.items() if value > bound or (below and value == bound)]
    shown = over or [max(known, key=lambda module: known[module])]
    values = ", ".join(f"{module} {known[module]:.4g}{unit}" for module in shown)
    return Check(limit, values if over else f"most: {values}", not over)
