"""Writes the file that Jest runs to observe trials: each trial is a function of what the module exports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ...sandbox.worker_files import WORKER_FOLDER
from .model import Module
from .trials import Trial

HARNESS = WORKER_FOLDER / "javascript" / "observe.cjs"


def observation_file(
    module: Module,
    trials: Sequence[Trial],
    options: Mapping[str, Any],
    mutants: Sequence[Mapping[str, Any]],
    known: Any,
) -> str:
    """The file that Jest runs: the trials as functions of the module's exports."""
    lines = [f"const {{ observe }} = require({json.dumps(str(HARNESS))});", ""]
    lines += ["const trials = (loaded) => {", *(f"  {line}" for line in _bindings(module, trials)), "  return ["]
    lines += [f"    {_trial(one)}," for one in trials]
    lines += ["  ];", "};", "", f"const options = {json.dumps(dict(options))};"]
    subject = f"() => require({json.dumps('./' + PurePosixPath(module.path).name)})"
    if mutants:
        loads = (
            f"[{row['id']}, () => require({json.dumps('./' + row['file'])}), {json.dumps(row['of'])}]"
            for row in mutants
        )
        lines += [f"options.mutants = [{', '.join(loads)}];", f"options.known = {json.dumps(known)};"]
        subject = "() => ({})"
    lines.append(f"test('observe', () => observe({subject}, trials, options), 600000);")
    return "\n".join(lines) + "\n"


def _bindings(module: Module, trials: Sequence[Trial]) -> list[str]:
    needed = sorted(frozenset[str]().union(*(one.needs for one in trials)))
    return [f"const {name} = {_access(module, name)};" for name in needed if name]


def _access(module: Module, local: str) -> str:
    exported = module.exported_as(local)
    if exported != "default":
        return f"loaded.{exported or local}"
    # `module.exports = …` gives the value itself.
    return "loaded.default ?? loaded" if not module.commonjs else "loaded"


def _trial(trial: Trial) -> str:
    name, function = trial.instance, trial.function
    arguments = ", ".join(trial.arguments)
    parts = [f"id: {trial.id}", f"args: () => [{arguments}]"]
    if trial.receiver:
        setup = " ".join((f"const {name} = {trial.receiver};", *trial.setup, f"return {name};"))
        parts.append(f"receiver: async () => {{ {setup} }}")
        called = f"{name}.{function.name}" if function.kind == "getter" else f"{name}.{function.name}(...args)"
        # What is observed anyhow shows no change of state.
        reading = called.replace("...args", arguments)
        facts = ", ".join(f"{json.dumps(one)}: async ({name}) => {one}" for one in trial.readings if one != reading)
        parts.append(f"facts: {{ {facts} }}" if facts else "facts: {}")
    else:
        called = f"{function.owner}.{function.name}(...args)" if function.owner else f"{function.name}(...args)"
    parts.append(f"call: ({name if trial.receiver else '_'}, args) => {called}")
    return f"{{ {', '.join(parts)} }}"
