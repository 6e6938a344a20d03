"""Trivial implementations of tested functions, put in their place for real in the sandbox."""

from __future__ import annotations

import textwrap
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from testwright.gate.evidence.additions import redundant_tests
from testwright.gate.evidence.evidence import evidence_of
from testwright.gate.evidence.summary import tool_result
from testwright.gate.evidence.unasserting import unasserting_tests
from testwright.gate.model.options import Framework
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.model.trivial_results import FunctionTrials
from testwright.gate.model.verdicts import Verification
from testwright.gate.verify.verify import verify_files
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("B-16")

MODULE = "src/shop/price.py"
PATH = "tests/generated/test_price.py"
SOURCE = """
import contextlib
import functools
import time

SEEN = []


def cost(count, rate=3):
    if count > 10:
        return count * rate
    return count + 0


@functools.lru_cache(maxsize=None)
def double(number):
    return number * 2


def normal(text):
    return text.strip().lower()


def left(first, second):
    return first - second


def both(first, second):
    return first + second


def mark(item):
    SEEN.append(item)
    return len(SEEN)


def below(number):
    yield from range(number)


@contextlib.contextmanager
def marked(item):
    SEEN.append(item)
    try:
        yield item
    finally:
        SEEN.remove(item)


async def later(number):
    return number + 1


def hook(value):
    return value


def wait_until(ready):
    while not ready():
        time.sleep(0.001)
    return True


def is_big(number):
    return number > 10


class Day:
    def __init__(self, number):
        self.number = number

    def __deepcopy__(self, memo):
        return Weekday(self.number)


class Weekday(Day):
    pass


def is_early(day):
    return day.number < 10


def refuse(number):
    if number < 0:
        raise ValueError("below 0")
    raise KeyError(number)


class Cart:
    def __init__(self, owner="me"):
        self.owner = owner
        self.items = []

    def put(self, item):
        self.items.append(item)
        return self

    def clear(self):
        self.items.clear()

    @property
    def size(self):
        return len(self.items)

    @classmethod
    def of(cls, *items):
        cart = cls()
        cart.items = list(items)
        return cart

    @staticmethod
    def vat(price):
        return price * 2

    def pop(self):
        return self.items.pop()
"""
HEAD = "import asyncio\n\nimport pytest\n\nfrom shop.price import *\n\n\n"
ANSWER = "always returns {}".format
# The body of a test of one function, and what passes it; what is not named, the test notices.
PASSED: Mapping[str, tuple[str, list[str]]] = {
    "cost": ("assert cost(11) == 33\nassert cost(2) == 2", ["ignores `rate`, which no test gives"]),
    "double": ("assert double(2) == 4", [ANSWER("4")]),
    "normal": ("assert normal('abc') == 'abc'\nassert normal('b') == 'b'", ["returns `text` as it is"]),
    "left": (
        "assert left(3, 3) == 0\nassert left(4, 4) == 0",
        [ANSWER("0"), "takes `first` and `second` for each other"],
    ),
    "both": ("assert both(1, 2) == 3\nassert both(4, 3) == 7", []),
    "mark": ("assert mark('a') == 1\nassert SEEN == ['a']\nassert mark('b') == 2", []),
    "below": ("assert list(below(3)) == [0, 1, 2]\nassert list(below(2)) == [0, 1]", []),
    "marked": ("with marked(4) as item:\n    assert item == 4\n    assert SEEN[-1] == 4\nassert 4 not in SEEN", []),
    "later": ("assert asyncio.run(later(1)) == 2", [ANSWER("2")]),
    "wait_until": (
        "turns = [False, True]\nassert wait_until(lambda: turns.pop(0)) is True\nassert turns == []",
        [],
    ),
    "is_big": ("assert is_big(11) is True\nassert is_big(3) is False", []),
    "is_early": ("assert is_early(Day(3)) is True\nassert is_early(Day(30)) is False", []),
    "refuse": ("with pytest.raises(ValueError):\n    refuse(-1)\nwith pytest.raises(KeyError):\n    refuse(1)", []),
    "Cart.clear": ("cart = Cart()\ncart.clear()\nassert cart.items == []", ["changes nothing"]),
    "Cart.put": ("cart = Cart()\nassert cart.put('a') is cart\nassert cart.items == ['a']", []),
    "Cart.size": ("cart = Cart()\ncart.items = ['a']\nassert cart.size == 1", [ANSWER("1")]),
    "Cart.of": ("assert Cart.of('a').items == ['a']\nassert Cart.of('b', 'c').items == ['b', 'c']", []),
    "Cart.vat": ("assert Cart.vat(100) == 200\nassert Cart.vat(3) == 6", []),
    "Cart.pop": (
        "cart = Cart()\ncart.items = ['a', 'b']\nassert cart.pop() == 'b'",
        [ANSWER("'b'"), "changes nothing"],
    ),
}
METHODS = {
    "Cart.clear": "cart = Cart.of('a')\ncart.clear()\nassert cart.items == []",
    "Cart.pop": "cart = Cart.of('a', 'b')\nassert cart.pop() == 'b'\nassert cart.pop() == 'a'\nassert cart.items == []",
}


