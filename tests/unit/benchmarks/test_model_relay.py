"""A run's requests to a model can be answered from files."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from testwright.benchmarks.model_relay import Relay

pytestmark = pytest.mark.feature("B-14")


def ask(server: Relay, **more: Any) -> str:
    body = {"model": "reader", "messages": [{"role": "user", "content": "What is seven?"}], **more}
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.server_port}/v1/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read().decode()


def test_a_request_is_handed_over_whole_and_the_files_text_is_its_answer(tmp_path: Path) -> None:
    (tmp_path / "answer_01.txt").write_text("seven")
    with Relay(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        whole = json.loads(ask(server, temperature=0))
        (tmp_path / "answer_02.txt").write_text("seven")
        streamed = ask(server, stream=True)
        server.shutdown()

    assert whole["choices"][0]["message"]["content"] == "seven"
    assert whole["usage"]["completion_tokens"] == 1
    assert '"content": "seven"' in streamed
    assert streamed.endswith("data: [DONE]\n\n")
    asked = (tmp_path / "request_01.txt").read_text()
    assert "What is seven?" in asked
    assert '"temperature": 0' in asked
    assert len((tmp_path / "usage.jsonl").read_text().splitlines()) == 2
