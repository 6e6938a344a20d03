"""Creates the generators of specs for test types other than unit, each when the first spec of its type is asked for.

A test type has one function here. It imports the engine of that type, which other runs never load.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ...agents.embedded.repository.crawler_agent import RepositoryTools
from ...agents.embedded.specs.first_tests import FirstTests
from ...agents.embedded.specs.script_specs import SpecsByLanguage
from ...agents.embedded.specs.spec_agent import SpecGenerator, SpecResult
from ...config.settings import Settings
from ...sandbox.target import ProvideTarget
from ..bootstrap import exploration_budget, script_spec_generator

if TYPE_CHECKING:
    from ...agents.embedded.specs.api_specs import ApiSpecGenerator


@dataclass(frozen=True, slots=True)
class _Context:
    """What generators are made of: the settings, the project's environment, and the tools that read documents."""

    settings: Settings
    target: ProvideTarget
    tools: RepositoryTools
    first: FirstTests | None = None


@dataclass(slots=True)
class GeneratorOnDemand:
    """A generator of specs that is made at the first request.

    Attributes:
        make: imports what the generator needs, and returns it; called once.
    """

    make: Callable[[], SpecGenerator]
    _made: SpecGenerator | None = field(default=None, init=False)

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """See `SpecGenerator.generate`."""
        if self._made is None:
            self._made = self.make()
        return await self._made.generate(inputs, seconds=seconds)


def spec_generators(
    settings: Settings, target: ProvideTarget, tools: RepositoryTools, first: FirstTests | None = None
) -> dict[str, SpecGenerator]:
    """The generators of specs for all test types but unit, by test type.

    Args:
        first: writes the first tests of the run; None for no preview.
    """
    context = _Context(settings, target, tools, first)
    return {name: GeneratorOnDemand(partial(make, context)) for name, make in _MAKERS.items()}


def _api(context: _Context) -> ApiSpecGenerator:
    from ...agents.embedded.specs.api_specs import ApiSpecGenerator
    from ...analysis.openapi.tool_documents import ToolDocuments

    settings = context.settings
    return ApiSpecGenerator(
        context.target,
        settings.root,
        ToolDocuments(context.tools.call),
        command=_command(settings),
        ready=settings.app_ready or "",
        sign_in=settings.sign_in or "",
        variables=settings.variables,
        taken=settings.taken,
        examples=settings.examples,
        fuzz=(settings.fuzz_seed, settings.fuzz_seconds) if settings.fuzz else None,
        first=context.first,
    )


def _integration(context: _Context) -> SpecGenerator:
    from ...agents.embedded.specs.integration_specs import IntegrationSpecGenerator

    settings, target = context.settings, context.target
    python = IntegrationSpecGenerator(
        target, settings.root, budget=exploration_budget(settings), examples=settings.examples
    )
    return SpecsByLanguage(python, script_spec_generator(settings, target, flows=True))


def _e2e(context: _Context) -> SpecGenerator:
    from ...agents.embedded.specs.e2e_specs import BrowserSpecGenerator

    settings = context.settings
    return BrowserSpecGenerator(
        *(context.target, settings.root),
        command=_command(settings),
        url=settings.app_url or "",
        sign_in=settings.sign_in or "",
        variables=settings.variables,
    )


def _performance(context: _Context) -> SpecGenerator:
    from ...agents.embedded.specs.load_specs import LoadSpecGenerator
    from ...agents.embedded.specs.performance_specs import PerformanceSpecGenerator

    settings = context.settings
    return PerformanceSpecGenerator(
        context.target,
        settings.root,
        LoadSpecGenerator(_api(context)),
        budget=exploration_budget(settings),
        examples=settings.examples,
    )


def _command(settings: Settings) -> tuple[str, ...]:
    return tuple(shlex.split(settings.app_command or ""))


_MAKERS: Mapping[str, Callable[[_Context], SpecGenerator]] = {
    "api": _api,
    "integration": _integration,
    "e2e": _e2e,
    "performance": _performance,
}
