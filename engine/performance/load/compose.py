"""Composes the spec of load tests: one case for each profile, all with the same tasks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...api.document.application import AppLaunch
from ...api.document.auth import Credential, auth_names
from ...api.write.compose import started
from .limits import Measurement, limits_of
from .profiles import PROFILES
from .tasks import request_name

Json = dict[str, Any]
SCHEMA_VERSION = "1.0.0"
WARM_UP_SECONDS = 1.0


def compose_load_spec(
    *,
    title: str,
    path: str,
    launch: AppLaunch,
    tasks: Sequence[Json],
    profiles: Sequence[str],
    measurements: Sequence[Measurement] = (),
    credentials: Mapping[str, Credential],
    reasons: Mapping[str, str],
    places: Mapping[str, Json] | None = None,
    defects: Sequence[Json] = (),
) -> Json:
    """Compose the spec.

    Args:
        title: of the API.
        path: the file that the tests are about, POSIX, relative to the project; empty for none.
        profiles: names of those that become cases.
        measurements: limits are derived from; without them only errors are limited.
        places: evidence, `path` and `lines`, of requests by name, and of the whole API under "".
        reasons: why an operation is in no task, by its label.
        defects: suspected defects, in the spec's form.
    """
    used = {name for task in tasks for request in task["requests"] for name in auth_names(request)}
    target: Json = {"name": title[:200], **({"path": path} if path else {}), **started(launch)}
    spec: Json = {
        "schema_version": SCHEMA_VERSION,
        "test_type": "performance",
        "title": f"Load tests of {title}"[:300],
        "language": "python",
        "framework": "locust",
        "target": target,
    }
    auth = {name: credential.entry() for name, credential in sorted(credentials.items()) if name in used}
    if auth:
        spec["auth"] = auth
    slug = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_") or "api"
    chosen = [profile for profile in PROFILES if profile.name in profiles] if tasks else []
    spec["cases"] = [
        {
            "id": f"tc_{slug[:100]}_{profile.name}",
            "title": f"{title} holds {profile.purpose}"[:300],
            "priority": "high" if profile.name in ("smoke", "load") else "medium",
            "preconditions": [],
            "steps": list(dict.fromkeys(request_name(one) for task in tasks for one in task["requests"]))[:50],
            "expected": "Every request is answered, as quickly and as often as the limits say.",
            "category": profile.name,
            "act": {"tasks": list(tasks), "load": {**profile.load, "warm_up_seconds": WARM_UP_SECONDS}},
            "expect": [{**one, **_evidence(one, places or {})} for one in limits_of(profile.name, measurements)],
        }
        for profile in chosen
    ]
    spec["suspected_defects"] = list(defects)
    missing = [{"subject": name, "reason": reason, "line": 1} for name, reason in sorted(reasons.items())]
    if not spec["cases"] and not missing:
        missing = [{"subject": title, "reason": "no request was found that works", "line": 1}]
    spec["not_reached"] = missing
    return spec


def _evidence(expectation: Json, places: Mapping[str, Json]) -> Json:
    found = places.get(str(expectation.get("request") or "")) or places.get("")
    return {"evidence": found} if found else {}
