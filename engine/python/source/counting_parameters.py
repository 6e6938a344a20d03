"""Tells parameters that take a number of things or a place, which is never negative, from quantities with a sign."""

from __future__ import annotations

import re

from ....utils.python_source import literal_or
from ..model.model import CallableFacts, Parameter

_PLACE_NAME = re.compile(r"(pos|position|start|start_?pos|begin|count|size|length|width|height|limit|n|line(_?no)?)")
_SIGNED_NAME = re.compile(
    r"(.*_)?(step|delta|by|amount|value|number|shift|offset|increment|change|difference|sign|direction|exponent|power"
    r"|balance|level|priority|factor|weight|scale|slope|bias|temperature|latitude|longitude|gain|charge|speed|minimum"
    r"|maximum|coefficient|multiplier|d?[xyz]|[a-e])"
)


def counts_things(called: CallableFacts, name: str, declared: Parameter | None) -> bool:
    """Whether a parameter takes a position or a number of things, as a size is.

    An option of a constructor whose default is a positive whole number does, too, unless its name is that of a
    quantity with a sign.

    Args:
        called: the callable that takes it.
        name: its name.
        declared: how it is declared; None where it goes into `*args` or `**kwargs`.
    """
    if _PLACE_NAME.fullmatch(name):
        return True
    default = literal_or(declared.default or "None", None) if declared is not None else None
    if called.kind != "constructor" or not isinstance(default, int) or isinstance(default, bool):
        return False
    return default >= 1 and not _SIGNED_NAME.fullmatch(name)
