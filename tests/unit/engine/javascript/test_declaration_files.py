"""A declaration file beside a script tells what the parameters of its functions take."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.javascript.declarations import with_declarations
from testwright.engine.javascript.facts import read_module
from testwright.engine.javascript.trials import Proposer

pytestmark = pytest.mark.feature("T-10")

MODULE = """module.exports = function pad(text, options) {
  return place(text, options || {});
};
function place(text, given) { return given.side === undefined ? text : `${given.side}${text}`; }
"""
DECLARED = """declare namespace pad {
  type Side = 'left' | 'right';
  interface Options { side?: Side; readonly fill?: 'zero' | 'space'; }
}
declare function pad(text: string): string;
declare function pad(text: string, options?: pad.Options): string;
export = pad;
"""


def arguments(root: Path, path: str) -> list[tuple[str, ...]]:
    module = with_declarations(root, read_module(root, path))
    return [trial.arguments for trial in Proposer(root, module).propose()]


def test_options_take_the_unions_of_texts_that_are_declared_and_may_be_left_out(tmp_path):
    (tmp_path / "index.js").write_text(MODULE)
    (tmp_path / "index.d.ts").write_text(DECLARED)

    found = arguments(tmp_path, "index.js")

    assert found[0] == ("'The quick brown fox'",)
    given = {one[1] for one in found if len(one) > 1}
    assert {"{ side: 'left' }", "{ side: 'right' }"} <= given
    assert {"{ fill: 'zero' }", "{ fill: 'space' }", "{ side: 'left', fill: 'zero' }"} <= given


def test_the_declarations_of_the_package_are_those_of_its_main_file_and_classes_have_theirs(tmp_path):
    (tmp_path / "package.json").write_text('{"main": "./lib/clock.js", "types": "types/clock.d.ts"}')
    (tmp_path / "lib").mkdir()
    (tmp_path / "types").mkdir()
    (tmp_path / "lib" / "clock.js").write_text(
        "export class Clock {\n  constructor(zone) { this.zone = zone; }\n"
        "  tick(unit) { return this.zone + unit; }\n}\n"
    )
    (tmp_path / "types" / "clock.d.ts").write_text(
        "export class Clock {\n  constructor(zone: 'utc' | 'local');\n  tick(unit: 'hour' | 'day'): string;\n}\n"
    )

    found = arguments(tmp_path, "lib/clock.js")

    assert {("'hour'",), ("'day'",)} == set(found)


def test_types_of_the_source_itself_are_kept(tmp_path):
    (tmp_path / "half.ts").write_text("export const half = (value: 10 | 20) => value / 2;\n")
    (tmp_path / "half.d.ts").write_text("export declare const half: (value: string) => number;\n")
    assert set(arguments(tmp_path, "half.ts")) == {("10",), ("20",)}


UMD = """;(function (name, root, factory) {
  if (typeof exports === 'object') { module.exports = factory() }
  else if (typeof define === 'function' && define.amd) { define(factory) }
  else { root[name] = factory() }
}('slug', this, function () {
  function replace (text) { return text.replace(/ /g, '-') }
  return replace
}))
"""
ROLLUP = """(function (global, factory) {
  typeof exports === 'object' && typeof module !== 'undefined' ? factory(exports) :
  (global = global || self, factory(global.dates = {}));
}(this, (function (exports) { 'use strict';
  function addDays(day, count) { return day + count; }
  exports.addDays = addDays;
})));
"""
CALLED = """(function () {
  function total(prices) { return prices.reduce((sum, one) => sum + one, 0); }
  if (typeof module !== 'undefined' && module.exports) {
    module.exports = total;
  }
}).call(this);
"""


@pytest.mark.parametrize(
    ("source", "exports"),
    [(UMD, {"default": "slug"}), (ROLLUP, {"addDays": "addDays"}), (CALLED, {"default": "slug"})],
)
def test_what_a_wrapper_makes_is_read_and_has_the_name_by_which_it_is_required(tmp_path, source, exports):
    (tmp_path / "slug.js").write_text(source)
    module = read_module(tmp_path, "slug.js")
    assert dict(module.exports) == exports
    assert [one.name for one in module.functions] == [*exports.values()]
    assert module.commonjs


def test_an_option_is_tried_on_a_text_that_has_something_for_it_and_a_short_form_takes_what_it_stands_for(tmp_path):
    (tmp_path / "slug.js").write_text(
        "module.exports = function slug(string, options) { return options.lower ? string.toLowerCase() : string; };\n"
    )
    (tmp_path / "slug.d.ts").write_text(
        "declare function slug(string: string, options?: { separator?: string; lower?: boolean } | string): string;\n"
        "export = slug;\n"
    )
    found = arguments(tmp_path, "slug.js")
    assert ("'Hello World'", "{ lower: true }") in found
    assert (found[0][0], "'-'") in found
