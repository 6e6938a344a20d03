"""A token goes to the server that was named, and to no other."""

import pytest

from testwright.core.errors import GitHubFailure, SettingsError
from testwright.tests.support.github.local_github import WRITER, local_github
from testwright.vcs.github.api import GitHubAccess

pytestmark = pytest.mark.feature("A-12")


async def test_a_next_page_on_another_server_is_not_asked_for(github, connect):
    github.add("acme/shop", {"a": "b"})
    repository = github.repositories["acme/shop"]
    for number in range(2):
        repository.open_pull(f"b{number}", "main", "one", "")
    with local_github() as other:
        repository.url = other.url
        async with connect(WRITER) as api:
            pages = api.pages("/repos/acme/shop/pulls{?state,per_page}", most=10, state="open", per_page="1")
            await anext(pages)
            with pytest.raises(GitHubFailure, match="another server"):
                await anext(pages)
        assert other.seen == []


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_no_proxy_reads_what_goes_to_this_machine(github, connect, monkeypatch, name):
    github.add("acme/shop", {"a": "b"})
    for excepted in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(excepted, raising=False)
    with local_github() as proxy:
        monkeypatch.setenv(name, proxy.url)
        async with connect(WRITER) as api:
            assert await api.get("/repos/acme/shop")
        assert proxy.seen == []


@pytest.mark.parametrize("address", ["https://bob:pa55word@git.example/api", "https://t0ken@git.example", "https://["])
def test_an_address_with_a_password_is_refused_and_not_shown(address):
    with pytest.raises(SettingsError) as raised:
        GitHubAccess.of({"GITHUB_API_URL": address})
    told = f"{raised.value.message} {raised.value.advice}"
    assert not any(secret in told for secret in ("bob", "pa55word", "t0ken"))
