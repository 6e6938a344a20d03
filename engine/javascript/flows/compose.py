"""Composes the spec of integration tests from what was selected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from ..compose import compose_spec
from ..selection import Chosen, Selection
from .helpers import Helper, needed_helpers
from .proposals import FlowProposer
from .seams import ScriptSeams

_OUTSIDE = {"filesystem": "files", "http": "service", "process": "program"}


def compose_flow_spec(
    seams: ScriptSeams, selection: Selection, proposer: FlowProposer, helpers: Sequence[Helper]
) -> dict[str, Any]:
    """The spec, for `integration_test_schema_v1`; without cases only where `not_reached` or suspects say why.

    Args:
        helpers: all that a test file may need.
    """
    spec = compose_spec(seams.entry, selection, proposer.domains)
    del spec["domains"]
    names = _names(seams)
    used = [_sources(one) for one in selection.chosen]
    needed = needed_helpers(helpers, [source for sources in used for source in sources])
    by_case = {_key(case): case for case in spec["cases"]}
    for one, sources in zip(selection.chosen, used, strict=True):
        case = next((case for case in by_case.values() if "crosses" not in case and _is_of(case, one)), None)
        if case is not None:
            kinds = [helper.kind for helper in needed_helpers(helpers, sources) if helper.kind]
            case["crosses"] = _crosses(one, seams, names, kinds)
    spec["cases"] = [case for case in spec["cases"] if case.get("crosses")]
    spec["test_type"] = "integration"
    spec["title"] = f"Integration tests for {seams.entry.path}"
    spec["target"]["components"] = [
        {
            "name": names[one.path],
            "role": "entry" if one is seams.entry else "collaborator",
            "path": one.path,
            "system": "commonjs" if one.commonjs else "esm",
            "exports": dict(sorted(one.exports.items())),
            "digest": one.digest,
        }
        for one in seams.modules
    ]
    spec["target"]["edges"] = [
        {"from": names[one], "to": names[other], "through": "calls"} for one, other in seams.edges if other in names
    ]
    spec["services"] = [
        {"name": _OUTSIDE[one.kind], "kind": one.kind, "stand_in": one.stand_in} for one in _by_kind(needed)
    ]
    spec["target"]["programs"] = {one.name: one.path for one in seams.programs}
    return spec


def _by_kind(helpers: Sequence[Helper]) -> list[Helper]:
    return list({one.kind: one for one in helpers if one.kind}.values())


def _key(case: dict[str, Any]) -> str:
    return str(case["id"])


def _is_of(case: dict[str, Any], one: Chosen) -> bool:
    """Whether a case is that of a chosen trial."""
    trial = one.trial
    statements = case["arrange"]["statements"]
    return (
        case["subject"] == trial.function.qualname
        and tuple(case["act"]["arguments"]) == trial.arguments
        and tuple(statements[: len(trial.prelude)]) == trial.prelude
        and (not trial.receiver or f"const {trial.instance} = {trial.receiver};" in statements)
    )


def _sources(one: Chosen) -> list[str]:
    trial = one.trial
    return [*trial.prelude, trial.receiver, *trial.setup, *trial.arguments, trial.function.name]


def _names(seams: ScriptSeams) -> dict[str, str]:
    """A name for each component, by its path."""
    found: dict[str, str] = {}
    for one in seams.modules:
        path = PurePosixPath(one.path)
        stem = path.name.partition(".")[0]
        stem = path.parent.name or stem if stem in ("index", "main") else stem
        name = re.sub(r"\W+", "_", stem) or "module"
        name = name if name[0].isalpha() or name[0] == "_" else f"m_{name}"
        while name in found.values():
            name += "_"
        found[one.path] = name
    return found


def _crosses(one: Chosen, seams: ScriptSeams, names: dict[str, str], kinds: Sequence[str]) -> list[dict[str, str]]:
    """The seams that a flow was seen to cross."""
    entry = names[seams.entry.path]
    reached = {path for path, _ in one.seen.lines}
    edges = [(names[a], names[b]) for a, b in seams.edges if {a, b} <= reached]
    edges += [(entry, names[path]) for path in names if path in reached and path != seams.entry.path]
    edges += [(entry, _OUTSIDE[kind]) for kind in kinds]
    return [{"from": first, "to": other} for first, other in dict.fromkeys(edges)]
