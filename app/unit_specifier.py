"""How unit tests are specified without a model, and how far exploring goes, by a run's settings."""

from __future__ import annotations

from ..agents.embedded.specs.cached_spec_generator import CachedSpecGenerator
from ..agents.embedded.specs.first_tests import FirstTests
from ..agents.embedded.specs.spec_generator import SpecGenerator
from ..agents.embedded.specs.unit_specs import UnitSpecGenerator
from ..config.settings import Settings
from ..engine.python.explore.explore import ExplorationBudget
from ..engine.python.model.mutant_search import MutantSearchLimits
from ..sandbox.target import ProvideTarget

# Mutants that exploring goes by, for each that the gate measures by: what holds for many holds for another sample.
MUTANTS_HUNTED = 9


def exploration_budget(settings: Settings) -> ExplorationBudget:
    """How much may be tried for one target."""
    hunt = MutantSearchLimits(mutants=MUTANTS_HUNTED * settings.mutants)
    return ExplorationBudget(trials=settings.trials, wall_seconds=settings.step_seconds, mutant_search=hunt)


def unit_specifier(settings: Settings, target: ProvideTarget, first: FirstTests | None = None) -> SpecGenerator:
    """Specifies unit tests; specs that earlier runs worked out are kept beside their answers of tools.

    Args:
        target: prepares the target's environment when it is first needed.
        first: shows the first tests of a run early; None where nobody looks.
    """
    unit = UnitSpecGenerator(target, settings.root, budget=exploration_budget(settings), first=first)
    if not settings.cache:
        return unit
    return CachedSpecGenerator(
        unit,
        target,
        settings.state / "cache",
        budget={"trials": settings.trials, "mutants": settings.mutants},
        most_bytes=settings.cache_mib * 1024 * 1024,
        fresh=settings.fresh,
    )
