"""Opens the repository on GitHub that the repository agents read in place of a checkout."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ...config.settings import Settings

if TYPE_CHECKING:
    from ...analysis.github_repository import GitHubRepository

_FOLDER = "github"


@asynccontextmanager
async def opened_repository(
    settings: Settings, environment: Mapping[str, str]
) -> AsyncIterator[GitHubRepository | None]:
    """The repository of the settings; None where there is none, and the checkout is read.

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
    from ...vcs.github.api import GitHubAccess, open_github
    from ...vcs.github.names import repository_name

    name = repository_name(settings.repository)
    cache = ConditionalAnswers(settings.cache_dir / _FOLDER) if settings.cache else {}
    async with open_github(GitHubAccess.of(environment), cache=cache) as api:
        yield GitHubRepository(api, name)
