"""Successful requests of each operation, for tests that have no application."""

from __future__ import annotations

from collections.abc import Callable

from testwright.engine.api.model.model import HttpAnswer, Operation
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel, build_request


def add_baselines(world: ResourceModel, answered: Callable[[Operation], tuple[HttpAnswer, dict[str, str]]]) -> None:
    """Let a request of each operation have succeeded, those that make something first.

    Args:
        answered: what an operation answers, and what is saved of that.
    """
    for operation in sorted(world.api.operations, key=lambda known: known.method != "POST"):
        made = build_request(world, operation)
        assert made is not None
        world.baselines[operation.name] = BaselineRequest(operation, *made, *answered(operation))
