"""The text of a pull request: suspected defects first, what was tested, and how it was judged.

Two runs of the same code give the same text, so that a rerun changes nothing: no ids, no times. Whatever comes from the
project stands as code: outside of it, `@name` would call a person, and `fixes #1` would close an issue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..utils.names.counted import counted
from ..utils.outgoing_text import cut_markdown, visible_text
from .markdown_parts import block, code, table
from .model import Coverage, CoverageChange, Mutation, Report, ReportTarget

_DEFECTS = 20
_ROWS = 100
_REASONS = 10
CUT = "… the rest is in the run's own report."
_NOT_SHOWN = "  - how to see it: in the run's own report"


def pull_request_title(report: Report) -> str:
    """A title from what the kept tests are for, at most 256 characters."""
    modules = list(dict.fromkeys(target.module or target.path for target in _tested(report)))
    if 0 < len(modules) <= 3:
        named = f"{', '.join(modules[:-1])} and {modules[-1]}" if len(modules) > 1 else modules[0]
        title = f"Add tests for {named}"
        if len(title) <= 256:
            return title
    return f"Add tests for {counted(len(modules), 'module')}"


def pull_request_body(report: Report, *, left_out: Sequence[tuple[str, str]], most: int) -> str:
    """The text.

    Args:
        left_out: test files of the run that are not in the pull request, with reasons.
        most: characters. What is longer loses the code that shows its last defects, then the last defects, and is cut
            at a line where that is not enough.
    """
    count = min(len(report.suspected_defects), _DEFECTS)
    sizes = [(count, shown) for shown in range(count, -1, -1)] + [(shown, 0) for shown in range(count - 1, 0, -1)]
    text = ""
    for defects, reproduced in sizes:
        text = _text(report, left_out, defects, reproduced)
        if len(text) <= most:
            return text
    return cut_markdown(text, most, CUT)


def _text(report: Report, left_out: Sequence[tuple[str, str]], defects: int, reproduced: int) -> str:
    """The text with that many defects, of which the first ones have the code that shows them."""
    parts = [
        _defects(report, defects, reproduced),
        *(_head(report), _targets(report), _judged(report), _left_out(left_out), _end(report)),
    ]
    return visible_text("\n\n".join("\n".join(lines) for lines in map(list, parts) if lines) + "\n")


def _tested(report: Report) -> list[ReportTarget]:
    return [target for target in report.targets if target.kept]


def _defects(report: Report, most: int, reproduced: int) -> Iterator[str]:
    if not report.suspected_defects:
        return
    yield f"## {counted(len(report.suspected_defects), 'suspected defect')}"
    yield ""
    yield "Here the code does not do what its documentation says. No test of this pull request was bent to either."
    for number, defect in enumerate(report.suspected_defects[:most]):
        place = f", {code(f'{defect.evidence.path}:{defect.evidence.lines[0]}')}" if defect.evidence else ""
        yield ""
        yield f"- {code(defect.title)}{place}"
        yield f"  - documented: {code(defect.documented)}"
        yield f"  - observed: {code(defect.observed)}"
        if defect.reproduce and number >= reproduced:
            yield _NOT_SHOWN
        elif defect.reproduce:
            yield ""
            yield from block(defect.reproduce, "sh" if "curl " in defect.reproduce else "python")
    if len(report.suspected_defects) > most:
        yield ""
        yield f"… and {len(report.suspected_defects) - most} more."


def _head(report: Report) -> Iterator[str]:
    yield "## What was tested"
    yield ""
    yield f"Asked for: {code(report.request)}" if report.request.strip() else "Asked for: the whole project"


def _targets(report: Report) -> Iterator[str]:
    tested = _tested(report)
    if not tested:
        return
    rows = [
        (
            code(target.path),
            target.test_type,
            str(len(target.kept)),
            _change(target.coverage, "statements"),
            _change(target.coverage, "branches"),
            _noticed(target.mutation),
            code(target.test_path),
        )
        for target in tested[:_ROWS]
    ]
    yield from table(("Target", "Type", "Tests", "Statements", "Branches", "Mutants noticed", "File"), rows)
    if len(tested) > _ROWS:
        yield ""
        yield f"… and {counted(len(tested) - _ROWS, 'target')} more."


def _judged(report: Report) -> Iterator[str]:
    totals, found = report.totals, report.totals.origins
    yield "## How it was judged"
    yield ""
    if report.execution != "executed":
        yield "**The tests were not executed.** Run them before you merge."
        return
    yield (
        f"- {counted(totals.kept, 'test')} kept: each passed, passed again in other orders and in a fresh process, and "
        "adds coverage or notices a mutant."
    )
    reasons = Counter(dropped.reason for target in report.targets for dropped in target.dropped)
    yield f"- {totals.dropped} dropped" + (":" if reasons else ".")
    yield from (f"  - {count} × {code(reason)}" for reason, count in sorted(reasons.items())[:_REASONS])
    for what in ("statements", "branches"):
        change = _change(totals.coverage, what)
        if change:
            yield f"- {what.capitalize()} covered: {change}"
    counts = [target.mutation for target in report.targets if target.mutation is not None]
    if counts:
        noticed = sum(one.killed + one.timeout for one in counts)
        unnoticed = sum(one.survived + one.uncovered for one in counts)
        yield f"- Mutants: {noticed} noticed by the tests, {unnoticed} not"
    yield f"- Expectations: {found.documented} documented, {found.inferred} inferred, {found.observed} observed"
    if found.observed:
        yield ""
        yield "An *observed* expectation pins what the code does today: read it before you call it right."


def _left_out(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield "## Not in this pull request"
    yield ""
    yield from (f"- {code(path)}: {reason}" for path, reason in rows[:_ROWS])


def _end(report: Report) -> Iterator[str]:
    yield f"Made by testwright {report.run.version}. A rerun updates this text; what stands around it stays."


def _noticed(mutation: Mutation | None) -> str:
    return f"{mutation.score:.0f} %" if mutation is not None and mutation.score is not None else ""


def _change(change: CoverageChange, what: str) -> str:
    before, after = _percent(change.before, what), _percent(change.after, what)
    return (f"{before} → {after}" if before else after) if after else ""


def _percent(coverage: Coverage | None, what: str) -> str:
    if coverage is None:
        return ""
    is_branches = what == "branches"
    total = coverage.branches if is_branches else coverage.statements
    covered = coverage.covered_branches if is_branches else coverage.covered
    return f"{100 * covered / total:.0f} %" if total else ""
