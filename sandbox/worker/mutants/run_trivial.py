"""Runs the tests of each function on trivial implementations of it; part of run_tests.py.

One process, forked from the one that has collected all tests, runs them all once and records which of them call which
function, and what they get. For each function a process is forked from that, which puts one implementation after the
other in its place and runs the tests that call it themselves, until one fails. The state of the project's modules is
put back before each. Where the tests then no longer pass on the function itself, it is tried anew, each implementation
in a process of its own.

What is found is said as ["trivial", facts]: "path", "name", "line"; "tests": the node ids of the tests that call the
function; "tried": how many implementations were; "passing": [{"title", "kind", "elsewhere": whether a test that only
comes by notices it}]; "noticed": for each of the others the node ids of some tests that fail, two at most; "left_out":
why none was tried. Plain standard library, Python 3.9.
"""

import gc
import os
import sys
import time
import traceback
import types

from . import children, expectations
from .module_state import State
from .standins import LoadedFunction, Recorder, SelfAnswer, StandIn, empty_answers, equal, shown

WALL_SECONDS = 5.0
ALL_SECONDS = 120.0
FLOOR_SECONDS = 0.3
TOO_MANY = "there are more functions than are tried in one measurement"
UNSTEADY = "its tests do not pass when they are run again in one process"
MOST_ELSEWHERE = 20
MOST_NOTICING = 2


class Caller:
    """Says which test runs, and whether a call comes from a test's own code.

    Args:
        project: its real path.
        files: real paths of test files.
        sources: real paths of the files whose functions are tried.
    """

    def __init__(self, project, files, sources):
        self.test = None
        self.root = project.rstrip(os.sep) + os.sep
        self.folders = {os.path.dirname(one) for one in files}
        self.sources = set(sources)
        self.kinds = {}

    def is_direct(self, frame):
        """Whether the nearest frame that belongs to the project is a test's: what lies between is others' code."""
        while frame is not None:
            kind = self.kind(frame.f_code.co_filename)
            if kind:
                return kind == "test"
            frame = frame.f_back
        return False

    def kind(self, name):
        """`test`, `project`, or nothing for a file of neither."""
        if name not in self.kinds:
            full = os.path.realpath(name)
            kind = ""
            if full.startswith(self.root):
                near = os.path.dirname(full) in self.folders or os.path.basename(full) == "conftest.py"
                kind = "test" if near and full not in self.sources else "project"
            self.kinds[name] = kind
        return self.kinds[name]


class FunctionTrial:
    """One function that is asked for, with what its tests did with it."""

    def __init__(self, asked, functions, who):
        self.asked = asked
        self.loaded = [LoadedFunction(one) for one in functions]
        optional = [one["parameters"][0] for one in asked["implementations"] if one["kind"] == "ignored"]
        self.recorders = [Recorder(one, who, optional) for one in self.loaded]
        self.facts = {"path": asked["path"], "name": asked["name"], "line": asked["line"]}

    def record(self):
        """From now on calls are noted."""
        for loaded, recorder in zip(self.loaded, self.recorders):
            loaded.lead_to(recorder)

    def restore(self):
        """The function itself again."""
        for loaded in self.loaded:
            loaded.restore()

    def tests(self):
        """Node ids of the tests that call it themselves, in the order in which they ran."""
        return list(dict.fromkeys(nodeid for recorder in self.recorders for nodeid in recorder.direct))

    def passers_by(self):
        """Node ids of the tests in which only other code calls it."""
        direct = set(self.tests())
        found = dict.fromkeys(nodeid for recorder in self.recorders for nodeid in recorder.indirect)
        return [nodeid for nodeid in found if nodeid not in direct]

    def implementations(self, texts):
        """What is tried: (what was asked for, its title, its answer or None, tests that should run first).

        Args:
            texts: of the test files.
        """
        recorder = max(self.recorders, key=lambda one: len(one.direct))
        answers = recorder.answers
        found = []
        acts = recorder.procedure or recorder.returns_self
        known = [answer for answer in answers if answer is not SelfAnswer]
        constants = [] if acts else [(shown(answer, texts), answer) for answer in answers]
        empties = [] if acts else empty_answers(known)
        for asked in self.asked["implementations"]:
            kind = asked["kind"]
            if kind == "empty" and asked["value"] == "None":
                chosen = constants + [
                    pair for pair in empties if not any(equal(pair[1], answer) for _, answer in constants)
                ]
                for text, answer in chosen:
                    found.append((asked, "always returns " + text, answer, self.differing(recorder, answer)))
            elif kind in ("argument", "measure") and acts:
                continue
            elif kind not in ("empty", "constant"):
                found.append((asked, asked["title"], None, []))
        return found

    def differing(self, recorder, answer):
        """The tests that get another answer: they are the quickest to notice."""
        places = {place for place, known in enumerate(recorder.answers) if not equal(known, answer)}
        return [nodeid for nodeid, got in recorder.direct.items() if any(place in places for place in got)]

    def unheard(self, asked):
        """Whether no test gives the argument that is ignored."""
        if asked["kind"] != "ignored":
            return False
        name = asked["parameters"][0]
        return not any(name in recorder.given for recorder in self.recorders)

    def put_in_place(self, asked, answer):
        """Put an implementation in the function's place; the objects that do its work."""
        placed = []
        for loaded, recorder in zip(self.loaded, self.recorders):
            stand_in = StandIn(loaded, asked, answer)
            stand_in.procedure = recorder.procedure
            stand_in.returns_self = recorder.returns_self and bool(recorder.answers)
            loaded.lead_to(stand_in)
            placed.append(stand_in)
        return placed


