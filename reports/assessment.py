"""What an assessment of a suite says, as text for a terminal and as Markdown; both from its JSON form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ..utils.names.counted import counted
from ..utils.outgoing_text import visible_text

Json = Mapping[str, Any]
ROWS = 60
NAMED = 12
STAYING = 3
_COLUMNS = ("Verdict", "Rows", "Lines", "Own lines", "Own branches", "Mutants", "Own", "Conditions", "Checks")
_UNPROVEN = {"accepts": "it also holds with another value", "never": "no test comes to it"}
_COLUMNS += ("Seconds", "Test")


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
    for block in blocks(report):
        lines = [*_aligned(block.columns, block.rows), *block.lines]
        parts.append("\n".join([*([block.title] if block.title else []), *lines]))
    return visible_text("\n\n".join(parts) + "\n")


def markdown_form(report: Json) -> str:
    """For a pull request or a page."""
    parts = ["# Assessment of tests"]
    for block in blocks(report):
        lines = [f"## {_escaped(block.title)}", ""] if block.title else []
        if block.rows:
            lines += [f"| {' | '.join(block.columns)} |", "|---" * len(block.columns) + "|"]
            lines += [f"| {' | '.join(_escaped(cell) for cell in row)} |" for row in block.rows]
        lines += [f"- {_escaped(line)}" for line in block.lines]
        parts.append("\n".join(lines))
    return visible_text("\n\n".join(parts) + "\n")


def blocks(report: Json) -> list[Block]:
    """The parts of the report that have something to say, in the order in which they are read on a terminal."""
    parts = [_tests(report), *_findings(report), _conditions(report), _summary(report)]
    return [part for part in parts if part.rows or part.lines]


def _tests(report: Json) -> Block:
    """One row for each test function, its parametrised rows taken together."""
    groups = [list(part) for _, part in groupby(report["tests"], key=_function)]
    notable = [part for part in groups if any(_is_told(test) for test in part)]
    shown = groups if len(groups) <= ROWS else notable[:ROWS]
    tried = sum(condition["tried"] for condition in report["conditions"])
    added = {function["name"]: function for function in report["functions"]}
    left = len(groups) - len(shown)
    lines = (f"and {left} more test functions, in the report",) if left else ()
    rows = tuple(_row(part, added.get(_function(part[0])), tried) for part in shown)
    return Block("Tests", lines, *_with_something(_COLUMNS, rows))


def _with_something(
    columns: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """A table without the columns that are empty in each row, such as those of mutants where none were tried."""
    places = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    return tuple(columns[place] for place in places), tuple(tuple(row[place] for place in places) for row in rows)


def _function(test: Json) -> str:
    return test["nodeid"].partition("[")[0]


def _is_told(test: Json) -> bool:
    return test["verdict"] != "holds" or test["slow"] or _strength(test) == "none"


def _row(tests: Sequence[Json], added: Json | None, tried: int) -> tuple[str, ...]:
    verdicts = [test["verdict"] for test in tests]
    worst = next((name for name in ("error", "failed", "timeout", "flaky") if name in verdicts), "holds")
    numbers = [(added or {}).get(name) for name in ("lines", "own_lines", "own_branches", "kills", "own_kills")]
    causes = {cause for test in tests for cause in test["causes"]}
    held = f"{tried - len(causes)}/{tried}" if tried and worst in ("holds", "flaky") else ""
    checks = tests[0]["checks"]
    return (
        worst,
        str(len(tests)),
        *("" if number is None else str(number) for number in numbers),
        held,
        "" if checks is None else f"{checks['count']} {checks['strength']}" if checks["count"] else "none",
        f"{sum(test['seconds'] for test in tests):.2f}",
        _function(tests[0]) if len(tests) > 1 else tests[0]["nodeid"],
    )


def _strength(test: Json) -> str:
    return (test["checks"] or {}).get("strength", "")


def _findings(report: Json) -> list[Block]:
    tests = report["tests"]
    unheld = [test for test in tests if test["verdict"] not in ("holds", "flaky")]
    flaky = [test for test in tests if test["verdict"] == "flaky"]
    theirs = [test for test in tests if not _is_generated(test, report)]
    parts: list[tuple[str, list[Json], Callable[[Json], str]]] = [
        ("Tests that do not pass", unheld, lambda test: test["reason"] or test["message"]),
        ("Tests that hold only sometimes", flaky, _with_message),
        ("Tests that assert nothing", [test for test in tests if _strength(test) == "none"], lambda test: ""),
        ("Tests that assert little", [test for test in theirs if _strength(test) == "weak"], lambda test: ""),
        ("Slow tests", [test for test in tests if test["slow"]], lambda test: f"{test['seconds']:.1f} s"),
    ]
    found = [
        Block(f"{title}: {len(chosen)}", tuple(_listed(chosen, describe)))
        for title, chosen, describe in parts
        if chosen
    ]
    for key, title in (
        ("adds_nothing", f"Tests that {_idle_word(report)}"),
        ("repeats", f"Rows that {_repeat_word(report)}"),
    ):
        spare = [test for test in theirs if test[key]]
        if spare:
            found.append(Block(f"{title}: {len(spare)}", tuple(_spare(spare, key, tests, report))))
    found += _kept_by_runs(report)
    passed = list(_trivial(report["trivial"])) if report["trivial"] else []
    if passed:
        title = f"Functions whose tests a trivial implementation passes: {report['trivial']['passed']}"
        found.append(Block(title, tuple(passed)))
    unproven = report["unproven"]
    if unproven:
        lines = [f"{one['path']}:{one['line']}: {_UNPROVEN[one['why']]}" for one in unproven[:NAMED]]
        more = [f"and {len(unproven) - NAMED} more, in the report"] if len(unproven) > NAMED else []
        found.append(Block(f"Expectations that prove nothing: {len(unproven)}", (*dict.fromkeys(lines), *more)))
    return found


def _is_generated(test: Json, report: Json) -> bool:
    """Whether a test is of a file that a run wrote and nobody has changed: the gate has judged it by more mutants."""
    return test["nodeid"].partition("::")[0] in report.get("generated", ())


def _spare_generated(report: Json) -> int:
    """How many tests that runs kept have nothing of their own by what was tried here."""
    tests = report["tests"]
    return sum(bool(test["adds_nothing"] or test["repeats"]) and _is_generated(test, report) for test in tests)


def _kept_by_runs(report: Json) -> list[Block]:
    """What is known of generated tests that have nothing of their own here: which mutants they were kept for is not."""
    count = _spare_generated(report)
    if not count:
        return []
    line = (
        "They run nothing that others do not, and no mutants were tried here; the run that wrote them tried some."
        if report["mutation"] is None
        else "With the mutants tried here they add nothing; the run that wrote them tried more."
    )
    return [Block(f"Tests that testwright kept by more mutants than were tried here: {count}", (line,))]


def _trivial(trivial: Json) -> Iterable[str]:
    """A line for each function that no test tells from one of its trivial implementations."""
    told = [(row, [one["title"] for one in row["survivors"] if not one["elsewhere"]]) for row in trivial["rows"]]
    named = [(row, titles) for row, titles in told if titles]
    for row, titles in named[:NAMED]:
        more = f", and {len(titles) - STAYING} more" if len(titles) > STAYING else ""
        yield f"{row['path']}:{row['line']} {row['function']}: one that {'; '.join(titles[:STAYING])}{more}"
    if len(named) > NAMED:
        yield f"and {len(named) - NAMED} more, in the report"


def _idle_word(report: Json) -> str:
    mutation = report["mutation"]
    if not mutation:
        return "run nothing that others do not"
    return "add nothing by the mutants tried" if _tried(mutation) < mutation.get("found", 0) else "add nothing"


def _tried(mutation: Json) -> int:
    """Mutants of the sample that something is known of."""
    return mutation.get("sampled", 0) - mutation.get("untried", 0)


def _repeat_word(report: Json) -> str:
    return "repeat others" if report["mutation"] else _idle_word(report)


def _spare(spare: Sequence[Json], key: str, tests: Sequence[Json], report: Json) -> Iterable[str]:
    """Functions that could all go without a loss, or of which some rows could; and where what they have stays."""
    rows = Counter(_function(test) for test in tests)
    groups = [list(part) for _, part in groupby(spare, key=_function)]
    for part in groups[:NAMED]:
        name = _function(part[0])
        who = part[0]["nodeid"] if len(part) == 1 else f"{name} ({_share(len(part), rows[name])})"
        reasons = {test[key] for test in part}
        stays = Counter(_last(other) for test in part for other in test["covered_by"]).most_common()
        names = [other for other, _ in stays[:STAYING]]
        more = f" and {len(stays) - STAYING} more" if len(stays) > STAYING else ""
        notice = " and notice" if report["mutation"] else ""
        together = f"everything they run{notice} is in {', '.join(names)}{more}"
        yield f"{who}: {reasons.pop() if len(reasons) == 1 else together}"
    if len(groups) > NAMED:
        yield f"and {len(groups) - NAMED} more test functions, in the report"
    if report["mutation"] is None:
        yield "No mutants were tried, so what these tests check does not count: they may well be worth their place."
    elif key == "repeats" and _tried(report["mutation"]) < report["mutation"]["found"]:
        tried, found = _tried(report["mutation"]), report["mutation"]["found"]
        yield f"Measured by {tried} of {found} mutants: more of them may show what a row is there for."


def _share(part: int, whole: int) -> str:
    return f"all {whole} rows" if part == whole else f"{part} of {whole} rows"


def _last(nodeid: str) -> str:
    """A node id without its file."""
    return nodeid.partition("::")[2] or nodeid


def _with_message(test: Json) -> str:
    return f"{test['reason']} ({test['message']})" if test["message"] else test["reason"]


def _listed(tests: Sequence[Json], describe: Callable[[Json], str]) -> Iterable[str]:
    """Tests with what is said of them; those that one cause explains stand in one line, with the first for example."""
    alike: dict[tuple[str, str], list[Json]] = {}
    for test in tests:
        said = describe(test)
        cause = ("", test["reason"]) if test["reason"] and test["reason"] in said else (_function(test), said)
        alike.setdefault(cause, []).append(test)
    for found in list(alike.values())[:NAMED]:
        first, names = found[0], {_function(test) for test in found}
        if len(found) == 1:
            who = first["nodeid"]
        else:
            who = (
                f"{names.pop()} ({len(found)} rows)"
                if len(names) == 1
                else f"{len(found)} tests, such as {first['nodeid']}"
            )
        description = describe(first)
        yield f"{who}: {' '.join(description.split())}" if description else who
    if len(alike) > NAMED:
        yield f"and {len(alike) - NAMED} more, in the report"


def _conditions(report: Json) -> Block:
    lines = []
    for condition in report["conditions"]:
        force = f" ({condition['in_force']})" if condition["in_force"] else ""
        count = len(condition["failing"])
        fails = f"{count} {'fails' if count == 1 else 'fail'}" if count else "all pass"
        lines.append(
            f"{condition['title']}{force}: {fails if condition['tried'] else 'not tried: the machine has none'}"
        )
    return Block("Conditions", tuple(lines))


def _summary(report: Json) -> Block:
    totals = report["totals"]
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    holds = totals["holds"]
    verb = "holds" if holds == 1 else "hold"
    tried = (
        "in the one run that there was time for"
        if "conditions" in report.get("cut_short", ())
        else "under every condition"
    )
    lines = [f"{holds} of {counted(totals['tests'], 'test')} {verb} {tried}{skipped}"]
    words = (
        ("failed", "fail"),
        ("error", "cannot be run"),
        ("timeout", "run too long"),
        ("flaky", "hold only sometimes"),
        ("adds_nothing", _idle_word(report)),
        ("repeating_rows", f"are rows that {_repeat_word(report)}"),
        ("asserts_nothing", "assert nothing"),
        ("asserts_little", "assert little"),
        ("slow", "are slow"),
    )
    of_runs = {
        "adds_nothing": sum(bool(test["adds_nothing"]) and _is_generated(test, report) for test in report["tests"]),
        "repeating_rows": sum(bool(test["repeats"]) and _is_generated(test, report) for test in report["tests"]),
        "asserts_little": sum(_strength(test) == "weak" and _is_generated(test, report) for test in report["tests"]),
    }
    told = [(totals[name] - of_runs.get(name, 0), what) for name, what in words]
    lines += [f"{count} {what}" for count, what in told if count > 0]
    coverage, mutation = report["coverage"], report["mutation"]
    if coverage and coverage["statements"]:
        lines.append(f"Statements {coverage['percent_statements']} %, branches {coverage['percent_branches']} %")
    lines += _mutants(mutation) if mutation else []
    lines += _functions(report["trivial"]) if report["trivial"] else []
    lacking = sum(test["class"] == "environment" for test in report["tests"])
    if lacking:
        advice = "install it, or name the project's own interpreter with --python PATH"
        lines.append(f"{lacking} of those that do not pass want what this environment lacks: {advice}")
    return Block("All together", (*lines, *(f"Note: {note}" for note in report["notes"])))


def _mutants(mutation: Json) -> Iterable[str]:
    score = "no score" if mutation["score"] is None else f"{mutation['score']} %"
    untried = f", {mutation['untried']} untried" if mutation.get("untried") else ""
    yield (
        f"Mutants: {score}; {mutation['killed']} killed and {mutation['timeout']} timed out of {mutation['sampled']} "
        f"sampled ({mutation['found']} there are), {mutation['survived']} survived, {mutation['uncovered']} on lines "
        f"that no test runs, {mutation['equivalent']} set aside as equivalent{untried}"
    )
    for survivor in mutation["survivors"][:NAMED]:
        yield f"  {survivor['path']}:{survivor['line']}  {survivor['before'].strip()}  →  {survivor['after'].strip()}"
    if len(mutation["survivors"]) > NAMED:
        yield f"  and {len(mutation['survivors']) - NAMED} more, in the report"
    yield from _set_aside(mutation)


def _functions(trivial: Json) -> Iterable[str]:
    """One line: how many functions stand up to trivial implementations."""
    tried, passed, elsewhere = trivial["functions"], trivial["passed"], trivial["elsewhere"]
    if tried:
        others = f"; of {elsewhere} only tests of other code notice it" if elsewhere else ""
        yield f"Trivial implementations pass the tests of {passed} of {tried} functions{others}"


def _set_aside(mutation: Json) -> Iterable[str]:
    """One line for each rule that mutants were set aside by."""
    rules: dict[str, list[Json]] = {}
    for mutant in mutation["set_aside"]:
        rules.setdefault(str(mutant["rule"]), []).append(mutant)
    for rule, mutants in sorted(rules.items()):
        shown = "; ".join(
            f"{mutant['path']}:{mutant['line']} {mutant['before'].strip()} → {mutant['after'].strip()}"
            for mutant in mutants[:NAMED]
        )
        more = f"; and {len(mutants) - NAMED} more" if len(mutants) > NAMED else ""
        yield f"  set aside by {rule}, {len(mutants)}: {shown}{more}"


def _aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    table = [columns, *rows]
    widths = [max(len(row[place]) for row in table) for place in range(len(columns))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")
