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
    from testwright.cli.loading import fast_imports

    try:
        _answer_what_stands()
        with fast_imports():
            from testwright.cli.app import app
    except KeyboardInterrupt:  # reading the modules takes a second; from then on cli/failures.py answers
        sys.stderr.write("testwright: Interrupted.\n")
        sys.exit(130)
    try:
        app()
    except SystemExit as ended:
        _leave(ended.code)


def _leave(code: int | str | None) -> NoReturn:
    """Exit as usual, but without taking thousands of modules apart: that takes longer than many a command."""
    if not isinstance(code, int | None):
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads any more
        code = code or 1
    os._exit(code or 0)


def _answer_what_stands() -> None:
    """Exit at once when the same was asked before and nothing has changed since: reading the modules takes longer."""
    words = sys.argv[1:]
    if words[:1] != ["run"]:
        return
    from testwright.app.run_cache import key_for_command_line, lookup

    question = key_for_command_line(words, os.environ)
    answer = lookup(question) if question is not None else None
    if answer is not None:
        sys.stdout.write(answer.report if "--json" in words else answer.shown)
        sys.exit(answer.exit_code)


if __name__ == "__main__":
    main()
