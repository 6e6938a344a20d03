"""The worker waits between requests where it is told to, so that what is made differs in its second."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.tests.support.engine.worker_files import worker_module

pytestmark = pytest.mark.feature("T-20")


class Answering:
    """Answers everything."""

    class Answer:
        status, headers, text = 200, {}, "{}"

    def reset(self) -> None: ...

    def printed(self) -> int:
        return 0

    def request(self, *_: Any, **__: Any) -> Answer:
        return self.Answer()


@pytest.mark.parametrize(("pause", "waited"), [({"pause": 1.5}, [1.5, 1.5]), ({}, [])])
def test_nothing_is_sent_for_a_while_after_each_request_that_may_change_something(
    pause: dict[str, float], waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = worker_module("http.send_requests")
    slept: list[float] = []
    monkeypatch.setattr(worker.time, "sleep", slept.append)
    requests = [{"method": method, "path": "/"} for method in ("POST", "GET", "PUT", "GET")]
    told = worker.run(Answering(), {"requests": requests, **pause})
    assert len(told["answers"]) == 4
    assert slept == waited
