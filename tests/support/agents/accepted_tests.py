"""Test files as people write them: what limits on model-written code must let pass."""

from __future__ import annotations

GOOD_TESTS = {
    "files below tmp_path": '''
"""A store that keeps files."""

import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from unittest.mock import MagicMock, patch

import pytest

from shop.store import Store, StoreError, load, save


@pytest.fixture
def folder(tmp_path):
    inner = tmp_path / "data"
    inner.mkdir()
    return inner


@pytest.fixture
def store(folder):
    made = Store(folder)
    yield made
    made.close()


def _written(folder, name, rows):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_saves_what_it_is_given(tmp_path):
    path = tmp_path / "cart.json"
    save(path, {"a": 1})
    with open(path, encoding="utf-8") as file:
        assert json.load(file) == {"a": 1}
    assert json.loads(path.read_text()) == {"a": 1}


def test_loads_what_is_there(folder):
    path = _written(folder, "rows", [1, 2])
    assert load(path) == [1, 2]
    path.unlink()
    with pytest.raises(StoreError, match="no such file") as caught:
        load(path)
    assert isinstance(caught.value.__cause__, FileNotFoundError)


@pytest.mark.parametrize(("name", "expected"), [("a.txt", 1), pytest.param("b/c.txt", 2, id="tc_nested")])
def test_counts_files(tmp_path, name, expected):
    target = tmp_path / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(b"x")
    os.makedirs(tmp_path / "more", exist_ok=True)
    assert len(os.listdir(tmp_path)) >= 1
    assert os.path.exists(target)
    os.remove(target)


def test_store_lists_and_removes(store, folder):
    for name in ["one", "two"]:
        (folder / name).write_text(name)
    store.add("three")
    assert sorted(one.name for one in folder.iterdir()) == ["one", "three", "two"]
    assert (folder / "three").exists()
    assert [path.read_text() for path in sorted(folder.glob("t*"))] == ["three", "two"]
    store.remove("one")


def test_clock_is_replaced(monkeypatch, store):
    moment = datetime(2024, 1, 2, tzinfo=timezone.utc)
    monkeypatch.setattr("shop.store.now", lambda: moment)
    assert store.age("a") == timedelta(days=1)


def test_setting_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("SHOP_MODE", "fast")
    monkeypatch.delenv("SHOP_DEBUG", raising=False)
    with patch.dict(os.environ, {"SHOP_SIZE": "3"}):
        assert Store.from_environment().size == 3


def test_working_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("here.txt").write_text("x")
    assert load(Path("here.txt")) == "x"


def test_output_and_log(capsys, caplog, store):
    store.tell()
    assert capsys.readouterr().out == "nothing yet\\n"
    assert "nothing" in caplog.text


def test_client_is_asked_once():
    client = MagicMock()
    client.get.return_value = {"id": 1}
    assert Store(client=client).name == "1"
    client.get.assert_called_once_with("/items/1")
    client.unlink.assert_not_called()


@patch("shop.store.os.remove", side_effect=OSError("busy"))
def test_busy_file(remove, tmp_path):
    with pytest.raises(StoreError):
        Store(tmp_path).remove("a")
    remove.assert_called_once()
''',
    "unittest with temporary folders": """
import io
import os
import shutil
import tempfile
import unittest
from contextlib import redirect_stdout
from unittest import mock

from shop import store
from shop.store import Store


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "cart.txt")

    def test_writes(self):
        Store(self.folder).save("cart.txt", "x")
        with open(self.path) as file:
            self.assertEqual(file.read(), "x")

    def test_reads(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("y")
        self.assertEqual(Store(self.folder).load("cart.txt"), "y")

    def test_temporary(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a")
            with open(path, "w") as file:
                file.write("a")
            os.unlink(path)

    def test_prints(self):
        out = io.StringIO()
        with redirect_stdout(out):
            store.tell()
        self.assertEqual(out.getvalue(), "nothing yet\\n")

    def test_patched(self):
        with mock.patch.object(store, "now", return_value=3), mock.patch.object(os.path, "exists", return_value=True):
            self.assertTrue(Store(self.folder).has("a"))

    @mock.patch.dict("os.environ", {"A": "1"}, clear=True)
    def test_environment(self):
        self.assertEqual(store.mode(), "1")


if __name__ == "__main__":
    unittest.main()
""",
    "asynchronous, exceptions, warnings": """
import asyncio
import decimal
import logging
import re
import threading
import warnings
from collections import Counter, OrderedDict
from dataclasses import asdict, replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, call

import pytest

from shop.store import Money, Price, Watcher


async def test_waits():
    watcher = Watcher(AsyncMock(return_value=3))
    assert await asyncio.wait_for(watcher.value(), timeout=60) == 3


def test_runs():
    async def go() -> Any:
        return await asyncio.gather(Watcher.one(), Watcher.one())

    assert asyncio.run(go()) == [1, 1]


def test_money():
    price = Price(Decimal("1.10"), "EUR")
    assert asdict(price) == {"amount": Decimal("1.10"), "currency": "EUR"}
    assert replace(price, currency="USD").currency == "USD"
    assert str(price) == "1.10 EUR"
    assert repr(price).startswith("Price(")
    assert price.__class__.__name__ == "Price"
    assert price.__eq__(Price(Decimal("1.10"), "EUR"))
    assert Price.__doc__
    with pytest.raises(decimal.InvalidOperation):
        Money("x")


@pytest.mark.parametrize("name", ["amount", "currency"])
def test_has_its_fields(name):
    assert getattr(Price(Decimal(1), "EUR"), name) is not None
    assert hasattr(Price, "__init__")


def test_warns():
    with pytest.warns(DeprecationWarning, match=re.escape("use Price")):
        Money(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Price(Decimal(1), "EUR")


def test_threads_agree(caplog):
    caplog.set_level(logging.INFO)
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(Watcher.one())) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert Counter(seen) == {1: 3}
    assert OrderedDict(a=1) == {"a": 1}
    assert Watcher.calls(SimpleNamespace(a=1)) == [call(1)]
""",
    "spools, archives, tables": """
import csv
import gzip
import io
import sqlite3
import sys
import zipfile

import pytest

from shop import store
from shop.store import exported, imported, packed, report_path


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.txt", "x")
    return path


def test_archive(archive, tmp_path):
    with zipfile.ZipFile(archive) as file:
        file.extractall(tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_text() == "x"
    assert packed(archive) == ["a.txt"]


def test_rows(tmp_path):
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerow(["a", 1])
    assert imported(path) == [["a", "1"]]
    with gzip.open(tmp_path / "a.gz", "wt") as file:
        file.write("a")


def test_database(tmp_path):
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE t (a)")
    assert exported(connection) == []
    memory = sqlite3.connect(":memory:")
    memory.executescript("CREATE TABLE t (a);")


def test_report(tmp_path, monkeypatch):
    made = report_path(tmp_path, "x")
    assert made.name == "x.txt"
    assert made.read_text() == "ok"
    monkeypatch.setattr(store, "LIMIT", 3)
    monkeypatch.setattr(sys, "argv", ["shop", "--fast"])
    monkeypatch.setitem(sys.modules, "fast_json", None)
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes"))
    assert store.main() == 0


def test_in_memory():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("a", "b")
    assert packed(io.BytesIO(buffer.getvalue())) == ["a"]
""",
}
"""Source by what it shows; all of them test the module `shop.store`."""
