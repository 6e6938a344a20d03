"""Runs a project's programs in the sandbox and selects the runs that are worth a test.

A run counts only when its last command was observed to cross from one module of the project into another. Two further
runs differ in hash seed and clock; what they change is not asserted.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ....core.errors import SandboxFailure
from ....sandbox.protocol import Limits
from ....sandbox.target import PythonTarget, Workspace
from ....sandbox.worker_files import worker_arguments
from ....utils.untrusted_files import read_json, read_source
from ...python.model.model import Arc
from ...python.project.layout import Layout, ModulePlace
from ..flows.explore import Flows
from ..model.components import IntegrationTarget
from ..model.programs import (
    DEFAULT_CONDITIONS,
    ProgramRun,
    ProjectProgram,
    RunConditions,
    RunObservation,
    run_observation_from,
)
from ..model.wide_arcs import WideArcs
from .arguments import Command, commands_of, long_options, reading_of, samples_of
from .documented import documented_commands, relies_on_wrong_default, wrong_documented_defaults
from .documented_files import documented_files
from .pairs import paired_runs
from .plainer import idle_runs, merged_runs, outcome, prints_help, without_names
from .proposals import (
    ProgramFacts,
    boundary_arguments,
    boundary_runs,
    following_runs,
    single_runs,
    tells_by_code,
)
from .variables import variables_of

COMMAND_SECONDS = 10.0
MOST_KEPT = 18
_READ_SECONDS = 30.0
_MOVING_COST = 250
_MADE_UP_COST = 60
_MOST_ANCHORS = 6
_SHIFT = 400 * 86_400 + 7 * 3600 + 11


TRACED_CONDITIONS = RunConditions(traced=True)
OTHER_CONDITIONS = RunConditions(hash_seed=2, shift=_SHIFT)


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run that is worth a test: its results under both conditions, and the arcs of its last command."""

    run: ProgramRun
    seen: RunObservation
    elsewhere: RunObservation
    arcs: frozenset[Arc]


@dataclass(slots=True)
class ProgramFlows:
    """The results of running one program.

    Attributes:
        unset: variables that the program asks for; it runs without them.
        lost: the reasons why commands got no test, by subcommand.
        defects: help texts that runs contradict, as suspected defects of the spec.
    """

    program: ProjectProgram
    commands: tuple[Command, ...] = ()
    unset: tuple[str, ...] = ()
    kept: list[KeptRun] = field(default_factory=list)
    seen: list[tuple[ProgramRun, RunObservation]] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    defects: list[dict[str, Any]] = field(default_factory=list)
    runs: int = 0
    notes: list[str] = field(default_factory=list)


class ProgramRunner:
    """Runs one program of a target in workspaces of their own."""

    def __init__(self, target: PythonTarget, program: ProjectProgram, watched: Sequence[ModulePlace]) -> None:
        self._target = target
        self._program = program
        self._watched = tuple(watched)

    async def commands(self) -> tuple[Command, ...]:
        """The commands of the program's argument parser, read by running it that far; empty for unknown parsers."""
        async with self._target.workspace() as workspace:
            out = workspace.scratch / "parser.json"
            program = workspace.program(
                worker_arguments("programs.read_parser", str(out), *self._program.start),
                limits=Limits(wall_seconds=_READ_SECONDS),
            )
            await self._target.sandbox.run(program)
            try:
                name = out.relative_to(workspace.folder).as_posix()
                answer = await asyncio.to_thread(read_json, workspace.folder, name)
                return commands_of(answer["parser"]) if answer.get("parser") else ()
            except (OSError, ValueError, TypeError, KeyError, AttributeError):
                return ()

    async def observe(self, runs: Sequence[ProgramRun], manner: RunConditions) -> list[RunObservation]:
        """Executes runs and returns their results in the same order.

        Raises:
            SandboxFailure: the sandbox broke.
        """
        if not runs:
            return []
        async with self._target.workspace() as workspace:
            count = sum(len(run.commands) for run in runs)
            program = workspace.program(
                worker_arguments("programs.run_commands"),
                limits=Limits(wall_seconds=60 + count * (COMMAND_SECONDS + 5), cpu_seconds=600, output_mib=128),
                stdin=json.dumps(self._request(workspace, runs, manner)).encode(),
            )
            completed = await self._target.sandbox.run(program)
        lines = completed.stdout.decode("utf-8", "replace").splitlines()
        # The worker prints one line for each run: fewer mean that it was ended.
        if len(lines) < len(runs):
            last = completed.stderr.decode("utf-8", "replace").strip()[-400:]
            raise SandboxFailure(
                f"Running {self._program.name} ended after {len(lines)} of {len(runs)} runs. {completed.reason} {last}",
                advice="Run the program by hand; it may use more memory or processes than the sandbox gives.",
            )
        return [
            run_observation_from(json.loads(line), len(run.commands)) for run, line in zip(runs, lines, strict=False)
        ]

    def _request(self, workspace: Workspace, runs: Sequence[ProgramRun], manner: RunConditions) -> dict[str, Any]:
        home = [str(workspace.scratch / name) for name in ("home", "tmp")]
        return {
            "scratch": str(workspace.scratch / "programs"),
            "watched": [str(workspace.project / place.path) for place in self._watched],
            "modules": [place.module for place in self._watched],
            "start": list(self._program.start),
            "seconds": COMMAND_SECONDS,
            "outside": [str(workspace.project), *home],
            "runs": [
                {"files": dict(run.files), "commands": [list(words) for words in run.commands], **asdict(manner)}
                for run in runs
            ],
        }


