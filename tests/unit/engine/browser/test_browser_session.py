"""A browser that hangs costs the scenario in which it hangs, and no other."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.core.errors import EnvironmentFault
from testwright.engine.browser.explore.session import BrowserSession, SiteLaunch, open_browser

pytestmark = pytest.mark.feature("T-20")
STATE = {"url": "/", "title": "Shop", "elsewhere": "", "status": 200, "settled": True, "tree": ""}
STATE |= {"popups": 0, **{name: [] for name in "forms fields buttons links dialogs downloads errors".split()}}
LINE = json.dumps({"state": STATE, "checked": [True], "failure": ""}).encode()


class Worker:
    """Answers each order at once, but for those that open /loop."""

    def __init__(self) -> None:
        self._hangs = False

    async def send(self, line: bytes) -> None:
        self._hangs = json.loads(line)["actions"][0]["url"] == "/loop"

    async def receive(self, seconds: float) -> bytes:
        if self._hangs:
            raise TimeoutError
        return LINE


class Starts:
    """Starts workers, and counts them."""

    def __init__(self) -> None:
        self.begun = self.ended = 0

    @asynccontextmanager
    async def worker(self) -> AsyncGenerator[Worker]:
        self.begun += 1
        yield Worker()
        self.ended += 1


async def test_a_scenario_on_which_the_browser_hangs_ends_alone():
    starts = Starts()
    session = BrowserSession(starts.worker, str)  # pyrefly: ignore[bad-argument-type]
    hung = await session.play([{"kind": "open", "url": "/loop"}], [{"kind": "visible"}])
    assert (hung.last, hung.checked, hung.failure) == (None, (None,), "the browser ended or hung there")
    after = await session.play([{"kind": "open", "url": "/"}], [{"kind": "visible"}])
    assert after.checked == (True,)
    await session.end()
    assert (starts.begun, starts.ended) == (2, 2)


async def test_a_browser_that_hangs_again_and_again_is_not_started_for_ever():
    starts = Starts()
    session = BrowserSession(starts.worker, str)  # pyrefly: ignore[bad-argument-type]
    for _ in range(20):
        await session.play([{"kind": "open", "url": "/loop"}])
    assert starts.begun == starts.ended == 4


class Telling(Worker):
    """Shows a value of the settings on its page, in a field, in a link and in a message."""

    async def receive(self, seconds: float) -> bytes:
        tree = '- heading "Keys"\n- paragraph: Your key is zq81-4417.\n- listitem: Name\n'
        link = {"name": "Mine", "path": "/keys?of=zq81-4417", "download": False}
        state = {**STATE, "tree": tree, "links": [link], "dialogs": [{"message": "zq81-4417"}], "title": "zq81-4417"}
        return json.dumps({"state": state, "checked": [], "failure": "it shows zq81-4417"}).encode()


async def test_nothing_is_seen_of_a_value_that_the_settings_keep():
    @asynccontextmanager
    async def worker() -> AsyncGenerator[Worker]:
        yield Telling()

    session = BrowserSession(worker, lambda text: text.replace("zq81-4417", "***"), ["zq81-4417"])  # pyrefly: ignore[bad-argument-type]
    played = await session.play([{"kind": "open", "url": "/keys"}])
    await session.end()
    assert played.last is not None
    assert [one.words for one in played.last.seen] == ["Keys", "Name"]
    assert "zq81" not in repr(played)


async def test_a_sandbox_that_runs_no_browser_is_refused_before_anything_starts():
    weak: Any = SimpleNamespace(sandbox=SimpleNamespace(kind="weak"))
    with pytest.raises(EnvironmentFault, match="sandbox of bubblewrap"):
        async with open_browser(weak, SiteLaunch("shop:app")):
            pass
