"""A project whose client asks a server of the same project over HTTP, for integration tests to meet."""

from __future__ import annotations

NOTES = '''"""Notes by number."""


class Notes:
    """All notes."""

    def __init__(self) -> None:
        self._texts: dict = {}

    def add(self, text: str) -> int:
        """Keep a text and return its number.

        Raises:
            ValueError: the text is empty.
        """
        if not text.strip():
            raise ValueError("an empty note")
        number = len(self._texts) + 1
        self._texts[number] = text
        return number

    def all(self) -> list:
        """Number and text of each."""
        return sorted(self._texts.items())
'''
SERVER = '''"""Notes over HTTP."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from .notes import Notes


class Handler(BaseHTTPRequestHandler):
    """Answers with JSON."""

    def do_GET(self) -> None:
        """All notes."""
        if self.path != "/notes":
            self._answer(404, {"error": "no such page"})
            return
        self._answer(200, [{"number": number, "text": text} for number, text in self.server.notes.all()])

    def do_POST(self) -> None:
        """A new note."""
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
        try:
            self._answer(201, {"number": self.server.notes.add(text)})
        except ValueError as error:
            self._answer(400, {"error": str(error)})

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def make_server(notes: Notes, host: str = "127.0.0.1", port: int = 8080) -> HTTPServer:
    """A server of notes."""
    server = HTTPServer((host, port), Handler)
    server.notes = notes
    return server
'''
CLIENT = '''"""Talks to the board."""

import json
import urllib.error
import urllib.request


class Refused(Exception):
    """The board said no."""


class Board:
    """A board somewhere."""

    def __init__(self, url: str) -> None:
        self.url = url

    def write(self, text: str) -> int:
        """Write a note and return its number.

        Raises:
            Refused: the board does not want it.
        """
        body = json.dumps({"text": text}).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self.url}/notes", data=body), timeout=60) as answer:
                return json.load(answer)["number"]
        except urllib.error.HTTPError as error:
            raise Refused(json.load(error)["error"]) from error

    def texts(self) -> list:
        """The texts of all notes."""
        with urllib.request.urlopen(f"{self.url}/notes", timeout=60) as answer:
            return [one["text"] for one in json.load(answer)]
'''
BOARD = {
    "pyproject.toml": '[project]\nname = "board"\nversion = "1.0"\n',
    "src/board/__init__.py": "",
    "src/board/notes.py": NOTES,
    "src/board/server.py": SERVER,
    "src/board/client.py": CLIENT,
}
