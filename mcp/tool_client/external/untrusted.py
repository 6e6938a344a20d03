"""Text of servers that are not ours, as it may be shown: short, printable, without secrets."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from ....utils.redact import REDACTED, Redactor

LONGEST_TEXT = 2000
_SHORTEST_SECRET = 6


class Untrusted:
    """Cleans what one server said.

    Args:
        environment: its variables with secret names are taken out of every text that is shown.
        secrets: what the server itself was given in confidence; taken out of its answers too.
    """

    def __init__(self, environment: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        self._given = sorted((one for one in secrets if len(one) >= _SHORTEST_SECRET), key=len, reverse=True)
        self._redactor = Redactor.from_environment(environment, self._given)

    def shown(self, text: str, longest: int = LONGEST_TEXT) -> str:
        """A text for messages: no control or formatting characters but line ends, cut to `longest` characters."""
        plain = "".join(
            one if one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Co") else "�"
            for one in self._redactor.text(text[: 4 * longest])
        ).strip()
        return plain if len(plain) <= longest else plain[: longest - 1] + "…"

    def answer(self, value: Any) -> Any:
        """A JSON value without the secrets that the server was given; everything else stays as it is."""
        if not self._given:
            return value
        if isinstance(value, str):
            for secret in self._given:
                value = value.replace(secret, REDACTED)
            return value
        if isinstance(value, Mapping):
            return {self.answer(key): self.answer(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.answer(one) for one in value]
        return value
