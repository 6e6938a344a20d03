"""Reads GitHub's rate limits in its refusals: how long to wait, and from when on that is an error."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from ...core.errors import GitHubRateLimited

if TYPE_CHECKING:
    import gidgethub

LONGEST_WAIT = 60.0
"""Seconds; a limit that lasts longer ends the work with an error that says when to go on."""
LONGEST_KEPT = 3700.0
"""Seconds; GitHub's primary limit ends within an hour."""
_SECONDARY_WAIT = 60.0  # what GitHub asks for where a secondary limit names no time


def limit_wait(error: gidgethub.HTTPException) -> float | None:
    """Seconds to wait where a request was refused because of a rate limit; None where it was for another reason.

    `Retry-After` says it; else the primary limit ends when its headers say, and a secondary one after a minute.
    """
    if int(error.status_code) not in (403, 429):
        return None
    asked = error.headers.get("retry-after", "")
    if asked.isdigit():
        return float(asked)
    if error.headers.get("x-ratelimit-remaining") == "0":
        return seconds_until(float(error.headers.get("x-ratelimit-reset") or 0))
    is_secondary = any(word in str(error).lower() for word in ("secondary rate limit", "abuse"))
    return _SECONDARY_WAIT if is_secondary or int(error.status_code) == 429 else None


def spent_until(status: int, content: bytes) -> float:
    """Seconds until the hour ends whose requests are used up, as `GET /rate_limit` tells it; 0 where some are left.

    Args:
        status, content: of the answer; one that does not read counts as one that tells of no limit.
    """
    try:
        core = json.loads(content)["resources"]["core"] if status == 200 else {"remaining": 1}
        return seconds_until(float(core["reset"])) if int(core["remaining"]) <= 0 else 0.0
    except (ValueError, KeyError, TypeError):
        return 0.0


def seconds_until(moment: float) -> float:
    """Seconds until a moment on GitHub's clock, and one more for what the clocks differ."""
    return max(0.0, moment - time.time()) + 1.0


def rate_limited(seconds: float, why: str) -> GitHubRateLimited:
    """The error that says when GitHub takes requests again."""
    return GitHubRateLimited(
        f"GitHub takes no more requests for {seconds:.0f} s: {why}.",
        advice="Run the same command again then: what was done is found and not done twice.",
        details={"retry_after": round(seconds)},
    )
