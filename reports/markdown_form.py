"""report.md: the report for a person, what needs a person first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..utils.names.counted import counted
from ..utils.outgoing_text import visible_text
from .headings import common_error, heading, kept_word, own_error
from .markdown_parts import SHOWN_ROWS, block, code, line, more, section, table
from .markdown_run import run_section
from .model import Coverage, CoverageChange, Mutation, NotReached, Report, ReportEvidence, ReportPlace
from .not_reached import places_not_reached, places_not_taken
from .operations import missing_statuses, operations_shown
from .written_files import why_of

FIRST_ROWS = 8
"""Rows that a section of the first part shows; all of them stand in the details."""
_HEAD_ROWS = 2
_DETAILS = ("# Details", "", "What follows is in report.html as well, with the code: `testwright report --open`.")


def markdown_form(report: Report) -> str:
    """The text of report.md: what a person reads on a screen or two, then the details.

    Times and ids stand in its last section only.
    """
    first = [
        _summary(report),
        _defects(report),
        _questions(report, FIRST_ROWS),
        _targets(report),
        _not_reached(report, FIRST_ROWS),
        _notes(report, FIRST_ROWS),
        _request(report, FIRST_ROWS),
        _files(report, FIRST_ROWS),
    ]
    whole = [list(form(report)) for form in (_questions, _not_reached, _notes, _request, _files)]
    details = [
        *(_with_all_rows(lines) for lines in whole if _is_cut(lines)),
        _operations(report),
        _kept(report),
        _not_taken(report),
        _dropped(report),
        _mutants(report),
        _trivial(report),
        _findings(report),
        _sources(report),
        run_section(report),
    ]
    parts = [*first, _DETAILS, *details]
    return visible_text("\n\n".join("\n".join(lines) for lines in map(list, parts) if lines) + "\n")


def _is_cut(lines: Iterable[str]) -> bool:
    """Whether a section has more rows than its first part shows."""
    return sum(text.startswith("|") for text in lines) > FIRST_ROWS + _HEAD_ROWS


def _with_all_rows(lines: Sequence[str]) -> Iterator[str]:
    """A section whose first rows stand above already, with a heading of its own."""
    heading_line, *rest = lines
    yield from (f"{heading_line}: all", *rest)


def _summary(report: Report) -> Iterator[str]:
    totals = report.totals
    yield f"# {heading(report)}"
    yield ""
    yield f"> {line(report.request)}"
    yield ""
    found = report.totals.origins
    shown = (("documented", found.documented), ("inferred", found.inferred), ("observed", found.observed))
    rows = [
        ("Outcome", f"`{report.exit_reason}` (exit code {report.exit_code})"),
        ("Targets", _counted(totals.targets_completed, totals.targets, totals.targets_failed, totals.targets_skipped)),
        (kept_word(report).capitalize(), f"{totals.kept} of {counted(totals.cases, 'case')}"),
        ("Dropped", str(totals.dropped)),
        ("Suspected defects", str(totals.suspected_defects)),
        ("Branches", _change(totals.coverage, "branches")),
        ("Statements", _change(totals.coverage, "statements")),
        *([("API", operations_shown(totals.operations))] if totals.operations else []),
        ("Expectations", ", ".join(f"{number} {name}" for name, number in shown if number)),
        ("Executed", "yes" if report.execution == "executed" else "not executed"),
        ("Analysed", "yes" if report.analysis == "analysed" else "not analysed"),
    ]
    yield from table(("", ""), rows)
    if report.advice:
        yield ""
        yield from (f"- {line(advice)}" for advice in report.advice)


def _defects(report: Report) -> Iterator[str]:
    if not report.suspected_defects:
        return
    yield "## Suspected defects"
    yield ""
    yield "The code does not do what its documentation says. No test asserts either for these inputs."
    for defect in report.suspected_defects:
        yield ""
        yield f"### {line(defect.title)}"
        yield ""
        yield f"- where: {_place(defect.evidence) or code(defect.target)}" + (
            f", {code(defect.subject)}" if defect.subject else ""
        )
        yield f"- documented: {line(defect.documented)}"
        yield f"- observed: {line(defect.observed)}"
        if defect.reproduce:
            yield ""
            yield from block(defect.reproduce, "sh" if "curl " in defect.reproduce else "python")


def _targets(report: Report) -> Iterator[str]:
    if not report.targets:
        return
    yield "## Targets"
    yield ""
    shared = common_error(report)
    if shared:
        yield f"Every target stopped for the same reason: {line(shared)}"
        yield ""
    head = ("Target", "Status", "Kept", "Dropped", "Branches", "Statements", "Test file")
    rows = [
        (
            code(target.path),
            target.status + (f": {line(own_error(target.error, shared))}" if target.error else ""),
            f"{len(target.kept)}" if target.execution == "executed" else f"{len(target.kept)} (not executed)",
            str(len(target.dropped)),
            _change(target.coverage, "branches"),
            _change(target.coverage, "statements"),
            code(target.test_path) if target.test_path and target.kept else "",
        )
        for target in report.targets
    ]
    yield from table(head, rows)


def _operations(report: Report) -> Iterator[str]:
    rows = [
        (
            code(row.operation),
            ", ".join(map(str, row.shown)) or "no test",
            ", ".join(missing_statuses(row)),
        )
        for target in report.targets
        for row in (target.operations.rows if target.operations else ())
    ]
    yield from section("Operations", ("Operation", "Statuses shown", "Documented, not shown"), rows)


def _subject(evidence: ReportEvidence) -> str:
    statuses = ", ".join(map(str, evidence.statuses))
    return f"{code(evidence.subject)} → {statuses}" if statuses else code(evidence.subject)


def _kept(report: Report) -> Iterator[str]:
    targets = [target for target in report.targets if target.evidence]
    if not targets:
        return
    yield "## Tests" + (" kept" if report.execution == "executed" else " written, not executed")
    for target in targets:
        yield ""
        yield f"### {code(target.test_path or target.path)}"
        yield ""
        rows = [
            (
                line(evidence.title) or code(evidence.case_id),
                ", ".join(evidence.crosses) or _subject(evidence),
                ", ".join(sorted({expectation.origin for expectation in evidence.expectations})),
                str(len(evidence.lines)) if evidence.lines else "",
                "" if evidence.mutants_killed is None else str(evidence.mutants_killed),
                str(evidence.reruns) if evidence.reruns else "",
            )
            for evidence in target.evidence[:SHOWN_ROWS]
        ]
        yield from table(("Test", "Of", "Expectations", "Lines", "Mutants", "Reruns"), rows)
        yield from more(len(target.evidence))
        if target.analysis:
            yield ""
            yield line(target.analysis)


def _dropped(report: Report) -> Iterator[str]:
    """A row for each cause at a target: a hundred tests that a clock makes flaky are one thing to mend."""
    causes: dict[tuple[str, str, str], list[str]] = {}
    for target in report.targets:
        for case in target.dropped:
            named = line(case.title) or code(case.case_id)
            causes.setdefault((target.path, case.failure_class, case.reason), []).append(named)
    rows = [
        (code(path), names[0] if len(names) == 1 else f"{len(names)} cases, such as: {names[0]}", kind, line(reason))
        for (path, kind, reason), names in causes.items()
    ]
    yield from section("Dropped, and why", ("Target", "Case", "Class", "Reason"), rows)


def _not_reached(report: Report, most: int = SHOWN_ROWS) -> Iterator[str]:
    rows = [_missed(*row) for row in places_not_reached(report.targets)]
    yield from section("Not reached", ("Where", "What", "Why"), rows, most)


def _not_taken(report: Report) -> Iterator[str]:
    rows = [_missed(*row) for row in places_not_taken(report.targets)]
    yield from section("Branches that no kept test takes", ("Where", "What", "Why"), rows)


def _missed(path: str, row: NotReached) -> tuple[str, ...]:
    return code(f"{path}:{row.line}" if row.line else path), code(row.subject), _why(row)


def _why(row: NotReached) -> str:
    """The reason, and the question that a person can answer."""
    return line(f"{row.reason}. {row.question}" if row.question else row.reason)


def _questions(report: Report, most: int = SHOWN_ROWS) -> Iterator[str]:
    """What sources leave open or contradict each other in, for a person."""
    rows = [
        (code(target.path), line(question))
        for target in report.targets
        for question in (target.sources.questions if target.sources else ())
    ]
    yield from section("Questions", ("Target", "Question"), rows, most)


def _sources(report: Report) -> Iterator[str]:
    """What the sources of each target show, and where each number is: a row for each file, or there were hundreds."""
    told = [(target.path, target.sources) for target in report.targets if target.sources and target.sources.collected]
    places: dict[tuple[str, str], list[str]] = {}
    for path, sources in told:
        for one in sources.references:
            places.setdefault((path, one.path), []).append(f"{one.number} (line {one.lines[0]})")
    rows = [(code(path), code(file), ", ".join(numbers)) for (path, file), numbers in places.items()]
    yield from section("Sources", ("Target", "File", "Numbers"), rows)
    findings = [(code(path), line(finding)) for path, sources in told for finding in sources.findings]
    if findings:
        yield ""
    yield from section("What the sources say", ("Target", "Finding"), findings)


def _notes(report: Report, most: int = SHOWN_ROWS) -> Iterator[str]:
    rows = [
        (code(target.path), line(note))
        for target in report.targets
        for note in dict.fromkeys((*target.notes, *(target.mutation.notes if target.mutation else ())))
    ]
    yield from section("Notes", ("Target", "Note"), rows, most)


def _mutants(report: Report) -> Iterator[str]:
    measured = [(target.path, target.mutation) for target in report.targets if target.mutation is not None]
    yield from _mutant_counts(measured)
    survivors = [
        (code(f"{mutant.path}:{mutant.line}"), mutant.operator, code(mutant.before), code(mutant.after))
        for _, mutation in measured
        for mutant in mutation.survivors
    ]
    if survivors:
        yield ""
    yield from section("Mutants that survived", ("Where", "Kind", "Original", "Mutant"), survivors)
    set_aside = [
        (
            mutant.rule or "",
            code(f"{mutant.path}:{mutant.line}"),
            mutant.operator,
            code(mutant.before),
            code(mutant.after),
        )
        for _, mutation in measured
        for mutant in sorted(mutation.set_aside, key=lambda mutant: mutant.rule or "")
    ]
    if set_aside:
        yield ""
    yield from section("Mutants set aside", ("Rule", "Where", "Kind", "Original", "Mutant"), set_aside)


def _mutant_counts(measured: Sequence[tuple[str, Mutation]]) -> Iterator[str]:
    """The table of counts; a column for the untried where there are some."""
    untried = any(mutation.untried for _, mutation in measured)
    rows = [
        (
            code(path),
            "" if mutation.score is None else f"{mutation.score:.1f} %",
            f"{mutation.sampled} of {mutation.found}",
            f"{mutation.killed} + {mutation.timeout}",
            str(mutation.survived + mutation.uncovered),
            str(mutation.equivalent),
            *([str(mutation.untried)] if untried else []),
        )
        for path, mutation in measured
    ]
    head = ("Target", "Score", "Mutants", "Killed + timed out", "Survived", "Set aside")
    yield from section("Mutants", (*head, "Untried") if untried else head, rows)


def _trivial(report: Report) -> Iterator[str]:
    rows = [
        (code(f"{row.path}:{row.line}"), code(row.function), line("; ".join(one.title for one in unnoticed)))
        for target in report.targets
        for row in (target.trivial.rows if target.trivial else ())
        if (unnoticed := [one for one in row.survivors if not one.elsewhere])
    ]
    yield from section("Functions whose tests a trivial implementation passes", ("Where", "What", "One that"), rows)


def _findings(report: Report) -> Iterator[str]:
    rows = [
        (code(finding.target), finding.failure_class, line(finding.title), line(finding.detail))
        for finding in report.findings
    ]
    yield from section("Findings", ("Target", "Class", "Finding", "Detail"), rows)


def _files(report: Report, most: int = SHOWN_ROWS) -> Iterator[str]:
    rows = [(code(file.path), file.outcome, line(why_of(file))) for file in report.files]
    yield from section("Files", ("File", "In the project", "Why"), rows, most)


def _request(report: Report, most: int = SHOWN_ROWS) -> Iterator[str]:
    rows = [
        (line(row.text), line(row.reason) or "not understood", ", ".join(map(code, row.suggestions)))
        for row in report.not_understood
    ]
    rows += [(code(row.target), line(row.reason), "") for row in report.skipped]
    yield from section("Left out of the plan", ("What", "Why", "Did you mean"), rows, most)


def _counted(done: int, total: int, failed: int, skipped: int) -> str:
    extra = [f"{failed} failed"] * bool(failed) + [f"{skipped} skipped"] * bool(skipped)
    return f"{done} of {total} done" + "".join(f", {text}" for text in extra)


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
    return f"{100 * covered / total:.1f} %" if total else "none"


def _place(place: ReportPlace | None) -> str:
    if place is None:
        return ""
    first, last = place.lines
    return code(f"{place.path}:{first}" if first == last else f"{place.path}:{first}-{last}")
