"""Values of calls are used again, and known by who chose them (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.model import CallableFacts, ModuleFacts, Parameter, Trial
from testwright.engine.python.usage.harvest import Harvester

FACTS = ModuleFacts(
    "m.py",
    "m",
    ".",
    "",
    functions=(CallableFacts("parse", "function", (1, 9), (Parameter("text", "positional_or_keyword"),)),),
)


@pytest.mark.feature("B-16")
@pytest.mark.parametrize(
    ("source", "origin"),
    [("doctest", "call_site"), ("existing_test", "call_site"), ("mutation", "mutation"), ("signature", "signature")],
)
def test_what_a_search_found_passes_for_nobodys_usage(source: str, origin: str) -> None:
    harvest = Harvester(FACTS).read([Trial("parse", "parse('<<')", source=source)])

    assert [one.origin for one in harvest.arguments["parse", "text"]] == [origin]
