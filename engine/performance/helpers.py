"""The functions that generated performance tests measure with, as source text."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass

from ...utils.python_source import parse_python

IMPORTS = ("import sys", "import time", "import timeit", "import pytest")
MARK = "pytestmark = pytest.mark.benchmark(max_time=0.2, min_rounds=3)"

_BEST_TIMES = '''\
ROUNDS = 9
SAMPLE_SECONDS = 0.0005


def best_times(clock, *calls):
    """Return seconds of each call: the best of several rounds by turns.

    Whatever else the machine does can only add to a time, so the best is the truest.
    """
    timers = [timeit.Timer(call, timer=clock) for call in calls]
    tracer = sys.gettrace()
    sys.settrace(None)  # measuring coverage would slow some calls and not others
    try:
        once = [min(timeit.repeat(call, number=1, repeat=3)) for call in calls]
        counts = [max(1, int(SAMPLE_SECONDS / max(each, 1e-7))) for each in once]
        rounds = [
            [timer.timeit(count) / count for timer, count in zip(timers, counts)]
            for _ in range(ROUNDS)
        ]
    finally:
        sys.settrace(tracer)
    return [min(times) for times in zip(*rounds)]'''

_WORK_RATIO = '''\
def work_ratio(call, other):
    """Return the processor time of a call, in times of that of another one."""
    # on Windows it advances in steps that are longer than what is measured
    clock = time.perf_counter if sys.platform == "win32" else time.thread_time
    times = best_times(clock, call, other)
    return times[0] / times[1]'''

_ADDITIONS = '''\
def thousand_additions():
    total = 0
    for number in range(1000):
        total += number
    return total


def additions(call):
    """Return how many additions of plain Python last as long as a call, waits included."""
    times = best_times(time.perf_counter, call, thousand_additions)
    return 1000 * times[0] / times[1]'''

_SHARE = '''\
def share_of_first(again, first):
    """Return the time of a repeated call as a part of that of a first one."""
    times = best_times(time.perf_counter, again, first)
    return times[0] / times[1]'''


@dataclass(frozen=True, slots=True)
class Helpers:
    """Functions by name, each with what it needs before it."""

    common: str
    functions: dict[str, str]

    def text(self, used: Collection[str]) -> str:
        """The source of the used functions; "" for none."""
        chosen = [source for name, source in self.functions.items() if name in used]
        return "\n\n\n".join([self.common, *chosen]) if chosen else ""


HELPERS = Helpers(_BEST_TIMES, {"work_ratio": _WORK_RATIO, "additions": _ADDITIONS, "share_of_first": _SHARE})

OWN_MODULES = frozenset(statement.removeprefix("import ") for statement in IMPORTS)
_TREE = parse_python(f"{MARK}\n{HELPERS.text(HELPERS.functions)}")
# What the functions bind inside hides nothing.
_FUNCTIONS = {node.name for node in _TREE.body if isinstance(node, ast.FunctionDef)}
_CONSTANTS = {ast.unparse(node.targets[0]) for node in _TREE.body if isinstance(node, ast.Assign)}
OWN_NAMES = frozenset({"benchmark", "first"} | _FUNCTIONS | _CONSTANTS)
"""Names that a test file binds itself: what a project calls so gets another name there."""
