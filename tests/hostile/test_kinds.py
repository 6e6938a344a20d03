"""Every kind of harm that code can try, in one run each as whoever we are and as an ordinary user: none comes about."""

from __future__ import annotations

import ast
import json
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from testwright.core.exit_code import ExitCode
from testwright.tests.support.hostile.host import file_digests, peak_memory, processes_with
from testwright.tests.support.hostile.projects import hostile_project
from testwright.tests.support.hostile.users import as_ordinary_user
from testwright.tests.support.projects.files import ROOT, Outcome, run_command

pytestmark = pytest.mark.feature("B-05")

MODULES = ROOT / "tests" / "data" / "hostile"
SECRET = "SECRET-OF-THE-HOST-4711"
KINDS = [
    f"{path.stem}.{node.name}"
    for path in sorted(MODULES.glob("*.py"))
    for node in ast.parse(path.read_text("utf-8")).body
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
]
QUICK = {"TRIALS": "10", "MUTANTS": "0", "REPEATS": "1", "STEP_SECONDS": "15", "IMPORT_SECONDS": "5", "JOBS": "2"}
ENVIRONMENT = {f"TESTWRIGHT_{name}": value for name, value in QUICK.items()} | {"SERVICE_TOKEN": SECRET}
MOST_MIB = 6 * 1024
PLACE = '''"""Where the host is."""

HOST, ROOT, PORT, SECRET_BEGINS = {host!r}, {root!r}, {port}, {begins!r}


def _reached(what: str) -> str:
    return "REACHED" + "-" + what
'''


@dataclass
class Listeners:
    """Servers of the host on loopback and on a path: what they heard."""

    folder: Path
    heard: list[bytes] = field(default_factory=list)

    def __enter__(self) -> Listeners:
        self._sockets = _two_at_one_port()
        self.port = self._sockets[0].getsockname()[1]
        for address in (str(self.folder / "socket"), f"\0testwright-hostile{self.folder}"):
            server = socket.socket(socket.AF_UNIX)
            server.bind(address)
            server.listen()
            self._sockets.append(server)
        for one in self._sockets:
            threading.Thread(target=self._listen, args=(one,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # closing alone leaves a thread that waits in accept()
            one.close()

    def _listen(self, one: socket.socket) -> None:
        try:
            while True:
                if one.type == socket.SOCK_DGRAM:
                    self.heard.append(one.recv(1000))
                else:
                    with one.accept()[0] as client:
                        self.heard.append(b"connected")
                        client.settimeout(1)
                        self.heard.append(client.recv(1000))
        except OSError:
            return


def _two_at_one_port() -> list[socket.socket]:
    """A listener for connections and one for datagrams; others may have taken a port for the second kind alone."""
    while True:
        listener, datagrams = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            datagrams.bind(listener.getsockname())
        except OSError:
            listener.close()
            datagrams.close()
        else:
            return [listener, datagrams]


@dataclass(frozen=True)
class Harmed:
    """A run of all kinds: what came of it, and the host before and after."""

    outcome: Outcome
    text: str
    heard: list[bytes]
    before: dict[str, str]
    after: dict[str, str]
    project_before: dict[str, str]
    project_after: dict[str, str]
    left: list[str]
    memory_mib: int
    targets: dict[str, str]


@pytest.fixture(scope="module", params=["as we are", "as an ordinary user"])
def harmed(request: pytest.FixtureRequest) -> Iterator[Harmed]:
    folder = Path(tempfile.mkdtemp(prefix="tw-kinds-", dir="/tmp"))  # others must be able to enter it
    try:
        folder.chmod(0o755)
        through = as_ordinary_user(folder) if request.param == "as an ordinary user" else ()
        yield _run(folder, through)
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(f"{folder}.kept", ignore_errors=True)


def _run(folder: Path, through: Sequence[str]) -> Harmed:
    host, root = folder / "host", folder / "project"
    for name in ("marks", "home/.ssh"):
        (host / name).mkdir(parents=True)
    for name in ("secret", "home/.ssh/id_rsa"):
        (host / name).write_text(SECRET)
    (host / "notes").write_text("of the user")
    with Listeners(host) as listeners:
        place = PLACE.format(host=str(host), root=str(root), port=listeners.port, begins=SECRET[:10])
        modules = {f"src/pk/{path.name}": path.read_text("utf-8") for path in MODULES.glob("*.py")}
        hostile_project(root, {"src/pk/place.py": place, **modules})
        before, project_before = file_digests(host), file_digests(root)
        environment = {**ENVIRONMENT, "HOME": str(host / "home"), "XDG_CONFIG_HOME": str(folder / "config")}
        with peak_memory() as peak:
            outcome = run_command(
                *("run", "unit tests for everything", "--root", os.fspath(root), "--fresh"),
                cwd=folder,
                environment=environment,
                through=through,
            )
        heard = list(listeners.heard)
    report = sorted((root / ".testwright" / "runs").glob("*/report.json"))
    targets = {one["path"]: one["status"] for one in json.loads(report[0].read_text())["targets"]} if report else {}
    written = [path for path in root.rglob("*") if path.is_file() and "src" not in path.relative_to(root).parts[:1]]
    text = "\n".join([outcome.out, outcome.err, *(path.read_text("utf-8", "replace") for path in written)])
    return Harmed(
        *(outcome, text, heard, before, file_digests(host), project_before, file_digests(root)),
        processes_with(str(root)) + processes_with("testwright-hostile-daemon"),
        peak.mib,
        targets,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_it_reaches_nothing(kind: str, harmed: Harmed) -> None:
    name = kind.partition(".")[2]
    assert f"REACHED-{name}" not in harmed.text
    assert not any(name.encode() in heard for heard in harmed.heard)
    assert f"marks/{name}" not in harmed.after


def test_every_kind_was_tried(harmed: Harmed) -> None:
    assert {f"src/pk/{path.name}" for path in MODULES.glob("*.py")} <= set(harmed.targets)


def test_the_good_module_gets_its_tests_all_the_same(harmed: Harmed) -> None:
    """One module ends its test process, another hides its results: that is their own matter."""
    assert harmed.outcome.code == ExitCode.PARTIAL, harmed.outcome
    assert {harmed.targets[f"src/pk/{name}.py"] for name in ("files", "greedy", "tampering")} <= {"failed", "skipped"}
    assert harmed.targets["src/pk/good.py"] == "completed"
    assert "added: tests/generated/pk/test_pk_good.py" in harmed.outcome.out
    assert "assert double(" in harmed.text


def test_no_file_of_the_host_changed(harmed: Harmed) -> None:
    # What names our caches in projects is made once for each user, by us.
    secret = "home/.cache/testwright/secret"
    assert {name: found for name, found in harmed.after.items() if name != secret} == harmed.before
    assert harmed.project_after.items() <= harmed.project_before.items()


def test_nobody_was_called_and_no_secret_was_seen(harmed: Harmed) -> None:
    assert harmed.heard == []
    assert "REACHED-" not in harmed.text
    assert SECRET not in harmed.text
    assert "forged" not in harmed.outcome.out


def test_no_process_was_left_and_memory_stayed_in_its_bounds(harmed: Harmed) -> None:
    assert harmed.left == []
    assert harmed.memory_mib < MOST_MIB


def test_what_is_shown_steers_no_terminal(harmed: Harmed) -> None:
    assert all(char.isprintable() or char in "\n\t" for char in harmed.outcome.out + harmed.outcome.err)
