"""Mutants of scripts are slips that still parse, and loops of a changed file come to an end."""

from __future__ import annotations

import pytest

from testwright.mutation.javascript import guarded, mutants_of_script, replaced
from testwright.sandbox.javascript.syntax import parse

pytestmark = pytest.mark.feature("B-11")

SOURCE = b"""import { x } from './x';
const BULK = 10;
export function cut(quantity: number, names: string[] = []): number {
  if (!quantity && names.length > 2) throw new RangeError(`no ${quantity}`);
  for (const name of names) {
    if (name === 'skip') continue;
    x.push(name.toLowerCase());
  }
  let sum = 0;
  while (sum < BULK) { sum += 1.5; }
  return quantity >= BULK ? sum * 0.1 : 0;
}
"""


def changed() -> list[tuple[str, str]]:
    found = mutants_of_script(parse(SOURCE, "m.ts"), SOURCE, "m.ts")
    return [(one.operator, one.after) for one in found]


def test_comparisons_constants_conditions_and_statements_are_changed():
    found = changed()
    assert ("constant", "const BULK = 11;") in found
    assert ("comparison", "return quantity > BULK ? sum * 0.1 : 0;") in found
    assert ("logic", "if (!quantity || names.length > 2) throw new RangeError(`no ${quantity}`);") in found
    assert ("text", "if (name === '') continue;") in found
    assert ("statement", "if (name === 'skip') ;") in found
    assert ("method", "x.unshift(name.toLowerCase());") in found
    assert ("result", "return undefined;") in found


def test_bounds_and_anchors_of_regular_expressions_are_changed():
    source = rb"export const isSku = (text) => /^[A-Z]{2,4}-\d{3}$/i.test(text);"
    found = mutants_of_script(parse(source, "m.js"), source, "m.js")
    assert [one.replacement for one in found if one.operator == "pattern"] == [
        r"/[A-Z]{2,4}-\d{3}$/i",
        r"/^[A-Z]{2,4}-\d{3}/i",
        r"/^[A-Z]{2,4}-\d{4}$/i",
        r"/^[A-Z]{2,5}-\d{3}$/i",
        r"/^[A-Z]{3,4}-\d{3}$/i",
    ]


def test_imports_and_types_are_left_alone():
    assert not [after for _, after in changed() if "import" in after or "strin[" in after]


def test_every_mutant_still_parses():
    for one in mutants_of_script(parse(SOURCE, "m.ts"), SOURCE, "m.ts"):
        text = replaced(SOURCE, one.start, one.end, one.replacement)
        assert not parse(text, "m.ts").has_error, one


def test_loops_count_their_rounds_in_the_lines_they_had():
    text = guarded(SOURCE, lambda source: parse(source, "m.ts"))
    assert text.count(b"__testwrightTick") == 2
    assert text.count(b"\n") == SOURCE.count(b"\n")
    assert not parse(text, "m.ts").has_error
