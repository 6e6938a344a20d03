"""Explores one module: reads it, calls its functions in the sandbox, and composes the spec of its unit tests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...sandbox.javascript.project import prepare_scripts
from ...sandbox.javascript.syntax import is_typescript
from ...sandbox.target import PythonTarget
from .compose import compose_spec
from .declarations import with_declarations
from .facts import read_module
from .jsdoc import Example
from .model import Module
from .observations import Observations
from .observe import Observer
from .readme import readme_examples
from .selection import select
from .trials import Proposer, Trial


@dataclass(frozen=True, slots=True)
class ScriptExploration:
    """What came of exploring a module: its spec, how many calls were tried, and what a reader must know."""

    spec: dict[str, Any]
    trials: int
    notes: tuple[str, ...] = ()


async def explore_script(
    target: PythonTarget,
    path: str,
    *,
    symbols: Sequence[str] | None = None,
    mutants: int = 150,
    seconds: float | None = None,
) -> ScriptExploration:
    """Explore a module.

    Args:
        target: the project; its interpreter is not used.
        path: POSIX, relative to the project.
        symbols: qualified names to keep to; None for all.
        mutants: size of the sample of mutants that tests are chosen by.
        seconds: how long mutants are tried; None for all of them.

    Raises:
        TargetImportError: it cannot be read or loaded.
        EnvironmentFault: there is no Node or Jest.
        SandboxFailure, TargetRunError: it could not be run.
    """
    until = None if seconds is None else time.monotonic() + seconds
    project = await asyncio.to_thread(prepare_scripts, target, path)
    name = str(project.package.manifest.get("name") or "")
    module = await asyncio.to_thread(read_module, target.snapshot.path, path, name)
    module = await asyncio.to_thread(with_declarations, target.snapshot.path, module)
    readme = await asyncio.to_thread(readme_examples, target.snapshot.path, project.package, module)
    examples = [*_examples(module), *readme]
    proposer = Proposer(target.snapshot.path, module, examples)
    trials = proposer.propose(symbols)
    async with target.workspace() as workspace:
        observer = Observer(project, workspace, module)
        found = await observer.observe(trials, mutants=mutants, until=until) if trials else Observations()
        documented = await _documented(observer, trials, found)
    selection = select(module, trials, found, documented)
    spec = compose_spec(module, selection, proposer.domains)
    # Types of Jest's globals come with a package that not every project has.
    spec["target"]["import"] = is_typescript(path) and "@types/jest" not in project.package.dependencies
    if is_typescript(path) and project.checks_types:
        spec["target"]["unchecked"] = True
    own = "the project's own" if project.own else "ours: the project has none"
    notes = (f"Jest {project.version[0]}.{project.version[1]} is {own}.", *found.notes)
    return ScriptExploration(spec, len(trials), notes)


async def _documented(observer: Observer, trials: Sequence[Trial], found: Observations) -> Mapping[int, bool]:
    """For each documented call, whether it gives what the documentation says; by the id of the trial."""
    result: dict[int, bool] = {}
    values: list[tuple[int, str]] = []
    for trial in trials:
        seen = found.seen.get(trial.id)
        hangs = trial.id in found.hung
        if trial.example is None or (seen is not None and not seen.stable) or (seen is None and not hangs):
            continue
        outcome = seen.outcome if seen is not None else "throws"
        if trial.example.throws:
            result[trial.id] = seen is not None and outcome == "throws" and seen.error[0] == trial.example.throws
        elif outcome in ("value", "throws"):
            values.append((trial.id, trial.example.value))
    # What ends in an error, or does not end, has no source and is like nothing that is documented.
    pairs = [(value, found.seen[number].source if number in found.seen else "") for number, value in values]
    alike = await observer.are_alike(pairs) if pairs else []
    for (number, _), same in zip(values, alike, strict=True):
        # A value that is no JavaScript is prose, which says nothing that could be compared.
        if same is not None:
            result[number] = same
    return result


def _examples(module: Module) -> list[tuple[str, Example]]:
    return [(module.path, example) for one in module.callables for example in one.doc.examples] + [
        (module.path, example) for one in module.classes for example in one.doc.examples
    ]
