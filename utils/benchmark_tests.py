"""Recognises test files that use the `benchmark` fixture of pytest-benchmark."""

from __future__ import annotations

import re

_FIXTURE = re.compile(r"^\s*(?:async\s+)?def test\w*\([^)]*\bbenchmark(?:_weave)?\b", re.MULTILINE)


def uses_benchmarks(source: str) -> bool:
    """Whether a test of the file takes the fixture; such a file needs pytest-benchmark to run."""
    return _FIXTURE.search(source) is not None
