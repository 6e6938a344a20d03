"""What a person reads when a command has ended: the report in short, a plan, what became of files."""

from __future__ import annotations

import io
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from ..core.outcome import NOT_BEGUN, STOPPED
from ..reports.next_commands import finished_modules, is_cut_short, next_commands
from ..utils.names.counted import counted
from .console import Console, write_text

if TYPE_CHECKING:
    from ..app.run_report import RunResult
    from ..reports.model import PytestLine, Report, ReportTarget, SuspectedDefect, WrittenFile

_FILES = {
    "added": "added",
    "updated": "updated",
    "unchanged": "unchanged",
    "staged": "staged",
    "removed": "removed",
    "edited": "left alone",
    "conflict": "[yellow]left alone[/]",
}


def print_result(ended: RunResult, *, as_json: bool, added: Sequence[PytestLine] = ()) -> None:
    """Print a run's report: the machine-readable one only, or what a person wants to know first.

    Args:
        added: lines that were added to the project's pytest settings since.
    """
    if as_json:
        from ..reports.json_form import json_form

        sys.stdout.write(json_form(ended.report))
        return
    console = Console()
    if ended.had_ended:
        console.print(f"Run {escape(ended.report.run.id)} had ended already, so nothing was done. It came to:")
    _headline(console, ended.report)
    _body(console, ended.report)
    if ended.diff:
        console.print()
        write_text(ended.diff)
    print_files((file.path, file.outcome, file.reason) for file in ended.report.files)
    for file in ended.report.files:
        _print_lost(console, file)
    errors = [target.error for target in ended.report.targets]
    for line in ended.report.advice:
        advice = line.partition(": ")[2]
        # The advice of a failed target ("path: advice") is the end of its error, and was printed with it.
        if not (advice and any(advice in error for error in errors)):
            console.print(escape(line))
    print_settings(added)
    _print_explored_before(console, ended.report.run.cache.explored_before)
    console.print(f"Report: {escape(str(ended.report_path))}")
    commands = list(next_commands(ended.report, is_configured=bool(added)))
    if commands and Path(ended.report.run.root) != Path.cwd():
        console.print(f"Next, in {escape(ended.report.run.root)}:")
    for command in commands:
        console.print(f"  {escape(startable(command))}")


_MODULES = {"testwright": "testwright.main", "pytest": "pytest"}
"""Programs of this environment, with the module that is the same."""


def startable(command: str) -> str:
    """The command as it can be started from here: by this interpreter where its program is on no search path."""
    program, _, rest = command.partition(" ")
    if program not in _MODULES or shutil.which(program) is not None:
        return command
    return f"{shlex.quote(sys.executable)} -m {_MODULES[program]} {rest}"


_SCREEN_ROWS = 12
_NOTES = 3
_SAID_BELOW = "The example of "
"""Begins notes that are among the advice as well."""


def print_screen(ended: RunResult) -> None:
    """Print a run on one screen: request, defects, modules, files by outcome, and where the rest is."""
    console, report = Console(), ended.report
    console.print(f"Run {escape(report.run.id)}, {escape(report.run.started_at)}: {escape(report.request)}")
    _headline(console, report)
    for defect in report.suspected_defects[:_SCREEN_ROWS]:
        _print_defect(console, defect)
    _print_more(console, len(report.suspected_defects), "suspected defect")
    _print_targets(console, report.targets[:_SCREEN_ROWS])
    _print_more(console, len(report.targets), "module")
    outcomes = Counter(file.outcome for file in report.files)
    if outcomes:
        console.print("Files: " + ", ".join(f"{count} {_FILES.get(name, name)}" for name, count in outcomes.items()))
    console.print(f"Report: {escape(str(ended.report_path))}, or here with --full")


def _print_defect(console: Console, defect: SuspectedDefect) -> None:
    place = f" ({defect.evidence.path}:{defect.evidence.lines[0]})" if defect.evidence else ""
    console.print(f"[bold red]Suspected defect:[/] {escape(defect.title)}{escape(place)}")


def _print_targets(console: Console, targets: Iterable[ReportTarget]) -> None:
    """Print what came of targets. What stops a whole run is the error of every target: it is printed once."""
    reasons: set[str] = set()
    rows = list(targets)
    several = len({target.test_type for target in rows}) > 1
    not_begun = _not_begun(rows)
    for target in rows:
        reason = target.error.removeprefix(NOT_BEGUN)
        if reason in not_begun:
            continue
        # One file may be the target of several kinds of tests.
        kind = f" ({target.test_type})" if several else ""
        # What several targets have in common is said of the first.
        notes = [note for note in target.notes if note not in reasons]
        _target(console, target, kind, "for the same reason" if reason in reasons else target.error, notes)
        reasons.update({reason, *notes} - {""})
    for reason, paths in not_begun.items():
        shown = ", ".join(paths[:_SCREEN_ROWS])
        more = f" and {len(paths) - _SCREEN_ROWS} more" if len(paths) > _SCREEN_ROWS else ""
        console.print(f"  [yellow]not begun[/], because {escape(reason)}: {escape(shown + more)}")