def file_of(bodies: Mapping[str, str], framework: str = "pytest") -> str:
    """A test file with a test for each body."""
    if framework == "pytest":
        tests = [f"def test_{name}():\n{textwrap.indent(body, '    ')}\n" for name, body in bodies.items()]
        return HEAD + "\n\n".join(tests)
    tests = [f"    def test_{name}(self):\n{textwrap.indent(body, ' ' * 8)}\n" for name, body in bodies.items()]
    return "import unittest\n" + HEAD + "class Prices(unittest.TestCase):\n" + "\n".join(tests)


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[PythonTarget]:
    async with prepared(tmp_path, {MODULE: SOURCE}) as target:
        yield target


async def verified(target: PythonTarget, text: str, framework: Framework = "pytest", mutants: int = 1) -> Verification:
    options = VerifyOptions(repeats=0, measure=(MODULE,), mutants=mutants)
    return await verify_files(target, {PATH: text}, framework=framework, options=options)


def trials_of(verification: Verification) -> dict[str, FunctionTrials]:
    assert verification.mutation is not None
    return {one.name: one for one in verification.mutation.functions}


@pytest.mark.parametrize("framework", ["pytest", "unittest"])
async def test_what_passes_the_tests_of_each_function_is_named_and_nothing_else(
    shop: PythonTarget, framework: Framework
) -> None:
    bodies = {name.replace(".", "_"): body for name, (body, _) in PASSED.items()}
    found = trials_of(await verified(shop, file_of(bodies, framework), framework))
    shown = {name: [one.title for one in found[name].survivors] for name in PASSED}
    assert shown == {name: expected for name, (_, expected) in PASSED.items()}
    assert not any(one.elsewhere for trials in found.values() for one in trials.survivors)
    assert not any(trials.left_out for trials in found.values())
    assert "hook" not in found, "what is trivial itself cannot be told from a trivial implementation"


async def test_tests_that_show_an_effect_or_a_second_answer_notice_every_trivial_implementation(
    shop: PythonTarget,
) -> None:
    bodies = {name.replace(".", "_"): body for name, body in METHODS.items()}
    found = trials_of(await verified(shop, file_of(bodies)))
    assert {name: found[name].survivors for name in METHODS} == dict.fromkeys(METHODS, ())
    assert all(found[name].tried for name in METHODS)


async def test_only_tests_that_call_a_function_themselves_judge_it_and_what_others_notice_is_said(
    shop: PythonTarget,
) -> None:
    source = "from shop.price import Cart\n\n\ndef bought(items):\n    return Cart.of(*items).size * 10\n"
    (shop.snapshot.path / "src/shop/bought.py").write_text(source)
    text = "from shop.bought import bought\nfrom shop.price import Cart\n\n\n"
    text += "def test_bought():\n    assert bought(['a', 'b']) == 20\n\n\n"
    text += "def test_size():\n    cart = Cart()\n    cart.items = ['a']\n    assert cart.size == 1\n"
    found = trials_of(await verified(shop, text))
    assert found["Cart.size"].tests == (f"{PATH}::test_size",)
    assert [(one.title, one.elsewhere) for one in found["Cart.size"].survivors] == [(ANSWER("1"), True)]
    assert found["Cart.size"].unnoticed == ()
    assert "Cart.of" not in found, "no test calls it"


async def test_a_test_that_asserts_nothing_is_left_out_and_one_that_asserts_stays(shop: PythonTarget) -> None:
    bodies = {"silent": "cost(3)", "says": "assert double(2) == 4"}
    verification = await verified(shop, file_of(bodies), mutants=20)
    reasons = unasserting_tests(verification)
    assert set(reasons) == {f"{PATH}::test_silent"}
    assert reasons[f"{PATH}::test_silent"].startswith(
        "it asserts nothing: it passes with an implementation of cost that"
    )

    records = evidence_of(verification)
    idle = [record for record in records if record.nodeid in reasons]
    answer = tool_result(verification, evidence=records, idle=idle, reasons=reasons)
    assert answer["trivial"]["functions"] == 2
    assert answer["trivial"]["passed"] == 2
    assert [row["function"] for row in answer["trivial"]["rows"]] == ["cost", "double"]


async def test_an_example_that_alone_tells_a_function_from_a_constant_is_not_redundant(shop: PythonTarget) -> None:
    bodies = {"first": "assert double(2) == 4", "second": "assert double(3) == 6", "third": "assert double(4) == 8"}
    verification = await verified(shop, file_of(bodies))
    names = {record.nodeid.rpartition("::")[2] for record in evidence_of(verification)}
    spare = redundant_tests(evidence_of(verification), verification.mutation)
    left = names - {record.nodeid.rpartition("::")[2] for record in spare}
    assert len(left) == 2, "one example would let a constant pass, a third adds nothing"


async def test_without_mutants_no_trivial_implementation_is_tried(shop: PythonTarget) -> None:
    verification = await verified(shop, file_of({"double": "assert double(2) == 4"}), mutants=0)
    assert verification.mutation is None
    assert tool_result(verification)["trivial"] is None
