"""BM25 over the passages of a project, rebuilt only when a file has changed."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .files import Passage, Stamp, read_passages, stamps
from .words import words_of

if TYPE_CHECKING:
    from bm25s import BM25

_NEAR = 1.5
_MENTIONS = 1.2


@dataclass(frozen=True, slots=True)
class Match:
    """A passage and its score; higher is nearer."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class _Index:
    files: tuple[Stamp, ...]
    passages: list[Passage]
    ranking: BM25 | None


class CodebaseIndex:
    """The search over one project. Safe to use from several threads; one of them builds, the others wait.

    Args:
        root: the project.
        shelf: file that keeps what was read, between runs.
    """

    def __init__(self, root: Path, shelf: Path) -> None:
        self._root = root
        self._shelf = shelf
        self._lock = threading.Lock()
        self._index: _Index | None = None

    @property
    def by_meaning(self) -> bool:
        """Whether an embeddings model takes part: its answers may change without a file doing so."""
        return False

    def search(self, query: str, near: Collection[str] = (), limit: int = 8) -> tuple[list[Match], int]:
        """The best passages, best first, ties by path and line; and how many files were searched.

        Args:
            query: words of prose or code.
            near: files or folders the query is about: their passages, and those that speak of them, weigh more.

        Raises:
            ProjectError: the project's root is no readable folder.
        """
        index = self._current()
        words = list(dict.fromkeys(words_of(query)))
        if index.ranking is None or not words:
            return [], len(index.files)
        names = {word for path in near for word in words_of(path.rpartition("/")[2].removesuffix(".py"))}
        scores = index.ranking.get_scores(words)
        matches = [
            Match(passage, round(float(score) * _weight(passage, near, names), 4))
            for passage, score in zip(index.passages, scores, strict=True)
            if score > 0
        ]
        matches.sort(key=lambda one: (-one.score, one.passage.path, one.passage.chunk.first))
        return matches[:limit], len(index.files)

    def _current(self) -> _Index:
        with self._lock:
            files = stamps(self._root)
            if self._index is None or self._index.files != files:
                passages = read_passages(self._root, files, self._shelf)
                self._index = _Index(files, passages, _ranking(passages))
            return self._index


def _weight(passage: Passage, near: Collection[str], names: set[str]) -> float:
    if any(passage.path == one or passage.path.startswith(f"{one.rstrip('/')}/") for one in near):
        return _NEAR
    return _MENTIONS if names and any(word in names for word, _ in passage.words) else 1.0


def _ranking(passages: list[Passage]) -> BM25 | None:
    """Imported when needed: numpy comes with it, and most commands search for nothing."""
    if not passages:
        return None
    from bm25s import BM25

    ranking = BM25(method="lucene")
    corpus = [[word for word, count in one.words for _ in range(count)] for one in passages]
    ranking.index(corpus, show_progress=False)
    return ranking
