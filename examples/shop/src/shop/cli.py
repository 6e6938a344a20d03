"""The shop's command line: take deliveries in, place orders, look at the stock, write a report.

    shop import-stock delivery.csv
    shop order Ada tea:2:3.50 cup:1:12.00 --date 2024-05-03
    shop stock
    shop report report.csv
"""

import argparse
import csv
import sys
from datetime import date
from pathlib import Path
from typing import List, Optional

from .cart import Cart, Line
from .errors import ShopError
from .orders import Order, delivery_day, place
from .pricing import format_price, parse_price
from .store import Store


def main(arguments: Optional[List[str]] = None) -> int:
    """Run one command and return the exit code: 0, or 1 when the shop refuses."""
    options = _parser().parse_args(arguments)
    try:
        with Store(options.database) as store:
            options.run(store, options)
    except (ShopError, ValueError, OSError) as error:
        print(f"shop: {error}", file=sys.stderr)
        return 1
    return 0


def read_delivery(path: Path) -> List[Line]:
    """The lines of a delivery: a CSV file with the columns article, price and pieces.

    Raises:
        ValueError: a column is missing, or a cell cannot be read.
    """
    with path.open(encoding="utf-8", newline="") as file:
        try:
            return [Line(row["article"], parse_price(row["price"]), int(row["pieces"])) for row in csv.DictReader(file)]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path.name} needs the columns article, price and pieces") from error


def parse_line(text: str) -> Line:
    """Read `article:quantity:price` as a line of a cart.

    Raises:
        ValueError: the text has another form.

    >>> parse_line("tea:2:3.50")
    Line(article='tea', price=350, quantity=2)
    """
    article, _, rest = text.partition(":")
    quantity, _, price = rest.partition(":")
    if not article or not quantity.isdigit():
        raise ValueError(f"no line of an order: {text!r}")
    return Line(article, parse_price(price), int(quantity))


def report_row(order: Order) -> List[str]:
    """One order in the report: number, customer, total, day of delivery.

    >>> report_row(Order(7, Cart("Ada", [Line("tea", 350, 10)]), date(2024, 5, 3)))
    ['7', 'Ada', '33.25 EUR', '2024-05-07']
    """
    total = sum(line.price * line.quantity for line in order.cart.lines)
    return [str(order.number), order.cart.customer, format_price(total), delivery_day(order.placed).isoformat()]


def write_report(orders: List[Order], path: Path) -> int:
    """Write a CSV file with one row for each order, and return how many there are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["number", "customer", "total", "delivery"])
        writer.writerows(report_row(order) for order in orders)
    return len(orders)


def _import_stock(store: Store, options: argparse.Namespace) -> None:
    lines = read_delivery(options.delivery)
    for line in lines:
        print(f"{line.article}: {store.deliver(line.article, line.quantity)}")
    print(f"worth {format_price(sum(line.price * line.quantity for line in lines))}")


def _order(store: Store, options: argparse.Namespace) -> None:
    cart = Cart(options.customer)
    for line in map(parse_line, options.lines):
        cart.add(line.article, line.price, line.quantity)
    stock = store.stock()
    order = place(store.next_number(), cart, stock, options.date)
    store.keep(order, stock)
    print(f"order {order.number}: {format_price(cart.total)}, arrives {delivery_day(order.placed)}")


def _stock(store: Store, options: argparse.Namespace) -> None:
    stock = store.stock()
    for article in stock.running_low(options.below):
        print(f"{article}: {stock.pieces(article)}")


def _report(store: Store, options: argparse.Namespace) -> None:
    print(f"{write_report(store.orders(), options.report)} orders")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="shop", description="A small shop.")
    parser.add_argument("--database", type=Path, default=Path("shop.db"), help="where the shop remembers everything")
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser("import-stock", help="take a delivery in")
    command.add_argument("delivery", type=Path, help="CSV file with the columns article, price and pieces")
    command.set_defaults(run=_import_stock)

    command = commands.add_parser("order", help="place an order")
    command.add_argument("customer")
    command.add_argument("lines", nargs="+", metavar="article:quantity:price", help="such as tea:2:3.50")
    command.add_argument("--date", type=date.fromisoformat, default=date.today(), help="the day of the order")
    command.set_defaults(run=_order)

    command = commands.add_parser("stock", help="list what runs low")
    command.add_argument("--below", type=int, default=3, help="articles with fewer pieces than this (default: 5)")
    command.set_defaults(run=_stock)

    command = commands.add_parser("report", help="write a CSV file with all orders")
    command.add_argument("report", type=Path, help="the file to write")
    command.set_defaults(run=_report)
    return parser


if __name__ == "__main__":
    sys.exit(main())
