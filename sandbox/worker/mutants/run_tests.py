"""Runs tests on mutants in the target's interpreter: `mutants.run_tests REQUEST.json`.

A mutant in the body of a function is tried in a fork of a process that has collected all tests already: the changed
code replaces that of the functions there. One whose line runs at import is tried in a fork of a process that has
imported what the tests need from outside the project; it imports the project with the file changed. Both run the tests
that cover the change.

REQUEST: that of suites/run_pytest.py ("framework", "project", "results", "files", "arguments", "imports", "time_zone"),
and "sources": paths of the files with mutants; "scratch": folder for temporary files; "places": folders that tests may
write to; "jobs", "memory_mib", "floor_seconds", "factor", "stop_after"; and "plan": path of a file, waited for once the
tests are collected, with the rest, which may also be in the request: "tests": node ids that pass, in order; "known":
all node ids; "mutants": [{"id", "path", "start", "end", "replacement", "imported": whether its line runs at import,
"rounds": [[indexes into tests], …]}], a round is run if the one before did not notice the mutant; "needy": indexes of
the tests that are run on mutants of import-time lines, although others have noticed them, until they have noticed one;
null for all tests, always; "functions": those that get trivial implementations, [{"path", "name", "line", "left_out",
"implementations": [{"kind", "parameters", "value", "title"}]}], and "trivial_most": how many are tried in all.

`results` gets JSON lines: "preloaded", "control" (which tests do not pass without a mutant), one "mutant" each, "after"
(tests that fail now because mutants damaged files), one "trivial" for each function (see run_trivial.py), one
"unproven" for each expectation that proves nothing (see expectations.py), "end"
("untried": why some mutants have no verdict: the "time" was up, the process that tries them "ended" early, or no test
"judges").
"""

import gc
import json
import os
import shutil
import sys
import time
from time import sleep as _sleep  # bound here: a test may replace what the module holds

from ..observe import patterns
from ..suites.journal import ResultJournal
from ..suites.loaded_pytest import load_pytest
from ..suites.run_unittest import collect
from . import children, run_trivial, runners, swap
from .file_stamps import stamps
from .preload import holds_project, preload
from .verdicts import judge

WALL_SECONDS = 8.0
PORTION = 16
PAUSE = 0.01


