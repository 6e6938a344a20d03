"""Runs an application in the sandbox: starts it, sends requests, reads the answers.

The worker (`http/send_requests.py`) starts the application with the same code that the generated tests use, so an
observed answer is the answer that the tests will get.
"""

from __future__ import annotations

import json
import re
import sys
import time
import tomllib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ....core.errors import ApplicationFault, SandboxFailure
from ....sandbox.protocol import Limits, Session
from ....sandbox.target import PythonTarget, Workspace
from ....sandbox.worker_files import worker_arguments
from ....utils.untrusted_files import read_bytes
from ..model.model import HttpAnswer, Json
from .settings_variables import variables_of_fields

_MOST_REMEMBERED = 20_000
"""The letters of all answers to a sequence of requests that are remembered."""
_UNUSABLE = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)
"""What reading an answer of another form than the worker's raises."""
_LIMITS = Limits(wall_seconds=1800, cpu_seconds=1800, memory_mib=4096, processes=256, output_mib=256)


@dataclass(frozen=True, slots=True)
class AppLaunch:
    """How an application is started.

    Attributes:
        application: `package.module:attribute`, with `()` for a factory; None where `command` starts it.
        command: words of the command; `{port}` in them is replaced by the port.
        environment: variables for it; secrets have placeholder values.
        taken: those of `environment` that have to be set where the tests run, with what they take: `${NAME}`.
        folder: working folder relative to the project; None for a temporary folder that is emptied at each reset.
        ready: a path that answers below 400 once a started command is ready; empty to wait for its port only.
        private: values of further variables that no test may hold.
        emptied: databases of the project that it finds without their rows, relative to the project.
    """

    application: str | None = None
    command: tuple[str, ...] = ()
    import_roots: tuple[str, ...] = (".",)
    environment: Mapping[str, str] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    ready: str = ""
    private: tuple[str, ...] = field(default=(), repr=False)
    emptied: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The application or command, for messages."""
        return self.application or " ".join(self.command)


@dataclass(frozen=True, slots=True)
class AppConditions:
    """The conditions an application runs under.

    Attributes:
        hash_seed: PYTHONHASHSEED.
        clock: seconds by which its wall clock is ahead.
        zone: TZ in POSIX form.
        start_seconds: time limit until it accepts connections.
        answer_seconds: time limit for one answer.
    """

    hash_seed: int = 0
    clock: int = 0
    zone: str = "UTC"
    start_seconds: float = 60.0
    answer_seconds: float = 10.0


class AppObserver:
    """A running application in the sandbox; made by `open_application`."""

    def __init__(self, session: Session, workspace: Workspace, surroundings: AppConditions) -> None:
        self._session = session
        self._workspace = workspace
        self._surroundings = surroundings
        self.sent = 0
        self._orders, self._seconds = 0, 0.0
        self._known: dict[str, tuple[HttpAnswer, ...]] = {}
        self.constants: Mapping[str, str] = {}
        """What `{{NAME}}` stands for in every request: the names and passwords of the users who sign in."""

    async def sign_in(self, users: Json, constants: Mapping[str, str], *, keeps: bool) -> bool:
        """Have users sign in from now on; whether that works.

        Args:
            users: as the worker takes them, see `spec_requests.signing_in`; empty for nobody.
            constants: see `constants`.
            keeps: whether the users outlive a reset, so that they sign in once.

        Raises:
            SandboxFailure: the worker ended or hangs.
        """
        self.constants = constants
        self._known.clear()
        answers = await self._ordered({"users": users, "keeps": keeps}, 4 * (len(users) + 1))
        return not answers

    async def answers(
        self,
        requests: Sequence[Json],
        *,
        reset: bool = True,
        names: Mapping[str, str] | None = None,
        again: bool = True,
        pause: float = 0.0,
    ) -> tuple[HttpAnswer, ...]:
        """Send requests in order, on a fresh state, and stop at the first that gets no answer.

        Args:
            names: what `{{name}}` stands for in them, besides the constants.
            again: whether they are sent although these were sent before; otherwise what was answered then is returned.
            pause: seconds to wait after each request that may change something; such answers are not remembered.

        Raises:
            SandboxFailure: the worker ended or hangs.
        """
        known = {**self.constants, **(names or {})}
        key = json.dumps([requests, known]) if reset else ""
        if key in self._known and not again:
            return self._known[key]
        order = {"requests": list(requests), "reset": reset, "names": known, "pause": pause}
        found = await self._ordered(order, len(requests) + 1)
        self.sent += len(requests)
        if reset and not pause and sum(len(answer.text) for answer in found) < _MOST_REMEMBERED:
            self._known[key] = found
        return found

    async def fuzz(self, order: Json, seconds: float) -> Json:
        """Have Schemathesis send requests for some seconds; see `run_schemathesis.fuzz` for the order and what comes.

        Raises:
            SandboxFailure: the worker ended or hangs.
        """
        line = await self._line({"fuzz": order}, seconds + self._surroundings.start_seconds + 120)
        try:
            told = json.loads(line)
            return dict(told.get("fuzz") or {"failure": str(told["answers"][0]["failure"])})
        except _UNUSABLE as fault:
            raise SandboxFailure("the process that runs Schemathesis gave no usable answer") from fault

    @property
    def seconds_each(self) -> float:
        """How long a sequence of requests took on average, with the reset before it."""
        return self._seconds / max(self._orders, 1)

    async def _ordered(self, order: Json, number: int) -> tuple[HttpAnswer, ...]:
        began = time.monotonic()
        try:
            return await self._answered(order, number)
        finally:
            self._orders += 1
            self._seconds += time.monotonic() - began

    async def _answered(self, order: Json, number: int) -> tuple[HttpAnswer, ...]:
        seconds = self._surroundings.start_seconds + self._surroundings.answer_seconds * number + 30
        line = await self._line(order, seconds)
        try:
            found = json.loads(line)["answers"]
            return tuple(map(self._answer, found))
        except _UNUSABLE as fault:
            raise SandboxFailure("the process that sends requests to the application gave no usable answer") from fault

    async def _line(self, order: Json, seconds: float) -> bytes:
        """Return what the worker answers to an order; raises SandboxFailure where it does not in some seconds."""
        await self._session.send(json.dumps(order).encode())
        try:
            line = await self._session.receive(seconds)
        except TimeoutError:
            line = None
        if line is None:
            raise SandboxFailure("the process that sends requests to the application ended or hung")
        return line

    def _answer(self, answer: Json) -> HttpAnswer:
        return (
            HttpAnswer(failure=self.scrubbed(str(answer["failure"])), broken_link=answer.get("kind") == "link")
            if "failure" in answer
            else HttpAnswer(
                int(answer["status"]),
                dict(answer["headers"]),
                str(answer["text"]),
                crash=crash_in(self.scrubbed(str(answer.get("output") or ""))),
            )
        )

    def scrubbed(self, text: str) -> str:
        """Replace the sandbox's folders in a text by neutral names."""
        for place, name in ((self._workspace.project, "."), (self._workspace.scratch, "<temporary>")):
            text = text.replace(str(place), name)
        return text


