"""Assessing test suites that are there already, whoever wrote them: what `testwright assess` does."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..config.settings import Settings
from ..core.errors import StoreCorrupt, UsageError
from ..core.exit_code import ExitCode
from ..engine.python.project.layout import Layout, find_layout
from ..gate.evidence.assess import AssessOptions, assess_suite
from ..gate.model.options import Framework
from ..reports.html.assessment_page import assessment_page
from ..sandbox.opening import open_sandbox
from ..sandbox.target import PythonTarget, prepare_target
from ..store.files.files import write_file
from ..store.files.run_folder import RunFolder, new_run_id
from ..utils.canonical import pretty_json
from ..utils.generated_header import is_untouched
from ..utils.redact import Redactor
from ..utils.untrusted_files import read_bytes, source_or_empty
from ..utils.untrusted_folders import walk_files
from ..utils.user_folders import cache_folders


@dataclass(frozen=True, slots=True)
class Assessed:
    """What came of an assessment: its JSON form, where it was written, and the exit code it deserves."""

    report: dict[str, Any]
    path: Path
    exit_code: ExitCode


async def assess(
    paths: Sequence[str],
    settings: Settings,
    *,
    targets: Sequence[str] = (),
    mutants: int = 100,
    test_seconds: float = 30.0,
    seed: int = 0,
    on_phase: Callable[[str], None] = lambda _: None,
) -> Assessed:
    """Assess test files of the project, and write what was found to a run's folder: `assess.json` and `report.html`.

    Args:
        paths: test files or folders, in the project; none for all that it has.
        targets: files whose branches and mutants count; none for all modules of the project.
        mutants: size of the sample over all targets; 0 for none.
        test_seconds: how long one test may take.
        seed: of the sample.
        on_phase: told what is done next, in a few words for people.

    Raises:
        UsageError: a path is not in the project, or holds no tests; tests for another framework are asked about.
        EnvironmentFault, SandboxFailure: what is missing, with advice.
        StorageError: the report cannot be written.
    """
    if settings.framework != "pytest" and settings.framework != "unittest":
        raise UsageError(
            f"assess does not judge tests for {settings.framework}",
            advice="Name --framework pytest or unittest, or leave it out.",
        )
    framework: Framework = settings.framework
    on_phase("reading the project")
    root = settings.root.resolve()
    layout = await asyncio.to_thread(find_layout, root)
    files = _test_files(root, paths, layout)
    measure = [_inside(root, path) for path in targets] or [module.path for module in layout.modules]
    folder = RunFolder(settings.state, settings.run_id or new_run_id())
    folder.create()
    target = await _prepared(root, settings, layout)
    limits = {"seed": seed, "most_seconds": settings.max_seconds}
    options = AssessOptions(tuple(measure), mutants, settings.repeats, test_seconds, **limits)
    try:
        assessment = await assess_suite(target, files, framework=framework, options=options, on_phase=on_phase)
    finally:
        await target.discard()
    # Tests say what they like in their messages, and mutants show lines of the source.
    redact = Redactor.from_environment({**os.environ, **settings.variables}).value
    generated = await asyncio.to_thread(_untouched, root, files)
    about = {"run_id": folder.run_id, "files": files, "generated": generated, "targets": measure}
    report = redact({**about, **assessment.to_dict()})
    path = folder.assess_json
    await asyncio.to_thread(write_file, path, pretty_json(report))
    await asyncio.to_thread(write_file, folder.report_html, assessment_page(report))
    return Assessed(report, path, _exit_code(report))


async def _prepared(root: Path, settings: Settings, layout: Layout) -> PythonTarget:
    """The project as the tests run on it. Raises EnvironmentFault, SandboxFailure."""
    return await prepare_target(
        root,
        sandbox=await asyncio.to_thread(open_sandbox, settings.sandbox),
        python=settings.python,
        state=settings.state,
        caches=cache_folders(settings.root),
        import_roots=layout.import_roots,
        trusted=bool(settings.trust_project),
        variables=settings.variables,
        taken=settings.taken,
    )


def assessment_html(folder: RunFolder) -> Path:
    """The page of an assessment, written anew from its JSON form, which may have come with the project.

    Raises:
        StoreCorrupt: it does not read.
        StorageError: the page cannot be written.
    """
    try:
        text = assessment_page(json.loads(read_bytes(folder.path, folder.assess_json.name)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreCorrupt(
            f"The assessment {folder.assess_json} does not read.", advice="Run `testwright assess` again."
        ) from error
    write_file(folder.report_html, text)
    return folder.report_html


def _untouched(root: Path, files: Sequence[str]) -> list[str]:
    """The files that testwright wrote and nobody has changed since."""
    return [file for file in files if is_untouched(source_or_empty(root, file)) is True]


def _test_files(root: Path, paths: Sequence[str], layout: Layout) -> list[str]:
    """The test files that paths name, sorted. Raises UsageError."""
    known = [test_file for test_file in layout.test_files if _is_test(test_file)]
    if not paths:
        found = known
    else:
        found = []
        for given in paths:
            place = _inside(root, given)
            if (root / place).is_dir():
                below = [path for path in walk_files(root / place) if path.suffix == ".py"]
                found += [found_path for path in below if _is_test(found_path := path.relative_to(root).as_posix())]
            else:
                found.append(place)
    if not found:
        raise UsageError(
            f"There are no test files in {', '.join(paths) or 'the project'}.",
            advice="Name files, or a folder with files called test_*.py or *_test.py.",
        )
    return sorted(set(found))


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return (name.startswith("test_") and name.endswith(".py")) or name.endswith("_test.py")


def _inside(root: Path, given: str) -> str:
    """A path relative to the root, POSIX. Raises UsageError."""
    place = Path(given) if Path(given).is_absolute() else root / given
    if not place.exists():
        raise UsageError(f"The project has no {given}.", advice="Give paths from the project's root.")
    if not place.resolve().is_relative_to(root):
        raise UsageError(f"{given} is not in the project {root}.", advice="Give the project with --root PATH.")
    return place.resolve().relative_to(root).as_posix()


def _exit_code(report: dict[str, Any]) -> ExitCode:
    """OK when every test holds, BUDGET when there was no time to see it; else what the tests are, the worst first."""
    verdicts = {test["verdict"] for test in report["tests"]}
    if not verdicts:
        return ExitCode.NOTHING_KEPT
    broken = {test["class"] for test in report["tests"] if test["verdict"] in ("failed", "error")}
    if broken == {"environment"}:
        return ExitCode.ENVIRONMENT
    if broken:
        return ExitCode.TEST_DEFECT
    if "timeout" in verdicts:
        return ExitCode.TIMEOUT
    if "flaky" in verdicts:
        return ExitCode.FLAKY
    # That tests pass once does not show that they hold.
    return ExitCode.BUDGET if "conditions" in report["cut_short"] else ExitCode.OK
