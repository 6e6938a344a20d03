"""The gate over generated files: what is kept, and the cause named for what is not."""

import asyncio
import datetime
import subprocess
import sys

import pytest

from testwright.core.errors import TargetImportError
from testwright.gate.model.options import SuiteOptions
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.runner.suite import open_suite
from testwright.gate.verify.suite_verification import SuiteVerificationOptions, verify_suite
from testwright.gate.verify.verify import verify_files
from testwright.tests.integration.gate.conftest import CART
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("B-11")

PATH = "tests/generated/test_cart.py"
CLEAN = '''
from shop.cart import total


def test_two():
    """tc_two"""
    assert total(3, 2) == 6


def test_three():
    """tc_three"""
    assert total(3, 3) == 9
'''
SHAKY = '''
import datetime
import time

from shop.cart import SEEN, mark, total


def test_nothing_seen():
    """tc_nothing_seen"""
    assert SEEN == []


def test_mark():
    """tc_mark"""
    mark("apple")
    assert SEEN


def test_hash():
    """tc_hash"""
    assert hash("apple") == HASH


def test_year():
    """tc_year"""
    assert datetime.datetime.now().year == YEAR


def test_zone():
    """tc_zone"""
    assert time.localtime(0).tm_hour == 0


def test_leaves_a_file():
    """tc_file"""
    with open("left-behind.txt", "x") as stream:
        stream.write("here")


def test_none_costs_nothing():
    """tc_documented"""
    assert total(5, 0) == 0


def test_wrong_pin():
    """tc_pin"""
    assert total(5, 1) == 6
'''
SPEC = {
    "cases": [
        {
            "id": case_id,
            "expect": [
                {
                    "kind": "equals",
                    "actual": "result",
                    "value": "0",
                    "origin": origin,
                    "evidence": {"path": "src/shop/cart.py", "lines": [7, 7]},
                }
            ],
        }
        for case_id, origin in (("tc_documented", "documented"), ("tc_pin", "observed"))
    ]
}


def hash_of_apple():
    """What the hash test must expect to pass under hash seed 0, and not under others."""
    code = "print(hash('apple'), end='')"
    ran = subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": "0"}, check=True, capture_output=True)
    return ran.stdout.decode()


async def test_a_file_that_holds_is_run_four_times_and_kept(shop):
    options = VerifyOptions(measure=("src/shop/cart.py",))
    verification = await verify_files(shop, {PATH: CLEAN}, framework="pytest", options=options)
    assert [verdict.case_id for verdict in verification.kept] == ["tc_two", "tc_three"]
    assert verification.dropped == ()
    assert verification.launches == 2
    assert {verdict.runs for verdict in verification.verdicts} == {4}
    assert verification.coverage is not None
    assert verification.kept_coverage() == verification.coverage


@pytest.mark.feature("B-02", "B-07")
async def test_each_test_that_does_not_hold_is_dropped_with_its_cause(shop):
    source = SHAKY.replace("HASH", await asyncio.to_thread(hash_of_apple)).replace(
        "YEAR", str(datetime.datetime.now(datetime.UTC).year)
    )
    # Of each cause there is one: all surroundings and the other order are tried in one repeat.
    options = VerifyOptions(measure=("src/shop/cart.py",), repeats=1)
    verification = await verify_files(shop, {PATH: source}, framework="pytest", spec=SPEC, options=options)
    found = {verdict.case_id: (verdict.failure_class, verdict.reason) for verdict in verification.dropped}
    assert [verdict.case_id for verdict in verification.kept] == ["tc_nothing_seen"]
    assert found["tc_mark"][1].startswith("it changes state that test_cart.py::test_nothing_seen depends on")
    assert "the order of sets or hashes" in found["tc_hash"][1]
    assert "the date or time" in found["tc_year"][1]
    assert "the time zone" in found["tc_zone"][1]
    assert "changes files outside its temporary folder: left-behind.txt" in found["tc_file"][1]
    assert {found[f"tc_{name}"][0] for name in ("mark", "hash", "year", "zone")} == {"flaky"}
    assert found["tc_file"][0] == "test_defect"
    assert found["tc_documented"][0] == "product_defect"
    assert found["tc_documented"][1].startswith("the code contradicts its documentation (src/shop/cart.py:7)")
    assert found["tc_pin"][0] == "test_defect"
    kept = verification.kept_coverage()
    assert kept is not None
    assert verification.coverage is not None
    assert kept.totals()["covered"] < verification.coverage.totals()["covered"]


