"""Decides which cases need the application in its initial state."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

REFUSALS = ("validation", "authentication", "contract")


def needs_fresh_state(case: Mapping[str, Any]) -> bool:
    """Whether the expectations of a case depend on the server's state.

    A request that fails validation or authentication fails in any state, unless the expected answer contains a number,
    which may be an id, or the case is marked `fresh`.
    """
    if case.get("fresh"):
        return True
    if case.get("category") not in REFUSALS:
        return True
    for one in case["expect"]:
        if one["kind"] == "status":
            if min(one["statuses"]) < 400:
                return True
        elif one.get("pointer") != "/detail/0/loc" and re.search(r"\d|\{\{", json.dumps(one.get("value"))):
            return True
    return False
