"""Secrets are taken out of text and JSON; what is no secret stays readable."""

from __future__ import annotations

import time

import pytest

from testwright.utils.redact import (
    REDACTED,
    Redactor,
    has_secret_argument,
    is_secret_name,
    placeholder_secret,
    without_secrets,
)

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


LETTERS = "aB3dE5gH7jK9mN2pQ4rS6tU8vW1xY0z"


def fake(length: int, alphabet: str = LETTERS) -> str:
    """A made-up credential, put together here so that no secret scanner finds one in the repository."""
    return (alphabet * (length // len(alphabet) + 1))[:length]


def begin(kind: str, edge: str) -> str:
    return "-" * 5 + f"{edge} {kind}PRIVATE " + "KEY" + "-" * 5


UPPER = "AB2CD3EF4GH5"
JWT = "eyJ" + fake(20) + "." + "eyJ" + fake(30) + "." + fake(40)
# (where, a text with the secret in the place of {}, the secret)
COMMON_SHAPES = [
    ("AWS access key id", "aws_access_key_id = {}", "AKIA" + fake(16, UPPER)),
    ("AWS temporary key id", "using {} now", "ASIA" + fake(16, UPPER)),
    ("AWS secret key in a profile", "aws_secret_access_key = {}", fake(38) + "/+"),
    ("AWS secret key in the environment", "AWS_SECRET_ACCESS_KEY={}", fake(40)),
    ("AWS secret key in JSON", '{{"SecretAccessKey": 1, "aws_secret_access_key": "{}"}}', fake(40)),
    ("GitHub token", "git clone with {}", "ghp" + "_" + fake(36)),
    ("GitHub OAuth token", "token: {}", "gho" + "_" + fake(36)),
    ("GitHub server token", "x={}", "ghs" + "_" + fake(36)),
    ("GitHub fine-grained token", "GH: {}", "github" + "_pat_" + fake(22) + "_" + fake(59)),
    ("GitLab token", "PRIVATE-TOKEN: {}", "glpat" + "-" + fake(20)),
    ("Slack bot token", "slack {} posts", "xox" + "b-" + fake(12, "1234567890") + "-" + fake(24)),
    (
        "Slack webhook",
        "https://hooks.slack.com/services/{}",
        "T" + fake(8, UPPER) + "/B" + fake(8, UPPER) + "/" + fake(24),
    ),
    ("Stripe secret key", "stripe.api_key = '{}'", "sk" + "_live_" + fake(24)),
    ("Stripe restricted key", "key {}", "rk" + "_live_" + fake(24)),
    ("Stripe webhook secret", "signed with {}", "whsec" + "_" + fake(32)),
    ("Google API key", "https://maps/api?key={}", "AI" + "za" + fake(35)),
    ("Google OAuth secret", "client {}", "GOC" + "SPX-" + fake(28)),
    ("JSON Web Token", "cookie session={}; path=/", JWT),
    ("PEM private key", "{}", begin("RSA ", "BEGIN") + "\n" + fake(64) + "\n" + begin("RSA ", "END")),
    ("PEM private key in JSON", '{{"key": "{}"}}', begin("", "BEGIN") + "\\n" + fake(64) + "\\n" + begin("", "END")),
    ("service account", '{{"type": "service_account", "private_key": "{}\\n"}}', begin("", "BEGIN") + "\\n" + fake(64)),
    ("OpenSSH private key", "{}", begin("OPENSSH ", "BEGIN") + "\n" + fake(70) + "\n" + begin("OPENSSH ", "END")),
    ("basic auth in a URL", "https://me:{}@git.example/x.git", fake(12)),
    ("bearer header", "Authorization: Bearer {}", fake(24)),
    ("basic header", "curl -H 'Authorization: Basic {}'", fake(10) + "=="),
    ("token header", "Authorization: token {}\nAccept: */*", fake(12)),
    ("signed header", "Authorization: AWS4-HMAC-SHA256 {}", "Credential=" + fake(12) + "/x, Signature=" + fake(30)),
    ("npm token", "npm whoami {}", "npm" + "_" + fake(36)),
    ("npm registry file", "//registry.npmjs.org/:_authToken={}", fake(8) + "-" + fake(27)),
    ("PyPI token", "password = {}", "pypi-" + "AgEI" + fake(60)),
    ("PostgreSQL URL", "postgres://app:{}@db:5432/shop", fake(9)),
    ("MySQL URL", "mysql+pymysql://root:{}@localhost/shop", fake(9)),
    ("MongoDB URL", "mongodb+srv://app:{}@cluster0.example.net/db", fake(9)),
    ("Redis URL", "redis://:{}@cache:6379/0", fake(9)),
    ("AMQP URL", "amqps://guest:{}@mq//", fake(9)),
    ("ADO connection string", "Server=db;Database=shop;User Id=sa;Password={};Encrypt=true", "p" + fake(8) + "!"),
    ("ADO connection string, password first", "Password={};Server=db", "p" + fake(8) + "!"),
    ("ODBC connection string", "DRIVER=x;SERVER=db;UID=sa;PWD={}", fake(9)),
    ("libpq connection string", "host=db port=5432 user=app password={} dbname=shop", fake(9)),
    ("Azure storage account", "AccountName=shop;AccountKey={};EndpointSuffix=x", fake(64) + "=="),
    ("Anthropic key", "claude with {}", "sk" + "-ant-api03-" + fake(60)),
    ("OpenAI project key", "openai with {}", "sk" + "-proj-" + fake(60)),
    ("SendGrid key", "mail with {}", "S" + "G." + fake(22) + "." + fake(43)),
]


@pytest.mark.parametrize(
    ("text", "secret"), [(t, s) for _, t, s in COMMON_SHAPES], ids=[w for w, _, _ in COMMON_SHAPES]
)
def test_common_credentials_are_redacted(text: str, secret: str) -> None:
    clean = Redactor().text(text.format(secret))
    assert secret not in clean
    assert secret[len(secret) // 2 :] not in clean
    assert REDACTED in clean
    assert Redactor().text(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "Bearer authentication is used",
        'NOTES_TOKEN = os.environ["NOTES_TOKEN"]',
        "NOTES_TOKEN = config.get(NAME)",
        "max_tokens=5 and token_budget=10000000",
        "def login(password: str, authorization: Optional[str]) -> Token: ...",
        "see https://example.com/a?page=2#top and a@b.example",
        "assert cart.total == Decimal('10.00')",
        "task-force-with-a-very-long-dashed-name-indeed",
        "risk-of-loss-in-this-order-of-events",
        "sha256=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "commit 1ec9af3d88b2a5c1f0e7d6b5a4938271605f4e3d on main",
        "run 6f1c0a52-5b7e-4c7e-9d0a-3d1f5f1b2c3d of 2026-11-23T19:00:00Z",
        '"integrity": "sha512-z9Yb2pQ7mX1vK4cR8tL0nJ5wH3gF6dS2aE7uI9oP1kM4xC=="',
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "/usr/lib/python3.11/site-packages/token_bucket/passwords.py:12: in authorize",
        "def connect(user, password=None, *, pwd='x', client_secret: str = DEFAULT_CLIENT_SECRET): ...",
        "let password=readPassword(); this.pwd = pwd; host=db",
        "authorization: Token | None = None",
        "Authorization: required for every request",
        "from secrets import token_hex; token = token_hex(16)",
        "client_secret: process.env.CLIENT_SECRET_OF_THE_SHOP",
        "npm_config_cache=/root/.npm npm_lifecycle_event=test",
        "DATABASE_URL=postgres://app:${DB_PASSWORD}@db/shop",
        "http://127.0.0.1:8000/orders?page=2 and git@github.com:org/repo.git",
        "eyJ is how base64 of a JSON object begins",
        "SERVER=db;UID=sa;PWD=${DB_PASSWORD}",
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


HOSTILE = [
    "A_", "a://", "-----BEGIN PRIVATE KEY-----", "eyJ", "-eyJ", "-eyJaaaaaaaa.", "x:", "sk-", "-sk_live_", "glpat-",
    "Authorization: token ", "authorization:", "TOKEN =", "TOKEN\n", "password=a;", ";password", "host=a ", "a.b+c-",
    "?key=", "_authToken:", "aws_secret_access_key ", "SG.a", "Bearer ", "http://a:b", "-----BEGIN RSA ", "api-key:a",
    "SECRET_",
]  # fmt: skip


# `re` cannot count its steps: a quadratic search of 250,000 characters takes minutes, a linear one less than a second.
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_is_redacted_in_linear_time(unit: str) -> None:
    text, began = unit * (250_000 // len(unit)), time.process_time()
    assert isinstance(Redactor().text(text), str)
    assert time.process_time() - began < 30


@pytest.mark.parametrize(
    ("command", "holds"),
    [
        ("uvicorn shop.api:app --port {port}", False),
        ("flask run --port={port} --debug", False),
        ("app --max-tokens 400 --token-budget=3", False),
        ("app --api-key hunter2", True),
        ("app --password=hunter2", True),
        ("PASSWORD=hunter2 app", True),
        ("app --db postgres://shop:hunter22@localhost/shop", True),
        ("app sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD", True),
        ("app --token --verbose", False),
        ("app 'unfinished", False),
    ],
)
def test_arguments_of_a_command_that_are_secrets_are_found(command: str, holds: bool) -> None:
    assert has_secret_argument(command) is holds


@pytest.mark.parametrize("name", ["SHOP_SECRET_KEY", "JWT_KEY", "SIGNING_KEY"])
def test_a_made_up_key_that_signs_is_long_enough_for_every_algorithm(name):
    assert len(placeholder_secret(name).encode()) >= 64
    assert placeholder_secret("SHOP_PASSWORD") == "test-shop-password"
