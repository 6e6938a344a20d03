"""Opens the tools of a run: built-in tools, external tool servers, and the cache of tool answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..config.models import PROVIDER
from ..config.settings import Settings
from ..config.variables import filled_in
from ..mcp.tool_client.external.server import ExternalServer, external_servers
from ..mcp.tool_client.tool_client import ToolClient
from ..mcp.toolbox.content_cache import ContentCache
from ..mcp.toolbox.services import ToolServices
from ..mcp.toolbox.toolbox import build_toolbox
from ..sandbox.target import PythonTarget
from ..store.cache.responses import Responses, ResponsesLost
from ..store.cache.sqlite_responses import SqliteResponses
from ..store.cache.valkey_responses import ValkeyResponses
from ..store.files.run_folder import RunFolder
from .github.repository import opened_repository

if TYPE_CHECKING:
    from ..agents.model.embeddings_meter import EmbeddingsMeter
    from ..analysis.code_search.vectors import PassageVectors

CACHE_FILE = "responses.sqlite"
VECTORS_FILE = "vectors.sqlite"
Warn = Callable[[str], None]


def context_tools(settings: Settings) -> tuple[str, ...]:
    """Tools whose answers about a target its models are told; a build only where somebody says how it is done."""
    if not settings.models.read_context:
        return ()
    served = {mapping.tool for server in settings.mcp_servers for mapping in server.tools or ()}
    told = settings.build_command is not None or "run_build" in served
    return ("check_syntax", "lint_code", *(("run_build",) if told else ()))


@asynccontextmanager
async def open_tools(
    settings: Settings,
    folder: RunFolder,
    target: Callable[[], Awaitable[PythonTarget]],
    environment: Mapping[str, str],
    *,
    warn: Warn | None = None,
    others: bool = True,
    embeddings: EmbeddingsMeter | None = None,
) -> AsyncIterator[ToolClient]:
    """Open one client for all tools of a run.

    Args:
        target: prepares the target's environment when a tool needs it.
        environment: where the variables of the settings come from.
        warn: called with warnings for the report: servers that were given up, a cache that was lost.
        others: whether external servers are started.
        embeddings: counts what an embeddings model is sent for a run's models; None for tools that others call.

    Raises:
        SettingsError: a variable is missing, or the cache needs a library that is not installed.
        EnvironmentFault: a server does not start.
    """
    servers = servers_of(settings, environment) if others else ()
    # Within a run only models read what a search finds: without one, nothing is sent to an embeddings model.
    is_unread = embeddings is not None and not settings.models.read_context
    async with (
        kept_answers(settings, environment, warn) as cache,
        opened_repository(settings, environment, warn) as repository,
    ):
        services = ToolServices(
            root=settings.root,
            run_folder=folder,
            python_target=target,
            cache_dir=settings.cache_dir,
            repeats=settings.repeats,
            mutants=settings.mutants,
            model_writes=settings.models.of("writer") is not None,
            build_command=settings.build_command,
            cache=cache,
            repository=repository,
            vectors=None if is_unread else vectors_of(settings, environment, warn, embeddings),
        )
        async with ToolClient(build_toolbox(services), servers=servers, root=settings.root, warn=warn) as tools:
            yield tools


def vectors_of(
    settings: Settings,
    environment: Mapping[str, str],
    warn: Warn | None = None,
    meter: EmbeddingsMeter | None = None,
) -> PassageVectors | None:
    """Meanings of passages from the embeddings model of the settings; None where there is none.

    Args:
        meter: counts what is sent; None counts nothing.

    Raises:
        SettingsError: OpenAI is to be asked and there is no key.
    """
    if settings.embeddings is None:
        return None
    # Imported here: the client library takes a second to load, and most runs use no embeddings.
    from ..agents.model.embeddings import CountedEmbeddings, open_embeddings
    from ..agents.model.endpoint import base_url_of, key_for
    from ..analysis.code_search.vectors import PassageVectors

    model, base_url = settings.embeddings.removeprefix(PROVIDER), base_url_of(settings.base_url, environment)
    embeddings = open_embeddings(model, base_url, key_for(base_url, environment))
    if meter is not None:
        embeddings = CountedEmbeddings(embeddings, model, meter)
    return PassageVectors(embeddings, f"{model} at {base_url}", settings.cache_dir / VECTORS_FILE, warn)


@asynccontextmanager
async def kept_answers(
    settings: Settings, environment: Mapping[str, str], warn: Warn | None = None
) -> AsyncIterator[ContentCache]:
    """The cache of tool answers, as the settings want it; in memory only where it cannot be opened, with a warning.

    Raises:
        SettingsError: a variable of its URL is missing, or its client library.
    """
    kept = None
    if settings.cache:
        try:
            kept = await asyncio.to_thread(_opened, settings, environment)
        except ResponsesLost as error:
            if warn is not None:
                warn(f"The cache of tool answers is not used: {error}.")
    cache = ContentCache(store=kept, on_loss=warn)
    try:
        yield cache
    finally:
        await asyncio.to_thread(cache.close)


def cache_kind(settings: Settings) -> str:
    """Where answers of tools are kept: memory, sqlite or valkey."""
    if not settings.cache:
        return "memory"
    return "sqlite" if settings.cache_url is None else "valkey"


def servers_of(settings: Settings, environment: Mapping[str, str]) -> tuple[ExternalServer, ...]:
    """The servers of others, not yet started. Raises SettingsError, as `open_tools`."""
    return external_servers(settings.mcp_servers, environment, root=settings.root)


def _opened(settings: Settings, environment: Mapping[str, str]) -> Responses:
    if settings.cache_url is None:
        return SqliteResponses(settings.cache_dir / CACHE_FILE, settings.cache_mib * 1024 * 1024)
    return ValkeyResponses(filled_in(settings.cache_url, environment, "The URL of the cache"))
