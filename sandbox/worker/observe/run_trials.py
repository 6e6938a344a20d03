"""Runs trials against one module and writes what they did, line by line; started by engine/python/search/observer.py.

Speaks JSON lines over the standard input and output it was started with; the target gets empty ones instead. The first
line is the configuration, answered by {"ready": …} or {"import_error": …}. Every further line is {"trials": [...]},
answered by one line a trial, in order. Trials run in forked children, a few in each, so that what one does to the
module reaches few others and what kills one costs only itself. Plain standard library, Python 3.9 or newer.

Configuration: module, path (of the target file), scratch (folder for trials), guard (policy, see guard.py, or null),
clock ({mode, seconds} or null), seed, instrument, per_fork, cpu_seconds, wall_seconds, memory_mib, max_steps, hidden,
watched (paths of further files whose lines are told, see wide_trace.py), modules (names of the target and of them),
missing (names of modules that the target, and only it, does not find when it is loaded).
"""

import gc
import json
import os
import resource
import select
import signal
import sys
import time

from .. import guard
from ..bootstrap import FOLDER
from . import ambient_reads, clock, importing, limits, network, patterns, trace, trial, wide_trace

GRACE_SECONDS = 2.0


class Wire:
    """The protocol's two descriptors, out of the target's reach."""

    def __init__(self):
        self.incoming = os.fdopen(os.dup(0), "rb")
        self.outgoing = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.close(nothing)
        sys.stdin, sys.stdout, sys.stderr = (
            open(0, closefd=False),
            open(1, "w", closefd=False),
            open(2, "w", closefd=False),
        )

    def read(self) -> dict:
        """The next message; empty at the end."""
        line = self.incoming.readline()
        return json.loads(line) if line.strip() else {}

    def write(self, message):
        self.write_line(json.dumps(message, separators=(",", ":")).encode("ascii"))

    def write_line(self, line):
        view = memoryview(line + b"\n")
        while view:
            view = view[os.write(self.outgoing, view) :]


class Zygote:
    """Holds the imported target and runs batches of trials in children of its own."""

    def __init__(self, config, runner, wire, around):
        self.config = config
        self.starved_seconds = limits.starved_seconds
        self.patterns = patterns
        self.known_patterns = around.known_patterns
        self.runner = runner
        self.wire = wire
        self.number = 0

    def run(self, trials):
        """Run trials in order; answers exactly one line for each."""
        if any(trial.get("mode") in ("await", "aiterate", "aenter") for trial in trials):
            import asyncio  # noqa: F401 - once here instead of once in each child
        self.runner.prepare(trials)
        at = 0
        while at < len(trials):
            at += self.run_child(trials[at : at + self.config["per_fork"]])

    def run_child(self, trials):
        """Fork for a few trials; how many were answered."""
        reading, writing = os.pipe()
        hearing, telling = os.pipe()
        os.set_blocking(hearing, False)
        first = self.number
        self.number += len(trials)
        child = os.fork()
        if child == 0:
            os.close(reading)
            self.be_child(trials, first, writing, telling)
        os.close(writing)
        os.close(telling)
        answered, ending = self.forward(reading, child, len(trials))
        os.close(reading)
        self.known_patterns.learn(self.patterns.heard(hearing))
        if answered < len(trials) and ending != "stopped":
            self.wire.write({"outcome": ending})
            answered += 1
        self.number = first + answered
        return answered

    def be_child(self, trials, first, writing, telling):
        """Run in the child; never returns."""
        own, before = os.getpid(), set(self.patterns.kept())
        try:
            limit_memory(self.config["memory_mib"])
            for offset, trial in enumerate(trials):
                told = self.runner.run(trial, first + offset)
                if os.getpid() != own:
                    os._exit(0)
                line = json.dumps(told, separators=(",", ":"), default=repr).encode("ascii") + b"\n"
                while line:
                    line = line[os.write(writing, line) :]
                if told["outcome"] in ("timed_out", "out_of_memory", "refused", "crashed"):
                    break
            else:
                os.set_blocking(telling, False)
                os.write(telling, self.patterns.told(before))
        except MemoryError:
            os._exit(77)
        finally:
            os._exit(0)

    def forward(self, reading, child, expected):
        """Pass on complete lines until the child ends; (how many, why it ended)."""
        answered, rest, killed, idle, starved = 0, b"", False, 0.0, 0.0
        patience = self.config["wall_seconds"] + GRACE_SECONDS
        while answered < expected:
            if not select.select([reading], [], [], patience)[0]:
                before, starved = starved, self.starved_seconds(child)
                idle += patience - (starved - before)
                killed = idle > 0.9 * patience
                if killed:
                    break
                continue
            idle = 0.0
            piece = os.read(reading, 1 << 16)
            if not piece:
                break
            rest += piece
            *lines, rest = rest.split(b"\n")
            for line in lines:
                self.wire.write_line(line)
                answered += 1
        if killed:
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        if killed or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
            return answered, "timed_out"
        if os.WIFSIGNALED(status):
            return answered, "crashed"
        if os.WEXITSTATUS(status) == 77:
            return answered, "out_of_memory"
        return answered, "stopped" if answered and os.WEXITSTATUS(status) == 0 else "crashed"


