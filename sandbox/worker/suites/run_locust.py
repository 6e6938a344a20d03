"""Runs the load profiles of locustfiles and writes results as data: `suites.run_locust REQUEST.json …`.

Takes the same request as run_pytest.py and "load_seconds", what each profile is pressed into. A test is a profile of
the file's class of load profiles, which `http/load_profiles.py` runs: the application is started here, in the target's
environment, and Locust in one of its own. What was measured stands in the journal as "figures".
"""

import ast
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ..http import api_process
from .journal import TRACE_LIMIT, arrange, cut
from .run_requests import run_requests

LOCUST = "import sys; sys.path.insert(0, sys.argv.pop(1)); from locust.main import main; sys.exit(main())"
STARTING_SECONDS = 60.0
"""What starting Locust and ending it may take besides the profile."""
_PROFILES = "LoadProfiles"


class FileFailure(Exception):
    """A locustfile has no load profiles that can be read."""


def profiles_of(source):
    """({profile: case id}, the application's call or None) of a locustfile, without running it."""
    body: Any = ast.parse(source).body
    for node in body:
        if isinstance(node, ast.ClassDef) and _PROFILES in map(ast.unparse, node.bases):
            set_here = dict(map(assigned, node.body))
            given: Any = set_here.get("profiles")
            if given is None:
                raise FileFailure("its class of load profiles names none")
            profiles = {key.value: given.values[at].args[0].value for at, key in enumerate(given.keys)}
            return profiles, set_here.get("application")
    raise FileFailure("it has no class derived from {}".format(_PROFILES))


def assigned(statement):
    """(name, value) of an assignment to one name; ("", None) of any other statement."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, statement.value
    return "", None


def value_of(node):
    """The value of a literal, in which a text may be taken from outside: `os.environ.get("KEY") or "made up"`."""
    if isinstance(node, ast.Dict):
        # The key of `**others` is None, which is refused as any other expression is.
        keys: Any = node.keys
        return {ast.literal_eval(key): value_of(node.values[at]) for at, key in enumerate(keys)}
    if isinstance(node, ast.BoolOp):
        return next((value for value in map(value_of, node.values) if value), None)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "os.environ.get":
        return os.environ.get(*map(ast.literal_eval, node.args))
    return ast.literal_eval(node)


def application_of(call, source, root):
    """The application that a locustfile names, to be started with the target's own interpreter."""
    constants: Any = dict(map(assigned, ast.parse(source).body))
    serving = [sys.executable, os.path.join(os.path.dirname(api_process.__file__), "api_serving.py")]
    given = {}
    for one in call.keywords:
        value = constants.get(one.value.id) if isinstance(one.value, ast.Name) else one.value
        given[one.arg] = root if one.arg == "root" else value_of(value)
    application = api_process.Application(*map(ast.literal_eval, call.args), launcher=serving, **given)
    application.settles = False  # waiting would be measured as well
    return application


