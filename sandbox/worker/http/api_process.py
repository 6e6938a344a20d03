"""The application under test, in a process of its own on a free port, and requests to it.

With API_BASE_URL set, the tests speak to the server there instead, whose state is not reset. API_LAUNCHER (a command as
a JSON list) starts api_serving.py in another way, as measuring its coverage needs.
"""

import contextlib
import http.client
import json as json_module
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"
READING = ("GET", "HEAD", "OPTIONS", "TRACE")
START_SECONDS, ANSWER_SECONDS, STOP_SECONDS = 60.0, 30.0, 30.0
SIGNED_IN_SECONDS = 120.0
FORM = "application/x-www-form-urlencoded"
_BOUNDARY = "----the-next-field-of-this-form"
_NO_BODY = object()


class ApplicationFailure(Exception):
    """The application does not start, died or does not answer; the message holds the end of what it printed."""


class EndlessAnswer(ApplicationFailure):
    """The answer is a stream of events."""


class Response:
    """An answer; names of `headers` are in small letters, `cookies` is what a browser would send back."""

    def __init__(self, status, headers, text, seconds=0.0, cookies=""):
        self.status, self.headers, self.text = status, headers, text
        self.seconds, self.cookies = seconds, cookies

    json = property(lambda self: json_module.loads(self.text))

    def succeeded(self):
        """This answer, if it is one of success; an AssertionError otherwise."""
        if self.status >= 400:
            raise AssertionError(f"the request was to succeed, but the answer is {self}")
        return self

    def __repr__(self):
        return f"<{self.status} {self.text[:500]!r}>"


def _verb(method):
    def ask(self, path, **more):
        return self.request(method, path, **more)

    return ask


class _Verbs:
    """A method for each of HTTP's."""

    get, post, put, patch, delete = map(_verb, ("GET", "POST", "PUT", "PATCH", "DELETE"))


class User(_Verbs):
    """The application as a user asks it who has signed in; made by `Application.as_user`."""

    def __init__(self, application, name):
        self._application = application
        self._name = name

    def request(self, method, path, *, headers=None, **more):
        """Send one request with what the user has of signing in; see `Application.request`."""
        own, given = self._application.headers_of(self._name), headers or {}
        sent = {**own, **given}
        if "Cookie" in own and "Cookie" in given:
            sent["Cookie"] = f"{own['Cookie']}; {given['Cookie']}"
        return self._application.request(method, path, headers=sent, **more)

    def reset(self):
        self._application.reset()


