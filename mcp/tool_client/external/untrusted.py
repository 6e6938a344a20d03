"""Cleans text of external servers before it is shown: short, printable, without secrets."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from ....utils.redact import REDACTED, Redactor

MAX_TEXT_CHARS = 2000
_MIN_SECRET_CHARS = 6
"""Shorter values are not removed: they would be found in ordinary words."""


class UntrustedText:
    """Cleans the text of one server.

    Args:
        environment: the values of variables with secret names are removed from every text that is shown.
        secrets: the secrets that the server itself received; removed from its answers as well.
    """

    def __init__(self, environment: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        self._secrets = sorted(
            (secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS), key=len, reverse=True
        )
        self._redactor = Redactor.from_environment(environment, self._secrets)

    def clean(self, text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
        """Returns text for messages: no control or formatting characters but line ends, cut to `max_chars`."""
        plain = "".join(
            char if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co") else "�"
            for char in self._redactor.text(text[: 4 * max_chars])
        ).strip()
        return plain if len(plain) <= max_chars else plain[: max_chars - 1] + "…"

    def without_secrets(self, value: Any) -> Any:
        """Returns a JSON value without the secrets that the server received; everything else is unchanged."""
        if not self._secrets:
            return value
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, REDACTED)
            return value
        if isinstance(value, Mapping):
            return {self.without_secrets(key): self.without_secrets(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.without_secrets(part) for part in value]
        return value
