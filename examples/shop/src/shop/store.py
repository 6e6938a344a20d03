"""What the shop remembers between two runs: pieces in stock and orders, in a SQLite file."""

import sqlite3
from datetime import date
from pathlib import Path
from typing import List

from .cart import Cart, Line
from .orders import Order, Status
from .stock import Stock

_TABLES = """
CREATE TABLE IF NOT EXISTS stock (article TEXT PRIMARY KEY, pieces INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS orders (
    number INTEGER PRIMARY KEY, customer TEXT NOT NULL, placed TEXT NOT NULL, status TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS lines (
    number INTEGER NOT NULL REFERENCES orders, article TEXT NOT NULL, price INTEGER NOT NULL, quantity INTEGER NOT NULL
);
"""


class Store:
    """The shop's database; a context manager that closes it."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(str(path))
        self._database.executescript(_TABLES)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; what was kept stays."""
        self._database.close()

    def deliver(self, article: str, pieces: int) -> int:
        """Add delivered pieces of an article and return how many there are now.

        Raises:
            ValueError: fewer than one piece is delivered.
        """
        now = self.stock().put(article, pieces)
        self._set_pieces(article, now)
        return now

    def stock(self) -> Stock:
        """Everything in stock."""
        stock = Stock()
        for article, pieces in self._database.execute("SELECT article, pieces FROM stock WHERE pieces > 0"):
            stock.put(article, pieces)
        return stock

    def keep(self, order: Order, stock: Stock) -> None:
        """Remember an order, and what is left of its articles in the stock it was taken from."""
        row = (order.number, order.cart.customer, order.placed.isoformat(), order.status.value)
        self._database.execute("INSERT INTO orders VALUES (?, ?, ?, ?)", row)
        for line in order.cart.lines:
            row = (order.number, line.article, line.price, line.quantity)
            self._database.execute("INSERT INTO lines VALUES (?, ?, ?, ?)", row)
            self._set_pieces(line.article, stock.pieces(line.article))
        self._database.commit()

    def orders(self) -> List[Order]:
        """All orders, by number."""
        rows = self._database.execute("SELECT number, customer, placed, status FROM orders ORDER BY number").fetchall()
        return [
            Order(number, Cart(customer, self._lines(number)), date.fromisoformat(placed), Status(status))
            for number, customer, placed, status in rows
        ]

    def next_number(self) -> int:
        """The number of the next order; the first one is 1."""
        (last,) = self._database.execute("SELECT COALESCE(MAX(number), 0) FROM orders").fetchone()
        return last + 1

    def _lines(self, number: int) -> List[Line]:
        query = "SELECT article, price, quantity FROM lines WHERE number = ? ORDER BY rowid"
        return [Line(*row) for row in self._database.execute(query, (number,))]

    def _set_pieces(self, article: str, pieces: int) -> None:
        self._database.execute("INSERT OR REPLACE INTO stock VALUES (?, ?)", (article, pieces))
        self._database.commit()
