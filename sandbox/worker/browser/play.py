"""Starts an application and a Chromium inside the sandbox and plays scenarios: `browser.play`, driven by JSON lines.

The first line is {"application", "command", "root", "import_roots", "environment", "folder", "clock", "base_url",
"chromium", "start_seconds"}; the answer is {"ready": true, "version"} or {"error", "missing"}. Each further line is
{"actions": [...], "checks": [...]}, where actions and checks are those of a browser test spec; the answer is
{"state", "checked": [...], "failure", "changed": [...]}: the state after the last action, null where it was not
reached, for each check whether it holds after its action, and the files of the project that what was sent changed.
"""

import json
import sys

from ..http.api_process import ApplicationFailure
from ..http.orders import read_beginning, started
from .page import Broken, PlayedPage
from .project_files import ProjectFiles

QUIET = ("open", "fill", "select", "check", "uncheck", "clear", "hover")


class Freshness:
    """Whether the application is as it is after its start, as far as that can be told.

    Where a reset is a start, which takes seconds, it is left out as long as nothing was sent but requests to read.
    """

    def __init__(self, application, slow):
        self._application = application
        self._slow = slow
        self.is_fresh = slow

    def restore(self):
        """Put the application back to the state after its start."""
        if not self.is_fresh:
            self._application.fresh()
        self.is_fresh = self._slow


def play(browser, application, freshness, order, files=None):
    """The answer to one order; `files` are those that the application may change, None for none."""
    state, failure = None, ""
    checked: list = [None] * len(order.get("checks") or ())
    last = len(order["actions"]) - 1
    freshness.restore()
    if files is not None:
        files.changed()  # What a start itself writes, a database that it fills perhaps, is no change of the flow.
    played = None
    context = browser.new_context(accept_downloads=True, service_workers="block")
    try:
        played = PlayedPage(context, application.base_url, application.environment)
        for number, action in enumerate(order["actions"]):
            played.act(action)
            due = any(check.get("after_action", last) == number for check in order.get("checks") or ())
            settled = True
            if number == last:
                state = played.state()
                settled = state["settled"]
            elif due or action["kind"] not in QUIET:
                settled = played.settle()
            for place, check in enumerate(order.get("checks") or () if settled else ()):
                if check.get("after_action", last) == number:
                    checked[place] = bool(played.holds(check))
    except Broken as error:
        failure = str(error)
    except Exception as error:
        if not browser.is_connected():
            raise
        failure = f"{type(error).__name__}: {str(error)[:300]}"
    finally:
        freshness.is_fresh = freshness.is_fresh and played is not None and not played.wrote
        if browser.is_connected():
            context.close()
    changed = files.changed() if files is not None else []
    # What changes when somebody only reads is the application's own affair: a counter, say.
    changed = changed if played is not None and played.wrote else []
    return {"state": state, "checked": checked, "failure": failure, "changed": changed}


def main():
    """Speak until standard input ends."""
    begin, say = read_beginning()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        say(error=f"Playwright cannot be imported: {error}", missing="playwright")
        return
    try:
        application = started(begin)
    except ApplicationFailure as error:
        say(error=str(error), missing="")
        return
    try:
        with sync_playwright() as playwright:
            try:
                browser = playwright.chromium.launch(
                    executable_path=begin["chromium"], args=["--disable-dev-shm-usage"]
                )
            except Exception as error:
                say(error=f"Chromium does not start: {str(error)[:1000]}", missing="chromium")
                return
            say(ready=True, version=browser.version)
            freshness = Freshness(application, bool(begin.get("command")))
            # An application in Python that runs elsewhere may change no file of the project.
            files = ProjectFiles(begin["root"]) if begin.get("command") or begin.get("folder") else None
            for line in sys.stdin:
                say(**play(browser, application, freshness, json.loads(line), files))
            browser.close()
    finally:
        application.stop()
