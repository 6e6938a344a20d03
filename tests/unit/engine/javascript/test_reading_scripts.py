"""Modules of JavaScript and TypeScript are read: exports, parameters, documentation, domains, errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.errors import TargetImportError
from testwright.engine.javascript.domain.patterns import text_for_pattern, texts_at_bounds
from testwright.engine.javascript.facts import read_module
from testwright.engine.javascript.jsdoc import read_examples
from testwright.engine.javascript.model import Module
from testwright.engine.javascript.trials import Proposer

pytestmark = pytest.mark.feature("T-10")


def module(tmp_path: Path, source: str, name: str = "m.js") -> Module:
    (tmp_path / name).write_text(source)
    return read_module(tmp_path, name)


def arguments(tmp_path: Path, source: str, name: str = "m.js") -> list[tuple[str, ...]]:
    return [trial.arguments for trial in Proposer(tmp_path, module(tmp_path, source, name)).propose()]


@pytest.mark.parametrize(
    ("source", "exports"),
    [
        ("export function add(a, b) { return a + b; }", {"add": "add"}),
        ("const add = (a, b) => a + b;\nexport { add as plus };", {"plus": "add"}),
        ("export default function add(a, b) { return a + b; }", {"default": "add"}),
        ("export default (a, b) => a + b;", {"default": "m"}),
        ("function add(a, b) { return a + b; }\nmodule.exports = { add };", {"add": "add"}),
        ("module.exports = function add(a, b) { return a + b; };", {"default": "add"}),
        ("exports.add = (a, b) => a + b;", {"add": "add"}),
        ("function hidden() {}\nexport const LIMIT = 3;", {"LIMIT": "LIMIT"}),
    ],
)
def test_exports_of_both_module_systems_are_found(tmp_path, source, exports):
    found = module(tmp_path, source)
    assert found.exports == exports
    assert found.commonjs == ("exports" in source)


def test_private_members_and_unexported_functions_are_no_targets(tmp_path):
    source = """
    function helper() {}
    export class Cart {
      #total = 0;
      constructor(owner) { this.owner = owner; }
      get size() { return 1; }
      static empty() { return new Cart(''); }
      add(item) {}
      _forget() {}
    }
    """
    found = module(tmp_path, source)
    assert [(one.qualname, one.kind) for one in found.callables] == [
        ("Cart.size", "getter"),
        ("Cart.empty", "static"),
        ("Cart.add", "method"),
    ]


def test_a_source_that_does_not_parse_is_named_with_its_line(tmp_path):
    with pytest.raises(TargetImportError, match=r"m\.ts:2: it is no TypeScript that can be read"):
        module(tmp_path, "export const a = 1;\nexport function b( { return 1; }\n", "m.ts")


def test_documented_calls_are_read_with_their_results_and_errors():
    lines = ["add(1, 2) // => 3", "const x = slug('A b'); // 'a-b'", "parse('?') // throws SyntaxError", "prose // not"]
    found = [(one.call, one.value, one.throws) for one in read_examples(lines, 1)]
    assert found == [("add(1, 2)", "3", ""), ("slug('A b')", "'a-b'", ""), ("parse('?')", "", "SyntaxError")]


def test_values_stay_within_a_union_of_texts(tmp_path):
    source = "export function share(tier: 'basic' | 'gold'): number { return 1; }"
    assert arguments(tmp_path, source, "m.ts") == [("'basic'",), ("'gold'",)]


def test_numbers_are_tried_around_a_constant_that_the_code_compares_with(tmp_path):
    source = "const BULK = 10;\nexport function cut(quantity) { return quantity >= BULK ? 0.1 : 0; }"
    assert {("9",), ("10",), ("11",)} <= set(arguments(tmp_path, source))


def test_keys_of_a_table_and_an_unknown_one_are_tried(tmp_path):
    source = "const RATES = { DE: 1, FR: 2 };\nexport const rate = (country) => RATES[country];"
    found = arguments(tmp_path, source)
    assert found[:2] == [("'DE'",), ("'FR'",)]
    assert ("'unknown'",) in found


def test_objects_have_the_fields_of_their_interface_and_optional_ones_only_where_they_make_a_difference(tmp_path):
    source = """
    interface Line { name: string; price: number; note?: string }
    export function total(lines: Line[]): number { return lines.length; }
    """
    first, *others = (one[0] for one in arguments(tmp_path, source, "m.ts"))
    assert first == "[{ name: 'Ada', price: 20 }, { name: 'Grace', price: 50 }]"
    assert any("note:" in one for one in others)


def test_destructured_fields_and_their_defaults_make_an_options_object(tmp_path):
    source = "export function cost(weight, { express = false } = {}) { return express ? weight * 2 : weight; }"
    found = arguments(tmp_path, source)
    assert found[0] == ("2",)
    assert ("2", "{ express: true }") in found


def test_elements_of_untyped_lists_are_known_by_what_is_done_with_them(tmp_path):
    source = "export const sum = (items) => items.reduce((all, { price, quantity }) => all + price * quantity, 0);"
    assert arguments(tmp_path, source)[0][0].startswith("[{ price: 20, quantity: 3 },")


def test_what_a_called_function_compares_with_holds_for_the_caller(tmp_path):
    source = """
    const cut = (quantity) => (quantity >= 10 ? 0.1 : 0);
    export function price(quantity) { return quantity * (1 - cut(quantity)); }
    """
    assert ("10",) in arguments(tmp_path, source)


@pytest.mark.parametrize(
    "pattern", [r"/^\d{4}-\d{2}$/", r"/^([A-Z]+)-(\d{1,2})(?:-(\d+))?$/", r"/^(?:cat|dog)s?$/i", r"/[^\s@]+@[^\s@]+/"]
)
def test_a_text_is_made_that_a_pattern_matches(pattern):
    assert text_for_pattern(pattern)


def test_texts_at_the_bounds_of_a_pattern_count_one_more_and_one_less(tmp_path):
    texts = ["BBBB-222", "B-222", "BBBBB-222", "BB-22", "BB-2222", "-BB-222", "BB-222-"]
    assert texts_at_bounds(r"/^[A-Z]{2,4}-\d{3}$/") == texts
    source = "const SKU = /^[A-Z]{2,4}-\\d{3}$/;\nexport const isSku = (sku) => SKU.test(sku);"
    assert {(f"'{text}'",) for text in texts} <= set(arguments(tmp_path, source))


@pytest.mark.parametrize(
    "pattern",
    ["/^" + "a+" * 40 + "$/", "/x{1000000000}/", "/x{99999999999999999999999}/", f"/{'(' * 2000}a{')' * 2000}/"],
    ids=["open_ends", "many", "beyond_any_number", "nested"],
)
def test_patterns_that_would_take_for_ever_get_no_text(pattern: str) -> None:
    assert (text_for_pattern(pattern), texts_at_bounds(pattern)) == ("", [])


def test_a_pattern_that_looks_around_gives_no_text():
    assert text_for_pattern("/(?<=a)b(?!c)/") == ""
