"""A spec that was worked out before is not worked out again, unless something it rests on has changed (T-16)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs import unit_specs
from testwright.agents.embedded.specs.spec_agent import SpecResult
from testwright.agents.embedded.specs.unit_specs import SPECS_FILE, CachedSpecGenerator
from testwright.core.errors import TargetImportError
from testwright.sandbox.fingerprint import MOST_BYTES
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import SMALL

pytestmark = pytest.mark.feature("T-16")

INPUTS = {"target": {"path": "src/small/names.py", "symbols": None}, "test_type": "unit", "framework": "pytest"}


class Counting:
    """Works specs out, and says how often it was asked."""

    def __init__(self, notes=(), fails=None):
        self.asked = 0
        self.notes = notes
        self.fails = fails

    async def generate(self, inputs, *, seconds=None):
        self.asked += 1
        if self.fails:
            raise self.fails
        spec = {"cases": [{"id": f"tc_{self.asked}"}], "title": "Größe \ud800"}
        return SpecResult(spec, {"notes": list(self.notes), "pair": (1, 2)}, [{"event": "explored"}])


@pytest.fixture
async def target(tmp_path):
    async with prepared(tmp_path / "one", SMALL) as found:
        yield found


def remembered(specifier, target, folder: Path, **options):
    async def given():
        return target

    chosen: dict[str, Any] = {"budget": {"trials": 10}, "most_bytes": 1 << 20, **options}
    return CachedSpecGenerator(specifier, given, folder, **chosen)


async def test_the_second_run_finds_what_the_first_worked_out(target, tmp_path):
    engine = Counting()
    first = await remembered(engine, target, tmp_path).generate(INPUTS)
    second = await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 1
    assert (second.spec, second.trace) == (first.spec, first.trace)
    assert list(second.spec) == list(first.spec)
    assert second.metadata == {**first.metadata, "remembered": True}


@pytest.mark.parametrize(
    "inputs",
    [
        {"framework": "unittest"},
        {"target": {"path": "src/small/numbers.py", "symbols": None}},
        {"target": {"path": "src/small/names.py", "symbols": ["initials"]}},
    ],
    ids=str,
)
async def test_another_question_is_worked_out(target, tmp_path, inputs):
    engine = Counting()
    await remembered(engine, target, tmp_path).generate(INPUTS)
    await remembered(engine, target, tmp_path).generate({**INPUTS, **inputs})
    assert engine.asked == 2


async def test_other_words_for_the_same_target_are_the_same_question(target, tmp_path):
    engine = Counting()
    for words in ("unit tests for small.names", "everything"):
        await remembered(engine, target, tmp_path).generate({**INPUTS, "user_request": words})
    assert engine.asked == 1


async def test_another_budget_another_testwright_another_machine_and_fresh_work(target, tmp_path, monkeypatch):
    engine = Counting()
    await remembered(engine, target, tmp_path).generate(INPUTS)
    await remembered(engine, target, tmp_path, budget={"trials": 11}).generate(INPUTS)
    assert engine.asked == 2
    await remembered(engine, replace(target, import_roots=("src", ".")), tmp_path).generate(INPUTS)
    assert engine.asked == 3
    newer = replace(target.interpreter, version=(3, 99, 0))
    await remembered(engine, replace(target, interpreter=newer), tmp_path).generate(INPUTS)
    assert engine.asked == 4
    await remembered(engine, target, tmp_path, fresh=True).generate(INPUTS)
    assert engine.asked == 5
    with monkeypatch.context() as patched:
        patched.setattr(unit_specs, "installed_digest", lambda site: "more")
        await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 6
    with monkeypatch.context() as patched:
        patched.setattr(unit_specs, "own_digest", lambda: "another")
        await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 7
    await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 7


async def test_a_changed_project_is_worked_out(tmp_path):
    engine = Counting()
    async with prepared(tmp_path / "one", SMALL) as target:
        await remembered(engine, target, tmp_path).generate(INPUTS)
    changes = {**SMALL, "src/small/names.py": SMALL["src/small/names.py"].replace("upper", "lower")}
    async with prepared(tmp_path / "two", changes) as target:
        await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 2
    async with prepared(tmp_path / "three", SMALL) as target:
        await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 2, "the same project in another place is the same"


async def test_nothing_is_kept_of_a_project_that_changed_meanwhile(target, tmp_path):
    class Editing(Counting):
        async def generate(self, inputs, *, seconds=None):
            (target.root / "src/small/names.py").write_text("# edited\n", "utf-8")
            return await super().generate(inputs)

    engine = Editing()
    await remembered(engine, target, tmp_path).generate(INPUTS)
    await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 2


class Shortened(Counting):
    """Is cut short by a ceiling each time; its attempts reach so many branches, one after the other."""

    def __init__(self, *reached):
        super().__init__(notes=["Exploring stopped after 12 seconds and 7 trials."])
        self.reached = reached

    async def generate(self, inputs, *, seconds=None):
        found = await super().generate(inputs)
        return replace(found, metadata={**found.metadata, "branches": {"reached": self.reached[self.asked - 1]}})


async def test_what_a_ceiling_cut_short_stands_for_an_attempt_that_gets_as_long(target, tmp_path):
    engine = Shortened(5, 3)
    first = await remembered(engine, target, tmp_path).generate(INPUTS, seconds=20.0)
    again = await remembered(engine, target, tmp_path).generate(INPUTS, seconds=25.0)
    assert engine.asked == 1
    assert again.spec == first.spec
    assert again.metadata == {**first.metadata, "remembered": True}


@pytest.mark.parametrize("seconds", [60.0, None])
async def test_a_longer_attempt_that_gets_no_further_makes_nothing_worse(target, tmp_path, seconds):
    engine = Shortened(5, 3, 8, 8)
    first = await remembered(engine, target, tmp_path).generate(INPUTS, seconds=20.0)
    worse = await remembered(engine, target, tmp_path).generate(INPUTS, seconds=seconds)
    assert (engine.asked, worse.spec) == (2, first.spec)
    further = await remembered(engine, target, tmp_path).generate(INPUTS, seconds=seconds)
    assert (engine.asked, further.spec["cases"]) == (3, [{"id": "tc_3"}])


async def test_what_was_cut_short_is_replaced_by_what_came_to_its_end_and_by_fresh_work(target, tmp_path):
    await remembered(Shortened(5), target, tmp_path).generate(INPUTS, seconds=20.0)
    fresh = Shortened(3)
    await remembered(fresh, target, tmp_path, fresh=True).generate(INPUTS, seconds=20.0)
    assert fresh.asked == 1
    whole = Counting()
    await remembered(whole, target, tmp_path).generate(INPUTS)
    await remembered(whole, target, tmp_path).generate(INPUTS, seconds=20.0)
    assert whole.asked == 1


async def test_a_failure_is_not_kept(target, tmp_path):
    engine = Counting(fails=TargetImportError("it does not import"))
    for _ in range(2):
        with pytest.raises(TargetImportError):
            await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 2


@pytest.mark.parametrize("damage", [b"", b"no database", bytes(4096)], ids=["empty", "text", "zeros"])
async def test_a_damaged_file_counts_as_none_and_is_made_anew(target, tmp_path, damage):
    engine = Counting()
    await remembered(engine, target, tmp_path).generate(INPUTS)
    for path in tmp_path.glob(f"{SPECS_FILE}*"):
        path.unlink()
    (tmp_path / SPECS_FILE).write_bytes(damage)
    await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 2
    await remembered(engine, target, tmp_path).generate(INPUTS)
    assert engine.asked == 2


async def test_a_place_that_cannot_be_written_costs_nothing_but_time(target, tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    engine = Counting()
    for _ in range(2):
        done = await remembered(engine, target, tmp_path / "file" / "cache").generate(INPUTS)
        assert done.spec["cases"]
    assert engine.asked == 2


async def test_a_folder_too_large_to_read_that_packages_are_linked_to_costs_nothing_but_time(target, tmp_path):
    """A `.pth` file may put a whole environment on the path."""
    environment = tmp_path / "environment"
    environment.mkdir()
    with (environment / "wheel.so").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    linked = replace(target, interpreter=replace(target.interpreter, linked=(environment,)))
    engine = Counting()
    for _ in range(2):
        await remembered(engine, linked, tmp_path / "cache").generate(INPUTS)
    assert engine.asked == 2
