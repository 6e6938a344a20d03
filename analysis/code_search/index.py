"""Ranks a project's passages for a query: SQLite full-text search (BM25), kind of passage, mentions, embeddings.

The index is an FTS5 table in memory. Its copy in a cache file saves later runs from indexing unchanged files.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import EnvironmentFault
from ...utils.names.words import split_words
from ...utils.untrusted_files import read_source_bytes
from .chunks import Chunk, FileStamp, Passage, is_test_file, list_files, passages_of

if TYPE_CHECKING:
    from .vectors import PassageVectors

_SCHEMA_VERSION = 3
# The words of the path, the name, the docstring's summary and the text, split by `split_words`.
_TABLE = """CREATE VIRTUAL TABLE passages USING fts5(
    path_words, name_words, summary_words, text_words, path UNINDEXED, digest UNINDEXED, chunk UNINDEXED,
    tokenize = "porter unicode61 tokenchars '_'"
)"""
# Words in names and summaries count more: a definition comes before its uses. Chosen with `make bench-context`.
_SCORES = "SELECT rowid, -bm25(passages, 1.0, 5.0, 3.0, 1.0) FROM passages WHERE passages MATCH ?"
_ALL_WORDS = (
    "SELECT path_words || ' ' || name_words || ' ' || summary_words || ' ' || text_words FROM passages WHERE rowid = ?"
)

_NEAR_WEIGHT = 1.5
_MENTION_WEIGHT = 1.2
_CODE_WEIGHT, _TEST_WEIGHT, _DOCUMENT_WEIGHT = 1.0, 0.6, 0.5
_MENTIONING_PASSAGES = 20
_MENTIONED_SHARE = 0.2
_MAX_DEFINITIONS = 3
_RANK_OFFSET = 60


@dataclass(frozen=True, slots=True)
class Match:
    """A passage and its score; higher is better."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The matches of a search, best first.

    Attributes:
        file_count: how many files were searched.
        used_embeddings: whether embeddings took part in the ranking.
    """

    matches: tuple[Match, ...]
    file_count: int
    used_embeddings: bool = False


class CodebaseIndex:
    """Full-text index of one project. Thread-safe: one search at a time.

    Args:
        root: the project.
        cache_file: SQLite file that keeps the index between runs; a missing, damaged or unwritable one is not needed.
        vectors: embeddings of passages; without them only words are compared.
    """

    def __init__(self, root: Path, cache_file: Path, vectors: PassageVectors | None = None) -> None:
        self._root = root
        self._cache_file = cache_file
        self._vectors = vectors
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._files: tuple[FileStamp, ...] = ()
        self._passages: list[Passage] = []  # by path and line; scores are lists of the same order
        self._positions: dict[int, int] = {}  # position in `_passages` by rowid
        self._definitions: dict[str, list[int]] = {}  # positions of the code that defines a name

    @property
    def uses_embeddings(self) -> bool:
        """Whether an embeddings model takes part: results may change although no file does."""
        return self._vectors is not None

    def search(self, query: str, near: Collection[str] = (), limit: int = 8) -> SearchResult:
        """The best passages, best first; equal scores are ordered by path and line.

        Args:
            query: words of prose or code.
            near: files or folders the query is about: their passages, and those that mention them, get more weight.

        Raises:
            ProjectError: the project's root is no readable folder.
            EnvironmentFault: this Python's SQLite has no full-text search.
        """
        with self._lock:
            try:
                return self._search(self._refreshed(), query, near, limit)
            except sqlite3.DatabaseError:
                # A damaged cache file may open and fail later. Index the project again without it.
                with suppress(OSError):
                    self._cache_file.unlink(missing_ok=True)
                self._database = None
                return self._search(self._refreshed(), query, near, limit)

    def _search(self, database: sqlite3.Connection, query: str, near: Collection[str], limit: int) -> SearchResult:
        words = list(dict.fromkeys(split_words(query)))
        if not words or not self._passages:
            return SearchResult((), len(self._files))
        names = [word for path in near for word in split_words(path.rpartition("/")[2].removesuffix(".py"))]
        mentioning = {position for position, _ in self._scores(database, names)}
        weights = [
            _kind_weight(passage) * _near_weight(passage, position in mentioning, near)
            for position, passage in enumerate(self._passages)
        ]
        scores = [0.0] * len(self._passages)
        for position, score in self._scores(database, words):
            scores[position] = score
        boosts = self._mention_boosts(database, scores)
        lexical = [(score + boosts.get(position, 0.0)) * weights[position] for position, score in enumerate(scores)]
        similar = self._vectors.similarities(self._root, self._passages, query) if self._vectors else None
        final = lexical if similar is None else _fuse(lexical, similar, weights)
        matches = tuple(Match(self._passages[best], round(final[best], 4)) for best in _best(final)[:limit])
        return SearchResult(matches, len(self._files), similar is not None)

    def _scores(self, database: sqlite3.Connection, words: Iterable[str]) -> list[tuple[int, float]]:
        """(position, BM25 score) of the passages with any of the words."""
        any_word = " OR ".join(f'"{word}"' for word in words)
        rows = database.execute(_SCORES, (any_word,)) if any_word else ()
        return [(self._positions[rowid], score) for rowid, score in rows]

    def _mention_boosts(self, database: sqlite3.Connection, scores: Sequence[float]) -> dict[int, float]:
        """Extra scores by position, for code that well-matching tests and documents mention by name.

        Names that several passages define are left out: a mention does not say which one is meant.
        """
        rowids = {position: rowid for rowid, position in self._positions.items()}
        boosts: dict[int, float] = {}
        for position in _best(scores)[:_MENTIONING_PASSAGES]:
            if _is_code(self._passages[position]):
                continue
            [words] = database.execute(_ALL_WORDS, (rowids[position],)).fetchone()
            for word in set(words.split()):
                defined = self._definitions.get(word, ())
                if len(defined) <= _MAX_DEFINITIONS:
                    for target in defined:
                        boosts[target] = max(boosts.get(target, 0.0), _MENTIONED_SHARE * scores[position])
        return boosts

    def _refreshed(self) -> sqlite3.Connection:
        """The index, with files that were changed, added or deleted since the last search brought up to date."""
        files = list_files(self._root)
        if self._database is not None and files == self._files:
            return self._database
        unread = set(self._files) if self._database is not None else set[FileStamp]()
        database = self._database or self._opened()
        stored: dict[str, tuple[str, list[int]]] = {}
        for rowid, path, digest in database.execute("SELECT rowid, path, digest FROM passages"):
            stored.setdefault(path, (digest, []))[1].append(rowid)
        changed = False
        present: list[FileStamp] = []
        for stamp in files:
            digest, rowids = stored.pop(stamp.path, ("", []))
            if stamp not in unread:
                try:
                    content = read_source_bytes(self._root, stamp.path)
                except OSError:  # unreadable: left out of the search
                    stored[stamp.path] = (digest, rowids)
                    continue
                current = hashlib.sha256(content).hexdigest()
                if current != digest:
                    _delete(database, rowids)
                    _insert(database, stamp.path, content, current)
                    changed = True
            present.append(stamp)
        for _, rowids in stored.values():
            _delete(database, rowids)
            changed = changed or bool(rowids)
        if changed:
            database.commit()
            self._save(database)
        self._load(database)
        self._database, self._files = database, files
        return database

    def _load(self, database: sqlite3.Connection) -> None:
        """Read places and names of all passages into memory."""
        rows = database.execute("SELECT rowid, path, chunk FROM passages")
        found = [(Passage(path, Chunk(*json.loads(chunk))), rowid) for rowid, path, chunk in rows]
        found.sort(key=lambda row: (row[0].path, row[0].chunk.first, row[1]))
        self._passages = [passage for passage, _ in found]
        self._positions = {rowid: position for position, (_, rowid) in enumerate(found)}
        self._definitions = {}
        for position, passage in enumerate(self._passages):
            if _is_code(passage) and passage.chunk.name:
                for word in split_words(passage.chunk.name.rpartition(".")[2])[:1]:
                    self._definitions.setdefault(word, []).append(position)

    def _opened(self) -> sqlite3.Connection:
        """A database in memory, filled from the cache file where there is a readable one of this version."""
        database = sqlite3.connect(":memory:", check_same_thread=False)
        if self._cache_file.is_file():
            with suppress(sqlite3.Error), closing(sqlite3.connect(self._cache_file)) as cache:
                cache.backup(database)
                if database.execute("PRAGMA user_version").fetchone()[0] == _SCHEMA_VERSION:
                    return database
            database = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            database.execute(_TABLE)
        except sqlite3.OperationalError as error:
            raise EnvironmentFault(
                f"The SQLite of this Python has no full-text search: {error}.",
                advice="Use a Python whose sqlite3 module has FTS5; those of Debian, python.org and uv do.",
            ) from error
        database.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
        return database

    def _save(self, database: sqlite3.Connection) -> None:
        """Replace the cache file in one step; when it cannot be written, the next run indexes again."""
        temporary = self._cache_file.with_name(f".{self._cache_file.name}.{os.getpid()}-{secrets.token_hex(4)}")
        try:
            temporary.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(temporary)) as copy:
                database.backup(copy)
            temporary.replace(self._cache_file)
        except (OSError, sqlite3.Error):
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _insert(database: sqlite3.Connection, path: str, content: bytes, digest: str) -> None:
    path_words = " ".join(split_words(path.replace("/", " ").removesuffix(".py")))
    for passage, text in passages_of(path, content):
        name, summary, body = (
            " ".join(split_words(part)) for part in (passage.chunk.name, passage.chunk.summary, text)
        )
        values = (path_words, name, summary, body, path, digest, json.dumps(astuple(passage.chunk)))
        database.execute("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def _delete(database: sqlite3.Connection, rowids: Iterable[int]) -> None:
    database.executemany("DELETE FROM passages WHERE rowid = ?", ((rowid,) for rowid in rowids))


def _best(scores: Sequence[float]) -> list[int]:
    """The positions with a positive score, best first, equal ones in order."""
    return sorted((position for position, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))


def _fuse(lexical: Sequence[float], similar: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009) of words and embeddings."""
    fused = [0.0] * len(lexical)
    for scores in (lexical, [max(0.0, near) * weight for near, weight in zip(similar, weights, strict=True)]):
        for rank, position in enumerate(_best(scores), start=1):
            fused[position] += 1 / (_RANK_OFFSET + rank)
    return fused


def _is_code(passage: Passage) -> bool:
    return passage.path.endswith(".py") and not is_test_file(passage.path)


def _kind_weight(passage: Passage) -> float:
    """Code first, then its tests, then documents."""
    if _is_code(passage):
        return _CODE_WEIGHT
    return _TEST_WEIGHT if passage.path.endswith(".py") else _DOCUMENT_WEIGHT


def _near_weight(passage: Passage, mentions: bool, near: Collection[str]) -> float:
    if any(passage.path == path or passage.path.startswith(f"{path.rstrip('/')}/") for path in near):
        return _NEAR_WEIGHT
    return _MENTION_WEIGHT if mentions else 1.0
