"""Fetches a document over HTTP, bounded in time and size and without the user's proxies, cookies or credentials."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import zlib
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

import httpx2

from ...core.errors import ToolFailure
from .documents import MAX_BYTES

_METADATA = frozenset(
    ipaddress.ip_address(item)
    for item in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def block_reason(address: str) -> str:
    """Explains why an IP address is never contacted; empty when it may be.

    Link-local addresses and those where clouds serve the credentials of a machine, however they are spelled, and what
    names no single host.
    """
    try:
        ip = _plain(ipaddress.ip_address(address.partition("%")[0]))
    except ValueError:
        return "it is no IP address"
    if ip in _METADATA:
        return "it is where a cloud serves the secrets of a machine"
    if ip.is_link_local:
        return "it is a link-local address"
    if ip.is_multicast or ip.is_unspecified or ip == ipaddress.ip_address("255.255.255.255"):
        return "it names no single host"
    return ""


def _plain(ip: Address) -> Address:
    """The IPv4 address embedded in an IPv6 one, else the address itself."""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        return ip.ipv4_mapped or ip.sixtofour or ip
    return ip


_SECONDS = 30.0
_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PATIENCE = httpx2.Timeout(None, connect=5.0)  # the deadline of the whole page bounds the rest
_PORTS = {"http": 80, "https": 443}
_HEADERS = {
    "Accept": "application/json, application/yaml, application/vnd.oai.openapi;q=0.9, */*;q=0.5",
    "Accept-Encoding": "identity",
    "User-Agent": "testwright",
}


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The response of an address.

    Attributes:
        url: where it came from in the end.
        media_type: in lower case, without parameters; empty when it is not said.
    """

    url: str
    status: int
    media_type: str
    content: bytes


class HostFailure(ToolFailure):
    """The host itself failed: another path there would fail, too."""


class HostUnreachable(HostFailure):
    """The host does not respond."""


class HostRefused(HostFailure):
    """The host is never contacted."""


class HttpFetcher:
    """Fetches pages over HTTP. No proxy, cookie, credential or certificate of the user's environment is used.

    Args:
        seconds: for one page with all its redirects.
        max_bytes: of one page, unpacked.
        tls: whose certificates are trusted; those of the usual authorities by default.
    """

    def __init__(
        self, *, seconds: float = _SECONDS, max_bytes: int = MAX_BYTES, tls: ssl.SSLContext | None = None
    ) -> None:
        self._verify: ssl.SSLContext | bool = tls or True
        self._seconds = seconds
        self._max_bytes = max_bytes

    async def get(self, url: str) -> FetchedPage:
        """Fetches the page at an address, following redirects within its host.

        Raises:
            ToolFailure: the address is not allowed, or answers too much or with too many redirects.
            HostFailure: nobody answers there in time, or the host is never asked.
        """
        first = checked_url(url)
        try:
            async with asyncio.timeout(self._seconds):
                return await self._follow(first)
        except TimeoutError as error:
            raise HostUnreachable(
                f"{display_url(url)} did not answer within {self._seconds:g} s",
                advice="check that the server is running",
            ) from error

    async def _follow(self, first: SplitResult) -> FetchedPage:
        parts = first
        for _ in range(_MOST_REDIRECTS + 1):
            status, headers, content = await self._ask(parts)
            url = urlunsplit(parts)
            target = headers.get("location")
            if status not in _REDIRECTS or not target:
                media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
                return FetchedPage(url, status, media_type, content)
            following = checked_url(urljoin(url, target))
            if not _same_host(parts, following):
                raise ToolFailure(
                    f"{display_url(url)} redirects to another host, {following.hostname}: that was not followed",
                    advice=f"If it is meant, ask for {display_url(urlunsplit(following))}.",
                )
            parts = following
        raise ToolFailure(f"{display_url(urlunsplit(first))} redirects more than {_MOST_REDIRECTS} times")

    async def _ask(self, parts: SplitResult) -> tuple[int, httpx2.Headers, bytes]:
        """Sends one request to an address already resolved and checked; the name is not resolved a second time."""
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        problem: Exception | None = None
        for address in await _addresses(host, port):
            numeric = f"[{address}]" if ":" in address else address
            target = urlunsplit(parts._replace(netloc=f"{numeric}:{port}", fragment=""))
            headers = {**_HEADERS, "Host": parts.netloc}
            verify = self._verify if parts.scheme == "https" else False  # reading all certificates takes its time
            try:
                async with (
                    httpx2.AsyncClient(trust_env=False, timeout=_PATIENCE, verify=verify) as client,
                    client.stream("GET", target, headers=headers, extensions={"sni_hostname": host}) as response,
                ):
                    return response.status_code, response.headers, await self._content(response, urlunsplit(parts))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                problem = error
                if "[SSL" in str(error):
                    raise HostFailure(
                        f"no safe connection to {parts.netloc}: {error}",
                        advice="check its certificate; for an app on this machine give http://127.0.0.1:PORT",
                    ) from error
            except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
                raise ToolFailure(
                    f"{display_url(urlunsplit(parts))} does not answer in HTTP: {error or type(error).__name__}",
                    advice="check the address and whether it is http or https",
                ) from error
        raise HostUnreachable(
            f"nobody answers at {parts.scheme}://{parts.netloc}: {problem}",
            advice="start the server, or check the address",
        ) from problem

    async def _content(self, response: httpx2.Response, url: str) -> bytes:
        content = bytearray()
        async for piece in response.aiter_raw():
            content += piece
            if len(content) > self._max_bytes:
                raise self._too_large(url)
        return self._unpacked(bytes(content), response.headers.get("content-encoding", ""), url)

    def _unpacked(self, content: bytes, encoding: str, url: str) -> bytes:
        """Decompresses content that the server compressed although it was not requested."""
        kind = encoding.strip().lower()
        if kind in ("", "identity"):
            return content
        if kind not in ("gzip", "x-gzip", "deflate"):
            raise ToolFailure(f"{display_url(url)} answers packed with {kind!r}, which was not asked for")
        unpacking = zlib.decompressobj(wbits=47)
        try:
            plain = unpacking.decompress(content, self._max_bytes + 1)
        except zlib.error as error:
            raise ToolFailure(f"the answer of {display_url(url)} does not unpack: {error}") from error
        if len(plain) > self._max_bytes:
            raise self._too_large(url)
        return plain

    def _too_large(self, url: str) -> ToolFailure:
        return ToolFailure(
            f"the answer of {display_url(url)} is larger than {self._max_bytes // 1024**2} MiB",
            advice="give the address of the OpenAPI document itself",
        )


