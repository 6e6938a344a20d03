"""Starts an application inside the sandbox and sends it requests: `http.send_requests`, driven by JSON lines.

The first line is {"application", "command", "root", "import_roots", "environment", "folder", "clock"}; the answer is
{"ready": true} or {"error", "output"}. Each further line is {"reset", "requests": [...]}, where a request is that of an
API test spec (`{{name}}` stands for what an earlier one saved) plus "whole": true for a text of any length, and "pause"
may say for how many seconds nothing is sent after each request that may change something; the answer
is {"answers": [...]}, one {"status", "headers", "text"} for each request that was answered (of a server error with the
end of what was printed as "output"), and {"failure"} in place of the first that was not. {"users", "keeps"} signs users
in from then on, see `spec_requests.signing_in`, and answers {"answers": []} or a failure. {"fuzz"} has Schemathesis
send requests, see `run_schemathesis.fuzz`, and answers {"answers": [], "fuzz"}.
"""

import json
import re
import sys
import time

from ..suites.starvation import is_tree_at_work
from .api_process import READING, ApplicationFailure, EndlessAnswer
from .orders import read_beginning, started
from .run_schemathesis import fuzz
from .spec_requests import send, signing_in

TRACE_LETTERS = 30_000
# How long a traceback is waited for: of an application that does nothing more, and of one that is still at work.
TRACE_SECONDS = 0.3
WORK_SECONDS = 5.0


# What follows the heading of a traceback, up to the line that names the exception.
WHOLE_TRACEBACK = re.compile(r"\n(?:[ \t].*\n|\n)+\S")
# Behind these another traceback follows.
LINKS = ("another exception occurred:", "the direct cause of the following exception:")


def told_of_error(application, before):
    """What the application printed since a request that it answered with a server error.

    Servers print a traceback after the answer is sent, and often a line of their log before it: it is waited for until
    a whole one stands there and nothing follows, for `TRACE_SECONDS`, and then for as long as the application is at
    work, at most `WORK_SECONDS`.

    Args:
        before: how many bytes it had printed before the request.
    """
    began, size = time.monotonic(), before
    while (waited := time.monotonic() - began) < TRACE_SECONDS or (
        waited < WORK_SECONDS and is_tree_at_work(application.process_id)
    ):
        last, size = size, application.printed()
        if size == last > before and ends_traceback(application.output(TRACE_LETTERS, since=before)):
            break
        time.sleep(0.005)
    return application.output(TRACE_LETTERS, since=before)


def ends_traceback(text):
    """Whether the last traceback in a text is whole."""
    _, heading, rest = text.rpartition("Traceback (most recent call last):")
    return bool(heading) and WHOLE_TRACEBACK.match(rest) is not None and not text.endswith(LINKS)


def run(application, order):
    """The answers to the requests of one order."""
    answers, names = [], dict(order.get("names") or {})
    try:
        if "users" in order:
            application.sign_in_by(signing_in(order["users"]), keeps=order["keeps"])
            return {"answers": []}
        if "fuzz" in order:
            return {"answers": [], "fuzz": fuzz(application, order["fuzz"])}
        if order.get("reset", True):
            application.reset()
        for request in order["requests"]:
            before = application.printed()
            answers.append(send(application, request, names))
            if answers[-1]["status"] >= 500:
                answers[-1]["output"] = told_of_error(application, before)
            if order.get("pause") and request["method"] not in READING:
                time.sleep(order["pause"])
    except EndlessAnswer as error:
        answers.append({"failure": str(error), "kind": "link"})
    except (ApplicationFailure, AssertionError) as error:
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
