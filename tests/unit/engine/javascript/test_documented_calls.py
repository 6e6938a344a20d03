"""Which calls that a README shows are about a module: those of another one say nothing about it (T-10)."""

import json
from pathlib import Path

import pytest

from testwright.engine.javascript.compose import condition_of
from testwright.engine.javascript.facts import read_module
from testwright.engine.javascript.jsdoc import read_examples
from testwright.engine.javascript.observations import Seen
from testwright.engine.javascript.readme import readme_examples
from testwright.engine.javascript.selection import Chosen
from testwright.engine.javascript.trials import Proposer
from testwright.sandbox.javascript.project import package_of

pytestmark = pytest.mark.feature("T-10")

FILES = {
    "package.json": json.dumps({"name": "shop", "main": "src/index.js"}),
    "src/index.js": "export { total } from './cart.js';\n",
    "src/cart.js": "export const total = (a) => a;\nexport const count = (a) => a;\n",
    "src/tax.js": "export const total = (a) => 2 * a;\nexport const rate = (total) => total;\n",
    "src/other.js": "export const size = (count) => count;\n",
}


def calls_about(root: Path, path: str, readme: str) -> list[str]:
    for name, text in {**FILES, "README.md": f"# Shop\n\n{readme}\n"}.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    found = readme_examples(root, package_of(root, path), read_module(root, path))
    return [example.call for _, example in found]


def block(*lines: str) -> str:
    return "\n".join(["```js", *lines, "```"])


@pytest.mark.parametrize(
    ("imports", "about"),
    [
        ("import { total } from './src/cart.js';", "src/cart.js"),
        ("import { total } from 'shop/src/tax';", "src/tax.js"),
        ("const { sum: total } = require('shop/src/tax');", "src/tax.js"),
        ("import * as total from './src/cart';", "src/cart.js"),
        ("import { total } from 'another-package';", ""),
    ],
)
def test_a_call_is_about_the_module_that_its_name_is_imported_from(tmp_path: Path, imports: str, about: str) -> None:
    readme = block(imports, "total(1) // => 1")
    found = [path for path in ("src/cart.js", "src/tax.js") if calls_about(tmp_path, path, readme)]
    assert found == [about][: bool(about)]


def test_an_import_counts_for_the_blocks_below_it(tmp_path: Path) -> None:
    readme = "\n\nThen:\n\n".join([block("import { total } from './src/tax.js';"), block("total(1) // => 2")])
    assert calls_about(tmp_path, "src/cart.js", readme) == []
    assert calls_about(tmp_path, "src/tax.js", readme) == ["total(1)"]


def test_without_an_import_a_name_that_two_modules_export_is_about_neither(tmp_path: Path) -> None:
    readme = block("total(1) // => 1", "count(1) // => 1")
    assert calls_about(tmp_path, "src/cart.js", readme) == ["count(1)"]
    assert calls_about(tmp_path, "src/tax.js", readme) == []


UMBRELLA = """module.exports = sizes;
module.exports.format = format;
function sizes(a) { return a; }
function format(a) { return `${a}B`; }
"""


def conditions(root: Path, source: str, *lines: str) -> list[str]:
    """The conditions of tests that would be made of documented calls."""
    files = {"package.json": '{"name": "sizes", "main": "index.js"}', "index.js": source}
    for name, text in {**files, "README.md": f"# Sizes\n\n{block(*lines)}\n"}.items():
        (root / name).write_text(text)
    module = read_module(root, "index.js")
    examples = readme_examples(root, package_of(root, "index.js"), module)
    trials = Proposer(root, module, examples).propose()
    return [
        f"{one.function.name} {condition_of(Chosen(one, Seen('value', one.example.value), ''))}"
        for one in trials
        if one.example is not None
    ]


def test_a_call_of_a_member_of_what_the_module_exports_as_a_whole_is_about_that_function(tmp_path: Path) -> None:
    lines = ("sizes.format(1) // => '1B'", "// output: none", "sizes(2)", "// output: 2", "other.format(3) // => '3B'")
    assert conditions(tmp_path, UMBRELLA, *lines) == ["sizes for a 2", "format for a 1"]


def test_what_is_true_on_another_machine_only_is_no_documentation_of_the_call(tmp_path: Path) -> None:
    lines = ("sizes(1) // => 1", "", "// On a platform with 'tr-TR'", "", "sizes(2) // => 3", "sizes(4) // => 4")
    assert conditions(tmp_path, UMBRELLA, *lines) == ["sizes for a 1"]


@pytest.mark.parametrize(
    ("comment", "left_out"),
    [
        ("// On a platform with 'tr-TR'", True),
        ("// in another time zone", True),
        ("// on an older browser", True),
        ("// Windows:", True),
        ("// for example on macOS", True),
        ("// in every environment", False),
        ("// The platform does not matter.", False),
        ("// sums of sliding windows", False),
        ("// Windows paths keep their letter", False),
    ],
)
def test_a_comment_about_another_machine_leaves_out_the_calls_up_to_the_next_blank_line(
    comment: str, *, left_out: bool
) -> None:
    lines = ["size(1) // => 1", "", comment, "size(2) // => 3", "size(4) // => 4", "", "size(5) // => 5"]
    found = [one.call for one in read_examples(lines, 1)]
    assert found == ["size(1)", *([] if left_out else ["size(2)", "size(4)"]), "size(5)"]


@pytest.mark.parametrize(
    ("arguments", "condition"),
    [
        ("'Foo', { pascalCase: true }", "for input Foo and pascal case true"),
        ("['foo', 'bar']", "for input foo, bar"),
        ("'a', { locale: ['en-US', 'en-GB'] }", "for input a and locale en-US, en-GB"),
    ],
)
def test_documented_calls_are_told_by_what_they_pass_and_not_by_a_line(tmp_path, arguments, condition) -> None:
    source = "export default function camel(input, options) { return input; }\n"
    assert conditions(tmp_path, source, f"camel({arguments}) // => 'x'") == [f"camel {condition}"]


def test_options_take_what_their_defaults_are(tmp_path: Path) -> None:
    source = (
        "export function cut(text, options) {\n  options = { trim: false, most: 3, ...options };\n  return text;\n}\n"
    )
    (tmp_path / "cut.js").write_text(source)
    proposer = Proposer(tmp_path, read_module(tmp_path, "cut.js"))
    given = [one.arguments[1] for one in proposer.propose() if len(one.arguments) > 1]
    assert any("trim: true" in one for one in given)
    assert not any("trim: 3" in one for one in given)
