"""A spec becomes a test file for Jest that a person would write."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from testwright.analysis.test_checks.spec_rules import quality_issues
from testwright.engine.javascript.layout import laid_out
from testwright.engine.javascript.render import render_jest, rendered_tests
from testwright.engine.javascript.titles import title_of
from testwright.utils.generated_header import without_header
from testwright.utils.schema_registry import select_schema, validator

pytestmark = pytest.mark.feature("T-10", "B-04")


def case(name: str, act: dict[str, Any], expect: dict[str, Any], condition: str, *statements: str) -> dict[str, Any]:
    evidence = {"path": "src/cut.js", "lines": [1, 3]}
    return {
        "id": f"tc_{name}",
        "title": name,
        "priority": "high",
        "preconditions": [],
        "steps": ["Call it."],
        "expected": "It returns.",
        "subject": "cut",
        "condition": condition,
        "arrange": {"statements": list(statements)},
        "act": act,
        "expect": [{"origin": "observed", "evidence": evidence, **expect}],
    }


def spec(*cases: dict[str, Any], system: str = "esm", language: str = "javascript") -> dict[str, Any]:
    path = "src/cut.ts" if language == "typescript" else "src/cut.js"
    target = {"path": path, "system": system, "exports": {"cut": "cut"}, "digest": "0" * 64}
    return {
        "schema_version": "1.0.0",
        "test_type": "unit",
        "title": "Unit tests for src/cut.js",
        "language": language,
        "framework": "jest",
        "target": target,
        "cases": list(cases),
    }


def call(*arguments: str, mode: str = "call") -> dict[str, Any]:
    names = ["quantity", "tier"][: len(arguments)]
    return {"callee": "cut", "arguments": list(arguments), "parameters": names, "mode": mode}


RESULT = {"kind": "equals", "actual": "result"}


@pytest.mark.parametrize(
    ("value", "title"),
    [
        ("['DE', 'FR']", "returns the list of DE and FR for quantity 1"),
        ("[1, 2, 3]", "returns the list of 1, 2 and 3 for quantity 1"),
        ("['DE']", "returns the list of DE for quantity 1"),
        ("[{ a: 1 }]", "returns the expected list for quantity 1"),
        ("['two words']", "returns the expected list for quantity 1"),
    ],
)
def test_a_title_tells_the_list_that_is_returned_where_it_is_short(value, title):
    assert title_of(case("one", call("1"), {**RESULT, "value": value}, "for quantity 1")) == title


TABLE = spec(
    case("few", call("9"), {**RESULT, "value": "0"}, "for quantity just below BULK"),
    case("many", call("10"), {**RESULT, "value": "0.1"}, "for quantity equal to BULK"),
    case("none", call("-1"), {"kind": "throws", "error": "RangeError", "message": "not below 0"}, "for less than none"),
)


def test_calls_that_differ_in_values_are_rows_of_a_table_with_readable_titles():
    assert without_header(render_jest(TABLE, "tests/generated/cut.test.js")) == (
        """import { cut } from '../../src/cut.js';

