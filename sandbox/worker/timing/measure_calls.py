"""Times calls of the target: `timing.measure_calls REQUEST.json`, answers as JSON lines on standard output.

REQUEST: {"module", "jobs": [{"id", "kind", "forms"}], "job_seconds", "call_seconds", "all_seconds"}. A form is
{"imports", "points"}; a point is {"size", "statements", "act", "before"}: statements run once, `act` is an expression
that is timed, `before` statements run ahead of each first call (`repeat` only). The first form whose first point
returns counts. Kinds:

- `growth`: processor seconds of one call at each size, until a call takes long, with the value that it returns and its
  last item, as observe/values.py renders them.
- `cost`: seconds of one call beside those of a fixed loop, in groups; of a long call in one.
- `repeat`: seconds of the first call after `before`, of `before` alone, and of a repeated call; groups of the first
  one's cost as well, unless it is long.

Each job has a child process of its own, killed when its time is up: calls that hang, crash or eat memory cost their
job.
"""

import json
import os
import select
import signal
import sys
import time
import timeit

from ..observe.limits import starved_seconds
from ..observe.values import Renderer

ROUNDS = 5
GROUPS = 3
SAMPLE_SECONDS = 0.0005
LONG_CALL = 0.02  # a call that takes longer is the last of its ladder, and is timed no further for its cost
LONG_FIRST = 0.2  # the same of a first call, for a cache
TEXT_END = 12
LONG_PREPARATION = 0.15  # so is one whose input takes more processor time to build
LEAST_LEFT = 0.01


class OutOfTime(BaseException):
    """A call took longer than it may."""


def reference_work():
    """A thousand additions."""
    total = 0
    for number in range(1000):
        total += number
    return total


def limited(call, seconds):
    """The result of a call that may take so many seconds, without those that it waits for a processor."""
    began, starved = time.monotonic(), starved_seconds()

    def ring(number, frame):
        left = seconds - (time.monotonic() - began - (starved_seconds() - starved))
        if left < LEAST_LEFT:
            raise OutOfTime
        signal.setitimer(signal.ITIMER_REAL, left)

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def groups_of(calls, clock):
    """Seconds of each call, the best of several rounds by turns; one list of them for each group."""
    timers = [timeit.Timer(call, timer=clock) for call in calls]
    once = [min(timeit.repeat(call, number=1, repeat=3)) for call in calls]
    counts = [max(1, min(10000, int(SAMPLE_SECONDS / max(seconds, 1e-9)))) for seconds in once]
    found = []
    for _ in range(GROUPS):
        rounds = [[t.timeit(n) / n for t, n in zip(timers, counts)] for _ in range(ROUNDS)]
        found.append([min(column) for column in zip(*rounds)])
    return found


def prepared(form, point):
    """A namespace after the statements, and the timed call."""
    space = {"__name__": "measured"}
    for statement in form["imports"] + point["statements"]:
        exec(compile(statement, "<measured>", "exec"), space)
    return space, eval(compile("lambda: " + point["act"], "<measured>", "eval"), space)


def told(space, module, value):
    """A value as data, and the last item of a list or tuple; of a text its end.

    Asking another container for -1 may add that key to it.
    """
    renderer = Renderer(space, module, [os.getcwd()])
    whole, end = renderer.value(value), None
    if isinstance(value, (list, tuple, str)) and value:
        try:
            end = renderer.value(value[-TEXT_END:] if isinstance(value, str) else value[-1], 0)
        except Exception:  # a class that extends them answers as it likes
            end = None
    return [whole, end]


def growth(form, seconds, module):
    points = []
    for point in form["points"]:
        try:
            began = time.process_time()
            space, call = limited(lambda point=point: prepared(form, point), seconds)
            if points and time.process_time() - began > LONG_PREPARATION:
                return {"points": points, "ended": "larger inputs take too long to build"}
            value = limited(call, seconds)
            answer = limited(lambda space=space, value=value: told(space, module, value), seconds)
            groups = limited(lambda call=call: groups_of([call], time.thread_time), 10 * seconds)
        except OutOfTime:
            return {"points": points, "ended": "a call takes longer than %g s" % seconds}
        except Exception as error:
            if not points:
                raise
            return {"points": points, "ended": "%s at %d" % (type(error).__name__, point["size"])}
        best = [group[0] for group in groups]
        points.append([point["size"], best, *answer])
        if min(best) > LONG_CALL:
            break
    return {"points": points, "ended": ""}


