"""Keeps secrets out of specs, tests and shell lines: of an answer with a secret only the type is asserted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....utils.redact import Redactor
from ..model.model import Json, Proposal
from ..model.pointers import escape_key

_PARTS = ("path_parameters", "query", "headers", "cookies")
_SHAPES = Redactor()


def looks_secret(value: Any) -> bool:
    """Whether a text in a value, or a key, has the shape of a credential."""
    if isinstance(value, Mapping):
        return any(looks_secret(key) or looks_secret(one) for key, one in value.items())
    if isinstance(value, list | tuple):
        return any(looks_secret(one) for one in value)
    return isinstance(value, str) and _SHAPES.text(value) != value


class SecretFilter:
    """Finds the secrets in an application's answers.

    Args:
        environment: the application's variables; values of secret ones are secrets wherever they occur.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._redactor = Redactor.from_environment(environment)

    def text(self, text: str) -> str:
        """Return a text with its secrets redacted."""
        return self._redactor.text(text)

    def places(self, value: Any) -> frozenset[str]:
        """Return the pointers of secrets in a JSON value; for an object with a secret key, the object's own."""
        return frozenset(self._places(value, ""))

    def _places(self, value: Any, pointer: str) -> Iterator[str]:
        if isinstance(value, dict):
            told = self._redactor.value(value)
            if list(told) != [str(key) for key in value]:
                yield pointer
                return
            for key, one in value.items():
                below = f"{pointer}/{escape_key(str(key))}"
                if isinstance(one, str):
                    if told[str(key)] != one:
                        yield below
                else:
                    yield from self._places(one, below)
        elif isinstance(value, list):
            for number, one in enumerate(value):
                yield from self._places(one, f"{pointer}/{number}")
        elif isinstance(value, str) and self.text(value) != value:
            yield pointer

    def asked_with_one(self, proposal: Proposal) -> bool:
        """Whether a request of a proposal holds a secret; credentials are only named in a request."""
        return any(_held(one, proposal) for one in (*proposal.setup, proposal.request))


def _held(request: Json, proposal: Proposal) -> bool:
    for part in _PARTS:
        values: Mapping[str, Any] = request.get(part) or {}
        if proposal.category == "authentication":
            # What is wrong on purpose has the form of what is right.
            values = {name: value for name, value in values.items() if name != "Authorization"}
        if looks_secret(list(values.values())):
            return True
    return looks_secret((request.get("body") or {}).get("content"))
