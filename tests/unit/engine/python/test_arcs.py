"""Arcs of sources as coverage.py counts them."""

import pytest

from testwright.engine.python.model.arcs import ArcMap, branch_arcs, possible_arcs


@pytest.mark.feature("B-01")
def test_an_empty_file_has_no_arcs_of_its_own():
    assert branch_arcs("") == frozenset()
    assert ArcMap("").possible == possible_arcs("") == possible_arcs("\n")
