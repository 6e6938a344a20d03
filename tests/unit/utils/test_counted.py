"""Messages count words as people do."""

from __future__ import annotations

import pytest

from testwright.utils.names.counted import counted


@pytest.mark.parametrize(("number", "said"), [(0, "0 trials"), (1, "1 trial"), (2, "2 trials"), (1_000, "1000 trials")])
def test_a_noun_has_the_form_of_its_number(number: int, said: str) -> None:
    assert counted(number, "trial") == said


@pytest.mark.parametrize(("number", "said"), [(1, "1 branch"), (2, "2 branches")])
def test_a_noun_that_takes_more_than_an_s_names_its_plural(number: int, said: str) -> None:
    assert counted(number, "branch", "branches") == said
