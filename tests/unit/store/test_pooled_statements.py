"""A pooler that keeps no sessions is known by statements that were prepared in another session."""

from __future__ import annotations

import pytest

from testwright.store.database.pooler import is_pooled


class DriverError(Exception):
    """As a driver raises it, with the SQLSTATE of the server where there is one."""

    def __init__(self, sqlstate: str | None) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


@pytest.mark.parametrize("state", ["26000", "42P05"])
def test_a_statement_that_is_missing_or_there_already_tells_of_a_pooler(state: str) -> None:
    assert is_pooled(DriverError(state))


@pytest.mark.parametrize("error", [DriverError("42P01"), DriverError(None), ValueError("26000"), None])
def test_any_other_error_tells_of_none(error: BaseException | None) -> None:
    assert not is_pooled(error)
