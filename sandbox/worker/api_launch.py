"""Serves the application as api_serving.py does, under a clock that is ahead: `api_launch.py SECONDS CONFIG`."""

import importlib.util
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def load(name):
    """A module beside this file, without putting this folder on the target's path."""
    spec = importlib.util.spec_from_file_location("_testwright_" + name, os.path.join(HERE, name + ".py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != HERE]
    seconds = int(sys.argv[1])
    if seconds:
        load("pytest_clock").move_clock(seconds)
    load("api_serving").main(json.loads(sys.argv[2]))