def cost(form, seconds, module):
    _, call = limited(lambda: prepared(form, form["points"][0]), seconds)
    limited(call, seconds)
    once = limited(lambda: min(timeit.repeat(call, number=1, repeat=2)), 2 * seconds)
    if once > LONG_CALL:
        return {"groups": [[once, min(timeit.repeat(reference_work, number=1, repeat=3))]]}
    groups = limited(lambda: groups_of([call, reference_work], time.perf_counter), 20 * seconds)
    return {"groups": groups}


def repeat(form, seconds, module):
    space, call = limited(lambda: prepared(form, form["points"][0]), seconds)
    code = compile("\n".join(form["points"][0]["before"]), "<measured>", "exec")
    found = {"before": [], "first": [], "again": []}
    for _ in range(GROUPS * ROUNDS):
        found["before"].append(limited(lambda: timeit.timeit(lambda: exec(code, space), number=1), seconds))
        found["first"].append(limited(lambda: timeit.timeit(call, number=1), seconds))
        found["again"].append(limited(lambda: min(timeit.repeat(call, number=1, repeat=3)), seconds))
        if len(found["first"]) > 1 and min(found["first"]) > LONG_FIRST:
            return {name: min(values) for name, values in found.items()}

    def first():
        exec(code, space)
        return call()

    groups = limited(lambda: groups_of([first, reference_work], time.perf_counter), 20 * seconds)
    return {**{name: min(values) for name, values in found.items()}, "groups": groups}


KINDS = {"growth": growth, "cost": cost, "repeat": repeat}


def answer_of(job, seconds, module):
    """What one job gave, in a process of its own."""
    problem = "no form of it"
    for number, form in enumerate(job["forms"]):
        try:
            return {"form": number, **KINDS[job["kind"]](form, seconds, module)}
        except OutOfTime:
            problem = "a call takes longer than %g s" % seconds
        except Exception as error:
            problem = "%s: %s" % (type(error).__name__, str(error)[:200])
    return {"problem": problem}


def run_job(job, request, silent):
    """Run a job in a child, which is killed when its time is up."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            for number in (0, 1, 2):
                os.dup2(silent, number)
            text = json.dumps(answer_of(job, request["call_seconds"], request["module"])).encode()
            while text:
                text = text[os.write(writing, text) :]
        finally:
            os._exit(0)
    os.close(writing)
    parts, began, left = [], time.monotonic(), request["job_seconds"]
    while left > 0:
        part = os.read(reading, 65536) if select.select([reading], [], [], left)[0] else None
        if part == b"":
            break
        parts.append(part or b"")
        left = request["job_seconds"] - (time.monotonic() - began - starved_seconds(str(child)))
    os.close(reading)
    late = left <= 0
    try:
        os.kill(child, signal.SIGKILL)
    except OSError:
        pass
    os.waitpid(child, 0)
    try:
        return json.loads(b"".join(parts).decode())
    except ValueError:
        return {"problem": "it did not come to an end" if late else "it ended the process"}


def imported(jobs, seconds):
    """Import what jobs import, for all of them at once: no call's time holds an import. One that fails, fails there."""
    statements = dict.fromkeys(line for job in jobs for form in job["forms"] for line in form["imports"])
    for statement in statements:
        try:
            limited(lambda line=statement: exec(compile(line, "<measured>", "exec"), {}), seconds)
        except BaseException:  # also what exits; the job that needs it says what is wrong
            continue


def main():
    """Carry out the request that the command line names."""
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    out = os.dup(1)
    silent = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(silent, number)
    until = time.monotonic() + request["all_seconds"]
    imported(request["jobs"], request["job_seconds"])
    for job in request["jobs"]:
        late = time.monotonic() > until
        answer = {"problem": "no time was left to measure it"} if late else run_job(job, request, silent)
        os.write(out, (json.dumps({"id": job["id"], **answer}) + "\n").encode())
