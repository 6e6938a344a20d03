"""Plays scenarios in a browser inside the sandbox, against an application that is started beside it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ....core.errors import ApplicationFault, SandboxFailure, ToolMissing
from ....sandbox.browsers.chromium import BROWSER_LIMITS, browser_overlay, find_chromium
from ....sandbox.protocol import Session
from ....sandbox.target import PythonTarget
from ....sandbox.worker_files import worker_arguments
from ....utils.redact import is_secret_name
from ...api.document.application import AppLaunch
from ..model.page import Action, Json, Played, read_state, without_values

_START_SECONDS = 60.0
_ACTION_SECONDS = 15.0
_MOST_HUNG = 3
_SHORTEST_SECRET = 8
_SHORTEST_NAMED = 4


@dataclass(frozen=True, slots=True)
class SiteLaunch(AppLaunch):
    """How a site is started: as the applications of API tests are.

    Attributes:
        unwritten: variables for it as the settings give them, which are in no file; those of `environment` may stand
            in a test.
        url: origin of a site that runs already; empty where it is started.
    """

    unwritten: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = ""

    @property
    def label(self) -> str:
        """The application, command or address, for messages."""
        return self.url or self.application or " ".join(self.command)


class BrowserSession:
    """A browser and an application in the sandbox; made by `open_browser`.

    Args:
        start: starts both anew; they end with the context.
        scrubbed: takes the workspace's folders out of messages.
        hidden: values that no state shows: what displays one of them is left out.
    """

    def __init__(
        self,
        start: Callable[[], AbstractAsyncContextManager[Session]],
        scrubbed: Callable[[str], str],
        hidden: Sequence[str] = (),
    ) -> None:
        self._start = start
        self._hidden = tuple(hidden)
        self._scrubbed = scrubbed
        self._stack = AsyncExitStack()
        self._session: Session | None = None
        self._hung = 0

    async def begin(self) -> Session:
        """Start both, where they do not run. Raises ToolMissing, ApplicationFault."""
        if self._session is None:
            self._session = await self._stack.enter_async_context(self._start())
        return self._session

    async def end(self) -> None:
        """End both, as far as they run."""
        self._session = None
        await self._stack.aclose()

    async def play(self, actions: Sequence[Action], checks: Sequence[Json] = ()) -> Played:
        """Play actions on a fresh state of the application, in a fresh context of the browser.

        A page on which the browser hangs ends its scenario alone: both are started anew, up to `_MOST_HUNG` times.

        Raises:
            ToolMissing, ApplicationFault: they do not start.
            SandboxFailure: the worker gives no usable answer.
        """
        if self._hung > _MOST_HUNG:
            return Played(None, (None,) * len(checks), "the browser hung too often before")
        session = await self.begin()
        order = {"actions": list(actions), "checks": list(checks)}
        try:
            await session.send(json.dumps(order).encode())
            line = await session.receive(_START_SECONDS + _ACTION_SECONDS * (len(actions) + 1))
        except TimeoutError:
            line = None
        if line is None:
            self._hung += 1
            await self.end()
            return Played(None, (None,) * len(checks), "the browser ended or hung there")
        try:
            answer = json.loads(line)
            state = None if answer["state"] is None else without_values(read_state(answer["state"]), self._hidden)
            changed = tuple(self._scrubbed(str(name)) for name in answer.get("changed") or ())
            return Played(state, tuple(answer["checked"]), self._scrubbed(str(answer["failure"])), changed)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
            raise SandboxFailure("the process that drives the browser gave no usable answer") from fault


@asynccontextmanager
async def open_browser(target: PythonTarget, launch: SiteLaunch, *, clock: int = 0) -> AsyncGenerator[BrowserSession]:
    """Start the application and a browser in the sandbox, on a copy of the project; both end with the context.

    Args:
        clock: seconds by which the application's wall clock is ahead.

    Raises:
        ToolMissing: the sandbox is the weak one, or there is no Chromium or Playwright.
        ApplicationFault: the application does not start.
        SandboxFailure: the sandbox broke.
    """
    if target.sandbox.kind != "bubblewrap":
        raise ToolMissing(
            f"Browser tests need the sandbox of bubblewrap; the {target.sandbox.kind} one runs no browser.",
            advice="install bubblewrap (`apt install bubblewrap`), and leave --sandbox=weak out",
        )
    chromium = await asyncio.to_thread(find_chromium)
    overlay = await asyncio.to_thread(browser_overlay, target.interpreter, target.caches)
    async with target.workspace() as workspace:
        program = workspace.program(
            worker_arguments("browser.play"),
            network="loopback",
            limits=BROWSER_LIMITS,
            readable=chromium.readable,
            overlay=overlay,
            opens_site=True,
        )
        begin = _first_order(launch, workspace.project, chromium.path, clock)

        @asynccontextmanager
        async def start() -> AsyncGenerator[Session]:
            async with target.sandbox.session(program) as session:
                await session.send(json.dumps(begin).encode())
                answer = await _first_answer(session)
                if "error" in answer:
                    missing = str(answer.get("missing") or "")
                    raise _start_failure(launch, scrubbed(str(answer["error"])), missing, target)
                yield session

        def scrubbed(text: str) -> str:
            told = text.replace(str(workspace.project), ".").replace(str(workspace.scratch), "<temporary>")
            for value in hidden:
                told = told.replace(value, "***")
            return told

        hidden = [value for name, value in launch.unwritten.items() if _may_be_secret(name, value)]
        session = BrowserSession(start, scrubbed, hidden)
        try:
            await session.begin()
            yield session
        finally:
            await session.end()


def _first_order(launch: SiteLaunch, project: Path, chromium: Path, clock: int) -> Json:
    """What the process that drives the browser is told at its beginning."""
    return {
        "application": launch.application,
        "command": list(launch.command) or None,
        "base_url": launch.url,
        "root": str(project),
        "import_roots": list(launch.import_roots),
        "environment": {**launch.environment, **launch.unwritten},
        "folder": launch.folder,
        "clock": clock,
        "chromium": str(chromium),
        "start_seconds": _START_SECONDS,
    }


def _may_be_secret(name: str, value: str) -> bool:
    """Whether a value of the settings is one that no test may hold: by its name, or because it reads like a key."""
    like_a_key = len(value) >= _SHORTEST_SECRET and " " not in value and any(sign.isdigit() for sign in value)
    return like_a_key or (is_secret_name(name) and len(value) >= _SHORTEST_NAMED)


async def _first_answer(session: Session) -> Json:
    try:
        line = await session.receive(_START_SECONDS + 60)
        answer = json.loads(line) if line else {}
    except (TimeoutError, ValueError):
        answer = {}
    usable = isinstance(answer, dict) and ("ready" in answer or "error" in answer)
    return answer if usable else {"error": "the process that starts it ended without an answer"}


def _start_failure(launch: SiteLaunch, why: str, missing: str, target: PythonTarget) -> ToolMissing | ApplicationFault:
    python = target.interpreter.path
    if missing:
        advice = f"{python} -m pip install pytest-playwright, and a Chromium: `testwright doctor` says what is missing"
        return ToolMissing(f"No browser can be driven: {why}", advice=advice)
    if "No module named" in why:
        advice = f"install what the application needs into its environment ({python})"
    else:
        advice = "start it by hand in the same environment; if it needs another command, say it with --app-command"
    return ApplicationFault(
        f"The application {launch.label} does not start: {why}",
        advice=advice,
        details={"application": launch.label, "python": ".".join(map(str, target.interpreter.version))},
    )
