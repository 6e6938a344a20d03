"""Runs trials on mutants of one module and tells what they do otherwise (B-11); started by engine/python/lockstep.py.

Speaks JSON lines as observe.py does. The first line is the configuration, answered by {"ready": …} or
{"import_error": …}. Then {"trials": [...]} adds trials, which are numbered from 0 as they come, answered by one line
each, as in observe.py. And {"mutants": [{"id",
"start", "end", "replacement", "imported", "trials": [numbers], "enough"}]} runs each mutant in a fork of this process,
answered by one line each, in any order: {"id", "status", "ran", "differs": [[number, [facets], message]]}.

Status is `tried`, `same` (it compiles to the same instructions), `syntax` (it does not compile), `broken` (the module
cannot be imported any more) or `lost` (the process ended before it said anything). A mutant whose code is in functions
is put into the loaded ones; one that runs at import is imported anew, with what the project has loaded besides. After
`enough` trials that differ no further ones are run. Facets are those of `facets`. Plain standard library, Python 3.9.

Configuration: that of observe.py without `instrument`, and project (its folder), target (the file, relative to that),
jobs.
"""

import gc
import importlib
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIBLINGS = ("observe", "mutants_children", "mutants_swap", "mutants_tests")
ENDED = ("returned", "raised")
FLOOR_STEPS = 5_000
FACTOR_STEPS = 10
WALL_SECONDS = 60.0
EVER = 1e9


def load_siblings():
    """Import the files beside this one, then hide them again: the target may have modules of these names."""
    sys.path.insert(0, HERE)
    try:
        import mutants_children
        import mutants_swap
        import mutants_tests
        import observe
    finally:
        sys.path[:] = [entry for entry in sys.path if entry != HERE]
        for name in SIBLINGS:
            if name in sys.modules:
                sys.modules["_testwright_" + name] = sys.modules.pop(name)
    return observe, mutants_children, mutants_swap, mutants_tests


class Kept:
    """Stands for the wire where answers are wanted here."""

    def __init__(self):
        self.told = []

    def write(self, message):
        self.told.append(message)

    def write_line(self, line):
        self.told.append(json.loads(line))


class Lockstep:
    """The loaded target, the trials, and what they do without a mutant."""

    def __init__(self, config, around, modules, swapping, wire):
        self.config = config
        self.around = around
        self.observe, self.kinds, self.swap, self.testing = modules
        self.sources, self.live = swapping
        original = self.sources.original(config["target"])
        self.runner = around.runner(around.tracing.open_tracer(original, config["max_steps"]))
        self.wire = wire
        self.children = self.kinds.Children(config["jobs"], address_mib() + config["memory_mib"])
        self.places = self.testing.Places(config["project"])
        self.trials = []
        self.plain = []
        self.steps = []

    def learn(self, trials):
        """Run further trials on the module as it is."""
        kept = Kept()
        self.observe.Zygote(self.config, self.runner, kept, self.around).run(trials)
        for trial, told in zip(trials, kept.told):  # noqa: B905 - Python 3.9
            self.trials.append(trial)
            self.plain.append(facets(told) if told["outcome"] in ENDED else None)
            self.steps.append(told.get("steps", 0))
            self.wire.write(told)

    def run(self, mutants):
        """Try mutants, several at a time."""
        # Children would visit, and so copy, what was learned in each collection of garbage.
        gc.collect()
        gc.freeze()
        left = self.children.run([self.task(one) for one in mutants], time.monotonic() + EVER)
        assert not left

    def task(self, mutant):
        """One mutant as a piece of work."""

        def work(say):
            try:
                code = self.sources.changed(
                    self.config["target"], mutant["start"], mutant["end"], mutant["replacement"]
                )
            except (SyntaxError, RecursionError):
                say("status", "syntax")
                return
            if code is None:
                say("status", "same")
                return
            if mutant["imported"] or not self.live.change(self.config["target"], code):
                try:
                    self.import_anew(code)
                except BaseException:  # whatever the mutated module raises, SystemExit included
                    say("status", "broken")
                    return
            self.compare(mutant, code, say)

        def done(facts, ending):
            self.wire.write(answer_of(mutant["id"], facts, ending))

        return self.kinds.Task(work, WALL_SECONDS, done)

    def import_anew(self, code):
        """Import the target with other code, and the rest of the project with it."""
        for name, module in list(sys.modules.items()):
            if not name.startswith("_testwright_") and name != "__main__" and self.places.inside(module):
                del sys.modules[name]
        importlib.invalidate_caches()
        self.swap.put_in_place(self.sources.place(self.config["target"]), code)
        importlib.import_module(self.config["module"])

    def compare(self, mutant, code, say):
        """Run trials until enough of them differ."""
        say("status", "tried")
        self.runner.tracer = self.around.tracing.open_counter(code, FLOOR_STEPS)
        differing = 0
        numbers = [number for number in mutant["trials"] if self.plain[number] is not None]
        if numbers:
            say("runs", numbers[0])
        for number, following in zip(numbers, [*numbers[1:], None]):  # noqa: B905 - Python 3.9
            plain = self.plain[number]
            self.runner.tracer.max_steps = FLOOR_STEPS + FACTOR_STEPS * self.steps[number]
            told = self.runner.run(self.trials[number], number)
            differs = different(plain, told)
            message = told.get("raised", {}).get("m", "") if "message" in differs else ""
            say("ran", following, number, differs, message)
            differing += bool(differs)
            if differing >= mutant["enough"] or told["outcome"] not in ENDED:
                return


