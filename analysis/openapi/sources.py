"""Sources of documents: files of the project, or one host."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from ...core.errors import ToolFailure
from ...utils.confined_paths import inside
from .documents import MAX_BYTES
from .http_fetch import HttpFetcher, display_url, same_origin

HTML = ("text/html", "application/xhtml+xml")


class ProjectFiles:
    """Reads files below the project's root; links are followed as long as they stay inside.

    Args:
        root: the project.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    async def read(self, location: str) -> bytes:
        """Reads the bytes of a file. Raises ToolFailure."""
        return self.read_now(location)

    def read_now(self, location: str) -> bytes:
        """Reads the bytes of a file.

        Raises:
            ToolFailure: it leads out of the project, is missing, no plain file, unreadable, or larger than 10 MiB.
        """
        place = inside(self._root, location, links=True)
        try:
            if not place.is_file():
                raise ToolFailure(f"the project has no file {location!r}", advice="give a path relative to its root")
            with place.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise ToolFailure(f"{location!r} cannot be read: {error.strerror or error}") from error
        if len(content) > MAX_BYTES:
            raise ToolFailure(f"{location!r} is larger than {MAX_BYTES // 1024**2} MiB")
        return content

    def refused(self, location: str) -> str:
        """Why a referenced file is not read; empty when it is."""
        if urlsplit(location).scheme in ("http", "https"):
            return "addresses are not fetched for a document that is a file: keep a copy in the project"
        if urlsplit(location).scheme:
            return "only files of the project are read"
        if PurePosixPath(location).is_absolute() or location.startswith(".."):
            return "it leads out of the project"
        return ""


class OneHost:
    """Reads documents of one origin: scheme, host and port.

    Args:
        base: an address there.
    """

    def __init__(self, web: HttpFetcher, base: str) -> None:
        self._web = web
        self._base = base

    async def read(self, location: str) -> bytes:
        """Reads the bytes of a page. Raises ToolFailure when it is missing."""
        page = await self._web.get(location)
        if page.status != 200:
            raise ToolFailure(f"{display_url(location)} answers with status {page.status}")
        if page.media_type in HTML:
            raise ToolFailure(f"{display_url(location)} is a web page")
        return page.content

    def refused(self, location: str) -> str:
        """Why a referenced page is not read; empty when it is."""
        return "" if same_origin(location, self._base) else "it is on another host than the document"
