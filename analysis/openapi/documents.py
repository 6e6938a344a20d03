"""Loads a document and those it refers to."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from ...core.errors import ToolFailure
from .problems import Problem, UnreadableDocument
from .tree import DocumentTree, read_tree

MAX_DOCUMENTS = 100
MAX_BYTES = 10 * 1024 * 1024
"""Bytes that one document may have, and two thirds of what all of them may have together."""


class Source(Protocol):
    """Provides documents."""

    async def read(self, location: str) -> bytes:
        """Reads the bytes of a document.

        Raises:
            ToolFailure: it is not there, not allowed, or too large.
        """
        ...

    def refused(self, location: str) -> str:
        """Why a referenced document is not read; empty when it is."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed document.

    Attributes:
        location: POSIX path relative to the project, or the URL it came from.
        digest: sha256, in hex, of its bytes.
    """

    location: str
    source: str
    tree: DocumentTree
    digest: str

    @property
    def value(self) -> Any:
        """The document's values."""
        return self.tree.value


@dataclass(slots=True)
class Library:
    """The documents that were read, by location, and why others were not."""

    root: Document
    documents: dict[str, Document] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.documents[self.root.location] = self.root

    def digests(self) -> list[dict[str, str]]:
        """Location and digest of every document, the root first."""
        return [{"location": value.location, "digest": value.digest} for value in self.documents.values()]


def read_document(location: str, content: bytes) -> Document:
    """Parses a document from its bytes.

    Raises:
        UnreadableDocument: they are no text, or the text is no JSON or YAML.
    """
    digest = hashlib.sha256(content).hexdigest()
    try:
        source = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UnreadableDocument(Problem("the document is not UTF-8 text", rule="syntax", line=line)) from error
    path = urlsplit(location).path.lower()
    return Document(location, source, read_tree(source, json_only=path.endswith(".json")), digest)


async def gather(root: Document, source: Source) -> Library:
    """Loads the root and every document it refers to, directly or through others; at most a hundred.

    A document that cannot be read is no error here: `failures` says why, and the reference to it is told as broken.
    """
    library = Library(root)
    pending = [root]
    weight = len(root.source)
    while pending:
        document = pending.pop(0)
        for reference in references_in(document.value):
            location = locate(document.location, reference)[0]
            # Each document is read once, however often it is referred to.
            if location in library.documents or location in library.failures:
                continue
            refusal = source.refused(location)
            if not refusal and (len(library.documents) >= MAX_DOCUMENTS or weight > 1.5 * MAX_BYTES):
                refusal = "too many or too large documents are referred to; this one was left out"
            if refusal:
                library.failures[location] = refusal
                continue
            try:
                read = read_document(location, await source.read(location))
            except ToolFailure as error:
                library.failures[location] = error.message
            except UnreadableDocument as error:
                line = f" in line {error.problem.line}" if error.problem.line else ""
                library.failures[location] = (
                    f"{location.partition('?')[0]} does not parse: {error.problem.message}{line}"
                )
            else:
                weight += len(read.source)
                library.documents[location] = read
                pending.append(read)
    return library


def locate(base: str, reference: str) -> tuple[str, str]:
    """Splits a reference in the document at `base` into location and fragment."""
    address, fragment = urldefrag(reference)
    if not address:
        return base, unquote(fragment)
    if _is_url(base) or _is_url(address):
        return urljoin(base, address), unquote(fragment)
    joined = posixpath.join(posixpath.dirname(base), unquote(address))
    return posixpath.normpath(joined), unquote(fragment)


def _is_url(location: str) -> bool:
    return bool(urlsplit(location).scheme)


def references_in(value: Any) -> Iterator[str]:
    """Yields every `$ref` in document order, also those in examples: at worst one file too many is read."""
    pending = [value]
    seen: set[int] = set()
    while pending:
        entry = pending.pop()
        if id(entry) in seen:
            continue
        if isinstance(entry, dict):
            seen.add(id(entry))
            reference = entry.get("$ref")
            if isinstance(reference, str):
                yield reference
            pending += reversed(entry.values())
        elif isinstance(entry, list):
            seen.add(id(entry))
            pending += reversed(entry)