def answer_of(number, facts, ending):
    """What a child's words mean."""
    answer: dict = {"id": number, "status": "lost", "ran": 0, "differs": []}
    running = None
    for fact in facts:
        if fact[0] == "status":
            answer["status"] = fact[1]
        elif fact[0] == "runs":
            running = fact[1]
        elif fact[0] == "ran":
            answer["ran"] += 1
            running = fact[1]
            if fact[3]:
                answer["differs"].append(fact[2:])
    if ending != "end" and running is not None:
        # Whatever ended the process, memory or a crash, ends it in a test as well.
        answer["differs"].append([running, ["ends"], ""])
    return answer


def address_mib():
    """The address space of this process."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") // 2**20


def facets(told):
    """What a test could see of a trial that ended, by name.

    `ends` (how: returned, or the exception's type), `message`, `code` (of SystemExit), `output`, `errors`, `warnings`,
    `result` (its source), and where it has none `result.type`, `result.length` and `result.attribute`; `effect:` with
    the expression of each effect.
    """
    raised = told.get("raised")
    found = {"ends": "returned" if raised is None else raised["t"]}
    if raised is not None:
        found["message"] = raised.get("m", "")
        found["code"] = raised.get("c")
    found["output"] = told.get("output", "")
    found["errors"] = told.get("errors", "")
    found["warnings"] = told.get("warnings", [])
    value = told.get("value")
    if value is not None:
        found["result.type"] = value["t"]
        found["result"] = value.get("s")
        found["result.length"] = value.get("n")
        for name, attribute in value.get("at", ()):
            found["result." + name] = [attribute.get("s"), attribute.get("n")]
    for expression, effect in told.get("effects", ()):
        found["effect:" + expression] = effect.get("s")
    return found


def different(plain, told):
    """The facets that are not as they are without the mutant; those that only the mutant has are none."""
    if told["outcome"] not in ENDED:
        return ["ends"]
    now = facets(told)
    if now["ends"] != plain["ends"]:
        return ["ends"]
    return sorted(name for name, value in plain.items() if now.get(name) != value)


def main():
    """Read the configuration, import the target, serve."""
    modules = load_siblings()
    observe, _kinds, swap, _testing = modules
    wire = observe.Wire()
    config = wire.read()
    around = observe.Surroundings(config)
    swapping = around.importing_target(wire, lambda: import_target(config, swap))
    lockstep = Lockstep(config, around, modules, swapping, wire)
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


def import_target(config, swap):
    """Import the target with code that is known; gives the sources and the functions that are loaded."""
    swap.remember()
    sources = swap.Sources(config["project"], [config["target"]])
    swap.put_in_place(sources.place(config["target"]), sources.original(config["target"]))
    importlib.import_module(config["module"])
    return sources, swap.Live(sources)


if __name__ == "__main__":
    main()
