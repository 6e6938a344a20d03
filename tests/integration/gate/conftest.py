"""One small project; each run of tests gets a fresh copy of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared

CART = '''"""A shop's cart."""

SEEN = []


def total(price, count):
    """Price of some items; 0 of them cost 0."""
    if count < 0:
        raise ValueError("count is below 0")
    if count == 0:
        return 1
    return (
        price
        * count
    )


def mark(item):
    SEEN.append(item)
    return len(SEEN)


def spin():
    while True:
        pass
'''


@pytest.fixture
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PythonTarget]:
    files = {"src/shop/__init__.py": "", "src/shop/cart.py": CART}
    async with prepared(tmp_path_factory.mktemp("shop"), files) as target:
        yield target
