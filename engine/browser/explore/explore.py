"""Explores a site and chooses its flows: pages, forms, dialogs, signing in, what is closed and what is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from ....sandbox.target import PythonTarget
from ....utils.names.counted import counted
from ..model.flow import BrowserBudget, Exploration, Flow, Place, SignIn
from ..model.page import Action, Button, Json, Locator, PageState
from ..model.words import listed, nameable, quoted, slug
from .expectations import (
    content_expectations,
    has_strength,
    heading_expectations,
    is_volatile,
    lost,
    message_expectations,
    not_there_before,
    outcome_expectations,
    row_expectations,
)
from .forms import Form, entry_flows, forms_of, search_flows
from .locators import element_key
from .session import SiteLaunch, open_browser
from .visits import Explorer, find_sign_in

_OTHER_DAY = 86_400 * 401 + 5 * 3600
_MOST_EXPECTED = 12
_UNKNOWN = "999999"


async def explore_site(
    target: PythonTarget,
    launch: SiteLaunch,
    *,
    start: str = "/",
    sign_in: SignIn | None = None,
    destructive: bool = True,
    budget: BrowserBudget | None = None,
) -> Exploration:
    """Explore a site in a browser, choose flows, and keep of each what holds a second time, on another day.

    Args:
        start: path of the first page.
        sign_in: who signs in, where the site asks for it.
        destructive: whether buttons may be clicked that look as if they destroy, pay or send something.

    Raises:
        ToolMissing: there is no browser, or it does not start.
        ApplicationFault: the application does not start, or the first page cannot be opened.
        SandboxFailure: the sandbox broke.
    """
    async with open_browser(target, launch) as session:
        explorer = Explorer(session, budget or BrowserBudget(), destructive, lasting=bool(launch.url))
        await explorer.visit_all(start)
        await find_sign_in(explorer, sign_in)
        if explorer.found.sign_in is not None:
            await explorer.visit_all(start, signed_in=True)
        found = explorer.found
        proposed = _distinct(await _flows(explorer))
    # Another workspace: what a command wrote into the project's files is not undone by its restarts.
    async with open_browser(target, launch, clock=_OTHER_DAY) as session:
        found.flows = await _all_confirmed(Explorer(session, explorer.budget, destructive, found), proposed)
    return found


async def _all_confirmed(explorer: Explorer, flows: Sequence[Flow]) -> list[Flow]:
    """Confirm flows, the important ones first, as long as there is time; in the order in which they were found."""
    ranks = {"critical": 0, "high": 1}
    kept: dict[int, Flow] = {}
    for place, flow in sorted(enumerate(flows), key=lambda one: ranks.get(one[1].priority, 2)):
        confirmed = await _confirmed(explorer, flow) if explorer.has_time() else None
        if confirmed is not None:
            kept[place] = confirmed
    return [kept[place] for place in sorted(kept)]


async def _flows(explorer: Explorer) -> list[Flow]:
    flows: list[Flow] = []
    known = _on_many_pages(explorer.found.places)
    for number, place in enumerate(explorer.found.places):
        if not place.signed_in or explorer.place(place.key, False) is None:
            # What stands on many pages is expected on the first one only.
            flows += _page_flow(explorer, place, known if number else frozenset())
    for place in explorer.found.places:
        for form in forms_of(place):
            if place.signed_in and _known_to_all(explorer, place):
                continue
            flows += await _form_flows(explorer, form)
    clicked: set[str] = set()
    for place in () if explorer.lasting else explorer.found.places:
        flows += await _button_flows(explorer, place, clicked)
    flows += await _sign_in_flows(explorer)
    flows += await _closed_flows(explorer)
    flows += await _missing_flows(explorer)
    return flows


async def _form_flows(explorer: Explorer, form: Form) -> list[Flow]:
    """The flows through a form: it finds something, or makes something."""
    if form.method == "get":
        return await search_flows(explorer, form)
    if explorer.lasting:
        explorer.note(f"the form on {form.place.path} was not used: nothing puts back what is sent to a site that runs")
        return []
    if form.method == "post":
        return await entry_flows(explorer, form)
    # A script may do anything with a form that names no method: it is used as carefully as a button.
    if not explorer.allowed(form.button.name):
        return []
    return await search_flows(explorer, form) or await entry_flows(explorer, form)


def _known_to_all(explorer: Explorer, place: Place) -> bool:
    """Whether everybody sees the same main part of a page that somebody signed in sees."""
    other = explorer.place(place.key, False)
    if other is None:
        return False
    main = [one for one in place.state.seen if "contentinfo" not in one.within and "banner" not in one.within]
    theirs = [one for one in other.state.seen if "contentinfo" not in one.within and "banner" not in one.within]
    return [(one.role, one.words) for one in main] == [(one.role, one.words) for one in theirs]


def _on_many_pages(places: Sequence[Place]) -> frozenset[tuple[str, str]]:
    """Roles and words of what at least three pages have, and half of all; so with their titles."""
    shown: Counter[tuple[str, str]] = Counter()
    for place in places:
        shown.update({(one.role, one.words) for one in place.state.seen} | {("title", place.state.title)})
    return frozenset(thing for thing, count in shown.items() if count >= max(3, len(places) / 2))


def _page_flow(explorer: Explorer, place: Place, known: frozenset[tuple[str, str]]) -> list[Flow]:
    """A page is reached from the one before it, and shows what it shows.

    Args:
        known: roles and words of what other pages have as well.
    """
    state, named = place.state, nameable(place.name, place.path)
    rows = state.of_role("row")
    rows = rows if rows[1:] else []  # a table of one row arranges a page
    content = content_expectations(state, [one for one in state.seen if one.role != "row"], known=known)
    titled = state.title and ("title", state.title) not in known
    found: list[Json] = [
        *heading_expectations(state, 2),
        *([{"kind": "title", "value": state.title}] if titled else []),
        *row_expectations(state, rows),
        *content,
    ]
    expect = list({repr(one): one for one in found}.values())
    around = [one for one in explorer.found.places if one.signed_in == place.signed_in and one.path == place.parent]
    parent = around[0] if around else None
    if parent is not None and place.link is not None:
        actions: tuple[Action, ...] = (*parent.opening, {"kind": "click", "locator": place.link})
        before = len(parent.opening) - 1
        expect = not_there_before(expect, parent.state)[:_MOST_EXPECTED]
        if not has_strength(expect):
            return []
        expect = [{**one, "after_action": before} for one in heading_expectations(parent.state)] + expect
        name = place.link.get("name") or place.link["value"]
        title = f"the link {quoted(name)} leads to the page {quoted(place.name)}"
        link_slug = slug(f"link {nameable(name, '')} leads to {named}")
    else:
        actions = place.opening
        expect = expect[:_MOST_EXPECTED]
        expect += [] if place.parent else _links(place)
        alike = sum(one.name == place.name for one in explorer.found.places if one.signed_in == place.signed_in)
        at = f" at {place.path}" if alike > 1 and place.parent else ""
        title = f"the {'first ' if not place.parent else ''}page {quoted(place.name)}{at} shows its contents"
        link_slug = slug(f"page {named}{at} shows its contents")
    if rows[1:]:
        title += f" with {counted(len(rows) - 1, 'row')}"
    if place.signed_in:
        title += " to somebody signed in"
    return [Flow(link_slug, title, slug(named), actions, tuple(expect), place.signed_in)]


def _links(place: Place) -> list[Json]:
    """The links of the navigation, by their whole names."""
    found = [one for one in place.state.seen if one.role == "link" and "navigation" in one.within and one.name]
    names = [one.name for one in found]
    return [
        {"kind": "visible", "locator": {"by": "role", "value": "link", "name": name, "exact": True}}
        for name in names[:8]
        if names.count(name) == 1 and not is_volatile(name)
    ]


async def _button_flows(explorer: Explorer, place: Place, clicked: set[str]) -> list[Flow]:
    """Buttons outside of forms with fields, each once: what a click brings, with each answer to a dialog."""
    flows: list[Flow] = []
    filled = {one.form for one in place.state.fields}
    for button in place.state.buttons:
        locator = place.locators.get(element_key(button))
        if locator is None or button.disabled or (button.form >= 0 and button.form in filled):
            continue
        if (place.signed_in and _had(explorer, place, button)) or f"{button.name} {place.signed_in}" in clicked:
            continue
        clicked.add(f"{button.name} {place.signed_in}")
        if not explorer.allowed(button.name) or not explorer.may_go_on():
            continue
        flows += await _click_flows(explorer, place, button, locator)
    return flows


def _had(explorer: Explorer, place: Place, button: Button) -> bool:
    other = explorer.place(place.key, False)
    return other is not None and any(one.name == button.name for one in other.state.buttons)


async def _click_flows(explorer: Explorer, place: Place, button: Button, locator: Locator) -> list[Flow]:
    flows = []
    done = place.state
    for answer in ("accept", "dismiss"):
        click: Action = {"kind": "click", "locator": locator, "dialog": answer}
        played = await explorer.play([*place.opening, click], signed_in=place.signed_in)
        after = played.last
        if after is None or after.elsewhere or not after.settled or after.status >= 400:
            why = played.failure or (
                f"it answers with the status {after.status}" if after and after.status >= 400 else ""
            )
            if why:
                explorer.note(f"the button {quoted(button.name)} on {place.path} was left out: {why}")
            break
        asked = after.dialogs
        actions: list[Action] = [*place.opening, click if asked else {"kind": "click", "locator": locator}]
        expect: list[Json] = [{"kind": "dialog", "value": asked[0]}] if asked else []
        if answer == "accept":
            expect += outcome_expectations(after, place.state)
            actions, expect = _seen_again(actions, expect, place)
            done = after
        else:
            expect += [*heading_expectations(after), *lost(after, done)]
        what = f"the button {quoted(button.name)} on the page {quoted(place.name)}"
        ending = {True: "acts once that is confirmed", False: "changes nothing where that is not confirmed"}
        moved = after.heading != place.state.heading
        done_by_it = f"leads to the page {quoted(after.heading)}" if moved else "changes what the page shows"
        title = f"{what} asks first, and {ending[answer == 'accept']}" if asked else f"{what} {done_by_it}"
        suffix = ("confirmed" if answer == "accept" else "not confirmed") if asked else ""
        name = slug(f"{button.name} on {place.name} {suffix}")
        if has_strength([one for one in expect if one["kind"] != "dialog"]):
            flows.append(Flow(name, title, slug(button.name), tuple(actions), tuple(expect), place.signed_in, "high"))
        if not asked:
            break
    return flows


def _seen_again(actions: list[Action], expect: list[Json], place: Place) -> tuple[list[Action], list[Json]]:
    """Look at the outcome once more after the page is opened again: it was done, and not only said."""
    clicked = len(actions) - 1
    lasting = [
        one for one in expect if one["kind"] in ("visible", "hidden") and one["locator"].get("value") != "status"
    ]
    first = [{**one, "after_action": clicked} for one in expect]
    return [*actions, {"kind": "open", "url": place.path}], [*first, *lasting]


async def _sign_in_flows(explorer: Explorer) -> list[Flow]:
    """Signing in, with a wrong password, and signing out again."""
    sign_in = explorer.found.sign_in
    if sign_in is None or not explorer.may_go_on():
        return []
    opened, user, secret, click = sign_in.actions
    before = (await explorer.play([opened])).last
    after = (await explorer.play(sign_in.actions)).last
    flows = []
    if before and after and after.settled and after.status < 400:
        expect = outcome_expectations(after, before)
        title = f"{sign_in.user} signs in with the right password"
        flows.append(Flow(slug(title), title, "sign_in", sign_in.actions, tuple(expect), False, "critical"))
    wrong = (opened, user, {**_plain(secret), "value": "not the password"}, click)
    unknown = (opened, {**user, "value": "nobody"}, secret, click)
    for who, actions, priority in (("a wrong password", wrong, "critical"), ("an unknown user", unknown, "high")):
        if explorer.may_go_on():
            flows += await _refused_sign_in(explorer, who, actions, after, priority)
    return flows


async def _refused_sign_in(
    explorer: Explorer, who: str, actions: tuple[Action, ...], inside: PageState | None, priority: str
) -> list[Flow]:
    """The flow of somebody who is not let in; being let in is a suspected defect.

    Args:
        inside: what is seen by who has signed in.
    """
    last = (await explorer.play(actions)).last
    if last is None or not last.settled:
        return []
    if last.status < 400 and not any(one.kind == "password" for one in last.fields):
        if inside is not None and (last.path, last.heading) == (inside.path, inside.heading):
            explorer.suspect(
                f"{who} signs in",
                documented="Who signs in has to be known, and to give the right password.",
                observed=f"The page {quoted(last.heading)} is shown, as to somebody who signs in rightly.",
                actions=actions,
            )
        else:
            explorer.note(f"{who}: nothing shows whether it is refused")
        return []
    refused = [*message_expectations(last), *heading_expectations(last)]
    title = f"{who} is refused"
    name = slug(title.partition(" ")[2])
    return [Flow(name, title, "sign_in", actions, tuple(refused), False, priority)] if has_strength(refused) else []


def _plain(action: Action) -> Action:
    return {key: value for key, value in action.items() if key != "secret"}


async def _closed_flows(explorer: Explorer) -> list[Flow]:
    """Pages that only somebody signed in sees lead everybody else elsewhere."""
    flows = []
    for place in explorer.found.places:
        if not place.signed_in or explorer.place(place.key, False) is not None or not explorer.may_go_on():
            continue
        after = (await explorer.play([{"kind": "open", "url": place.path}])).last
        if after is None or not after.settled or after.heading == place.state.heading:
            continue
        expect = heading_expectations(after)
        if expect:
            title = f"the page {quoted(place.name)} is closed to somebody who has not signed in"
            name = slug(f"page {place.name} is closed without signing in")
            actions: tuple[Action, ...] = ({"kind": "open", "url": place.path},)
            flows.append(Flow(name, title, "sign_in", actions, tuple(expect), False, "critical"))
    return flows


async def _missing_flows(explorer: Explorer) -> list[Flow]:
    """Pages of things that do not exist, where the site has pages of things by number."""
    flows = []
    for place in explorer.found.places:
        path = urlsplit(place.path).path
        missing = re.sub(r"(?<=/)\d+(?=/|$)", _UNKNOWN, path)
        if missing == path or place.signed_in or not explorer.may_go_on():
            continue
        after = (await explorer.play([{"kind": "open", "url": missing}])).last
        if after is None or not after.seen or after.heading == place.state.heading:
            continue
        expect = [
            *heading_expectations(after),
            *message_expectations(after),
            *content_expectations(after, after.seen, 3),
        ]
        if has_strength(expect):
            kind = re.sub(r"\s*\d+\s*", " ", place.name).strip() or "page"
            title = f"the page of one that does not exist, like {quoted(place.name)}, says so"
            actions: tuple[Action, ...] = ({"kind": "open", "url": missing},)
            flows.append(
                Flow(slug(f"{kind} that does not exist is not found"), title, slug(kind), actions, tuple(expect))
            )
    return flows


def _distinct(flows: Sequence[Flow]) -> list[Flow]:
    """Flows that do different things, with names of their own."""
    kept: dict[str, Flow] = {}
    acts: set[str] = set()
    for flow in flows:
        act = repr((flow.actions, flow.signed_in))
        if act in acts:
            continue
        acts.add(act)
        name = flow.slug if not flow.signed_in or flow.slug not in kept else f"{flow.slug}_signed_in"
        number = 2
        while name in kept:
            name = f"{flow.slug}_{number}"
            number += 1
        kept[name] = replace(flow, slug=name)
    return list(kept.values())


async def _confirmed(explorer: Explorer, flow: Flow) -> Flow | None:
    """Play a flow again, and keep what holds of its expectations; None where too little does."""
    played = await explorer.play(flow.actions, flow.expect, signed_in=flow.signed_in)
    if played.failure:
        explorer.note(f"{flow.title}: it went otherwise the second time ({played.failure})")
        return None
    if played.changed:
        files = listed(list(played.changed[:3]))
        explorer.note(f"{flow.title}: left out, because it changes {files} of the project, which no restart puts back")
        return None
    held = tuple(one for one, holds in zip(flow.expect, played.checked, strict=True) if holds)
    last = len(flow.actions) - 1
    open_ended = flow.ends and not has_strength(one for one in held if one.get("after_action", last) == last)
    if (
        open_ended
        or not has_strength(one for one in held if one["kind"] != "dialog")
        or (any(one["kind"] == "dialog" for one in flow.expect) and not any(one["kind"] == "dialog" for one in held))
    ):
        explorer.note(f"{flow.title}: nothing that a person sees held the second time")
        return None
    return replace(flow, expect=held)
