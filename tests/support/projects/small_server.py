"""A program that serves a small HTTP API by the standard library alone, and its OpenAPI document."""

from __future__ import annotations

import json
from typing import Any

SERVE = '''"""Serves bells: `python serve.py PORT`; with `--told` it answers its document, too."""

import json
import pathlib
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

PLACE = pathlib.Path(__file__).parent / "api" / "bells.json"


class Bells(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/openapi.json" and "--told" in sys.argv:
            self.answer(200, json.loads(PLACE.read_text()))
        elif self.path == "/bells":
            self.answer(200, {"bells": 2})
        else:
            self.answer(404, {"error": "no such place"})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Bells).serve_forever()
'''
_BELLS = {"type": "object", "required": ["bells"], "properties": {"bells": {"type": "integer"}}}
BELLS: dict[str, Any] = {
    "openapi": "3.2.0",
    "info": {"title": "Bells", "version": "1"},
    "paths": {
        "/bells": {
            "get": {
                "operationId": "countBells",
                "responses": {"200": {"description": "", "content": {"application/json": {"schema": _BELLS}}}},
            }
        }
    },
}
FILES = {"serve.py": SERVE, "api/bells.json": json.dumps(BELLS, indent=2) + "\n"}
COMMAND = "python serve.py {port}"
