"""Answers of tools kept between runs: shared, bounded, and gone without harm (A-09)."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from testwright.core.errors import SettingsError
from testwright.store.cache.responses import ResponsesLost, sealed, unsealed
from testwright.store.cache.sqlite_responses import SqliteResponses
from testwright.store.cache.valkey_responses import ValkeyResponses
from testwright.tests.support.mcp.cache_server import cache_server

MIB = 1024 * 1024
_WRITER = """
import sys
from pathlib import Path
from testwright.store.cache.sqlite_responses import SqliteResponses

kept = SqliteResponses(Path(sys.argv[1]), 1024 * 1024)
for number in range(60):
    kept.put(f"{sys.argv[2]}-{number}", f"{sys.argv[2]} {number}".encode())
    kept.put("shared", b"x" * 1000)
    kept.get(f"{sys.argv[2]}-{number - 1}")
kept.close()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "responses.sqlite"


@pytest.fixture(scope="module")
def server():
    with cache_server() as running:
        yield running


@pytest.mark.feature("A-09")
def test_what_is_kept_is_there_for_the_next_process(path):
    first = SqliteResponses(path, MIB)
    first.put("a", b"one")
    first.put("a", b"two")
    first.close()
    second = SqliteResponses(path, MIB)
    assert second.get("a") == b"two"
    assert second.get("b") is None
    second.close()
    assert second.get("a") is None


@pytest.mark.feature("A-09")
def test_the_longest_unused_goes_first_when_it_is_full(path):
    kept = SqliteResponses(path, 100_000)
    for number in range(9):
        kept.put(f"k{number}", b"x" * 10_000)
    assert kept.get("k0") is not None
    for number in range(9, 13):
        kept.put(f"k{number}", b"x" * 10_000)
    held = [number for number in range(13) if kept.get(f"k{number}") is not None]
    kept.close()
    assert 0 in held
    assert 12 in held
    assert {1, 2}.isdisjoint(held)
    assert 7 <= len(held) <= 9


def test_an_answer_too_large_for_it_is_not_kept(path):
    kept = SqliteResponses(path, 100_000)
    kept.put("small", b"x" * 1000)
    kept.put("large", b"x" * 30_000)
    assert (kept.get("small"), kept.get("large")) == (b"x" * 1000, None)
    kept.close()


def test_the_file_does_not_grow_with_what_goes_through_it(path):
    kept = SqliteResponses(path, 200_000)
    for number in range(300):
        kept.put(f"k{number}", b"x" * 5_000)
    kept.close()
    assert path.stat().st_size < 600_000


@pytest.mark.feature("A-09")
def test_many_processes_and_threads_use_one_file_at_the_same_time(path):
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), name]) for name in ("p", "q", "r")]
    kept = SqliteResponses(path, MIB)

    def work(name: str) -> None:
        for number in range(30):
            kept.put(f"{name}-{number}", name.encode())
            assert kept.get(f"{name}-{number}") in (name.encode(), None)

    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    # An answer that could not be written in time is not kept; none is ever a mixture.
    assert kept.get("shared") == b"x" * 1000
    found = [kept.get(f"p-{number}") for number in range(60)]
    assert {one for number, one in enumerate(found) if one not in (None, f"p {number}".encode())} == set()
    kept.close()


@pytest.mark.parametrize("damage", [b"", b"no database at all, but long enough to be read as one" * 50])
@pytest.mark.feature("A-09")
def test_a_file_that_is_damaged_when_it_is_opened_is_made_anew(path, damage):
    path.parent.mkdir()
    path.write_bytes(damage)
    kept = SqliteResponses(path, MIB)
    kept.put("a", b"one")
    assert kept.get("a") == b"one"
    kept.close()


@pytest.mark.feature("A-09")
def test_a_file_that_is_damaged_in_use_is_lost_with_a_reason(path):
    kept = SqliteResponses(path, MIB)
    for number in range(200):
        kept.put(f"k{number}", b"x" * 2000)
    kept.close()
    kept = SqliteResponses(path, MIB)
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * len(raw[4096:])
    path.write_bytes(raw)

    def use() -> None:
        for number in range(200):
            kept.get(f"k{number}")
            kept.put(f"n{number}", b"x")

    with pytest.raises(ResponsesLost, match=r"responses\.sqlite cannot be used"):
        use()
    kept.close()


@pytest.mark.feature("A-09")
def test_a_file_that_is_deleted_in_use_does_no_harm(path):
    kept = SqliteResponses(path, MIB)
    kept.put("a", b"one")
    for one in path.parent.iterdir():
        one.unlink()
    path.parent.rmdir()
    try:
        assert kept.get("a") in (b"one", None)
        kept.put("b", b"two")
    except ResponsesLost:
        pass
    kept.close()
    again = SqliteResponses(path, MIB)
    assert again.get("b") is None
    again.close()


