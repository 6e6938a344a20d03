"""What the programs share that start an application from one JSON line and carry out an order for each further one."""

import json
import os
import sys

from ..bootstrap import command_for
from . import api_process as process


def read_beginning():
    """The first line of standard input, and the function that answers a line: `say(**facts)`.

    What anything else prints goes to stderr from then on, so that nothing comes between the answers.
    """
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(**facts):
        out.write(json.dumps(facts) + "\n")
        out.flush()

    return json.loads(sys.stdin.readline()), say


def started(begin):
    """The application that a first line describes, running. Raises ApplicationFailure."""
    process.START_SECONDS = begin.get("start_seconds", process.START_SECONDS)
    process.ANSWER_SECONDS = begin.get("answer_seconds", process.ANSWER_SECONDS)
    application = process.Application(
        begin.get("application"),
        command=begin.get("command"),
        base_url=begin.get("base_url") or "",
        root=begin["root"],
        import_roots=begin.get("import_roots") or (),
        # Made-up values give way to those of the settings, which this process has.
        environment={name: os.environ.get(name) or value for name, value in (begin.get("environment") or {}).items()},
        folder=begin.get("folder"),
        ready=begin.get("ready") or "",
        emptied=begin.get("emptied") or (),
        started_here=not begin.get("base_url"),
        launcher=command_for("http.launch_shifted", str(begin.get("clock") or 0)),
    )
    application.start()
    return application
