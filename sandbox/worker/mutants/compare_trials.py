"""Runs trials on mutants of one module and reports how they behave differently; started by the mutant worker client.

Speaks JSON lines as `observe/run_trials.py` does. The first line is the configuration, answered by {"ready": …} or
{"import_error": …}. Then {"trials": [...]} adds trials, numbered from 0 in the order they arrive, answered by one line
each, as in `run_trials`, once all have run. And {"mutants": [{"id", "start", "end", "replacement", "imported",
"trials": [numbers], "enough"}]} runs each mutant in a fork of this process, a few in each fork, answered by one line
each, in any order: {"id", "status", "ran", "differs": [[number, [facets], message]]}.

Status is `tried`, `same` (it compiles to the same instructions), `syntax` (it does not compile), `broken` (the module
cannot be imported any more) or `lost` (the process ended before it reported anything). A mutant of code in functions
is put into the loaded functions; one of code that runs at import is imported anew, with every module of the project
that is loaded. After `enough` differing trials no further ones are run. Facets are those of `facets.py`.

Configuration: that of `run_trials` without `instrument`, and project (its folder), target (the file, relative to that),
jobs.
"""

import contextlib
import gc
import importlib
import json
import os
import shutil
import sys
import time

from ..observe import patterns, trace
from ..observe.run_trials import Surroundings, Wire
from . import children, facets, swap
from .module_state import State
from .runners import ProjectModules

BAD = ("timed_out", "out_of_memory", "refused", "crashed")
PORTION = 12
FEWEST = 3
SHARES = 8
FLOOR_STEPS = 5_000
FACTOR_STEPS = 10
FLOOR_SECONDS = 1.0
FACTOR_SECONDS = 10.0
WALL_SECONDS = 60.0
EVER = 1e9


