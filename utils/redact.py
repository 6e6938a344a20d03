"""Taking secrets out of what is stored or shown: events, audit log, captured output, reports.

Three nets: values of environment variables whose names say secret, values under JSON keys whose names say secret, and
the shapes of well-known credentials (provider keys, bearer tokens, passwords in URLs, private keys). A reference to a
variable, `${NAME}`, is no secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

REDACTED = "[redacted]"

_SHORTEST_SECRET = 8
_NO_SECRETS = frozenset({"changeme", "localhost", "password", "postgres", "postgresql", "undefined"})
_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:api[_-]?key|access[_-]?key|secret|passw(?:or)?d|passphrase|credentials?|private[_-]?key|"
    r"authorization|bearer|token|dsn)$",
    re.IGNORECASE,
)
_SECRET_WORD = re.compile(r"secret|passw(?:or)?d|api[_-]?key|private[_-]?key|credential", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|\Z)", re.DOTALL
)
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|"
    r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|"
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|"
    r"hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|"
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
    r")"
)
_HEADER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}")
_NAMED_HEADER = re.compile(
    r"(?i)\b(x-api-key|api-key|authorization|proxy-authorization)(\"?\s*:\s*\"?)((?=[^\s\",;]*\d)[^\s\",;]{8,}|bearer|basic)"
)
_URL_PASSWORD = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,30}://[^\s/:@?#\"']{0,256}):(?!\$\{\w+\}@)([^\s/@\"']{1,256})@")
_URL_QUERY = re.compile(
    r"(?i)([?&](?:api[_-]?key|key|access[_-]?token|token|secret|password|signature|sig)=)"
    r"(?!\$\{\w+\}(?:[\s&#\"']|$))([^\s&#\"']{6,})"
)
_ASSIGNED = re.compile(
    r"\b((?:[A-Z][A-Z0-9]*_)*(?:API_?KEY|ACCESS_KEY|SECRET(?:_[A-Z]+)*|PASSWORD|PASSWD|TOKEN|PRIVATE_KEY)\s*=\s*)"
    r"(?!\$\{\w+\}(?:[\s\"'();,]|$))(\"[^\"\n]{6,}\"|'[^'\n]{6,}'|[^\s\"'();,]{6,})"
)


def is_secret_name(name: str) -> bool:
    """Whether a key or variable of this name holds a secret: `api_key`, `GITHUB_TOKEN`, `db.password`.

    Counts of tokens (`max_tokens`, `token_budget`) are no secrets.
    """
    spelled = _CAMEL.sub("_", name.replace(".", "_").replace(" ", "_"))
    return bool(_SECRET_NAME.search(spelled) or _SECRET_WORD.search(spelled))


class Redactor:
    """Replaces secrets with `[redacted]`, in text and in JSON values. Immutable: share it between threads.

    Args:
        secrets: exact values that must never be shown; shorter than 8 characters or a plain word like
            `postgres` are ignored, they would hit harmless text.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted(
            {one for one in secrets if len(one) >= _SHORTEST_SECRET and one.lower() not in _NO_SECRETS},
            key=lambda one: (-len(one), one),
        )
        self._known = re.compile("|".join(re.escape(one) for one in known)) if known else None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], secrets: Iterable[str] = ()) -> Redactor:
        """One that also knows the values of the environment variables whose names say secret."""
        named = (value for name, value in environment.items() if is_secret_name(name))
        return cls((*named, *secrets))

    def text(self, text: str) -> str:
        """The text without its secrets."""
        if self._known is not None:
            text = self._known.sub(REDACTED, text)
        text = _PRIVATE_KEY.sub(REDACTED, text)
        text = _URL_PASSWORD.sub(rf"\1:{REDACTED}@", text)
        text = _URL_QUERY.sub(rf"\1{REDACTED}", text)
        text = _TOKEN.sub(REDACTED, text)
        text = _HEADER.sub(rf"\1 {REDACTED}", text)
        text = _NAMED_HEADER.sub(_named_header, text)
        return _ASSIGNED.sub(rf"\1{REDACTED}", text)

    def value(self, value: Any) -> Any:
        """A copy of a JSON value without its secrets; tuples become lists, other types pass unchanged."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._field(str(key), one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(one) for one in value]
        return value

    def _field(self, name: str, value: Any) -> Any:
        if is_secret_name(name) and isinstance(value, str) and value:
            return REDACTED
        return self.value(value)


Redact = Callable[[Any], Any]


def without_secrets(settings: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Settings as they may be stored: fields named like secrets are left out, so that no mask is taken for a key."""
    kept: dict[str, Any] = {}
    for name, value in settings.items():
        if is_secret_name(name) and not isinstance(value, int | float | bool | None):
            continue
        kept[name] = without_secrets(value, redactor) if isinstance(value, Mapping) else redactor.value(value)
    return kept


def _named_header(found: re.Match[str]) -> str:
    if found.group(3).lower() in ("bearer", "basic"):
        return found.group(0)
    return f"{found.group(1)}{found.group(2)}{REDACTED}"