describe('cut', () => {
  test.each([
    { condition: 'quantity just below BULK', quantity: 9, expected: 0 },
    { condition: 'quantity equal to BULK', quantity: 10, expected: 0.1 },
  ])('returns $expected for $condition', ({ quantity, expected }) => {
    expect(cut(quantity)).toBe(expected);
  });

  test('throws a RangeError for less than none', () => {
    const act = () => cut(-1);

    expect(act).toThrow(RangeError);
    expect(act).toThrow('not below 0');
  });
});
"""
    )


def test_each_test_is_known_by_its_full_name_in_jest():
    assert [(one.name, one.case_id) for one in rendered_tests(TABLE)] == [
        ("cut returns 0 for quantity just below BULK", "tc_few"),
        ("cut returns 0.1 for quantity equal to BULK", "tc_many"),
        ("cut throws a RangeError for less than none", "tc_none"),
    ]


def test_the_spec_fits_the_schema_and_the_rules():
    assert list(validator(select_schema("unit")).iter_errors(TABLE)) == []
    assert list(quality_issues(TABLE, "unit")) == []


def test_sources_that_are_no_javascript_are_refused_with_their_place():
    broken = copy.deepcopy(TABLE)
    broken["cases"][0]["act"]["arguments"] = ["9 +"]
    assert [(one.path, one.rule) for one in quality_issues(broken, "unit")] == [
        ("$.cases[0].act.arguments[0]", "not_parsable")
    ]


def test_commonjs_is_required_and_typescript_imported_without_its_suffix():
    assert "const { cut } = require('../../src/cut');" in render_jest(
        {**TABLE, "target": {**TABLE["target"], "system": "commonjs"}}, "tests/generated/cut.test.js"
    )
    typed = spec(*TABLE["cases"], language="typescript")
    assert "import { cut } from '../src/cut';" in render_jest(typed, "tests/cut.test.ts")


@pytest.mark.parametrize(
    ("mode", "value", "line"),
    [
        ("await", "'done'", "expect(await cut(3)).toBe('done');"),
        ("spread", "[1, 2]", "expect([...cut(3)]).toEqual([1, 2]);"),
        ("call", "null", "expect(cut(3)).toBeNull();"),
        ("call", "undefined", "expect(cut(3)).toBeUndefined();"),
        ("call", "{ a: 1 }", "expect(cut(3)).toEqual({ a: 1 });"),
    ],
)
def test_the_matcher_fits_the_value_and_the_call(mode, value, line):
    one = spec(case("it", call("3", mode=mode), {**RESULT, "value": value}, "for quantity 3"))
    assert line in render_jest(one, "cut.test.js")


def test_numbers_with_noise_in_their_last_digits_are_compared_closely():
    one = spec(case("it", call("3"), {"kind": "close", "actual": "result", "value": "0.3"}, "for quantity 3"))
    assert "expect(cut(3)).toBeCloseTo(0.3, 8);" in render_jest(one, "cut.test.js")


def test_an_argument_that_the_call_changes_is_looked_at_after_it():
    one = spec(case("it", call("[3, 1]"), {"kind": "equals", "actual": "quantity", "value": "[1, 3]"}, "for a list"))
    text = render_jest(one, "cut.test.js")
    assert "    const quantity = [3, 1];\n\n    cut(quantity);\n\n    expect(quantity).toEqual([1, 3]);" in text


def test_a_rejected_promise_is_awaited():
    expect = {"kind": "throws", "message": "no"}
    one = spec(case("it", call("3", mode="await"), expect, "for quantity 3"))
    assert "await expect(cut(3)).rejects.toThrow('no');" in render_jest(one, "cut.test.js")


def test_long_values_get_a_line_for_each_part():
    source = "[{ name: 'a, b', price: 3 }, { name: 'c', price: 4 }]"
    assert laid_out(source, column=4, indent=4, width=40) == (
        "[\n      { name: 'a, b', price: 3 },\n      { name: 'c', price: 4 },\n    ]"
    )


def test_what_ends_a_line_or_cannot_be_seen_is_escaped():
    odd = case("odd", call("1"), {"kind": "throws", "error": "Error", "message": "a\r\u2028\x00'\\"}, "for one")
    assert r"toThrow('a\u000d\u2028\u0000\'\\')" in render_jest(spec(odd), "tests/generated/cut.test.js")


def test_where_a_compiler_checks_types_the_file_says_that_its_own_are_wider():
    typed: dict[str, Any] = copy.deepcopy({**TABLE, "language": "typescript"})
    typed["target"] |= {"path": "src/cut.ts", "unchecked": True}
    validator(select_schema("unit")).validate(typed)
    first = without_header(render_jest(typed, "tests/cut.test.ts")).lstrip().splitlines()[0]
    assert first.startswith("// @ts-nocheck")