class TrivialRun:
    """The work of the process that records, and of those forked from it.

    Args:
        request: that of run_tests.py.
        live: the loaded functions; see swap.py.
        again: runs tests in this process, as often as one likes: (node ids, folder, limit, most) → those that fail, at
            most so many.
        broken: node ids of tests that do not pass without a change.
        places: which modules are the project's; see runners.py.
        costs: processor seconds of tests by node id.
    """

    def __init__(self, request, live, again, broken, places, costs):
        self.request = request
        self.again = again
        self.costs = costs
        self.project = project = os.path.realpath(request["project"])
        sources = [os.path.realpath(os.path.join(project, path)) for path in request["sources"]]
        files = [os.path.realpath(os.path.join(project, path.split("::")[0])) for path in request["tests"]]
        self.who = Caller(project, files, sources)
        self.tests = [nodeid for nodeid in request["tests"] if nodeid not in broken]
        modules = [module for module in list(sys.modules.values()) if isinstance(module, types.ModuleType)]
        self.state = State([module for module in modules if places.inside(module)])
        self.texts = [text_of(path) for path in dict.fromkeys(files)]
        self.trials = []
        for asked in request["functions"]:
            functions = live.functions(asked["path"], asked["line"], asked["name"].rpartition(".")[2])
            if functions and not asked["left_out"]:
                self.trials.append(FunctionTrial(asked, functions, self.who))

    def run(self, say, wall_seconds):
        """Everything, in order; the facts are said. `wall_seconds` are for one process."""
        for trial in self.trials:
            trial.record()
        for nodeid in self.tests:
            self.who.test = nodeid
            self.again([nodeid], "record", self.limit)
        self.who.test = None
        for trial in self.trials:
            trial.restore()
        gc.collect()
        gc.freeze()
        left = self.request["trivial_most"]
        tasks = []
        for trial in self.trials:
            tests = trial.tests()
            if not tests:
                continue
            chosen = trial.implementations(self.texts)[:left]
            left -= len(chosen)
            if not chosen:
                say("trivial", dict(trial.facts, tests=tests, tried=0, passing=[], noticed=[], left_out=TOO_MANY))
                continue
            tasks.append(self.task(say, Progress(trial, chosen), wall_seconds))
        run = children.Children(self.request["jobs"], self.request["memory_mib"], self.request["scratch"])
        run.run(tasks, time.monotonic() + ALL_SECONDS)

    def limit(self, nodeid):
        """Seconds of processor time that a test may take."""
        return FLOOR_SECONDS + 10.0 * self.costs.get(nodeid, 0.0)

    def task(self, report, progress, wall_seconds):
        """What is left of one function, in one process."""

        def work(say):
            try:
                self.try_all(progress, say)
            except Exception:  # ours: what a test raises, its runner catches
                say("broken", traceback.format_exc(limit=-1))

        def done(facts, ending):
            progress.learn(facts, ending)
            if progress.is_left():
                return self.task(report, progress, wall_seconds)
            report("trivial", progress.told())
            return None

        return children.Task(work, wall_seconds, done)

    def try_all(self, progress, say):
        """Put one implementation after the other in the function's place; what becomes of each is said."""
        trial = progress.trial
        folder = "t{}-{}".format(trial.asked["line"], progress.starts)
        tests = trial.tests()
        if self.failing(tests, folder):
            say("unsteady")
            return
        for number, (asked, _, answer, first) in progress.waiting():
            say("trying", number)
            if trial.unheard(asked):
                say("tried", number, "unheard", [])
                continue
            placed = trial.put_in_place(asked, answer)
            order = [*first, *(nodeid for nodeid in tests if nodeid not in set(first))]
            failing = self.failing(order, folder, MOST_NOTICING)
            fits = any(one.mattered for one in placed) and not any(one.unfit for one in placed)
            elsewhere = []
            if fits and not failing:
                elsewhere = self.failing(trial.passers_by()[:MOST_ELSEWHERE], folder)
            trial.restore()
            said = "elsewhere" if elsewhere else "passes" if fits else "alike"
            say("tried", number, "noticed" if failing else said, failing)
            if progress.alone:
                return
        if self.failing(tests, folder):
            say("spoiled")

    def failing(self, nodeids, folder, most=1):
        """Tests that fail, at most so many, from the state in which the project's modules were."""
        self.state.put_back()
        return self.again(nodeids, folder, self.limit, most)


