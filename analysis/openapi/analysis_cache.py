"""Caches analyses, so that pages and parts of one large document do not check it again."""

from __future__ import annotations

import threading
from collections import OrderedDict

from .document_analysis import DocumentAnalysis, analyze_document
from .documents import Library

_Key = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]


class AnalysisCache:
    """Keeps the latest analyses, keyed by the content of all their documents; safe to use from several threads.

    Args:
        capacity: readings kept; large documents are large in memory, too.
    """

    def __init__(self, capacity: int = 2) -> None:
        self._capacity = max(1, capacity)
        self._kept: OrderedDict[_Key, DocumentAnalysis] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, library: Library) -> DocumentAnalysis:
        """Returns the analysis of a document, from the cache if it is there. Blocks while it is computed."""
        documents = tuple((value.location, value.digest) for value in library.documents.values())
        key = (documents, tuple(sorted(library.failures.items())))
        with self._lock:
            known = self._kept.get(key)
        reading = known or analyze_document(library)
        with self._lock:
            self._kept[key] = reading
            self._kept.move_to_end(key)
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
        return reading
