"""What a customer is about to buy."""

from dataclasses import dataclass, field
from typing import List, Optional

from .pricing import bulk_discount


@dataclass(frozen=True)
class Line:
    """Some pieces of one article at one price each, in cents."""

    article: str
    price: int
    quantity: int = 1

    @property
    def total(self) -> int:
        """The price of all pieces after the bulk discount, rounded down to whole cents."""
        return self.price * self.quantity * (100 - bulk_discount(self.quantity)) // 100


@dataclass
class Cart:
    """The lines a customer has collected."""

    customer: str
    lines: List[Line] = field(default_factory=list)

    def add(self, article: str, price: int, quantity: int = 1) -> Line:
        """Add a line, or more pieces to the line of the same article and price.

        Raises:
            ValueError: the price is negative or the quantity is below one.
        """
        if price < 0:
            raise ValueError("a price cannot be negative")
        if quantity < 1:
            raise ValueError("a quantity is at least one")
        for index, line in enumerate(self.lines):
            if line.article == article and line.price == price:
                self.lines[index] = Line(article, price, line.quantity + quantity)
                return self.lines[index]
        line = Line(article, price, quantity)
        self.lines.append(line)
        return line

    def remove(self, article: str) -> int:
        """Remove every line of an article and return how many lines that were."""
        before = len(self.lines)
        self.lines = [line for line in self.lines if line.article != article]
        return before - len(self.lines)

    def dearest(self) -> Optional[Line]:
        """The line with the highest total, or None for an empty cart."""
        return max(self.lines, key=lambda line: line.total, default=None)

    @property
    def total(self) -> int:
        """The sum of all lines, in cents."""
        return sum(line.total for line in self.lines)
