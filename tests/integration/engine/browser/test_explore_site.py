"""A site is explored in a real Chromium inside the sandbox: its flows, and what becomes of pages that misbehave."""

from __future__ import annotations

import asyncio

import pytest

from testwright.core.errors import EnvironmentFault
from testwright.engine.browser.explore.explore import explore_site
from testwright.engine.browser.explore.session import SiteLaunch, open_browser
from testwright.engine.browser.model.flow import Exploration, Flow, SignIn
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.hostile.host import processes_with
from testwright.tests.support.projects.guest_book import GUEST_BOOK

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.waits]
LAUNCH = SiteLaunch("book:application", environment={"WALL_PASSWORD": "a-secret"})


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    folder = tmp_path_factory.mktemp("book")

    async def explore() -> Exploration:
        async with prepared(folder, GUEST_BOOK, import_roots=(".",)) as target:
            return await explore_site(target, LAUNCH, sign_in=SignIn("friend", "WALL_PASSWORD"), destructive=False)

    explored = asyncio.run(explore())
    # Some of its pages never come to an end.
    assert processes_with(str(folder)) == []
    return explored


def _flow(found: Exploration, words: str) -> Flow:
    [flow] = [one for one in found.flows if words in one.title]
    return flow


def test_an_entry_is_looked_for_on_another_page_than_the_one_that_answers(found):
    flow = _flow(found, "name Ada Lovelace and e-mail ada@example.org, appears on the page “Guests”")
    assert flow.actions[-1] == {"kind": "open", "url": "/"}
    row = {"by": "role", "value": "row", "name": "Ada Lovelace", "exact": True}
    assert {"kind": "visible", "locator": row} in [
        {key: value for key, value in one.items() if key != "after_action"} for one in flow.expect
    ]


def test_what_the_server_refuses_is_expected_with_its_message(found):
    flow = _flow(found, "without name is refused")
    assert {
        "kind": "text",
        "locator": {"by": "role", "value": "alert"},
        "value": "Please give your name.",
    } in flow.expect


def test_what_the_browser_holds_back_is_expected_at_its_field(found):
    flow = _flow(found, "without e-mail is refused")
    assert {"kind": "focused", "locator": {"by": "label", "value": "E-mail"}} in flow.expect


def test_pages_behind_a_password_are_tested_after_signing_in_and_without(found):
    assert found.sign_in is not None
    assert _flow(found, "a wrong password is refused").expect
    assert all("a-secret" not in repr(one) for one in found.flows)
    assert {"kind": "fill", "locator": {"by": "label", "value": "Password"}, "secret": "WALL_PASSWORD"} in (
        found.sign_in.actions
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/loop", "/loop cannot be opened: Page.goto: net::ERR_TOO_MANY_REDIRECTS at /loop"),
        ("/restless", "/restless never settles"),
        ("/storm", "/storm cannot be opened: the page opens one dialog after another"),
        ("/file", "/file is a download"),
        ("/popup", "/popup opens other windows"),
    ],
)
def test_a_page_that_misbehaves_is_noted_and_left_out(found, path, said):
    assert any(note.startswith(said) for note in found.notes), found.notes
    assert path == "/popup" or all(one.path != path for one in found.places)


def test_nothing_is_clicked_that_looks_destructive_where_that_is_not_allowed(found):
    assert any("“Delete all” was not clicked" in note for note in found.notes)
    assert not any("Delete all" in repr(flow.actions) for flow in found.flows)


def test_other_sites_are_not_visited(found):
    assert not any("example.org/" in one.path for one in found.places)


_NOTES = """<!doctype html><title>Notes</title><h1>Notes</h1>
<form id="add"><label>Note <input name="note" required></label><button>Add note</button></form><ul id="notes"></ul>
<form id="gone"><label>Reason <input name="reason"></label><button>Delete everything</button></form>
<script>
  document.getElementById('add').onsubmit = (event) => {
    event.preventDefault();
    const item = document.createElement('li');
    item.textContent = new FormData(event.target).get('note');
    document.getElementById('notes').append(item);
  };
</script>"""


async def test_a_form_that_a_script_handles_is_used_as_carefully_as_a_button(tmp_path):
    command = ("python", "-m", "http.server", "{port}", "--bind", "127.0.0.1")
    async with prepared(tmp_path, {"public/index.html": _NOTES}, import_roots=(".",)) as target:
        found = await explore_site(target, SiteLaunch(command=command, folder="public"), destructive=False)
    flow = _flow(found, "note")
    assert {"kind": "click", "locator": {"by": "role", "value": "button", "name": "Add note"}} in flow.actions
    assert any("“Delete everything” was not clicked" in note for note in found.notes)
    assert not any("Delete everything" in repr(one.actions) for one in found.flows)


async def test_a_site_that_does_not_start_is_an_environment_fault_with_its_reason(tmp_path):
    files = {"broken.py": "import nowhere_at_all\n"}
    async with prepared(tmp_path, files, import_roots=(".",)) as target:
        with pytest.raises(EnvironmentFault, match="No module named 'nowhere_at_all'"):
            async with open_browser(target, SiteLaunch("broken:application")):
                pass
