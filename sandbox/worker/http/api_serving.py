"""Serves the application under test in this process: `python api_serving.py CONFIG`, started by api_process.py.

It imports the application once; each time it is asked it throws the serving process away and forks a fresh one.
CONFIG is JSON: {"application" or "command", "ready", "import_roots", "project", "folder", "copy", "writable",
"emptied", "settle"}. With a list of folders as `writable`, the application can change files below them only, and finds
`emptied` databases without rows: see `Confinement`. Without `settle`, requests do not wait for what follows the answers
before them: see `settled`.
"""

import asyncio
import contextlib
import errno
import gc
import http.client
import importlib
import inspect
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import urllib.parse
from typing import Any

LOOPBACK = "127.0.0.1"
STOP_SECONDS = 20.0
SETTLE_SECONDS = 2.0
SURROUNDINGS = re.compile(
    r"PATH|HOME|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|LOGNAME|USER|USERNAME|TERM|SHELL|VIRTUAL_ENV"
    r"|(API_|LC_|LD_|DYLD_|PYTHON|COV|CONDA_|SSL_CERT_).*"
)
NOTED = re.compile(r"alembic_version|schema_version|\w*migrat\w*|django_(content_type|site)|auth_permission")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Audit events of changes to files: which of their arguments are paths, and which the open folders these start from.
CHANGES = {
    **dict.fromkeys(("open", "os.truncate", "sqlite3.connect"), ((0, None),)),
    **dict.fromkeys(("os.remove", "os.rmdir"), ((0, 1),)),
    **dict.fromkeys(("os.chmod", "os.mkdir"), ((0, 2),)),
    **dict.fromkeys(("os.chown", "os.utime"), ((0, 3),)),
    **{"os.link": ((1, 3),), "os.symlink": ((1, 2),), "os.rename": ((0, 2), (1, 3))},
}


def main(config):
    """Serve until standard input ends. Speaks one JSON line for each line it reads."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)  # by lines
    os.dup2(2, 1)

    def answer(**facts):
        answers.write(json.dumps(facts) + "\n")

    child = None
    if config.get("variables") is not None:
        leave_out(config["variables"])
    try:
        if config.get("writable") and not config["command"]:
            emptied = config.get("emptied", ())
            Confinement(config["folder"], config["writable"], config.get("project", ""), emptied).install()
        if config["command"]:
            child = _Started(config["command"], config["folder"], config.get("ready", ""))
        else:
            sys.path[:0] = [import_root for import_root in config["import_roots"] if import_root not in sys.path]
            application = with_own_database(load(config["application"]))
            if hasattr(os, "fork") and threading.active_count() == 1:
                prepare(application)
            serve = server_of(application, settle=config.get("settle", True))
            lonely = hasattr(os, "fork") and threading.active_count() == 1
            child = _Forked(serve) if lonely else _Here(serve)
        folder = _Folder(config["folder"], config["copy"])
        gc.collect()
        gc.freeze()  # a collection in a fork would copy the memory that it shares with this process
        for line in sys.stdin:
            child.stop()
            if line.strip() == "keep":
                folder.keep()
            elif line.strip() == "first":
                folder.forget()
            folder.restore()
            child.start(answer)
    except BaseException as error:
        traceback.print_exc()
        answer(error=f"{type(error).__name__}: {error}")
    finally:
        if child is not None:
            child.stop()
    os._exit(0)


def leave_out(own):
    """Remove the variables that are neither the application's own nor needed by any process: a developer's, say."""
    for name in [one for one in os.environ if one not in own and not SURROUNDINGS.fullmatch(one)]:
        del os.environ[name]


def load(name):
    """The application that `package.module:attribute` names, `()` behind it calls it first."""
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    for part in attribute.replace("()", "").split("."):
        found = getattr(found, part)
    return found() if attribute.endswith("()") and callable(found) else found


def with_own_database(application, place=os.path.abspath):
    """The application; one of Django gets its own migrated databases, a superuser of its variables, no checks of forms.

    Args:
        place: the file of a database of SQLite, by its name; None for one in memory. Those of a server stay.
    """
    if not type(application).__module__.startswith("django."):
        return application
    modules = (importlib.import_module(f"django.{name}") for name in ("conf", "test.utils", "core.management"))
    settings, utils, management = modules
    from django.db import connections

    if any(one.vendor not in ("sqlite", "unknown") for one in connections.all()):
        return application
    for one in connections.all():
        one.settings_dict["TEST"]["NAME"] = place(f"{one.alias}.sqlite3")
    utils.setup_test_environment(debug=False)
    settings.settings.ALLOWED_HOSTS = [*settings.settings.ALLOWED_HOSTS, LOOPBACK]
    utils.setup_databases(verbosity=0, interactive=False)
    if "DJANGO_SUPERUSER_PASSWORD" in os.environ:
        with contextlib.suppress(management.CommandError):  # it has no users, or one of that name
            management.call_command("createsuperuser", interactive=False, verbosity=0)
    if place("") is not None:
        connections.close_all()  # a fork of this process opens its own
        importlib.import_module("django.core.signals").got_request_exception.connect(_print_error)
    application.request_class._dont_enforce_csrf_checks = True  # as in Django's own tests
    return application


def _print_error(**_):
    """Print the exception that a request ends with: Django tells administrators of it by mail, and nobody else."""
    traceback.print_exc()


def prepare(application):
    """Do before any fork what the first answer would do once, and each fork again: it takes longer than most answers.

    That is to import the routes of Django, and to tell the classes that SQLAlchemy maps from each other. What fails, or
    starts a thread, is left to the answers: SQLAlchemy remembers a failure for good.
    """
    if type(application).__module__.startswith("django.") and _succeeds_in_fork(_import_routes):
        _import_routes()
    mapping = sys.modules.get("sqlalchemy.orm")
    if mapping is not None and _succeeds_in_fork(mapping.configure_mappers):
        mapping.configure_mappers()


def _import_routes():
    urls, db = importlib.import_module("django.urls"), importlib.import_module("django.db")
    with contextlib.suppress(urls.Resolver404):  # nothing is there
        urls.resolve("/-/")
    db.connections.close_all()  # a fork of this process opens its own


def _succeeds_in_fork(act):
    """Whether an act ends well in a fork of this process, and leaves no thread."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            act()
            code = int(threading.active_count() > 1)
        finally:  # whatever it raises, a fork never returns to what this process does
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


