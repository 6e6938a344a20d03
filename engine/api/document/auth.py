"""Credentials: which schemes the document declares, which values the tests use, and wrong ones."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ....utils.redact import placeholder_secret
from ..model.model import Api, Json, Operation
from .operations import snake_case

Kind = Literal["bearer", "basic", "api_key_header", "api_key_query", "api_key_cookie"]
_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?$", re.IGNORECASE)
_WRONG = "not-the-right-one"
_HEADER = "x-header"
"""The entry of a security scheme that no document declares, with the header that it was found by."""
# A word of its own, after a hyphen, or in one with what such words stand beside: `X-Api-Key`, `apikey`, `accessToken`.
_SIGNS_IN = re.compile(
    r"^authorization$|(?:^|[-_]|api|auth|access|client|secret|user|session|app|(?-i:(?<=[a-z])(?=[A-Z])))"
    r"(?:key|token|secret|o?auth|credentials?)$",
    re.IGNORECASE,
)
_SIGNS_NOBODY_IN = re.compile(
    r"^sec-|idempotency|surrogate|csrf|xsrf|(?:request|page|next|sync|cursor|continuation|cache|sort|partition|public|device|push)[-_]?\w+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SignIn:
    """How the tests sign a user in.

    Attributes:
        requests: sent in order, the sign-up first where there is one; `{{name}}`, `{{email}}` and `{{password}}` stand
            for those of the user.
        pointer: JSON pointer of the token in the last answer; empty where its cookies or the password itself are sent.
        identity: the name or e-mail address of a user that exists already; empty for one that signs up.
        secret: the password of such a user while the application is explored; it is never written down.
        keeps: whether the user outlives a reset of the application.
    """

    requests: tuple[Json, ...]
    pointer: str = ""
    identity: str = ""
    secret: str = field(default="", repr=False)
    keeps: bool = False

    def entry(self) -> Json:
        """Return the spec's form."""
        entry: Json = {"requests": [dict(request) for request in self.requests], "keeps": self.keeps}
        if self.pointer:
            entry["pointer"] = self.pointer
        if self.identity:
            entry["identity"] = self.identity
        return entry


@dataclass(frozen=True, slots=True)
class Credential:
    """The credential of one security scheme.

    Attributes:
        name: its key in the spec's `auth`: an identifier made of the scheme's name.
        variable: environment variable that holds the secret, for the application and for the tests.
        parameter: name of the header, query parameter or cookie.
        value: what is sent while the application is explored: what the variable has, a placeholder, or what stands in
            the project's source; empty where only the user knows one.
        sign_in: how the secret is obtained when the tests run; None where the variable holds it.
    """

    name: str
    kind: Kind
    variable: str
    parameter: str = ""
    value: str = field(default="", repr=False)
    sign_in: SignIn | None = None

    def entry(self) -> Json:
        """Return the spec's form of the credential."""
        entry: Json = {"kind": self.kind, "variable": self.variable}
        if self.parameter:
            entry["parameter"] = self.parameter
        if self.sign_in is not None:
            entry["sign_in"] = self.sign_in.entry()
        return entry


def credential_name(scheme: str) -> str:
    """Turn a security scheme's name into an identifier."""
    name = snake_case(scheme)
    return name if name[:1].isalpha() else f"auth_{name}"


def credential_kind(scheme: Mapping[str, Any]) -> tuple[Kind, str] | None:
    """Return the kind of a security scheme and its parameter; None for a kind that is not supported."""
    declared = scheme.get("type")
    if declared == "apiKey" and scheme.get("in") in ("header", "query", "cookie"):
        kinds: dict[str, Kind] = {"header": "api_key_header", "query": "api_key_query", "cookie": "api_key_cookie"}
        return kinds[str(scheme["in"])], str(scheme.get("name") or "")
    if declared == "http" and str(scheme.get("scheme")).lower() in ("bearer", "basic"):
        return ("bearer", "") if str(scheme["scheme"]).lower() == "bearer" else ("basic", "")
    if declared in ("oauth2", "openIdConnect"):
        return "bearer", ""
    return None


def header_scheme(name: str) -> Json | None:
    """Return the security scheme that a header stands for by its name; None for any other header."""
    if not _SIGNS_IN.search(name) or _SIGNS_NOBODY_IN.search(name):
        return None
    if name.lower() == "authorization":
        return {"type": "http", "scheme": "bearer", _HEADER: "Authorization"}
    return {"type": "apiKey", "in": "header", "name": name, _HEADER: name}


def credential_forms(scheme: Mapping[str, Any]) -> list[tuple[Kind, str]]:
    """Return the kinds of credentials, each with its parameter, that may open a scheme; none for one not supported."""
    form = credential_kind(scheme)
    # Code that reads the header itself may take a token as it is, without a word before it.
    plain: list[tuple[Kind, str]] = [("api_key_header", str(scheme[_HEADER]))] if _HEADER in scheme else []
    return list(dict.fromkeys([*([form] if form is not None else []), *plain]))


