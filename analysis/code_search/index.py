"""Ranking of a project's passages: BM25, what they are, what speaks of them, and vectors where there are any (T-12)."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .files import Passage, Stamp, is_test_file, read_passages, stamps
from .words import words_of

if TYPE_CHECKING:
    from bm25s import BM25

    from .vectors import PassageVectors

_NEAR = 1.5
_MENTIONS = 1.2
_CODE, _TEST, _DOCUMENT = 1.0, 0.6, 0.5
_SPEAKERS = 20
_SPOKEN_OF = 0.2
_SAME_NAME = 3
_FUSION = 60


@dataclass(frozen=True, slots=True)
class Match:
    """A passage and its score; higher is nearer."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first.

    Attributes:
        files: how many files were searched.
        by_vectors: whether embeddings took part.
    """

    matches: tuple[Match, ...]
    files: int
    by_vectors: bool = False


@dataclass(frozen=True, slots=True)
class _Index:
    files: tuple[Stamp, ...]
    passages: list[Passage]
    words: list[frozenset[str]]
    definitions: dict[str, list[int]]
    ranking: BM25 | None


class CodebaseIndex:
    """The search over one project. Safe to use from several threads; one of them builds, the others wait.

    Args:
        root: the project.
        shelf: file that keeps what was read, between runs.
        vectors: meanings of passages, from an embeddings model; words alone decide without it.
    """

    def __init__(self, root: Path, shelf: Path, vectors: PassageVectors | None = None) -> None:
        self._root = root
        self._shelf = shelf
        self._vectors = vectors
        self._lock = threading.Lock()
        self._index: _Index | None = None

    @property
    def by_meaning(self) -> bool:
        """Whether an embeddings model takes part: its answers may change without a file doing so."""
        return self._vectors is not None

    def search(self, query: str, near: Collection[str] = (), limit: int = 8) -> Found:
        """The best passages, best first, ties by path and line.

        Args:
            query: words of prose or code.
            near: files or folders the query is about: their passages, and those that speak of them, weigh more.

        Raises:
            ProjectError: the project's root is no readable folder.
        """
        index = self._current()
        words = list(dict.fromkeys(words_of(query)))
        if index.ranking is None or not words:
            return Found((), len(index.files))
        names = {word for path in near for word in words_of(path.rpartition("/")[2].removesuffix(".py"))}
        weights = [
            _kind_weight(passage) * _near_weight(passage, held, near, names)
            for passage, held in zip(index.passages, index.words, strict=True)
        ]
        scores = _with_spoken_of(index, [float(one) for one in index.ranking.get_scores(words)])
        lexical = [score * weight for score, weight in zip(scores, weights, strict=True)]
        meant = self._vectors.nearness(self._root, index.passages, query) if self._vectors else None
        final = lexical if meant is None else _fused(lexical, meant, weights)
        order = sorted(range(len(final)), key=lambda one: (-final[one], _place(index.passages[one])))
        matches = tuple(Match(index.passages[one], round(final[one], 4)) for one in order[:limit] if final[one] > 0)
        return Found(matches, len(index.files), meant is not None)

    def _current(self) -> _Index:
        with self._lock:
            files = stamps(self._root)
            if self._index is None or self._index.files != files:
                self._index = _indexed(files, read_passages(self._root, files, self._shelf))
            return self._index


def _indexed(files: tuple[Stamp, ...], passages: list[Passage]) -> _Index:
    definitions: dict[str, list[int]] = {}
    for number, passage in enumerate(passages):
        if _is_code(passage) and passage.chunk.name:
            for word in words_of(passage.chunk.name.rpartition(".")[2])[:1]:
                definitions.setdefault(word, []).append(number)
    held = [frozenset(word for word, _ in passage.words) for passage in passages]
    return _Index(files, passages, held, definitions, _ranking(passages))


def _with_spoken_of(index: _Index, scores: list[float]) -> list[float]:
    """Code rises when tests and documents that fit the query speak of it by name, unless the name is a common one."""
    best = sorted((one for one in range(len(scores)) if scores[one] > 0), key=lambda one: -scores[one])[:_SPEAKERS]
    told: dict[int, float] = {}
    for speaker in best:
        if _is_code(index.passages[speaker]):
            continue
        for word in index.words[speaker]:
            meant = index.definitions.get(word, ())
            if len(meant) <= _SAME_NAME:
                for one in meant:
                    told[one] = max(told.get(one, 0.0), scores[speaker])
    return [score + _SPOKEN_OF * told.get(number, 0.0) for number, score in enumerate(scores)]


def _fused(lexical: Sequence[float], meant: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009) of words and meanings."""
    fused = [0.0] * len(lexical)
    for scores in (lexical, [max(0.0, near) * weight for near, weight in zip(meant, weights, strict=True)]):
        order = sorted((one for one in range(len(scores)) if scores[one] > 0), key=lambda one: (-scores[one], one))
        for rank, one in enumerate(order, start=1):
            fused[one] += 1 / (_FUSION + rank)
    return fused


def _is_code(passage: Passage) -> bool:
    return passage.path.endswith(".py") and not is_test_file(passage.path)


def _kind_weight(passage: Passage) -> float:
    """Who asks wants the code first, then how it is tested and what is written about it."""
    if _is_code(passage):
        return _CODE
    return _TEST if passage.path.endswith(".py") else _DOCUMENT


def _near_weight(passage: Passage, words: frozenset[str], near: Collection[str], names: set[str]) -> float:
    if any(passage.path == one or passage.path.startswith(f"{one.rstrip('/')}/") for one in near):
        return _NEAR
    return _MENTIONS if names & words else 1.0


def _place(passage: Passage) -> tuple[str, int]:
    return passage.path, passage.chunk.first


def _ranking(passages: list[Passage]) -> BM25 | None:
    """Imported when needed: numpy comes with it, and most commands search for nothing."""
    if not passages:
        return None
    from bm25s import BM25

    ranking = BM25(method="lucene")
    corpus = [[word for word, count in one.words for _ in range(count)] for one in passages]
    ranking.index(corpus, show_progress=False)
    return ranking
