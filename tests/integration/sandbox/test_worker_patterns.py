"""What children tell of the patterns they compiled, and lines that are counted without being noted (T-16)."""

from __future__ import annotations

import re
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from testwright.tests.support.engine.worker_files import worker_module

pytestmark = pytest.mark.feature("T-16")


def compiled(pattern: str, flags: int = 0) -> bool:
    """Whether `re` keeps a pattern."""
    return (str, pattern, flags) in worker_module("observe.patterns").kept()


@pytest.mark.skipif(not hasattr(re, "_cache"), reason="this interpreter keeps patterns otherwise")
def test_a_pattern_that_two_children_compiled_is_compiled_once_for_all_others() -> None:
    patterns: Any = worker_module("observe.patterns")
    text = f"{uuid.uuid4()}+"
    before = set(patterns.kept())
    re.compile(text)
    told = patterns.told(before)
    re.purge()
    known = patterns.Patterns()
    known.learn(told)
    assert not compiled(text)
    known.learn(told)
    assert compiled(text)


def test_a_pattern_that_warns_is_left_to_the_code_that_uses_it() -> None:
    patterns: Any = worker_module("observe.patterns")
    text = f"[[{uuid.uuid4().hex}]"
    patterns.Patterns(times=1).learn(f'[["{text}", 0]]'.encode())
    assert not compiled(text)
    with pytest.warns(FutureWarning):
        re.compile(text)


@pytest.mark.parametrize("told", [b"", b'[["a", 0', b'[["(", 0]]'])
def test_what_is_cut_short_or_no_pattern_does_no_harm(told: bytes) -> None:
    worker_module("observe.patterns").Patterns(times=1).learn(told)


def test_what_is_told_fits_into_a_pipe_that_nobody_reads_yet() -> None:
    patterns: Any = worker_module("observe.patterns")
    before = set(patterns.kept())
    for number in range(100):
        re.compile(f"{uuid.uuid4()}{'a' * 1500}{number}")
    assert len(patterns.told(before)) <= patterns.MOST_BYTES + 2


LOOP = """
def loop(number):
    for one in range(number):
        number += one
    return number
"""


def test_lines_are_counted_as_the_tracer_counts_them_and_end_a_trial_at_the_same_one(tmp_path: Path) -> None:
    tracing: Any = worker_module("observe.trace")
    code = compile(LOOP, str(tmp_path / "loop.py"), "exec")
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    counted = []
    for opened in (tracing.open_tracer, tracing.open_counter):
        with opened(code, 1000) as tracer:
            namespace["loop"](10)
            tracer.stop()
            namespace["loop"](10)  # not watched
            tracer.start()
            namespace["loop"](3)
        counted.append(tracer.steps)
        with opened(code, 15) as tracer, pytest.raises(tracing.TooManySteps):
            namespace["loop"](10)
    assert counted[0] == counted[1] > 20
    assert sys.gettrace() is None
