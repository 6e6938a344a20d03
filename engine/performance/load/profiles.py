"""Defines the load profiles: how many users come when, and the same as the stages of a locustfile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Stages = list[tuple[float, int]]
SMOKE, LOAD = "smoke", "load"


@dataclass(frozen=True, slots=True)
class LoadProfile:
    """A profile.

    Attributes:
        purpose: what it shows, after "With".
        load: as in the spec.
    """

    name: str
    purpose: str
    load: Mapping[str, Any]


PROFILES = (
    LoadProfile(SMOKE, "two users at once", {"shape": "constant", "users": 2, "seconds": 10}),
    LoadProfile(
        LOAD,
        "twenty users, who come by and by",
        {"shape": "ramp", "users": 20, "users_per_second": 4, "seconds": 60},
    ),
    LoadProfile(
        "stress",
        "more and more users, up to fifty",
        {
            "shape": "stages",
            "stages": [
                {"seconds": 5, "users": 10},
                {"seconds": 25, "users": 10},
                {"seconds": 5, "users": 25},
                {"seconds": 25, "users": 25},
                {"seconds": 5, "users": 50},
                {"seconds": 55, "users": 50},
            ],
        },
    ),
    LoadProfile(
        "spike",
        "forty users who come all at once",
        {"shape": "spike", "base_users": 2, "users": 40, "seconds": 60},
    ),
    LoadProfile("soak", "ten users for a long time", {"shape": "soak", "users": 10, "seconds": 600}),
)
PROFILE_NAMES = tuple(profile.name for profile in PROFILES)
_JUMP = 0.02
"""The part of a spike's time in which its users come, and go again."""


def stages_of(load: Mapping[str, Any]) -> tuple[int, Stages]:
    """Return the users at the beginning, and (seconds, users at the end) of each stage.

    Args:
        load: as in the spec, valid against its schema.
    """
    shape, users, seconds = load["shape"], int(load.get("users") or 0), float(load.get("seconds") or 0)
    if shape == "stages":
        return 0, [(float(stage["seconds"]), int(stage["users"])) for stage in load["stages"]]
    if shape == "ramp":
        return 0, [(max(0.1, round(users / load["users_per_second"], 3)), users), (seconds, users)]
    if shape == "spike":
        base, jump = int(load["base_users"]), round(_JUMP * seconds, 3)
        calm = round((seconds - 2 * jump) / 4, 3)
        return base, [(calm, base), (jump, users), (2 * calm, users), (jump, base), (calm, base)]
    return users, [(seconds, users)]
