"""What a generator used is counted once and whole, whether or not anybody waited for the processes that used it."""

import os
import subprocess
import sys

import pytest

from testwright.benchmarks.generators import account
from testwright.benchmarks.generators.account import Row, Spending, descendants, rows_of

ROOT = (1, 0)
LEADER = (10, 100)
WORKER = (11, 110)
CHILD = (12, 120)


def spent(*looks: tuple[dict, float]) -> object:
    spending = Spending(ROOT)
    for rows, told in looks:
        spending.count(rows, told)
    return pytest.approx(spending.seconds)


def row(parent, own, told=0.0):
    return Row(parent[0], own, told, 0)


def test_a_process_that_is_waited_for_counts_once():
    looks = [
        ({LEADER: row(ROOT, 1.0), WORKER: row(LEADER, 2.0)}, 0.0),
        ({LEADER: row(ROOT, 1.5, 2.25)}, 0.0),
        ({}, 4.0),
    ]
    assert spent(*looks[:1]) == 3.0
    assert spent(*looks[:2]) == 3.75
    assert spent(*looks) == 4.0


def test_a_process_that_nobody_waits_for_counts_as_far_as_it_was_seen():
    looks = [
        ({LEADER: row(ROOT, 1.0), WORKER: row(LEADER, 2.0, 5.0)}, 0.0),
        ({LEADER: row(ROOT, 1.5)}, 0.0),
        ({}, 1.5),
    ]
    assert spent(*looks) == 8.5


def test_children_that_were_never_seen_count_by_what_their_parent_was_told():
    looks = [
        ({LEADER: row(ROOT, 1.0), WORKER: row(LEADER, 0.5)}, 0.0),
        ({LEADER: row(ROOT, 1.0), WORKER: row(LEADER, 0.5, 7.0)}, 0.0),
        ({LEADER: row(ROOT, 1.0)}, 0.0),
        ({}, 1.0),
    ]
    assert spent(*looks) == 8.5


def test_a_whole_branch_that_ends_between_two_looks_counts_once():
    looks = [
        ({LEADER: row(ROOT, 1.0), WORKER: row(LEADER, 2.0), CHILD: row(WORKER, 3.0)}, 0.0),
        ({LEADER: row(ROOT, 1.0, 5.5)}, 0.0),
        ({}, 6.5),
    ]
    assert spent(*looks) == 6.5


def test_a_process_whose_parent_ends_first_counts_once():
    looks = [
        ({LEADER: row(ROOT, 1.0), WORKER: row(LEADER, 2.0), CHILD: row(WORKER, 3.0)}, 0.0),
        ({LEADER: row(ROOT, 1.0, 2.0), CHILD: row(ROOT, 3.5)}, 0.0),
        ({LEADER: row(ROOT, 1.0, 2.0)}, 4.0),
        ({}, 7.0),
    ]
    assert spent(*looks) == 7.0


def test_an_id_that_is_given_again_is_another_process():
    again = (WORKER[0], 999)
    looks = [
        ({LEADER: row(ROOT, 1.0), WORKER: row(LEADER, 2.0)}, 0.0),
        ({LEADER: row(ROOT, 1.0, 2.0), again: row(LEADER, 4.0)}, 0.0),
    ]
    assert spent(*looks) == 7.0


def test_somebody_who_only_appears_when_all_is_over_counts_by_what_the_root_is_told():
    assert spent(({}, 0.0), ({}, 2.5)) == 2.5


@pytest.fixture
def sleeper():
    """A process with a child that has begun to run; both wait for their input to end."""
    inner = "import sys; print('ready', flush=True); sys.stdin.read()"
    program = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {inner!r}], stdout=subprocess.PIPE)\n"
        "child.stdout.readline(); print(child.pid, flush=True); child.wait()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield process.pid, int(process.stdout.readline())
    process.communicate()


@pytest.mark.parametrize("listed", [True, False])
def test_descendants_are_found_with_and_without_the_list_of_children(sleeper, monkeypatch, listed):
    if not listed:
        monkeypatch.setattr(account.Path, "exists", lambda _path: False)
    outer, inner = sleeper
    assert descendants(outer) == [inner]
    assert {outer, inner} <= set(descendants(os.getpid()))


def test_one_that_has_ended_or_is_another_is_not_told(sleeper):
    outer, inner = sleeper
    ((key, found),) = rows_of([inner])
    assert (key[0], found.parent) == (inner, outer)
    assert found.resident_kib > 0
    assert dict(rows_of([inner], key)).keys() == {key}
    assert not dict(rows_of([inner], (inner, -1)))
    assert not dict(rows_of([2**22 + 1]))