_FRAME = re.compile(r'File "\./([^"]+)", line (\d+), in ')
_EXCEPTION = re.compile(r"^(?:[A-Za-z_]\w*\.)*([A-Z]\w*)(?:: (.*))?$", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last):"


def crash_in(output: str) -> str:
    """Return where in the project the last traceback was raised and its exception; empty without such a traceback.

    Args:
        output: what an application printed, with `.` for the project's folder.
    """
    _, known, traceback = output.rpartition(_TRACEBACK)
    frames = [frame for frame in _FRAME.findall(traceback) if "site-packages" not in frame[0]]
    found = _EXCEPTION.search(traceback)
    if not known or not frames or found is None:
        return ""
    path, line = frames[-1]
    return f"{path}:{line}: {found[1]}{f': {found[2]}' if found[2] else ''}"[:300]


@asynccontextmanager
async def open_application(
    target: PythonTarget,
    launch: AppLaunch,
    surroundings: AppConditions | None = None,
    *,
    readable: Sequence[Path] = (),
) -> AsyncGenerator[AppObserver]:
    """Start an application in the sandbox, on a copy of the project; it ends with the context.

    Args:
        readable: more folders that are shown in the sandbox.

    Raises:
        ApplicationFault: it does not start; the message has the end of its output, without secrets.
        SandboxFailure: the sandbox broke.
    """
    surroundings = surroundings or AppConditions()
    async with target.workspace() as workspace:
        program = workspace.program(
            worker_arguments("http.send_requests"),
            environment={"PYTHONHASHSEED": str(surroundings.hash_seed), "TZ": surroundings.zone},
            network="loopback",
            limits=_LIMITS,
            readable=readable,
        )
        begin = {
            "application": launch.application,
            "command": list(launch.command) or None,
            "root": str(workspace.project),
            "import_roots": list(launch.import_roots),
            "environment": {**launch.environment, **target.variables},
            "folder": launch.folder,
            "ready": launch.ready,
            "emptied": list(launch.emptied),
            **{name: getattr(surroundings, name) for name in ("clock", "start_seconds", "answer_seconds")},
        }
        async with target.sandbox.session(program) as session:
            observer = AppObserver(session, workspace, surroundings)
            await session.send(json.dumps(begin).encode())
            line = await _first_line(session, surroundings)
            answer = json.loads(line) if line else {"error": "the process that starts it ended"}
            if "error" in answer:
                raise start_failure(launch, observer.scrubbed(str(answer["error"])), target)
            yield observer


