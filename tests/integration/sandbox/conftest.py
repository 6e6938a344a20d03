"""One sandbox of each kind for the whole room."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from testwright.sandbox.protocol import Sandbox
from testwright.tests.support.engine.sandboxes import needed_sandbox


@pytest.fixture(scope="session")
def bubblewrap() -> Sandbox:
    return needed_sandbox("bubblewrap")


@pytest.fixture(scope="session")
def weak() -> Sandbox:
    return needed_sandbox("weak")


@pytest.fixture(params=["bubblewrap", "weak"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def bare_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real virtual environment without any package. Tests only read it."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    return folder
