"""The hydration envelope as plain data (A-05): `{run_id, upstream, payload, parameters}`, and what stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ENVELOPE_KEYS = frozenset({"run_id", "upstream", "payload", "parameters"})


def is_envelope(inputs: Any) -> bool:
    """Whether inputs are an envelope; a refinement adds `previous_files` and `errors` beside the four keys."""
    return isinstance(inputs, Mapping) and inputs.keys() >= ENVELOPE_KEYS


def consumer_view(inputs: Any) -> Any:
    """What an input schema is about: of an envelope, everything in it side by side; of other inputs, the inputs."""
    if not is_envelope(inputs) or not isinstance(inputs["payload"], Mapping):
        return inputs
    beside = {key: value for key, value in inputs.items() if key not in ENVELOPE_KEYS}
    return {"run_id": inputs["run_id"], **inputs["payload"], **inputs["parameters"], **beside}