def checked_url(url: str) -> SplitResult:
    """Parses and validates an address.

    Raises:
        ToolFailure: it is not http or https, has no host, or carries credentials.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise ToolFailure(
            f"{url[:200]!r} is not an address: {error}", advice="give a URL with http or https"
        ) from error
    if parts.scheme not in _PORTS:
        raise ToolFailure(f"addresses with {parts.scheme}: are not read", advice="give a URL with http or https")
    if parts.username is not None or parts.password is not None:
        raise ToolFailure(
            "the address carries a user name or password", advice="credentials are never sent: leave them out"
        )
    if not parts.hostname or port == 0:
        raise ToolFailure(f"the address {url[:200]!r} has no host or port", advice="give a whole URL")
    return parts._replace(path=parts.path or "/", fragment="")


def display_url(url: str) -> str:
    """An address for messages, without its query, which may hold keys. A path is returned unchanged."""
    if "://" not in url:
        return url
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="", fragment="", netloc=parts.netloc.rpartition("@")[2]))


def same_origin(left: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port."""
    return _origin(urlsplit(left)) == _origin(urlsplit(other))


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _same_host(left: SplitResult, other: SplitResult) -> bool:
    """Whether the origins are equal, or http on port 80 became https on port 443 of the same host."""
    if _origin(left) == _origin(other):
        return True
    upgraded = left.scheme == "http" and other.scheme == "https" and left.hostname == other.hostname
    return upgraded and _origin(left)[2] == 80 and _origin(other)[2] == 443


async def _addresses(host: str, port: int) -> list[str]:
    """Resolves and checks the IP addresses of a host.

    Raises:
        Refused: one of them is never asked.
        Unreachable: it has none.
    """
    try:
        found = [str(ipaddress.ip_address(host))]
    except ValueError:
        loop = asyncio.get_running_loop()
        try:
            answers = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise HostUnreachable(f"the host {host!r} is not known: {error}", advice="check the address") from error
        found = list(dict.fromkeys(str(answer[4][0]) for answer in answers))
    for address in found:
        reason = block_reason(address)
        if reason:
            raise HostRefused(
                f"{host} is not asked: {reason}" + (f" ({address})" if address != host else ""),
                advice="For an app on this machine give http://127.0.0.1:PORT.",
            )
    return found
