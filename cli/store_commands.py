"""apply, runs list, runs show and clean: what was kept of earlier runs."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len
from rich.markup import escape
from rich.table import Table

from ..core.exit_code import ExitCode
from ..reports.next_commands import resume_command
from ..utils.names.counted import counted
from . import options as given
from .console import Console, write_text
from .failures import report_failures
from .loading import load_service, load_settings_aloud
from .outcome import print_files, print_screen, print_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..store.listing import RunSummary


_LISTED = 20
"""Lines of runs that fit a screen of 24 with the heading and what follows."""
_REQUEST_LINES = 3
_CUT = "…"
_NARROWEST = 12
"""Columns of a request that goes over several lines."""
_GAP = 2
"""Spaces after a column."""


def register(app: typer.Typer, runs: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("apply")(apply)
    app.command("clean")(clean)
    runs.command("list")(list_runs)
    runs.command("show")(show_run)


def apply(
    run_id: given.ExistingRun,
    root: given.Root = None,
    state_dir: given.StateDir = None,
    store: given.Store = None,
    configure_pytest: given.ConfigurePytest = False,
    trust_project: given.TrustProject = False,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Add the tests that a run has staged to the project.

    A file that a person has changed since testwright wrote it is left alone, and so is a run that was not begun by you
    here, unless the project is trusted. With --configure-pytest, the line that the project's own pytest needs is added
    to its settings as well.

    Example: testwright apply nightly --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        service = load_service()
        where = load_settings_aloud(
            {"root": root, "state_dir": state_dir, "store": store, "trust_project": trust_project or None}
        )
        done = service.apply(run_id, where)
        lines = service.configure_pytest(run_id, where) if configure_pytest else ()
    if as_json:
        sys.stdout.write(json.dumps([asdict(file) for file in done], indent=2) + "\n")
    else:
        print_files([(file.path, file.outcome, file.reason) for file in done])
        print_settings(lines, is_asked=configure_pytest)
    if any(file.outcome == "conflict" for file in done):
        raise typer.Exit(ExitCode.PARTIAL)


def list_runs(
    root: given.Root = None,
    state_dir: given.StateDir = None,
    store: given.Store = None,
    every: Annotated[
        bool, typer.Option("--all", help="List every run, not only the newest that fit a screen.")
    ] = False,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """List the newest runs of a project, by the beginnings of their ids, which name them everywhere, as `latest` does.

    Example: testwright runs list --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        service = load_service()
        found = service.list_runs(load_settings_aloud({"root": root, "state_dir": state_dir, "store": store}))
    if as_json:
        sys.stdout.write(json.dumps([asdict(summary) for summary in found], indent=2, sort_keys=True) + "\n")
        return
    from ..store.run_names import short_ids  # the database takes a while to import

    console = Console()
    if not found:
        console.print("No runs yet.")
        return
    shown = short_ids([summary.run_id for summary in found])
    listed = found if every else found[:_LISTED]
    table, is_cut = runs_table(listed, shown, console.width, lines=None if every else _LISTED)
    console.print(table)
    if len(found) > table.row_count:
        console.print(f"… and {counted(len(found) - table.row_count, 'older run')}: --all lists them.")
    if is_cut:
        console.print("`testwright runs show` with a run's id shows its whole request.")


