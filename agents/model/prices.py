"""What tokens cost: a table that comes with the package, and the user's own table over it (T-13)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...core.errors import SettingsError

_MILLION = 1_000_000
_SNAPSHOT = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")
_FORM = 'Its form is {"models": {"NAME": {"in": 2.0, "cached": 0.5, "out": 8.0}}}, US dollars for a million tokens.'


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_cached: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        """US dollars; the cached tokens are among those that went in."""
        fresh = max(0, tokens_in - tokens_cached)
        total = fresh * self.tokens_in + tokens_cached * self.tokens_cached + tokens_out * self.tokens_out
        return round(total / _MILLION, 9)


class Prices:
    """Prices by model name."""

    def __init__(self, table: Mapping[str, Price]) -> None:
        self._table = dict(table)

    def of(self, model: str) -> Price | None:
        """A model's price, also by the name it has without its date (`gpt-4o-2024-08-06`); None when unknown."""
        return self._table.get(model) or self._table.get(_SNAPSHOT.sub("", model))


def load_prices(own: Path | None = None) -> Prices:
    """The package's table, with the user's entries in place of its own.

    Raises:
        SettingsError: the user's file cannot be read, or has another form.
    """
    table = _table(json.loads((files(__name__.rpartition(".")[0]) / "prices.json").read_text("utf-8")), "prices.json")
    if own is not None:
        try:
            said = json.loads(own.read_text("utf-8"))
        except OSError as error:
            raise SettingsError(f"The price table {own} cannot be read: {error.strerror}.", advice=_FORM) from error
        except ValueError as error:
            raise SettingsError(f"The price table {own} is no JSON: {error}.", advice=_FORM) from error
        table |= _table(said, str(own))
    return Prices(table)


def _table(said: Any, where: str) -> dict[str, Price]:
    models = said.get("models") if isinstance(said, Mapping) else None
    if not isinstance(models, Mapping):
        raise SettingsError(f"The price table {where} has no `models`.", advice=_FORM)
    return {str(name): _price(name, one, where) for name, one in models.items()}


def _price(name: str, said: Any, where: str) -> Price:
    values = said if isinstance(said, Mapping) else {}
    paid, out = values.get("in"), values.get("out")
    cached = values.get("cached", paid)
    numbers = [one for one in (paid, cached, out) if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) != 3 or min(numbers) < 0 or set(values) - {"in", "cached", "out"}:
        raise SettingsError(f"The price table {where} has no usable price for {name}.", advice=_FORM)
    return Price(float(numbers[0]), float(numbers[1]), float(numbers[2]))
