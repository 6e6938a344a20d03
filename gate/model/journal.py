"""Reads the record that a test runner wrote in the sandbox, complete or cut short."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...utils.untrusted_files import decoded_json, read_bytes
from .results import CaseResult, CollectError, Failure, OutsideAct, failure_from_worker

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
Scrub = Callable[[str], str]


@dataclass(slots=True)
class SuiteRecord:
    """One launch of a runner.

    Attributes:
        collected: node ids in the order they were to run; None when collection did not finish.
        running: the test that had started and has no outcome.
        collecting: the file that was being collected when the process ended.
        locale, encoding: the locale with a decimal comma, and the encoding of text, that were in force; None where none
            was asked for, "" where the machine has none.
        broken: why the runner itself failed.
        code: the runner's exit code; None when it did not get to its end.
    """

    version: str = ""
    collected: list[str] | None = None
    case_ids: dict[str, str | None] = field(default_factory=dict)
    tests: list[CaseResult] = field(default_factory=list)
    collect_errors: list[CollectError] = field(default_factory=list)
    fixtures: list[tuple[str, bool, Failure, str]] = field(default_factory=list)
    acts_outside_tests: list[OutsideAct] = field(default_factory=list)
    running: str | None = None
    collecting: str | None = None
    broken: str = ""
    clock_moved: bool = True
    locale: str | None = None
    encoding: str | None = None
    code: int | None = None

    @property
    def not_run(self) -> list[str]:
        """Collected tests without an outcome."""
        seen = {test.nodeid for test in self.tests}
        return [nodeid for nodeid in self.collected or () if nodeid not in seen]


def scrubber(project: Path, scratch: Path) -> Scrub:
    """Takes what differs from run to run out of messages: the workspace's paths and addresses in memory."""
    replacements = [
        (f"{project}/", ""),
        (str(project), "."),
        (str(scratch), "<scratch>"),
    ]

    def scrub(text: str) -> str:
        for old, new in replacements:
            text = text.replace(old, new)
        return _ADDRESS.sub("0x…", text)

    return scrub


def read_record(folder: Path, name: str, scrub: Scrub) -> SuiteRecord:
    """Read a results file; lines that are cut short or in another form than the runner's are left out.

    Args:
        folder, name: as for `read_bytes`: what a program left in the place of the file makes the record `broken`.
    """
    record = SuiteRecord()
    try:
        facts = read_facts(folder, name)
    except OSError as fault:
        record.broken = f"the results of the tests could not be read: {fault.strerror or fault}"
        return record
    for fact in facts:
        with suppress(KeyError, TypeError, ValueError, AttributeError, IndexError):
            _take(record, fact, scrub)
    return record


def read_facts(folder: Path, name: str) -> list[dict[str, Any]]:
    """The objects among the JSON lines of a file; one cut short by the end of the process is left out.

    A missing file has none. Raises OSError as `read_bytes`.
    """
    try:
        lines = read_bytes(folder, name).splitlines()
    except FileNotFoundError:
        return []
    facts = []
    for line in lines:
        with suppress(ValueError):
            facts.append(decoded_json(line))
    return [fact for fact in facts if isinstance(fact, dict)]


def _take(record: SuiteRecord, fact: dict[str, Any], scrub: Scrub) -> None:
    match fact.get("kind"):
        case "session":
            record.version = str(fact["version"])
        case "surroundings":
            record.clock_moved = bool(fact.get("clock_moved", True))
            record.locale, record.encoding = fact.get("locale"), fact.get("encoding")
        case "collecting":
            record.collecting = str(fact["path"])
        case "collected":
            record.collected, record.collecting = list(fact["nodeids"]), None
            record.case_ids = dict(zip(fact["nodeids"], fact["case_ids"], strict=True))
        case "collect_error":
            failure = _failure(fact, scrub) or Failure("CollectError", "the file could not be collected")
            record.collect_errors.append(CollectError(str(fact["path"]), failure, scrub(str(fact["trace"]))))
        case "acts_at_collection":
            rows = fact["acts"]
            record.acts_outside_tests += [OutsideAct(str(path), str(name), scrub(str(act))) for path, name, act in rows]
        case "fixture":
            failure = _failure(fact, scrub) or Failure("Exception")
            record.fixtures.append((str(fact["holder"]), bool(fact["skipped"]), failure, scrub(str(fact["trace"]))))
        case "started":
            record.running = str(fact["nodeid"])
        case "test":
            record.running = None
            record.tests.append(_case(fact, scrub))
        case "broken":
            record.broken = scrub(str(fact["message"]))
        case "end":
            record.code = int(fact["code"])
        case _:
            pass


def _failure(fact: dict[str, Any], scrub: Scrub) -> Failure | None:
    raw = fact.get("error")
    if raw is None:
        return None
    return failure_from_worker({**raw, "message": scrub(str(raw.get("message", "")))})


def _case(fact: dict[str, Any], scrub: Scrub) -> CaseResult:
    return CaseResult(
        nodeid=fact["nodeid"],
        path=fact["path"],
        name=fact["name"],
        outcome=fact["outcome"],
        case_id=fact["case_id"],
        phase=fact["phase"],
        seconds=float(fact["seconds"]),
        failure=_failure(fact, scrub),
        trace=scrub(str(fact["trace"])),
        things=tuple(map(str, fact.get("things", ()))),
        acts=tuple(scrub(str(act)) for act in fact.get("acts", ())),
        place=(str(fact["place"][0]), int(fact["place"][1])) if fact.get("place") else None,
    )
