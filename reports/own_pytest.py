"""Says what the project's own `pytest` makes of the kept tests, for people."""

from __future__ import annotations

from collections.abc import Iterator

from .model import OwnPytestRun


def own_pytest_lines(own: OwnPytestRun) -> Iterator[str]:
    """Yield what a person must know or do so that a bare `pytest` passes the tests; one line where all is well."""
    if own.outcome == "passed":
        yield f"The project's own `pytest` collects and passes {_tests(own.passed)}."
        return
    if own.outcome == "needs_setting":
        yield (
            f"Your own `pytest` needs {'a line' if len(own.settings) == 1 else 'lines'} first: {own.reason}. With "
            f"{'it' if len(own.settings) == 1 else 'them'} it collects and passes {_tests(own.passed)} (tried)."
        )
        yield from (f"Add to {setting.file}, [{setting.section}]: {setting.line}" for setting in own.settings)
        return
    verb = {
        "not_started": "does not start",
        "not_collected": "does not collect all tests",
        "failed": "does not pass the tests",
    }
    yield f"The project's own `pytest` {verb[own.outcome]}: {own.reason}."


def _tests(count: int) -> str:
    return "the added test" if count == 1 else f"the {count} added tests"