async def _first_line(session: Session, surroundings: AppConditions) -> bytes | None:
    try:
        return await session.receive(surroundings.start_seconds + 30)
    except TimeoutError:
        return None


def start_failure(launch: AppLaunch, why: str, target: PythonTarget) -> ApplicationFault:
    """Build the error for an application that does not start; names the package to install where one is missing."""
    missing = "uvicorn" if "No module named 'uvicorn'" in why else ""
    unset = _unset_variables(why, target.root)
    if unset:
        lines = "".join(f'\n{name} = "…"' for name in unset)
        advice = f"give the application its variables in pyproject.toml:\n[tool.testwright.app.env]{lines}"
        if any(_is_named(target.root, name) for name in unset):
            advice += "\nWhat stands there already holds once you trust the project: `testwright trust`"
    elif missing:
        advice = f"{target.interpreter.path} -m pip install {missing}: it serves the application during the tests"
    elif "No module named" in why:
        advice = f"install what the application needs into its environment ({target.interpreter.path})"
    else:
        advice = "start it by hand in the same environment; if it needs another command, say it with --app-command"
    return ApplicationFault(
        f"The application {launch.label} does not start: {why}",
        advice=advice,
        details={"application": launch.label, "python": sys.version.split()[0]},
    )


def _is_named(root: Path, variable: str) -> bool:
    """Whether the project's file names a variable that the application lacks: its settings are then ignored."""
    try:
        settings = tomllib.loads(read_bytes(root, "pyproject.toml").decode())["tool"]["testwright"]
        return variable in {*settings.get("env", {}), *settings.get("app", {}).get("env", {})}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False  # a file that does not read, or has no such table, was told of before


def _unset_variables(why: str, root: Path) -> list[str]:
    """Return the environment variables that an error says are not set: of pydantic's settings, or a KeyError's."""
    missing = re.findall(r"^(\w+)\n  Field required|validation errors? for (\w+)$", why, re.MULTILINE)
    known = variables_of_fields(root) if any(name for name, _ in missing) else []
    settings: list[str] = []
    owner = ""
    for name, settings_class in missing:
        owner = settings_class or owner
        if name:
            # A field with an alias is told by that, in whatever case it is written.
            own = [one for one in known if name == one.field or name.upper() == one.variable.upper()]
            own.sort(key=lambda one: one.owner != owner)
            settings += [own[0].variable] if own else [name] * ("for Settings" in why)
    return [*dict.fromkeys(settings), *re.findall(r"KeyError: '([A-Z][A-Z0-9_]*)'", why)]