async def explore_program(
    runner: ProgramRunner, program: ProjectProgram, known: ProgramFacts, arcs: WideArcs, target: IntegrationTarget
) -> ProgramFlows:
    """Runs a program in many ways and selects runs for tests. Raises SandboxFailure."""
    found = ProgramFlows(program, known.commands)

    async def observe(runs: list[ProgramRun]) -> None:
        found.seen += zip(runs, await runner.observe(runs, TRACED_CONDITIONS), strict=True)

    single = single_runs(known)
    await observe(single)
    await observe(paired_runs(found.seen))
    second = following_runs(found.seen, single)
    await observe(second)
    # A third command follows two others.
    await observe([run for run in following_runs(found.seen, single) if len(run.commands) > 2 and run not in second])
    await observe(boundary_runs(found.seen, known.commands))
    found.defects = await wrong_documented_defaults(runner.observe, program, known.commands, found.seen, known.source)
    found.runs = len(found.seen)
    counting = {component.place.module for component in target.components if not component.vocabulary}
    chosen = _chosen(found, arcs, counting, frozenset(known.documented))
    runs = [run for run, _ in chosen]
    plain, elsewhere = await runner.observe(runs, DEFAULT_CONDITIONS), await runner.observe(runs, OTHER_CONDITIONS)
    for (run, own), seen, other in zip(chosen, plain, elsewhere, strict=True):
        reason = _instability(seen, other)
        if reason:
            found.lost.setdefault(" ".join(run.words), reason)
        else:
            found.kept.append(KeptRun(run, seen, other, own))
    _record_rejections(found)
    if found.kept:
        found.notes.append(f"{program.name} runs in processes of its own: lines it runs there are not in the coverage")
    return found


def _instability(seen: RunObservation, other: RunObservation) -> str:
    first, second = seen.last, other.last
    if first is None or second is None or seen.failed or other.failed:
        return "it could not be repeated"
    if (first.code, first.ended) != (second.code, second.ended):
        return "it ends otherwise with another hash seed or clock"
    return ""


def rejection_reason(result: RunObservation) -> str:
    """The reason why a run cannot become a test; empty when it can."""
    last = result.last
    if result.failed or last is None:
        return result.failed or "nothing ran"
    if last.ended != "exited":
        timed_out = last.ended.startswith("timed")
        return f"it did not end within {COMMAND_SECONDS:g} s" if timed_out else f"it {last.ended}"
    if result.outside:
        return "it writes outside of its folder"
    if prints_help(result):
        return "it only tells how it is called"
    if last.err and "Traceback (most recent call last)" in last.err:
        # The last line of a traceback: `package.SomeError: message`.
        exception = last.err.strip().rpartition("\n")[2].partition(":")[0].rpartition(".")[2] or "exception"
        return f"it ends with an unhandled {exception}"
    return ""


def has_assertable_result(run: ProgramRun, result: RunObservation) -> bool:
    """Whether a run has a result to assert besides the exit code."""
    last = result.last
    return last is not None and bool(last.out or (last.code and last.err) or result.changed() or result.kept_rows(run))


_Candidate = tuple[ProgramRun, frozenset[Arc], frozenset[Any]]
"""A run with the arcs of its last command, and with what it shows."""


