"""Prices of tokens: the user's own table first, then the list that the package genai-prices brings along.

The list is the installed package's; its update from the network (`UpdatePrices`) is never started.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import SettingsError

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

_MILLION = 1_000_000
_SNAPSHOT = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")
_DEFAULT_PROVIDER = "openai"
_FORM = 'Its form is {"models": {"NAME": {"in": 2.0, "cached": 0.5, "out": 8.0}}}, US dollars for a million tokens.'


@dataclass(frozen=True, slots=True)
class Price:
    """A price of the user's table: US dollars for a million tokens."""

    tokens_in: float
    tokens_cached: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        """US dollars; the cached tokens are among those that went in."""
        fresh = max(0, tokens_in - tokens_cached)
        total = fresh * self.tokens_in + tokens_cached * self.tokens_cached + tokens_out * self.tokens_out
        return round(total / _MILLION, 9)


@dataclass(frozen=True, slots=True)
class ListPrice:
    """A price of the package's list, which may depend on the length of the prompt or on the date."""

    provider: Provider
    model: ModelInfo

    def cost(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        """US dollars; the cached tokens are among those that went in."""
        from genai_prices import Usage

        usage = Usage(input_tokens=tokens_in, cache_read_tokens=min(tokens_cached, tokens_in), output_tokens=tokens_out)
        return round(float(self.model.calc_price(usage, self.provider).total_price), 9)


class Prices:
    """Prices by model name.

    Args:
        own: the user's table.
        base_url: the models' endpoint. A model is looked up in the list of the provider that has this address, and in
            OpenAI's where the list does not know the address: a gateway, or a machine of the user's.
    """

    def __init__(self, own: Mapping[str, Price], base_url: str) -> None:
        self._own = dict(own)
        self._base_url = base_url

    def of(self, model: str) -> Price | ListPrice | None:
        """A model's price, also by the name it has without its date (`gpt-4o-2024-08-06`); None when unknown."""
        return self._own.get(model) or self._own.get(_SNAPSHOT.sub("", model)) or self._listed(model)

    def _listed(self, model: str) -> ListPrice | None:
        from genai_prices.data_snapshot import get_snapshot  # takes a second to import; many runs use no model

        snapshot = get_snapshot()
        try:
            provider = snapshot.find_provider(None, None, self._base_url)
        except LookupError:
            provider = snapshot.find_provider(None, _DEFAULT_PROVIDER, None)
        try:
            _, found = snapshot.find_provider_model(model, provider, None, None)
        except LookupError:
            return None
        return ListPrice(provider, found)


def load_prices(own: Path | None = None, base_url: str = "") -> Prices:
    """The prices for the models of an endpoint; entries of the user's file replace listed ones.

    Raises:
        SettingsError: the user's file cannot be read, or has another form.
    """
    if own is None:
        return Prices({}, base_url)
    try:
        table = json.loads(own.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"The price table {own} cannot be read: {error.strerror}.", advice=_FORM) from error
    except ValueError as error:
        raise SettingsError(f"The price table {own} is no JSON: {error}.", advice=_FORM) from error
    models = table.get("models") if isinstance(table, Mapping) else None
    if not isinstance(models, Mapping):
        raise SettingsError(f"The price table {own} has no `models`.", advice=_FORM)
    return Prices({str(name): _price(str(name), entry, own) for name, entry in models.items()}, base_url)


def _price(name: str, entry: Any, path: Path) -> Price:
    values = entry if isinstance(entry, Mapping) else {}
    fresh = values.get("in")
    numbers = [
        number
        for number in (fresh, values.get("cached", fresh), values.get("out"))
        if isinstance(number, int | float) and not isinstance(number, bool)
    ]
    if len(numbers) != 3 or min(numbers) < 0 or set(values) - {"in", "cached", "out"}:
        raise SettingsError(f"The price table {path} has no usable price for {name}.", advice=_FORM)
    return Price(float(numbers[0]), float(numbers[1]), float(numbers[2]))
