"""Runs tests with Node in a process of its own, and measures the applications that they start.

Usage: `suites.run_in_node REQUEST.json`. The request holds `argv` (Node and its arguments), `project`, `measure`
(files, POSIX), `folder` (an own one; `coverage.json` is written there, `test` is the file with the name of the test
that runs) and `clock_seconds`, by which the applications' clocks are ahead.
"""

import json
import os
import subprocess
import sys

from ..bootstrap import command_for
from ..http.application_coverage import Applications
from .coverage_measure import Measure


def main():
    """Run once, and end with the runner's exit code."""
    with open(sys.argv[1], encoding="utf-8") as stream:
        request = json.load(stream)
    folder = request["folder"]
    measure = None
    if request["measure"]:
        measure = Measure(request["project"], request["measure"], lambda include: Applications(folder, include))
    else:
        shifted = command_for("http.launch_shifted", str(request["clock_seconds"]))
        os.environ["API_LAUNCHER"] = json.dumps(shifted)
    # Applications are served by this interpreter, with the path that this process has.
    os.environ["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry)
    os.environ["PYTHON"] = sys.executable
    ended = subprocess.run(request["argv"], cwd=request["project"], stdin=subprocess.DEVNULL, check=False)
    if measure is not None:
        coverage = measure.stop()
        with open(os.path.join(folder, "coverage.json"), "w", encoding="utf-8") as stream:
            json.dump(coverage, stream)
    sys.exit(ended.returncode)
