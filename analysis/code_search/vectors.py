"""Meanings of passages, from any embeddings model behind LangChain's `Embeddings`; kept by content (T-12)."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
from langchain_core.embeddings import Embeddings

from .files import Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 64
_LONGEST = 4000
_MOST = 20_000
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (model TEXT, digest TEXT, vector BLOB, PRIMARY KEY (model, digest))"
Warn = Callable[[str], None]


class PassageVectors:
    """Vectors of passages, each worked out once for its content and kept in a file that may be lost at any time.

    A model that cannot be reached is warned of once and not asked again in this run: words alone decide then.

    Args:
        embeddings: the model. Code and documents of the project are sent to it.
        model: its name; vectors of different models are never compared.
        shelf: SQLite file that keeps the vectors between runs.
        warn: told why vectors were given up.
    """

    def __init__(self, embeddings: Embeddings, model: str, shelf: Path, warn: Warn | None = None) -> None:
        self._embeddings = embeddings
        self._model = model
        self._shelf = shelf
        self._warn = warn
        self._lost = False
        self._lock = threading.Lock()
        self._known: dict[str, NDArray[numpy.float32]] = {}
        self._passages: Sequence[Passage] = ()
        self._matrix: NDArray[numpy.float32] | None = None

    def nearness(self, root: Path, passages: Sequence[Passage], query: str) -> list[float] | None:
        """The cosine of each passage with a query, in -1..1; None where vectors cannot be had.

        At most 20,000 passages have vectors; the others count as 0.
        """
        with self._lock:
            if self._lost or not passages:
                return None
            try:
                matrix = self._matrix_of(root, passages)
                asked = _unit(self._embeddings.embed_query(query[:_LONGEST]))
                near = [float(one) for one in matrix @ asked]
            except Exception as error:  # noqa: BLE001 - whatever a model of others raises, the search goes on without it
                self._give_up(error)
                return None
        return near + [0.0] * (len(passages) - len(near))

    def _matrix_of(self, root: Path, passages: Sequence[Passage]) -> NDArray[numpy.float32]:
        """A row for each passage; made once for a list of passages, which the index makes anew when a file changes."""
        if self._matrix is None or self._passages is not passages:
            texts = _texts(root, passages[:_MOST])
            digests = [_digest(text) for text in texts]
            self._learn(dict(zip(digests, texts, strict=True)))
            self._matrix, self._passages = numpy.stack([self._known[one] for one in digests]), passages
        return self._matrix

    def _learn(self, wanted: Mapping[str, str]) -> None:
        """Have a vector for each text, by digest."""
        self._recall([one for one in wanted if one not in self._known])
        missing = [one for one in wanted if one not in self._known]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            vectors = self._embeddings.embed_documents([wanted[one] for one in batch])
            found = {one: _unit(vector) for one, vector in zip(batch, vectors, strict=True)}
            self._known |= found
            self._keep(found)

    def _recall(self, digests: Sequence[str]) -> None:
        if not digests or not self._shelf.is_file():
            return
        wanted = set(digests)
        try:
            with closing(sqlite3.connect(self._shelf, timeout=5)) as shelf:
                rows = shelf.execute("SELECT digest, vector FROM vectors WHERE model = ?", (self._model,)).fetchall()
        except sqlite3.Error:
            return
        for digest, vector in rows:
            if digest in wanted:
                self._known[digest] = numpy.frombuffer(vector, dtype=numpy.float32)

    def _keep(self, vectors: dict[str, NDArray[numpy.float32]]) -> None:
        """A shelf that cannot be written costs the next run time, nothing else."""
        rows = [(self._model, digest, vector.tobytes()) for digest, vector in vectors.items()]
        try:
            self._shelf.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._shelf, timeout=5)) as shelf, shelf:
                shelf.execute(_TABLE)
                shelf.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        except (sqlite3.Error, OSError):
            return

    def _give_up(self, error: Exception) -> None:
        self._lost = True
        if self._warn is not None:
            self._warn(f"The embeddings model {self._model} is not used ({type(error).__name__}): words alone rank.")


def _texts(root: Path, passages: Sequence[Passage]) -> list[str]:
    """What is sent for each passage: where it stands, its name, its text, at most 4,000 characters."""
    files: dict[str, list[str]] = {}
    for path in {one.path for one in passages}:
        try:
            files[path] = (root / path).read_text("utf-8", "replace").splitlines()
        except OSError:
            files[path] = []
    return [
        f"{one.path} {one.chunk.name}\n" + "\n".join(files[one.path][one.chunk.first - 1 : one.chunk.last])[:_LONGEST]
        for one in passages
    ]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _unit(vector: Sequence[float]) -> NDArray[numpy.float32]:
    made = numpy.asarray(vector, dtype=numpy.float32)
    length = float(numpy.linalg.norm(made))
    return made / length if length else made
