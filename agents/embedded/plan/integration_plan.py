"""The steps for integration tests: one for each module whose public code reaches others of the project."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from ....engine.integration.model.components import IntegrationTarget
from ....engine.integration.modules.seams import SeamMap, find_seams
from ....engine.integration.modules.targets import MOST_TARGETS, integration_targets, restrict_target
from ....store.files.base_names import unique_test_path
from ...contract.protocol import JsonObject
from .planning import PlannedSteps, StepScope

GENERATE = "generate_integration_tests"


def integration_steps(scope: StepScope) -> PlannedSteps:
    """A step for each entry of the scope, those that reach most first.

    A module that is named and reaches no other is tested by what reaches it; without that it is skipped.
    """
    planned = PlannedSteps()
    wanted = {target.place.path: target.symbols for target in scope.targets}
    seams = find_seams(scope.layout.root, scope.layout)
    found = list(integration_targets(scope.layout.root, scope.layout, wanted, seams))
    entries = {target.entry.place.path for target in found}
    leaves = [target.place for target in scope.targets if scope.named and target.place.path not in entries]
    callers = _callers([place.module for place in leaves if place.path not in seams.unread], wanted, scope, seams)
    reached = {module for target in [*found, *callers] for module in _reached(target, seams)}
    for place in leaves:
        if place.module in reached:
            planned.understood.append(f"{place.module} is tested by what reaches it")
        else:
            reason = seams.unread.get(place.path) or "it calls no other module of the project, and none calls it"
            planned.skipped.append({"target": place.path, "reason": reason})
    found += callers
    wanted |= {caller.entry.place.path: caller.subjects for caller in callers}
    if not found and not scope.named:
        planned.skipped.append(
            {"target": ".", "reason": "no module of the project calls another: nothing to integrate"}
        )
    taken = list(scope.taken)
    for target in found[:MOST_TARGETS]:
        path = target.entry.place.path
        left_out = {name for place, name in scope.left_out if place == path}
        chosen = restrict_target(target, wanted[path], left_out)
        if chosen is None:
            reason = "what is asked for of it reaches no other module of the project"
            planned.skipped.append({"target": path, "reason": reason})
            continue
        step = _step(chosen, wanted[path], scope)
        step["params"]["test_path"] = unique_test_path(scope.layout.root, step["params"]["test_path"], taken)
        taken.append(step["params"]["test_path"])
        planned.steps.append(step)
    for target in found[MOST_TARGETS:]:
        reason = f"{MOST_TARGETS} modules that reach more others come first; name this one to test it"
        planned.skipped.append({"target": target.entry.place.path, "reason": reason})
    return planned


def _callers(
    modules: Collection[str], wanted: Mapping[str, object], scope: StepScope, seams: SeamMap
) -> list[IntegrationTarget]:
    """The targets of other modules, each limited to what reaches one of some modules."""
    callers: list[IntegrationTarget] = []
    for one in integration_targets(scope.layout.root, scope.layout, None, seams) if modules else ():
        entry = one.entry.place
        reaching = [name for name in one.subjects if not seams.reached(entry.module, name).isdisjoint(modules)]
        if reaching and entry.path not in wanted:
            callers.append(replace(one, subjects=tuple(reaching), programs=()))
    return callers


def _reached(target: IntegrationTarget, seams: SeamMap) -> frozenset[str]:
    return frozenset().union(*(seams.reached(target.entry.place.module, name) for name in target.subjects))


def _step(target: IntegrationTarget, symbols: tuple[str, ...] | None, scope: StepScope) -> JsonObject:
    place = target.entry.place
    slug = "__".join(re.sub(r"\W+", "_", name).strip("_").lower() for name in (place.module, *(symbols or ())[:2]))
    folder = PurePosixPath(scope.tests_dir, "integration")
    return {
        "id": f"generate_integration_{slug}",
        "type": GENERATE,
        "params": {
            "test_type": "integration",
            "framework": scope.framework,
            "target": {
                "path": place.path,
                "module": place.module,
                "import_root": place.import_root,
                "symbols": list(symbols) if symbols is not None else None,
                "components": [
                    {
                        "path": component.place.path,
                        "module": component.place.module,
                        "import_root": component.place.import_root,
                    }
                    for component in target.components
                ],
                "digest": target.entry.digest,
            },
            "spec_path": f"specs/{slug}.integration.json",
            "test_path": (folder / f"test_{slug}_flows.py").as_posix(),
            "depends_on": list(scope.after),
        },
    }
