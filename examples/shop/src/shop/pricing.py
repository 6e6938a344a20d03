"""Prices and discounts. Amounts are in cents."""

from decimal import ROUND_HALF_UP, Decimal


def format_price(cents: int, currency: str = "EUR") -> str:
    """Write an amount as people read it.

    >>> format_price(123456)
    '1,234.56 EUR'
    >>> format_price(-5, "USD")
    '-0.05 USD'
    """
    sign = "-" if cents < 0 else ""
    units, rest = divmod(abs(cents), 100)
    return f"{sign}{units:,}.{rest:02d} {currency}"


def add_tax(net: int, percent: Decimal) -> int:
    """Add a tax to a net amount, rounded half up to whole cents.

    Raises:
        ValueError: the percentage is negative.

    >>> add_tax(1000, Decimal("19"))
    1190
    """
    if percent < 0:
        raise ValueError("the tax cannot be negative")
    gross = Decimal(net) * (100 + percent) / 100
    return int(gross.quantize(Decimal("1"), rounding=ROUND_HALF_UP))


def bulk_discount(quantity: int) -> int:
    """The discount in percent for buying many pieces of one article.

    From 10 pieces on it is 5 percent, from 100 pieces on 12 percent.

    >>> bulk_discount(9)
    0
    >>> bulk_discount(10)
    5
    >>> bulk_discount(100)
    12
    """
    if quantity > 100:
        return 12
    if quantity >= 10:
        return 5
    return 0


def parse_price(text: str) -> int:
    """Read an amount such as "12.50" or "1,234.5" as cents.

    Raises:
        ValueError: the text is no amount.

    >>> parse_price("12.50")
    1250
    """
    cleaned = text.strip().replace(",", "")
    units, dot, rest = cleaned.partition(".")
    if not units.isdigit() or (dot and not rest.isdigit()) or len(rest) > 2:
        raise ValueError(f"no amount: {text!r}")
    return int(units) * 100 + int(rest.ljust(2, "0") or 0)
