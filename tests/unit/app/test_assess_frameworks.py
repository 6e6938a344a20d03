"""What `assess` cannot judge is refused before anything is prepared."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.app.assess import assess
from testwright.config.settings import Settings
from testwright.core.errors import UsageError


@pytest.mark.parametrize("framework", ["jest", "locust"])
async def test_tests_of_other_kinds_are_refused_by_name(framework: str, tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, framework=framework)  # pyrefly: ignore[bad-argument-type]
    with pytest.raises(UsageError, match=f"does not judge tests for {framework}"):
        await assess([], settings)
    assert list(tmp_path.iterdir()) == []
