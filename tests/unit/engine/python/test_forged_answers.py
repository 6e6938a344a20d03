"""Answers of a worker that code under test wrote in its place."""

from __future__ import annotations

import json

import pytest

from testwright.engine.python.model.observation_json import observed_trial, parsed

TRUE = {"outcome": "returned", "value": {"t": "int", "s": "3"}}


def test_an_answer_in_its_form_is_read() -> None:
    value = parsed(json.dumps(TRUE).encode(), observed_trial).observation.value
    assert value is not None
    assert (value.type_name, value.source) == ("int", "3")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"forged",
        b"[" * 100_000,
        b"[]",
        b"3",
        b'{"outcome": "returned", "value": "forged"}',
        b'{"outcome": "returned", "value": {"t": 3}}',
        b'{"outcome": "returned", "value": {"t": "int", "s": []}}',
        b'{"outcome": "raised", "raised": 3}',
        b'{"outcome": "returned", "effects": [1]}',
        b'{"value": {"t": "int"}}',
    ],
)
def test_a_line_in_another_form_is_a_lost_worker(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its kinds are told apart by nobody
        parsed(line, observed_trial)
