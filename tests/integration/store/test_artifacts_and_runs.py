"""Artifacts, answers and runs as the rest of the house uses them: the same in SQLite and in PostgreSQL."""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from testwright.core.errors import RunNotFound, StorageError, StoreCorrupt, UsageError
from testwright.core.usage import ModelBudget, ModelUsage, RunUsage
from testwright.store.database.artifacts import artifact_id_of
from testwright.store.database.database import Store
from testwright.utils.canonical import digest_of
from testwright.utils.redact import Redactor

META = {"sanitizer": "v1.0.0"}
STORES = ("sqlite", "postgres")


@pytest.fixture(params=STORES)
def opened(request: pytest.FixtureRequest, state_dir: Path) -> Callable[..., Store]:
    """Opens the store of a test, any number of times, with a clock."""
    if request.param == "sqlite":
        return lambda clock=time.time: Store.open(state_dir, clock=clock)
    url = request.getfixturevalue("postgres").new_url()
    return lambda clock=time.time: Store.open_url(url, clock=clock)


@pytest.fixture
def store(opened: Callable[..., Store]) -> Iterator[Store]:
    with opened() as one:
        one.runs.create("r1", request="tests for a.py", root="/project", settings={"jobs": 2}, version="1.0")
        yield one


@pytest.mark.feature("A-02", "A-04")
def test_an_artifact_keeps_its_payload_verbatim_beside_the_sanitizers_version(store: Store) -> None:
    payload = {
        "text": "née ✓ \ud83d",
        "numbers": [1, 1.5, -0.0, 10**30, 1e23],
        "zero": "\0",
        "nothing": None,
        "nested": {"b": [], "a": {}},
    }
    stored = store.artifacts.put("r1", "spec_output", payload, meta={**META, "agent": "spec"})
    again = store.artifacts.get(stored.artifact_id)
    assert again == stored
    assert again.content == {"meta": {"sanitizer": "v1.0.0", "agent": "spec"}, "payload": payload}
    assert list(again.payload) == list(payload)


@pytest.mark.feature("A-04")
def test_putting_the_same_twice_gives_the_same_artifact(store: Store) -> None:
    first = store.artifacts.put("r1", "spec", {"a": 1, "b": 2}, meta=META)
    second = store.artifacts.put("r1", "spec", {"b": 2, "a": 1}, meta=META)
    assert second.artifact_id == first.artifact_id
    assert store.artifacts.find("r1") == [first]


@pytest.mark.feature("A-04")
def test_an_artifacts_id_follows_from_run_kind_and_content(store: Store) -> None:
    store.runs.create("r2", request="x", root="/p", settings={}, version="1")
    made = [store.artifacts.put(run, kind, 1, meta=META) for run, kind in (("r1", "a"), ("r1", "b"), ("r2", "a"))]
    assert len({one.artifact_id for one in made}) == 3
    assert uuid.UUID(made[0].artifact_id).version == 5
    assert made[0].artifact_id == artifact_id_of("r1", "a", digest_of({"meta": META, "payload": 1}))


def test_artifacts_come_in_the_order_they_were_stored_in(store: Store) -> None:
    for number in (3, 1, 2):
        store.artifacts.put("r1", "spec", number, meta=META)
    store.artifacts.put("r1", "code", "x", meta=META)
    assert [one.payload for one in store.artifacts.find("r1", "spec")] == [3, 1, 2]
    assert [one.kind for one in store.artifacts.find("r1")] == ["spec", "spec", "spec", "code"]
    latest = store.artifacts.find("r1", "spec")[-1]
    assert latest is not None
    assert latest.payload == 2
    assert store.artifacts.find("r1", "report") == []


def test_threads_write_at_the_same_time(store: Store) -> None:
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda number: store.artifacts.put("r1", "spec", number, meta=META), range(30)))
    assert sorted(one.payload for one in store.artifacts.find("r1")) == list(range(30))
    assert [one.payload for one in made] == list(range(30))


def test_an_artifact_needs_a_run_a_sanitizer_and_a_json_form(store: Store) -> None:
    with pytest.raises(RunNotFound):
        store.artifacts.put("nobody", "spec", {}, meta=META)
    with pytest.raises(ValueError, match="sanitizer"):
        store.artifacts.put("r1", "spec", {}, meta={})
    with pytest.raises(ValueError, match="JSON"):
        store.artifacts.put("r1", "spec", {"x": float("nan")}, meta=META)
    with pytest.raises(StorageError, match="no artifact"):
        store.artifacts.get("00000000-0000-0000-0000-000000000000")
    assert store.artifacts.find("r1") == []


@pytest.mark.parametrize("content", ['{"meta": {}, "payload": 2}', '{"meta": '])
def test_an_artifact_that_was_changed_in_the_database_is_never_handed_on(state_dir: Path, content: str) -> None:
    with Store.open(state_dir) as store:
        store.runs.create("r1", request="x", root="/p", settings={}, version="1")
        stored = store.artifacts.put("r1", "spec", 1, meta=META)
        with sqlite3.connect(state_dir / "testwright.db") as raw:
            raw.execute("UPDATE artifacts SET content = ?", (content,))
        raw.close()
        with pytest.raises(StoreCorrupt):
            store.artifacts.get(stored.artifact_id)


