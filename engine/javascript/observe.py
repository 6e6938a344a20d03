"""Calls what trials propose in the sandbox, and again with mutants of the module in its place."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ...core.errors import TargetImportError, TargetRunError
from ...mutation.javascript import guarded, mutants_of_script, replaced, sample, trivial_bodies
from ...mutation.model import Mutant
from ...sandbox.javascript.jest import Jest, JestRequest, JestRun, SourceMap
from ...sandbox.javascript.project import ScriptProject
from ...sandbox.javascript.syntax import parse
from ...sandbox.target import Workspace
from ...utils.names.counted import counted
from ...utils.untrusted_files import read_bytes
from .model import Module
from .observation_file import HARNESS, observation_file
from .observations import Change, Observations, Seen, lines_of, seen_of, signature_of
from .trials import Trial

_NAME = "__testwright__"
_TRIAL_SECONDS = 5.0
_MUTANT_SECONDS = 15.0
_RUN_SECONDS = 180.0
_LEAST_SECONDS = 5.0
"""What is left of the time, at least, for a run of mutants: starting Jest takes a part of it."""
_MOST_HUNG = 12
_MOST_HUNG_EACH = 2
"""Of one function: the rest of its calls is left out."""
_MOST_TRIVIAL = 6
_LONGEST_CALL = 80
_UNREAD = re.compile(r"import statement outside a module|Unexpected token|Missing initializer|non-JavaScript syntax")
_BABEL = (
    "the project's own Jest does not read the module as it is: `npm install --save-dev babel-jest @babel/preset-env "
    "@babel/preset-typescript`, and name both presets in babel.config.json"
)
_BY_ITSELF = "run `npm install` in the project, and see that the module can be imported by itself"


class Observer:
    """Observes the trials of one module in one workspace.

    Args:
        others: modules that it uses, which are measured and mutated as well.
        setup: what stands at the head of the file that Jest runs: functions that the trials' sources call.
    """

    def __init__(
        self,
        project: ScriptProject,
        workspace: Workspace,
        module: Module,
        others: Sequence[Module] = (),
        setup: Sequence[str] = (),
    ) -> None:
        self._jest = Jest(project, workspace)
        self._workspace = workspace
        self._module = module
        self._modules = (module, *others)
        self._setup = tuple(setup)
        folder = PurePosixPath(module.path).parent
        self._file = (folder / f"{_NAME}.test.js").as_posix()
        self._count = 0

    async def observe(self, trials: Sequence[Trial], *, mutants: int, until: float | None = None) -> Observations:
        """Observe all trials, then with a sample of mutants.

        Args:
            mutants: size of the sample.
            until: when no further mutant is tried, in the seconds of `time.monotonic`; None for no such time.

        Raises:
            TargetImportError: the module cannot be loaded; with what Jest says.
            TargetRunError, SandboxFailure: Jest or the sandbox failed.
        """
        found = Observations()
        maps: Mapping[str, SourceMap] = {}
        skipped: set[int] = set()
        while True:
            run, rows = await self._run(trials, skip=[*found.hung, *skipped])
            for row in rows:
                self._take(row, found)
            maps = {**maps, **run.maps}
            if run.hung is None:
                break
            self._hung(run, found)
            skipped |= _of_endless(trials, found.hung)
        self._require_loaded(run, found)
        if run.hung is None and not found.seen and not found.hung:
            raise TargetRunError(f"no call of {self._module.path} was made: {run.complaint[-300:]}")
        for number, seen in found.seen.items():
            found.seen[number] = replace(seen, lines=lines_of(seen, self._measured, maps))
        found.notes += [
            f"{_call(one)} does not come to an end, or ends the process" for one in trials if one.id in found.hung
        ]
        if mutants and found.seen:
            await self._kill(trials, found, mutants, until)
        return found

    @property
    def _measured(self) -> tuple[str, ...]:
        return tuple(one.path for one in self._modules)

    async def are_alike(self, pairs: Sequence[tuple[str, str]]) -> list[bool | None]:
        """Whether documented values and observed ones are alike; None where the documentation gives no value.

        Args:
            pairs: sources of both; an observed one may be empty, and is like nothing then.
        """
        self._count += 1
        results = self._workspace.scratch / f"values-{self._count}.jsonl"
        listed = ", ".join(
            f"[{_maker(said) if _is_expression(said) else _NO_VALUE}, {_maker(seen) if seen else 'null'}]"
            for said, seen in pairs
        )
        lines = [f"const {{ compare }} = require({json.dumps(str(HARNESS))});"]
        lines.append(f"test('values', () => compare([{listed}], {json.dumps(str(results))}));")
        self._jest.write(self._file, "\n".join(lines) + "\n")
        await self._jest.run(JestRequest((self._file,), wall_seconds=60.0))
        self._jest.remove(self._file)
        rows = _rows(self._workspace, results.name)
        alike = {int(row["at"]): bool(row["alike"]) for row in rows}
        return [alike.get(at) for at in range(len(pairs))]

    def _hung(self, run: JestRun, found: Observations) -> None:
        name = (run.hung or "").removeprefix("trial ")
        # No trial had begun: the module was being loaded.
        if not name.isdigit() and not found.seen:
            raise TargetImportError(
                f"{self._module.path} does not come to an end while it is loaded",
                advice="move what it does when it is imported into a function",
                details={"path": self._module.path},
            )
        if not name.isdigit() or len(found.hung) >= _MOST_HUNG:
            raise TargetRunError(
                f"calls of {self._module.path} do not come to an end",
                advice="name the functions to test, without those that wait or loop",
            )
        found.hung.append(int(name))

    def _require_loaded(self, run: JestRun, found: Observations) -> None:
        said = run.broken.get(self._file) or next((one.message for one in run.tests if one.status == "failed"), "")
        if said and not found.seen:
            line = _telling_line(said)
            is_unread = _UNREAD.search(said) is not None
            raise TargetImportError(
                f"{self._module.path} cannot be loaded: {line}",
                advice=_BABEL if is_unread else _BY_ITSELF,
                details={"path": self._module.path, "output": said[:2000]},
            )

    def _take(self, row: Mapping[str, Any], found: Observations) -> None:
        if "unstable" in row:
            number = int(row["unstable"])
            found.seen[number] = replace(found.seen[number], stable=False)
        elif "mutant" in row:
            for number in row["noticed"]:
                found.kills.setdefault(int(number), set()).add(int(row["mutant"]))
        else:
            found.seen[int(row["id"])] = seen_of(row)

    async def _run(
        self,
        trials: Sequence[Trial],
        *,
        skip: Iterable[int] = (),
        mutants: Sequence[Mapping[str, Any]] = (),
        known: Any = (),
        seconds: float = _RUN_SECONDS,
    ) -> tuple[JestRun, list[Mapping[str, Any]]]:
        self._count += 1
        results = self._workspace.scratch / f"observed-{self._count}.jsonl"
        options = {
            "results": str(results),
            "files": [str(self._workspace.project.resolve() / path) for path in self._measured],
            "journal": str(self._workspace.scratch / f"jest-{self._jest.starts + 1}" / "journal.jsonl"),
            "skip": list(skip),
        }
        text = observation_file(self._modules, trials, options, mutants, known, setup=self._setup)
        self._jest.write(self._file, text)
        request = JestRequest(
            (self._file,),
            self._measured if not mutants else (),
            test_seconds=_MUTANT_SECONDS if mutants else _TRIAL_SECONDS,
            wall_seconds=min(_RUN_SECONDS, seconds),
        )
        run = await self._jest.run(replace(request, hook_seconds=_RUN_SECONDS - 10.0))
        self._jest.remove(self._file)
        return run, _rows(self._workspace, results.name)

    async def _kill(self, trials: Sequence[Trial], found: Observations, most: int, until: float | None) -> None:
        """Call again with each of a sample of mutants, and with trivial implementations."""
        by_path = {one.path: one for one in self._modules}
        found.changes = [*_sampled(self._modules, most), *_trivial(self._module, trials, found)]
        usable = [trial for trial in trials if _can_tell(found.seen.get(trial.id))]
        names, rows = [], []
        for number, change in enumerate(found.changes):
            mutant = change.mutant
            wanted = [
                trial.id
                for trial in usable
                if (
                    change.function == trial.function.qualname
                    if change.function
                    else found.seen[trial.id].lines & {(mutant.path, line) for line in mutant.lines}
                )
            ]
            # Constants and what runs while the module is loaded are in nobody's lines.
            wanted = wanted or (
                [trial.id for trial in usable]
                if not change.function and _is_outside(by_path[mutant.path], mutant)
                else []
            )
            if wanted:
                name = f"{_NAME}{number}"
                text = replaced(by_path[mutant.path].source, mutant.start, mutant.end, mutant.replacement)
                path = _sibling(mutant.path, name)
                self._jest.write(path, _guarded(text, mutant.path))
                names.append(path)
                rows.append({"id": number, "subject": mutant.path, "file": path, "of": wanted})
        known = [(trial.id, signature_of(found.seen[trial.id])) for trial in usable]
        remaining = rows
        original = _sibling(self._module.path, f"{_NAME}original")
        self._jest.write(original, _guarded(self._module.source, self._module.path))
        names.append(original)
        first = {"id": -1, "subject": self._module.path, "file": original, "of": [trial.id for trial in usable]}
        while remaining:
            left = _RUN_SECONDS if until is None else until - time.monotonic()
            if left < _LEAST_SECONDS:
                found.notes.append(_untried(remaining))
                break
            run, taken = await self._run(usable, mutants=[first, *remaining], known=known, seconds=left)
            judged = {int(row["mutant"]) for row in taken if "mutant" in row}
            for row in taken:
                self._take(row, found)
            hung = (run.hung or "").removeprefix("mutant ")
            if hung.isdigit():
                judged.add(int(hung))
            # A call that does not come to an end with a mutant notices it; one that ends the process, or that a limit
            # of the sandbox ended, may have had another reason.
            if hung.isdigit() and not run.crashed:
                for number in next((row["of"] for row in remaining if row["id"] == int(hung)), ()):
                    found.kills.setdefault(number, set()).add(int(hung))
            waiting = [row for row in remaining if row["id"] not in judged]
            if waiting and (run.finished or len(waiting) == len(remaining)):
                found.notes.append(_untried(waiting))
                break
            remaining = waiting
        for name in names:
            self._jest.remove(name)


def _untried(rows: Sequence[object]) -> str:
    return f"{counted(len(rows), 'mutant')} not tried while the tests were chosen"


def _call(trial: Trial) -> str:
    written = f"{trial.function.qualname}({', '.join(trial.arguments)})"
    return written if len(written) <= _LONGEST_CALL else f"{written[:_LONGEST_CALL]}…"


def _of_endless(trials: Sequence[Trial], hung: Sequence[int]) -> set[int]:
    """All trials of functions of which several did not come to an end, or ended the process."""
    names = [one.function.qualname for one in trials if one.id in hung]
    return {one.id for one in trials if names.count(one.function.qualname) >= _MOST_HUNG_EACH}


def _can_tell(seen: Seen | None) -> bool:
    return seen is not None and seen.stable and seen.outcome in ("value", "throws")


def _guarded(text: bytes, path: str) -> str:
    return guarded(text, lambda source: parse(source, path)).decode("utf-8", "replace")


def _sibling(path: str, name: str) -> str:
    place = PurePosixPath(path)
    return place.with_name(f"{name}{place.suffix}").as_posix()


def _sampled(modules: Sequence[Module], most: int) -> list[Change]:
    every = [one for module in modules for one in mutants_of_script(module.root, module.source, module.path)]
    return [Change(one) for one in sample(every, most)]


def _trivial(module: Module, trials: Sequence[Trial], found: Observations) -> list[Change]:
    """Implementations that always give the same answer, or an argument as it is."""
    changes: list[Change] = []
    for function in module.callables:
        body = function.body
        if body is None or function.kind == "constructor":
            continue
        seen = [found.seen[one.id] for one in trials if one.function is function and _can_tell(found.seen.get(one.id))]
        answers = list(dict.fromkeys(one.source for one in seen if one.outcome == "value" and one.source))
        given = [one.name for one in function.parameters if not one.fields and one.name.isidentifier()]
        for text, answer in trivial_bodies(body, iter([*answers[:_MOST_TRIVIAL], *given[:3]])):
            line = function.lines[0]
            mutant = Mutant("trivial", module.path, line, (line,), body.start_byte, body.end_byte, text, "", text)
            changes.append(Change(mutant, function.qualname, answer))
    return changes


def _is_outside(module: Module, mutant: Mutant) -> bool:
    """Whether a mutant lies outside of every function."""
    nodes = [
        one.node for one in (*module.callables, *(made.constructor for made in module.classes if made.constructor))
    ]
    return not any(node.start_byte <= mutant.start < node.end_byte for node in nodes)


def _rows(workspace: Workspace, name: str) -> list[Mapping[str, Any]]:
    try:
        text = read_bytes(workspace.folder, f"{workspace.scratch.name}/{name}").decode("utf-8", "replace")
    except OSError:
        return []
    rows = []
    for line in text.splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue  # the process was ended while it wrote
    return rows


def _telling_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wanted = [line for line in lines if "Error" in line or "Cannot find" in line]
    return (wanted or lines or ["no reason is given"])[0][:300]


_NO_VALUE = "() => ({}.none.none)"


def _maker(source: str) -> str:
    return f"() => ({source})"


def _is_expression(text: str) -> bool:
    tree = parse(f"({text});".encode(), "value.ts")
    return not tree.has_error and len(tree.named_children) == 1
