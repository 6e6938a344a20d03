"""Generates specs of unit tests for JavaScript and TypeScript modules, and chooses the generator by the language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....sandbox.target import ProvideTarget
from ...contract.protocol import JsonObject
from .spec_agent import SpecGenerator, SpecResult

SCRIPT_FRAMEWORKS = ("jest",)


@dataclass(frozen=True, slots=True)
class ScriptSpecGenerator:
    """Generates unit test specs for one JavaScript or TypeScript module.

    Attributes:
        target: prepares the project.
        mutants: size of the sample of mutants that tests are chosen by.
    """

    target: ProvideTarget
    mutants: int = 150

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (path, and `symbols` or null).

        Raises:
            TargetImportError, EnvironmentFault, SandboxFailure, TargetRunError: see `explore_script`.
        """
        # The parser of scripts is loaded only where a script is tested.
        from ....engine.javascript.explore import explore_script

        target = await self.target()
        path, symbols = str(inputs["target"]["path"]), inputs["target"].get("symbols")
        found = await explore_script(target, path, symbols=symbols, mutants=self.mutants)
        trace: list[JsonObject] = [
            {"event": "explored", "target": path, "trials": found.trials, "cases": len(found.spec["cases"])}
        ]
        return SpecResult(found.spec, {"trials": found.trials, "notes": list(found.notes)}, trace)


@dataclass(frozen=True, slots=True)
class UnitSpecsByLanguage:
    """Generates unit test specs: of Python modules by one generator, of scripts by another."""

    python: SpecGenerator
    script: SpecGenerator

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """See `SpecGenerator.generate`."""
        chosen = self.script if inputs.get("framework") in SCRIPT_FRAMEWORKS else self.python
        return await chosen.generate(inputs, seconds=seconds)
