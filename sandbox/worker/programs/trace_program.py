"""Starts a program as `python -m` or `python -c` would, and records which lines of watched files ran.

    python bootstrap.py programs.trace_program CONFIG -m MODULE [ARGS]        or        … -c CODE [ARGS]

CONFIG is JSON: out (file for the arcs, or empty), watched (paths, the entry first), modules (their names), shift (how
many seconds the clock is ahead). Plain standard library, Python 3.9 or newer.
"""

import atexit
import json
import os
import sys

from ..observe import wide_trace
from ..observe.clock import TrialClock


def main():
    """Install what is asked for, then run the program in this process."""
    config = json.loads(sys.argv[1])
    kind, what = sys.argv[2:4]
    if config["shift"]:
        TrialClock("shifted", config["shift"]).install()
    if config["out"]:
        trace(config)
    sys.argv[:] = [what if kind == "-m" else "-c", *sys.argv[4:]]
    sys.path.insert(0, "")
    if kind == "-m":
        import runpy

        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


def trace(config):
    """Trace until the program ends, however it does."""

    class Code:
        co_filename = config["watched"][0]

    tracer = wide_trace.WideTracer(Code, sys.maxsize, config["watched"][1:], config["modules"])
    tracer.active = True
    own = os.getpid()

    def tell():
        if os.getpid() == own:
            tracer.stop()
            with open(config["out"], "w", encoding="utf-8") as file:
                json.dump(sorted(tracer.arcs), file)

    atexit.register(tell)
    tracer.start()
