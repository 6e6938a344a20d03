"""Credentials: which schemes the document declares, which values the tests use, and wrong ones."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ....utils.redact import placeholder_secret
from ..model.model import Api, Json
from .operations import snake_case

Kind = Literal["bearer", "basic", "api_key_header", "api_key_query", "api_key_cookie"]
_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?$", re.IGNORECASE)
_WRONG = "not-the-right-one"


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
        value: what the tests use where the variable is not set: a placeholder, or empty where only the user knows one.
        sign_in: how the secret is obtained when the tests run; None where the variable holds it.
    """

    name: str
    kind: Kind
    variable: str
    parameter: str = ""
    value: str = ""
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


def is_secret(variable: str) -> bool:
    """Whether the name of an environment variable suggests a secret."""
    return _SECRET.search(variable) is not None


def candidate_credentials(api: Api, variables: Iterable[str]) -> dict[str, list[Credential]]:
    """Return credentials that may fit each scheme of a document, most likely first.

    Args:
        variables: names of environment variables that the application reads and that hold secrets.
    """
    names = list(dict.fromkeys(variables))
    found: dict[str, list[Credential]] = {}
    for scheme, declared in api.schemes.items():
        form = credential_kind(declared)
        if form is None:
            continue
        kind, parameter = form
        words = set(re.findall(r"[a-z]+", f"{scheme} {parameter} {kind}".lower()))

        def likeness(name: str, words: set[str] = words) -> int:
            return -len(words & set(re.findall(r"[a-z]+", name.lower())))

        found[scheme] = [
            Credential(credential_name(scheme), kind, name, parameter, placeholder_secret(name))
            for name in sorted(names, key=likeness)
        ]
    return found


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
