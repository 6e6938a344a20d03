"""The conftest.py that sets what the code under test reads from the environment."""

from __future__ import annotations

import os

import pytest

from testwright.gate.verify.variables_conftest import variables_conftest
from testwright.utils.generated_header import is_untouched


@pytest.mark.feature("T-06")
def test_it_sets_what_is_missing_and_leaves_what_a_person_has_set(monkeypatch):
    text = variables_conftest({"SHOP_REGION": "eu", "SHOP_NAME": 'a "b"\n'})
    monkeypatch.setenv("SHOP_REGION", "us")
    monkeypatch.setenv("SHOP_NAME", "")
    monkeypatch.delenv("SHOP_NAME")
    exec(compile(text, "conftest.py", "exec"), {})
    assert (os.environ["SHOP_REGION"], os.environ["SHOP_NAME"]) == ("us", 'a "b"\n')
    assert is_untouched(text) is True


@pytest.mark.feature("T-06")
@pytest.mark.parametrize(
    ("name", "value"),
    [("NOTES_TOKEN", "hunter2"), ("STRIPE_KEY", "abc"), ("SHOP_URL", "postgres://me:hunter2@db/shop")],
)
def test_no_value_of_a_secret_is_written(name, value):
    text = variables_conftest({name: value})
    assert value not in text
    assert f'"test-{name.lower().replace("_", "-")}"' in text


def test_no_line_is_longer_than_common_linters_allow():
    assert max(map(len, variables_conftest({"A" * 60: "b" * 40}).splitlines())) <= 88
