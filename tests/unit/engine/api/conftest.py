"""The store of parts, and what is known of it, for tests that have no application of their own."""

from __future__ import annotations

from typing import cast

import pytest

from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.tests.support.engine.parts_store import Store, world_of


@pytest.fixture
def finder() -> BaselineFinder:
    return cast(BaselineFinder, Store())


@pytest.fixture
async def world(finder: BaselineFinder) -> ResourceModel:
    return await world_of(finder)