def _not_begun(targets: Iterable[ReportTarget]) -> dict[str, list[str]]:
    """Group the paths of targets that were not begun by a reason that several of them share."""
    groups: dict[str, list[str]] = {}
    for target in targets:
        if target.error.startswith(NOT_BEGUN):
            paths = groups.setdefault(target.error.removeprefix(NOT_BEGUN), [])
            paths += [] if target.path in paths else [target.path]
    return {reason: paths for reason, paths in groups.items() if len(paths) > 1}


def _print_explored_before(console: Console, paths: Sequence[str]) -> None:
    """Print which modules were not explored anew."""
    if not paths:
        return
    shown = ", ".join(paths[:_NOTES])
    more = f" and {len(paths) - _NOTES} more" if len(paths) > _NOTES else ""
    console.print(
        f"As an earlier run explored them, since nothing that concerns them has changed: {escape(shown + more)}. "
        "Their tests were run and judged again; --fresh explores anew."
    )


def _print_more(console: Console, count: int, thing: str) -> None:
    if count > _SCREEN_ROWS:
        console.print(f"  … and {counted(count - _SCREEN_ROWS, thing)} more")


def cached_summary(ended: RunResult) -> str:
    """What a person is told when the same is asked again and nothing has changed: plain text."""
    report, totals = ended.report, ended.report.totals
    text = io.StringIO()
    console = Console(file=text, color_system=None, force_terminal=False)
    mark = "ok" if report.exit_code == 0 else report.exit_reason.value
    stand = "stands" if totals.kept == 1 else "stand"
    console.print(
        f"{mark}  Nothing has changed since run {escape(report.run.id)}: {counted(totals.kept, 'test')} {stand}, "
        f"{totals.dropped} dropped, {counted(totals.suspected_defects, 'suspected defect')}, "
        f"in {_modules(report)}"
    )
    _body(console, report)
    for line in report.advice:
        if line.startswith(_SAID_BELOW):
            console.print(escape(line))
    for file in report.files:
        console.print(f"unchanged: {escape(file.path)}")
    console.print("Nothing was run: --fresh does all work anew.")
    console.print(f"Report: {escape(str(ended.report_path))}")
    return text.getvalue()


def _body(console: Console, report: Report) -> None:
    """Print the suspected defects, then what came of each target, then what was left out."""
    for defect in report.suspected_defects:
        _print_defect(console, defect)
        console.print(f"  documented: {escape(defect.documented)}\n  observed:   {escape(defect.observed)}")
        for line in defect.reproduce.splitlines():
            console.print(f"    {escape(line)}")
        console.print()
    _print_targets(console, report.targets)
    for row in report.not_understood:
        hint = f" Did you mean {', '.join(row.suggestions)}?" if row.suggestions else ""
        console.print(f"[yellow]Not understood:[/] {escape(row.text)}: {escape(row.reason)}.{escape(hint)}")
    for row in report.skipped:
        console.print(f"Left out: {escape(row.target)}: {escape(row.reason)}")


def print_plan(plan: dict[str, Any]) -> None:
    """Print a plan: its steps in order, and what was not understood."""
    console = Console()
    for said in plan.get("understood", ())[:1]:
        console.print(escape(str(said)))
    for number, step in enumerate(plan["steps"], 1):
        target = step["params"].get("target") or {}
        symbols = f":{', '.join(target['symbols'])}" if target.get("symbols") else ""
        goes_to = f" → {step['params']['test_path']}" if "test_path" in step["params"] else ""
        console.print(escape(f"{number:3} {step['type']:22} {target.get('path', '')}{symbols}{goes_to}".rstrip()))
        importance = step["params"].get("importance")
        if importance:
            console.print(escape(f"{'':26} {importance['reason']}"))
    for reason in dict.fromkeys(filter(None, (step["params"].get("not_run") for step in plan["steps"]))):
        console.print(escape(f"Not run: {reason}"))
    for row in plan.get("not_understood", ()):
        hint = f" Did you mean {', '.join(row['suggestions'])}?" if row["suggestions"] else ""
        console.print(f"[yellow]Not understood:[/] {escape(row['text'])}: {escape(row['reason'])}.{escape(hint)}")
    for note in plan.get("notes", ()):
        console.print(escape(str(note)))
    for row in plan.get("skipped", ()):
        console.print(f"Left out: {escape(row['target'])}: {escape(row['reason'])}")


