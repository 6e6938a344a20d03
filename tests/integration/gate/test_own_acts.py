"""A test of a model that does more itself than call its target is refused, by the name of what it did."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.model.verdicts import Verification
from testwright.gate.verify.verify import verify_files
from testwright.tests.support.agents.hostile_tests import CHARGES, HARMLESS, HOSTILE
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("B-14")

FILES = {
    "src/billing/__init__.py": "",
    "src/billing/charges.py": CHARGES,
    "tests/generated/data.txt": "3",
    "tests/generated/gone.txt": "",
}
PLAIN = "\n\ndef test_plain():\n    assert int('2') == 2\n"


def path_of(name: str) -> str:
    return f"tests/generated/test_{name}.py"


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Verification, Path]:
    """All of them in one run of pytest, as files beside each other."""
    outside = tmp_path_factory.mktemp("outside") / "canary"
    files = {path_of(name): text.replace("CANARY", str(outside)) + PLAIN for name, (_, text) in HOSTILE.items()}
    files |= {path_of(name): text for name, text in HARMLESS.items()}
    options = VerifyOptions(repeats=0, beside=False, acting=None)

    async def verify() -> Verification:
        async with prepared(tmp_path_factory.mktemp("billing"), FILES) as target:
            return await verify_files(target, files, framework="pytest", options=options)

    return asyncio.run(verify()), outside


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_test_is_refused_and_named(verified: tuple[Verification, Path], name: str) -> None:
    found, outside = verified
    said, _ = HOSTILE[name]
    dropped = [one for one in found.dropped if one.path == path_of(name) and not one.nodeid.endswith("test_plain")]
    assert dropped, "it was kept"
    assert all(said in one.reason for one in dropped), [one.reason for one in dropped]
    assert not outside.exists()


def test_what_good_tests_of_models_do_is_kept(verified: tuple[Verification, Path]) -> None:
    found, _ = verified
    refused = {one.path: one.reason + one.trace for one in found.dropped if one.path in map(path_of, HARMLESS)}
    assert not refused
    assert {one.path for one in found.kept} >= set(map(path_of, HARMLESS))


def test_a_harmless_test_beside_a_hostile_one_is_kept(verified: tuple[Verification, Path]) -> None:
    found, _ = verified
    kept = {one.path for one in found.kept if one.nodeid.endswith("test_plain")}
    whole_files = {path_of(name) for name in ("while_collected", "module_that_does_not_load")}
    assert kept == set(map(path_of, HOSTILE)) - whole_files