def runs_table(
    found: Sequence[RunSummary], shown: Mapping[str, str], width: int = 80, *, lines: int | None = None
) -> tuple[Table, bool]:
    """Lay out runs, and say whether a request is cut: one too long for its line has `_REQUEST_LINES` at most.

    Args:
        shown: the id to show, by run id.
        lines: the first runs that fit in so many are laid out, and one at least; None for all.
    """
    cells = [_cells(summary, shown) for summary in found]
    titles = ("run", "status", "began (UTC)", "kept", "defects", "request")
    widths = [max(map(cell_len, column)) for column in zip(titles, *cells, strict=True)]
    widths[-1] = min(widths[-1], max(width - sum(widths[:-1]) - _GAP * len(titles), _NARROWEST))
    table = Table(box=None, padding=(0, _GAP, 0, 0), width=sum(widths) + _GAP * len(titles))
    for title, wide in zip(titles, widths, strict=True):
        justify = "right" if title in ("kept", "defects") else "left"
        table.add_column(title, width=wide, justify=justify, no_wrap=True, overflow="ellipsis")
    used, is_cut = 0, False
    for *row, request in cells:
        whole = wrap(request, widths[-1], break_on_hyphens=False)
        parts = wrap(request, widths[-1], max_lines=_REQUEST_LINES, placeholder=_CUT, break_on_hyphens=False)
        used += max(len(parts), 1)
        if lines is not None and used > lines and table.row_count:
            break
        is_cut = is_cut or parts != whole
        table.add_row(*map(escape, row), escape("\n".join(parts)))
    return table, is_cut


def _cells(summary: RunSummary, shown: Mapping[str, str]) -> tuple[str, ...]:
    """What the table says of a run, column by column."""
    counts = summary.totals or {}
    return (
        shown[summary.run_id],
        _status(summary),
        datetime.fromtimestamp(summary.created_at, UTC).strftime("%Y-%m-%d %H:%M"),
        str(counts.get("kept", "")),
        str(counts.get("suspected_defects", "")),
        " ".join(summary.request.split()),
    )


def show_run(
    run_id: given.ExistingRun,
    root: given.Root = None,
    state_dir: given.StateDir = None,
    store: given.Store = None,
    full: Annotated[bool, typer.Option("--full", help="Show the whole report (report.md).")] = False,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Show on one screen what a run came to, or what is known of it where it has no report.

    Example: testwright runs show nightly --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        service = load_service()
        where = load_settings_aloud({"root": root, "state_dir": state_dir, "store": store})
        details, text = service.show_run(run_id, where)
        ended = service.ended_run(details.summary.run_id, where) if text and not full and not as_json else None
    if as_json:
        sys.stdout.write(json.dumps(asdict(details), indent=2, sort_keys=True, default=str) + "\n")
        return
    summary = details.summary
    if ended is not None:
        print_screen(ended)
    else:
        write_text(f"{text}\n" if text else f"Run {summary.run_id}: {_status(summary)}\nRequest: {summary.request}\n")
    if summary.resumable:
        ceiling = summary.exit_reason == "budget_exhausted"
        why, how = ("A ceiling ended it", " with a higher one") if ceiling else ("It was interrupted", "")
        command = resume_command(ended.report) if ended is not None else ""
        known = f"`{command}`" if command else f"`testwright resume {summary.run_id}`{how}"
        write_text(f"{why}: {known} goes on.\n")


def clean(
    root: given.Root = None,
    state_dir: given.StateDir = None,
    store: given.Store = None,
    keep: Annotated[
        int | None, typer.Option("--keep", min=0, help="Runs to keep. Default: the keep_runs setting.")
    ] = None,
    older_than: Annotated[
        float | None, typer.Option("--older-than", min=0, help="Only remove runs older than so many days.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Remove old runs; the tests they added to the project stay.

    Example: testwright clean --keep 5 --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        service = load_service()
        settings = load_settings_aloud({"root": root, "state_dir": state_dir, "store": store, "keep_runs": keep})
        done = service.clean(settings, older_than_days=older_than, dry_run=dry_run)
    if as_json:
        sys.stdout.write(json.dumps(asdict(done), indent=2) + "\n")
        return
    verb = "Would remove" if dry_run else "Removed"
    mib = done.freed_bytes / 2**20
    sys.stdout.write(f"{verb} {counted(len(done.removed), 'run')} ({mib:.1f} MiB), {done.kept} left.\n")
    for name in done.running:
        sys.stdout.write(f"{name} is being worked on and stays.\n")


def _status(summary: RunSummary) -> str:
    """The status of a run, with the reason it ended where that says more."""
    reason = (summary.exit_reason or "").replace("_", " ")
    return f"{summary.status} ({reason})" if reason not in ("", summary.status) else summary.status
