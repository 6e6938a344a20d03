"""The command line's entry: `python main.py …` in a checkout, `testwright …` when installed."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and exit with its code."""
    # langgraph reads this when it is imported: unknown types in a checkpoint are refused instead of being unpickled.
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    try:
        from testwright.cli.app import app
    except KeyboardInterrupt:  # reading the modules takes a second; from then on cli/failures.py answers
        sys.stderr.write("testwright: Interrupted.\n")
        sys.exit(130)
    app()


if __name__ == "__main__":
    main()