def _chosen(
    found: ProgramFlows, arcs: WideArcs, counting: set[str], documented: frozenset[tuple[str, ...]] = frozenset()
) -> list[tuple[ProgramRun, frozenset[Arc]]]:
    """Selects runs greedily: the most new arcs and behaviours for the least reading cost.

    Args:
        documented: command lines that documents show, which come before made-up ones of the same worth.
    """
    left = _candidates(found, arcs, counting, documented)
    extra = _extra_costs(found, documented)
    seen_by_run = dict(found.seen)
    chosen: list[tuple[ProgramRun, frozenset[Arc]]] = []
    shown: set[Any] = set()
    anchors = [one for one in left if len(one[0].commands) == 1 and one[0].commands[0] in documented][:_MOST_ANCHORS]
    while left and len(chosen) < MOST_KEPT:
        # First come the lines that documents show, one after the other.
        candidates = [one for one in anchors if one in left and one[2] - shown][:1] or left
        run, own, goals = max(
            candidates,
            key=lambda candidate: len(candidate[2] - shown) / (40 + candidate[0].cost + extra[candidate[0]]),
        )
        # What is left behaves like something that was chosen already.
        if not goals - shown:
            break
        chosen.append((run, own))
        shown |= goals
        same = outcome(seen_by_run[run])
        left = [
            candidate
            for candidate in left
            if candidate[0] is not run and (outcome(seen_by_run[candidate[0]]) != same or not same[1])
        ]
    order = {run: at for at, (run, _) in enumerate(found.seen)}
    return sorted(chosen, key=lambda candidate: (len(candidate[0].commands), order[candidate[0]]))


def _candidates(
    found: ProgramFlows, arcs: WideArcs, counting: set[str], documented: frozenset[tuple[str, ...]]
) -> list[_Candidate]:
    """Returns the runs that may become tests, without those that show no more than a plainer one."""
    traced = [arcs.real(result.last.arcs) for _, result in found.seen if result.last is not None]
    # What every run does is importing: a line that the parser refuses runs nothing else.
    importing = frozenset.intersection(*traced) if traced else frozenset[Arc]()
    alone = {
        run.commands[0]
        for run, result in found.seen
        if len(run.commands) == 1 and result.last is not None and not result.last.code
    }
    left: list[_Candidate] = []
    within: list[_Candidate] = []
    for run, result in found.seen:
        last, wrong = result.last, relies_on_wrong_default(run, found.commands)
        if last is None or rejection_reason(result) or not has_assertable_result(run, result) or wrong:
            continue
        own = arcs.real(last.arcs)
        crossing = any(edge.source in counting and edge.target in counting for edge in arcs.edges(own))
        if own:
            goals = own | _behaviour(run, result, found.commands)
            # What an option does is shown by its line alone, where that works.
            goals -= _options(run, found.commands) if len(run.commands) > 1 and run.commands[-1] in alone else set()
            (left if crossing else within).append((run, own, goals))
    seen_by_run = dict(found.seen)
    # A program of one module has its seams with its parser and with files alone; what another one refuses it refuses
    # before it calls anything.
    left = left + [one for one in within if _is_refusal(seen_by_run[one[0]]) and one[1] - importing] if left else within
    usable = {run: seen_by_run[run] for run, _, _ in left}
    merged = frozenset(run for run in merged_runs(usable) if documented.isdisjoint(run.commands))
    idle = idle_runs(usable) | merged
    return [candidate for candidate in left if candidate[0] not in idle]


def _extra_costs(found: ProgramFlows, documented: frozenset[tuple[str, ...]]) -> Counter[ProgramRun]:
    """What runs cost besides their length: results that move with the date, made-up lines, and others before them."""
    costs: Counter[ProgramRun] = Counter()
    for run, result in found.seen:
        costs[run] += _MOVING_COST * _names_today(result)
        costs[run] += _MADE_UP_COST * documented.isdisjoint(run.commands)
        # What another call of a program without subcommands has left says less than the call alone.
        if len(run.commands) > 1 and not run.words and run.commands[-1] != run.commands[-2]:
            costs[run] += _MADE_UP_COST
    return costs


def _is_refusal(result: RunObservation) -> bool:
    """Whether a program ended with a failure that it tells."""
    return result.last is not None and bool(result.last.code and result.last.err) and not tells_by_code(result)


def _names_today(result: RunObservation) -> bool:
    """Whether a run's results contain today's date, so that they differ tomorrow."""
    today = datetime.now(UTC).date().isoformat()
    last = result.last
    return last is not None and (today in (last.out or "") or today in json.dumps(result.changed(), default=str))


_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|\d+(?:[.:-]\d+)*")


def failure_cause(run: ProgramRun, result: RunObservation) -> str:
    """What a failing run's last line says, whatever the command and its values were."""
    last = result.last
    text = ((last.err or last.out or "") if last else "").strip().rpartition("\n")[2]
    text = _VALUES.sub("…", text)
    for word in sorted({*run.commands[-1], *run.words}, key=lambda word: (-len(word), word)):
        if word.strip():
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", "…", text)
    return text


