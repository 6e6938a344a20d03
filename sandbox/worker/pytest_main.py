"""The frame of both runners: one request in this process, or several, each in a fork of it.

A fork is taken before anything of the project is imported, so that each run meets the project fresh; what is shared is
only the start of the interpreter and of the test runner, which is most of what a short run costs.
"""

import json
import os
import sys
import traceback

NOT_STARTED = 70


def main(paths, load, warm, run):
    """Carry out the requests in `paths`, one after the other; the exit code is the highest of theirs.

    Args:
        load: imports a module beside the runners by name.
        warm: imports what all runs need; called with whether coverage is measured, only before forking.
        run: (request, journal module, journal, measure, company) → exit code.
    """
    requests = []
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            requests.append(json.load(stream))
    if len(requests) == 1:
        return carry_out(requests[0], load, run)
    warm(any(request["measure"] for request in requests))
    codes = []
    while requests:
        first = requests.pop(0)
        together = [first, requests.pop(0)] if first.get("pair") and requests else [first]
        codes += at_once(together, load, run)
    return max(codes)


def at_once(together, load, run):
    """Carry out one request, or a holder's and its visitor's at the same time, each in a fork; their exit codes."""
    ends = load("pytest_shared").pipes() if len(together) > 1 else ()
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
                code = carry_out(request, load, run, ends[place] if ends else None)
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        children.append(child)
    for one in ends:
        os.close(one[0])
        os.close(one[1])
    return [os.WEXITSTATUS(os.waitpid(child, 0)[1]) for child in children]


def carry_out(request, load, run, ends=None):
    """One request, from its surroundings to the coverage; `ends` are the pipes to the run it takes turns with."""
    tools = load("pytest_journal")
    journal = tools.Journal(request["results"])
    folder = os.path.dirname(request["results"])
    facts, clock = load("pytest_surroundings").enter(request, load, folder)
    journal.write("surroundings", **facts)
    try:
        measure = None
        if request["measure"]:
            served = load("api_measure")
            starts = served.started_by(request["project"], request["files"])
            applications = (lambda include: served.Applications(folder, include)) if starts else None
            measure = load("pytest_measure").Measure(request["project"], request["measure"], applications)
        company = load("pytest_shared").company(request, folder, ends, clock)
        code = run(request, tools, journal, measure, company)
        if measure is not None:
            with open(request["coverage"], "w", encoding="utf-8") as stream:
                json.dump(measure.stop(), stream, sort_keys=True)
    except (Exception, SystemExit):
        journal.write("broken", message=tools.cut(traceback.format_exc(), tools.TRACE_LIMIT))
        return NOT_STARTED
    journal.write("end", code=code)
    with open(os.path.join(folder, "ended"), "w"):
        pass  # so that nobody has to read the journal again and again to see its end
    return code
