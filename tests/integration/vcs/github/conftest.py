"""A GitHub on loopback, and a connection to it that does not wait."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from testwright.tests.support.github.local_github import WRITER, LocalGitHub, local_github
from testwright.vcs.github.api import GitHubAccess, GitHubApi, open_github

Connect = Callable[..., AbstractAsyncContextManager[GitHubApi]]


@pytest.fixture
def github():
    """An empty GitHub."""
    with local_github() as served:
        yield served


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the connection has asked to wait."""
    return []


@pytest.fixture
def connect(github: LocalGitHub, waits: list[float]) -> Connect:
    """Open a connection; waits are noted, and the server's hour ends with the first of them."""

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        github.remaining = 5000

    @asynccontextmanager
    async def opened(token: str = WRITER, cache=None) -> AsyncIterator[GitHubApi]:
        async with open_github(GitHubAccess(github.url, token), cache=cache, sleep=sleep) as api:
            yield api

    return opened
