"""A run's first spec is begun before graphs, tools and the database are read into memory, and is worked out once."""

import asyncio
import subprocess
import sys
from contextlib import contextmanager
from datetime import datetime
from types import SimpleNamespace

import pytest

import testwright
from testwright.agents.embedded.specs.spec_agent import SpecResult
from testwright.app import bootstrap, runs
from testwright.cli.failures import name_interrupted_run
from testwright.config.settings import load_settings
from testwright.core.events import EventType
from testwright.store.files.event_log import read_events
from testwright.tests.support.projects.files import ROOT, make_project, tree
from testwright.tests.support.runs.comparison import run_folder

pytestmark = pytest.mark.feature("T-16")

REQUEST = "unit tests for src/small/names.py"
API = "import fastapi\n\napp = fastapi.FastAPI()\n\n\n@app.get('/a')\ndef a() -> dict:\n    return {}\n"

WITHOUT = """
import asyncio, sys
from pathlib import Path
from types import SimpleNamespace

READ_LATER = ("langgraph", "langchain_core", "mcp", "sqlalchemy", "openai", "jsonschema")


class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in READ_LATER:
            raise AssertionError(f"{name} is read")


sys.meta_path.insert(0, Refused())
from testwright.cli.app import app
from testwright.app import runs
from testwright.app.bootstrap import open_early
from testwright.cli.failures import name_interrupted_run
from testwright.config.settings import load_settings


async def main():
    settings = load_settings({"root": Path(sys.argv[1]), "trials": 20, "mutants": 0, "run_id": "r"})
    async with open_early(settings, "r", request=sys.argv[2]) as run:
        target = {"path": "src/small/names.py", "module": "small.names", "import_root": "src", "symbols": None}
        asked = {"target": target, "test_type": "unit", "framework": "pytest", "user_request": sys.argv[2]}
        done = await run.unit.generate(asked)
        print(len(done.spec["cases"]) > 0)


asyncio.run(main())
"""


class Noting:
    """Stands where specs of unit tests are worked out."""

    def __init__(self):
        self.asked = []
        self.begun = asyncio.Event()

    def made(self, *_anything):
        return self

    async def generate(self, inputs, *, seconds=None):
        self.asked.append(inputs)
        self.begun.set()
        return SpecResult({"cases": []})


@pytest.fixture
def noting(monkeypatch):
    engine = Noting()
    monkeypatch.setattr(bootstrap, "unit_spec_generator", engine.made)
    return engine


@pytest.fixture
def root(tmp_path):
    return make_project(tmp_path / "project")


def events_of(root, run_id="r"):
    return list(read_events(run_folder(root, run_id) / "events.jsonl"))


async def test_the_first_spec_of_the_plan_is_begun_with_what_the_graph_will_ask(noting, root):
    settings, before = load_settings({"root": root}), tree(root)
    async with bootstrap.open_early(settings, "r", request="unit tests for the whole project") as run:
        await noting.begun.wait()
        (asked,) = noting.asked
        assert {**asked, "target": asked["target"]["path"]} == {
            "target": "src/small/names.py",
            "framework": "pytest",
            "test_type": "unit",
            "user_request": "unit tests for the whole project",
        }
        await run.target()
    assert events_of(root)[0].type == "started"
    assert tree(root) == before


async def whatever_was_begun(settings, request, run_id="r"):
    """Until planning has ended by itself."""
    async with bootstrap.open_early(settings, run_id, request=request):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.wait(others) if others else None


@pytest.mark.parametrize(
    ("request_", "flags"),
    [
        ("API tests for src/small/api.py", {}),
        ("unit tests for nothing/of/this.py", {}),
        (REQUEST, {"test_type": "integration"}),
        (REQUEST, {"model": "openai:m"}),
        (REQUEST, {"model": "spec=openai:m"}),
        (REQUEST, {"isolate_agents": True}),
        (REQUEST, {"max_seconds": 60}),
        (None, {}),
    ],
)
async def test_nothing_is_begun_where_the_first_spec_is_not_known_to_be_one_of_unit_tests(
    noting, root, request_, flags
):
    (root / "src/small/api.py").write_text(API)
    await whatever_was_begun(load_settings({"root": root, **flags}), request_)
    assert noting.asked == []


async def test_nothing_is_begun_in_the_folder_of_a_run_that_is_there(noting, root):
    settings = load_settings({"root": root})
    run_folder(root, "r").mkdir(parents=True)
    await whatever_was_begun(settings, REQUEST)
    assert noting.asked == []
    assert events_of(root) == []


def test_what_begins_a_run_reads_neither_graphs_nor_tools_nor_the_database(root):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(root), REQUEST],
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True\n", done.stderr


async def test_a_run_works_its_first_spec_out_once(monkeypatch, root):
    asked = []
    make = bootstrap.unit_spec_generator

    def made(*anything):
        engine = make(*anything)
        work = engine.generate

        async def generate(inputs, **limits):
            asked.append(inputs["target"]["path"])
            return await work(inputs, **limits)

        return SimpleNamespace(generate=generate)

    monkeypatch.setattr(bootstrap, "unit_spec_generator", made)
    words = {"root": root, "run_id": "r", "run": False, "trials": 20, "mutants": 0}
    report = await testwright.agenerate("unit tests for the whole project", **words)
    assert report.totals.targets_completed == 2
    assert sorted(asked) == ["src/small/names.py", "src/small/numbers.py"]
    events = events_of(root)
    assert [event.type for event in events].count(EventType.STARTED) == 1
    began = datetime.fromisoformat(report.run.started_at).timestamp()
    assert began <= events[0].at + 0.001
    assert report.run.seconds >= events[-2].at - events[0].at - 0.002


class BrokenOffError(Exception):
    """Stands for whatever ends a run while modules are read."""


@contextmanager
def interrupted():
    raise BrokenOffError
    yield


async def test_a_run_that_ends_while_modules_are_read_leaves_nothing_that_cannot_be_resumed(noting, root):
    with pytest.raises(BrokenOffError):
        await runs.run(REQUEST, load_settings({"root": root, "run_id": "r"}), importing=interrupted)
    assert not run_folder(root, "r").exists()


async def test_the_folder_of_a_run_that_was_there_stays(noting, root):
    kept = run_folder(root, "r") / "report.md"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    with pytest.raises(BrokenOffError):
        await runs.run(REQUEST, load_settings({"root": root, "run_id": "r"}), importing=interrupted)
    assert kept.read_text() == "mine"


def test_an_interruption_names_the_run_that_can_be_resumed(tmp_path):
    def told(*arguments):
        with pytest.raises(KeyboardInterrupt) as raised, name_interrupted_run("r", *arguments):
            raise KeyboardInterrupt
        return raised.value.args

    assert told() == told(tmp_path) == ("r",)
    assert told(tmp_path / "gone") == ()