def text_of(path):
    """The text of a file; nothing where it cannot be read."""
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError):
        return ""


class Progress:
    """How far the implementations of one function have been tried.

    Attributes:
        left_out: why the rest is not tried.
        alone: whether each is tried in a process of its own.
        outcomes: what became of each, by its number: noticed, passes, elsewhere, alike, unheard.
        noticing: tests that noticed it, by its number.
    """

    def __init__(self, trial, chosen):
        self.trial = trial
        self.chosen = chosen
        self.alone = False
        self.left_out = ""
        self.starts = 0
        self.outcomes = {}
        self.noticing = {}

    def waiting(self):
        """Those that have not been tried, with their numbers."""
        return [(number, one) for number, one in enumerate(self.chosen) if number not in self.outcomes]

    def is_left(self):
        """Whether another process has to go on."""
        return bool(self.waiting()) and not self.left_out

    def learn(self, facts, ending):
        """Take in what a process said of its work; what ends it is noticed."""
        self.starts += 1
        kinds = {fact[0] for fact in facts}
        if kinds & {"unsteady", "broken"} or "trying" not in kinds:
            broken = [fact[1] for fact in facts if fact[0] == "broken"]
            self.left_out = broken[0] if broken else UNSTEADY
            return
        if "spoiled" in kinds and not self.alone:
            self.alone = True
            self.outcomes.clear()
            self.noticing.clear()
            return
        for fact in facts:
            if fact[0] == "tried":
                self.outcomes[fact[1]], self.noticing[fact[1]] = fact[2:]
        if ending != "end":
            begun = [fact[1] for fact in facts if fact[0] == "trying"]
            self.outcomes.setdefault(begun[-1], "noticed")

    def told(self):
        """The facts about the function."""
        passing = []
        for number, outcome in sorted(self.outcomes.items()):
            asked, title = self.chosen[number][:2]
            if outcome == "unheard":
                title += ", which no test gives"
            if outcome in ("passes", "elsewhere", "unheard"):
                passing.append({"title": title, "kind": asked["kind"], "elsewhere": outcome == "elsewhere"})
        return dict(
            self.trial.facts,
            tests=self.trial.tests(),
            tried=sum(outcome != "alike" for outcome in self.outcomes.values()),
            passing=passing,
            noticed=[nodeids for _, nodeids in sorted(self.noticing.items()) if nodeids],
            left_out=self.left_out,
        )


def try_functions(measured, live, again):
    """Run the tests of each function on trivial implementations of it, and falsify what tests expect; each in a
    process forked from this one.

    Args:
        measured: the `MutantTestRun` of the request; its journal gets what is found.
    """
    if not measured.request.get("functions"):
        return
    wall_seconds = WALL_SECONDS + 10.0 * measured.control_seconds

    def new_run():
        return TrivialRun(measured.request, live, again, measured.broken, measured.places, measured.costs)

    def work(say):
        new_run().run(say, wall_seconds)

    def falsify(say):
        run = new_run()
        expectations.falsify(run.project, run.tests, live, lambda nodeids: run.failing(nodeids, "falsified"), say)

    for part in (work, falsify):
        facts, _ = measured.one(part, ALL_SECONDS + wall_seconds)
        for fact in facts:
            if fact[0] in ("trivial", "unproven"):
                measured.journal.write(fact[0], **fact[1])
