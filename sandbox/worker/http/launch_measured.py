"""Serves an application as api_serving.py does and measures which lines run: `http.launch_measured MEASURED CONFIG`.

MEASURED is JSON: {"include": [paths], "folder": where what was measured goes, "test": a file with the name of the test
that is running}. Each process writes its own file when it ends, as JSON: {test: {path: [[line, next line], ...]}}.
Lines that run while the application is imported belong to no test.
"""

import atexit
import contextlib
import importlib.util
import json
import os
import signal
import sys
import threading
from typing import Any

from ..bootstrap import FOLDER
from ..suites.coverage_start import start
from . import api_serving as serving
from . import password_costs


class Measured:
    """Coverage of this process and of its forks, each line told to the test that is running."""

    def __init__(self, config):
        # The environment's own, or the one that the overlay at the end of the path brings.
        coverage = importlib.import_module("coverage")
        self._folder = config["folder"]
        self._test = os.open(config["test"], os.O_RDONLY)
        self._name = ""
        self._lock = threading.Lock()
        self._written = 0
        os.environ["COVERAGE_CORE"] = "ctrace" if importlib.util.find_spec("coverage.tracer") else "pytrace"
        kinds = ["thread", *(["greenlet"] if importlib.util.find_spec("greenlet") else [])]
        # On disk, one file for each process: what coverage keeps in memory, it keeps for each thread alone.
        self._coverage = coverage.Coverage(
            data_file=os.path.join(self._folder, "data"),
            data_suffix=True,
            config_file=False,
            branch=True,
            include=config["include"],
            concurrency=kinds,
        )
        start(self._coverage)
        self._exit = os._exit
        os._exit = self.end  # pyrefly: ignore[bad-assignment] - its parameter has another name
        atexit.register(self.write)

    def follow(self):
        """From now on what runs belongs to the test whose name stands in the file."""
        name = os.pread(self._test, 10_000, 0).decode("utf-8", "replace")
        if name != self._name:
            with self._lock:
                self._coverage.switch_context(name)
                self._name = name

    def write(self):
        """Write down what was measured; once for each process."""
        if self._written == os.getpid():
            return
        self._written = os.getpid()
        data = self._coverage.get_data()
        found: Any = {}
        for context in data.measured_contexts():
            data.set_query_context(context)
            found[context] = {path: data.arcs(path) or [] for path in data.measured_files()}
        name = os.path.join(self._folder, f"{os.getpid()}-{os.urandom(4).hex()}")
        with open(f"{name}.part", "w", encoding="utf-8") as stream:
            json.dump(found, stream)
        os.rename(f"{name}.part", f"{name}.coverage")

    def end(self, code=0):
        """End the process, as os._exit does, but not before it is written down."""
        with contextlib.suppress(Exception):
            self.write()
        self._exit(code)

    def stop_at(self, number):
        """End the process at a signal."""
        signal.signal(number, lambda *_: self.end(0))


def following(application, measured, is_async):
    """The application, asking before each request which test it belongs to."""
    if not is_async:

        def wsgi(environ, start_response):
            measured.follow()
            return application(environ, start_response)

        return wsgi

    async def asgi(scope, receive, send):
        if scope["type"] != "lifespan":
            measured.follow()
        await application(scope, receive, send)

    return asgi


def measure_started(config):
    """In a process that a command has started: a connection is when another test may have begun."""
    measured = Measured(config)

    def on_event(event, _):
        if event == "socket.__new__":
            measured.follow()

    sys.addaudithook(on_event)
    measured.stop_at(signal.SIGTERM)


def measure_commands(config):
    """Have every Python that this process starts from now on measured, by the variables that it gets."""
    # Python reads sitecustomize.py when it starts; the variable tells ours what to measure.
    folder = os.path.join(config["folder"], "site")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "sitecustomize.py"), "w", encoding="utf-8") as stream:
        stream.write(_SITE.format(bootstrap=os.path.join(FOLDER, "bootstrap.py"), folder=folder))
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    os.environ["API_MEASURED"] = json.dumps(config)


def main():
    """Serve and measure."""
    measured_config, config = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    if config["command"]:
        measure_commands(measured_config)
        serving.main(config)
        return
    password_costs.install()
    if config.get("writable"):
        config["writable"].append(measured_config["folder"])
    measured = Measured(measured_config)
    measured.stop_at(signal.SIGUSR1)
    os.environ["API_STOP_SIGNAL"] = "SIGUSR1"
    serve = serving.server_of
    serving.server_of = lambda application, **how: serve(  # pyrefly: ignore[bad-assignment]
        following(application, measured, serving.is_async(application)), **how
    )
    serving.main(config)


_SITE = '''"""Measures the application, then does what the environment's own file of this name does."""

import importlib.util
import json
import os
import sys

sys.path[:] = [one for one in sys.path if one != {folder!r}]
_own = sys.modules.pop("sitecustomize")
_found = importlib.util.find_spec("sitecustomize")
sys.modules["sitecustomize"] = _own  # the interpreter expects it after the import, whatever was found
if _found is not None and _found.loader is not None:
    _module = importlib.util.module_from_spec(_found)
    sys.modules["sitecustomize"] = _module
    _found.loader.exec_module(_module)
_spec = importlib.util.spec_from_file_location("_testwright_bootstrap", {bootstrap!r})
_bootstrap = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_bootstrap)
_bootstrap.load_module("http.launch_measured").measure_started(json.loads(os.environ["API_MEASURED"]))
'''
