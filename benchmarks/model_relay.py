"""A model's endpoint whose answers come from files: whoever writes them sees nothing but the requests.

    python -m testwright.benchmarks.model_relay FOLDER --port 8101
    TESTWRIGHT_API_KEY=relay TESTWRIGHT_MODEL_TIMEOUT=3000 python main.py run "unit tests for MODULE" --root PROJECT \\
      --model openai:reader --base-url http://127.0.0.1:8101/v1

Request N is written to FOLDER/request_NN.txt; the text of FOLDER/answer_NN.txt, once it is there, is the answer.
FOLDER/usage.jsonl gets the characters of each, divided by four, as tokens.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Event, Lock
from typing import Any

CHARACTERS_OF_A_TOKEN = 4
_LOOKING_AGAIN = 0.3


class Relay(ThreadingHTTPServer):
    """Serves chat completions from the files of a folder.

    Args:
        folder: made if it is missing; requests and answers are counted from 1.
        port: on the loopback address; 0 for any.
        patience: seconds to wait for one answer; then the endpoint fails with status 500.
    """

    daemon_threads = True

    def __init__(self, folder: Path, port: int, patience: float = 3000.0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.patience = patience
        self.lock = Lock()
        self._numbers = count(1)

    def answer(self, body: dict[str, Any]) -> tuple[str, dict[str, int]] | None:
        """Hand a request over and wait for its answer, with the tokens of both; None where none came in time."""
        with self.lock:
            number = next(self._numbers)
        asked = "\n\n".join(f"### {one['role']}\n{_text(one['content'])}" for one in body["messages"])
        form = {key: value for key, value in body.items() if key != "messages"}
        _write(self.folder / f"request_{number:02}.txt", f"{asked}\n\n### form\n{json.dumps(form, indent=1)}\n")
        path = self.folder / f"answer_{number:02}.txt"
        waiting = Event()
        for _ in range(int(self.patience / _LOOKING_AGAIN)):
            if path.exists():
                break
            waiting.wait(_LOOKING_AGAIN)
        else:
            return None
        text = path.read_text(encoding="utf-8")
        prompt, completion = len(asked) // CHARACTERS_OF_A_TOKEN, len(text) // CHARACTERS_OF_A_TOKEN
        usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        with self.lock, (self.folder / "usage.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"request": number, **usage}) + "\n")
        return text, usage


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: the folder holds what happened."""

    def do_POST(self) -> None:
        """Answer `/v1/chat/completions`, streamed or whole."""
        assert isinstance(self.server, Relay)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        found = self.server.answer(body)
        if found is None:
            self._send(500, "application/json", [json.dumps({"error": {"message": "no answer came"}})])
        elif body.get("stream"):
            self._send(200, "text/event-stream", _events(body["model"], *found))
        else:
            self._send(200, "application/json", [json.dumps(_completion(body["model"], *found))])

    def _send(self, status: int, kind: str, parts: Iterator[str] | list[str]) -> None:
        content = "".join(parts).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _completion(model: str, text: str, usage: dict[str, int]) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {
        "id": "relay",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
        "usage": usage,
    }


def _events(model: str, text: str, usage: dict[str, int]) -> Iterator[str]:
    shared = {"id": "relay", "object": "chat.completion.chunk", "created": 1, "model": model}
    for delta, finish in (({"role": "assistant", "content": text}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        yield f"data: {json.dumps({**shared, 'choices': [choice]})}\n\n"
    yield f"data: {json.dumps({**shared, 'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n"


def _text(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def _write(path: Path, text: str) -> None:
    """Write a file that appears whole."""
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.rename(path)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=8101)
    given = parser.parse_args()
    with Relay(given.folder, given.port) as server:
        print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
