"""A run on Temporal whose answers, artifacts and checkpoints are in PostgreSQL, while each part of it is killed."""

import pytest

from testwright.tests.support.runs.disturbances import Moment, disturbed_run

pytestmark = [pytest.mark.feature("A-08", "B-12"), pytest.mark.timeout(600)]


def test_worker_server_and_database_are_killed_and_the_run_comes_to_what_an_undisturbed_one_does(tmp_path):
    # Both answers are stored by then: one that is under way when its worker dies is asked for again.
    moments = [Moment("worker", 2, of="spec_written"), Moment("database", 3), Moment("server", 3)]

    account = disturbed_run(tmp_path, moments, modules=2, workers=2, latency=0.2)

    assert [moment.victim for moment in account.killed] == ["worker", "database", "server"]
    assert account.exit_code == 0
    assert account.differences == []
    assert account.paid_twice == 0
    assert account.answers == account.undisturbed_answers == 2
    assert account.leases == []
    assert not account.is_left
