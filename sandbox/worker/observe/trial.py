"""Runs one trial in a fresh namespace and describes what it did: `Trial` to `Observation` of `engine/python/model`."""

import contextlib
import inspect
import io
import itertools
import os
import pathlib
import shutil
import sys
import types
from time import perf_counter  # the real one, whatever the clock of trials says

from . import effects, endings
from .endings import MAX_MESSAGE
from .equality import converts, gives_back
from .fixtures import MonkeyPatch, Request
from .limits import OutOfTime, TrialRefused, quiet, unheard
from .literals import Literals
from .modes import AWAITING, MAX_ITERATED, TOP_LEVEL_AWAIT, calls_for, evaluate, take, untraced
from .names import type_name
from .passed_arguments import PassedArguments
from .trace import TooManySteps
from .values import Renderer

TYPE_CHECKING = False  # without an import of `typing`, which would lengthen each worker's start
if TYPE_CHECKING:
    from typing import Any

MAX_OUTPUT = 2000
MAX_SHOWN = 4000
NAMESPACE = "trial"


class Runner:
    """Runs trials against the imported target.

    Args:
        config: module, hidden texts, scratch folder and limits, as sent by the host.
        tracer: see trace.py.
        operands: the list comparisons are noted in.
        clock: rewound before each trial, or None.
        chance: reseeded before each trial.
        refusals: a list the guard appends to, as texts.
        limiter: see limits.py.
        network: see network.py.
        ambient: see ambient_reads.py.
    """

    def __init__(self, config, tracer, operands, clock, chance, refusals, limiter, network, ambient):
        self.config = config
        self.tracer = tracer
        self.operands = operands
        self.clock = clock
        self.chance = chance
        self.refusals = refusals
        self.limiter = limiter
        self.network = network
        self.ambient = ambient
        self.codes = {}

    def compiled(self, statement, flags=0):
        """The code of a statement; imports and arrangements come back in many trials."""
        key = statement, flags
        if key not in self.codes:
            self.codes[key] = compile(statement, "<arrange>", "exec", flags, True)
        return self.codes[key]

    def prepare(self, trials):
        """Compile what trials import before they are shared out to children."""
        for trial in trials:
            for statement in trial.get("imports", ()):
                with contextlib.suppress(SyntaxError, ValueError):
                    self.compiled(statement)

    def run(self, trial, number):
        """What the trial did, as a JSON-able dict. Never raises, whatever the target does."""
        work = _Work(self, trial, os.path.join(self.config["scratch"], "trial%d" % number))
        try:
            with self.limiter:
                work.run()
        except (OutOfTime, TooManySteps):
            work.told["outcome"] = "timed_out"
        except MemoryError:
            work.told = {"outcome": "out_of_memory"}
        except BaseException as error:  # a finalizer or the renderer was interrupted in an odd place
            work.told = {"outcome": "crashed", "raised": {"t": type_name(type(error)), "m": str(error)[:MAX_MESSAGE]}}
        slept = sorted("sleep:" + module for module in self.limiter.sleepers if module != NAMESPACE)
        fired = self.limiter.fired
        if self._clear_up(work) or fired:
            work.told = {"outcome": "timed_out"}
        if slept:
            work.told["consulted"] = [*work.told.get("consulted", ()), *slept]
        return work.told

    def _clear_up(self, work):
        """End a trial; gives whether that ran out of time: what closes an object may wait as well as what uses it."""
        try:
            with self.limiter:
                try:
                    work.put_back()
                finally:
                    work.release()
        except BaseException:  # whatever a finalizer raises: the trial itself is over
            pass
        if work.has_folder:
            shutil.rmtree(work.folder, ignore_errors=True)
        return self.limiter.fired


