"""Defines when requests to a service may be sent: what a client asks before each one, and tells after a refusal."""

from __future__ import annotations

from typing import Protocol


class Pacing(Protocol):
    """Holds requests to one service back; implemented by `store.cache.cooldown.Cooldown`."""

    async def wait(self) -> float:
        """Return 0 when one more request may be sent. Raises nothing.

        Returns at once where that is so long that a request is not worth waiting for: the seconds that are left, as far
        as other processes have said so, which nobody has checked.
        """
        ...

    async def hold_off(self, seconds: float) -> None:
        """Send no further request for so many seconds: the service has asked for it. Raises nothing."""
        ...


class Unpaced:
    """A `Pacing` that holds nothing back."""

    async def wait(self) -> float:
        """See `Pacing.wait`."""
        return 0.0

    async def hold_off(self, seconds: float) -> None:
        """See `Pacing.hold_off`."""
