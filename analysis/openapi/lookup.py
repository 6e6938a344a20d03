"""Finds the document that an endpoint means: a file, an address, a running app, or the project's own."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from ...core.errors import ToolFailure
from ...utils.confined_paths import inside
from ...utils.untrusted_files import read_source_bytes
from ..repository import Checkout
from .documents import MAX_BYTES, Document, Source, read_document
from .http_fetch import FetchedPage, HostFailure, HttpFetcher, checked_url, display_url, same_origin
from .problems import Problem, UnreadableDocument, mapping
from .summary import named_operation

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
        inside(self._root, location, links=True)
        try:
            return read_source_bytes(self._root, location, most=MAX_BYTES)
        except FileNotFoundError as error:
            raise ToolFailure(
                f"the project has no file {location!r}", advice="give a path relative to its root"
            ) from error
        except OSError as error:
            raise ToolFailure(f"{location!r} cannot be read: {error.strerror or error}") from error

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


APP_PATHS = (
    "/openapi.json",
    "/openapi.yaml",
    "/swagger.json",
    "/apispec.json",
    "/v3/api-docs",
    "/openapi.yml",
    "/swagger.yaml",
    "/swagger/v1/swagger.json",
    "/api/openapi.json",
    "/api/schema/",
    "/api-docs",
    "/v2/api-docs",
    "/openapi",
    "/api-docs.json",
    "/docs/openapi.json",
    "/openapi/v1.json",
    "/api/v1/openapi.json",
    "/api/swagger.json",
    "/q/openapi",
    "/__api__",
)
"""Where frameworks serve the document of a running app, the most usual first."""

Kind = Literal["file", "url", "app"]
_HOST = re.compile(r"(?:localhost|\[[0-9a-fA-F:]+\]|[\w-]+(?:\.[\w-]+)*):\d{1,5}(?:/\S*)?")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_FILE_NAME = re.compile(r"(?:^|[._-])(?:openapi|swagger|api[-_]?docs?|api[-_]?spec)(?:[._-].*)?\.(?:json|ya?ml)$", re.I)
_MOST_OWN = 20


@dataclass(frozen=True, slots=True)
class LocatedDocument:
    """The document that an endpoint means.

    Attributes:
        document: None when it does not parse; then `problem` says why.
        operation: the method (empty for any) and path that the caller named instead of a document.
        notes: what the caller should know of the choice.
    """

    kind: Kind
    location: str
    source: Source
    document: Document | None
    problem: Problem | None = None
    operation: tuple[str, str] | None = None
    notes: tuple[str, ...] = ()


async def locate_document(root: Path, endpoint: str, web: HttpFetcher) -> LocatedDocument:
    """Finds the document that an endpoint means.

    Args:
        endpoint: path of a file in the project; URL of a document; base URL (or `host:port`) of a running app; or an
            operation such as `GET /orders/{id}`, or `.`, for the document that the project itself has.

    Raises:
        ToolFailure: there is none, or it may not be read.
    """
    text = endpoint.strip()
    if is_address(text):
        return await _locate_on_web(text if "://" in text else f"http://{text}", web)
    return await asyncio.to_thread(locate_in_project, root, text)


def is_address(endpoint: str) -> bool:
    """Whether an endpoint is a URL or `host:port`, not a file or operation."""
    text = endpoint.strip()
    return bool(_URL.match(text) or _HOST.fullmatch(text))


def locate_in_project(root: Path, endpoint: str) -> LocatedDocument:
    """Finds the document of an endpoint that is not an address. Blocks. Raises ToolFailure."""
    text = endpoint.strip()
    files = ProjectFiles(root)
    path = _project_file(root, text)
    if path is not None:
        return _read_file(files, path)
    operation = named_operation(text)
    if text not in (".", "") and operation is None:
        own = project_documents(root)
        have = f"; the project has {', '.join(own)}" if own else ""
        raise ToolFailure(
            f"there is no file {text!r} in the project",
            advice=f"Give a file of the project, a URL, or the address of a running app{have}.",
            details={"documents": own},
        )
    own = project_documents(root)
    if not own:
        raise ToolFailure(
            "the project has no OpenAPI document",
            advice="Give the file, a URL, or the address of the running app, such as http://127.0.0.1:8000.",
        )
    notes = (f"the project has more OpenAPI documents: {', '.join(own[1:])}",) if own[1:] else ()
    return _read_file(files, own[0], operation=operation, notes=notes)


def _project_file(root: Path, text: str) -> str | None:
    """The path, relative to the root, of an existing file; None when there is no such file."""
    pure = PurePosixPath(text)
    try:
        if pure.is_absolute():
            place = Path(text).resolve()
            inside = place.is_relative_to(root.resolve()) and place.is_file()
            return place.relative_to(root.resolve()).as_posix() if inside else None
        is_file = ".." in pure.parts or (root / pure).is_file()
    except (OSError, ValueError, RuntimeError):
        return None
    return text if is_file else None


def _read_file(
    files: ProjectFiles, path: str, *, operation: tuple[str, str] | None = None, notes: tuple[str, ...] = ()
) -> LocatedDocument:
    path = path.removeprefix("./")
    content = files.read_now(path)
    try:
        document = read_document(path, content)
    except UnreadableDocument as error:
        return LocatedDocument("file", path, files, None, error.problem, operation, notes)
    return LocatedDocument("file", path, files, document, None, operation, notes)


def project_documents(root: Path) -> list[str]:
    """The project's OpenAPI documents by name and content, those in outer folders first; at most 20."""
    found: list[str] = []
    for path, facts in Checkout(root).stamps():
        if _FILE_NAME.search(path.rpartition("/")[2]) and facts.st_size and len(found) < _MOST_OWN:
            try:
                head = read_source_bytes(root, path, most=MAX_BYTES)[:20_000]
            except OSError:
                continue
            if re.search(rb"""(?:^|[\s{,"'])(?:openapi|swagger)["']?\s*:""", head):
                found.append(path)
    return sorted(found, key=lambda entry: (entry.count("/"), len(entry), entry))


