"""The command line's entry: `python main.py …` in a checkout, `testwright …` when installed."""

from __future__ import annotations

import atexit
import os
import sys
from typing import NoReturn


def main() -> None:
    """Run the command line and exit with its code."""
    # langgraph reads this when it is imported: unknown types in a checkpoint are refused instead of being unpickled.
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    from testwright.app.fast_imports import fast_imports

    try:
        _answer_from_cache()
        with fast_imports():
            from testwright.cli.app import app
    except KeyboardInterrupt:  # imports take a second; later interruptions are handled in cli/failures.py
        sys.stderr.write("testwright: Interrupted.\n")
        sys.exit(130)
    try:
        app()
    except SystemExit as ended:
        _exit(ended.code)


def _exit(code: int | str | None) -> NoReturn:
    """Exit after the usual exit handlers, but skip tearing down thousands of modules, which takes noticeable time."""
    if not isinstance(code, int | None):
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # the reader has closed the pipe
        code = code or 1
    os._exit(code or 0)


def _answer_from_cache() -> None:
    """Print the stored result if an identical `run` has finished and none of its inputs changed.

    This fast path comes before any heavy import, which would take longer than the answer.
    """
    words = sys.argv[1:]
    if words[:1] != ["run"]:
        return
    from testwright.app.run_cache import key_for_command_line, lookup
    from testwright.utils.outgoing_text import visible_text

    key = key_for_command_line(words, os.environ)
    answer = lookup(key) if key is not None else None
    if answer is not None:
        sys.stdout.write(answer.report if "--json" in words else visible_text(answer.shown))
        sys.exit(answer.exit_code)


if __name__ == "__main__":
    main()
