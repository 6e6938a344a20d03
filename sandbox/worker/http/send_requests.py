"""Starts an application inside the sandbox and sends it requests: `http.send_requests`, driven by JSON lines.

The first line is {"application", "command", "root", "import_roots", "environment", "folder", "clock"}; the answer is
{"ready": true} or {"error", "output"}. Each further line is {"reset", "requests": [...]}, where a request is that of an
API test spec (`{{name}}` stands for what an earlier one saved) plus "whole": true for a text of any length; the answer
is {"answers": [...]}, one {"status", "headers", "text"} for each request that was answered, and {"failure"} in place of
the first that was not.
"""

import json
import re
import sys
from typing import Any

from .api_process import ApplicationFailure
from .orders import read_beginning, started

_MOST_TEXT = 200_000


def filled(value: Any, names: Any) -> Any:
    """A value with `{{name}}` replaced by what was saved under it; a text that is nothing else becomes the value."""
    if isinstance(value, dict):
        return {key: filled(entry, names) for key, entry in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\{\{(\w+)\}\}", value)
    if whole:
        return names[whole.group(1)]
    return re.sub(r"\{\{(\w+)\}\}", lambda found: str(names[found.group(1)]), value)


def pointed(value, pointer):
    """What a JSON Pointer leads to. Raises KeyError, IndexError, TypeError or ValueError where it leads nowhere."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def path_of(request):
    """The path with its parameters in place."""
    path = request["path"]
    for name, value in (request.get("path_parameters") or {}).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        path = path.replace("{" + name + "}", text)
    return path


def send(application, request, names):
    """One request; what is to be saved of the answer goes to `names`."""
    request = filled({key: entry for key, entry in request.items() if key != "save"}, names) | {
        "save": request.get("save") or {}
    }
    body = request.get("body")
    headers = dict(request.get("headers") or {})
    if request.get("cookies"):
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in request["cookies"].items())
    more = {}
    if body is not None and "content" in body:
        kind = body["media_type"]
        as_json = (kind.endswith("json")) and not body.get("raw")
        as_form = "form" in kind and isinstance(body["content"], dict)
        more = {"json" if as_json else "form" if as_form else "content": body["content"]}
        if "content" in more:
            more["content"] = str(more["content"])
        more["media_type"] = kind
    answer = application.request(
        request["method"], path_of(request), query=request.get("query"), headers=headers, **more
    )
    for name, pointer in request["save"].items():
        names[name] = pointed(answer.json, pointer)
    return {
        "status": answer.status,
        "headers": answer.headers,
        "text": answer.text[: None if request.get("whole") else _MOST_TEXT],
    }


def run(application, order):
    """The answers to the requests of one order."""
    answers, names = [], dict(order.get("names") or {})
    try:
        if order.get("reset", True):
            application.reset()
        for request in order["requests"]:
            answers.append(send(application, request, names))
    except ApplicationFailure as error:
        answers.append({"failure": str(error)})
    except (KeyError, IndexError, TypeError, ValueError) as error:
        answers.append({"failure": f"the answer lacks what the next request needs: {error!r}", "kind": "link"})
    return {"answers": answers}


def main():
    """Speak until standard input ends."""
    begin, say = read_beginning()
    try:
        application = started(begin)
    except ApplicationFailure as error:
        say(error=str(error))
        return
    try:
        say(ready=True)
        for line in sys.stdin:
            say(**run(application, json.loads(line)))
    finally:
        application.stop()
