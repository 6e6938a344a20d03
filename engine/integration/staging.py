"""Which methods put something into their object."""

from __future__ import annotations

import re

from ..python.model import CallableFacts
from ..python.receivers import is_change

_FILLS = re.compile(
    r"(add|set|put|push|insert|append|extend|register|update|enqueue|store|save|remember|feed|write|record|create|assign|"
    r"attach|include|deposit|book|schedule|deliver|keep|receive|import|ingest|enrol|join|post|log|track|credit|open)(_.*)?"
)


def fills(member: CallableFacts) -> bool:
    """Whether calling a method seems to put something into its object."""
    if member.kind != "method" or not member.public or member.is_async or member.is_generator or member.has_setter:
        return False
    return _FILLS.fullmatch(member.name) is not None and (is_change(member) or bool(member.parameters))
