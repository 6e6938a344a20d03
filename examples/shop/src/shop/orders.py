"""Orders: a cart that was bought, when it arrives, and the file that keeps it."""

import enum
import json
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Iterator, List

from .cart import Cart, Line
from .stock import Stock


class Status(enum.Enum):
    """Where an order stands."""

    PLACED = "placed"
    SENT = "sent"
    RETURNED = "returned"


@dataclass
class Order:
    """A cart bought on a day."""

    number: int
    cart: Cart
    placed: date
    status: Status = Status.PLACED

    def send(self) -> None:
        """Mark the order as sent.

        Raises:
            RuntimeError: it is not waiting to be sent.
        """
        if self.status is not Status.PLACED:
            raise RuntimeError(f"order {self.number} is {self.status.value}")
        self.status = Status.SENT

    def returnable(self, today: date, days: int = 14) -> bool:
        """Whether the order was sent and the last day to return it has not passed."""
        return self.status is Status.SENT and today <= self.placed + timedelta(days=days)


def delivery_day(placed: date, working_days: int = 2) -> date:
    """The day an order arrives: so many working days after it was placed, weekends left out.

    >>> delivery_day(date(2024, 5, 3))
    datetime.date(2024, 5, 7)
    """
    day = placed
    while working_days > 0:
        day += timedelta(days=1)
        if day.weekday() < 5:
            working_days -= 1
    return day


def place(number: int, cart: Cart, stock: Stock, today: date) -> Order:
    """Take the articles of a cart from the stock and make an order of them.

    Raises:
        ValueError: the cart is empty.
        OutOfStock: an article has too few pieces.
    """
    if not cart.lines:
        raise ValueError("the cart is empty")
    for line in cart.lines:
        stock.take(line.article, line.quantity)
    return Order(number, cart, today)


def save_orders(orders: List[Order], path: Path) -> int:
    """Write orders to a JSON file and return how many were written."""
    rows = [
        {
            "number": order.number,
            "customer": order.cart.customer,
            "placed": order.placed.isoformat(),
            "status": order.status.value,
            "lines": [[line.article, line.price, line.quantity] for line in order.cart.lines],
        }
        for order in orders
    ]
    path.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return len(rows)


def load_orders(path: Path) -> Iterator[Order]:
    """Read the orders that `save_orders` wrote.

    Raises:
        FileNotFoundError: there is no such file.
    """
    for row in json.loads(path.read_text(encoding="utf-8")):
        cart = Cart(row["customer"], [Line(*line) for line in row["lines"]])
        yield Order(row["number"], cart, date.fromisoformat(row["placed"]), Status(row["status"]))
