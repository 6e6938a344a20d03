"""The exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The command line's exit codes; `docs/exit-codes.md` is the documented table."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    ENVIRONMENT = 3
    STORAGE = 4
    NOTHING_KEPT = 5
    BUDGET = 6
    PARTIAL = 7
    PRODUCT_DEFECT = 8
    TEST_DEFECT = 9
    FLAKY = 10
    TIMEOUT = 11
    INTERRUPTED = 130
