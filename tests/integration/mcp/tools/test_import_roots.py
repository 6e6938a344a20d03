"""Below which folders the modules of test specs have their names."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.mcp.tools.run_own_pytest import _import_roots

pytestmark = pytest.mark.feature("T-06")


@pytest.mark.parametrize(
    ("target", "roots"),
    [
        ({"path": "src/shop/cart.py", "module": "shop.cart"}, ["src"]),
        ({"path": "shop/__init__.py", "module": "shop"}, ["."]),
        ({"application": {"command": ["notes", "{port}"]}}, []),
        ({"path": "public/index.html"}, []),
    ],
)
def test_modules_have_their_names_below_a_folder_and_a_site_that_a_command_starts_has_none(
    target: dict[str, Any], roots: list[str]
):
    assert _import_roots({"target": target}) == roots
