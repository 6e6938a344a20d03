"""When a site is put back to the state after its start, between one scenario in the browser and the next."""

from __future__ import annotations

import pytest

from testwright.sandbox.worker.browser.play import Freshness


class Counted:
    """An application that counts how often it is put back."""

    def __init__(self) -> None:
        self.resets = 0

    def fresh(self) -> None:
        self.resets += 1


@pytest.mark.parametrize(("slow", "wrote", "resets"), [(True, False, 0), (True, True, 2), (False, False, 3)])
def test_a_slow_start_is_left_out_as_long_as_nothing_was_written(slow, wrote, resets):
    application = Counted()
    freshness = Freshness(application, slow)
    for _ in range(3):
        freshness.restore()
        freshness.is_fresh = freshness.is_fresh and not wrote
    assert application.resets == resets
