"""Makes the parts of the world outside that callables take: HTTP clients and sessions."""

from __future__ import annotations

from ..model.model import Candidate, ModuleFacts

BASE = "https://example.org"
"""Base URL of the clients that callables are given."""

_PARTS: dict[tuple[str, str], tuple[str, ...]] = {
    ("httpx", "Client"): (f"httpx.Client(base_url='{BASE}')",),
    ("httpx", "AsyncClient"): (f"httpx.AsyncClient(base_url='{BASE}')",),
    ("requests", "Session"): ("requests.Session()",),
}
# What a parameter of such a name takes, where nothing is annotated.
_NAMES = {"client": "Client", "http": "Client", "http_client": "Client", "session": "Session"}


def part_values(type_name: str, where: ModuleFacts) -> list[Candidate]:
    """Returns values of a client's type, as named in a module; empty where the module imports no such client."""
    imported = {statement.split()[1].partition(".")[0] for _, statement in where.imports}
    last = type_name.rpartition(".")[2]
    for (package, name), sources in _PARTS.items():
        if name == last and package in imported:
            return [Candidate(source, (f"import {package}",)) for source in sources]
    return []


def part_named(parameter: str, where: ModuleFacts) -> list[Candidate]:
    """Returns values for a parameter by its name alone."""
    return part_values(_NAMES.get(parameter.strip("_"), ""), where)