class Runner:
    """Runs the profiles of one request."""

    def __init__(self, request, journal):
        self._request = request
        self._journal = journal
        self._project = request["project"]
        self._tools = locust_folder()
        self._stop_at = time.perf_counter() + request["stop_after"]
        self._sources = {}
        self.good = True

    def collect(self):
        """[(node id, path, profile, case id)] of all files; a file that cannot be read is written down."""
        found = []
        for path in self._request["files"]:
            self._journal.write("collecting", path=path)
            try:
                self._sources[path] = Path(self._project, path).read_text(encoding="utf-8")
                profiles, _ = profiles_of(self._sources[path])
            except (OSError, ValueError, SyntaxError, AttributeError, IndexError, FileFailure) as error:
                self._journal.write("collect_error", path=path, error=described(str(error), type(error)), trace="")
                continue
            found += [(path + "::" + name, path, name, case) for name, case in profiles.items()]
        return found

    def run(self, nodeid, path, profile, case):
        """Run one profile, and write what came of it."""
        self._journal.write("started", nodeid=nodeid)
        began = time.perf_counter()
        try:
            problems, trace = self._outcome(path, profile)
            outcome = "failed" if problems else "passed"
        except subprocess.TimeoutExpired as error:
            outcome, problems, trace = "timeout", ["the load test ran longer than {:g} s".format(error.timeout)], ""
        except (OSError, ValueError, api_process.ApplicationFailure) as error:
            outcome, problems, trace = "error", [str(error)], ""
        self.good = self.good and outcome == "passed"
        self._journal.write(
            "test",
            nodeid=nodeid,
            path=path,
            name=profile,
            case_id=case,
            outcome=outcome,
            phase="call",
            seconds=round(time.perf_counter() - began, 4),
            error=described("; ".join(problems)) if problems else None,
            trace=cut(trace, TRACE_LIMIT),
            things=[],
            acts=[],
        )
        return time.perf_counter() < self._stop_at

    def _outcome(self, path, profile):
        """(what is wrong, the end of what Locust printed) of one profile."""
        source = self._sources[path]
        _, call = profiles_of(source)
        if call is None:
            return self._load(path, profile, None)
        with application_of(call, source, self._project) as application:
            problems, trace = self._load(path, profile, application.base_url)
            code = application._process.poll()
            # A dead server refuses connections, which says less than that it ended.
            died = ["the application ended with code {}".format(code)] if code is not None else []
            return [*died, *problems], "\n".join([*([application.output()] if problems else []), trace])

    def _load(self, path, profile, host):
        report = os.path.join(os.environ.get("TMPDIR") or "/tmp", "load-{}.json".format(time.perf_counter_ns()))
        seconds = self._request.get("load_seconds") or 0.0
        command = [sys.executable, "-I", "-S", "-c", LOCUST, self._tools, "-f", os.path.join(self._project, path)]
        command += ["--headless", "--only-summary", "--load-profile", profile, "--load-seconds", str(seconds)]
        command += ["--load-report", report, *(["--host", host] if host else [])]
        limit = self._request["test_seconds"] + STARTING_SECONDS
        process = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit
        )
        printed = process.stdout.decode("utf-8", "replace")
        try:
            with open(report, encoding="utf-8") as file:
                figures = json.load(file)
            os.unlink(report)
        except (OSError, ValueError):
            last = printed.strip().splitlines()[-1:] or ["it printed nothing"]
            return ["Locust ended with code {}: {}".format(process.returncode, last[0])], printed
        self._journal.write("figures", path=path, profile=profile, **figures)
        return figures["problems"], printed if figures["problems"] else ""


def described(message, kind: Any = AssertionError):
    """A failure as the journal holds it."""
    return {
        "type": kind.__name__,
        "bases": [base.__name__ for base in kind.__mro__[1:] if base is not object],
        "message": message,
        "missing": None,
        "frames": [],
        "inside": False,
    }


def locust_folder():
    """The folder that Locust is in, taken off the path of what is started here: it is no part of the project."""
    found = importlib.util.find_spec("locust")
    if found is None or not found.submodule_search_locations:
        raise FileFailure("Locust is not there")
    folder = os.path.dirname(next(iter(found.submodule_search_locations)))
    if os.path.basename(folder).startswith(("fetched-", "copied-")):
        sys.path[:] = [place for place in sys.path if os.path.realpath(place) != os.path.realpath(folder)]
    return folder


def run(request, journal, measure, company):
    """Load, order and run; 0 when every profile kept its limits, else 1."""
    runner = Runner(request, journal)
    journal.write("session", runner="locust", version="", python=sys.version.split()[0])
    tests = runner.collect()
    names = [test[0] for test in tests]
    order = arrange(names, [test[1] for test in tests], request["order"])
    journal.write("collected", nodeids=[names[at] for at in order], case_ids=[tests[at][3] for at in order])
    for at in order:
        if not runner.run(*tests[at]):
            break
    return 0 if runner.good else 1


def main():
    """Carry out the requests that the command line names."""
    run_requests(sys.argv[1:], lambda measured: None, run)
