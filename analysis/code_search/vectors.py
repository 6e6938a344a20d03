"""Embeds passages with any model behind LangChain's `Embeddings`, and caches the vectors by content."""

from __future__ import annotations

import hashlib
import math
import operator
import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from langchain_core.embeddings import Embeddings

from ...utils.python_source import source_lines
from ...utils.untrusted_files import source_or_empty
from .chunks import Passage

_BATCH_SIZE = 64
_MAX_CHARACTERS = 4000
_MAX_PASSAGES = 20_000
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (model TEXT, digest TEXT, vector BLOB, PRIMARY KEY (model, digest))"
Warn = Callable[[str], None]


class PassageVectors:
    """Unit vectors of passages, computed once per content and kept in a cache file that may be lost at any time.

    After the first failure of the model it warns once and returns no vectors for the rest of the run.

    Args:
        embeddings: the model. Code and documents of the project are sent to it.
        model: its name; vectors of different models are never compared.
        cache_file: SQLite file that keeps the vectors between runs.
        warn: receives the reason why the model was given up.
    """

    def __init__(self, embeddings: Embeddings, model: str, cache_file: Path, warn: Warn | None = None) -> None:
        self._embeddings = embeddings
        self._model = model
        self._cache_file = cache_file
        self._warn = warn
        self._failed = False
        self._lock = threading.Lock()
        self._known: dict[str, array[float]] = {}
        self._passages: Sequence[Passage] = ()
        self._vectors: list[array[float]] = []

    def similarities(self, root: Path, passages: Sequence[Passage], query: str) -> list[float] | None:
        """The cosine of each passage with a query, in -1..1; None when the model cannot be used.

        At most 20,000 passages have vectors; the others count as 0.
        """
        with self._lock:
            if self._failed or not passages:
                return None
            try:
                if self._passages is not passages:  # the index makes a new list when a file changes
                    self._vectors, self._passages = self._vectors_of(root, passages[:_MAX_PASSAGES]), passages
                wanted = _unit(self._embeddings.embed_query(query[:_MAX_CHARACTERS]))
                similar = [_dot(vector, wanted) for vector in self._vectors]
            except Exception as error:  # noqa: BLE001 - whatever the model's client raises, the search works without it
                self._failed = True
                if self._warn is not None:
                    reason = type(error).__name__
                    self._warn(f"The embeddings model {self._model} is not used ({reason}): words alone rank.")
                return None
        return similar + [0.0] * (len(passages) - len(similar))

    def _vectors_of(self, root: Path, passages: Sequence[Passage]) -> list[array[float]]:
        texts = _texts(root, passages)
        digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        self._compute(dict(zip(digests, texts, strict=True)))
        return [self._known[digest] for digest in digests]

    def _compute(self, texts: Mapping[str, str]) -> None:
        """Read the vectors of texts (by digest) from the cache file, and ask the model for the missing ones."""
        self._read_cached(texts.keys() - self._known.keys())
        missing = [digest for digest in texts if digest not in self._known]
        for start in range(0, len(missing), _BATCH_SIZE):
            batch = missing[start : start + _BATCH_SIZE]
            vectors = self._embeddings.embed_documents([texts[digest] for digest in batch])
            computed = {digest: _unit(vector) for digest, vector in zip(batch, vectors, strict=True)}
            self._known |= computed
            self._write_cached(computed)  # per batch: an interrupted run does not pay for it again

    def _read_cached(self, digests: Iterable[str]) -> None:
        wanted = set(digests)
        if not wanted or not self._cache_file.is_file():
            return
        try:
            with closing(sqlite3.connect(self._cache_file, timeout=5)) as cache:
                rows = cache.execute("SELECT digest, vector FROM vectors WHERE model = ?", (self._model,)).fetchall()
            self._known |= {digest: array("f", vector) for digest, vector in rows if digest in wanted}
        except (sqlite3.Error, ValueError):  # damaged: the model is asked again
            return

    def _write_cached(self, vectors: Mapping[str, array[float]]) -> None:
        rows = [(self._model, digest, vector.tobytes()) for digest, vector in vectors.items()]
        try:
            self._cache_file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._cache_file, timeout=5)) as cache, cache:
                cache.execute(_TABLE)
                cache.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        except (sqlite3.Error, OSError):  # the next run asks the model again
            return


def _texts(root: Path, passages: Sequence[Passage]) -> list[str]:
    """The text sent for each passage: path, name and content, at most 4,000 characters of it."""
    files: dict[str, list[str]] = {}
    for path in {passage.path for passage in passages}:
        files[path] = source_lines(source_or_empty(root, path, errors="replace"))
    texts: list[str] = []
    for passage in passages:
        body = "\n".join(files[passage.path][passage.chunk.first - 1 : passage.chunk.last])
        texts.append(f"{passage.path} {passage.chunk.name}\n{body[:_MAX_CHARACTERS]}")
    return texts


def _unit(vector: Sequence[float]) -> array[float]:
    length = math.hypot(*vector)
    return array("f", [value / length for value in vector] if length else vector)


def _dot(left: array[float], right: array[float]) -> float:
    if len(left) != len(right):
        raise ValueError(f"vectors of {len(left)} and {len(right)} dimensions cannot be compared")
    return sum(map(operator.mul, left, right))