class Confinement:
    """Keeps the application under test from changing files of the user's.

    A database of SQLite outside the writable folders, or in a folder that only the project has, is opened as a copy in
    the working folder, so that each reset of the folder resets it, too. Any other change outside them raises
    PermissionError. What is imported and what other processes do is not seen: it is for modules written in Python and
    for sqlite3.

    Args:
        folder: the application's working folder.
        writable: folders that it may change files below.
        project: the folder in which it is started usually, and finds a database in a folder below it.
        emptied: databases that are opened without their rows, those of migrations excepted.
    """

    def __init__(self, folder, writable, project="", emptied=()):
        self._folder, self._project = os.path.abspath(folder), project
        self._emptied = {os.path.realpath(one) for one in emptied}
        self._writable = [os.path.realpath(one) + os.sep for one in (folder, *writable)]
        self._connect: Any = None

    def install(self):
        """Guard this process and its forks from now on; it cannot be undone."""
        with contextlib.suppress(ImportError):
            import sqlite3
            from sqlite3 import dbapi2

            self._connect = sqlite3.connect
            sqlite3.connect = dbapi2.connect = self._connect_inside
        sys.addaudithook(self._refuse)

    def _connect_inside(self, database, *arguments, **options):
        uri = bool(options.get("uri")) and str(database).startswith("file:")
        path, _, query = os.fsdecode(database).partition("?") if uri else (os.fsdecode(database), "", "")
        path = urllib.parse.unquote(path.removeprefix("file:")) if uri else path
        in_memory = path in ("", ":memory:") or "mode=memory" in query.split("&")
        if in_memory or (self._is_writable(path) and not self._project_file(path)):
            return self._connect(database, *arguments, **options)
        path = self._project_file(path) or path
        copy = os.path.join(self._folder, ".databases", os.path.realpath(path).strip(os.sep).replace(os.sep, "-"))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        is_new = not os.path.exists(copy)
        for end in ("", "-wal"):  # what was committed last may not have reached the database's own file yet
            if os.path.isfile(path + end) and not os.path.exists(copy + end):
                shutil.copyfile(path + end, copy + end)
        if is_new and os.path.realpath(path) in self._emptied:
            self._empty(copy)
        named = f"file:{urllib.parse.quote(copy)}?{query}" if uri else copy
        return self._connect(named, *arguments, **options)

    def _empty(self, path):
        """Remove the rows of all tables of a database but those in which migrations are noted."""
        with contextlib.closing(self._connect(path)) as database, database:
            made = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
            virtual = tuple(f"{name}_" for _, name, sql in made if re.match("CREATE VIRTUAL", sql or ""))
            triggers = [(name, sql) for kind, name, sql in made if kind == "trigger"]
            for name, _ in triggers:  # they would note what is removed
                database.execute(f'DROP TRIGGER "{name}"')
            for kind, name, _ in made:
                # Tables that a virtual one is kept in change with it.
                if kind == "table" and not NOTED.fullmatch(name) and not name.startswith(virtual):
                    database.execute(f'DELETE FROM "{name}"')
            for _, sql in triggers:
                database.execute(sql)

    def _project_file(self, path):
        """The database that a path in the working folder means where the application is started in the project.

        None where the working folder has what the path needs: a database there is a fresh one.
        """
        full = os.path.abspath(path)
        if os.path.isdir(os.path.dirname(full)) or not full.startswith(os.path.join(self._folder, "")):
            return None
        found = os.path.join(self._project, os.path.relpath(full, self._folder))
        return found if self._project and os.path.isfile(found) else None

    def _is_writable(self, path):
        full = os.path.realpath(path)
        below = any(full.startswith(folder) or full + os.sep == folder for folder in self._writable)
        return below or full.startswith(("/dev/", "/proc/")) or "__pycache__" in full

    def _refuse(self, event, arguments):
        places = CHANGES.get(event)
        if places is None or (event == "open" and not (isinstance(arguments[2], int) and arguments[2] & WRITING)):
            return
        for at, start in places:
            path = arguments[at]
            if isinstance(path, int) or (event == "sqlite3.connect" and _is_in_memory(path)):
                continue
            text = os.fsdecode(path)
            if start is not None and isinstance(arguments[start], int) and arguments[start] >= 0:
                text = os.path.join(os.readlink(f"/proc/self/fd/{arguments[start]}"), text)
            if not self._is_writable(text.removeprefix("file:").partition("?")[0] if "connect" in event else text):
                raise PermissionError(
                    errno.EACCES, "the application under test may change files below its temporary folder only", text
                )


