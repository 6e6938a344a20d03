"""A module with something for every mode of a test, and hand-written findings about it."""

from __future__ import annotations

from testwright.engine.python.model.model import TrialFinding, Value
from testwright.tests.support.engine.shop_findings import NONE, number, raised, returned, text, trial

MIXED = Value("dict", "{'a': 0.30000000000000004, 'b': [1, 'x']}", approximate=True)
# What the generated tests are run against: every mode, state, output, files and awkward texts.
STUFF = """
import contextlib
import warnings


class Cart:
    def __init__(self, owner):
        self.owner, self.items = owner, {}

    def add(self, name, quantity=1):
        self.items[name] = quantity


def table(rows):
    return "".join(f"{name:10}|{amount:5}\\n" for name, amount in rows)


def numbers(stop):
    yield from range(stop)


async def later(value):
    return value


async def stream(stop):
    for number in range(stop):
        yield number


@contextlib.contextmanager
def opened(log):
    log.append("in")
    yield "inside"
    log.append("out")


@contextlib.asynccontextmanager
async def connected():
    yield "connection"


def old(value):
    warnings.warn("old() is deprecated (use new)", DeprecationWarning)
    return value


def save(folder, name):
    (folder / name).write_text("saved")
    print("saved", name)


def refuse(value):
    raise LookupError(f"no [such] value: {value}")


def mixed():
    return {"a": 0.1 + 0.2, "b": [1, "x"]}
"""


def stuff_findings() -> list[TrialFinding]:
    """Findings about STUFF, which stands in for the cart's module."""
    report = "apple     |    1\\n".replace("\\n", "\n") * 6
    return [
        TrialFinding(trial("table", f"table({[('apple', 1)] * 6!r})"), returned(text(report))),
        TrialFinding(trial("numbers", "numbers(3)", mode="iterate"), returned(Value("list", "[0, 1, 2]", length=3))),
        TrialFinding(trial("later", "later('x')", mode="await"), returned(text("x"))),
        TrialFinding(trial("stream", "stream(2)", mode="aiterate"), returned(Value("list", "[0, 1]", length=2))),
        TrialFinding(
            trial("opened", "opened(log)", "log = []", mode="enter"),
            returned(text("inside"), effects=(("log", Value("list", "['in', 'out']")),)),
        ),
        TrialFinding(trial("connected", "connected()", mode="aenter"), returned(text("connection"))),
        TrialFinding(
            trial("old", "old(1)"),
            returned(number(1), warnings=(("DeprecationWarning", "old() is deprecated (use new)"),)),
        ),
        TrialFinding(
            trial("save", "save(tmp_path, 'a.txt')", fixtures=("tmp_path",)), returned(NONE, output="saved a.txt\n")
        ),
        TrialFinding(trial("refuse", "refuse('x')"), raised("LookupError", "no [such] value: x", 24)),
        TrialFinding(trial("mixed", "mixed()"), returned(MIXED)),
        TrialFinding(
            trial("Cart.add", "cart.add('a')", "cart = Cart('Ann')"),
            returned(NONE, effects=(("cart.items", Value("dict", "{'a': 1}")),)),
        ),
    ]
