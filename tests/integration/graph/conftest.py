"""Checkpoints on disk, as a run has them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from testwright.graph.checkpoints import open_checkpoints


@pytest.fixture
async def checkpointer(tmp_path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    async with open_checkpoints(tmp_path / "checkpoints.sqlite") as saver:
        yield saver