def test_an_answer_that_was_changed_counts_as_none(path):
    kept = SqliteResponses(path, MIB)
    kept.put("a", b'{"valid": false}')
    with sqlite3.connect(path) as other:
        other.execute("UPDATE responses SET body = ? WHERE key = 'a'", (b"?" * 32 + b'{"valid": true}',))
    other.close()
    assert kept.get("a") is None
    kept.close()


def test_a_file_that_somebody_else_holds_counts_as_empty(path, monkeypatch):
    monkeypatch.setattr("testwright.store.cache.sqlite_responses._WAIT_SECONDS", 0.01)
    kept = SqliteResponses(path, MIB)
    kept.put("a", b"one")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    kept.put("b", b"two")
    other.execute("ROLLBACK")
    other.close()
    assert (kept.get("a"), kept.get("b")) == (b"one", None)
    kept.close()


def test_a_folder_that_cannot_be_made_is_lost_with_a_reason(tmp_path):
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ResponsesLost, match="cannot be opened"):
        SqliteResponses(tmp_path / "cache" / "responses.sqlite", MIB)


def test_an_older_form_of_the_file_is_replaced(path):
    SqliteResponses(path, MIB).close()
    with sqlite3.connect(path) as old:
        old.execute("PRAGMA user_version = 99")
        old.execute("DROP TABLE total")
    old.close()
    kept = SqliteResponses(path, MIB)
    kept.put("a", b"one")
    assert kept.get("a") == b"one"
    kept.close()


@pytest.mark.parametrize("held", [b"", b"short", sealed("a", b"{}")[:-1], sealed("a", b"{}") + b" "])
def test_what_was_not_sealed_so_is_not_unsealed(held):
    assert unsealed("a", held) is None
    assert unsealed("a", sealed("a", b"{}")) == b"{}"


@pytest.mark.feature("A-09")
def test_answers_are_kept_in_a_server_for_a_while(server):
    kept = ValkeyResponses(server.url)
    kept.put("a", b"one")
    kept.close()
    again = ValkeyResponses(f"{server.url}?db=0")
    assert (again.get("a"), again.get("b")) == (b"one", None)
    [name] = server.client().keys("testwright:*a")
    assert 0 < server.client().ttl(name) <= 30 * 24 * 3600
    server.client().set(name, b"something else")
    assert again.get("a") is None
    kept_b = name[:-1] + b"b"
    again.put("b", b"two")
    server.client().set(name, server.client().get(kept_b))
    assert (again.get("a"), again.get("b")) == (None, b"two")
    again.close()


@pytest.mark.feature("A-09")
def test_a_server_that_goes_is_lost_with_a_reason():
    with cache_server() as running:
        kept = ValkeyResponses(running.url)
        kept.put("a", b"one")
        running.stop()
        with pytest.raises(ResponsesLost, match="does not serve"):
            kept.get("a")
        kept.close()


@pytest.mark.feature("A-09")
def test_a_password_opens_the_server_and_appears_in_no_message():
    with cache_server("open-sesame-1234") as running:
        url = running.url.replace("unix://", "unix://:{}@")
        kept = ValkeyResponses(url.format("open-sesame-1234"))
        kept.put("a", b"one")
        assert kept.get("a") == b"one"
        kept.close()
        with pytest.raises(ResponsesLost) as caught:
            ValkeyResponses(url.format("wrong-sesame-1234"))
        assert "sesame" not in str(caught.value)
        with pytest.raises(ResponsesLost):
            ValkeyResponses(running.url)


def test_a_server_that_is_not_there_is_lost_with_a_reason(tmp_path):
    with pytest.raises(ResponsesLost, match="does not serve"):
        ValkeyResponses(f"unix://{tmp_path}/nobody")


def test_without_its_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "valkey", None)
    with pytest.raises(SettingsError, match="package valkey") as caught:
        ValkeyResponses("redis://localhost/0")
    assert "pip install 'testwright[valkey]'" in caught.value.advice


def test_a_url_that_is_none_is_a_settings_error_without_its_password():
    with pytest.raises(SettingsError) as caught:
        ValkeyResponses("redis://:open-sesame@host:notaport/0")
    assert "sesame" not in caught.value.message + caught.value.advice


def test_the_file_lies_where_it_was_wanted(path: Path):
    SqliteResponses(path, MIB).close()
    assert [one.name for one in path.parent.iterdir()] == ["responses.sqlite"]