def in_words(scheme: Mapping[str, Any]) -> str:
    """Return what a security scheme asks for: `the header X-API-Key`, `a bearer token`; empty where it is unknown."""
    if _HEADER in scheme:
        return f"the header {scheme[_HEADER]}"
    form = credential_kind(scheme)
    if form is None:
        return ""
    kind, parameter = form
    places = {"api_key_header": "header", "api_key_query": "query parameter", "api_key_cookie": "cookie"}
    if kind in places:
        return f"the {places[kind]} {parameter}"
    return "a bearer token" if kind == "bearer" else "a name and a password (HTTP basic)"


def is_read_by_code(api: Api, operation: Operation) -> bool:
    """Whether an operation is secured by a scheme that no document declares: its code reads a header itself."""
    return any(_HEADER in api.schemes.get(scheme, {}) for way in operation.security for scheme in way)


def is_secret(variable: str) -> bool:
    """Whether the name of an environment variable suggests a secret."""
    return _SECRET.search(variable) is not None


def candidate_credentials(
    api: Api,
    variables: Iterable[str],
    values: Mapping[str, str] | None = None,
    literals: Mapping[str, str] | None = None,
) -> dict[str, list[Credential]]:
    """Return credentials that may fit each scheme of a document, most likely first.

    Args:
        variables: names of environment variables that hold secrets.
        values: what those of them have that a person has set; the others have placeholders.
        literals: credentials of the project's source, by the variables that are to hold them.
    """
    known = values or {}
    names = list(dict.fromkeys(variables))
    found: dict[str, list[Credential]] = {}
    for scheme, declared in api.schemes.items():
        forms = credential_forms(declared)
        if not forms:
            continue
        words = set(re.findall(r"[a-z]+", f"{scheme} {forms[0][1]} {forms[0][0]}".lower()))

        def likeness(name: str, words: set[str] = words) -> tuple[bool, int]:
            return name not in known, -len(words & set(re.findall(r"[a-z]+", name.lower())))

        held = [(name, known.get(name) or placeholder_secret(name)) for name in sorted(names, key=likeness)]
        written = list((literals or {}).items())
        found[scheme] = [
            Credential(credential_name(scheme), kind, name, parameter, secret)
            for secrets in (held, written)
            for name, value in secrets
            for kind, parameter in forms
            # A pair of a name and a password is nothing else, and nothing else is one.
            if secrets is held or (":" in value) == (kind == "basic")
            if (secret := _as_sent(kind, value)) is not None
        ]
    return found


def _as_sent(kind: Kind, value: str) -> str | None:
    """Return the part of a secret that follows the word of its scheme; None where it is one of another scheme."""
    word, blank, rest = value.partition(" ")
    if kind in ("bearer", "basic") and blank:
        return rest if word.lower() == kind else None
    return value


def auth_names(request: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of all credentials that a request uses."""
    used = request.get("auth") or ()
    return (used,) if isinstance(used, str) else tuple(str(name) for name in used)


def auth_entry(names: Sequence[str]) -> Any:
    """Return the `auth` entry of a request: one name, or a list of several."""
    return names[0] if len(names) == 1 else list(names)


def with_credentials(request: Json, credentials: Mapping[str, Credential]) -> Json:
    """Return the request as it is sent, with the credentials in their headers, query or cookies."""
    sent = {key: entry for key, entry in request.items() if key != "auth"}
    for name in auth_names(request):
        credential = credentials.get(name)
        if credential is not None and credential.sign_in is not None:
            sent = {**sent, "user": name}
            continue
        sent = put_secret(sent, credential, credential.value) if credential is not None else sent
    return sent


def put_secret(request: Json, credential: Credential, secret: str) -> Json:
    """Return the request with a secret at the credential's location."""
    key, name, value = secret_location(credential, secret)
    return {**request, key: {**(request.get(key) or {}), name: value}}


def secret_location(credential: Credential, secret: str) -> tuple[str, str, str]:
    """Return where a secret goes: the part of the request, the name there, and the value."""
    if credential.kind == "bearer":
        return "headers", "Authorization", f"Bearer {secret}"
    if credential.kind == "basic":
        return "headers", "Authorization", "Basic " + base64.b64encode(secret.encode()).decode()
    keys = {"api_key_header": "headers", "api_key_query": "query", "api_key_cookie": "cookies"}
    return keys[credential.kind], credential.parameter, secret


def with_wrong_credentials(request: Json, credentials: Sequence[Credential]) -> Json:
    """Return the request with well-formed credentials that are wrong."""
    sent = {key: entry for key, entry in request.items() if key != "auth"}
    for credential in credentials:
        if credential.kind == "api_key_cookie" and not credential.parameter:
            credential = replace(credential, parameter="session")
        sent = put_secret(sent, credential, f"{_WRONG}:{_WRONG}" if credential.kind == "basic" else _WRONG)
    return sent
