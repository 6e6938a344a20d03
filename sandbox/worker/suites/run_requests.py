"""Carries out the requests of both runners: one in this process, or several, each in a fork.

A fork is taken before anything of the project is imported, so that each run meets the project fresh; what is shared is
only the start of the interpreter and of the test runner, which is most of what a short run costs.
"""

import contextlib
import gc
import json
import os
import sys
import traceback

from ..bootstrap import command_for
from ..http import password_costs
from ..http.application_coverage import Applications, started_by
from . import environment, interleaving
from .coverage_measure import Measure
from .journal import TRACE_LIMIT, ResultJournal, cut

NOT_STARTED = 70


def run_requests(paths, warm, run):
    """Carry out the requests in `paths`, one after the other, and end this process with the highest of their codes.

    Args:
        warm: imports what all runs need; called with whether coverage is measured.
        run: (request, journal, measure, company) → exit code.
    """
    # Nothing that is imported here becomes garbage. Pytest looks for garbage several times at the end of a session: it
    # need not look through what it is made of.
    gc.disable()
    requests = []
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            requests.append(json.load(stream))
    with contextlib.suppress(Exception):  # each run fails to import it again, and says so in its journal
        warm(any(request["measure"] for request in requests))
    gc.freeze()
    gc.enable()
    if len(requests) == 1:
        end_process(carry_out(requests[0], run))
    codes = []
    while requests:
        first = requests.pop(0)
        together = [first, requests.pop(0)] if first.get("pair") and requests else [first]
        codes += at_once(together, run)
    end_process(max(codes))


def end_process(code):
    """Exit at once: threads that a test left running must not keep the process alive."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def quicken_passwords(starts, shift=0):
    """Hash passwords at their lowest cost, here and in the applications that tests start, if they do.

    Args:
        shift: seconds by which the clocks of such applications are moved, as that of the tests is.
    """
    password_costs.install()
    if starts:
        os.environ.setdefault("API_LAUNCHER", json.dumps(command_for("http.launch_shifted", str(shift))))


def at_once_or_not(path, flags):
    """Open a file without following a link or waiting for the other end of a pipe that a test put there."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW, 0o600)


def at_once(together, run):
    """Carry out one request, or a holder's and its visitor's at the same time, each in a fork; their exit codes."""
    ends = interleaving.pipes() if len(together) > 1 else ()
    children = []
    for place, request in enumerate(together):
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            code = NOT_STARTED
            try:
                for other in ends[:place] + ends[place + 1 :]:
                    os.close(other[0])
                    os.close(other[1])
                code = carry_out(request, run, ends[place] if ends else None)
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        children.append(child)
    for end in ends:
        os.close(end[0])
        os.close(end[1])
    return [os.WEXITSTATUS(os.waitpid(child, 0)[1]) for child in children]


def carry_out(request, run, ends=None):
    """One request, from its surroundings to the coverage; `ends` are the pipes to the run it takes turns with."""
    journal = ResultJournal(request["results"])
    folder = os.path.dirname(request["results"])
    facts, clock = environment.enter(request, folder)
    journal.write("surroundings", **facts)
    try:
        measure = None
        starts = started_by(request["project"], request["files"])
        if request.get("quick_passwords"):
            quicken_passwords(starts, clock.shift if clock else 0)
        if request["measure"]:
            commands = started_by(request["project"], request["files"], ("api_command.py",))
            applications = (lambda include: Applications(folder, include, commands)) if starts else None
            measure = Measure(request["project"], request["measure"], applications)
        company = interleaving.hooks_for(request, folder, ends, clock)
        code = run(request, journal, measure, company)
        if measure is not None:
            with open(request["coverage"], "w", encoding="utf-8", opener=at_once_or_not) as stream:
                json.dump(measure.stop(), stream, sort_keys=True)
        late = company.ended()
        if late:
            journal.write("acts_at_collection", acts=late)
    except (Exception, SystemExit):
        journal.write("broken", message=cut(traceback.format_exc(), TRACE_LIMIT))
        return NOT_STARTED
    journal.write("end", code=code)
    with open(os.path.join(folder, "ended"), "w", opener=at_once_or_not):
        pass  # so that nobody has to read the journal again and again to see its end
    return code
