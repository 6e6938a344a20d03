"""Sends requests to GitHub's REST API, with its limits respected and its errors typed.

Requests, answers and pages are gidgethub's. Here is what is decided about them: which token, how long to wait and how
often, and what a person is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...core.errors import (
    GitHubAccessDenied,
    GitHubConflict,
    GitHubFailure,
    GitHubNotFound,
    GitHubUnreachable,
    SettingsError,
)
from ...core.pacing import Pacing, Unpaced

if TYPE_CHECKING:
    import gidgethub

TOKEN_VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")
"""Environment variables that may hold the token, the first that is set; it is never given in another way."""
URL_VARIABLE = "GITHUB_API_URL"
"""Environment variable with the API's address, as a workflow has it; a project's file cannot set it."""
DEFAULT_URL = "https://api.github.com"

_TIMEOUT_SECONDS = 30.0

Cache = MutableMapping[str, tuple[str | None, str | None, Any, str | None]]
"""Answers by URL: ETag, date of the last change, data, next page. A known answer is asked for conditionally."""
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class GitHubAccess:
    """Where GitHub is, and who asks.

    Attributes:
        url: the API's address, without a slash at its end.
        token: never shown or stored; "" asks without one.
    """

    url: str = DEFAULT_URL
    token: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> GitHubAccess:
        """Read address and token from the environment.

        Raises:
            SettingsError: the address is no https address (http is taken for this machine alone), or has user info.
        """
        url = environment.get(URL_VARIABLE, "").strip().rstrip("/") or DEFAULT_URL
        # Neither message shows the address: what stands before an @ may be a password.
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = None
        if parts is None or "@" in parts.netloc:
            raise SettingsError(
                f"{URL_VARIABLE} is no address, or has a user name or password in it.",
                advice=f"Give the address alone, such as {DEFAULT_URL}; a token comes by {TOKEN_VARIABLES[0]}.",
            )
        if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(parts.hostname or "")):
            raise SettingsError(
                f"{URL_VARIABLE} is no https address: a token would be sent in the open.",
                advice=f"Leave it out for {DEFAULT_URL}, or give the https address of your own server's API.",
            )
        token = next((value for name in TOKEN_VARIABLES if (value := environment.get(name, "").strip())), "")
        return cls(url, token)

    def __repr__(self) -> str:
        return f"GitHubAccess({self.url!r}, {'with' if self.token else 'without'} a token)"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class GitHubApi:
    """Requests to one API; paths are those of GitHub's documentation, with `{names}` filled in and quoted.

    Every method raises GitHubFailure: GitHubUnreachable, GitHubRateLimited, GitHubAccessDenied, GitHubNotFound or
    GitHubConflict. A request that failed on GitHub's side (5xx, a lost connection) is sent again, at most three times:
    callers make only requests that may be repeated.

    Args:
        client: gidgethub's, from `open_github`.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    async def get(self, path: str, **names: str) -> Any:
        """The data at a path."""
        return await self._typed("read", path, names, lambda: self._client.getitem(path, names))

    async def pages(self, path: str, *, most: int, **names: str) -> AsyncIterator[Any]:
        """The items of a list, page after page, at most `most`."""
        items = self._client.getiter(path, names)
        for _ in range(most):
            try:
                item = await self._typed("list", path, names, lambda: anext(items))
            except StopAsyncIteration:
                return
            yield item

    async def post(self, path: str, data: Mapping[str, Any], **names: str) -> Any:
        """Create something."""
        return await self._typed("create", path, names, lambda: self._client.post(path, names, data=dict(data)))

    async def patch(self, path: str, data: Mapping[str, Any], **names: str) -> Any:
        """Change something."""
        return await self._typed("change", path, names, lambda: self._client.patch(path, names, data=dict(data)))

    async def _typed(self, verb: str, path: str, names: Mapping[str, str], send: Callable[[], Awaitable[Any]]) -> Any:
        import gidgethub

        about = f"{verb} {path.partition('{?')[0].format_map(names)}"
        try:
            return await send()
        except gidgethub.HTTPException as error:
            raise _typed_error(error, about) from error
        except gidgethub.GitHubException as error:
            raise GitHubFailure(f"GitHub's answer cannot be used ({about}): {error}.") from error


@asynccontextmanager
async def open_github(
    access: GitHubAccess,
    *,
    cache: Cache | None = None,
    pacing: Pacing | None = None,
    sleep: Sleep = asyncio.sleep,
) -> AsyncIterator[GitHubApi]:
    """Open a connection.

    Args:
        cache: keeps answers with their ETags: what has not changed is not counted against the rate limit.
        pacing: when requests may be sent; None sends them at once, until this connection is told to wait.
        sleep: waits; replaced in tests only.

    Raises:
        SettingsError: the library is not installed.
    """
    try:
        from .client import GitHubClient
    except ImportError as error:
        raise SettingsError(
            "GitHub is asked with the package gidgethub, which is not installed.",
            advice="pip install 'testwright[github]'",
        ) from error
    import httpx2

    # An http address is this machine's own (`GitHubAccess.of`), and loading certificates takes half a second.
    is_https = access.url.startswith("https:")
    # A proxy would read what is sent in the open.
    async with httpx2.AsyncClient(timeout=_TIMEOUT_SECONDS, verify=is_https, trust_env=is_https) as http:
        yield GitHubApi(GitHubClient(http, access.url, access.token, cache, sleep, pacing or Unpaced()))


def _typed_error(error: gidgethub.HTTPException, about: str) -> GitHubFailure:
    """The error that a person reads, for an answer that is no success."""
    status, said = int(error.status_code), str(error).rstrip(".")
    message = f"GitHub answered {status} ({about}): {said}."
    details: dict[str, object] = {"status": status}
    if status >= 500:
        return GitHubUnreachable(message, advice="Try again later.", details=details)
    if status == 401:
        advice = f"The token in {' or '.join(TOKEN_VARIABLES)} is missing, wrong or expired."
        return GitHubAccessDenied(message, advice=advice, details=details)
    if status == 403:
        return GitHubAccessDenied(message, advice=_permission_advice(said), details=details)
    if status == 404:
        advice = f"See that the name is right, and that the token in {TOKEN_VARIABLES[0]} may see the repository."
        return GitHubNotFound(message, advice=advice, details=details)
    if status in (409, 422):
        return GitHubConflict(message, details=details)
    if status in (301, 302, 307, 308):
        advice = "The repository has moved: give its new name with --repo."
        return GitHubNotFound(message, advice=advice, details=details)
    return GitHubFailure(message, details=details)


def _permission_advice(said: str) -> str:
    if "not permitted to create" in said:
        return (
            "Allow it in the repository's settings: Actions, General, Workflow permissions, "
            '"Allow GitHub Actions to create and approve pull requests".'
        )
    return (
        "The token may read but not write here. In a workflow give the job `permissions: contents: write, "
        "pull-requests: write`; a pull request from a fork never has them. A token of your own needs the permissions "
        "Contents and Pull requests, to read and write."
    )
