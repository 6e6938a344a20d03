"""Every test type but unit has a generator of specs that is made when its first spec is asked for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.agents.embedded.specs.spec_agent import SpecResult
from testwright.app.on_demand.spec_generators import GeneratorOnDemand, spec_generators
from testwright.config.settings import load_settings
from testwright.engine.rendering import renderable_types


class Recording:
    def __init__(self) -> None:
        self.asked: list[tuple[Any, float | None]] = []

    async def generate(self, inputs: Any, *, seconds: float | None = None) -> SpecResult:
        self.asked.append((inputs, seconds))
        return SpecResult({"cases": len(self.asked)})


async def test_a_generator_is_made_at_the_first_request_and_asked_for_all() -> None:
    made: list[Recording] = []

    def make() -> Recording:
        made.append(Recording())
        return made[-1]

    generator = GeneratorOnDemand(make)
    assert made == []
    assert (await generator.generate({"target": 1})).spec == {"cases": 1}
    assert (await generator.generate({"target": 2}, seconds=3.0)).spec == {"cases": 2}
    assert [one.asked for one in made] == [[({"target": 1}, None), ({"target": 2}, 3.0)]]


async def no_target() -> Any:
    raise AssertionError("making a generator prepares nothing")


@pytest.mark.parametrize("test_type", sorted({*renderable_types()} - {"unit"}))
async def test_every_type_that_can_be_rendered_has_a_generator_that_can_be_made(test_type: str, tmp_path: Path) -> None:
    tools: Any = SimpleNamespace(call=None)
    generator = spec_generators(load_settings({"root": str(tmp_path)}), no_target, tools)[test_type]
    assert isinstance(generator, GeneratorOnDemand)
    made = generator.make()
    assert callable(made.generate)
