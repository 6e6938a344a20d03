"""The frame of both runners: one request in this process, or several, each in a fork of it.

A fork is taken before anything of the project is imported, so that each run meets the project fresh; what is shared is
only the start of the interpreter and of the test runner, which is most of what a short run costs.
"""

import json
import os
import sys
import time
import traceback

NOT_STARTED = 70


def main(paths, load, warm, run):
    """Carry out the requests in `paths`, one after the other; the exit code is the highest of theirs.

    Args:
        load: imports a module beside the runners by name.
        warm: imports what all runs need; called with whether coverage is measured, only before forking.
        run: (request, journal module, journal, measure) → exit code.
    """
    requests = []
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            requests.append(json.load(stream))
    if len(requests) == 1:
        return carry_out(requests[0], load, run)
    warm(any(request["measure"] for request in requests))
    codes = []
    for request in requests:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            code = NOT_STARTED
            try:
                code = carry_out(request, load, run)
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        codes.append(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
    return max(codes)


def carry_out(request, load, run):
    """One request, from the clock to the coverage."""
    tools = load("pytest_journal")
    journal = tools.Journal(request["results"])
    os.environ["TZ"] = request["time_zone"]
    time.tzset()
    if request["clock"]:
        journal.write("clock", moved=load("pytest_clock").move_clock(request["clock"]))
    try:
        measure = None
        if request["measure"]:
            measure = load("pytest_measure").Measure(request["project"], request["measure"])
        code = run(request, tools, journal, measure)
        if measure is not None:
            with open(request["coverage"], "w", encoding="utf-8") as stream:
                json.dump(measure.stop(), stream, sort_keys=True)
    except (Exception, SystemExit):
        journal.write("broken", message=tools.cut(traceback.format_exc(), tools.TRACE_LIMIT))
        return NOT_STARTED
    journal.write("end", code=code)
    return code
