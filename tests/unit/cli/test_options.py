"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from testwright.cli.app import app
from testwright.cli.options import OPTIONS

pytestmark = pytest.mark.feature("B-02")


def test_each_option_is_taken_by_a_command() -> None:
    def commands(one: Any) -> Iterator[Any]:
        yield one
        for part in getattr(one, "commands", {}).values():
            yield from commands(part)

    taken = {parameter.name for one in commands(typer.main.get_command(app)) for parameter in one.params}
    assert set(OPTIONS) - taken == set()