@pytest.mark.feature("B-07")
async def test_a_target_that_needs_what_is_not_installed_ends_the_verification(tmp_path):
    files = {"src/shop/__init__.py": "", "src/shop/cart.py": "import not_installed_anywhere\n"}
    async with prepared(tmp_path, files) as target:
        with pytest.raises(TargetImportError, match="not_installed_anywhere") as caught:
            await verify_files(target, {PATH: CLEAN}, framework="pytest")
    assert caught.value.details["class"] == "environment"


@pytest.mark.feature("B-07")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
async def test_a_file_that_imports_a_name_the_target_lacks_is_the_tests_own_defect(shop, framework):
    source = "from shop.cart import nowhere\n\n\ndef test_x():\n    assert nowhere\n"
    verification = await verify_files(shop, {PATH: source}, framework=framework)
    (verdict,) = verification.dropped
    assert (verdict.nodeid, verdict.verdict, verdict.failure_class) == (PATH, "error", "test_defect")
    assert "cannot import name 'nowhere'" in verdict.reason


async def test_files_that_disturb_each_other_lose_the_culprit_and_pass_together(shop):
    files = {
        "tests/generated/test_a.py": "from shop.cart import mark\n\ndef test_mark():\n    assert mark(1) >= 1\n",
        "tests/generated/test_b.py": (
            "from shop.cart import SEEN, total\n\ndef test_total():\n    assert total(1, 1) == 1\n\n"
            "def test_seen():\n    assert SEEN == []\n\ndef test_wrong():\n    assert total(1, 1) == 2\n"
        ),
    }
    options = SuiteVerificationOptions(seeds=(11, 12), measure=("src/shop/cart.py",))
    verification = await verify_suite(shop, files, framework="pytest", options=options)
    dropped = {verdict.name: verdict for verdict in verification.dropped}
    assert set(dropped) == {"test_mark", "test_wrong"}
    assert dropped["test_mark"].failure_class == "flaky"
    assert "test_b.py::test_seen" in dropped["test_mark"].reason
    assert dropped["test_wrong"].failure_class == "test_defect"
    kept = tuple(verdict.nodeid for verdict in verification.kept)
    async with open_suite(shop, files, "pytest") as suite:
        again = await suite.run(SuiteOptions(select=kept[::-1]))
        assert again.counts() == {"passed": len(kept)}
        assert not again.collect_errors


async def test_a_unittest_file_is_verified_alike(shop):
    source = (
        "import unittest\nfrom shop.cart import SEEN, mark\n\n\nclass CartTest(unittest.TestCase):\n"
        "    def test_seen(self):\n        '''tc_seen'''\n        self.assertEqual(SEEN, [])\n\n"
        "    def test_zmark(self):\n        '''tc_mark'''\n        self.assertTrue(mark(1))\n"
    )
    verification = await verify_files(shop, {PATH: source}, framework="unittest")
    assert [(verdict.case_id, verdict.verdict) for verdict in verification.verdicts] == [
        ("tc_seen", "kept"),
        ("tc_mark", "flaky"),
    ]


@pytest.mark.parametrize("kind", ["bubblewrap", "weak"])
async def test_repeats_that_share_a_start_still_meet_the_target_fresh(tmp_path, kind):
    files = {"src/shop/__init__.py": "", "src/shop/cart.py": CART}
    tests = {
        f"tests/generated/test_{name}.py": (
            f"from shop.cart import total\n\n\ndef test_{name}():\n"
            f"    '''tc_{name}'''\n    assert total({n}, 1) == {n}\n"
        )
        for n, name in enumerate(["two", "three"])
    }
    counting = "import shop.cart\n\n\ndef test_mark():\n    '''tc_mark'''\n    assert shop.cart.mark('pear') == 1\n"
    async with prepared(tmp_path, files, kind=kind) as target:
        alone = await verify_files(target, {PATH: counting}, framework="pytest")
        suite = await verify_suite(target, tests, framework="pytest")
    assert [verdict.case_id for verdict in alone.kept] == ["tc_mark"]
    assert [verdict.case_id for verdict in suite.kept] == ["tc_two", "tc_three"]
    assert suite.repeats == 4
    assert (alone.launches, suite.launches) == (2, 1)