async def _locate_on_web(url: str, web: HttpFetcher) -> LocatedDocument:
    parts = checked_url(url)
    # Try the address itself, then the usual document paths below it, then those below the host's root.
    bases = [parts.path.rstrip("/")]
    tried: list[str] = []
    if bases != [""]:
        page = await web.get(url)
        found = _document_of_page(page, "url", web)
        if found is not None:
            return found
        if page.status == 200 and page.media_type not in HTML and _is_document_path(parts.path):
            # A page that should be a document but does not parse as one, with the problem to report.
            host = OneHost(web, page.url)
            try:
                return LocatedDocument("url", page.url, host, read_document(page.url, page.content))
            except UnreadableDocument as error:
                return LocatedDocument("url", page.url, host, None, error.problem)
        tried.append(f"{display_url(url)} ({_describe_page(page)})")
        bases.append("")
    for base in dict.fromkeys(bases):
        for path in APP_PATHS:
            address = urlunsplit(parts._replace(path=base + path, query=""))
            try:
                page = await web.get(address)
            except HostFailure:
                raise
            except ToolFailure as error:
                tried.append(f"{display_url(address)} ({error.message})")
                continue
            found = _document_of_page(page, "app", web)
            if found is not None:
                return found
            tried.append(f"{display_url(address)} ({_describe_page(page)})")
    raise ToolFailure(
        f"no OpenAPI document was found at {display_url(url)}",
        advice="Give the URL of the document itself. Tried: " + "; ".join(tried[:6]) + ("; …" if tried[6:] else ""),
        details={"tried": tried},
    )


def _document_of_page(page: FetchedPage, kind: Kind, web: HttpFetcher) -> LocatedDocument | None:
    """The document of a page; None when it holds none."""
    if page.status != 200 or page.media_type in HTML or page.content.lstrip()[:1] == b"<":
        return None
    try:
        document = read_document(page.url, page.content)
    except UnreadableDocument:
        return None
    named = mapping(document.value)
    if "openapi" not in named and "swagger" not in named:
        return None
    return LocatedDocument(kind, page.url, OneHost(web, page.url), document)


def _is_document_path(path: str) -> bool:
    return path.lower().endswith((".json", ".yaml", ".yml"))


def _describe_page(page: FetchedPage) -> str:
    if page.status != 200:
        return f"status {page.status}"
    return "a web page" if page.media_type in HTML else "no OpenAPI document"