def _behaviour(run: ProgramRun, result: RunObservation, commands: Sequence[Command]) -> frozenset[Any]:
    last = result.last
    assert last is not None
    lines = len((last.out or "").splitlines())
    if last.code and not result.changed():
        # One cause, one test: a further command that fails for it needs code of its own to be worth another.
        cause: frozenset[Any] = frozenset({("fails", last.code, failure_cause(run, result))})
        # Linters and comparisons tell what they find by their code: their options change the answer.
        return cause | _options(run, commands) if tells_by_code(result) else cause
    # Other output is other behaviour, but for the names of the files.
    kinds: set[Any] = {("says", run.words, without_names(last.out or last.err or "", run))}
    kinds |= {("ends", run.words, last.code), ("lines", run.words, last.code, min(lines, 3))}
    kinds |= {("edge", run.words, name) for name in boundary_arguments(run, result, commands)}
    kinds |= {("changes", run.words, name.rpartition(".")[2]) for name in result.changed()}
    # A database that has rows is filled in another way than a new one.
    if len(run.commands) > 1 and (run.words or run.commands[-1] == run.commands[-2]):
        adding = (_changes_filled_table(result, name, content) for name, content in result.changed().items())
        kinds |= {("adds", run.words)} if any(adding) else set()
    kinds |= {("keeps", run.words)} if result.kept_rows(run) else set()
    kinds |= {("inputs", run.words, len(run.files))} if len(run.commands) == 1 else set()
    kinds |= {("cell", run.words, kind) for content in result.changed().values() for kind in _cells(content)}
    return frozenset(kinds) | (_options(run, commands) if not last.code else frozenset())


def _cells(content: Mapping[str, Any]) -> set[str]:
    """The kinds of cells in the tables of a file."""
    cells = [cell for rows in (content.get("tables") or {}).values() for row in rows for cell in row]
    return {"json" if str(cell)[:1] in ("{", "[") else type(cell).__name__ for cell in cells}


def _changes_filled_table(result: RunObservation, name: str, content: Mapping[str, Any]) -> bool:
    """Whether a table of a file had other rows before."""
    before = result.rows_before(name)
    return any(before.get(table) and before[table] != rows for table, rows in (content.get("tables") or {}).items())


def _options(run: ProgramRun, commands: Sequence[Command]) -> frozenset[Any]:
    long = long_options(commands, run.words)
    return frozenset(("option", run.words, long.get(word, word)) for word in run.commands[-1] if word.startswith("-"))


def _record_rejections(found: ProgramFlows) -> None:
    """Records for each command without a test why its first run got none."""
    have = {kept.run.words for kept in found.kept}
    for run, result in found.seen:
        words = " ".join(run.words)
        if run.words not in have and words not in found.lost:
            reason = rejection_reason(result)
            found.lost[words] = (
                reason or "no run of it was seen to cross from one module into another and to tell anything"
            )
    found.lost = {words: reason for words, reason in found.lost.items() if tuple(words.split()) not in have}


_MOST_PROGRAMS = 3


async def explore_programs(
    target: PythonTarget, root: Path, layout: Layout, components: IntegrationTarget, flows: Flows
) -> tuple[ProgramFlows, ...]:
    """Runs the entry's programs; none in a sandbox that does not confine child processes.

    Raises:
        SandboxFailure: the sandbox broke.
    """
    found: list[ProgramFlows] = []
    unset = await asyncio.to_thread(variables_of, root, layout.modules, target.variables)
    for program in components.programs[:_MOST_PROGRAMS]:
        if target.sandbox.kind != "bubblewrap":
            note = f"{program.name} was not run: the weak sandbox does not bind child programs"
            found.append(ProgramFlows(program, lost={"": note.partition(": ")[2]}, notes=[note]))
            continue
        watched = [component.place for component in components.components]
        runner = ProgramRunner(target, program, watched)
        commands, paths = await runner.commands(), [place.path for place in watched]
        facts = await asyncio.to_thread(_program_facts, root, layout, program, paths, commands)
        explored = await explore_program(runner, program, facts, flows.arcs, components)
        explored.unset = unset
        found.append(explored)
    return tuple(found)


def _program_facts(
    root: Path, layout: Layout, program: ProjectProgram, watched: Sequence[str], commands: tuple[Command, ...]
) -> ProgramFacts:
    return ProgramFacts(
        commands=commands,
        documented=tuple(documented_commands(root, layout, program, commands)),
        reading=reading_of(root, watched),
        samples=tuple(samples_of(layout)),
        source=read_source(root, program.place.path, errors="replace"),
        files=tuple(documented_files(root, layout)),
    )
