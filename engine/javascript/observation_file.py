"""Writes the file that Jest runs to observe trials: each trial is a function of what the module exports."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ...sandbox.worker_files import WORKER_FOLDER
from .model import Module
from .trials import Trial

HARNESS = WORKER_FOLDER / "javascript" / "observe.cjs"


def observation_file(
    modules: Sequence[Module],
    trials: Sequence[Trial],
    options: Mapping[str, Any],
    mutants: Sequence[Mapping[str, Any]],
    known: Any,
    *,
    setup: Sequence[str] = (),
) -> str:
    """The file that Jest runs: the trials as functions of the modules' exports.

    Args:
        modules: the tested one, beside which the file lies, and those that it uses.
        mutants: rows with `id`, `subject` (path of the module), `file` (path of what takes its place) and `of` (ids).
        setup: statements at its head.
    """
    here = PurePosixPath(modules[0].path).parent.as_posix()
    lines = [f"const {{ observe }} = require({json.dumps(str(HARNESS))});", *setup, ""]
    lines += ["const trials = (loaded) => {", *(f"  {line}" for line in _bindings(modules, trials)), "  return ["]
    lines += [f"    {_trial(one)}," for one in trials]
    lines += ["  ];", "};", "", f"const options = {json.dumps(dict(options))};"]
    needed = frozenset[str]().union(*(one.needs for one in trials))
    subject = f"() => [{_loads(modules, needed, here)}]"
    if mutants:
        rows = (f"[{row['id']}, {_swapped(modules, needed, row, here)}, {json.dumps(row['of'])}]" for row in mutants)
        lines += [f"options.mutants = [{', '.join(rows)}];", f"options.known = {json.dumps(known)};"]
        # The trials as such are asked of no module: what they bind is undefined then.
        subject = f"() => [{', '.join('{}' for _ in modules)}]"
    lines.append(f"test('observe', () => observe({subject}, trials, options), 600000);")
    return "\n".join(lines) + "\n"


def _loads(modules: Sequence[Module], needed: frozenset[str], here: str) -> str:
    """What loads the modules whose exports are needed: another one may be a program, which loading would run."""
    return ", ".join(
        f"require({_place(one.path, here)})" if needed & set(one.exports.values()) else "{}" for one in modules
    )


def _swapped(modules: Sequence[Module], needed: frozenset[str], row: Mapping[str, Any], here: str) -> str:
    """What loads the modules with a mutant in the place of one of them."""
    if len(modules) == 1:
        return f"() => [require({_place(row['file'], here)})]"
    subject, by = _place(row["subject"], here), _place(row["file"], here)
    return (
        "() => { let loaded; jest.isolateModules(() => { "
        f"jest.doMock({subject}, () => jest.requireActual({by})); "
        f"try {{ loaded = [{_loads(modules, needed, here)}]; }} finally {{ jest.dontMock({subject}); }} }}); "
        "return loaded; }"
    )


def _place(path: str, here: str) -> str:
    place = posixpath.relpath(path, here)
    return json.dumps(place if place.startswith(".") else f"./{place}")


def _bindings(modules: Sequence[Module], trials: Sequence[Trial]) -> list[str]:
    needed = sorted(frozenset[str]().union(*(one.needs for one in trials)))
    found = []
    for name in needed:
        # What no module exports is a name of the prelude.
        at = next((at for at, one in enumerate(modules) if one.exported_as(name)), 0 if len(modules) == 1 else None)
        if name and at is not None:
            found.append(f"const {name} = {_access(modules[at], name, at)};")
    return found


def _access(module: Module, local: str, at: int) -> str:
    exported = module.exported_as(local)
    if exported != "default":
        return f"loaded[{at}].{exported or local}"
    # `module.exports = …` gives the value itself.
    return f"loaded[{at}].default ?? loaded[{at}]" if not module.commonjs else f"loaded[{at}]"


def _trial(trial: Trial) -> str:
    name, function = trial.instance, trial.function
    arguments = ", ".join(trial.arguments)
    scope, taken = name, "()"
    parts = [f"id: {trial.id}"]
    if trial.receiver:
        setup = " ".join((f"const {name} = {trial.receiver};", *trial.setup))
        called = f"{name}.{function.name}" if function.kind == "getter" else f"{name}.{function.name}(...args)"
    else:
        setup = ""
        called = f"{function.owner}.{function.name}(...args)" if function.owner else f"{function.name}(...args)"
    if trial.prelude:
        bound = [*declared(trial.prelude), *([name] if trial.receiver else [])]
        scope, taken = f"{{ {', '.join(bound)} }}", f"({{ {', '.join(bound)} }})"
        parts.append(f"self: {json.dumps(name)}")
    if trial.receiver or trial.prelude:
        body = " ".join((*trial.prelude, setup, f"return {scope};"))
        parts.append(f"receiver: async () => {{ {body} }}")
        # What is observed anyhow shows no change of state.
        reading = called.replace("...args", arguments)
        facts = ", ".join(f"{json.dumps(one)}: async ({scope}) => {one}" for one in trial.readings if one != reading)
        parts.append(f"facts: {{ {facts} }}" if facts else "facts: {}")
    parts.append(f"args: {taken} => [{arguments}]")
    parts.append(f"call: ({scope if trial.receiver or trial.prelude else '_'}, args) => {called}")
    return f"{{ {', '.join(parts)} }}"


def declared(statements: Sequence[str]) -> list[str]:
    """The names that statements declare, in their order."""
    return [name for one in statements for name in re.findall(r"^const (\w+) =", one)]
