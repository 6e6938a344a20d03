"""Plans performance tests: one step for each module whose calls are timed, or for each application under load."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from .api_plan import load_steps
from .load_requests import LOCUST, profiles_in
from .plan_steps import add_generate_step
from .step_scope import PlannedSteps, StepScope
from .unit_plan import module_row, module_slug, testable_modules

_FRAMEWORK = "pytest"


def performance_steps(scope: StepScope) -> PlannedSteps:
    """Plan one step for each module of the scope that may be a target."""
    if scope.framework == LOCUST:
        return load_steps(scope, profiles_in(scope.request))
    planned = PlannedSteps()
    if scope.framework != _FRAMEWORK:
        reason = f"performance tests are written for {_FRAMEWORK} with pytest-benchmark"
        planned.not_understood.append({"text": scope.framework, "reason": reason, "suggestions": [_FRAMEWORK]})
        planned.advice = f"Say --framework {_FRAMEWORK}."
        return planned
    # Tests of what the code does say nothing about its speed: they leave nothing out here.
    wanted = replace(scope, only_untested=False, only_changed=True)
    for target in testable_modules(wanted, planned):
        slug = module_slug(target.place.module, target.symbols)
        test_path = PurePosixPath(scope.tests_dir, "performance", f"test_{slug}_performance.py").as_posix()
        spec_path = f"specs/{slug}.performance.json"
        row = module_row(scope, target)
        add_generate_step(planned, scope, "performance", slug, row, spec_path=spec_path, test_path=test_path)
    return planned