def _is_in_memory(database):
    text = os.fsdecode(database)
    return text in ("", ":memory:") or (text.startswith("file:") and "memory" in text)


def is_async(application):
    """Whether an application is one of ASGI; of WSGI else."""
    return inspect.iscoroutinefunction(application) or inspect.iscoroutinefunction(type(application).__call__)


def server_of(application, settle=True):
    """A function that serves an application on a listening socket, for ever."""
    if not is_async(application):
        return lambda listener: _serve_wsgi(application, listener)
    import uvicorn

    config = uvicorn.Config(settled(application) if settle else application, log_level="warning", timeout_keep_alive=1)
    config.load()
    asyncio.run(asyncio.sleep(0))
    # What the first answer would import, or make of its route, is there before any fork.
    for name in ("anyio._backends._asyncio", "uvicorn.loops.uvloop", "concurrent.futures.thread", "email.message"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for route in getattr(getattr(application, "router", None), "routes", ()):
        with contextlib.suppress(Exception):
            route.matches({"type": "http", "method": "GET", "path": "/-", "root_path": "", "headers": []})
    return lambda listener: uvicorn.Server(config).run(sockets=[listener])


def settled(application):
    """An application of ASGI that begins with a request when it is done with the one before, such as with its commit.

    Some frameworks commit after the answer was sent: who reads at once would be told what was there before. Requests
    that come while others are not answered do not wait, and none waits longer than SETTLE_SECONDS. What was waited for
    in vain is not waited for again.
    """
    asked, answered = set(), set()

    async def answer(scope, receive, send):
        task: Any = asyncio.current_task()

        async def sending(message):
            if message["type"] == "http.response.body" and not message.get("more_body"):
                asked.discard(task)
                answered.add(task)
                task.add_done_callback(answered.discard)
            await send(message)

        if answered and not asked:
            _, pending = await asyncio.wait(answered, timeout=SETTLE_SECONDS)
            answered.difference_update(pending)
        if scope["type"] == "http":
            asked.add(task)
            task.add_done_callback(asked.discard)
        await application(scope, receive, sending)

    return answer


def _serve_wsgi(application, listener):
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

    class Handler(WSGIRequestHandler):
        def log_message(self, format, *args):  # noqa: A002 - the name of the base class
            pass

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

    server = Server(listener.getsockname(), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = listener.getsockname()[:2]
    server.setup_environ()
    server.set_app(application)
    server.serve_forever()


def _listener():
    listener = socket.create_server((LOOPBACK, 0), backlog=128)
    # Connections take it over: without it every second answer on a connection comes 40 ms late.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class _Forked:
    """Each start is a fork of this process, which has imported the application and done nothing else."""

    def __init__(self, serve):
        self._serve, self._pid = serve, 0

    def start(self, answer):
        listener = _listener()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                self._serve(listener)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(1)
        answer(port=listener.getsockname()[1], again=True)
        listener.close()  # only the child holds it: when that dies, connections are refused at once

    def stop(self):
        if not self._pid:
            return
        pid, self._pid = self._pid, 0
        if gentle := os.environ.get("API_STOP_SIGNAL"):  # lets it write down what was measured
            os.kill(pid, getattr(signal, gentle))
            if _ended_soon(pid):
                return
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _ended_soon(pid):
    """Wait for a child for some seconds; whether it has ended."""
    until = time.monotonic() + STOP_SECONDS
    while time.monotonic() < until:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return True
        time.sleep(0.002)
    return False


class _Here:
    """Serves in this process, where it cannot be forked; it has to be started anew for another state."""

    def __init__(self, serve):
        self._serve = serve

    def start(self, answer):
        listener = _listener()
        threading.Thread(target=_end_with_input, daemon=True).start()
        answer(port=listener.getsockname()[1], again=False)
        self._serve(listener)
        raise RuntimeError("the server has ended")

    def stop(self):
        pass


def _end_with_input():
    sys.stdin.read()
    os._exit(0)


class _Started:
    """Each start runs a command and waits for its port, and for a path to answer where one is named."""

    def __init__(self, command, folder, ready=""):
        self._command, self._folder, self._ready = command, folder, ready
        self._process: Any = None

    def start(self, answer):
        for _ in range(3):
            with socket.socket() as probe:
                probe.bind((LOOPBACK, 0))
                port = probe.getsockname()[1]
            command = [one.replace("{port}", str(port)) for one in self._command]
            environment = {**os.environ, "PORT": str(port)}
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=self._folder, env=environment)
            if self._wait_for(port):
                answer(port=port, again=True)
                return
        answer(error=f"{self._command[0]} ended with code {self._process.returncode}")

    def _wait_for(self, port):
        """Whether the port takes connections, and the path answers, before the process ends."""
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self._is_ready(port):
                    return self._process.poll() is None
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=0.02)
                return False

    def _is_ready(self, port):
        if not self._ready:
            socket.create_connection((LOOPBACK, port), timeout=1).close()
            return True
        with contextlib.closing(http.client.HTTPConnection(LOOPBACK, port, timeout=5)) as connection:
            connection.request("GET", self._ready)
            return connection.getresponse().status < 400

    def stop(self):
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=3)
            process.kill()
            process.wait()


class _Folder:
    """The application's working folder, put back to what it held when the application had been imported."""

    def __init__(self, folder, copy):
        self._folder, self._copy, self._first = folder, copy, copy
        if copy:
            shutil.copytree(folder, copy)

    def keep(self):
        """From now on put the folder back to what it holds now."""
        if self._first:
            self.forget()
            self._copy = self._first + "-kept"
            shutil.copytree(self._folder, self._copy)

    def forget(self):
        """From now on put the folder back to what it held at first."""
        if self._copy != self._first:
            shutil.rmtree(self._copy)
            self._copy = self._first

    def restore(self):
        if not self._copy:
            return
        for folder, folders, files in os.walk(self._folder, topdown=False):
            original = os.path.join(self._copy, os.path.relpath(folder, self._folder))
            for name in files:
                if not os.path.isfile(os.path.join(original, name)):
                    os.unlink(os.path.join(folder, name))
            for name in folders:
                if not os.path.isdir(os.path.join(original, name)):
                    shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
        # Files are written over in place: the application may hold one of them open, such as a database.
        shutil.copytree(self._copy, self._folder, dirs_exist_ok=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
