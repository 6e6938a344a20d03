"""Prices that the user can override, and keys that go only where they are meant to."""

import json
import subprocess
import sys

import pytest

from testwright.agents.model.endpoint import OPENAI_URL, base_url_of, key_for
from testwright.agents.model.prices import Price, load_prices
from testwright.cli.doctor import models_check
from testwright.config.models import Models
from testwright.config.settings import Settings
from testwright.core.errors import SettingsError

OWN, THEIRS = {"TESTWRIGHT_API_KEY": "own"}, {"OPENAI_API_KEY": "theirs"}
LOCAL = "http://localhost:8000/v1"


@pytest.mark.feature("T-13")
def test_a_users_prices_replace_and_add_to_those_that_come_with_us(tmp_path):
    table = tmp_path / "prices.json"
    table.write_text(json.dumps({"models": {"gpt-4o": {"in": 1, "out": 2}, "mine": {"in": 4, "cached": 1, "out": 8}}}))
    prices = load_prices(table)
    assert prices.of("gpt-4o") == prices.of("gpt-4o-2024-08-06") == Price(1.0, 1.0, 2.0)
    assert prices.of("gpt-4o-mini-2024-07-18") == load_prices().of("gpt-4o-mini")
    assert prices.of("unheard-of") is None
    mine = prices.of("mine")
    assert mine is not None
    assert mine.cost(1_000_000, 250_000, 500_000) == 3.0 + 0.25 + 4.0


@pytest.mark.feature("T-13")
@pytest.mark.parametrize(
    ("base_url", "model", "cost"),
    [
        ("", "gpt-4.1", 0.75 * 2.0 + 0.25 * 0.5 + 0.5 * 8.0),
        (OPENAI_URL, "gpt-4o-mini", 0.75 * 0.15 + 0.25 * 0.075 + 0.5 * 0.6),
        (LOCAL, "gpt-5-nano", 0.75 * 0.05 + 0.25 * 0.005 + 0.5 * 0.4),
        (OPENAI_URL, "o4-mini", 0.75 * 1.1 + 0.25 * 0.275 + 0.5 * 4.4),
        ("https://api.anthropic.com/v1", "claude-sonnet-4-5", None),
    ],
)
def test_models_of_known_providers_have_a_price(base_url, model, cost):
    price = load_prices(None, base_url).of(model)
    assert price is not None
    if cost is not None:
        assert price.cost(1_000_000, 250_000, 500_000) == pytest.approx(cost)
    # A prompt that an endpoint counts as more cached than sent still has a cost.
    assert price.cost(10, 20, 0) >= 0


def test_a_model_of_another_provider_than_the_endpoints_has_no_price():
    assert load_prices(None, OPENAI_URL).of("claude-sonnet-4-5") is None
    assert load_prices(None, LOCAL).of("claude-sonnet-4-5") is None
    assert load_prices(None, "https://api.anthropic.com/v1").of("gpt-4o") is None


def test_prices_are_read_without_the_network_and_only_when_asked_for():
    program = """
import socket, sys, threading
def refuse(*_, **__):
    raise AssertionError("the network is used")
socket.socket.connect = socket.getaddrinfo = refuse
from testwright.agents.model.prices import load_prices
prices = load_prices()
assert "genai_prices" not in sys.modules
assert prices.of("gpt-4o").cost(1000, 0, 1000) > 0
assert threading.active_count() == 1
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"models": []}', '{"models": {"m": {"in": 1}}}', '{"models": {"m": {"in": -1, "out": 1}}}'],
)
def test_a_price_table_of_another_form_is_refused(tmp_path, text):
    table = tmp_path / "prices.json"
    table.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_prices(table)
    assert "models" in caught.value.advice


def test_a_price_table_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        load_prices(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("base_url", "environment", "key"),
    [
        (OPENAI_URL, THEIRS, "theirs"),
        (OPENAI_URL, {**OWN, **THEIRS}, "own"),
        (LOCAL, OWN, "own"),
        (LOCAL, {}, ""),
        (LOCAL, THEIRS, ""),
        (LOCAL, {**THEIRS, "OPENAI_BASE_URL": LOCAL + "/"}, "theirs"),
    ],
)
def test_a_key_goes_only_where_it_is_meant_to(base_url, environment, key):
    assert key_for(base_url, environment) == key


def test_openai_without_a_key_is_refused_before_anything_is_done():
    with pytest.raises(SettingsError) as caught:
        key_for(OPENAI_URL, {})
    assert "OPENAI_API_KEY" in caught.value.advice


@pytest.mark.parametrize("key", ["k-schl\u00fcssel", "one\ntwo", "\u201ck-quoted\u201d"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key):
    with pytest.raises(SettingsError) as caught:
        key_for(LOCAL, {"TESTWRIGHT_API_KEY": key})
    assert "TESTWRIGHT_API_KEY" in caught.value.message
    assert key not in caught.value.message + caught.value.advice


@pytest.mark.feature("B-05")
def test_the_doctor_says_which_models_are_asked_and_whether_there_is_a_key(tmp_path):
    embedded = models_check(Settings(root=tmp_path), {})
    assert (embedded.ok, embedded.required) == (True, False)
    openai = models_check(Settings(root=tmp_path, models=Models(spec="openai:m"), base_url=OPENAI_URL), {})
    assert (openai.ok, openai.required) == (False, True)
    local = models_check(Settings(root=tmp_path, models=Models(spec="openai:m"), base_url=LOCAL), OWN)
    assert (local.ok, local.found, local.meaning) == (True, f"m (spec) at {LOCAL}", "a key is there")


def test_the_endpoint_is_the_settings_then_the_environments_then_openai():
    assert base_url_of(LOCAL, {"OPENAI_BASE_URL": "http://other/v1"}) == LOCAL
    assert base_url_of(None, {"OPENAI_BASE_URL": "http://other/v1/"}) == "http://other/v1"
    assert base_url_of(None, {}) == OPENAI_URL
