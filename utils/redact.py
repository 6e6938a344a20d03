"""Removes secrets from what is stored or shown: events, audit log, captured output, reports.

Three ways to find them: values of environment variables with secret names, values under JSON keys with secret names,
and the formats of well-known credentials (provider keys, authorization headers, passwords in URLs, private keys). A
reference to a variable, `${NAME}`, is no secret. Every pattern runs in time linear in the text: it starts at a literal
or a word boundary, and its repetitions are bounded or cannot match in two ways.
"""

from __future__ import annotations

import re
import shlex
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

# Also with line ends written as \n, as in the JSON of a service account.
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r".*?(?:-----END (?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}|"  # OpenAI, …, Stripe
    r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_.-]{16,}|"
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}|"  # Slack
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|"  # AWS
    r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}|"  # Google
    r"hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|"
    r"(?<![_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*"  # JSON Web Token
    r")"
)
_SLACK_HOOK = re.compile(r"(hooks\.slack\.com/(?:services|workflows)/)[A-Za-z0-9/_-]{20,}")
_HEADER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}")
# The rest of an `Authorization:` line after the scheme, if it has a digit: prose and type annotations rarely have one.
_AUTHORIZATION = re.compile(
    r"(?i)\b((?:proxy-)?authorization\"?\s{0,8}:\s{0,8}\"?"
    r"(?:basic|bearer|token|negotiate|apikey|aws4-hmac-sha256)[ \t]{1,8})"
    r"(?!\$\{\w{1,100}\})(?=[^\r\n\"']{0,400}\d)([^\s\"'\[][^\r\n\"']{5,})"
)
_NAMED_HEADER = re.compile(
    r"(?i)\b(x-api-key|api-key|x-auth-token|private-token|x-goog-api-key|authorization|proxy-authorization)"
    r"(\"?\s{0,8}:\s{0,8}\"?)((?=[^\s\",;]{0,200}\d)[^\s\",;]{8,}|bearer|basic)"
)
_URL_PASSWORD = re.compile(
    r"(?i)\b([a-z][a-z0-9+.-]{1,30}://[^\s/:@?#\"']{0,256}):(?!\$\{\w{1,100}\}@)([^\s/@\"']{1,256})@"
)
_URL_QUERY = re.compile(
    r"(?i)([?&](?:api[_-]?key|key|access[_-]?token|token|secret|password|signature|sig|x-amz-signature)=)"
    r"(?!\$\{\w{1,100}\}(?:[\s&#\"']|$))([^\s&#\"']{6,})"
)
# What code reads the value from, `os.environ["TOKEN"]`, is none.
_ASSIGNED = re.compile(
    r"\b((?:[A-Z][A-Z0-9]*_){0,12}(?:API_?KEY|ACCESS_KEY|SECRET(?:_[A-Z]+){0,12}|PASSWORD|PASSWD|TOKEN|PRIVATE_KEY)\s*=\s*)"
    r"(?!\$\{\w+\}(?:[\s\"'();,]|$))(?!(?:[A-Za-z_]\w{0,60}\.){0,5}[A-Za-z_]\w{0,60}[(\[][\"'\w])(\"[^\"\n]{6,}\"|'[^'\n]{6,}'|[^\s\"'();,]{6,})"
)
# Lower-case settings with a value of the format a key has: AWS profiles, .npmrc, YAML and JSON files.
_KEY_SETTING = re.compile(
    r"(?i)\b(aws_?secret_?access_?key|aws_?session_?token|account_?key|shared_?access_?key|client_?secret|"
    r"_authToken|_auth|_password)(\"?\s{0,8}[:=]\s{0,8}[\"']?)"
    r"(?!\$\{\w{1,100}\})(?=[A-Za-z0-9+/=_.~%-]{0,200}\d)([A-Za-z0-9+/=_.~%-]{16,})"
)
# ADO.NET, ODBC and libpq connection strings: a password beside other settings, so that `password=value` in code stays.
_CONNECTION_STRING = re.compile(
    r"(?i)((?:;\s?|\b(?:host|hostaddr|user|dbname|port|sslmode)=[^\s;=\"']{1,200}\s)(?:password|pwd)\s?=\s?"
    r"|\b(?:password|pwd)=(?=[^;\s\"'()$]{3,200};\s?[a-z][a-z ]{1,30}=))"
    r"(?!\$\{\w{1,100}\})([^;\s\"'()$]{3,})"
)


def is_secret_name(name: str) -> bool:
    """Whether a key or variable of this name holds a secret: `api_key`, `GITHUB_TOKEN`, `db.password`.

    Counts of tokens (`max_tokens`, `token_budget`) are no secrets.
    """
    spelled = _CAMEL.sub("_", name.replace(".", "_").replace(" ", "_"))
    return bool(_SECRET_NAME.search(spelled) or _SECRET_WORD.search(spelled))


_SIGNING_NAME = re.compile(r"secret|jwt|sign|session_?key", re.IGNORECASE)


def placeholder_secret(variable: str) -> str:
    """Return the value that tests use for an unknown secret: always the same, and plainly not a real one.

    What signs is at least 64 bytes long (RFC 7518, section 3.2, for HS512): libraries warn of shorter keys.
    """
    value = f"test-{variable.lower().replace('_', '-')}"
    return value + "-only-for-tests" * 4 if _SIGNING_NAME.search(variable) else value


def has_secret_argument(command: str) -> bool:
    """Whether a command has an argument that is a secret: by its form, or by the option that it is given with."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False  # it cannot be run either
    shapes, option = Redactor([]), ""
    for word in words:
        name, equals, value = word.partition("=")
        named, given = (name, value) if equals else (option, "" if word.startswith("-") else word)
        if shapes.text(word) != word or (given and named and is_secret_name(named.lstrip("-"))):
            return True
        option = word if word.startswith("-") and not equals else ""
    return False


def is_telling(secret: str) -> bool:
    """Whether a secret can be looked for in texts: one that is short, or a plain word, is in harmless ones, too."""
    return len(secret) >= _SHORTEST_SECRET and secret.lower() not in _NO_SECRETS


class Redactor:
    """Replaces secrets with `[redacted]`, in text and in JSON values. Immutable: share it between threads.

    Args:
        secrets: exact values that must never be shown; shorter than 8 characters or a plain word like
            `postgres` are ignored, they would hit harmless text.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted(
            {secret for secret in secrets if is_telling(secret)},
            key=lambda secret: (-len(secret), secret),
        )
        self._known = re.compile("|".join(re.escape(secret) for secret in known)) if known else None

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
        text = _SLACK_HOOK.sub(rf"\1{REDACTED}", text)
        text = _TOKEN.sub(REDACTED, text)
        text = _AUTHORIZATION.sub(rf"\1{REDACTED}", text)
        text = _HEADER.sub(rf"\1 {REDACTED}", text)
        text = _NAMED_HEADER.sub(_redact_named_header, text)
        text = _CONNECTION_STRING.sub(rf"\1{REDACTED}", text)
        text = _KEY_SETTING.sub(rf"\1\2{REDACTED}", text)
        return _ASSIGNED.sub(rf"\1{REDACTED}", text)

    def value(self, value: Any) -> Any:
        """A copy of a JSON value without its secrets; tuples become lists, other types pass unchanged."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._field(str(key), item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
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


def _redact_named_header(found: re.Match[str]) -> str:
    if found.group(3).lower() in ("bearer", "basic"):
        return found.group(0)
    return f"{found.group(1)}{found.group(2)}{REDACTED}"