def test_two_that_begin_a_run_of_one_id_at_the_same_time_do_not_both_have_it(opened: Callable[..., Store]) -> None:
    def begin(number: int) -> str:
        with opened() as one:
            try:
                one.runs.create("same", request=str(number), root="/p", settings={}, version="1")
            except UsageError as error:
                return error.message
        return "begun"

    opened().close()
    with ThreadPoolExecutor(4) as pool:
        endings = list(pool.map(begin, range(4)))
    assert sorted(endings) == [*["There is a run same already."] * 3, "begun"]


@pytest.mark.feature("B-08")
def test_an_answer_is_found_by_everything_it_was_asked_under(store: Store) -> None:
    store.answers.put("r1", "spec", 1, "hash", {"text": "one"})
    store.answers.put("r1", "spec", 1, "hash", {"text": "another"})
    assert store.answers.get("r1", "spec", 1, "hash") == {"text": "one"}
    for key in (
        ("r2", "spec", 1, "hash"),
        ("r1", "writer", 1, "hash"),
        ("r1", "spec", 2, "hash"),
        ("r1", "spec", 1, "x"),
    ):
        assert store.answers.get(*key) is None


@pytest.mark.feature("B-08")
def test_a_run_goes_from_created_to_its_end_and_on_again(opened: Callable[..., Store]) -> None:
    times = iter([10.0, 20.0, 30.0, 40.0])
    with opened(lambda: next(times)) as store:
        made = store.runs.create("r", request="x", root="/p", settings={"jobs": 2}, version="1")
        assert (made.status, made.created_at, made.started_at, made.resumed) == ("created", 10.0, None, 0)
        assert store.runs.start("r").resumed == 0
        store.runs.record_spent("r", RunUsage(seconds=5.0, tokens=100))
        ended = store.runs.finish("r", status="stopped", exit_reason="budget_exhausted", exit_code=6)
        assert (ended.status, ended.exit_reason, ended.exit_code, ended.finished_at) == (
            "stopped",
            "budget_exhausted",
            6,
            30.0,
        )
        again = store.runs.start("r")
    assert (again.status, again.exit_reason, again.exit_code, again.finished_at) == ("running", None, None, None)
    assert (again.started_at, again.resumed) == (40.0, 1)
    assert again.spent == RunUsage(seconds=5.0, tokens=100)
    assert again.settings == {"jobs": 2}


@pytest.mark.feature("B-08")
def test_what_was_spent_before_and_after_a_resume_adds_up() -> None:
    budget = ModelBudget(before=[ModelUsage("spec", "m", 1, 10, 0, 0, 0.5)])
    budget.add(ModelUsage("spec", "m", 2, 20, 0, 0, 0.25))
    assert budget.total == ModelUsage("", "", 3, 30, 0, 0, 0.75)


def test_a_runs_settings_are_stored_without_secrets(store: Store) -> None:
    redactor = Redactor(["hunter2hunter2"])
    settings = {
        "models": {"api_key": "sk-abcdefghijklmnopqrstuvwx", "name": "m"},
        "note": "uses hunter2hunter2",
        "max_tokens": 5,
        "database": "postgresql://u:pw123456@host/db",
    }
    store.runs.create("r2", request="with hunter2hunter2", root="/p", settings=settings, version="1", redactor=redactor)
    record = store.runs.get("r2")
    assert record.settings == {
        "models": {"name": "m"},
        "note": "uses [redacted]",
        "max_tokens": 5,
        "database": "postgresql://u:[redacted]@host/db",
    }
    assert record.request == "with [redacted]"


def test_an_id_is_taken_once(store: Store) -> None:
    with pytest.raises(UsageError) as caught:
        store.runs.create("r1", request="x", root="/p", settings={}, version="1")
    assert "testwright resume r1" in caught.value.advice


def test_an_unknown_run_is_not_found(store: Store) -> None:
    for attempt in (
        lambda: store.runs.get("nobody"),
        lambda: store.runs.start("nobody"),
        lambda: store.runs.finish("nobody", status="failed", exit_reason="internal", exit_code=1),
    ):
        with pytest.raises(RunNotFound):
            attempt()


def test_runs_are_listed_newest_first_and_by_project(opened: Callable[..., Store]) -> None:
    times = iter([1.0, 3.0, 2.0])
    with opened(lambda: next(times)) as store:
        for run_id, root in (("a", "/one"), ("b", "/two"), ("c", "/one")):
            store.runs.create(run_id, request="x", root=root, settings={}, version="1")
        assert [one.run_id for one in store.runs.all()] == ["b", "c", "a"]
        assert [one.run_id for one in store.runs.all(root="/one")] == ["c", "a"]


def test_a_path_that_is_no_text_can_be_stored_and_asked_for(store: Store) -> None:
    root = "/p/\udcff"
    store.runs.create("r2", request="\udcfe", root=root, settings={}, version="1")
    assert [one.run_id for one in store.runs.all(root=root)] == ["r2"]


def test_a_removed_run_takes_its_artifacts_and_answers_along(store: Store) -> None:
    store.artifacts.put("r1", "spec", 1, meta=META)
    store.answers.put("r1", "spec", 1, "h", 1)
    store.runs.remove("r1")
    store.runs.remove("r1")
    assert store.artifacts.find("r1") == []
    assert store.answers.get("r1", "spec", 1, "h") is None
