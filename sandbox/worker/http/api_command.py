"""Starts the application under test by its command on a free port, anew after changes, and sends it requests.

With API_BASE_URL set, the tests speak to the server there instead, whose state is not reset.
"""

import contextlib
import http.client
import json as json_module
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

START_SECONDS, ANSWER_SECONDS = 60.0, 30.0
# What any process needs of its surroundings; nothing else of a developer's shell reaches the application.
NEEDED = re.compile(r"PATH|TZ|LANG|LOGNAME|USER|TERM|SHELL|VIRTUAL_ENV|(API_|LC_|LD_|DYLD_|PYTHON|SSL_CERT_).*")

BOUNDARY = "----the-next-field-of-this-form"


class Response:
    """An answer; names of `headers` are in small letters, `cookies` is what a browser would send back."""

    def __init__(self, status, headers, text, seconds):
        self.status, self.text, self.seconds = status, text, seconds
        self.headers = {name.lower(): value for name, value in headers}
        self.cookies = "; ".join(value.partition(";")[0] for name, value in headers if name.lower() == "set-cookie")

    json = property(lambda self: json_module.loads(self.text))

    def succeeded(self):
        assert self.status < 400, f"the request was to succeed, but the answer is {self.status} {self.text[:500]}"
        return self


class Application:
    """The application as the user `name` asks it, or nobody; started when it is first asked."""

    def __init__(self, command, *, root, ready="", import_roots=(), environment=None, sign_in=None):
        words = [str(root / word) if (root / word).is_file() else word for word in command]
        # A program that there is not is that of the environment which runs the tests.
        own = Path(sys.executable)
        beside = own if words[0] in ("python", "python3") else own.with_name(words[0].rpartition("/bin/")[2])
        self._command = words if shutil.which(words[0]) or not beside.is_file() else [str(beside), *words[1:]]
        self._path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), *(str(root / one) for one in import_roots)])
        self._environment, self._ready, self._sign_in = dict(environment or {}), ready, sign_in
        self._address = os.environ.get("API_BASE_URL", "").rstrip("/")
        self._elsewhere, self._changed = bool(self._address), False
        self._process: subprocess.Popen | None = None
        self._users: dict | None = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Start the application and wait until it answers."""
        # A command may end and leave a server behind.
        if self._elsewhere or (self._process is not None and (self._process.poll() is None or self._answers())):
            return
        self.stop()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = str(probe.getsockname()[1])
        self._folder = tempfile.mkdtemp(prefix="api-")
        try:
            self._process = self._run(port)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._address, until = f"http://127.0.0.1:{port}", time.monotonic() + START_SECONDS
        while not self._answers():
            with contextlib.suppress(subprocess.TimeoutExpired):
                until = 0 if self._process.wait(timeout=0.02) is not None else until
            if time.monotonic() > until:
                told = self._output()
                self.stop()
                raise RuntimeError(f"the application does not start:\n{told}")
        self._changed, self._users = False, None

    def _run(self, port):
        own = {name: value for name, value in os.environ.items() if NEEDED.fullmatch(name)}
        own |= {"HOME": self._folder, "TMPDIR": self._folder, "PYTHONPATH": self._path.strip(os.pathsep), "PORT": port}
        command, own = [word.replace("{port}", port) for word in self._command], {**own, **self._environment}
        with Path(self._folder, "output.txt").open("w") as log:
            return subprocess.Popen(command, cwd=self._folder, env=own, stdout=log, stderr=log, start_new_session=True)

    def _output(self):
        """The end of what the application printed, without the values of its variables, which may be secrets."""
        text = Path(self._folder, "output.txt").read_text(encoding="utf-8", errors="replace")
        for value in self._environment.values():
            text = text.replace(value, "***") if len(value) > 5 else text
        return text[-2000:]

    def _answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            if self._ready:
                return self._sent("GET", self._ready, None, {}).status < 400
            socket.create_connection(("127.0.0.1", int(self._address.rpartition(":")[2])), timeout=1).close()
            return True

    def stop(self):
        """End the application and everything it started."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=3)
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            shutil.rmtree(self._folder, ignore_errors=True)

    def reset(self):
        """Start it anew, if anything may have changed since its start."""
        if self._changed and not self._elsewhere:
            self.stop()

    def as_user(self, name):
        """The application as somebody asks it who has signed in."""
        return User(self, name)

    def request(self, method, path, *, query=None, headers=None, content=None, media_type=None, user="", **body):
        """Send one request: `json`, `form` or `content` is its body. Reads the answer.

        In a form of the media type multipart/form-data a file is {"filename", "content"}.
        """
        self.start()
        if self._users is None and self._sign_in is not None:
            self._users = {}  # nobody, while they sign in
            try:
                self._users = self._sign_in(self)
            except BaseException:
                self._users = None
                raise
        if "json" in body:
            content, media_type = json_module.dumps(body["json"]), media_type or "application/json"
        elif "form" in body:
            plain = not str(media_type).startswith("multipart/")
            content = _form(body["form"]) if plain else _multipart(body["form"])
            media_type = "application/x-www-form-urlencoded" if plain else f"{media_type}; boundary={BOUNDARY}"
        sent = {**((self._users or {})[user] if user else {}), **(headers or {})}
        sent |= {"Content-Type": media_type} if media_type else {}
        target = urllib.parse.quote(path, safe="/%:@!$&'()*+,;=~-._") + (f"?{_form(query)}" if query else "")
        # Whatever has no answer may have changed anything; a reading or a refusal changes nothing: a start is slow.
        changed, self._changed = self._changed, True
        response = self._sent(method, target, content, sent)
        reads = method in ("GET", "HEAD", "OPTIONS", "TRACE")
        self._changed = changed or not (reads or 400 <= response.status < 500)
        return response

    def _sent(self, method, target, content, headers):
        address, began = urllib.parse.urlsplit(self._address), time.monotonic()
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        with contextlib.closing(kind(address.netloc, timeout=ANSWER_SECONDS)) as connection:
            connection.request(method, address.path + target, content and content.encode(), headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        return Response(answer.status, answer.getheaders(), text, time.monotonic() - began)


def _verb(method):
    return lambda self, path, **more: self.request(method, path, **more)


for _name in ("get", "post", "put", "patch", "delete"):
    setattr(Application, _name, _verb(_name.upper()))


class User(Application):
    """The application as a user asks it who has signed in."""

    def __init__(self, application, name):
        self._application, self._name = application, name

    def request(self, method, path, **more):
        return self._application.request(method, path, user=self._name, **more)

    def reset(self):
        self._application.reset()


def _form(fields):
    plain = {name: str(one).lower() if isinstance(one, bool) else one for name, one in fields.items()}
    return urllib.parse.urlencode(plain, doseq=True)


def _multipart(fields):
    parts = []
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            head, content = f'Content-Disposition: form-data; name="{name}"', one
            if isinstance(one, dict):
                head += f'; filename="{one["filename"]}"\r\nContent-Type: application/octet-stream'
                content = one["content"]
            text = str(content).lower() if isinstance(content, bool) else content
            parts.append(f"--{BOUNDARY}\r\n{head}\r\n\r\n{text}\r\n")
    return f"{''.join(parts)}--{BOUNDARY}--\r\n"
