"""The commands that a person may want when a run has ended, to be copied: go on, look, run the tests, add them."""

from __future__ import annotations

import math
import posixpath
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # pydantic takes a while to import
    from .model import Report, ReportTarget

_LOCUSTFILE = "locustfile"
_NO_TESTS = ("api_serving.py", "conftest.py")
"""Files beside tests that hold none."""
_CEILINGS = {"time": "max_seconds", "tokens": "max_tokens", "cost": "max_cost"}
"""The setting of each ceiling, by its name in messages."""
_LEAST_FACTOR = 2.0


def next_commands(report: Report, *, is_configured: bool = False) -> Iterator[str]:
    """Yield the commands that a person may want now, to be copied and run from the project's folder.

    Args:
        is_configured: the project's pytest settings have what they lacked in the run.
    """
    resume = resume_command(report)
    if resume:
        yield resume
    if report.targets:
        yield f"testwright report {shlex.quote(report.run.id)} --open"
    settings = report.own_pytest.settings if report.own_pytest is not None else ()
    is_incomplete = not is_configured and any(not row.file.startswith("../") for row in settings)
    if is_incomplete:
        yield f"testwright apply {shlex.quote(report.run.id)} --configure-pytest"
    there = [file.path for file in report.files if file.outcome in ("added", "updated", "unchanged")]
    load = [path for path in there if posixpath.basename(path).startswith(_LOCUSTFILE)]
    apart = {posixpath.dirname(path) for path in load}
    in_browser = sorted({target.test_path for target in report.targets if target.framework == "playwright"} & {*there})
    # What serves the application of tests in TypeScript is Python, and no test.
    of_python = [path for path in there if path.endswith(".py") and posixpath.basename(path) not in _NO_TESTS]
    tests = sorted({path for path in of_python if posixpath.dirname(path) not in apart})
    if tests:
        yield from _test_commands(report, _places(tests, report))
    if load and shutil.which("locust") is None:
        yield "python -m pip install locust"
    if in_browser:
        yield f"npx playwright test {' '.join(map(shlex.quote, in_browser))}"
    yield from _jest_commands(report, there)
    for path in load:
        yield f"locust -f {shlex.quote(path)} --headless --load-profile smoke"
    if not is_incomplete and any(file.outcome == "staged" for file in report.files):
        yield f"testwright apply {shlex.quote(report.run.id)}"


def _jest_commands(report: Report, there: Sequence[str]) -> Iterator[str]:
    """Yield what runs the tests for Jest that are there."""
    paths = sorted({target.test_path for target in report.targets if target.framework == "jest"} & {*there})
    plain, bare = [], []
    for path in paths:
        above = [Path(report.run.root, parent) for parent in PurePosixPath(path).parents]
        configured = any((one / "package.json").is_file() or any(one.glob("jest.config.*")) for one in above)
        (plain if configured else bare).append(path)
    if plain:
        yield f"npx jest {' '.join(map(shlex.quote, plain))}"
    if bare:
        # Without a package or a configuration Jest knows no root, and ends before it looks for tests.
        yield f"npx jest --rootDir . --config '{{}}' {' '.join(map(shlex.quote, bare))}"


def _places(tests: Sequence[str], report: Report) -> list[str]:
    """The folder of test files; these one by one where a file that the run left alone lies in it."""
    folder = posixpath.commonpath([posixpath.dirname(path) for path in tests]) or "."
    alone = [file.path for file in report.files if file.outcome in ("edited", "conflict")]
    holds = any(folder == "." or path.startswith(f"{folder}/") for path in alone)
    return list(tests) if holds else [folder]


def _test_commands(report: Report, places: Sequence[str]) -> Iterator[str]:
    """Yield what runs the tests that are there; nothing where the run has seen that it does not work."""
    own = report.own_pytest
    if own is not None and own.outcome not in ("passed", "needs_setting"):
        return
    rows = [target for target in report.targets if target.kept and target.test_path]
    if not any(target.framework == "unittest" for target in rows):
        yield f"pytest {' '.join(map(shlex.quote, places))}"
        return
    # Folders of tests need no `__init__.py` this way, as they would for discovery.
    there = {file.path for file in report.files if file.outcome in ("added", "updated", "unchanged")}
    files = [target.test_path for target in rows if target.framework == "unittest" and target.test_path in there]
    roots = sorted({root for target in rows if (root := _import_root(target)) not in ("", ".")})
    place = f"PYTHONPATH={shlex.quote(':'.join(roots))} " if roots else ""
    if files:
        yield f"{place}python -m unittest {' '.join(map(shlex.quote, files))}"


def _import_root(target: ReportTarget) -> str:
    """The folder below which a target's module has its name; "" where it cannot be told."""
    names = target.module.split(".")
    parts = list(PurePosixPath(target.path).with_suffix("").parts)
    parts = parts[:-1] if parts[-1:] == ["__init__"] else parts
    return PurePosixPath(*parts[: -len(names)]).as_posix() if names == parts[-len(names) :] else ""


def is_cut_short(report: Report) -> bool:
    """Whether a ceiling ended the run."""
    return report.exit_reason.value == "budget_exhausted"


def finished_modules(report: Report) -> list[str]:
    """Paths of the targets that no ceiling kept a run from, each once; several kinds of tests may be about one."""
    left = {target.path for target in report.targets if target.status != "completed" and _names(target.error)}
    return [path for path in dict.fromkeys(target.path for target in report.targets) if path not in left]


def _names(text: str) -> list[str]:
    """The ceilings that a text says were reached."""
    return [name for name in _CEILINGS if f"the ceiling on {name} " in text]


def resume_command(report: Report) -> str:
    """What does the rest of a run that a ceiling ended; "" for another run."""
    raised = [f"--{name.replace('_', '-')} {value:.12g}" for name, value in higher_ceilings(report).items()]
    return f"testwright resume {shlex.quote(report.run.id)} {' '.join(raised)}" if raised else ""


def higher_ceilings(report: Report) -> dict[str, float]:
    """Ceilings that probably suffice for the rest of a run, by the name of their setting; empty where none ended it.

    They are what the run has used for what it finished, multiplied for all of it, and at least twice what was allowed.
    Only the ceilings that were reached are raised, or all of them where the report does not tell which.
    """
    if not is_cut_short(report):
        return {}
    spent, found = report.run.spent, dict[str, float]()
    modules = len({target.path for target in report.targets})
    # Of a run that finished nothing, half a module counts as done.
    factor = max(_LEAST_FACTOR, modules / (len(finished_modules(report)) or 0.5))
    used = {"time": spent.seconds, "tokens": float(spent.tokens), "cost": spent.cost}
    said = [target.error for target in report.targets] + [step.error for step in report.plan]
    said += [note for target in report.targets for note in target.notes]
    reached = _names("\n".join(said))
    for name, setting in _CEILINGS.items():
        allowed = report.run.settings.get(setting)
        if isinstance(allowed, int | float) and allowed > 0 and (not reached or name in reached):
            found[setting] = _rounded_up(max(used[name] * factor, allowed * _LEAST_FACTOR))
    return found


def _rounded_up(amount: float) -> float:
    """The least number of two digits that is no smaller."""
    unit = 10.0 ** (math.floor(math.log10(amount)) - 1)
    return round(math.ceil(round(amount / unit, 6)) * unit, 9)
