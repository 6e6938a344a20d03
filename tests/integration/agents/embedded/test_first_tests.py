"""The first tests of a run: shown early, passing, and of no consequence for what the run keeps (T-16)."""

import asyncio
import subprocess
import sys

import pytest

from testwright.agents.embedded.specs.api_specs import ApiSpecGenerator
from testwright.agents.embedded.specs.first_tests import FirstTests
from testwright.agents.embedded.specs.unit_specs import UnitSpecGenerator
from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import SMALL
from testwright.tests.support.projects.notes_app import NOTES, NoDocuments
from testwright.tests.support.projects.running import WITHOUT_PLUGINS

pytestmark = pytest.mark.feature("T-16")

INPUTS = {"target": {"path": "src/small/numbers.py", "symbols": None}, "framework": "pytest", "user_request": ""}


@pytest.fixture
async def target(tmp_path):
    async with prepared(tmp_path / "one", SMALL) as found:
        yield found


class Shown:
    """First tests of one target, with what was told of them."""

    def __init__(self, target, folder):
        self.told = []
        self.done = asyncio.Event()
        self.first = FirstTests(self._given, target.root, folder, self._heard)
        self._target = target

    async def _given(self):
        return self._target

    def _heard(self, path, passing):
        self.told.append((path, passing))
        self.done.set()

    def specs(self, trials=300):
        return UnitSpecGenerator(
            self._given, self._target.root, budget=ExplorationBudget(trials=trials), first=self.first
        )


async def test_they_are_told_of_once_and_pass_where_the_project_is(target, tmp_path):
    shown = Shown(target, tmp_path / "first")
    for path in ("src/small/numbers.py", "src/small/names.py"):
        await shown.specs(60).generate({**INPUTS, "target": {"path": path, "symbols": None}})
    await asyncio.wait_for(shown.done.wait(), 120)
    await shown.first.close()
    [(path, passing)] = shown.told
    assert passing > 0
    assert [str(one) for one in (tmp_path / "first").iterdir()] == [path]
    written = (tmp_path / "first" / "test_small_numbers.py").read_text("utf-8")
    assert "pytest.param(0, 3, 3, " in written  # the example of the docstring is the table's first row
    assert written.index("pytest.param(0, 3, 3, ") == written.index("pytest.param(")
    assert "assert clamp(5, low, high) == expected" in written
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        path,
    ]
    environment = {**WITHOUT_PLUGINS, "PYTHONPATH": "src", "PATH": "/usr/bin"}
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=target.root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


async def test_the_spec_is_the_same_with_them_and_without(target, tmp_path):
    async def given():
        return target

    shown = Shown(target, tmp_path / "first")
    looked = await shown.specs().generate(INPUTS)
    plain = await UnitSpecGenerator(given, target.root, budget=ExplorationBudget(trials=300)).generate(INPUTS)
    await shown.first.close()
    assert (looked.spec, looked.metadata) == (plain.spec, plain.metadata)


@pytest.mark.feature("T-20")
async def test_those_of_an_application_lie_beside_their_helpers_and_pass_there(tmp_path):
    async with prepared(tmp_path / "one", {"src/notes.py": NOTES}) as target:
        # A run's folder is within the project, and the tests look for the project from there.
        shown = Shown(target, target.root / ".testwright/runs/one/first")
        generator = ApiSpecGenerator(shown._given, target.root, NoDocuments(), first=shown.first)
        named = {"path": "src/notes.py", "application": {"import": "notes:app"}}
        await generator.generate({"target": named, "framework": "pytest"})
        await asyncio.wait_for(shown.done.wait(), 120)
        await shown.first.close()
        [(path, passing)] = shown.told
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path],
            cwd=target.root,
            env={**WITHOUT_PLUGINS, "PATH": "/usr/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert f"{passing} passed" in done.stdout, done.stdout + done.stderr


async def test_what_fails_is_left_out_and_what_breaks_ends_nothing(target, tmp_path):
    shown = Shown(target, tmp_path / "first")
    spec = (
        await UnitSpecGenerator(shown._given, target.root, budget=ExplorationBudget(trials=60)).generate(INPUTS)
    ).spec

    def composed():
        raise RuntimeError("a defect of ours")

    shown.first.take(composed)
    assert not shown.first.wanted
    await shown.first.close()
    assert shown.told == []
    again = Shown(target, tmp_path / "first")
    wrong = {**spec, "target": {**spec["target"], "module": "small.other"}}
    again.first.take(lambda: wrong)
    await asyncio.wait_for(again.done.wait(), 120)
    await again.first.close()
    assert again.told[0][0].endswith("test_small_other.py")


async def test_closing_gives_up_what_is_not_done(target, tmp_path):
    shown = Shown(target, tmp_path / "first")
    spec = (
        await UnitSpecGenerator(shown._given, target.root, budget=ExplorationBudget(trials=60)).generate(INPUTS)
    ).spec
    shown.first.take(lambda: spec)
    await shown.first.close()
    assert shown.told == []
