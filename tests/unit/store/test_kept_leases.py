"""A lease that was lost with its connection is taken again, by each transaction until it is held."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from testwright.store.database import postgres
from testwright.store.database.checkpoint_places import CheckpointTables


class Lease:
    """A lease that a server refuses while it has no connection to give."""

    refusals = 0
    taken = 0

    def __init__(self, place: CheckpointTables, run_id: str, shared: bool, *, lost: bool = False) -> None:
        self.shared, self._lost = shared, lost
        if not lost:
            Lease.taken += 1
            if Lease.taken <= Lease.refusals:
                raise DBAPIError("connect", None, Exception("too many connections"))

    def is_held(self) -> bool:
        return not self._lost

    def release(self) -> None:
        """Nothing is held."""


def test_a_lease_that_could_not_be_taken_again_is_tried_at_the_next_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = CheckpointTables("postgresql://localhost/runs", "postgresql://localhost/runs")
    database = postgres.PostgresDatabase(place)
    database.close()
    # One connection of the pool, as after the server was away.
    monkeypatch.setattr(database, "_engine", create_engine("sqlite://", poolclass=StaticPool))
    monkeypatch.setattr(postgres, "_Lease", Lease)
    monkeypatch.setattr(Lease, "refusals", 1)
    monkeypatch.setattr(Lease, "taken", 0)
    monkeypatch.setattr(database, "_leases", {"r": Lease(place, "r", False, lost=True)})
    assert [database.write(lambda connection: 7) for _ in range(3)] == [7, 7, 7]
    assert Lease.taken == 2
    assert database._leases["r"].is_held()
    database.close()
