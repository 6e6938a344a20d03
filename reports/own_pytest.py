"""Says what the project's own `pytest` makes of the kept tests, and of those of earlier runs, for people."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .model import OwnPytestRun
from .reading import count, rows, text, words

_NAMED = 5


def own_pytest_lines(
    own: OwnPytestRun,
    earlier: Mapping[str, Any],
    variables: Mapping[str, Any] | None = None,
    *,
    not_added: Mapping[str, int] | None = None,
    lent: bool = False,
) -> Iterator[str]:
    """Yield what a person must know or do so that a bare `pytest` passes; one line where all is well.

    Args:
        earlier: what became of the tests that earlier runs wrote for the same modules: files, passed, failing,
            outdated, reason, lacking, lent; empty where there are none.
        variables: the `file` of the run that sets variables for the tests, and their `names`; None where none needs to.
        not_added: numbers of tests by the files that were left alone, and do not hold them.
        lent: the project's environment has no pytest, and testwright's own took its place.
    """
    outdated = rows(earlier.get("outdated"))
    if outdated:
        yield _outdated(outdated)
    yield from _claims(own, earlier, not_added or {}, lent=lent)
    names = words((variables or {}).get("names"))
    if names:
        yield (
            f"{text((variables or {}).get('file'))} sets {_some(names)} of the setting env where they are not set: the "
            f"tests need them. Secrets have placeholders there.{_taken(words((variables or {}).get('taken')))}"
        )
    failing = rows(earlier.get("failing"))
    if failing:
        yield _failing(failing)
    lacking = words(earlier.get("lacking"))
    if lacking:
        yield (
            f"Performance tests of an earlier run ({_some(lacking)}) need pytest-benchmark, which the project's "
            f"environment lacks: {'it was lent to them' if earlier.get('lent') else 'they were not run'}. Install it "
            "there, or your own `pytest` fails them."
        )


def _claims(
    own: OwnPytestRun, earlier: Mapping[str, Any], not_added: Mapping[str, int], *, lent: bool
) -> Iterator[str]:
    """Yield what came of the tests of the run, what they lack, and which of them are not in the project."""
    added = max(0, own.passed - sum(not_added.values()))
    claims = own.outcome in ("passed", "needs_setting")
    if own.outcome == "passed" and (added or not not_added):
        who = "Under the project's settings, a lent `pytest`" if lent else "The project's own `pytest`"
        yield f"{who} collects and passes {_tests(added, not_added)}. {_others(earlier)}"
    elif own.outcome == "needs_setting":
        needs, given = ("a line", "that line") if len(own.settings) == 1 else ("lines", "those lines")
        claim = f"With {given} it collects and passes {_tests(added, not_added)} (tried). {_others(earlier)}"
        first = f"Your own `pytest` needs {needs} first: {own.reason}."
        yield f"{first} {claim}" if added or not not_added else first
        yield from (f"Add to {setting.file}, [{setting.section}]: {setting.line}" for setting in own.settings)
    elif not claims:
        verb = {
            "not_started": "does not start",
            "not_collected": "does not collect all tests",
            "failed": "does not pass the tests",
        }
        yield f"The project's own `pytest` {verb[own.outcome]}: {own.reason}."
    if not_added and claims:
        yield (
            f"Not added, so not among them: the tests of this run for {_some(sorted(not_added))}. What your own "
            f"{'file holds' if len(not_added) == 1 else 'files hold'} was not run, and may fail."
        )
    if lent:
        yield (
            "The project's environment has no pytest; testwright's was lent to it. Install it there before you run the "
            "tests: `python -m pip install pytest`."
        )


def _taken(names: Sequence[str]) -> str:
    return f" Set {_some(names)} yourself, else the tests are skipped: no file has the value." if names else ""


def _tests(number: int, not_added: Mapping[str, int] | None = None) -> str:
    whose = "that this run added" if not_added else "of this run"
    return f"the test {whose}" if number == 1 else f"the {number} tests {whose}"


def _others(earlier: Mapping[str, Any]) -> str:
    """Say which tests beside those of the run were run; no suite may look green that was not run."""
    files, passed, reason = words(earlier.get("files")), count(earlier.get("passed")), text(earlier.get("reason"))
    failing = rows(earlier.get("failing"))
    # A project may be set up so that pytest collects none of them.
    if not files or not (passed or failing or reason):
        return "Other tests were not run."
    if reason:
        return f"Those that earlier runs wrote for the same code ({_some(files)}) did not run: {reason}."
    if failing:
        return f"Of other tests, only those that earlier runs wrote for the same code were run ({_some(files)})."
    one = passed == 1
    return (
        f"{passed} that {'an earlier run' if one else 'earlier runs'} wrote for the same code "
        f"{'passes' if one else 'pass'} as well ({_some(files)}). Other tests were not run."
    )


def _failing(failing: Sequence[Mapping[str, Any]]) -> str:
    """Name the tests of earlier runs that fail, and what to do: the change was meant, or it was not."""
    names = [text(row.get("nodeid")) for row in failing]
    one = len(names) == 1
    them = "it" if one else "them"
    modules = sorted({text(row.get("module")) for row in failing if _is_of_whole_module(text(row.get("nodeid")))})
    commands = [f"`testwright run {shlex.quote(f'unit tests for {module}')}`" for module in modules if module]
    if not commands:
        cure = f"the request that wrote {them} writes {them} anew"
    else:
        cure = f"{' and '.join(commands)} {'writes' if len(commands) == 1 else 'write'} {them} anew"
        if not all(map(_is_of_whole_module, names)):
            cure += ", and files for single functions or other test types are written anew by the request they are from"
    return (
        f"{len(names)} generated {'test' if one else 'tests'} of {'an earlier run' if one else 'earlier runs'} "
        f"{'fails' if one else 'fail'} now: {_some(names)}. {'It pins' if one else 'They pin'} what the code did "
        f"before: if the change was meant, {cure}; else the change broke something."
    )


def _outdated(failing: Sequence[Mapping[str, Any]]) -> str:
    """Name the tests that fail as they were and that this run writes anew: a regression must not pass as an update."""
    names = [f"{text(row.get('nodeid'))} ({text(row.get('message'))})" for row in failing]
    one = len(names) == 1
    return (
        f"The code does something else than before: {len(names)} generated {'test' if one else 'tests'} of an earlier "
        f"run {'fails' if one else 'fail'} as {'it was' if one else 'they were'}: {_some(names)}. This run pins what "
        "the code does now. If the change was not meant, it broke something."
    )


def _is_of_whole_module(nodeid: str) -> bool:
    """Whether a node id is of a file of unit tests for all of a module, which its path alone asks for again."""
    name = posixpath.basename(nodeid.partition("::")[0])
    return "__" not in name and not name.endswith(("_flows.py", "_api.py", "_performance.py"))


def _some(names: Sequence[str]) -> str:
    more = f", … and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
