"""Imports what all tests need from outside the project into the process that tries mutants; see run_tests.py.

Plain standard library, Python 3.9.
"""

import gc
import importlib
import sys
import threading

COLLECT_SECONDS = 60.0


def preload(bench):
    """Import, in this process, what collecting the tests imports from outside of the project."""

    def scout(say):
        before = set(sys.modules)
        watch = bench.run_tests([], lambda *said: None, "scout", bench.files)
        names = bench.places.outside()
        say("modules", [name for name in names if name not in before and name.partition(".")[0] not in watch.plugins])

    def rehearse(names):
        def work(say):
            for name in names:
                before = set(sys.modules)
                try:
                    importlib.import_module(name)
                except (Exception, SystemExit):
                    continue
                if threading.active_count() > 1 or holds_project(bench.places, before):
                    return
                say("safe", name)

        return work

    facts, _ = bench.one(scout, COLLECT_SECONDS)
    found = next((fact[1] for fact in facts if fact[0] == "modules"), [])
    facts, _ = bench.one(rehearse(found), COLLECT_SECONDS)
    names = [fact[1] for fact in facts if fact[0] == "safe"]
    for name in names:
        importlib.import_module(name)
    bench.journal.write("preloaded", modules=len(names))
    # Children would visit, and so copy, all of this in each collection of garbage.
    gc.collect()
    gc.freeze()


def holds_project(places, before):
    """Whether a module of the project is loaded that was not there before."""
    new = [module for name, module in list(sys.modules.items()) if name not in before]
    return any(places.inside(module) for module in new)
