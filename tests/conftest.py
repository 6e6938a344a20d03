"""What holds for all tests: runs go by few mutants where a test does not ask for more, so that they stay quick."""

from __future__ import annotations

import os

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Programs that tests start are told the same."""
    os.environ.setdefault("TESTWRIGHT_MUTANTS", "6")
