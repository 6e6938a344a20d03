"""The job summary: what a reviewer wants to know of a run, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from ...reports.markdown_parts import block, code, line, section, table
from ...reports.model import Coverage, CoverageChange, Report, ReportPlace
from ...reports.operations import operations_shown
from ...utils.names.counted import counted

SHOWN_DEFECTS = 50
_HEADINGS = {
    "completed": "tests kept",
    "nothing_to_do": "nothing to do",
    "partial": "done in part",
    "nothing_kept": "no test was kept",
    "product_defect": "suspected defects",
    "budget_exhausted": "stopped by a ceiling",
    "environment": "the environment stands in the way",
}


@dataclass(frozen=True, slots=True)
class CodePages:
    """Where the code is shown: links lead there."""

    url: str = ""
    below: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str], below: str) -> CodePages:
        """The commit's pages, as far as the runner names them; `below` is the project's folder in the repository."""
        parts = [environment.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")]
        return cls(f"{parts[0]}/{parts[1]}/blob/{parts[2]}" if all(parts) else "", below)

    def link(self, place: ReportPlace) -> str:
        """`path:line`, as a link where there is one."""
        shown = code(f"{place.path}:{place.lines[0]}")
        if not self.url:
            return shown
        path = quote("/".join(part for part in (self.below, place.path) if part not in ("", ".")))
        return f"[{shown}]({self.url}/{path}#L{place.lines[0]}-L{max(place.lines)})"


def summary_of(report: Report, *, failed_on: tuple[str, ...], base: str, where: CodePages) -> str:
    """The summary of a run that has a report.

    Args:
        failed_on: the words of `fail-on` that hold.
        base: what the run was limited to the changes since; "" for no limit.
    """
    parts = [_head(report, failed_on, base), _defects(report, where), _targets(report), _left_out(report), _end(report)]
    return "\n\n".join("\n".join(lines) for lines in map(list, parts) if lines) + "\n"


def failure_summary(message: str, advice: str) -> str:
    """The summary of a run that could not be made."""
    told = "\n".join(block(advice, "text")) if "\n" in advice else line(advice)
    return "\n\n".join(part for part in ("# testwright: it could not work", line(message), told) if part) + "\n"


def percent(coverage: Coverage | None, what: str) -> str:
    """Covered `statements` or `branches` in percent with one decimal; "" where it was not measured."""
    if coverage is None:
        return ""
    total, covered = (
        (coverage.branches, coverage.covered_branches)
        if what == "branches"
        else (coverage.statements, coverage.covered)
    )
    return f"{100 * covered / total:.1f}" if total else ""


def _head(report: Report, failed_on: tuple[str, ...], base: str) -> Iterator[str]:
    totals = report.totals
    yield f"# testwright: {_HEADINGS.get(report.exit_reason, report.exit_reason.replace('_', ' '))}"
    yield ""
    yield f"> {line(report.request)}"
    yield ""
    ended = f"`{report.exit_reason}`" + (f"; the step fails on {', '.join(failed_on)}" if failed_on else "")
    rows = [
        ("Outcome", ended),
        ("Tests kept", f"{totals.kept} of {counted(totals.cases, 'case')}"),
        ("Dropped", str(totals.dropped)),
        ("Suspected defects", str(totals.suspected_defects)),
        ("Branches", _change(totals.coverage, "branches")),
        ("Statements", _change(totals.coverage, "statements")),
        ("API", operations_shown(totals.operations)),
        ("Not reached", str(totals.not_reached) if totals.not_reached else ""),
        ("Limited to", f"what changed since {code(base.removeprefix('refs/remotes/'))}" if base else ""),
        ("Sandbox", _sandbox(report)),
        ("Models", ", ".join(sorted({f"{model.role}: {model.model}" for model in report.run.spent.models}))),
        ("Time", f"{report.run.seconds:.0f} s"),
    ]
    yield from table(("", ""), [row for row in rows if row[1]])
    if report.advice:
        yield ""
        yield from (f"- {line(advice)}" for advice in report.advice)


def _sandbox(report: Report) -> str:
    if report.run.sandbox == "weak":
        return "**weak**: C code and child programs were not held back, because `sandbox: weak` was said"
    return report.run.sandbox or "nothing was executed"


def _defects(report: Report, where: CodePages) -> Iterator[str]:
    if not report.suspected_defects:
        return
    yield "## Suspected defects"
    for defect in report.suspected_defects[:SHOWN_DEFECTS]:
        yield ""
        yield f"**{line(defect.title)}** {where.link(defect.evidence) if defect.evidence else code(defect.target)}"
        yield ""
        yield f"- documented: {line(defect.documented)}"
        yield f"- observed: {line(defect.observed)}"
        if defect.reproduce:
            yield ""
            yield from block(defect.reproduce, "sh" if "curl " in defect.reproduce else "python")
    hidden = len(report.suspected_defects) - SHOWN_DEFECTS
    if hidden > 0:
        yield ""
        yield f"… and {hidden} more, in the report."


def _targets(report: Report) -> Iterator[str]:
    rows = [
        (
            code(target.path),
            target.test_type,
            target.status + (f": {line(target.error)}" if target.error else ""),
            str(len(target.kept)),
            str(len(target.dropped)),
            _change(target.coverage, "branches"),
            code(target.test_path) if target.test_path and target.kept else "",
        )
        for target in report.targets
    ]
    yield from section("Targets", ("Target", "Type", "Status", "Kept", "Dropped", "Branches", "Test file"), rows)


def _left_out(report: Report) -> Iterator[str]:
    rows = [(code(row.text), line(row.reason) or "not understood") for row in report.not_understood]
    rows += [(code(row.target), line(row.reason)) for row in report.skipped]
    yield from section("Left out", ("What", "Why"), rows)


def _end(report: Report) -> Iterator[str]:
    made = f"testwright {report.run.version}, run {code(report.run.id)}"
    yield f"{made}. The whole report is in the artifact of this workflow run."


def _change(change: CoverageChange, what: str) -> str:
    before, after = percent(change.before, what), percent(change.after, what)
    if not after:
        return ""
    return f"{before} % → {after} %" if before else f"{after} %"
