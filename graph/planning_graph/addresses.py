"""Reads addresses in a step's params the safe way: what cannot be read for sure is not this machine."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

_KEYS = frozenset(
    {
        "host",
        "hostname",
        "hosts",
        "baseurl",
        "url",
        "urls",
        "uri",
        "server",
        "servers",
        "origin",
        "address",
        "endpointurl",
    }
)
"""Names of params that hold an address, in lower case and without `_` and `-`."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/+")
_SURE = re.compile(r"[\w.%~!$&'()*+,;=:\[\]-]*(?:@[\w.:%\[\]-]*)?", re.ASCII)
"""An authority that all clients read alike: one `@` at most, no backslash, no space, no sign that is no ASCII."""


def other_hosts(params: Mapping[str, Any]) -> list[str]:
    """Hosts beyond this machine that params name, at any depth, each once: by their key, or as a URL.

    Where an address cannot be read for sure, the whole of it stands for its host.
    """
    hosts = (host_of(address) for address in _addresses(params, ""))
    return list(dict.fromkeys(host for host in hosts if not is_this_machine(host)))


def host_of(address: str) -> str:
    """The host of an address: a URL, or a host with or without user and port; lower case, IPv6 without brackets."""
    text = address.strip()
    scheme = _SCHEME.match(text)
    rest = text[scheme.end() :] if scheme else text
    authority = re.split(r"[/?#]", rest.lstrip("/"), maxsplit=1)[0]
    if not authority or _SURE.fullmatch(authority) is None:
        return text
    place = authority.rpartition("@")[2]
    if place.startswith("["):
        host = place[1:].partition("]")[0]
    else:
        host = place if place.count(":") > 1 else place.partition(":")[0]
    return host.lower().rstrip(".") or text


def is_this_machine(host: str) -> bool:
    """Whether a host is certainly this machine: `localhost`, or an address of its loopback interface.

    Other names, such as `shop.localhost`, are a matter of whoever resolves them.
    """
    if host == "localhost":
        return True
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def _addresses(value: Any, key: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _addresses(part, str(name))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _addresses(part, key)
    elif re.sub(r"[_-]", "", key).lower() in _KEYS:
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            yield str(value)
    elif isinstance(value, str) and "://" in value and _SCHEME.match(value.strip()):
        yield value
