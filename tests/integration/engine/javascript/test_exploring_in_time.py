"""A ceiling on time ends the choice of tests of a script early, and never costs the tests (T-10, B-04)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.javascript.explore import explore_script
from testwright.engine.javascript.render import render_jest
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.verify.scripts import verify_scripts
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE
from testwright.utils.user_folders import cache_folders

pytestmark = [pytest.mark.feature("T-10", "B-04"), pytest.mark.anyio]

# ES modules and CommonJS are mixed.
FILES = {
    "src/rates.js": "exports.rate = (country) => (country === 'DE' ? 0.5 : 0.25);\n",
    "src/gross.js": "import { rate } from './rates';\nconst rates = require('./rates');\n"
    "export function gross(net, country) {\n  return net * (1 + rate(country));\n}\n"
    "export function isTaxed(country) {\n  return rates.rate(country) > 0;\n}\n",
}
TESTS = "tests/generated/gross.test.js"


async def test_without_time_for_mutants_tests_are_chosen_and_kept_all_the_same(tmp_path: Path) -> None:
    caches = cache_folders(tmp_path, {"XDG_CACHE_HOME": str(MACHINE_CACHE)})
    async with prepared(tmp_path, FILES, caches=caches) as target:
        found = await explore_script(target, "src/gross.js", seconds=0.0)
        text = render_jest(found.spec, TESTS)
        verified = await verify_scripts(
            target,
            {TESTS: text},
            measured=["src/gross.js"],
            cases={},
            options=VerifyOptions(repeats=1, mutants=20, mutant_seconds=0.0),
        )
    assert any("not tried while the tests were chosen" in note for note in found.notes)
    assert {case["subject"] for case in found.spec["cases"]} == {"gross", "isTaxed"}
    assert len(verified.kept) == len(found.spec["cases"])
    assert not verified.dropped
    assert verified.mutation is not None
    assert {one.status for one in verified.mutation.results} <= {"untried", "uncovered"}
