"""Which calls that a README shows are about a module: those of another one say nothing about it (T-10)."""

import json
from pathlib import Path

import pytest

from testwright.engine.javascript.facts import read_module
from testwright.engine.javascript.readme import readme_examples
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
