"""What becomes of a site's answers, on made pages: errors are never expected, and nothing is said that was not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.browser.explore import explore
from testwright.engine.browser.explore.forms import entry_flows, forms_of, search_flows
from testwright.engine.browser.explore.session import SiteLaunch
from testwright.engine.browser.explore.visits import Explorer, find_sign_in
from testwright.engine.browser.model.flow import BrowserBudget, Exploration, Flow, Place, SignIn
from testwright.engine.browser.model.page import Action, Button, Field, Json, Link, PageState, Played
from testwright.engine.browser.model.tree import read_tree
from testwright.engine.browser.write.compose import compose_spec
from testwright.engine.browser.write.evidence import TextPlaces

pytestmark = pytest.mark.feature("T-20")
ERROR = PageState("/broken", status=500, seen=read_tree('- heading "Internal Server Error"\n'))
CUSTOMER = Field("text", "Customer", form=0)
HELD = Field("text", "Customer", form=0, value="Ada Lovelace")
FORM_TREE = '- heading "New order"\n- textbox "Customer"\n- button "Place order"\n'
ORDERS = PageState("/", status=200, seen=read_tree('- heading "Orders"\n- row "Article"\n- row "apple"\n'))


def page(path: str, tree: str, **more: Any) -> PageState:
    given: dict[str, Any] = {"status": 200, "seen": read_tree(tree), **more}
    return PageState(path, **given)


def order_form(tree: str = FORM_TREE, **more: Any) -> PageState:
    parts = {"fields": (CUSTOMER,), "buttons": (Button("Place order", 0, submits=True),), "methods": ("post",)}
    return page("/new", tree, **{**parts, **more})


class MadeSession:
    """Answers scenarios with made states; every check holds."""

    def __init__(self, answer: Callable[[Sequence[Action]], PageState]) -> None:
        self._answer = answer

    async def play(self, actions: Sequence[Action], checks: Sequence[Json] = ()) -> Played:
        return Played(self._answer(actions), (True,) * len(checks))


def explorer(answer: Callable[[Sequence[Action]], PageState], *, scenarios: int = 160) -> Explorer:
    return Explorer(MadeSession(answer), BrowserBudget(scenarios=scenarios), True)  # pyrefly: ignore[bad-argument-type]


async def visited(one: Explorer, path: str, parent: str = "") -> Place:
    place = await one.visit(path, parent, None)
    assert place is not None
    return place


def titles(found: Exploration) -> list[str]:
    return [defect.title for defect in found.defects]


async def test_a_link_to_an_error_or_to_nothing_is_a_suspected_defect_and_no_page():
    pages = {"/": page("/", '- link "Help"\n', links=(Link("Help", "/help"), Link("Broken", "/broken")))}
    pages |= {"/help": page("/help", '- heading "Not Found"\n', status=404), "/broken": ERROR}
    made = explorer(lambda actions: pages[actions[-1]["url"]])
    await made.visit_all("/")
    assert [place.path for place in made.found.places] == ["/"]
    assert titles(made.found) == [
        "the link “Help” on / leads to a page that does not exist",
        "opening /broken ends in an error of the server (500)",
    ]


async def test_a_page_that_is_not_for_everybody_is_noted_and_no_defect():
    pages = {"/": page("/", '- link "Desk"\n', links=(Link("Desk", "/desk"),))}
    pages |= {"/desk": page("/desk", '- heading "Forbidden"\n', status=403)}
    made = explorer(lambda actions: pages[actions[-1].get("url", "/desk")])
    await made.visit_all("/")
    assert made.found.defects == []
    assert made.found.notes == ["/desk, to which a link on / leads, was left out: it answers with the status 403"]


def demo_site(actions: Sequence[Action]) -> PageState:
    """Who has clicked “Demo” may see the pages behind it; everybody else is sent to the front page."""
    home = page("/", '- heading "Shares"\n- heading "Begin"\n', title="Shares", links=(Link("Demo", "/demo"),))
    rows = page(
        "/demo/", '- heading "Shares"\n- row "Ada 2"\n', title="Shares - demo", links=(Link("Settle", "/demo/settle"),)
    )
    settle = page("/demo/settle", '- heading "Shares"\n- text: Ada pays\n', title="Shares - settle up")
    shown, inside = home, False
    for action in actions:
        wanted = action.get("url") or {"Demo": "/demo", "Settle": "/demo/settle"}[action["locator"]["name"]]
        inside = inside or wanted == "/demo"
        shown = {"/demo": rows, "/demo/": rows, "/demo/settle": settle}.get(wanted, home) if inside else home
    return shown


async def test_pages_that_a_link_lets_people_in_to_are_reached_by_that_link():
    made = explorer(demo_site)
    await made.visit_all("/")
    demo: Action = {"kind": "open", "url": "/demo"}
    click: Action = {"kind": "click", "locator": {"by": "role", "value": "link", "name": "Settle"}}
    ways = {place.path: [*place.opening] for place in made.found.places}
    assert ways == {"/": [{"kind": "open", "url": "/"}], "/demo/": [demo], "/demo/settle": [demo, click]}
    flows = {flow.actions[-1].get("url", "Settle"): flow.actions for flow in await explore._flows(made)}
    assert flows["Settle"] == (demo, click)


async def test_pages_are_called_by_what_is_their_own_and_not_by_the_name_of_the_site():
    made = explorer(demo_site)
    await made.visit_all("/")
    assert [place.name for place in made.found.places] == ["Begin", "demo", "settle up"]


async def test_a_link_that_only_opens_a_dialog_leads_to_no_page():
    """A script answers the click; who opens the address is sent to another page."""
    home = page("/", '- heading "Bills"\n- link "Add"\n', links=(Link("Add", "/add"), Link("Help", "/help")))
    create = page("/create", '- heading "Create a project"\n- text: Begin here\n')
    pages = {"/": home, "/add": create, "/create": create, "/help": page("/help", '- heading "Bills"\n')}
    made = explorer(lambda actions: pages.get(actions[-1].get("url", "/"), home))
    await made.visit_all("/")
    assert {flow.title for flow in await explore._flows(made)} == {
        "the first page “Bills” shows its contents",
        "the page “Create a project” shows its contents",
    }


async def test_nothing_is_expected_of_a_click_that_was_there_before():
    panel = '- heading "Bills"\n- button "Filters"\n'
    closed = page("/", panel, buttons=(Button("Filters"),))
    opened = page("/", f"{panel}- text: By whom\n", buttons=(Button("Filters"),))
    made = explorer(lambda actions: opened if actions[-1]["kind"] == "click" else closed)
    await visited(made, "/")
    [flow] = [one for one in await explore._flows(made) if "Filters" in one.title]
    assert [one["locator"]["value"] for one in flow.expect] == ["By whom", "By whom"]


async def test_a_form_that_breaks_the_server_makes_no_flow(tmp_path):
    made = explorer(lambda actions: ERROR if actions[-1]["kind"] == "click" else order_form())
    [form] = forms_of(await visited(made, "/new"))
    assert await entry_flows(made, form) == []
    assert titles(made.found) == ["click “Place order” on /new ends in an error of the server (500)"]
    (tmp_path / "shop.py").write_text('ROUTES = ["/new"]\n')
    places = TextPlaces(tmp_path, ["shop.py"])
    spec = compose_spec(
        made.found, name="shop", framework="pytest", target={}, launch=SiteLaunch("shop:app"), places=places
    )
    [defect] = spec["suspected_defects"]
    assert defect["evidence"] == {"path": "shop.py", "lines": [1, 1]}
    assert "Click on the button “Place order”." in defect["reproduce"]


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        (order_form(f"{FORM_TREE}- paragraph: That customer is not known.\n"), []),
        (order_form(f"{FORM_TREE}- paragraph: Ada Lovelace is unknown.\n", fields=(HELD,)), []),
        (order_form(f'{FORM_TREE}- checkbox "Ada Lovelace"\n'), ["a new order with customer Ada Lovelace appears on"]),
        (page("/new", '- heading "Bad Request"\n', status=400), []),
        (order_form(f"{FORM_TREE}- status: It was placed.\n"), ["a new order with customer Ada Lovelace leads to"]),
        (order_form(f"{FORM_TREE}- listitem: Ada Lovelace\n"), ["a new order with customer Ada Lovelace appears on"]),
        (page("/thanks", '- heading "Thanks"\n'), ["a new order with customer Ada Lovelace leads to"]),
    ],
)
async def test_a_form_counts_as_taken_only_where_something_shows_it(after, kept):
    made = explorer(lambda actions: after if actions[-1]["kind"] == "click" else order_form())
    [form] = forms_of(await visited(made, "/new"))
    flows = [flow.title for flow in await entry_flows(made, form) if "refused" not in flow.title]
    assert [title.partition(" the page")[0] for title in flows] == kept
    assert bool(kept) or any("took none of the values" in note for note in made.found.notes)


@pytest.mark.parametrize(
    ("rows", "is_found"), [('- row "Article"\n', True), ('- row "Article"\n- row "apple"\n', False)]
)
async def test_a_search_finds_nothing_only_where_what_was_listed_has_gone(rows, is_found):
    words = Field("search", "Article", form=0)
    parts = {"fields": (words,), "buttons": (Button("Search", 0, submits=True),), "methods": ("get",)}
    before = page("/", '- heading "Orders"\n- row "Article"\n- row "apple"\n- row "pear"\n', **parts)
    after = page("/", f'- heading "Orders"\n{rows}- status: Searched.\n', **parts)
    made = explorer(lambda actions: after if actions[-1]["kind"] == "click" else before)
    [form] = forms_of(await visited(made, "/"))
    assert any("finds nothing" in flow.title for flow in await search_flows(made, form)) == is_found


def sign_in_site(refuses: bool) -> Callable[[Sequence[Action]], PageState]:
    fields = (Field("text", "Name", form=0), Field("password", "Password", form=0))
    form = page("/in", '- heading "Sign in"\n', fields=fields, buttons=(Button("Enter", 0, submits=True),))
    inside = page("/desk", '- heading "Desk"\n- link "Sign out"\n')

    def answer(actions: Sequence[Action]) -> PageState:
        right = actions[-1]["kind"] == "click" and all(action.get("value", "keeper") == "keeper" for action in actions)
        return inside if right or (actions[-1]["kind"] == "click" and not refuses) else form

    return answer


@pytest.mark.parametrize("refuses", [True, False])
async def test_a_wrong_password_is_refused_only_where_the_site_asks_again(refuses):
    made = explorer(sign_in_site(refuses))
    await visited(made, "/in")
    await find_sign_in(made, SignIn("keeper", "SHOP_PASSWORD"))
    names = {flow.slug for flow in await explore._sign_in_flows(made)}
    assert {"wrong_password_is_refused", "unknown_user_is_refused"} <= names if refuses else len(names) == 1
    assert titles(made.found) == ([] if refuses else ["a wrong password signs in", "an unknown user signs in"])


def sign_up_site(actions: Sequence[Action]) -> PageState:
    """Makes an account and greets; the list of members is on another page."""
    fields = (Field("text", "Name", form=0), Field("password", "Password", form=0))
    form = page(
        "/join", '- heading "Sign up"\n', fields=fields, buttons=(Button("Go", 0, submits=True),), methods=("post",)
    )
    name = next((action["value"] for action in actions if action["kind"] == "fill"), "")
    if actions[-1].get("url") == "/":
        joined = f'- row "{name}"\n' if name else ""
        return page("/", f'- heading "Members"\n- row "Member"\n- row "Grace"\n{joined}')
    return page("/hello", '- heading "Welcome"\n') if actions[-1]["kind"] == "click" else form


async def test_a_form_that_makes_an_account_is_filled_in_and_its_password_stands_in_no_title():
    made = explorer(sign_up_site)
    await visited(made, "/")
    [form] = forms_of(await visited(made, "/join", "/"))
    [flow, *_] = await entry_flows(made, form)
    assert {action["value"] for action in flow.actions if action["kind"] == "fill"} == {
        "Ada Lovelace",
        "correct horse battery",
    }
    assert "name Ada Lovelace" in flow.title
    assert "appears on the page “Members”" in flow.title
    assert "correct horse" not in flow.title
    await find_sign_in(made, SignIn("keeper", "SHOP_PASSWORD"))
    assert made.found.notes == ["no form was found to sign in with"]


async def test_a_page_that_never_settles_signs_nobody_in():
    answer = sign_in_site(True)
    made = explorer(lambda actions: PageState("/desk", settled=False) if len(actions) > 1 else answer(actions))
    await visited(made, "/in")
    await find_sign_in(made, SignIn("keeper", "SHOP_PASSWORD"))
    assert made.found.sign_in is None


async def test_other_ways_to_find_an_element_are_tried_where_the_first_does_not_and_few_at_a_time():
    asked: list[int] = []
    links = tuple(Link(f"Order {number}", "") for number in range(250))

    class Counting(MadeSession):
        async def play(self, actions: Sequence[Action], checks: Sequence[Json] = ()) -> Played:
            asked.append(len(checks))
            held = tuple(one["locator"].get("exact", False) or "1" not in one["locator"]["name"] for one in checks)
            return Played(page("/", '- heading "Orders"\n', links=links), held)

    made = Explorer(Counting(lambda _: ORDERS), BrowserBudget(), True)  # pyrefly: ignore[bad-argument-type]
    place = await visited(made, "/")
    assert len(place.locators) == 250
    assert asked[:3] == [0, 200, 50]
    assert sum(asked) < 2 * len(links)


async def test_flows_that_matter_most_are_confirmed_first_where_time_is_short(monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr("testwright.engine.browser.explore.visits.time.monotonic", lambda: next(clock))
    made = Explorer(MadeSession(lambda _: ORDERS), BrowserBudget(seconds=1), True, began=0)  # pyrefly: ignore[bad-argument-type]
    seen = {"kind": "title", "value": "Orders"}
    flows = [
        Flow(name, name, "", ({"kind": "open", "url": "/"},), (seen,), priority=priority)
        for name, priority in {"one": "medium", "two": "high", "three": "critical"}.items()
    ]
    assert [flow.slug for flow in await explore._all_confirmed(made, flows)] == ["two", "three"]
    assert made.found.notes == ["the exploration ended after 1 s"]


def test_who_signs_in_has_a_name_that_python_takes():
    flow = Flow("desk", "the desk is seen", "", ({"kind": "open", "url": "/"},), (), signed_in=True)
    who = SignIn("4711", "PIN", ({"kind": "fill", "locator": {"by": "label", "value": "PIN"}, "secret": "PIN"},))
    found = Exploration(flows=[flow], sign_in=who)
    spec = compose_spec(
        *(found,), name="x", framework="pytest", target={}, launch=SiteLaunch(), places=TextPlaces(Path("/nowhere"), [])
    )
    assert set(spec["users"]) == {"user_4711"}


def test_a_flow_ends_with_the_last_thing_that_is_expected(tmp_path):
    opened = {"kind": "open", "url": "/"}
    click = {"kind": "click", "locator": {"by": "role", "value": "button", "name": "next"}}
    seen = {"kind": "visible", "locator": {"by": "role", "value": "button", "name": "back"}, "after_action": 1}
    flow = Flow("next", "next goes on", "next", (opened, click, opened), (seen,), False, "high")
    found = Exploration()
    found.flows.append(flow)
    places = TextPlaces(tmp_path, ["site.py"])
    spec = compose_spec(found, name="site", framework="pytest", target={}, launch=SiteLaunch("site:app"), places=places)
    [case] = spec["cases"]
    assert case["act"]["actions"] == [opened, click]
    assert case["steps"] == ["Open /.", "Click on the button “next”."]


@pytest.mark.parametrize(("held", "kept"), [((True, True), True), ((True, False), False)])
async def test_an_entry_that_is_not_seen_in_the_end_a_second_time_is_no_flow(held, kept):
    class Halfway(MadeSession):
        async def play(self, actions: Sequence[Action], checks: Sequence[Json] = ()) -> Played:
            return Played(ORDERS, held)

    made = Explorer(Halfway(lambda _: ORDERS), BrowserBudget(), True)  # pyrefly: ignore[bad-argument-type]
    refused = {"kind": "visible", "locator": {"by": "text", "value": "No number."}, "after_action": 0}
    entry = {"kind": "visible", "locator": {"by": "role", "value": "row", "name": "apple"}}
    actions = ({"kind": "open", "url": "/new"}, {"kind": "open", "url": "/"})
    flow = Flow("order_appears", "an order appears", "order", actions, (refused, entry), ends=True)
    assert (await explore._confirmed(made, flow) is not None) is kept
    assert bool(made.found.notes) is not kept


async def test_what_a_field_holds_still_and_a_title_of_every_page_are_no_answer_to_a_form():
    asked = order_form(title="Orders of today")
    tree = '- text: Ada Lovelace\n- textbox "Customer"\n- button "Place order"\n'
    shown = page("/answer", tree, fields=(HELD,), title="Orders of today")
    one = explorer(lambda actions: shown if actions[-1]["kind"] == "click" else asked)
    [form] = forms_of(await visited(one, "/new"))
    assert await entry_flows(one, form) == []


async def test_a_download_of_an_empty_window_is_told_as_a_download():
    one = explorer(lambda _: PageState("", elsewhere="about:blank", downloads=("library.db",), settled=True))
    assert await one.visit("/download/", "/", None) is None
    assert one.found.notes == ["/download/ is a download (library.db), which was not followed"]


async def test_the_version_in_a_link_of_the_navigation_is_not_expected():
    tree = '- heading "Tables"\n- navigation:\n  - link "sqlite-web 0.8.2"\n  - link "Query"\n'
    place = await visited(explorer(lambda _: page("/", tree)), "/")
    assert [one["locator"]["name"] for one in explore._links(place)] == ["Query"]


async def test_a_flow_that_changes_a_file_of_the_project_is_left_out_with_that_reason():
    class Writing(MadeSession):
        async def play(self, actions: Sequence[Action], checks: Sequence[Json] = ()) -> Played:
            return Played(ORDERS, (True,), changed=("library.db",))

    made = Explorer(Writing(lambda _: ORDERS), BrowserBudget(), True)  # pyrefly: ignore[bad-argument-type]
    seen = {"kind": "title", "value": "Orders"}
    flow = Flow("order_appears", "an order appears", "order", ({"kind": "open", "url": "/"},), (seen,))
    assert await explore._confirmed(made, flow) is None
    assert made.found.notes == [
        "an order appears: left out, because it changes library.db of the project, which no restart puts back"
    ]


async def test_a_site_that_nothing_puts_back_is_only_read():
    played: list[Sequence[Action]] = []

    def answer(actions: Sequence[Action]) -> PageState:
        played.append(actions)
        return order_form(buttons=(*order_form().buttons, Button("Refresh", -1)))

    one = explorer(answer)
    one.lasting = True
    await visited(one, "/new")
    assert [flow.title for flow in await explore._flows(one)] == ["the first page “New order” shows its contents"]
    assert one.found.notes == ["the form on /new was not used: nothing puts back what is sent to a site that runs"]
    assert not [action for actions in played for action in actions if action["kind"] in ("fill", "click")]


@pytest.mark.parametrize("path", ["/items/3/delete", "/log-out", "/cart/checkout?now=1"])
async def test_a_link_whose_address_destroys_or_signs_out_is_not_followed_where_nothing_puts_it_back(path: str):
    opened: list[str] = []

    def answer(actions: Sequence[Action]) -> PageState:
        opened.append(str(actions[0].get("url")))
        tree = f'- heading "Orders"\n- link "×"\n- link "All"\n- text: {opened[-1]}\n'
        return page(opened[-1], tree, links=(Link("×", path), Link("All", "/orders")))

    session: Any = MadeSession(answer)
    one = Explorer(session, BrowserBudget(), destructive=False, lasting=True)
    await one.visit_all("/")
    assert "/orders" in opened
    assert path not in opened
