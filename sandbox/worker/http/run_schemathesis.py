"""Runs Schemathesis against the started application, and reads what it found from its report of events.

Schemathesis runs in an interpreter of its own, which the order names: nothing of it is on the application's path.
"""

import base64
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.parse
from pathlib import Path

from .fuzz_history import CHANGING, History

BEGINNING_SECONDS = 30.0
"""What it may take until it sends requests."""
ENDING_SECONDS = 30.0
"""What ending may take once it is told to."""
MOST_TOLD = 120
MOST_LETTERS = 6000
_OWN_HEADERS = ("authorization", "cookie", "content-type", "content-length", "host", "user-agent", "accept")
_SERVER_ERROR = "not_a_server_error"
_CHECKS = f"{_SERVER_ERROR},response_schema_conformance,status_code_conformance,content_type_conformance"


def fuzz(application, order):
    """{"counterexamples": [...], "cases": how many requests it sent} or {"failure"} of one run.

    Args:
        order: {"command", "document", "seconds", "seed", "only", "user", "headers"}; `only` are labels of operations,
            `user` is who asks, `headers` are sent with every request.
    """
    application.reset()
    base_url = application.base_url
    headers = dict(order.get("headers") or {})
    if order.get("user"):
        headers.update(application.headers_of(order["user"]))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        document, report = Path(folder, "openapi.json"), Path(folder, "events.ndjson")
        document.write_text(json.dumps(order["document"]), encoding="utf-8")
        command = [*order["command"], "run", str(document), "--url", base_url, *_options(order, report)]
        for name, value in headers.items():
            command += ["--header", "{}: {}".format(name, value)]
        ended = _run(command, folder, report, order["seconds"])
        # What was sent past the application's own client is nothing that it knows of. A fresh one has another address.
        application.fresh()
        if not report.is_file():
            return {"failure": "Schemathesis wrote no report: " + ended[-500:]}
        with report.open(encoding="utf-8", errors="replace") as lines:
            found = counterexamples(lines, base_url)
        return found if found["cases"] else {"failure": "Schemathesis sent nothing: " + ended[-500:]}


def _options(order, report):
    options = ["--checks", _CHECKS, "--continue-on-failure", "--seed", str(order["seed"]), "--no-color"]
    options += ["--request-timeout", "10", "--max-redirects", "0"]
    options += ["--generation-database", "none", "--output-sanitize", "false", "--warnings", "off"]
    options += ["--report", "ndjson", "--report-ndjson-path", str(report)]
    for label in order.get("only") or ():
        options += ["--include-name", label]
    return options


def _run(command, folder, report, seconds):
    """What a command printed; some seconds after its report begins it is told to end, as by a person, so that it writes
    all of it."""
    own = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=own,
        start_new_session=True,
    )
    _wait_until_begun(process, report)
    try:
        printed, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            printed, _ = process.communicate(timeout=ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed, _ = process.communicate()
    return printed.decode("utf-8", "replace").strip()


def _wait_until_begun(process, report):
    """Wait until a program is about to send requests: importing it takes seconds on a busy machine."""
    began = time.monotonic()
    while time.monotonic() - began < BEGINNING_SECONDS and process.poll() is None:
        if report.is_file() and b'"EngineStarted"' in report.read_bytes():
            break
        time.sleep(0.05)


def counterexamples(lines, base_url):
    """The counterexamples in the lines of a report, the shortest of each operation, check and status, and how many
    cases it has. A line that does not read is passed over: the last one of a run that was ended may be cut short.

    Each is {"label", "check", "status", "request"}; a server error has "stories" as well, see `History.stories`.
    """
    cases, kept, history = 0, {}, History()
    for scenario, line in enumerate(lines):
        try:
            event = json.loads(line).get("ScenarioFinished")
            recorder = event["recorder"] if event else {}
        except (ValueError, AttributeError, KeyError):
            continue
        cases += len(recorder.get("interactions") or ())
        # Each is told before its own change joins the history.
        for found in _failed(recorder, base_url, history, scenario):
            key = (found["label"], found["check"], found["status"])
            same = kept.setdefault(key, [])
            same.append(found)
            # Several of one operation may have several causes, of which only the replay tells.
            same.sort(key=lambda one: len(json.dumps(one["request"])))
            del same[4:]
            # Of thousands of server errors few are kept, and each story is a copy of dozens of requests.
            if found["check"] == _SERVER_ERROR and any(one is found for one in same):
                found["stories"] = history.stories(found["request"], scenario)
    every = [found for same in kept.values() for found in same]
    return {"counterexamples": every[:MOST_TOLD], "cases": cases}


def _failed(recorder, base_url, history, scenario):
    """The counterexamples of one scenario; what it changed joins the history, each change after it was yielded."""
    for name, case in (recorder.get("cases") or {}).items():
        interaction = (recorder.get("interactions") or {}).get(name)
        if not interaction:
            continue
        request = _request(case["value"], interaction["request"], base_url)
        if request is None or len(json.dumps(request)) > MOST_LETTERS:
            continue
        response = interaction.get("response") or {}
        status = response.get("status_code") or 0
        checks = (recorder.get("checks") or {}).get(name) or ()
        failed = [check["name"] for check in checks if check.get("status") == "failure"]
        if failed:
            label = "{} {}".format(case["value"]["method"], case["value"]["path"])
            yield {"label": label, "check": failed[0], "status": status, "request": request}
        # What ends in a server error may have been stored before it.
        if request["method"] in CHANGING and (200 <= status < 400 or status >= 500):
            history.add(request, _told(response), scenario)


def _told(response):
    """The JSON of an answer; None for another one."""
    try:
        return json.loads(base64.b64decode(response["content"]["$base64"]))
    except (ValueError, KeyError, TypeError):
        return None


def _request(case, sent, base_url):
    """A request in the form of a spec; None where it cannot be written so."""
    address = urllib.parse.urlsplit(sent["uri"])
    request = {"method": case["method"], "path": case["path"]}
    if case.get("path_parameters"):
        request["path_parameters"] = case["path_parameters"]
    elif not sent["uri"].startswith(base_url):
        return None
    query = {}
    for name, value in urllib.parse.parse_qsl(address.query, keep_blank_values=True):
        query.setdefault(name, []).append(value)
    if query:
        request["query"] = {name: values[0] if len(values) == 1 else values for name, values in query.items()}
    headers = {
        name: values[0]
        for name, values in (sent.get("headers") or {}).items()
        if name.lower() not in _OWN_HEADERS and name in (case.get("headers") or {})
    }
    if headers:
        request["headers"] = headers
    if sent.get("body"):
        kind = next((v[0] for name, v in sent["headers"].items() if name.lower() == "content-type"), "")
        try:
            content = base64.b64decode(sent["body"]["$base64"]).decode("utf-8")
        except (ValueError, KeyError, TypeError):
            return None
        request["body"] = _body(content, kind or "application/octet-stream")
    return request


def _body(content, kind):
    if kind.endswith("json"):
        try:
            return {"media_type": kind, "content": json.loads(content)}
        except ValueError:
            return {"media_type": kind, "content": content, "raw": True}
    return {"media_type": kind, "content": content}
