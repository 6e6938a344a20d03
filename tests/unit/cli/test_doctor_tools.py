"""What doctor says of the tools that tests are run with."""

from __future__ import annotations

import pytest

from testwright.cli.doctor import tools_shown

pytestmark = pytest.mark.feature("B-07")


@pytest.mark.parametrize(
    ("lacking", "found"),
    [
        ((), "installed"),
        (("coverage",), "coverage added from our own; your pytest is used"),
        (("pytest", "coverage"), "pytest and coverage added from our own"),
    ],
)
def test_only_what_the_environment_lacks_is_said_to_be_added(lacking: tuple[str, ...], found: str) -> None:
    assert tools_shown(lacking)[0] == found
