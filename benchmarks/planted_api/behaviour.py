"""Writes down what an application answers to the requests of a script, in a process of its own.

    python benchmarks/planted_api/behaviour.py IMPORT_ROOT package.module:app SCRIPT

The script is a Python file with `exercise(ask)`: `ask(method, path, **more)` sends a request, as httpx takes it, and
returns the answer. It is written by hand and knows nothing of the tests: a planted fault that changes no answer to it
is taken for equivalent. Printed as JSON: status, headers and body of every answer, without times, tokens and lengths.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import runpy
import sys
from typing import Any

_TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
_TOKENS = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+")
_HEADERS = ("date", "content-length", "server", "set-cookie")


def main() -> None:
    root, application, script = sys.argv[1:]
    sys.path.insert(0, root)
    module, _, attribute = application.partition(":")
    told: list[Any] = []
    try:
        app = getattr(importlib.import_module(module), attribute)
        with _client(app) as client:

            def ask(method: str, path: str, **more: Any) -> Any:
                answer = client.request(method, path, **more)
                headers = {name: text for name, text in sorted(answer.headers.items()) if name not in _HEADERS}
                told.append([method, path, answer.status_code, headers, _steady(answer.text)])
                return answer

            runpy.run_path(script)["exercise"](ask)
    # Whatever goes wrong is what the application does with this fault in it: a key that is missing, say.
    except Exception as error:  # noqa: BLE001
        told.append(["error", _steady(repr(error))])
    print(json.dumps(told))


def _client(app: Any) -> Any:
    call = app if inspect.isfunction(app) else getattr(app, "__call__", app)  # noqa: B004
    if inspect.iscoroutinefunction(call):
        from starlette.testclient import TestClient

        return TestClient(app, raise_server_exceptions=False)
    import httpx

    return httpx.Client(transport=httpx.WSGITransport(app, raise_app_exceptions=False), base_url="http://testserver")


def _steady(text: str) -> str:
    return _TOKENS.sub("TOKEN", _TIMES.sub("TIME", text))


if __name__ == "__main__":
    main()
