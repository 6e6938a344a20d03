"""Explores what one script is integrated with: calls it in the sandbox, and composes the spec of integration tests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ....core.errors import ProjectError
from ....sandbox.javascript.project import prepare_scripts
from ....sandbox.javascript.syntax import is_typescript
from ....sandbox.target import PythonTarget
from ..explore import ScriptExploration
from ..observations import Observations
from ..observe import Observer
from ..readme import readme_examples
from ..selection import Chosen, Selection, select
from ..trials import Trial
from .compose import compose_flow_spec
from .helpers import helpers_of, node_imports
from .programs import chosen_runs, documented_lines, program_trials
from .proposals import FlowProposer
from .seams import read_seams


async def explore_script_flows(
    target: PythonTarget,
    path: str,
    *,
    symbols: Sequence[str] | None = None,
    mutants: int = 150,
    seconds: float | None = None,
) -> ScriptExploration:
    """Explore what one module is integrated with.

    Args:
        target: the project; its interpreter is not used.
        path: of the entry, POSIX, relative to the project.
        symbols: qualified names to keep to; None for all.
        mutants: size of the sample of mutants, of all components, that tests are chosen by.
        seconds: how long mutants are tried; None for all of them.

    Raises:
        ProjectError: the module uses no other one, no file and no service, and is no program.
        TargetImportError: it cannot be read or loaded.
        EnvironmentFault: there is no Node or Jest.
        SandboxFailure, TargetRunError: it could not be run.
    """
    until = None if seconds is None else time.monotonic() + seconds
    root = target.snapshot.path
    project = await asyncio.to_thread(prepare_scripts, target, path)
    seams = await asyncio.to_thread(read_seams, root, path)
    if not seams.is_integration:
        raise ProjectError(
            f"{path} uses no other module of the project, no file and no service, and is no program",
            advice="ask for unit tests of it, or name a module that uses it",
        )
    package = project.package
    examples = [(path, example) for one in seams.entry.callables for example in one.doc.examples]
    examples += await asyncio.to_thread(readme_examples, root, package, seams.entry)
    proposer = FlowProposer(root, seams, examples)
    is_program = bool(seams.programs) and not seams.entry.exports
    trials = [] if is_program else proposer.propose(symbols)
    runs = program_trials(root, package.folder, seams, len(trials)) if symbols is None else []
    helpers = helpers_of(seams.programs, path)
    sources = [one.source for one in helpers]
    imports = node_imports([*sources, *(reading for one in (*trials, *runs) for reading in one.readings), "join()"])
    setup = [f"const {{ {', '.join(names)} }} = require('{module}');" for module, names in imports.items()]
    async with target.workspace() as workspace:
        others = tuple(seams.components.values())
        observer = Observer(project, workspace, seams.entry, others, (*setup, *sources))
        found = await observer.observe(trials, mutants=mutants, until=until) if trials else Observations()
        ran = await observer.observe(runs, mutants=0) if runs else Observations()
    crossing = [one for one in trials if _crosses(one, found)]
    selection = select(seams.entry, crossing, found, {}, others)
    lines = [line for one in seams.programs for line in documented_lines(root, package.folder, one)]
    selection = _together(selection, chosen_runs(runs, ran, lines), trials, crossing)
    spec = compose_flow_spec(seams, selection, proposer, helpers)
    spec["target"]["import"] = is_typescript(path) and "@types/jest" not in package.dependencies
    if is_typescript(path) and project.checks_types:
        spec["target"]["unchecked"] = True
    own = "the project's own" if project.own else "ours: the project has none"
    notes = (f"Jest {project.version[0]}.{project.version[1]} is {own}.", *found.notes)
    return ScriptExploration(spec, len(trials) + len(runs), notes)


def _crosses(trial: Trial, found: Observations) -> bool:
    """Whether a call was seen to reach two parts: two modules, or one and a file or a service."""
    seen = found.seen.get(trial.id)
    if seen is None:
        return False
    outside = any(" temporaryFolder()" in one or " serving(" in one for one in trial.prelude)
    return len({path for path, _ in seen.lines}) > 1 or outside


def _together(
    selection: Selection, runs: Iterable[Chosen], trials: Sequence[Trial], crossing: Sequence[Trial]
) -> Selection:
    """The selection with the runs of programs, and why functions whose calls stay inside the module have no test."""
    reached = {one.function.qualname for one in crossing}
    inside: Mapping[str, Trial] = {one.function.qualname: one for one in trials}
    missing = [
        (one.function, "no call of it was seen to reach another module, a file or a service")
        for name, one in inside.items()
        if name not in reached
    ]
    return replace(selection, chosen=(*selection.chosen, *runs), not_reached=(*selection.not_reached, *missing))
