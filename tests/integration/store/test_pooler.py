"""The run database behind PgBouncer: by session it serves as the server itself does, otherwise it is refused."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from testwright.core.errors import RunLocked, StorageError
from testwright.store.database.database import Store
from testwright.tests.support.store.pooler import pgbouncer
from testwright.tests.support.store.postgres_server import PostgresServer

pytestmark = [
    pytest.mark.feature("A-04"),
    pytest.mark.skipif(shutil.which("pgbouncer") is None, reason="PgBouncer is not installed"),
]
META = {"sanitizer": "v1.0.0"}


def test_a_pooler_that_keeps_sessions_loses_no_artifact_and_no_lease(postgres: PostgresServer) -> None:
    with pgbouncer(postgres, "session") as url, Store.open_url(url) as one, Store.open_url(url) as other:
        one.runs.create("pooled", request="x", root="/p", settings={}, version="1")
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(lambda number: one.artifacts.put("pooled", "spec", number % 30, meta=META), range(60)))
        assert sorted(row.payload for row in other.artifacts.find("pooled")) == list(range(30))
        with one.holding("pooled"):
            assert other.held(["pooled"]) == {"pooled"}
            with pytest.raises(RunLocked), other.holding("pooled"):
                pass
        with other.holding("pooled"):
            assert one.held(["pooled"]) == {"pooled"}


def test_a_pooler_that_lends_sessions_by_transaction_is_refused_before_anything_is_stored(
    postgres: PostgresServer,
) -> None:
    with pgbouncer(postgres, "transaction") as url, pytest.raises(StorageError, match="keeps no sessions") as raised:
        Store.open_url(url)
    assert "pool_mode = session" in raised.value.advice
