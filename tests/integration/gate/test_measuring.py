"""Mutants tried by a process that was made ready while the tests ran for the first time."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from testwright.gate.model.options import Framework, SuiteOptions
from testwright.gate.model.results import SuiteResult
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.mutation.measurement import MutationOptions, measure_mutants, measure_on_plan
from testwright.gate.mutation.planning import JudgingTests
from testwright.gate.runner.suite import Suite, open_suite
from testwright.gate.verify.verify import verify_files
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared

PRICE = "src/shop/price.py"
SOURCE = '''"""Prices."""

from pathlib import Path

RATE = 3
KEPT = Path(__file__).with_name("kept.txt")


def cost(count):
    if count > 10:
        return count * RATE
    return count + 1


def keep(count):
    if count > 100:
        KEPT.write_text("too many")
    return count


def kept():
    return KEPT.read_text() if KEPT.exists() else ""
'''
PYTEST = """import os

from shop.price import cost


def test_many():
    assert cost(11) == 33


def test_few():
    assert cost(10) == 11
"""
UNITTEST = """import unittest

from shop.price import cost


class Prices(unittest.TestCase):
    def test_many(self):
        self.assertEqual(cost(11), 33)
"""
PATH = "tests/test_price.py"


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[PythonTarget]:
    async with prepared(tmp_path, {PRICE: SOURCE}) as target:
        yield target


@pytest.mark.feature("B-01")
@pytest.mark.parametrize(("framework", "text"), [("pytest", PYTEST), ("unittest", UNITTEST)])
async def test_being_made_ready_before_it_is_known_who_judges_changes_no_verdict(
    shop: PythonTarget, framework: Framework, text: str
) -> None:
    options = MutationOptions(size=100, jobs=2, thorough=False)
    async with open_suite(shop, {PATH: text}, framework) as suite:
        told: asyncio.Future[JudgingTests] = asyncio.get_running_loop().create_future()
        async with suite.fresh() as other:
            work = other.begin(measure_on_plan(other, [PRICE], told, options))
            first = await suite.run(SuiteOptions(measure=(PRICE,)))
            assert first.coverage is not None
            passing = [test.nodeid for test in first.tests]
            told.set_result(JudgingTests(passing, first.coverage))
            early = await work
        late = await measure_mutants(suite, passing, first.coverage, options)

    assert early.results == late.results
    assert early.counts() == late.counts()
    assert early.count("killed") > 3


async def test_only_tests_that_pass_judge_though_all_were_collected_before_that_was_known(shop: PythonTarget) -> None:
    text = PYTEST + "\n\ndef test_wrong():\n    assert cost(2) == 2\n"
    options = VerifyOptions(repeats=0, measure=(PRICE,), mutants=100)
    verified = await verify_files(shop, {PATH: text}, framework="pytest", options=options)

    assert [one.name for one in verified.kept] == ["test_many", "test_few"]
    assert verified.mutation is not None
    assert verified.mutation.kills.keys() == {f"{PATH}::test_many", f"{PATH}::test_few"}


async def test_what_is_dropped_while_mutants_are_tried_judges_none_of_them(shop: PythonTarget) -> None:
    text = PYTEST + '\n\ndef test_here():\n    assert os.path.isdir("src") and cost(2) == 3\n'
    verified = await verify_files(
        shop, {PATH: text}, framework="pytest", options=VerifyOptions(measure=(PRICE,), mutants=100)
    )

    assert [one.name for one in verified.kept] == ["test_many", "test_few"]
    assert verified.mutation is not None
    assert verified.mutation.kills.keys() == {f"{PATH}::test_many", f"{PATH}::test_few"}
    assert verified.mutation.count("untried") == 0


async def test_mutants_that_damage_files_for_good_are_told(shop: PythonTarget) -> None:
    text = (
        "from shop.price import keep, kept\n\n\n"
        "def test_keep():\n    assert keep(5) == 5\n\n\ndef test_kept():\n    assert not kept()\n"
    )
    async with open_suite(shop, {PATH: text}, "pytest") as suite:
        first = await suite.run(SuiteOptions(measure=(PRICE,)))
        assert first.coverage is not None
        passing = [test.nodeid for test in first.tests]
        report = await measure_mutants(suite, passing, first.coverage, MutationOptions(size=100))

    assert report.notes == (
        "mutants have damaged files that 1 test needs, so the score may be too high: tests/test_price.py::test_kept",
    )


async def test_the_first_of_several_runs_is_told_as_it_ends(shop: PythonTarget) -> None:
    told: list[SuiteResult] = []
    base = SuiteOptions(measure=(PRICE,), watch=True)
    async with open_suite(shop, {PATH: PYTEST}, "pytest") as suite:
        results = await suite.run_ahead([base, SuiteOptions(backwards=True)], told.append)

    first, again = results
    assert first is not None
    assert again is not None
    assert [one.nodeid for one in told[0].tests] == [one.nodeid for one in first.tests]
    assert told[0].coverage == first.coverage
    assert [one.name for one in again.tests] == ["test_few", "test_many"]
    assert not any(test.things for test in first.tests), "what measures coverage shares nothing with anybody"


async def test_runs_of_two_starts_at_once_have_a_workspace_each(shop: PythonTarget) -> None:
    text = (
        "import os\nfrom pathlib import Path\n\n\ndef test_first_here():\n    left = Path('left.txt')\n"
        "    assert not left.exists()\n    left.write_text('')\n\n\n"
        "def test_seed():\n    assert os.environ['PYTHONHASHSEED'] != '3'\n"
    )
    runs = [SuiteOptions(hash_seed=seed) for seed in (1, 2, 3)]
    async with open_suite(shop, {PATH: text}, "pytest") as suite:
        results = await suite.run_ahead(runs, two_at_once=True)

    outcomes = [[test.outcome for test in result.tests] for result in results if result is not None]
    assert outcomes == [["passed", "passed"], ["passed", "passed"], ["failed", "failed"]]


async def test_the_weak_sandbox_waits_for_the_first_run_and_comes_to_the_same(tmp_path: Path) -> None:
    options = VerifyOptions(repeats=1, measure=(PRICE,), mutants=30)
    found = []
    for kind in ("weak", "bubblewrap"):
        async with prepared(tmp_path / kind, {PRICE: SOURCE}, kind=kind) as target:
            verified = await verify_files(target, {PATH: PYTEST}, framework="pytest", options=options)
        assert verified.mutation is not None
        found.append((verified.mutation.results, [verdict.verdict for verdict in verified.verdicts]))

    assert found[0] == found[1]


async def test_a_measurement_that_ends_before_its_worker_starts_plans_nothing(tmp_path: Path) -> None:
    class Ended:
        """A suite whose work is broken off at once."""

        workspace = SimpleNamespace(project=tmp_path)

        async def work(self, *_: Any) -> Any:
            raise asyncio.CancelledError

    judges: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(asyncio.CancelledError):
            await measure_on_plan(cast(Suite, Ended()), [], judges, MutationOptions())
        gc.collect()
    assert [str(one.message) for one in told if "never awaited" in str(one.message)] == []
