"""Secrets are taken out of text and JSON; what is no secret stays readable."""

from __future__ import annotations

import pytest

from testwright.utils.redact import REDACTED, Redactor, is_secret_name, without_secrets

KEY = "sk-proj-" + "a1B2" * 8


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"using {KEY} now", KEY),
        ("ghp_" + "a" * 36, "ghp_" + "a" * 36),
        ("xoxb-123456789012-abcdef", "xoxb-123456789012-abcdef"),
        ("key AKIAABCDEFGHIJKLMNOP!", "AKIAABCDEFGHIJKLMNOP"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJzdWIiOiIxIn0"),
        ("Authorization: Bearer abcdefghijklmnop1234", "abcdefghijklmnop1234"),
        ('{"Authorization": "Basic dXNlcjpwYXNzd29yZA=="}', "dXNlcjpwYXNzd29yZA=="),
        ("X-Api-Key: 0123456789abcdef", "0123456789abcdef"),
        ("postgresql://me:p4ss@db.example/x", "p4ss"),
        ("https://host/x?a=1&api_key=0123456789&b=2", "0123456789"),
        ("export AWS_SECRET_ACCESS_KEY=abc/def+ghi", "abc/def+ghi"),
        ("DB_PASSWORD='correct horse'", "correct horse"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEow cut off", "MIIEow"),
    ],
)
def test_credentials_of_known_shape_are_taken_out(text: str, hidden: str) -> None:
    clean = Redactor().text(text)
    assert hidden not in clean
    assert REDACTED in clean
    assert Redactor().text(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "Bearer authentication is used",
        "max_tokens=5 and token_budget=10000000",
        "def login(password: str, authorization: Optional[str]) -> Token: ...",
        "see https://example.com/a?page=2#top and a@b.example",
        "assert cart.total == Decimal('10.00')",
        "task-force-with-a-very-long-dashed-name-indeed",
        "risk-of-loss-in-this-order-of-events",
        "sha256=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Redactor().text(text) == text


def test_values_of_secret_variables_are_taken_out_wherever_they_stand() -> None:
    environment = {
        "MY_SERVICE_TOKEN": "plain-looking-value",
        "PWD": "/home/me/project",
        "POSTGRES_PASSWORD": "postgres",
        "OPENAI_API_KEY": "short",
        "TOKENIZERS_PARALLELISM": "false-value",
    }
    redactor = Redactor.from_environment(environment, ["one-more-secret"])
    text = "plain-looking-value in /home/me/project by postgres, short, false-value, one-more-secret"
    assert redactor.text(text) == f"{REDACTED} in /home/me/project by postgres, short, false-value, {REDACTED}"


def test_the_longer_of_two_overlapping_secrets_is_taken_out_whole() -> None:
    assert Redactor(["secretvalue", "secretvalue-and-more"]).text("secretvalue-and-more") == REDACTED


def test_json_keeps_its_form_and_loses_its_secrets() -> None:
    value = {
        "api_key": "abcdefgh",
        "apiKey": "abcdefgh",
        "password": 12345678,
        "tokens": 17,
        "nested": [{"client-secret": "x"}, ("a", None, 1.5, True)],
        f"key {KEY}": "v",
    }
    assert Redactor().value(value) == {
        "api_key": REDACTED,
        "apiKey": REDACTED,
        "password": 12345678,
        "tokens": 17,
        "nested": [{"client-secret": REDACTED}, ["a", None, 1.5, True]],
        f"key {REDACTED}": "v",
    }


@pytest.mark.parametrize("name", ["api_key", "API-KEY", "GITHUB_TOKEN", "db.password", "secretKey", "token", "A_DSN"])
def test_names_that_say_secret_are_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["max_tokens", "tokens", "PWD", "key", "author", "monkey", "tokenizer", "passed"])
def test_names_that_say_nothing_of_the_kind_are_not(name: str) -> None:
    assert not is_secret_name(name)


def test_stored_settings_leave_secret_fields_out_instead_of_masking_them() -> None:
    settings = {"token": "abc", "models": {"api_key": "x", "name": KEY}, "password": None, "jobs": 2}
    assert without_secrets(settings, Redactor()) == {"models": {"name": REDACTED}, "password": None, "jobs": 2}


def test_text_made_to_slow_the_search_down_is_done_in_one_pass() -> None:
    for text in ("A_" * 50_000, "a://" * 20_000, "-----BEGIN PRIVATE KEY-----" * 2_000, "eyJ" * 30_000, "x:" * 50_000):
        assert isinstance(Redactor().text(text), str)