class _Work:
    """One trial under way."""

    def __init__(self, runner, trial, folder):
        self.runner = runner
        self.trial = trial
        self.folder = folder
        self.has_folder = False
        self.told: dict = {"outcome": "arrange_failed"}
        self.stdout = io.StringIO()
        self.stderr = io.StringIO()
        self.renderer: Any = None
        self.names = []
        self.literals = Literals()
        self.caught: list = []
        self.logged: Any = None
        self.namespace: dict = {}
        self.result: Any = None
        self.patched: Any = None
        self.ending: Any = None
        self.passed: Any = None

    def put_back(self):
        """Do what the trial left to the end, and take back what it changed by its `monkeypatch`."""
        try:
            if self.ending is not None:
                self.ending.undo()
        finally:
            if self.patched is not None:
                self.patched.undo()

    def release(self):
        """Let go of the trial's objects."""
        self.namespace.clear()
        self.result = self.renderer = None

    def run(self):
        self.runner.operands.clear()
        self.runner.network.forget()
        del self.runner.refusals[:]
        namespace: dict = {}
        with quiet(self.stdout, self.stderr) as self.caught, unheard() as self.logged:
            try:
                namespace = self.namespace = self._namespace("tmp")
                self._act(namespace)
                self._check_network(None)
            except (OutOfTime, TooManySteps, MemoryError):
                raise
            except BaseException as error:
                self._check_network(error)
                self._tell_raised(error)
            finally:
                self._end_recording()
            self.runner.ambient.end()
            self._check_leftovers()
            if self.told["outcome"] in ("returned", "raised"):
                self._tell_effects(namespace)
                changed = self.literals.changed()
                if changed:
                    self.told["changed"] = changed
                # Objects are made again for it, which may change what they share: nothing is looked at after that.
                if "value" in self.told:
                    asked = self.result, self.trial["act"], self.names, namespace
                    if gives_back(*asked):
                        self.told["value"]["e"] = True
                    elif converts(*asked, self.renderer.package):
                        self.told["value"]["o"] = True
            if self.passed is not None:
                self.told["passed"] = self.passed.told

    def _namespace(self, folder):
        """A namespace with the trial's imports and fixtures."""
        # Code that asks which module calls it (pickling, sentinels) finds one, as it would in a test file.
        sys.modules.setdefault(NAMESPACE, types.ModuleType(NAMESPACE))
        namespace = {"__name__": NAMESPACE, "__builtins__": __builtins__}
        for statement in self.trial.get("imports", ()):
            exec(self.runner.compiled(statement), namespace)
        tmp_path = None
        if "tmp_path" in self.trial.get("fixtures", ()):
            tmp_path = pathlib.Path(self.folder, folder)
            self.has_folder = True
            tmp_path.mkdir(parents=True)
        self.put_back()
        if "monkeypatch" in self.trial.get("fixtures", ()):
            self.patched = namespace["monkeypatch"] = MonkeyPatch()
        if "request" in self.trial.get("fixtures", ()):
            self.ending = namespace["request"] = Request()
        config = self.runner.config
        self.renderer = Renderer(dict(namespace), config["module"], config["hidden"], tmp_path)
        if tmp_path is not None:
            namespace["tmp_path"] = tmp_path
        self.runner.chance.reseed(self.trial.get("seed", config["seed"]))
        if self.runner.clock is not None:
            self.runner.clock.rewind(self.trial.get("later", 0))
        return namespace

    def _act(self, namespace):
        mode = self.trial.get("mode", "call")
        flags = TOP_LEVEL_AWAIT if mode in AWAITING else 0
        arrange = [self.runner.compiled(statement, flags) for statement in self.trial.get("arrange", ())]
        act = self.literals.keeping(self.trial["act"], namespace) or self.trial["act"]
        act = compile(act, "<act>", "eval", flags, True)
        if self.trial.get("records"):
            self.passed = PassedArguments(self.runner.tracer.code.co_filename, self.renderer)
            self.passed.start()
        if mode in AWAITING:
            import asyncio

            self.runner.limiter.watch_asyncio()
            asyncio.run(self._act_async(mode, arrange, act, namespace))
            return
        known = set(namespace)
        with self._preparing():
            for statement in arrange:
                exec(statement, namespace)
        self.names = [name for name in namespace if name not in known]
        self.renderer.know_arranged(self.names, namespace)
        with self._measured():
            result = eval(act, namespace)
            if mode == "iterate":
                result = list(itertools.islice(result, MAX_ITERATED))
            elif mode == "enter":
                with result as entered:
                    self._tell_value(entered)
        if mode != "enter":
            self._tell_value(result)

    async def _act_async(self, mode, arrange, act, namespace):
        known = set(namespace)
        with self._preparing():
            for statement in arrange:
                await evaluate(statement, namespace)
        self.names = [name for name in namespace if name not in known]
        self.renderer.know_arranged(self.names, namespace)
        with self._measured():
            result = await evaluate(act, namespace)
            if mode == "await":
                result = await result if inspect.isawaitable(result) else result
            elif mode == "aiterate":
                result = await take(result)
            else:
                async with result as entered:
                    self._tell_value(entered)
        if mode != "aenter":
            self._tell_value(result)

    @contextlib.contextmanager
    def _preparing(self):
        try:
            with self.runner.tracer:
                yield
        finally:
            self.told["setup"] = sorted(self.runner.tracer.arcs)

    @contextlib.contextmanager
    def _measured(self):
        self.told["outcome"] = "raised"
        tracer, start, ticks = self.runner.tracer, perf_counter(), self._ticks()
        if self.stdout.tell() or self.stderr.tell():
            self.told["printed_before"] = True
        for stream in (self.stdout, self.stderr):
            stream.seek(0)
            stream.truncate()
        del self.caught[:]
        try:
            self.runner.operands.on = True
            self.runner.ambient.begin()
            if self.runner.clock is not None:
                self.runner.clock.readers.clear()
            with tracer:
                yield
        finally:
            consulted = self.runner.ambient.end()
            if self.runner.chance.drew_from_module():
                consulted.append("random")
            if self.runner.clock is not None:
                readers = self.runner.clock.readers - {NAMESPACE}
                consulted.extend(sorted("clock:" + module for module in readers))
            if consulted:
                self.told["consulted"] = consulted
            self.runner.operands.on = False
            self.told["seconds"] = round(perf_counter() - start, 6)
            self.told["arcs"] = sorted(tracer.arcs)
            self.told["operands"] = list(self.runner.operands)
            self.told["steps"] = tracer.steps
            self.told["dated"] = self._ticks() > ticks
            self._tell_said()
            self.told["random"] = self.runner.chance.was_used()

    def _ticks(self):
        """How often the clock was looked at so far, where it is ours."""
        return self.runner.clock.ticks if self.runner.clock is not None else 0

    def _tell_said(self):
        """Output and warnings of the act alone: looking at its result may cause more of both."""
        output = self.stdout.getvalue()[:MAX_OUTPUT]
        self.told["output"] = output if self.renderer.clean(output) == output else ""
        errors = self.stderr.getvalue()[:MAX_OUTPUT]
        if errors and not self.logged.heard and "Exception ignored in" not in errors:
            self.told["errors"] = errors if self.renderer.clean(errors) == errors else ""
        warned = [[type_name(warning.category), str(warning.message)[:MAX_MESSAGE]] for warning in self.caught]
        self.told["warnings"] = [pair for pair in warned if self.renderer.clean(pair[1]) == pair[1]][:10]

    def _end_recording(self):
        if self.passed is not None:
            self.passed.stop()

    def _tell_value(self, result):
        self._end_recording()  # looking at a result calls code of the target, too
        with untraced(self.runner.tracer):
            self.told["outcome"] = "returned"
            self.told["calls_for"] = calls_for(result)
            self.told["value"] = self.renderer.value(result, act=self.trial["act"])
            names = effects.distinct_names(self.names, self.namespace, self.trial["act"])
            held = next((name for name in names if self.namespace.get(name) is result), None)
            if held is not None:
                self.told["value"]["h"] = held
            else:
                self.result = result
            if self.trial.get("asks") and "s" not in self.told["value"]:
                asked = effects.looks(self.renderer, self.trial["asks"], {**self.namespace, "result": result})
                known = self.told["value"].get("at", [])
                answers = [[look.partition(".")[2], value] for look, value in asked.items()]
                self.told["value"]["at"] = [*known, *answers]
            if self.trial.get("wanted") is not None:
                self.told["shown"] = "" if result is None else repr(result)[:MAX_SHOWN]

    def _tell_raised(self, error):
        if isinstance(error, TrialRefused):
            self.runner.refusals.append(str(error))
        if self.told["outcome"] == "returned":
            self.told.pop("value", None)
            self.told["outcome"] = "raised"
        self.told["raised"] = endings.raised(error, self.renderer, self.runner.config["path"])

    def _check_network(self, error):
        needed = self.runner.network.needed(error)
        if needed:
            self.runner.refusals.append("network: " + needed)

    def _check_leftovers(self):
        if endings.leaves_threads():
            self.runner.refusals.append("leaves a thread running")
        if self.runner.refusals:
            first = self.runner.refusals[0]
            text = first if isinstance(first, str) else " ".join(first)
            consulted = self.told.get("consulted", [])
            if "cwd" not in consulted and any(_lies_in_working_folder(one) for one in self.runner.refusals):
                consulted = [*consulted, "cwd"]  # in a folder of its own the same could be done
            self.told = {
                "outcome": "refused",
                "raised": {"t": "", "m": self.renderer.clean(text) if self.renderer else text},
            }
            if consulted:
                self.told["consulted"] = consulted

    def _tell_effects(self, namespace):
        """What differs from the same arrangement without the act; arranged anew so that looking disturbs nothing."""
        if not (self.names or "tmp_path" in namespace):
            return
        mode = self.trial.get("mode", "call")
        renderer = self.renderer
        names = effects.distinct_names(self.names, namespace, self.trial["act"])
        after = effects.state(renderer, names, namespace)
        if renderer.tmp_path is not None:
            after.update(effects.files(renderer, renderer.tmp_path))
        looks = self.trial.get("looks", ())
        after.update(effects.looks(renderer, looks, namespace))
        if not after:
            return
        try:
            fresh = self._arranged_anew(mode)
        except Exception:  # the arrangement cannot be repeated, so nothing can be said
            return
        self.renderer.know_arranged(self.names, fresh)
        before = effects.state(self.renderer, names, fresh)
        if self.renderer.tmp_path is not None:
            before.update(effects.files(self.renderer, self.renderer.tmp_path))
        before.update(effects.looks(self.renderer, looks, fresh))
        # A look that is a name alone is an answer that a step gave before the act: it is told, changed or not.
        answers = [look for look in looks if look.isidentifier() and look in after]
        changes = effects.told_apart(renderer, effects.changes(before, after), fresh, namespace)
        found = [
            *([answer, after[answer]] for answer in answers),
            *(pair for pair in changes if pair[0] not in answers),
        ]
        if found:
            self.told["effects"] = found

    def _arranged_anew(self, mode):
        """A namespace as it was before the act."""
        fresh = self._namespace("again")
        statements = self.trial.get("arrange", ())
        if mode not in AWAITING:
            for statement in statements:
                exec(self.runner.compiled(statement), fresh)
        elif statements:
            import asyncio

            async def arrange():
                for statement in statements:
                    await evaluate(self.runner.compiled(statement, TOP_LEVEL_AWAIT), fresh)

            asyncio.run(arrange())
        return fresh


def _lies_in_working_folder(refusal):
    """Whether what was refused is a path below the working folder, which a program names without its folder."""
    return not isinstance(refusal, str) and refusal[1].startswith(os.getcwd() + os.sep)