class TrialComparison:
    """The loaded target, the trials, and what they do without a mutant."""

    def __init__(self, config, around, swapping, wire):
        self.config = config
        self.target = config["target"]
        self.around = around
        self.sources, self.live = swapping
        self.original = self.sources.original(self.target)
        self.runner = around.runner(trace.open_tracer(self.original, config["max_steps"]))
        self.wire = wire
        self.children = children.Children(
            config["jobs"], address_mib() + config["memory_mib"], os.path.dirname(config["scratch"])
        )
        self.places = ProjectModules(config["project"])
        own = [module for name, module in self.loaded() if self.places.inside(module)]
        self.held = State(own)
        self.trials = []
        self.plain = []
        self.steps = []
        self.seconds = []
        self.outside = frozenset()
        self.tasks = 0

    def loaded(self):
        """The loaded modules that are neither this worker's nor its own."""
        return [
            pair for pair in sys.modules.items() if pair[0] != "__main__" and not pair[0].startswith("_testwright_")
        ]

    # What trials do without a mutant.

    def learn(self, trials):
        """Run further trials on the module as it is, in children, several at a time."""
        if any(trial.get("mode") in ("await", "aiterate", "aenter") for trial in trials):
            import asyncio  # noqa: F401 - once here instead of once in each child
        self.runner.prepare(trials)
        told = {}
        size = self.config["per_fork"]
        first = len(self.trials)
        parts = [(first + start, trials[start : start + size]) for start in range(0, len(trials), size)]
        self.carry_out([self.learning(number, part, told) for number, part in parts])
        for number, trial in enumerate(trials, first):
            line, seconds = told[number]
            answer = json.loads(line)
            self.trials.append(trial)
            self.plain.append(facets.facets(answer) if answer["outcome"] in facets.ENDED else None)
            self.steps.append(answer.get("steps", 0))
            self.seconds.append(seconds)
            self.wire.write_line(line.encode("ascii"))

    def learning(self, first, trials, told):
        """A few trials as a piece of work; what each told goes to its number."""

        def work(say):
            known = set(patterns.kept())
            for number, trial in enumerate(trials, first):
                began = time.monotonic()
                answer = self.runner.run(trial, number)
                line = json.dumps(answer, separators=(",", ":"), default=repr)
                say("told", line, time.monotonic() - began)
                if answer["outcome"] in BAD:
                    return
            say("patterns", patterns.told(known).decode("ascii"))

        def done(facts, ending):
            found = [(fact[1], fact[2]) for fact in facts if fact[0] == "told"]
            for fact in facts:
                if fact[0] == "patterns":
                    self.around.known_patterns.learn(fact[1])
            if len(found) < len(trials) and (ending != "end" or not found):
                found.append((json.dumps({"outcome": "timed_out" if ending == "time" else "crashed"}), 0.0))
            told.update(enumerate(found, first))
            count = len(found)
            return self.learning(first + count, trials[count:], told) if count < len(trials) else None

        return self.task(work, done, len(trials))

    # What they do on mutants.

    def run(self, mutants):
        """Try mutants, several at a time."""
        # Children would visit, and so copy, what was learned in each collection of garbage.
        gc.collect()
        gc.freeze()
        self.outside = frozenset(name for name, module in self.loaded() if not self.places.inside(module))
        anew = [mutant for mutant in mutants if mutant["imported"]]
        inner = [mutant for mutant in mutants if not mutant["imported"]]
        self.carry_out([self.trying(part) for group in (anew, inner) for part in portions(group)])

    def trying(self, mutants, alone=False):
        """Some mutants as a piece of work, tried one after another in one child as long as none does it harm.

        Args:
            alone: try only the first one in this child, and so on.
        """

        def work(say):
            differing = set()
            for place, mutant in enumerate(mutants[:1] if alone else mutants):
                code = self.changed(mutant)
                inner = not isinstance(code, str) and not mutant["imported"]
                live = inner and self.live.change(self.target, code)
                if place and inner and not live:
                    self.live.restore()
                    break
                say("mutant", mutant["id"])
                found, unharmed = self.attempt(mutant, code, live, say)
                differing.update(found)
                if not unharmed or inner > live:  # functions of a module imported anew are not those known here
                    return
            if mutants[0]["imported"] or self.as_before(sorted(differing)):
                say("kept")

        def done(facts, ending):
            found, left, each = facets.mutant_answers(mutants[:1] if alone else mutants, facts, ending)
            for answer in found:
                self.wire.write(answer)
            left = mutants[1:] if alone else left
            return self.trying(left, alone or each) if left else None

        return self.task(work, done, len(mutants))

    def changed(self, mutant):
        """The code of the target with a mutant; a status where there is none to be tried."""
        try:
            code = self.sources.changed(self.target, mutant["start"], mutant["end"], mutant["replacement"])
        except (SyntaxError, RecursionError):
            return "syntax"
        return "same" if code is None else code

    def attempt(self, mutant, code, live, say):
        """Try one mutant; gives the trials that differ, and whether this process is unharmed.

        Args:
            live: whether the code is in the loaded functions already.
        """
        if isinstance(code, str):
            say("status", code)
            return [], True
        try:
            if not live:
                self.import_anew(code)
        except BaseException:  # whatever the mutated module raises, SystemExit included
            say("status", "broken")
            return [], True
        found = self.compare(mutant, code, say)
        if live:
            self.live.restore()
            self.held.put_back()
        return found

    def import_anew(self, code):
        """Import the target with other code, and the rest of the project with it."""
        for name, module in self.loaded():
            if name not in self.outside and self.places.inside(module):
                del sys.modules[name]
        self.live.restore()
        swap.put_in_place(self.sources.place(self.target), code)
        importlib.import_module(self.config["module"])

    def compare(self, mutant, code, say):
        """Run trials until enough of them differ; gives those, and whether all ended without harm to this process."""
        say("status", "tried")
        numbers = [number for number in mutant["trials"] if self.plain[number] is not None]
        differing = []
        if numbers:
            say("runs", numbers[0])
        with self.counting(code):
            for number, following in zip(numbers, [*numbers[1:], None]):
                told = self.run_trial(number)
                differs = facets.different(self.plain[number], told)
                message = told.get("raised", {}).get("m", "") if "message" in differs else ""
                say("ran", following, number, differs, message)
                if differs:
                    differing.append(number)
                if told["outcome"] not in facets.ENDED:
                    return differing, told["outcome"] == "arrange_failed" or self.ran_out_of_steps(told)
                if len(differing) >= mutant["enough"]:
                    break
        return differing, True

    def as_before(self, numbers):
        """Whether trials do what they did before any mutant."""
        with self.counting(self.original):
            return not any(facets.different(self.plain[number], self.run_trial(number)) for number in numbers)

    def run_trial(self, number):
        """What a trial does on the code that is loaded now; one that waits far longer than it did hangs."""
        self.runner.tracer.max_steps = FLOOR_STEPS + FACTOR_STEPS * self.steps[number]
        patience = FLOOR_SECONDS + FACTOR_SECONDS * self.seconds[number]
        self.runner.limiter.wall_seconds = min(self.config["wall_seconds"], patience)
        return self.runner.run(self.trials[number], number)

    def ran_out_of_steps(self, told):
        """Whether a trial was ended for the lines it ran, which harms nothing, and not for its time."""
        return told["outcome"] == "timed_out" and not self.runner.limiter.fired

    @contextlib.contextmanager
    def counting(self, code):
        """With only the lines of the target counted."""
        before = self.runner.tracer
        self.runner.tracer = trace.open_counter(code, FLOOR_STEPS)
        try:
            yield
        finally:
            self.runner.tracer.close()
            self.runner.tracer = before

    # Children.

    def carry_out(self, tasks):
        """Carry out all of some tasks."""
        left = self.children.run(tasks, time.monotonic() + EVER)
        assert not left

    def task(self, work, done, count):
        """A piece of work on several things, with a folder of its own for what trials write."""
        self.tasks += 1
        folder = os.path.join(self.config["scratch"], "%06d" % self.tasks)

        def begin(say):
            self.runner.config = dict(self.runner.config, scratch=folder)
            work(say)

        def end(facts, ending):
            shutil.rmtree(folder, ignore_errors=True)
            return done(facts, ending)

        return children.Task(begin, WALL_SECONDS * count, end)


def portions(things):
    """Things a few at a time, fewer towards the end, so that no child has much left when others are done."""
    found, at = [], 0
    while at < len(things):
        size = max(FEWEST, min(PORTION, (len(things) - at) // SHARES))
        found.append(things[at : at + size])
        at += size
    return found


def address_mib():
    """The address space of this process."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") // 2**20


def main():
    """Read the configuration, import the target, serve."""
    wire = Wire()
    config = wire.read()
    around = Surroundings(config)
    swapping = around.importing_target(wire, lambda: import_target(config))
    lockstep = TrialComparison(config, around, swapping, wire)
    wire.write({"ready": {"python": list(sys.version_info[:3])}})
    gc.collect()
    gc.freeze()
    while True:
        request = wire.read()
        if not request:
            os._exit(0)
        if "trials" in request:
            lockstep.learn(request["trials"])
        else:
            lockstep.run(request["mutants"])


def import_target(config):
    """Import the target with code that is known; gives the sources and the functions that are loaded."""
    swap.remember()
    sources = swap.Sources(config["project"], [config["target"]])
    swap.put_in_place(sources.place(config["target"]), sources.original(config["target"]))
    importlib.import_module(config["module"])
    return sources, swap.Live(sources)
