"""Keeps a huge project's plan within what its contract takes: the most important targets, and a count of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ....contract.protocol import JsonObject

MOST_ROWS = 5_000
"""The most steps, and the most rows of what is left out, in `schemas/planner/output.json`."""
_GENERATE = "generate_"


def within_limits(plan: JsonObject, most: int = MOST_ROWS) -> JsonObject:
    """Return the plan with at most `most` steps, and as many rows in `understood` and `skipped`.

    Generate steps at the end of each kind of tests go first, the kinds that have most of them before the others; what
    comes after them (verifying, accepting) then leaves out their files. A row of `skipped` and the first sentence of
    `understood` say how many went.

    Args:
        plan: the planner's result, its generate steps in order of importance within each kind of tests.
    """
    steps = list(plan["steps"])
    wanted = [step for step in steps if _is_generate(step)]
    gone = _beyond(wanted, most - (len(steps) - len(wanted)))
    understood, skipped = list(plan["understood"]), list(plan["skipped"])
    if gone:
        steps = [_without(step, gone) for step in steps if step["id"] not in gone]
        planned = len(wanted) - len(gone)
        understood[:1] = [f"{understood[0]} Planned are the {planned:,} most important of them."]
        reason = f"a plan has at most {most:,} steps; a later run for what has no tests yet goes on with them"
        skipped[:0] = [{"target": f"{len(gone):,} further targets", "reason": reason}]
    if len(skipped) > most:
        more = len(skipped) - most + 1
        skipped[most - 1 :] = [{"target": f"{more:,} more", "reason": "left out for reasons like those above"}]
    return {**plan, "steps": steps, "understood": understood[:most], "skipped": skipped}


def _is_generate(step: JsonObject) -> bool:
    return str(step["type"]).startswith(_GENERATE)


def _beyond(steps: list[JsonObject], room: int) -> dict[str, str]:
    """The steps that there is no room for: their ids, with the paths of their tests."""
    if len(steps) <= room:
        return {}
    shares = _shares(Counter(str(step["type"]) for step in steps), room)
    gone: dict[str, str] = {}
    for step in steps:
        kind = str(step["type"])
        shares[kind] -= 1
        if shares[kind] < 0:
            gone[str(step["id"])] = str(step["params"]["test_path"])
    return gone


def _shares(sizes: Mapping[str, int], room: int) -> dict[str, int]:
    """Divide the room: each kind has as much as any other one, and what it does not need goes to those."""
    shares: dict[str, int] = {}
    for number, (kind, size) in enumerate(sorted(sizes.items(), key=lambda row: row[1])):
        shares[kind] = min(size, room // (len(sizes) - number))
        room -= shares[kind]
    return shares


def _without(step: JsonObject, gone: Mapping[str, str]) -> JsonObject:
    """A step that no longer waits for steps that are gone, nor names their files."""
    if _is_generate(step):
        return step
    params = dict(step["params"])
    params["depends_on"] = [one for one in params.get("depends_on", ()) if one not in gone]
    if "test_paths" in params:
        paths = set(gone.values())
        params["test_paths"] = [path for path in params["test_paths"] if path not in paths]
    return {**step, "params": params}
