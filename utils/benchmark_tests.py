"""Recognises test files that use the `benchmark` fixture of pytest-benchmark."""

from __future__ import annotations

import re

# Bounded, so that a file of blank lines or of open brackets costs no more than its length.
_FIXTURE = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test\w*\([^()]{0,500}\bbenchmark(?:_weave)?\b", re.MULTILINE)


def uses_benchmarks(source: str) -> bool:
    """Whether a test of the file takes the fixture; such a file needs pytest-benchmark to run."""
    return _FIXTURE.search(source) is not None