def print_files(files: Iterable[tuple[str, str, str]]) -> None:
    """Print what became of each test file: path, outcome, reason."""
    console = Console()
    for path, outcome, reason in files:
        console.print(f"{_FILES.get(outcome, outcome)}: {escape(path)}{f' ({escape(reason)})' if reason else ''}")


def _print_lost(console: Console, file: WrittenFile) -> None:
    """Print which functions a file tested before it was written anew, and no longer does."""
    for row in file.lost[:_SCREEN_ROWS]:
        console.print(
            f"  [yellow]no test any more[/] of {escape(row.subject)} in {escape(file.path)}: {escape(row.reason)}"
        )
    _print_more(console, len(file.lost), "name")


def print_settings(lines: Iterable[PytestLine], *, is_asked: bool = False) -> None:
    """Print the lines that were added to the project's pytest settings.

    Args:
        is_asked: somebody has asked for them: that none was needed is said as well.
    """
    lines = tuple(lines)
    if is_asked and not lines:
        write_text("The project's pytest settings lack no line for these tests.\n")
    console = Console()
    for row in lines:
        console.print(escape(f"added to {row.file}, [{row.section}]: {row.line}"))


def _headline(console: Console, report: Report) -> None:
    totals = report.totals
    if report.exit_reason.value == "nothing_to_do" and not totals.targets:
        console.print(f"[green]ok[/]  nothing to do, found out in {report.run.seconds:.1f} s")
        return
    mark = "[green]ok[/]" if report.exit_code == 0 else f"[red]{report.exit_reason.value}[/]"
    what = "kept" if report.execution == "executed" else "written, not executed"
    console.print(
        f"{mark}  {counted(totals.kept, 'test')} {what}, {_dropped(report)}, "
        f"{counted(totals.suspected_defects, 'suspected defect')}, in {_modules(report)} and "
        f"{report.run.seconds:.1f} s"
    )


def _dropped(report: Report) -> str:
    """How many tests were dropped, and how many of them only because others show the same."""
    redundant = sum(row.failure_class == "redundant" for target in report.targets for row in target.dropped)
    if not redundant:
        return f"{report.totals.dropped} dropped"
    share = "" if redundant == report.totals.dropped else f"{redundant} of them "
    return f"{report.totals.dropped} dropped ({share}redundant)"


def _modules(report: Report) -> str:
    """How many files were targets, and how many of them a run came to the end of that a ceiling ended."""
    modules = counted(len({target.path for target in report.targets}), "module")
    return f"{len(finished_modules(report))} of {modules}" if is_cut_short(report) else modules


def _target(console: Console, target: ReportTarget, kind: str, error: str, said: Sequence[str]) -> None:
    before, after = target.coverage.before, target.coverage.after
    branches = ""
    # Kept tests of a program that runs in processes of its own run no line that is measured; a note says so.
    if after and after.branches and (after.covered or not target.kept):
        then = f"{100 * before.covered_branches / after.branches:.0f} → " if before else ""
        # Tests of flows go through several modules: another test type may tell other figures of this one alone.
        of = " of all it goes through" if target.test_type == "integration" else ""
        branches = f", branches{of} {then}{100 * after.covered_branches / after.branches:.0f} %"
    mutants = ""
    if target.mutation and target.mutation.score is not None:
        mutants = f", mutants {target.mutation.score:.0f} % noticed"
    missed = f", {len(target.not_reached)} not reached" if target.not_reached else ""
    if target.status == "completed":
        operations = ""
        if target.operations:
            from ..reports.operations import operations_shown

            operations = f", {operations_shown(target.operations)}"
        tests = counted(len(target.kept), "test")
        console.print(f"  {escape(target.path)}{kind}: {tests}{operations}{branches}{mutants}{missed}")
        notes = [note for note in said if not note.startswith(_SAID_BELOW)]
        for note in notes[:_NOTES]:
            console.print(f"    note: {escape(note)}")
        if len(notes) > _NOTES:
            console.print(f"    … and {counted(len(notes) - _NOTES, 'note')} more in the report")
    elif error.startswith(STOPPED):
        console.print(
            f"  {escape(target.path)}{kind}: [yellow]stopped[/], because {escape(error.removeprefix(STOPPED))}"
        )
    else:
        console.print(f"  {escape(target.path)}{kind}: [yellow]{target.status}[/] {escape(error)}")
