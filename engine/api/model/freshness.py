"""Which cases need the application as it is after its start, and which hold whatever other tests have left behind."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

REFUSALS = ("validation", "authentication", "contract")


def needs_fresh_state(case: Mapping[str, Any]) -> bool:
    """Whether what a case expects depends on what is there.

    A request that is refused for its form or for want of credentials is refused whatever there is, unless the answer
    names a number: that may be an id; or unless the case says that it is not so.
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
