"""Defines the input and the result of a test type's step planner."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ....engine.python.project.layout import Layout
from ....store.files.base_names import PathsByName
from ...contract.protocol import JsonObject
from .target_index import ModuleTarget, TargetIndex


@dataclass(frozen=True, slots=True)
class StepScope:
    """The scope of one test type in a request.

    Attributes:
        index: finds the project's modules and symbols; files are read once for all parts of a request.
        targets: modules, each once, in order of paths; `symbols` limit one, None means all of it.
        named: the request names these targets; otherwise they are all modules of the project.
        request: the original request.
        documents: words of this part of the request that name OpenAPI documents, files or addresses.
        endpoints: words of it that name endpoints of an API; empty for all of them.
        framework: pytest or unittest.
        tests_dir: where accepted tests go, POSIX, relative to the root.
        after: ids of steps that these depend on.
        taken: test paths of other steps of the plan.
        left_out: excluded symbols, as (path of their module, qualified name).
        excluded: paths of modules that are left out completely.
        only_programs: plan integration tests only of modules that a console program starts in.
        only_untested: leave out symbols that a test names already.
        only_changed: the targets are limited to changed code, which is tested again.
        command: starts the application of API tests; empty without one.
        application: the application of API tests, as `module:attribute`; empty where it is to be found.
        url: origin of a site for browser tests that runs already; empty for none.
    """

    index: TargetIndex
    targets: tuple[ModuleTarget, ...]
    named: bool
    request: str
    documents: tuple[str, ...]
    framework: str
    tests_dir: str
    after: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    excluded: frozenset[str] = frozenset()
    endpoints: tuple[str, ...] = ()
    only_programs: bool = False
    only_untested: bool = False
    only_changed: bool = False
    command: tuple[str, ...] = ()
    application: str = ""
    url: str = ""

    @property
    def layout(self) -> Layout:
        """The project's layout."""
        return self.index.layout


@dataclass(slots=True)
class PlannedSteps:
    """The steps for one test type.

    Attributes:
        steps: generate steps in order; empty where `not_understood` or `skipped` say why.
        understood, not_understood, skipped: as in the planner's result.
        used: those of `documents` that a step tests.
        tested: a target was left out because there are tests of it already.
        advice: what to do where there are no steps.
        why: why these targets and not the named ones; "" where they are the named ones.
        slugs: by type of tests, the ends of the steps' ids.
    """

    steps: list[JsonObject] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    not_understood: list[JsonObject] = field(default_factory=list)
    skipped: list[JsonObject] = field(default_factory=list)
    used: tuple[str, ...] = ()
    tested: bool = False
    advice: str = ""
    why: str = ""
    slugs: dict[str, set[str]] = field(default_factory=dict)
    _paths: PathsByName | None = None

    def paths_beside(self, others: Iterable[str]) -> PathsByName:
        """The steps' test paths with those of other steps of the plan, which are the same at each call."""
        if self._paths is None:
            self._paths = PathsByName(others)
        return self._paths


StepPlanner = Callable[[StepScope], PlannedSteps]
