"""report.md: the report for a person, what needs a person first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .model import Coverage, CoverageChange, Place, Report

_SHOWN_CASES = 200
_HEADINGS = {
    "completed": "Done",
    "nothing_to_do": "Nothing to do",
    "partial": "Done in part",
    "nothing_kept": "No test was kept",
    "product_defect": "Suspected defects",
    "budget_exhausted": "Stopped by a ceiling",
    "interrupted": "Interrupted",
    "environment": "The environment stands in the way",
    "not_understood": "The request was not understood",
}


def markdown_form(report: Report) -> str:
    """The text of report.md. Times and ids stand in its last section only."""
    parts = [
        _summary(report),
        _defects(report),
        _targets(report),
        _kept(report),
        _dropped(report),
        _not_reached(report),
        _findings(report),
        _files(report),
        _request(report),
        _run(report),
    ]
    return "\n\n".join("\n".join(lines) for lines in map(list, parts) if lines) + "\n"


def _summary(report: Report) -> Iterator[str]:
    totals = report.totals
    heading = _HEADINGS.get(report.exit_reason, report.exit_reason.replace("_", " ").capitalize())
    yield f"# {heading}: {_amount(totals.kept, 'test')} {_kept_word(report)}"
    yield ""
    yield f"> {_line(report.request)}"
    yield ""
    rows = [
        ("Outcome", f"`{report.exit_reason}` (exit code {report.exit_code})"),
        ("Targets", _counted(totals.targets_completed, totals.targets, totals.targets_failed, totals.targets_skipped)),
        (_kept_word(report).capitalize(), f"{totals.kept} of {_amount(totals.cases, 'case')}"),
        ("Dropped", str(totals.dropped)),
        ("Suspected defects", str(totals.suspected_defects)),
        ("Branches", _change(totals.coverage, "branches")),
        ("Statements", _change(totals.coverage, "statements")),
        ("Expectations", _origins(report)),
        ("Executed", "yes" if report.execution == "executed" else "not executed"),
        ("Analysed", "yes" if report.analysis == "analysed" else "not analysed"),
    ]
    yield from _table(("", ""), rows)
    if report.advice:
        yield ""
        yield from (f"- {_line(one)}" for one in report.advice)


def _defects(report: Report) -> Iterator[str]:
    if not report.suspected_defects:
        return
    yield "## Suspected defects"
    yield ""
    yield "The code does not do what its documentation says. No test was bent to either."
    for one in report.suspected_defects:
        yield ""
        yield f"### {_line(one.title)}"
        yield ""
        yield f"- where: {_place(one.evidence) or _code(one.target)}" + (
            f", {_code(one.subject)}" if one.subject else ""
        )
        yield f"- documented: {_line(one.documented)}"
        yield f"- observed: {_line(one.observed)}"
        if one.reproduce:
            yield ""
            yield from _block(one.reproduce, "python")


def _targets(report: Report) -> Iterator[str]:
    if not report.targets:
        return
    yield "## Targets"
    yield ""
    head = ("Target", "Status", "Kept", "Dropped", "Branches", "Statements", "Test file")
    rows = [
        (
            _code(one.path),
            one.status + (f": {_line(one.error)}" if one.error else ""),
            f"{len(one.kept)}" if one.execution == "executed" else f"{len(one.kept)} (not executed)",
            str(len(one.dropped)),
            _change(one.coverage, "branches"),
            _change(one.coverage, "statements"),
            _code(one.test_path) if one.test_path and one.kept else "",
        )
        for one in report.targets
    ]
    yield from _table(head, rows)


def _kept(report: Report) -> Iterator[str]:
    targets = [one for one in report.targets if one.evidence]
    if not targets:
        return
    yield "## Tests" + (" kept" if report.execution == "executed" else " written, not executed")
    for target in targets:
        yield ""
        yield f"### {_code(target.test_path or target.path)}"
        yield ""
        rows = [
            (
                _line(one.title) or _code(one.case_id),
                _code(one.subject),
                ", ".join(sorted({expectation.origin for expectation in one.expectations})),
                str(len(one.lines)) if one.lines else "",
                str(one.reruns) if one.reruns else "",
            )
            for one in target.evidence[:_SHOWN_CASES]
        ]
        yield from _table(("Test", "Of", "Expectations", "Lines", "Reruns"), rows)
        yield from _more(len(target.evidence))
        if target.analysis:
            yield ""
            yield _line(target.analysis)


def _dropped(report: Report) -> Iterator[str]:
    rows = [
        (_code(target.path), _line(one.title) or _code(one.case_id), one.failure_class, _line(one.reason))
        for target in report.targets
        for one in target.dropped
    ]
    yield from _section("Dropped, and why", ("Target", "Case", "Class", "Reason"), rows)


def _not_reached(report: Report) -> Iterator[str]:
    rows = [
        (_code(target.path), _code(one.subject), _line(one.reason))
        for target in report.targets
        for one in target.not_reached
    ]
    yield from _section("Not reached", ("Target", "What", "Why"), rows)


def _findings(report: Report) -> Iterator[str]:
    rows = [(_code(one.target), one.failure_class, _line(one.title), _line(one.detail)) for one in report.findings]
    yield from _section("Findings", ("Target", "Class", "Finding", "Detail"), rows)


def _files(report: Report) -> Iterator[str]:
    rows = [(_code(one.path), one.outcome, _line(one.reason)) for one in report.files]
    yield from _section("Files", ("File", "In the project", "Why"), rows)


def _request(report: Report) -> Iterator[str]:
    rows = [
        (_line(one.text), _line(one.reason) or "not understood", ", ".join(map(_code, one.suggestions)))
        for one in report.not_understood
    ]
    rows += [(_code(one.target), _line(one.reason), "") for one in report.skipped]
    yield from _section("Left out of the plan", ("What", "Why", "Did you mean"), rows)


def _run(report: Report) -> Iterator[str]:
    run = report.run
    calls = sum(one.calls for one in run.tool_calls)
    cached = sum(one.cached for one in run.tool_calls)
    idle = "" if run.idle is None else f"{run.idle.seconds:.1f} s ({100 * run.idle.share:.0f} %)"
    rows = [
        ("Run", _code(run.id)),
        ("Began", run.started_at),
        ("Took", f"{run.seconds:.1f} s"),
        ("Idle", idle),
        ("Sandbox", run.sandbox),
        ("Interpreter", run.interpreter),
        ("Tool calls", f"{calls}, {cached} from the cache" if calls else ""),
        ("Model tokens", str(run.spent.tokens) if run.spent.tokens else ""),
        ("Model cost", _cost(report)),
        ("Resumed", str(run.resumed) if run.resumed else ""),
        ("testwright", run.version),
    ]
    yield from _section("The run", ("", ""), [row for row in rows if row[1]])
    yield from _models(report)


def _cost(report: Report) -> str:
    """What models cost in all, and whose price is not known; empty when none was asked."""
    unknown = sorted({one.model for one in report.run.spent.models if not one.priced})
    if not report.run.spent.tokens:
        return ""
    without = f", without {', '.join(map(_code, unknown))}: no price is known (--prices)" if unknown else ""
    return f"{report.run.spent.cost:.4f} USD{without}"


def _models(report: Report) -> Iterator[str]:
    """Who asked which model, and what it took."""
    head = ("Role", "Model", "Calls", "Tokens in", "of them cached", "Tokens out", "USD")
    counts = ("calls", "tokens_in", "tokens_cached", "tokens_out")
    rows = [
        (
            *(one.role, _code(one.model), *(str(getattr(one, name)) for name in counts)),
            f"{one.cost:.4f}" if one.priced else "not known",
        )
        for one in report.run.spent.models
    ]
    yield from _section("Models", head, rows)


def _section(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        return
    yield f"## {title}"
    yield ""
    yield from _table(head, rows[:_SHOWN_CASES])
    yield from _more(len(rows))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table without the columns that are empty in every row."""
    rows = list(rows)
    shown = [number for number in range(len(head)) if any(row[number] for row in rows)]
    yield f"| {' | '.join(head[number] for number in shown)} |"
    yield f"|{'|'.join(' --- ' for _ in shown)}|"
    for row in rows:
        yield f"| {' | '.join(_cell(row[number]) for number in shown)} |"


