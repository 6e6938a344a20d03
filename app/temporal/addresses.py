"""Addresses of Temporal namespaces, and connections to them with errors that say what is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from ...core.errors import EnvironmentFault, SettingsError

_ADDRESS = re.compile(
    r"temporal://(?P<host>\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+):(?P<port>\d{1,5})/(?P<namespace>[^\s/?#]+)"
)

REFUSALS = frozenset(
    {
        RPCStatusCode.INVALID_ARGUMENT,
        RPCStatusCode.NOT_FOUND,
        RPCStatusCode.ALREADY_EXISTS,
        RPCStatusCode.PERMISSION_DENIED,
        RPCStatusCode.UNAUTHENTICATED,
        RPCStatusCode.FAILED_PRECONDITION,
        RPCStatusCode.UNIMPLEMENTED,
    }
)
"""What a server answers; with every other status it may be on its way down or up, or the connection broke."""


@dataclass(frozen=True, slots=True)
class TemporalAddress:
    """Where a Temporal server is, and the namespace there."""

    target: str
    namespace: str

    def __str__(self) -> str:
        return f"temporal://{self.target}/{self.namespace}"


def parse_address(text: str) -> TemporalAddress:
    """Read `temporal://HOST:PORT/NAMESPACE`. Raises SettingsError."""
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found["port"]) < 65536:
        raise SettingsError(
            f"{text!r} is no temporal://HOST:PORT/NAMESPACE.", advice="Say it like temporal://127.0.0.1:7233/default."
        )
    return TemporalAddress(f"{found['host']}:{found['port']}", found["namespace"])


async def connect(address: TemporalAddress, *, identity: str | None = None) -> Client:
    """Connect to a server, and see that it has the namespace.

    Raises:
        EnvironmentFault: it cannot be reached, or has no such namespace.
    """
    try:
        client = await Client.connect(address.target, namespace=address.namespace, identity=identity)
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=address.namespace))
    except RPCError as error:
        raise fault_of_rpc(error, address) from error
    except RuntimeError as error:  # the SDK's own for a connection that was refused
        raise _away(address, str(error)) from error
    return client


def fault_of_rpc(error: RPCError, address: TemporalAddress) -> EnvironmentFault:
    """The typed form of an error of the server, or of the way to it."""
    if error.status is RPCStatusCode.NOT_FOUND and "namespace" in error.message.lower():
        return EnvironmentFault(
            f"Temporal at {address.target} has no namespace {address.namespace}.",
            advice=f"Create it: temporal operator namespace create -n {address.namespace}, or name another.",
        )
    if error.status not in REFUSALS:
        return _away(address, error.message)
    return EnvironmentFault(
        f"Temporal at {address.target} refused: {error.message}.",
        advice=f"Look at the namespace {address.namespace} and at what this user may do there.",
    )


def _away(address: TemporalAddress, why: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"Temporal at {address.target} cannot be reached: {why[:200]}.",
        advice="Start it, or check host and port. A run that has begun goes on when the server is back.",
    )
