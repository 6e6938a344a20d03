"""Takes into the settings what a request says that must be known before the plan: the base of changed code."""

from __future__ import annotations

import re

from ..agents.embedded.plan.request.parser import parse_request
from ..config.settings import Settings
from ..core.errors import UsageError

_MAY_SAY = re.compile(r"chang|modif|edit|touch|diff", re.IGNORECASE)


def require_request(request: str) -> None:
    """Raise UsageError for a request without a word."""
    if not request.strip():
        raise UsageError("The request is empty.", advice='Say what to test: "unit tests for src/shop/cart.py".')


def settings_for_request(request: str, settings: Settings) -> Settings:
    """The settings with `changed_since` from the request ("what changed since main"), unless they have one already."""
    if settings.changed_since is not None or not _MAY_SAY.search(request):
        return settings
    since = parse_request(request).changed_since
    return settings if since is None else settings.model_copy(update={"changed_since": since})
