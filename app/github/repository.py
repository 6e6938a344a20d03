"""Opens GitHub, and the repository there that the repository agents read in place of a checkout."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ...config.settings import Settings
from ...config.variables import filled_in

if TYPE_CHECKING:
    from ...analysis.github_repository import GitHubRepository
    from ...vcs.github.api import Cache, GitHubAccess, GitHubApi

Warn = Callable[[str], None]
Sleep = Callable[[float], Awaitable[None]]
_FOLDER = "github"


@asynccontextmanager
async def opened_repository(
    settings: Settings, environment: Mapping[str, str], warn: Warn | None = None
) -> AsyncIterator[GitHubRepository | None]:
    """The repository of the settings; None where there is none, and the checkout is read.

    Args:
        warn: told when rate limits cannot be shared with other processes.

    Raises:
        UsageError: its name has another form than owner/name@ref.
        SettingsError: the address is no https address, or the library is missing.
    """
    if settings.repository is None:
        yield None
        return
    # Imported here: hardly any run needs them.
    from ...analysis.github_repository import GitHubRepository
    from ...store.cache.conditional_answers import ConditionalAnswers
    from ...vcs.github.api import GitHubAccess
    from ...vcs.github.names import repository_name

    name = repository_name(settings.repository)
    cache = ConditionalAnswers(settings.cache_dir / _FOLDER) if settings.cache else {}
    access = GitHubAccess.of(environment)
    async with connected_github(access, settings, environment, cache=cache, warn=warn) as api:
        yield GitHubRepository(api, name)


@asynccontextmanager
async def connected_github(
    access: GitHubAccess,
    settings: Settings,
    environment: Mapping[str, str],
    *,
    cache: Cache | None = None,
    warn: Warn | None = None,
    sleep: Sleep = asyncio.sleep,
) -> AsyncIterator[GitHubApi]:
    """Open a connection that waits where another process that shares `cache_url` was told to.

    Args:
        cache: as of `open_github`.
        warn: told when rate limits cannot be shared with other processes.
        sleep: waits; replaced in tests only.

    Raises:
        SettingsError: a variable of the cache's URL is missing, or a library.
    """
    from ...vcs.github.api import open_github

    if settings.cache_url is None:
        async with open_github(access, cache=cache, sleep=sleep) as api:
            yield api
        return
    from ...store.cache.cooldown import Cooldown
    from ...store.cache.valkey_responses import reached_server
    from ...vcs.github.limits import LONGEST_KEPT, LONGEST_WAIT

    told = warn or (lambda message: None)
    url = filled_in(settings.cache_url, environment, "The URL of the cache")
    without = "GitHub's rate limits are not shared with other processes"
    server = await asyncio.to_thread(reached_server, url, without, told)
    # GitHub's limits are those of who asks.
    pacing = Cooldown(
        f"{access.url} {access.token}",
        server,
        longest=LONGEST_WAIT,
        longest_kept=LONGEST_KEPT,
        warn=told,
        sleep=sleep,
    )
    try:
        async with open_github(access, cache=cache, pacing=pacing, sleep=sleep) as api:
            yield api
    finally:
        if server is not None:
            server.close()
