"""Writes report.html: reads the sources and test files that it shows, and the report that it compares with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..core.errors import StorageError, StoreCorrupt
from ..reports.html.inputs import PageInputs
from ..reports.html.page import html_form
from ..reports.json_form import from_json
from ..reports.model import Report
from ..store.database.database import Store
from ..store.files.files import typed_errors, write_file
from ..store.files.run_folder import RunFolder
from ..store.files.staging import staged_name
from ..utils.untrusted_files import MIB, read_bytes

MAX_TEXT_BYTES = MIB
"""Longer files are not shown: nobody reads them in a page."""


def stored_report(folder: RunFolder) -> Report:
    """The report of a run's folder, which may have come with the project. Raises StoreCorrupt, StorageError."""
    place = folder.report_json
    with typed_errors(place, "read"):
        content = read_bytes(place.parent, place.name)
    try:
        return from_json(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise StoreCorrupt(
            f"The report {place} does not read.",
            advice=f"Start the request as a new run; `testwright clean` removes {folder.run_id} in time.",
        ) from error


def write_html_report(
    folder: RunFolder, report: Report, store: Store, *, root: Path, redact: Callable[[str], str]
) -> Path:
    """Write the page beside the other forms of the report.

    Args:
        root: the project, from which the sources are read.
        redact: takes secrets out of a text.

    Raises:
        StorageError: it cannot be written.
    """
    targets = {target.path for target in report.targets}
    tests = {target.test_path for target in report.targets if target.evidence}
    inputs = PageInputs(
        report=report,
        sources=_texts(root, targets, redact),
        # The project's files come second: what was staged is what this run has judged.
        tests={**_texts(root, tests, redact), **_staged(folder, tests, redact)},
        earlier=_earlier(store, folder, report),
    )
    write_file(folder.report_html, html_form(inputs))
    return folder.report_html


def _staged(folder: RunFolder, paths: set[str], redact: Callable[[str], str]) -> dict[str, str]:
    names = {staged_name(folder.staged, path): path for path in paths - {""}}
    return {names[name]: text for name, text in _texts(folder.staged, set(names), redact).items()}


def _texts(folder: Path, paths: set[str], redact: Callable[[str], str]) -> dict[str, str]:
    """The files that are there and that a person can read, without secrets."""
    found: dict[str, str] = {}
    for path in sorted(paths - {""}):
        with suppress(OSError, UnicodeDecodeError):
            found[path] = redact(read_bytes(folder, path, most=MAX_TEXT_BYTES).decode("utf-8"))
    return found


def _earlier(store: Store, folder: RunFolder, report: Report) -> Report | None:
    """The newest run of the same project before this one that had targets, and whose report can be read."""
    others = [run.run_id for run in store.runs.all(root=report.run.root)]
    older = others[others.index(folder.run_id) + 1 :] if folder.run_id in others else others
    for run_id in older:
        with suppress(StorageError):  # among them one that does not read
            found = stored_report(RunFolder(folder.state_dir, run_id))
            if found.targets:
                return found
    return None
