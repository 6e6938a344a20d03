"""Generates specs of unit and integration tests for scripts, and chooses the generator by the language."""

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
    """Generates specs of tests for one JavaScript or TypeScript module.

    Attributes:
        target: prepares the project.
        mutants: size of the sample of mutants that tests are chosen by.
        flows: integration tests of the module and what it uses, instead of unit tests.
    """

    target: ProvideTarget
    mutants: int = 150
    flows: bool = False

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (path, and `symbols` or null).

        Raises:
            ProjectError, TargetImportError, EnvironmentFault, SandboxFailure, TargetRunError: see `explore_script` and
                `explore_script_flows`.
        """
        # The parser of scripts is loaded only where a script is tested.
        from ....engine.javascript.explore import explore_script
        from ....engine.javascript.flows.explore import explore_script_flows

        target = await self.target()
        path, symbols = str(inputs["target"]["path"]), inputs["target"].get("symbols")
        explore = explore_script_flows if self.flows else explore_script
        found = await explore(target, path, symbols=symbols, mutants=self.mutants, seconds=seconds)
        trace: list[JsonObject] = [
            {"event": "explored", "target": path, "trials": found.trials, "cases": len(found.spec["cases"])}
        ]
        return SpecResult(found.spec, {"trials": found.trials, "notes": list(found.notes)}, trace)


@dataclass(frozen=True, slots=True)
class SpecsByLanguage:
    """Generates specs of one test type: of Python modules by one generator, of scripts by another."""

    python: SpecGenerator
    script: SpecGenerator

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """See `SpecGenerator.generate`."""
        chosen = self.script if inputs.get("framework") in SCRIPT_FRAMEWORKS else self.python
        return await chosen.generate(inputs, seconds=seconds)
