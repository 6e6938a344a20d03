"""What an assessment of a suite says, as text for a terminal and as Markdown; both from its JSON form (B-01, B-11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

Json = Mapping[str, Any]
ROWS = 60
NAMED = 12
_COLUMNS = ("Verdict", "Rows", "Own lines", "Own branches", "Mutants", "Own", "Conditions", "Checks", "Seconds", "Test")


@dataclass(frozen=True, slots=True)
class Block:
    """A titled part of the report: a table, or lines."""

    title: str
    lines: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = field(default=())


def text_form(report: Json) -> str:
    """For a terminal: aligned columns, the numbers first."""
    parts = []
    for block in _blocks(report):
        lines = [*_aligned(block.columns, block.rows), *block.lines]
        parts.append("\n".join([*([block.title] if block.title else []), *lines]))
    return "\n\n".join(parts) + "\n"


def markdown_form(report: Json) -> str:
    """For a pull request or a page."""
    parts = ["# Assessment of tests"]
    for block in _blocks(report):
        lines = [f"## {_escaped(block.title)}", ""] if block.title else []
        if block.rows:
            lines += [f"| {' | '.join(block.columns)} |", "|---" * len(block.columns) + "|"]
            lines += [f"| {' | '.join(_escaped(cell) for cell in row)} |" for row in block.rows]
        lines += [f"- {_escaped(line)}" for line in block.lines]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _blocks(report: Json) -> list[Block]:
    blocks = [_tests(report), *_findings(report), _conditions(report), _summary(report)]
    return [block for block in blocks if block.rows or block.lines]


def _tests(report: Json) -> Block:
    """One row for each test function; its parametrised rows are added up."""
    groups = [list(part) for _, part in groupby(report["tests"], key=lambda one: one["nodeid"].partition("[")[0])]
    told = [part for part in groups if any(_is_told(one) for one in part)]
    shown = groups if len(groups) <= ROWS else told[:ROWS]
    tried = sum(one["tried"] for one in report["conditions"])
    lines = ()
    if len(shown) < len(groups):
        lines = (
            f"{len(groups) - len(shown)} more test functions are in the report, and nothing is said against most.",
        )
    return Block("Tests", lines, _COLUMNS, tuple(_row(part, tried) for part in shown))


def _is_told(test: Json) -> bool:
    return test["verdict"] != "holds" or test["slow"] or bool(test["adds_nothing"]) or _strength(test) == "none"


def _row(tests: Sequence[Json], tried: int) -> tuple[str, ...]:
    verdicts = [one["verdict"] for one in tests]
    worst = next((name for name in ("error", "failed", "timeout", "flaky") if name in verdicts), "holds")
    evidence = [one["evidence"] for one in tests if one["evidence"]]

    def added(name: str) -> str:
        values = [one[name] for one in evidence]
        return "" if not values or None in values else str(sum(values))

    causes = max((len(one["causes"]) for one in tests), default=0)
    held = f"{tried - causes}/{tried}" if tried and worst in ("holds", "flaky") else ""
    checks = tests[0]["checks"]
    own_branches = [one["own_branches"] for one in evidence]
    return (
        worst,
        str(len(tests)),
        added("own_lines"),
        str(sum(own_branches)) if own_branches else "",
        added("mutants_killed"),
        added("own_kills"),
        held,
        "" if checks is None else f"{checks['count']} {checks['strength']}" if checks["count"] else "none",
        f"{sum(one['seconds'] for one in tests):.2f}",
        tests[0]["nodeid"].partition("[")[0] if len(tests) > 1 else tests[0]["nodeid"],
    )


def _strength(test: Json) -> str:
    return (test["checks"] or {}).get("strength", "")


def _findings(report: Json) -> list[Block]:
    tests = report["tests"]
    unheld = [one for one in tests if one["verdict"] not in ("holds", "flaky")]
    flaky = [one for one in tests if one["verdict"] == "flaky"]
    idle = [one for one in tests if one["adds_nothing"]]
    parts: list[tuple[str, list[Json], Callable[[Json], str]]] = [
        ("Tests that do not pass", unheld, lambda one: one["reason"] or one["message"]),
        ("Tests that hold only sometimes", flaky, _with_message),
        ("Tests that add nothing", idle, lambda one: one["adds_nothing"]),
        ("Tests that assert nothing", [one for one in tests if _strength(one) == "none"], lambda one: ""),
        ("Tests that assert little", [one for one in tests if _strength(one) == "weak"], lambda one: ""),
        ("Slow tests", [one for one in tests if one["slow"]], lambda one: f"{one['seconds']:.1f} s"),
    ]
    return [Block(f"{title}: {len(chosen)}", tuple(_listed(chosen, say))) for title, chosen, say in parts if chosen]


def _with_message(test: Json) -> str:
    return f"{test['reason']} ({test['message']})" if test["message"] else test["reason"]


def _listed(tests: Sequence[Json], say: Callable[[Json], str]) -> Iterable[str]:
    """Tests with what is said of them; rows of one test of which the same is said stand in one line."""
    alike: dict[tuple[str, str], list[str]] = {}
    for one in tests:
        alike.setdefault((one["nodeid"].partition("[")[0], say(one)), []).append(one["nodeid"])
    for (name, said), nodeids in list(alike.items())[:NAMED]:
        who = nodeids[0] if len(nodeids) == 1 else f"{name} ({len(nodeids)} rows)"
        yield f"{who}: {' '.join(said.split())}" if said else who
    if len(alike) > NAMED:
        yield f"and {len(alike) - NAMED} more, in the report"


def _conditions(report: Json) -> Block:
    lines = []
    for one in report["conditions"]:
        force = f" ({one['in_force']})" if one["in_force"] else ""
        count = len(one["failing"])
        fails = f"{count} {'fails' if count == 1 else 'fail'}" if count else "all pass"
        lines.append(f"{one['title']}{force}: {fails if one['tried'] else 'not tried, the machine has none'}")
    return Block("Conditions", tuple(lines))


def _summary(report: Json) -> Block:
    totals = report["totals"]
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    lines = [f"{totals['holds']} of {totals['tests']} tests hold under every condition{skipped}"]
    words = (
        ("failed", "fail"),
        ("error", "cannot be run"),
        ("timeout", "run too long"),
        ("flaky", "hold only sometimes"),
        ("adds_nothing", "add nothing to the others"),
        ("asserts_nothing", "assert nothing"),
        ("asserts_little", "assert little"),
        ("slow", "are slow"),
    )
    lines += [f"{totals[name]} {what}" for name, what in words if totals[name]]
    coverage, mutation = report["coverage"], report["mutation"]
    if coverage and coverage["statements"]:
        lines.append(f"Statements {coverage['percent_statements']} %, branches {coverage['percent_branches']} %")
    lines += _mutants(mutation) if mutation else []
    return Block("All together", (*lines, *(f"Note: {note}" for note in report["notes"])))


def _mutants(mutation: Json) -> Iterable[str]:
    score = "no score" if mutation["score"] is None else f"{mutation['score']} %"
    yield (
        f"Mutants: {score}; {mutation['killed']} killed and {mutation['timeout']} timed out of {mutation['sampled']} "
        f"sampled ({mutation['found']} there are), {mutation['survived']} survived, {mutation['uncovered']} on lines "
        f"that no test runs, {mutation['equivalent']} set aside as equivalent"
    )
    for one in mutation["survivors"][:NAMED]:
        yield f"  {one['path']}:{one['line']}  {one['before'].strip()}  →  {one['after'].strip()}"
    if len(mutation["survivors"]) > NAMED:
        yield f"  and {len(mutation['survivors']) - NAMED} more, in the report"


def _aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    table = [columns, *rows]
    widths = [max(len(row[place]) for row in table) for place in range(len(columns))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")
