"""What runs learned about a project is kept for that project alone, and without secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.store.files.lorebook_file import LorebookFile
from testwright.utils.redact import Redactor

BOOK: dict[str, Any] = {"entries": [{"key": "shop/cart.py", "value": "needs a database"}]}


@pytest.mark.feature("P-06")
def test_projects_that_share_a_state_folder_have_a_lorebook_each(tmp_path: Path) -> None:
    state, shop, bank = (tmp_path / name for name in ("state", "shop", "bank"))
    LorebookFile(state, shop).keep(BOOK)
    assert LorebookFile(state, bank).load() == {}
    assert LorebookFile(state, tmp_path / "bank" / ".." / "shop").load() == BOOK
    assert LorebookFile(state, shop, fresh=True).load() == {}


@pytest.mark.feature("P-06")
def test_no_secret_is_stored_in_a_lorebook(tmp_path: Path) -> None:
    redactor = Redactor.from_environment({"SHOP_PASSWORD": "hunter2-and-more"})
    book = LorebookFile(tmp_path, tmp_path, redact=redactor.value)
    book.keep({"entries": [{"key": "shop", "value": "the password is hunter2-and-more"}]})
    [file] = tmp_path.glob("*.json")
    assert "hunter2" not in file.read_text()
    assert book.load()["entries"][0]["key"] == "shop"
