"""All programs of one entry, run and judged (T-20)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ....sandbox.target import PythonTarget
from ...python.project.layout import Layout
from ..flows.explore import Flows
from ..model.model import IntegrationTarget
from ..model.programs import Program
from .arguments import Command
from .documented_commands import documented_commands
from .input_files import reading_of, samples_of
from .proposals import Knowledge
from .runs import ProgramFlows, Runner, explore_program

_MOST_PROGRAMS = 3


async def explore_programs(
    target: PythonTarget, root: Path, layout: Layout, components: IntegrationTarget, flows: Flows
) -> tuple[ProgramFlows, ...]:
    """What running the entry's programs gave; in a sandbox that does not bind child programs none is run.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[ProgramFlows] = []
    for program in components.programs[:_MOST_PROGRAMS]:
        if target.sandbox.kind != "bubblewrap":
            note = f"{program.name} was not run: the weak sandbox does not bind child programs"
            found.append(
                ProgramFlows(program, lost={"": "the weak sandbox does not bind child programs"}, notes=[note])
            )
            continue
        watched = [one.place for one in components.components]
        runner = Runner(target, program, watched)
        commands = await runner.commands()
        known = await asyncio.to_thread(_known, root, layout, program, commands, [one.path for one in watched])
        one = await explore_program(runner, program, known, flows.arcs, components)
        found.append(one)
    return tuple(found)


def _known(
    root: Path, layout: Layout, program: Program, commands: Sequence[Command], watched: Sequence[str]
) -> Knowledge:
    return Knowledge(
        commands=tuple(commands),
        documented=tuple(documented_commands(root, layout, program)),
        reading=reading_of(root, watched),
        samples=tuple(samples_of(layout)),
        source=(root / program.place.path).read_text(encoding="utf-8", errors="replace"),
    )
