"""How mutants are compiled, put in and taken out again, and how children are heard (T-16)."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from testwright.mutation.catalog import mutants_of
from testwright.tests.support.engine.worker_files import worker_module

WORKER = Path(__file__).resolve().parents[3] / "sandbox"

pytestmark = pytest.mark.feature("T-16")

SOURCE = '''"""A module."""

import os as system, re
from math import (
    floor,
)

TABLE = {
    "a": 1,
    "b": lambda x: x + 1,
}
TEXT = """two
lines""" + str(len(TABLE))


def first(x, y=3, *, z="é"):
    """Says y."""
    return [floor(x) + y for _ in range(2) if z]


@property
def second(self, deep=4): return system.sep * deep


class Third(Exception):
    """Holds."""

    LIMIT = 7

    def __init__(self, x=1):
        super().__init__(x)
        self.x = x + self.LIMIT


if TABLE["a"] > 0:

    def inner():
        return 5


async def last():
    async for one in re.sub("a", "b", "c"):
        yield one + 1
'''


def test_compiling_the_changed_part_alone_gives_what_compiling_the_whole_file_gives(tmp_path: Path) -> None:
    swap: Any = worker_module("mutants.swap")
    (tmp_path / "some.py").write_text(SOURCE, "utf-8")
    data = SOURCE.encode()
    parts = swap.Parts(data, swap.compile_text(data, "some.py"), "some.py")
    everything = mutants_of(data, "some.py")
    assert len(everything) > 20
    inside = 0
    for one in everything:
        text = data[: one.start] + one.replacement.encode() + data[one.end :]
        code = parts.changed(one.start, one.end, one.replacement.encode())
        inside += code is not None
        assert code is None or swap.same(code, swap.compile_text(text, "some.py")), one
    assert inside > len(everything) // 2


def test_what_a_module_and_its_classes_hold_is_put_back() -> None:
    state: Any = worker_module("mutants.module_state")
    module: Any = types.ModuleType("shop")
    source = """
import functools, collections
NAMES = ["a"]
COUNTS = collections.Counter(a=1)
class Till:
    RATES = {"x": 1}
    total = 0
    @classmethod
    @functools.lru_cache
    def rate(cls): return cls.RATES["x"]
TILL = Till()
TILL.sums = [1]
def add(one, to=[]):
    to.append(one)
    return to
"""
    sys.modules["shop"] = module
    try:
        exec(source, module.__dict__)
        held = state.State([module])
        till = module.TILL
        assert (module.Till.rate(), module.add(1)) == (1, [1])
        module.NAMES.append("b")
        module.COUNTS["b"] += 1
        module.Till.RATES["x"] = 2
        module.Till.total = 5
        module.Till.extra = 1
        till.sums.clear()
        till.more = 2
        module.NEW = 1
        module.TILL = None
        held.put_back()
        assert (module.NAMES, dict(module.COUNTS), module.TILL, till.sums) == (["a"], {"a": 1}, till, [1])
        assert not hasattr(module, "NEW")
        assert not hasattr(till, "more")
        assert (module.Till.RATES, module.Till.total, hasattr(module.Till, "extra")) == ({"x": 1}, 0, False)
        module.Till.RATES["x"] = 3
        assert (module.Till.rate(), module.add(2)) == (3, [2])
    finally:
        del sys.modules["shop"]


NAMED = """
CACHE = {"a": None}
PRICES = {"x": 1}
ORDER = {"first": 0, "second": 0}
BUFFER = bytearray(b"abc")
OPEN = bytearray(b"abc")
class Lamp:
    on = True
    STATES = {"on": True}
LAMP = Lamp()
LAMP.lit = True
LAMP.dark = True
LONE = True
"""


@pytest.mark.parametrize(
    ("change", "look"),
    [
        ("CACHE['z'] = CACHE.pop('a')", "CACHE"),
        ("PRICES['y'] = PRICES.pop('x')", "PRICES"),
        ("ORDER['first'] = ORDER.pop('first')", "list(ORDER)"),
        ("Lamp.off = Lamp.on; del Lamp.on", "hasattr(Lamp, 'on'), hasattr(Lamp, 'off')"),
        ("Lamp.STATES['off'] = Lamp.STATES.pop('on')", "Lamp.STATES"),
        ("LAMP.weak = LAMP.dark; del LAMP.dark", "vars(LAMP)"),
        ("LAMP.lit = vars(LAMP).pop('lit')", "list(vars(LAMP))"),
        ("OTHER = globals().pop('LONE')", "'LONE' in globals(), 'OTHER' in globals()"),
        ("BUFFER[0] = 0; BUFFER.append(1)", "BUFFER"),
        ("BUFFER.clear()", "BUFFER"),
        ("LOOKING = memoryview(OPEN); LOOKING[0] = 0", "OPEN"),
    ],
)
def test_what_is_held_by_another_name_or_in_another_order_is_put_back(change: str, look: str) -> None:
    state: Any = worker_module("mutants.module_state")
    module: Any = types.ModuleType("lamps")
    names = module.__dict__
    exec(NAMED, names)
    held = state.State([module])
    before = repr(eval(look, names))
    exec(change, names)
    assert repr(eval(look, names)) != before
    held.put_back()
    assert repr(eval(look, names)) == before


def test_putting_back_asks_no_key_whether_it_equals_another() -> None:
    state: Any = worker_module("mutants.module_state")
    module: Any = types.ModuleType("keys")
    source = """
ASKED = []
class Key:
    __hash__ = object.__hash__
    def __eq__(self, other):
        ASKED.append(other)
        return False
HELD = {Key(): 1}
"""
    exec(source, module.__dict__)
    held = state.State([module])
    asked = module.ASKED
    held.put_back()
    assert asked == []


CHILDREN = """
import json, os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from worker.mutants import children as kinds

if sys.argv[2] == "looking":
    kinds.open_end = lambda pid: None
heard = {}


def task(work, wall=60.0):
    def done(facts, ending):
        heard[work.__name__] = [ending, [fact[1:] for fact in facts if fact[0] == "found"]]

    return kinds.Task(work, wall, done)


def plain(say):
    say("found", "x" * 200_000)


def dying(say):
    say("found", 1)
    os.kill(os.getpid(), signal.SIGKILL)


def long(say):
    time.sleep(300)


def busy(say):
    kinds.limit_processor_time(0.05)
    while True:
        pass


children = kinds.Children(2, 1 << 20, "/tmp")
left = children.run([task(plain), task(dying), task(long, 0.2), task(busy)], time.monotonic() + 300)
print(json.dumps([left, heard]))
"""


@pytest.mark.parametrize("way", ["told", "looking"])
def test_children_say_how_they_ended_and_what_they_found_until_then(way: str) -> None:
    ran = subprocess.run([sys.executable, "-c", CHILDREN, str(WORKER), way], capture_output=True, text=True, check=True)
    left, heard = json.loads(ran.stdout)
    assert left == 0
    assert heard == {
        "plain": ["end", [["x" * 200_000]]],
        "dying": ["died", [[1]]],
        "long": ["time", []],
        "busy": ["time", []],
    }
