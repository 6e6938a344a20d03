"""What needs a network gets no test: how it ends depends on the machine (B-06)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.model.model import Observation
from testwright.tests.support.engine.exploration import explored, trial, watched

SOURCE = """
import socket
import urllib.request
from urllib.parse import urlsplit


def page(url):
    with urllib.request.urlopen(url, timeout=1) as answer:
        return answer.read()


def port_open(host, port):
    with socket.socket() as one:
        one.settimeout(1)
        return one.connect_ex((host, port)) == 0


def address_of(host):
    return socket.gethostbyname(host)


def port_of(url):
    return urlsplit(url).port


def pair():
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"hello")
        return right.recv(5)
"""
NEEDING = ['page("abc")', 'port_open("127.0.0.1", -1)', 'port_open("abc", 3)', 'address_of("127.0.0.1")']
FREE = ['port_of("http://a.b:99999")', "pair()"]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Observation]:
    return watched(tmp_path_factory.mktemp("network"), SOURCE, [trial(one) for one in (*NEEDING, *FREE)])


@pytest.mark.parametrize("act", NEEDING)
@pytest.mark.feature("B-06")
def test_what_would_speak_with_others_is_refused(seen: dict[str, Observation], act: str) -> None:
    assert seen[act].outcome == "refused"


def test_reading_an_address_needs_no_network(seen: dict[str, Observation]) -> None:
    raised = seen[FREE[0]].raised
    assert seen[FREE[0]].outcome == "raised"
    assert raised is not None
    assert "out of range" in raised.message


def test_sockets_within_the_process_are_no_network(seen: dict[str, Observation]) -> None:
    value = seen["pair()"].value
    assert value is not None
    assert value.source == "b'hello'"


@pytest.mark.feature("B-06")
def test_the_reason_says_that_a_network_is_needed_whichever_trial_came_last(tmp_path: Path) -> None:
    trials = [trial('page("abc")'), trial("page(1, 2)")]
    (exploration,) = explored(tmp_path, SOURCE, trials, budget=ExplorationBudget(trials=2))
    reasons = {one.qualname: one.reason for one in exploration.unreached}
    assert reasons["page"] == "needs network: it opens network connections"
