"""Expectations that prove nothing: they hold with another value, or no test comes to them."""

from __future__ import annotations

import textwrap

import pytest

from testwright.gate.model.options import Framework
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.verify.verify import verify_files
from testwright.sandbox.target import PythonTarget

pytestmark = pytest.mark.feature("B-16")

PATH = "tests/generated/test_cart.py"
OPTIONS = VerifyOptions(repeats=0, measure=("src/shop/cart.py",), mutants=1)
HEAD = "import unittest.mock\n\nimport pytest\n\nfrom shop.cart import SEEN, mark, total\n\n\n"
ALIKE = "class Alike:\n    def __eq__(self, other):\n        return True\n\n\n"
ACCEPTS = "also holds with another value"
NEVER = "is never come to"
# The body of a test, and what is said of it.
UNPROVEN = {
    "any": ("assert total(3, 2) == unittest.mock.ANY", ACCEPTS),
    "any_on_the_left": ("assert unittest.mock.ANY == total(3, 2)", ACCEPTS),
    "any_in_a_list": ("assert [total(3, 2)] == [unittest.mock.ANY]", ACCEPTS),
    "any_in_a_tuple": ("assert (total(3, 2), 1)[:1] == (unittest.mock.ANY,)", ACCEPTS),
    "alike": ("assert total(3, 2) == Alike()", ACCEPTS),
    "never_run": ("if total(3, 2) == 7:\n    assert total(3, 2) == 7", NEVER),
    "empty_loop": ("total(3, 2)\nfor item in []:\n    assert item == 1", NEVER),
    "after_the_error": ("with pytest.raises(ValueError):\n    total(1, -1)\n    assert total(1, 1) == 2", NEVER),
    "one_of_two": ("assert total(3, 2) == 6\nassert total(3, 3) == unittest.mock.ANY", ACCEPTS),
}
PROVEN = {
    "equal": "assert total(3, 2) == 6",
    "on_the_left": "assert 6 == total(3, 2)",
    "nearly": "assert total(1e9, 3) == pytest.approx(3e9)",
    "text": "assert str(total(3, 2)) == '6'\nassert '6' in str(total(3, 2))",
    "collections": "assert [total(3, 2)] == [6]\nassert {total(3, 2): 1} == {6: 1}\nassert (total(3, 2),) == (6,)",
    "true": "assert total(3, 2) > 5\nassert not total(0, 5)",
    "none": "assert SEEN.clear() is None",
    "error": "with pytest.raises(ValueError, match='below 0'):\n    total(1, -1)",
    "loop": "for count in (1, 2):\n    assert total(3, count) == 3 * count",
    "state": "SEEN.clear()\nassert mark('a') == 1\nassert SEEN == ['a']",
}
UNITTEST = """
import unittest
import unittest.mock

from shop.cart import total


class Cart(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(total(3, 2), 6)
        self.assertTrue(total(3, 2))

    def test_error(self):
        with self.assertRaises(ValueError):
            total(1, -1)

    def test_any(self):
        self.assertEqual(total(3, 2), unittest.mock.ANY)
"""


def source(bodies: dict[str, str]) -> str:
    return (
        HEAD + ALIKE + "\n\n".join(f"def test_{name}():\n{textwrap.indent(b, '    ')}\n" for name, b in bodies.items())
    )


async def refused(shop: PythonTarget, text: str, framework: Framework = "pytest") -> dict[str, str]:
    found = await verify_files(shop, {PATH: text}, framework=framework, options=OPTIONS)
    assert {one.failure_class for one in found.dropped} <= {"test_defect"}
    return {one.name.removeprefix("test_"): one.reason for one in found.dropped}


async def test_an_expectation_that_a_test_holds_without_refuses_it_and_the_line_is_named(shop: PythonTarget) -> None:
    text = source({name: body for name, (body, _) in UNPROVEN.items()})
    reasons = await refused(shop, text)
    assert set(reasons) == set(UNPROVEN)
    for name, (_, said) in UNPROVEN.items():
        assert said in reasons[name]
    line = next(number for number, one in enumerate(text.splitlines(), 1) if one.endswith("total(3, 2) == Alike()"))
    assert reasons["alike"] == f"its expectation in line {line} also holds with another value: it proves nothing"


async def test_tests_whose_expectations_fail_when_they_are_falsified_are_kept(shop: PythonTarget) -> None:
    assert await refused(shop, source(PROVEN)) == {}


async def test_each_row_of_a_table_is_proven_by_itself(shop: PythonTarget) -> None:
    text = HEAD + "ROWS = [(1, 3), (2, unittest.mock.ANY)]\n\n\n"
    text += '@pytest.mark.parametrize(("count", "price"), ROWS, ids=["one", "two"])\n'
    text += "def test_total(count, price):\n    assert total(3, count) == price\n"
    assert set(await refused(shop, text)) == {"total[two]"}


async def test_checks_of_unittest_are_proven_as_well(shop: PythonTarget) -> None:
    assert set(await refused(shop, UNITTEST, "unittest")) == {"any"}