def _more(total: int) -> Iterator[str]:
    if total > _SHOWN_CASES:
        yield ""
        yield f"… and {total - _SHOWN_CASES} more, in report.json."


def _kept_word(report: Report) -> str:
    return "kept" if report.execution == "executed" or not report.totals.kept else "written"


def _counted(done: int, total: int, failed: int, skipped: int) -> str:
    extra = [f"{failed} failed"] * bool(failed) + [f"{skipped} skipped"] * bool(skipped)
    return f"{done} of {total} done" + "".join(f", {one}" for one in extra)


def _origins(report: Report) -> str:
    found = report.totals.origins
    shown = (("documented", found.documented), ("inferred", found.inferred), ("observed", found.observed))
    return ", ".join(f"{number} {name}" for name, number in shown if number)


def _change(change: CoverageChange, what: str) -> str:
    after = _percent(change.after, what)
    before = _percent(change.before, what)
    return f"{before} → {after}" if before and after else after


def _percent(found: Coverage | None, what: str) -> str:
    if found is None:
        return ""
    total, covered = (
        (found.branches, found.covered_branches) if what == "branches" else (found.statements, found.covered)
    )
    return f"{100 * covered / total:.1f} %" if total else "none there"


def _place(place: Place | None) -> str:
    if place is None:
        return ""
    first, last = place.lines
    return _code(f"{place.path}:{first}" if first == last else f"{place.path}:{first}-{last}")


def _amount(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _line(text: str) -> str:
    """Text on one line, in which nothing is taken for HTML or emphasis; code in backticks stays as it is."""
    parts = " ".join(text.split()).split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*").replace("__", "\\_\\_") for part in parts[::2]]
    return "`".join(parts)


def _cell(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= 400 else text[:399] + "…"


def _code(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        return ""
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}" if fence == "``" else f"`{text}`"


def _block(text: str, language: str) -> Iterator[str]:
    fence = "```"
    while fence in text:
        fence += "`"
    yield f"{fence}{language}"
    yield from text.rstrip("\n").split("\n")
    yield fence
