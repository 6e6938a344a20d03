"""Floats inside of other values are compared by tolerance in unittest's form too, as in pytest's."""

import pytest

from testwright.engine.python.model.spec_case import SpecExpectation
from testwright.engine.python.write.render_unittest import UnittestDialect


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("2.5", ["self.assertAlmostEqual(result, 2.5)"]),
        (
            "{'a': [1.5, 2]}",
            [
                "self.assertEqual(set(result), {'a'})",
                "self.assertEqual(len(result['a']), 2)",
                "self.assertAlmostEqual(result['a'][0], 1.5)",
                "self.assertEqual(result['a'][1], 2)",
            ],
        ),
        (
            "[1.5e9, -2.5]",
            [
                "self.assertEqual(len(result), 2)",
                "self.assertAlmostEqual(result[0], 1500000000.0, delta=2e+03)",
                "self.assertAlmostEqual(result[1], -2.5)",
            ],
        ),
    ],
)
def test_each_float_has_a_tolerance_of_its_own(value, lines):
    assert UnittestDialect().check(SpecExpectation("approx", "result", value), "result") == lines