class Application(_Verbs):
    """The application, started when it is entered or first asked, stopped when it is left.

    Args:
        application: `package.module:attribute`, with `()` behind it for a function that makes one (ASGI or WSGI).
        command: what starts it instead; `{port}` in it stands for the port.
        base_url: where it runs already, if nothing is to be started.
        root: the project's folder.
        import_roots: folders in it that modules are imported from.
        environment: variables for the application, which it gets whatever is set here.
        folder: where it runs; a temporary folder, emptied at each reset, if None.
        ready: a path that answers below 400 once what the command starts is ready; its port is enough without.
        started_here: whether it is started in any case, wherever API_BASE_URL points.
        sign_in: a function of the application that signs its users in and returns the headers of each by name.
        alone: whether it gets no other variables of its surroundings than those that any process needs.
        emptied: databases of the project that it finds without their rows: these are a developer's, and no test's.
        keeps_users: whether they outlive a reset, so that they sign in once: what it keeps in files then does.
    """

    def __init__(
        self,
        application=None,
        *,
        command=None,
        base_url="",
        root=".",
        import_roots=(),
        environment=None,
        folder=None,
        ready="",
        launcher=None,
        started_here=False,
        sign_in=None,
        keeps_users=False,
        alone=False,
        emptied=(),
    ):
        self._application = application
        self._command = command
        self._root = Path(root).resolve()
        self._import_roots = [str(self._root / import_root) for import_root in import_roots]
        self._environment = dict(environment or {})
        self._folder, self._alone, self._ready = folder, alone, ready
        self._emptied = [str(self._root / one) for one in emptied]
        told = os.environ.get("API_LAUNCHER")
        self.settles = True  # whether requests wait for what follows the answers before them, such as late commits
        self._launcher = launcher or (json_module.loads(told) if told else _serving())
        self._process: Any = None
        self._temporary: Any = None
        self.process_id: Any = None  # of what starts the application
        self._changed, self._can_reset = False, True
        self.base_url = (base_url if started_here else os.environ.get("API_BASE_URL", base_url)).rstrip("/")
        self._elsewhere = bool(self.base_url)
        self._sign_in, self._keeps_users = sign_in, keeps_users
        self._users: dict | None = None
        self._signed_in = 0.0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Start the application and wait until it takes connections."""
        if self._elsewhere or self._process is not None:
            return
        self._temporary = tempfile.TemporaryDirectory(prefix="api-")
        place = Path(self._temporary.name)
        for name in ("work", "home", "tmp"):
            (place / name).mkdir()
        self._log = (place / "output.txt").open("w+b")
        config = {
            "application": self._application,
            "command": self._command and [self._in_project(one) for one in _with_python(self._command)],
            "ready": self._ready,
            "settle": self.settles,
            "variables": list(self._environment) if self._alone else None,
            "import_roots": self._import_roots,
            "project": str(self._root),
            "emptied": self._emptied,
            "folder": str(self._root / self._folder) if self._folder else str(place / "work"),
            "copy": "" if self._folder else str(place / "copy"),
            "writable": [] if self._folder else [str(place / one) for one in ("home", "tmp", "copy", "copy-kept")],
        }
        # Settings and data of the user's own that are found by way of the home folder stay as they are.
        own = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        path = os.pathsep.join(dict.fromkeys([*self._import_roots, *(one for one in sys.path if one)]))
        own |= {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp"), "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(
            [*self._launcher, json_module.dumps(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=config["folder"],
            env={**own, **self._environment},
            start_new_session=True,
        )
        self.process_id = self._process.pid
        self._lines = queue.Queue()
        threading.Thread(target=self._read, args=(self._process, self._lines), daemon=True).start()
        try:
            self._fresh()
        except BaseException:
            self.stop(patience=1.0)
            raise

    def _in_project(self, word):
        """A word of the command, spelled in full where it names a file of the project: it runs elsewhere."""
        return str(self._root / word) if (self._root / word).is_file() else word

    def stop(self, patience=STOP_SECONDS):
        """End the application and everything it started; `patience` are the seconds it has to end by itself."""
        process, self._process, self.process_id = self._process, None, None
        self._users = None  # what they signed in to ends with the process
        if process is None:
            return
        with contextlib.suppress(OSError):  # it may have ended before it took what it was told
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=patience)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        process.stdout.close()
        self._log.close()
        self._temporary.cleanup()
        self._changed = False

    def reset(self):
        """Put the application back to the state after its start, if anything may have changed since."""
        if self._elsewhere or (self._process is not None and not self._changed):
            return
        if self._process is not None and not self._can_reset:
            self.stop()
        if self._process is None:
            self.start()
        else:
            self._fresh()

    def fresh(self):
        """Put it back to the state after its start, whoever has changed it since: a browser, say."""
        self._changed = True
        self.reset()

    def sign_in_by(self, sign_in, *, keeps):
        """Have users sign in by this function from now on, on a state as after the start."""
        self._sign_in, self._keeps_users, self._users = sign_in, keeps, None
        self.start()
        self._fresh("first")

    def as_user(self, name):
        """The application as this user asks it."""
        return User(self, name)

    def headers_of(self, name):
        """What a user's requests have for having signed in."""
        self.start()
        if self._users is None and self._sign_in is not None:
            self._users = self._sign_in(self)
        return (self._users or {})[name]

    @property
    def environment(self):
        """The values of its variables by name."""
        return dict(self._environment)

    def request(
        self, method, path, *, query=None, headers=None, json=_NO_BODY, form=None, content=None, media_type=None
    ):
        """Send one request and read the answer.

        Args:
            query: values by name; a list repeats the parameter.
            json: a body, sent as JSON.
            form: the fields of a form; in one of the media type multipart/form-data a file is {"filename", "content"}.
            content: a body as text, sent as `media_type`.
        """
        self.start()
        if json is not _NO_BODY:
            content, media_type = json_module.dumps(json), media_type or "application/json"
        if form is not None:
            content, media_type = _form(form, media_type or FORM)
        sent = dict(headers or {})
        if media_type:
            sent["Content-Type"] = media_type
        address = urllib.parse.urlsplit(self.base_url)
        target = address.path + urllib.parse.quote(path, safe="/%:@!$&'()*+,;=~-._")
        if query:
            target += "?" + urllib.parse.urlencode({name: _text(one) for name, one in query.items()}, doseq=True)
        https = address.scheme == "https"
        connection = (http.client.HTTPSConnection if https else http.client.HTTPConnection)(
            address.hostname or LOOPBACK, address.port, timeout=ANSWER_SECONDS
        )
        began, answer = time.monotonic(), None
        try:
            connection.request(method, target, body=None if content is None else content.encode(), headers=sent)
            answer = connection.getresponse()
            text = _whole(answer, began + ANSWER_SECONDS).decode("utf-8", "replace")
        except socket.timeout as error:
            self._changed, self._can_reset = True, False
            if answer is not None and "event-stream" in (answer.getheader("Content-Type") or ""):
                raise EndlessAnswer(f"{method} {path} answers a stream without an end") from error
            raise ApplicationFailure(f"{method} {path} was not answered in {ANSWER_SECONDS:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            self._changed = True
            raise ApplicationFailure(f"{method} {path} was not answered: {error}{self._account()}") from error
        finally:
            connection.close()
        # A reading may count its readers, a refusal its attempts; it is guessed only where a reset is a slow start.
        quick = self._can_reset and not self._command
        if quick or (method not in READING and not 400 <= answer.status < 500):
            self._changed = True
        received = {name.lower(): value for name, value in answer.getheaders()}
        cookies = [value.partition(";")[0] for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        return Response(answer.status, received, text, time.monotonic() - began, "; ".join(cookies))

    def output(self, letters=2000, since=0):
        """The end of what the application printed, from the byte `since` on, without its variables' values."""
        if self._process is None:
            return ""
        with open(self._log.name, "rb") as log:
            log.seek(since)
            text = log.read().decode("utf-8", "replace")
        for value in self._environment.values():
            text = text.replace(value, "***") if len(value) > 5 else text
        return text.strip()[-letters:]

    def printed(self):
        """How many bytes the application has printed."""
        return os.fstat(self._log.fileno()).st_size if self._process is not None else 0

    def _fresh(self, how="fresh"):
        signed_in = self._keeps_users and self._users
        # Tokens may be good for a few minutes only: who has signed in once does so again before they end.
        if signed_in and time.monotonic() > self._signed_in + SIGNED_IN_SECONDS:
            how, signed_in = "first", None
        self._renew(how)
        if self._sign_in is not None and not signed_in:
            self._users = {}  # nobody, while they sign in
            self._users = self._sign_in(self)
            self._signed_in = time.monotonic()
            if self._keeps_users:
                self._renew("keep")
        self._changed = False

    def _renew(self, how):
        """Serve a fresh process; `keep` has later ones begin with the files of now, `first` with those of the start."""
        self._process.stdin.write(f"{how}\n".encode())
        with contextlib.suppress(OSError):
            self._process.stdin.flush()
        answer = self._answer()
        if "port" not in answer:
            raise ApplicationFailure(f"the application does not start: {answer.get('error')}{self._account()}")
        self.base_url = f"http://{LOOPBACK}:{answer['port']}"
        self._can_reset = bool(answer["again"])

    def _answer(self):
        try:
            line = self._lines.get(timeout=START_SECONDS)
        except queue.Empty:
            return {"error": f"it was not ready in {START_SECONDS:g} s"}
        return json_module.loads(line) if line else {"error": f"it ended with code {self._process.wait()}"}

    def _account(self):
        text = self.output()
        return f"\nThe end of what it printed:\n{text}" if text else ""

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(b"")


def _whole(answer, until):
    """The body of an answer; the time limit of a connection is one for each piece, and pieces may come for ever."""
    body = b""
    while piece := answer.read1(65536):
        body += piece
        if time.monotonic() > until:
            raise socket.timeout
    return body


def _with_python(command):
    """The words of a command; a program that there is not is that of the environment which runs the tests."""
    (first, *rest), python = command, Path(sys.executable)
    beside = python if first in ("python", "python3") else python.with_name(first.rpartition("/bin/")[2])
    return list(command) if shutil.which(first) or not beside.is_file() else [str(beside), *rest]


def _serving():
    """The command that serves the application."""
    import api_serving

    return [sys.executable, os.path.abspath(api_serving.__file__)]


def _form(fields, media_type):
    """A form as it is sent, and its media type."""
    texts: dict[str, Any] = {name: field if _is_file(field) else _text(field) for name, field in fields.items()}
    if not media_type.startswith("multipart/"):
        return urllib.parse.urlencode(texts, doseq=True), media_type
    parts = []
    for name, value in texts.items():
        for one in value if isinstance(value, list) else [value]:
            head = f'Content-Disposition: form-data; name="{name}"'
            if _is_file(one):
                head += f'; filename="{one["filename"]}"\r\nContent-Type: application/octet-stream'
                one = one["content"]
            parts.append(f"--{_BOUNDARY}\r\n{head}\r\n\r\n{one}\r\n")
    return f"{''.join(parts)}--{_BOUNDARY}--\r\n", f"{media_type}; boundary={_BOUNDARY}"


def _is_file(value):
    return isinstance(value, dict) and "filename" in value


def _text(value):
    if isinstance(value, (list, tuple)):
        return [_text(one) for one in value]
    return str(value).lower() if isinstance(value, bool) else str(value)
