"""Tells which framework a Python test file is written for: by its text, so that no file needs its spec or its run."""

from __future__ import annotations

import re

_CASES = re.compile(r"^class \w+\([^)\n]*\bTestCase\b[^)\n]*\):", re.MULTILINE)
_FRAMEWORKS = ("pytest", "unittest")


def written_for(text: str) -> str:
    """Return `unittest` for a file with a class of test cases, else `pytest`."""
    return "unittest" if _CASES.search(text) else "pytest"


def is_for_another(text: str, framework: str) -> bool:
    """Whether a generated test file is written for the other of pytest and unittest; False for other frameworks."""
    return framework in _FRAMEWORKS and written_for(text) != framework
