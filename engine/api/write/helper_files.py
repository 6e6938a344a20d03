"""Reads the helper files that are written beside generated API tests: the same code that the engine observes with."""

from __future__ import annotations

from ....sandbox.worker_files import WORKER_FOLDER

CONFTEST = '''"""Lets the tests of this folder import the helpers beside them, whatever pytest's import mode is."""

import sys
from pathlib import Path

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))
'''


def helper_source(name: str) -> str:
    """Return the text of a helper.

    `api_process` and `api_serving` start the application, `api_schema` validates answers.
    """
    return (WORKER_FOLDER / "http" / f"{name}.py").read_text(encoding="utf-8")