def limit_memory(mebibytes):
    """Bound the growth of this process from now on."""
    with open("/proc/self/statm") as stream:
        pages = int(stream.read().split()[0])
    wanted = pages * resource.getpagesize() + mebibytes * 1024 * 1024
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))


def describe(error, folders):
    """An import failure for the host, with the deepest line of the project's own."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    outer = [frame for frame in frames if not frame.filename.startswith(("<", FOLDER))]
    own = [frame for frame in outer if frame.filename.startswith(tuple(folders))]
    last = (own or outer or [None])[-1]
    return {
        "type": type(error).__name__,
        "message": str(error)[:1000],
        "name": getattr(error, "name", None) if isinstance(error, ImportError) else None,
        "file": last.filename if last else None,
        "line": last.lineno if last else None,
        "text": last.line if last else None,
    }


class Surroundings:
    """What is put in place around the target before it is imported: limits, a clock, chance, the guard."""

    def __init__(self, config):
        os.makedirs(config["scratch"], exist_ok=True)
        self.config = config
        self.clock = None
        if config["clock"] is not None:
            self.clock = clock.TrialClock(config["clock"]["mode"], config["clock"]["seconds"])
            self.clock.install()
        self.limiter = limits.Limiter(config["cpu_seconds"], config["wall_seconds"])
        self.limiter.install()
        self.chance = clock.SeededRandomness()
        self.chance.install()
        self.chance.reseed(config["seed"])
        # What tells its own program's name tells something else in a test.
        sys.argv[:1] = ["program-%d" % config["seed"]]
        guarded = guard.install(config["guard"]) if config["guard"] is not None else None
        self.refusals = guarded.refusals if guarded is not None else []
        self.network = network.Network(config["module"], (config["guard"] or {}).get("network") == "loopback")
        self.network.install(guarded)
        self.ambient = ambient_reads.AmbientReads()
        self.ambient.install()
        self.operands = importing.Operands()
        self.known_patterns = patterns.Patterns()

    def importing_target(self, wire, work):
        """What `work` gives, which imports the target; where that fails, it is said and this process ends."""
        try:
            return work()
        except BaseException as error:  # whatever the module's own code raises, SystemExit included
            refused = [list(refusal) for refusal in self.refusals]
            wire.write({"import_error": describe(error, self.config["hidden"]), "refusals": refused})
            os._exit(0)

    def runner(self, tracer):
        """Runs trials on the imported target."""
        watchers = (self.operands, self.clock, self.chance, self.refusals, self.limiter, self.network, self.ambient)
        return trial.Runner(self.config, tracer, *watchers)


def main():
    """Read the configuration, import the target, serve."""
    wire = Wire()
    config = wire.read()
    around = Surroundings(config)
    tracers = []

    def compiled(code):
        tracers.append(trace.open_tracer(code, sys.maxsize).__enter__())

    def work():
        importing.import_target(config["module"], config["path"], config["instrument"], around.operands, compiled)
        if tracers and config.get("missing"):
            tracers[-1].__exit__()
            tracers[-1].__enter__()
            importing.import_without(config["module"], config["missing"])
        if not tracers:
            raise ImportError("%s has no Python source" % config["module"])

    started = time.monotonic()
    around.importing_target(wire, work)
    tracer = tracers[-1]
    tracer.__exit__()
    around.network.skip_bundled_certificates()
    ready = {
        "arcs": sorted(tracer.arcs),
        "python": list(sys.version_info[:3]),
        "refusals": [list(refusal) for refusal in around.refusals],
        "seconds": round(time.monotonic() - started, 3),
    }
    wire.write({"ready": ready})
    if config.get("watched"):
        tracer = wide_trace.WideTracer(tracer.code, sys.maxsize, config["watched"], config["modules"])
    tracer.max_steps = config["max_steps"]
    zygote = Zygote(config, around.runner(tracer), wire, around)
    gc.collect()
    gc.freeze()
    while True:
        request = wire.read()
        if not request:
            os._exit(0)
        zygote.run(request["trials"])
