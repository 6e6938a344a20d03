"""Names of repositories on GitHub, and where GitHub is."""

import pytest

from testwright.core.errors import SettingsError, UsageError
from testwright.vcs.github.api import DEFAULT_URL, GitHubAccess
from testwright.vcs.github.names import RepositoryName, remote_repository, repository_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acme/shop", RepositoryName("acme/shop")),
        ("acme/shop.js@v1.2", RepositoryName("acme/shop.js", "v1.2")),
        ("acme/shop@feature/x", RepositoryName("acme/shop", "feature/x")),
    ],
)
def test_a_repository_is_owner_name_and_a_ref(text, expected):
    assert repository_name(text) == expected


@pytest.mark.parametrize(
    "text", ["", "shop", "a/b/c", "acme/..", "acme/shop@", "acme/shop@a..b", "acme/sh op", "acme/s?x=1"]
)
def test_anything_else_is_refused(text):
    with pytest.raises(UsageError, match="names no repository"):
        repository_name(text)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:acme/shop.git", ("github.com", "acme/shop")),
        ("https://user:secret@github.com/acme/shop.git", ("github.com", "acme/shop")),
        ("https://GitHub.com/acme/shop/", ("github.com", "acme/shop")),
        ("ssh://git@github.example:22/acme/shop.git", ("github.example", "acme/shop")),
        ("/home/me/shop", None),
        ("file:///home/me/shop", None),
        ("https://gitlab.example/group/sub/shop.git", None),
    ],
)
def test_a_remote_has_a_host_and_a_repository(url, expected):
    assert remote_repository(url) == expected


def test_the_token_comes_from_the_first_variable_that_is_set_and_is_not_shown():
    assert GitHubAccess.of({}) == GitHubAccess(DEFAULT_URL, "")
    access = GitHubAccess.of({"GITHUB_TOKEN": " ", "GH_TOKEN": "gho_secret"})
    assert access.token == "gho_secret"
    assert "gho_secret" not in repr(access)


@pytest.mark.parametrize("url", ["http://github.example/api/v3", "http://127.0.0.1.example", "ftp://x", "github.com"])
def test_no_token_is_sent_in_the_open(url):
    with pytest.raises(SettingsError, match="no https address"):
        GitHubAccess.of({"GITHUB_API_URL": url, "GITHUB_TOKEN": "gho_secret"})


@pytest.mark.parametrize("url", ["https://github.example/api/v3/", "http://127.0.0.1:8080", "http://[::1]:80"])
def test_an_https_address_and_this_machine_are_taken(url):
    assert GitHubAccess.of({"GITHUB_API_URL": url}).url == url.rstrip("/")
