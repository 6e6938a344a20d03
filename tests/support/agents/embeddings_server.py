"""An OpenAI-compatible embeddings endpoint on 127.0.0.1 that knows which words mean the same."""

from __future__ import annotations

import base64
import json
import re
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CONCEPTS: tuple[tuple[str, ...], ...] = (
    ("discount", "rebate", "cheaper", "reduction"),
    ("delete", "remove", "erase", "forget"),
    ("customer", "client", "buyer"),
    ("voucher", "coupon"),
)


@dataclass
class EmbeddingsServer:
    """What was asked of it; `failing` makes it answer with 500."""

    url: str
    failing: bool = False
    texts: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def embeddings_server() -> Iterator[EmbeddingsServer]:
    """Listen for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.keys.append(self.headers.get("Authorization"))
            texts = [asked["input"]] if isinstance(asked["input"], str) else list(asked["input"])
            told.texts.extend(texts)
            if told.failing:
                self._answer(500, {"error": {"message": "out of order", "type": "server_error"}})
                return
            data = [
                {"object": "embedding", "index": number, "embedding": _encoded(asked, meaning(text))}
                for number, text in enumerate(texts)
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            self._answer(200, {"object": "list", "model": asked["model"], "data": data, "usage": usage})

        def _answer(self, status: int, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has there
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told = EmbeddingsServer(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def meaning(text: str) -> list[float]:
    """How often each concept is spoken of, and a little of everything else."""
    words = re.findall(r"[a-z]+", text.lower())
    return [float(sum(word in concept for word in words)) for concept in CONCEPTS] + [0.1]


def _encoded(asked: dict[str, Any], vector: Sequence[float]) -> str | list[float]:
    if asked.get("encoding_format") != "base64":
        return list(vector)
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
