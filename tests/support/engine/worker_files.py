"""Files of the sandbox's workers as modules: the scripts are no package, and know nothing of ours."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

WORKER = Path(__file__).resolve().parents[3] / "sandbox" / "worker"


def worker_file(name: str) -> Any:
    """A file of the worker, loaded on its own."""
    spec = importlib.util.spec_from_file_location(f"_worker_{name}", WORKER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
