"""Plans integration tests: one step for each module whose public code reaches other modules of the project."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from ....engine.integration.model.components import IntegrationTarget
from ....engine.integration.modules.targets import (
    MOST_TARGETS,
    SeamMap,
    find_seams,
    integration_targets,
    restrict_target,
)
from ...contract.protocol import JsonObject
from .plan_steps import add_generate_step
from .step_scope import PlannedSteps, StepScope
from .target_index import name_slug


def integration_steps(scope: StepScope) -> PlannedSteps:
    """Plan a step for each entry module of the scope, in order of how many others it reaches.

    A named module that reaches no other is tested through modules that reach it; without such modules it is skipped.
    """
    planned = PlannedSteps()
    wanted = {target.place.path: target.symbols for target in scope.targets}
    seams = find_seams(scope.layout.root, scope.layout)
    found = list(integration_targets(scope.layout.root, scope.layout, wanted, seams))
    if scope.only_programs:
        found = [target for target in found if target.programs]
    entries = {target.entry.place.path for target in found}
    leaves = [
        target.place
        for target in scope.targets
        if scope.named and not scope.only_programs and target.place.path not in entries
    ]
    callers = _callers([place.module for place in leaves if place.path not in seams.unread], wanted, scope, seams)
    reached = {module for target in [*found, *callers] for module in _reached(target, seams)}
    through = [place.module for place in leaves if place.module in reached]
    if callers and through:
        is_one = len(through) == 1
        verb, them = ("is", "it") if is_one else ("are", "them")
        planned.why = f"{' and '.join(through)} {verb} tested by what reaches {them}"
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
    for target in found[:MOST_TARGETS]:
        path = target.entry.place.path
        left_out = {name for place, name in scope.left_out if place == path}
        chosen = restrict_target(target, wanted[path], left_out)
        if chosen is None:
            reason = "what is asked for of it reaches no other module of the project"
            planned.skipped.append({"target": path, "reason": reason})
            continue
        _add_step(planned, chosen, wanted[path], scope)
    for target in found[MOST_TARGETS:]:
        reason = f"{MOST_TARGETS} modules that reach more others come first; name this one to test it"
        planned.skipped.append({"target": target.entry.place.path, "reason": reason})
    return planned


def _callers(
    modules: Collection[str], wanted: Mapping[str, object], scope: StepScope, seams: SeamMap
) -> list[IntegrationTarget]:
    """Build targets of other modules, each limited to the callables that reach one of some modules."""
    callers: list[IntegrationTarget] = []
    for target in integration_targets(scope.layout.root, scope.layout, None, seams) if modules else ():
        entry = target.entry.place
        reaching = [name for name in target.subjects if not seams.reached(entry.module, name).isdisjoint(modules)]
        if reaching and entry.path not in wanted and entry.path not in scope.excluded:
            callers.append(replace(target, subjects=tuple(reaching), programs=()))
    return callers


def _reached(target: IntegrationTarget, seams: SeamMap) -> frozenset[str]:
    return frozenset().union(*(seams.reached(target.entry.place.module, name) for name in target.subjects))


def _add_step(
    planned: PlannedSteps, target: IntegrationTarget, symbols: tuple[str, ...] | None, scope: StepScope
) -> None:
    place = target.entry.place
    slug = "__".join(map(name_slug, (place.module, *(symbols or ())[:2])))
    places = [component.place for component in target.components]
    row: JsonObject = {
        "path": place.path,
        "module": place.module,
        "import_root": place.import_root,
        "symbols": list(symbols) if symbols is not None else None,
        "components": [{"path": at.path, "module": at.module, "import_root": at.import_root} for at in places],
        "digest": target.entry.digest,
    }
    test_path = PurePosixPath(scope.tests_dir, "integration", f"test_{slug}_flows.py").as_posix()
    spec_path = f"specs/{slug}.integration.json"
    add_generate_step(planned, scope, "integration", slug, row, spec_path=spec_path, test_path=test_path)
