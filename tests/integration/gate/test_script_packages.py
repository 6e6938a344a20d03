"""Tests for Jest in a monorepo: each package is verified with its own Jest and its own configuration (T-10, T-20)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator

import pytest

from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.model.verdicts import Verification
from testwright.gate.verify.scripts import verify_scripts
from testwright.sandbox.javascript.project import JEST
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE
from testwright.utils.user_folders import cache_folders

pytestmark = [pytest.mark.feature("T-10", "T-20"), pytest.mark.anyio]

# A compiler puts three lines before the source, and says where each line comes from.
COMPILER = """
exports.process = (source) => ({
  code: `// 1\\n// 2\\n// 3\\n${source}`,
  map: {
    version: 3, sources: ['total.js'], names: [],
    mappings: `;;;AAAA${';AACA'.repeat(source.split('\\n').length)}`,
  },
});
"""
PROJECT = {
    "package.json": json.dumps({"jest": {"moduleNameMapper": {"^@root/(.*)$": "<rootDir>/packages/ship/$1"}}}),
    "packages/ship/package.json": "{}",
    "packages/ship/free.js": "exports.isFree = (total) => total > 50;\n",
    "packages/cart/package.json": json.dumps(
        {"jest": {"globals": {"limit": 100}, "transform": {"total": "<rootDir>/compiler.js"}}}
    ),
    "packages/cart/compiler.js": COMPILER,
    "packages/cart/total.js": "exports.total = (price) => {\n"
    "  if (price > limit) return price / 2;\n  return price;\n};\n",
    "packages/tax/package.json": "{}",
    "packages/tax/jest.config.js": "module.exports = { roots: [require('path').join(__dirname, 'src')] };\n",
    "packages/tax/src/tax.js": "exports.gross = (net) => net * 2;\n",
    # Of two projects the second one collects what lies below tests.
    "packages/desk/package.json": json.dumps(
        {
            "jest": {
                "projects": [
                    {"testMatch": ["<rootDir>/lib/**/*.test.js"], "globals": {"most": 5}},
                    {"testMatch": ["<rootDir>/tests/**/*.test.js"], "globals": {"most": 100}},
                ]
            }
        }
    ),
    "packages/desk/desk.js": "exports.isFull = (people) => people >= most;\n",
}
TESTS = {
    "packages/ship/tests/generated/free.test.js": "const { isFree } = require('@root/free');\n"
    "test('isFree tells more than 50', () => { expect(isFree(51)).toBe(true); });\n",
    "packages/cart/tests/generated/total.test.js": "const { total } = require('../../total');\n"
    "test('total halves what is above the limit', () => { expect(total(200)).toBe(100); });\n",
    "packages/desk/tests/generated/desk.test.js": "const { isFull } = require('../../desk');\n"
    "test('isFull tells fewer than a hundred', () => { expect(isFull(99)).toBe(false); });\n",
    "packages/tax/tests/generated/tax.test.js": "const { gross } = require('../../src/tax');\n"
    "test('gross doubles', () => { expect(gross(2)).toBe(4); });\n",
}
MEASURED = ("packages/ship/free.js", "packages/cart/total.js", "packages/tax/src/tax.js", "packages/desk/desk.js")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def found(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Verification]:
    folder = tmp_path_factory.mktemp("mono")
    async with prepared(folder, PROJECT) as target:
        own = JEST.install(cache_folders(folder, {"XDG_CACHE_HOME": str(MACHINE_CACHE)})).folder / "node_modules"
        shutil.copytree(own, target.root / "node_modules", symlinks=True, copy_function=_linked)
        yield await verify_scripts(
            target, TESTS, measured=MEASURED, cases={}, options=VerifyOptions(repeats=0, wall_seconds=600)
        )


def _linked(source: str, place: str) -> str:
    os.link(source, place)
    return place


async def test_each_package_runs_with_its_own_configuration_or_that_above_it(found: Verification) -> None:
    assert {verdict.path: (verdict.verdict, verdict.reason) for verdict in found.verdicts} == dict.fromkeys(
        TESTS, ("kept", "")
    )
    assert found.coverage is not None
    assert found.coverage.files.keys() == set(MEASURED)


async def test_lines_are_those_of_the_source_whatever_a_compiler_made_of_it(found: Verification) -> None:
    assert found.coverage is not None
    file = found.coverage.files["packages/cart/total.js"]
    assert (file.statements, file.executed) == ({1, 2, 3}, {1, 2})


async def test_what_the_packages_jest_does_not_collect_is_told_with_the_line_to_add(found: Verification) -> None:
    assert [note for note in found.notes if "npx jest" in note] == [
        "`npx jest` does not collect packages/tax/tests/generated/tax.test.js by itself: "
        "add '<rootDir>/tests/generated' to `roots` in the configuration of Jest"
    ]
