"""Lets a test run measure the applications it starts: publishes the current test, collects the coverage."""

import json
import os

from ..bootstrap import command_for


class Applications:
    """Lets applications that api_process.py starts be measured; see launch_measured.py.

    Args:
        folder: an own one, for what they write down.
        include: the files that count.
        commands: whether tests start them by `api_command.py`, which knows nothing of being measured.
    """

    def __init__(self, folder, include, commands=False):
        self._folder = os.path.join(folder, "applications")
        os.makedirs(self._folder, exist_ok=True)
        test = os.path.join(self._folder, "test")
        self._test = os.open(test, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        measured = {"include": list(include), "folder": self._folder, "test": test}
        told = json.dumps(measured)
        self._path = os.environ.get("PYTHONPATH")
        if commands:
            from .launch_measured import measure_commands  # what serves applications, which few tests need, takes long

            measure_commands(measured)
        os.environ["API_LAUNCHER"] = json.dumps(command_for("http.launch_measured", told))

    def switch(self, test):
        """This test begins; no request is on its way."""
        name = test.encode("utf-8", "replace")[:10_000]
        os.ftruncate(self._test, 0)
        os.pwrite(self._test, name, 0)

    def stop(self, data):
        """Add what the applications ran to coverage data; they have ended."""
        os.environ.pop("API_LAUNCHER", None)
        if os.environ.pop("API_MEASURED", None) is not None:
            os.environ.pop("PYTHONPATH", None)
            if self._path is not None:
                os.environ["PYTHONPATH"] = self._path
        os.close(self._test)
        for name in sorted(os.listdir(self._folder)):
            if name.endswith(".coverage"):
                with open(os.path.join(self._folder, name), encoding="utf-8") as stream:
                    found = json.load(stream)
                for test, files in found.items():
                    data.set_context(test)
                    data.add_arcs({path: [tuple(arc) for arc in arcs] for path, arcs in files.items()})


def started_by(project, files, helpers=("api_process.py", "api_command.py")):
    """Whether test files start an application: a helper that does it stands beside them."""
    folders = {os.path.dirname(os.path.join(project, path)) for path in files}
    return any(os.path.isfile(os.path.join(folder, helper)) for folder in folders for helper in helpers)