class MutantTestRun:
    """One request with everything it is worked on with."""

    def __init__(self, request):
        self.request = request
        self.journal = ResultJournal(request["results"])
        self.children = children.Children(request["jobs"], request["memory_mib"], request["scratch"])
        self.sources = swap.Sources(request["project"], request["sources"])
        self.places = runners.ProjectModules(request["project"])
        self.tests = []
        self.known = set()
        self.costs = {}
        self.broken = set()
        self.until = time.monotonic() + request["stop_after"]
        self.collect = collect if request["framework"] == "unittest" else None
        self.control_seconds = 0.0
        self.unfit = []
        self.needy = None
        self.useful = set()
        self.collecting = None
        self.untouched = None
        self.ended = False
        if "mutants" in request:
            self.read_plan()

    def read_plan(self):
        """Take in which mutants are tried and which tests judge; waits for the file that says so. It appears whole."""
        if "mutants" not in self.request:
            while not os.path.exists(self.request["plan"]):
                if time.monotonic() > self.until:
                    raise TimeoutError("nobody said which mutants to try")
                _sleep(PAUSE)
            with open(self.request["plan"], encoding="utf-8") as stream:
                self.request.update(json.load(stream))
            self.until = time.monotonic() + self.request["stop_after"]
        self.tests = self.request["tests"]
        self.known = set(self.request["known"])

    @property
    def files(self):
        """The files whose tests judge; all there are before it is known."""
        return runners.paths_of(self.tests) or self.request["files"]

    def limit(self, nodeid):
        """Seconds of processor time a test may take: many times what it takes without a mutant."""
        if self.control_seconds == 0.0:
            return 0.0
        return self.request["floor_seconds"] + self.request["factor"] * self.costs.get(nodeid, 0.0)

    def run_tests(self, wanted, say, name, files=None, leave=False, serve=None, needy=None, last=None, early=None):
        """Run some tests, None for all, in this process, which is a child; gives the watch.

        Args:
            files: only collect these.
            leave: end the process after the last test, without the runner's clearing up, which takes longer than most
                suites.
            needy: tests that are run although another has noticed; None for all.
            serve: called once with `go(wanted, say, name, last)` when all is collected, instead of running tests; that
                runs some of them, once, in a process forked for it.
            early: called once with `go(wanted, say, name, needy)` when the runner is ready to collect, for pytest; it
                collects and runs some of them, once, in a process forked for it.
            last: called before `leave` ends the process.
        """
        files = files or runners.paths_of(wanted or ()) or self.files
        watch = runners.RunWatch(say, self.limit, self.known, children.limit_processor_time, leave, needy, last)
        if self.collect is not None:
            runners.run_unittest(self.request, files, wanted, watch, self.collect, serve)
        else:
            folder = os.path.join(self.request["scratch"], name)
            runners.run_pytest(self.request, files, wanted, watch, folder, serve, early)
        return watch

    def one(self, work, wall_seconds):
        """One piece of work in a child, alone; what it said and how it ended."""
        heard = []
        self.children.run([children.Task(work, wall_seconds, lambda *said: heard.append(said))], self.until)
        return heard[0] if heard else ([], "time")

    def warm(self):
        """Import the runner."""
        if self.collect is None:
            load_pytest()

    # The tests without a mutant.

    def control(self, go=None, collecting=0.0):
        """Run all tests with the files swapped for themselves; those that do not pass here judge no mutant.

        Args:
            go: runs tests in a process forked from this one, which has collected them; without it that is done anew.
            collecting: processor seconds that it took to collect them.
        """

        def work(say):
            before = set(patterns.kept())

            def last():
                say("patterns", patterns.told(before).decode("ascii"))

            if go is not None:
                go(self.tests, say, "control", last)
            else:
                self.put_originals()
                self.run_tests(self.tests, say, "control", leave=True, last=last)

        began = time.monotonic()
        facts, ending = self.one(work, self.request["stop_after"])
        self.learn([*facts, ["collecting", collecting], ["controlled", time.monotonic() - began]])
        self.journal.write("control", failing=sorted(self.broken), ending=ending)
        return facts

    def learn(self, facts):
        """Take in what the tests did without a mutant."""
        passed = set()
        spent = around = 0.0
        for fact in facts:
            if fact[0] == "test":
                self.costs[fact[1]] = fact[3]
                spent += fact[3]
                if fact[2] == "passed":
                    passed.add(fact[1])
            elif fact[0] == "patterns":  # so that not every mutant's process has to compile them
                patterns.Patterns(times=1).learn(fact[1])
            elif fact[0] in ("end", "collecting"):
                around += fact[1]
            elif fact[0] == "controlled":
                self.control_seconds = fact[1]
        self.costs[""] = max(0.5, around - spent)
        self.broken = {nodeid for nodeid in self.tests if nodeid not in passed}

    def put_originals(self):
        """Let this process load the sources' own code, by which functions are known again."""
        for path in self.request["sources"]:
            swap.put_in_place(self.sources.place(path), self.sources.original(path))

    def after(self):
        """Whether the mutants have damaged files for good: the tests again, unless no file has changed."""
        if self.untouched is not None and self.untouched == stamps(self.request):
            self.journal.write("after", failing=[], ending="end")
            return

        def work(say):
            self.put_originals()
            self.run_tests(self.tests, say, "after", leave=True)

        facts, ending = self.one(work, self.request["stop_after"])
        passed = {fact[1] for fact in facts if fact[0] == "test" and fact[2] == "passed"}
        failing = [nodeid for nodeid in self.tests if nodeid not in passed and nodeid not in self.broken]
        self.journal.write("after", failing=sorted(failing), ending=ending)

    # The mutants.

    def fresh_task(self, mutant, number=0, ran=0):
        """One round of a mutant in a process that imports the project anew, with the file changed."""

        def begin(say, code, wanted, name):
            swap.put_in_place(self.sources.place(mutant["path"]), code)
            if wanted and self.collecting is not None:
                self.collecting(wanted, say, name, self.needy)
            elif wanted:
                self.run_tests(wanted, say, name, leave=True, needy=self.needy)

        return self.task(mutant, begin, self.journal, self.fresh_task, number, ran)

    def task(self, mutant, begin, journal, follow, number, ran):
        """One round of a mutant; `begin(say, changed code, tests, name)` is called in the child."""
        wanted = [self.tests[place] for place in mutant["rounds"][number]]
        wanted = [nodeid for nodeid in wanted if nodeid not in self.broken]
        name = "m{}-{}".format(mutant["id"], number)

        def work(say):
            children.limit_processor_time(WALL_SECONDS)
            try:
                code = self.sources.changed(mutant["path"], mutant["start"], mutant["end"], mutant["replacement"])
            except SyntaxError:
                say("syntax")
                return
            if code is None:
                say("same")
                return
            begin(say, code, wanted, name)

        def done(facts, ending):
            shutil.rmtree(os.path.join(self.request["scratch"], name), ignore_errors=True)
            if any(fact[0] == "unfit" for fact in facts):
                self.unfit.append(mutant["id"])
                return None
            status, killers = judge(facts, ending, wanted)
            self.useful.update(killers)
            if status == "survived" and number + 1 < len(mutant["rounds"]):
                return follow(mutant, number + 1, ran + len(wanted))
            journal.write("mutant", id=mutant["id"], status=status, killed_by=killers, tests=ran + len(wanted))
            return None

        return children.Task(work, WALL_SECONDS + 10.0 * self.control_seconds, done)

    def serve(self):
        """Try mutants of functions in forks of one process that has collected all tests; gives those that cannot be
        tried so, how many are left, and whether the process got as far as to run the tests without a mutant.
        """

        def server(say, go, again):
            live = swap.Live(self.sources)
            gc.collect()
            gc.freeze()
            collecting = time.process_time()
            self.read_plan()
            self.journal = ResultJournal(self.request["results"])
            self.children = children.Children(self.request["jobs"], self.request["memory_mib"], self.request["scratch"])
            facts = self.control(go, collecting)
            for fact in facts:
                if fact[0] in ("test", "patterns", "end"):
                    say(*fact)
            say("collecting", collecting)
            say("controlled", self.control_seconds)
            say("until", self.until)

            def task(mutant, number=0, ran=0):
                def start(child_say, code, wanted, name):
                    if not live.change(mutant["path"], code):
                        child_say("unfit")
                        return
                    go(wanted, child_say, name)

                return self.task(mutant, start, self.journal, task, number, ran)

            tasks = [task(one) for one in self.request["mutants"] if not one["imported"]] if self.judging() else []
            left = self.children.run(tasks, self.until)
            if self.judging() and not left:
                run_trivial.try_functions(self, live, again)
            say("served", left, self.unfit, self.children.peak_kib, sorted(self.useful))
            say("leave")
            os._exit(0)

        def work(say):
            self.put_originals()
            self.run_tests(self.tests or None, lambda *said: None, "server", serve=lambda *ways: server(say, *ways))

        facts, ending = self.one(work, self.request["stop_after"])
        self.read_plan()
        self.until = min([self.until, *(fact[1] for fact in facts if fact[0] == "until")])
        controlled = any(fact[0] == "controlled" for fact in facts)
        if controlled:
            self.learn(facts)
        inner = [mutant for mutant in self.request["mutants"] if not mutant["imported"]]
        for fact in facts:
            if fact[0] == "served":
                self.children.peak_kib = max(self.children.peak_kib, fact[3])
                self.useful.update(fact[4])
                return [mutant for mutant in inner if mutant["id"] in set(fact[2])], fact[1], controlled
        self.ended = bool(inner) and ending != "time"
        return [], len(inner), controlled

    def judging(self):
        """Whether any test judges."""
        return len(self.broken) < len(self.tests)

    def serve_anew(self, mutants):
        """As `try_anew`, in forks of one process whose runner is ready to collect; gives how many are left.

        Not where getting ready loads something of the project, or where there are several files: what a process that
        runs one of them loads would then depend on the others.
        """
        if not mutants or self.collect is not None or len(self.files) > 1:
            return self.try_anew(mutants)
        before = set(sys.modules)

        def server(say, go):
            if holds_project(self.places, before):
                say("loaded")
                say("end", time.process_time())
                os._exit(0)
            gc.collect()
            gc.freeze()
            self.collecting = go
            self.journal = ResultJournal(self.request["results"])
            self.children = children.Children(self.request["jobs"], self.request["memory_mib"], self.request["scratch"])
            left = self.try_anew(mutants)
            say("served", left, self.children.peak_kib, sorted(self.useful))
            say("end", time.process_time())
            os._exit(0)

        def work(say):
            self.run_tests(self.tests, lambda *said: None, "anew", early=lambda go: server(say, go))

        facts, ending = self.one(work, self.request["stop_after"])
        for fact in facts:
            if fact[0] == "served":
                self.children.peak_kib = max(self.children.peak_kib, fact[2])
                self.useful.update(fact[3])
                return fact[1]
        if any(fact[0] == "loaded" for fact in facts):
            return self.try_anew(mutants)
        self.ended = self.ended or ending != "time"
        return len(mutants)

    def try_anew(self, mutants):
        """Try mutants in processes that import the project anew, some at a time; gives how many are left.

        After each portion, tests that have noticed a mutant need not be run for their own sake any more.
        """
        left = 0
        for start in range(0, len(mutants), PORTION):
            if self.request.get("needy") is not None:
                self.needy = {self.tests[place] for place in self.request["needy"]} - self.useful
            left += self.children.run(
                [self.fresh_task(mutant) for mutant in mutants[start : start + PORTION]], self.until
            )
        return left

    def work(self):
        """Everything, in order."""
        self.warm()
        known = self.request.get("mutants")
        if known is None or any(mutant["imported"] for mutant in known):
            preload(self)
        self.untouched = stamps(self.request)
        again, left, controlled = self.serve()
        if not controlled:
            self.control()
        if self.judging():
            left += self.serve_anew([*again, *(one for one in self.request["mutants"] if one["imported"])])
            if left:
                self.journal.write("after", failing=[], ending="end")
            else:
                self.after()
        why = "judges" if not self.judging() else "ended" if self.ended else "time"
        self.journal.write("end", peak_kib=self.children.peak_kib, untried=why)


def main():
    """Carry out the request that the command line names."""
    with open(sys.argv[1], encoding="utf-8") as stream:
        given = json.load(stream)
    os.environ["TZ"] = given["time_zone"]
    time.tzset()
    MutantTestRun(given).work()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
