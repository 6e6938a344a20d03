"""How many pieces of each article there are."""

from typing import Dict, List

from .errors import OutOfStock


class Stock:
    """A stock of articles."""

    def __init__(self) -> None:
        self._pieces: Dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._pieces)

    def __contains__(self, article: str) -> bool:
        return article in self._pieces

    def pieces(self, article: str) -> int:
        """How many pieces there are; 0 for an unknown article."""
        return self._pieces.get(article, 0)

    def put(self, article: str, pieces: int = 1) -> int:
        """Add pieces and return the new number.

        Raises:
            ValueError: fewer than one piece is added.
        """
        if pieces < 1:
            raise ValueError("at least one piece")
        self._pieces[article] = self.pieces(article) + pieces
        return self._pieces[article]

    def take(self, article: str, pieces: int = 1) -> int:
        """Remove pieces and return how many are left.

        Raises:
            OutOfStock: there are fewer pieces than asked for.
        """
        there = self.pieces(article)
        if pieces > there:
            raise OutOfStock(article, pieces - there)
        left = there - pieces
        if left:
            self._pieces[article] = left
        else:
            self._pieces.pop(article, None)
        return left

    def running_low(self, below: int = 5) -> List[str]:
        """The articles with fewer than `below` pieces, in alphabetical order."""
        return sorted(article for article, pieces in self._pieces.items() if pieces < below)
