"""The folder that becomes the workflow's artifact."""

from __future__ import annotations

import shutil
from pathlib import Path

from ...store.files.files import make_folder, write_file
from ...store.files.run_folder import RunFolder

_FILES = ("report.md", "report.json", "junit.xml", "plan.json", "events.jsonl")
_FOLDERS = ("specs", "staged")


def fill_report_folder(run: RunFolder, into: Path, *, diff: str) -> Path:
    """Copy what a run made for people and programs.

    Args:
        into: a new folder, or one of the same run, which is replaced.
        diff: what accepting the tests would change, on a dry run; kept as `tests.patch`, for `git apply`.

    Returns:
        The report for people: `report.md`. Beside it stand `report.json`, `junit.xml`, `plan.json`, `events.jsonl`,
        `specs/` and `staged/`, the test files at their paths in the project.

    Raises:
        StorageError, StoreFull: it cannot be written.
    """
    shutil.rmtree(into, ignore_errors=True)
    make_folder(into)
    for name in _FILES:
        if (run.path / name).is_file():
            shutil.copyfile(run.path / name, into / name)
    for name in _FOLDERS:
        if (run.path / name).is_dir():
            shutil.copytree(run.path / name, into / name)
    if diff:
        write_file(into / "tests.patch", diff)
    return into / "report.md"
