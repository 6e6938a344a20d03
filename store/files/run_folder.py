"""The paths of a run's files, below `<state>/runs/<run_id>/`."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import ProjectError, RunNotFound, UsageError
from ...utils.untrusted_folders import MAX_DEPTH, first_irregular
from .files import make_folder, write_file

_REQUEST_IDS = uuid.UUID("0b1f7d0c-6c5e-5d0e-9b56-7f3d1c0a9e42")
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def new_run_id() -> str:
    """A fresh run id (a random UUID)."""
    return str(uuid.uuid4())


def request_id_of(run_id: str) -> str:
    """The UUID that identifies a run in contracts, checkpoints and artifacts: the run id itself when it is a UUID."""
    try:
        return str(uuid.UUID(run_id))
    except ValueError:
        return str(uuid.uuid5(_REQUEST_IDS, run_id))


class _Part:
    """The place of a file or folder by its name in the run's folder."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, folder: RunFolder, owner: type[RunFolder]) -> Path:
        return folder.path / self._name


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The places of one run. Nothing is created before `create()`.

    Args:
        state_dir: the state folder, by default `<project>/.testwright`.
        run_id: letters, digits, dot, dash, underscore; at most 64.

    Attributes:
        plan_json: the plan.
        specs: folder of the test specs.
        staged: folder of the test files, below it their paths in the project.
        rejected: folder of test files of which no test was kept, below it their paths in the project.
        first: folder of the first tests that passed, shown while the run is at work; no part of its result.
        replaced: folder of what accepted files replaced, kept until the run ends, for withdrawing.
        accepting_json: what an unfinished acceptance had begun to do to the project.
        events_jsonl: the event stream.
        audit_jsonl: every attempt of every agent.
        sessions_json: what each session of the run used.
        scratch: folder of snapshots and workspaces; may be deleted whenever the run is not running.
        report_json: the report for machines.
        report_md: the report for people.
        junit_xml: the report for CI servers.
        lock: the file whose lock says that the run is being worked on.
        leases: folder of locks on single steps, for processes that share the run.

    Raises:
        UsageError: the run id cannot be a folder's name.
    """

    state_dir: Path
    run_id: str

    def __post_init__(self) -> None:
        if not _RUN_ID.fullmatch(self.run_id):
            raise UsageError(
                f"{self.run_id!r} cannot be a run id.",
                advice="Use letters, digits, dots, dashes and underscores, at most 64, a letter or digit first.",
            )

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.state_dir / "runs" / self.run_id

    plan_json = _Part("plan.json")
    specs = _Part("specs")
    staged = _Part("staged")
    rejected = _Part("rejected")
    first = _Part("first")
    replaced = _Part("replaced")
    accepting_json = _Part("accepting.json")
    events_jsonl = _Part("events.jsonl")
    audit_jsonl = _Part("audit.jsonl")
    sessions_json = _Part("sessions.json")
    scratch = _Part("scratch")
    report_json = _Part("report.json")
    report_md = _Part("report.md")
    report_html = _Part("report.html")
    junit_xml = _Part("junit.xml")
    assess_json = _Part("assess.json")
    lock = _Part("lock")
    leases = _Part("leases")

    @property
    def exists(self) -> bool:
        """Whether the run has a folder."""
        return self.path.is_dir()

    def create(self) -> RunFolder:
        """Make the folder and what belongs in every run; harmless when there.

        Raises:
            StorageError, StoreFull.
            ProjectError: it is there already, with a link in it.
        """
        prepare_state_dir(self.state_dir)
        self._refuse_links()
        for folder in (self.path, self.specs, self.staged):
            make_folder(folder)
        return self

    def require(self) -> RunFolder:
        """This folder, which must be there. Raises RunNotFound, and ProjectError when there is a link in it."""
        if not self.exists:
            raise RunNotFound(
                f"There is no run {self.run_id} in {self.state_dir}.",
                advice="`testwright runs list` shows the runs; --state-dir says where they are kept.",
                details={"run_id": self.run_id},
            )
        self._refuse_links()
        return self

    def _refuse_links(self) -> None:
        """Raise ProjectError where a run that somebody else may have made leads elsewhere; copies of projects may."""
        found = first_irregular(self.path, MAX_DEPTH, apart=self.scratch)
        if found is not None:
            raise ProjectError(
                f"{found} is a link or no plain file: a run's folder must not lead elsewhere.",
                advice=f"Remove it, or all of {self.path}.",
            )


def prepare_state_dir(state_dir: Path) -> Path:
    """Create the state folder, hidden from git. Raises StorageError with advice, StoreFull."""
    make_folder(state_dir)
    ignore = state_dir / ".gitignore"
    if not ignore.exists():
        write_file(ignore, "*\n")
    return state_dir


def run_ids(state_dir: Path) -> Iterator[str]:
    """Ids of all run folders, sorted; folders on their way out (a leading dot) are not runs."""
    runs = state_dir / "runs"
    if not runs.is_dir():
        return
    for folder in sorted(runs.iterdir()):
        if folder.is_dir() and _RUN_ID.fullmatch(folder.name):
            yield folder.name
