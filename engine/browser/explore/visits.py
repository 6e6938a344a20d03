"""Visits the pages of a site, each kind once, and proves how its elements are found."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ....core.errors import ApplicationFault
from ..model.flow import BrowserBudget, Defect, Exploration, Place, SignIn
from ..model.page import (
    Action,
    Button,
    Field,
    Frame,
    Json,
    Link,
    Locator,
    PageState,
    Played,
    asks_who_is_there,
    frame_of,
    page_key,
)
from ..model.words import DESTRUCTIVE, SIGN_OUT, quoted
from .locators import candidates, element_key, elements
from .session import BrowserSession

_MOST_CHECKS = 200
"""Of one scenario: each takes a few milliseconds of the time that a scenario has."""
_NO_LETTERS = re.compile(r"[^A-Za-z]+")


@dataclass(slots=True)
class Explorer:
    """An exploration in the making.

    Attributes:
        destructive: whether buttons may be clicked that look as if they destroy, pay or send something.
        lasting: whether nothing puts back what is sent: the site is only read then.
    """

    session: BrowserSession
    budget: BrowserBudget
    destructive: bool
    found: Exploration = field(default_factory=Exploration)
    began: float = field(default_factory=time.monotonic)
    frame: Frame = field(default_factory=Frame)
    lasting: bool = False

    async def play(self, actions: Sequence[Action], checks: Sequence[Json] = (), *, signed_in: bool = False) -> Played:
        """Play a scenario, after signing in where somebody is to be signed in.

        One that ends in an error of the server is a suspected defect, and has no last state: nothing is expected of it.
        """
        before = self.found.sign_in.actions if signed_in and self.found.sign_in else ()
        moved = [
            {**check, "after_action": len(before) + check.get("after_action", len(actions) - 1)} for check in checks
        ]
        self.found.played += 1
        played = await self.session.play([*before, *actions], moved)
        if played.last is None or played.last.status < 500:
            return replace(played, last=played.last and replace(played.last, frame=self.frame))
        status = played.last.status
        self.suspect(
            f"{describe(actions)} ends in an error of the server ({status})",
            documented="A site answers what a person can do on a page; a status from 500 on is an error of the server.",
            observed=f"The answer has the status {status}, and shows {quoted(played.last.heading or 'nothing')}.",
            actions=actions,
            signed_in=signed_in,
        )
        return Played(None, played.checked, f"it ends in an error of the server ({status})")

    def suspect(
        self, title: str, *, documented: str, observed: str, actions: Sequence[Action], signed_in: bool = False
    ) -> None:
        """Keep a suspected defect, the first with its title."""
        if all(one.title != title for one in self.found.defects):
            subject = next((str(one["url"]) for one in actions if one["kind"] == "open"), "/")
            self.found.defects.append(Defect(title, subject, documented, observed, tuple(actions), signed_in))

    def note(self, text: str) -> None:
        """Note what was left out, once."""
        if text not in self.found.notes:
            self.found.notes.append(text)

    def may_go_on(self) -> bool:
        """Whether scenarios and time are left; the first refusal is noted."""
        if self.found.played >= self.budget.scenarios:
            self.note(f"the exploration ended after {self.budget.scenarios} scenarios")
            return False
        return self.has_time()

    def has_time(self) -> bool:
        """Whether time is left; the first refusal is noted."""
        if time.monotonic() - self.began > self.budget.seconds:
            self.note(f"the exploration ended after {self.budget.seconds:g} s")
            return False
        return True

    def allowed(self, name: str) -> bool:
        """Whether something with this name may be clicked."""
        if self.destructive or not DESTRUCTIVE.search(name):
            return True
        self.note(f"“{name}” was not clicked: it looks as if it destroyed, paid or sent something")
        return False

    def counterpart(self, state: PageState, signed_in: bool) -> Place | None:
        """The visited place of the page that a state shows, whatever its query says."""
        path = state.path.partition("?")[0]
        known = [one for one in self.found.places if one.signed_in == signed_in and one.state.heading == state.heading]
        return next((one for one in known if one.state.path.partition("?")[0] == path), None)

    def place(self, key: str, signed_in: bool) -> Place | None:
        """A place that was visited already."""
        return next((one for one in self.found.places if one.key == key and one.signed_in == signed_in), None)

    async def visit_all(self, start: str, *, signed_in: bool = False) -> None:
        """Visit the pages that are reached from one by links, nearest first.

        Raises:
            ApplicationFault: the first page cannot be opened.
        """
        waiting: deque[tuple[str, str, Locator | None]] = deque([(start, "", None)])
        tried: set[str] = set()
        while waiting and self.may_go_on():
            path, parent, link = waiting.popleft()
            if page_key(path) in tried:
                continue
            tried.add(page_key(path))
            if len([one for one in self.found.places if one.signed_in == signed_in]) >= self.budget.pages:
                self.note(f"no more than {self.budget.pages} kinds of pages were visited")
                break
            place = await self.visit(path, parent, link, signed_in=signed_in)
            if place is None:
                if not parent and not self.found.places:
                    why = self.found.notes[-1] if self.found.notes else "it shows nothing"
                    raise ApplicationFault(
                        f"The first page cannot be explored: {why}.",
                        advice="start the site by hand and open it in a browser; say with --app-command what starts it "
                        "otherwise",
                    )
                continue
            for one in place.state.links:
                if self._follows(one, tried):
                    waiting.append((one.path, place.path, place.locators.get(element_key(one))))
        self._know_frame()

    def _know_frame(self) -> None:
        """Learn from the visited pages what stands around all of them."""
        self.frame = frame_of([one.state for one in self.found.places])
        self.found.places[:] = [replace(one, state=replace(one.state, frame=self.frame)) for one in self.found.places]

    def _follows(self, link: Link, tried: set[str]) -> bool:
        if not link.path or link.download or page_key(link.path) in tried or SIGN_OUT.search(link.name):
            return False
        # Behind a mere sign, "×", the address tells: `/items/3/delete`. Elsewhere a restart puts back what it does.
        address = _NO_LETTERS.sub(" ", link.path) if self.lasting else ""
        return not SIGN_OUT.search(address) and self.allowed(f"{link.name} {address}".strip())

    async def visit(self, path: str, parent: str, link: Locator | None, *, signed_in: bool = False) -> Place | None:
        """Visit a page twice: what it shows, and which locators find one element each."""
        actions: list[Action] = [{"kind": "open", "url": path}]
        first = await self.play(actions, signed_in=signed_in)
        state = first.last
        clicked = await self._by_link(path, parent, link, state, signed_in)
        if clicked is not None and not _is_turned_away(clicked[0], path):
            state, actions = clicked
        elif clicked is not None and state is not None:
            # The link does something else than opening its address: a script of the page answers it.
            link = link if page_key(clicked[0].path) == page_key(state.path) else None
            clicked = None
        if state is None:
            self.note(f"{path} cannot be opened: {first.failure}")
        if state is None or not self._usable(state, path):
            return None
        if parent and state.status >= 400:
            self._refused(state.status, path, parent, link, signed_in)
            return None
        landed = page_key(state.path)
        if self.place(landed, signed_in) is not None:
            return None  # it leads to a page that is known
        locators = await self._located(state, actions, signed_in)
        opened = state.path if parent else path  # the first page is opened as a person would
        if clicked is None and opened != path and not await self._leads_to(opened, landed, signed_in):
            clicked = state, actions
        way = tuple(actions) if clicked is not None else ()
        place = Place(landed, opened, state, signed_in, parent, link, locators, way)
        self.found.places.append(place)
        return place

    async def _by_link(
        self, path: str, parent: str, link: Locator | None, opened: PageState | None, signed_in: bool
    ) -> tuple[PageState, list[Action]] | None:
        """What clicking its link shows, and how, where a page does not show itself to who opens it in a fresh browser.

        Args:
            opened: what is shown there to who opens it; a page of its own is what is looked for.
        """
        before = self.place(page_key(parent), signed_in) if parent else None
        if before is None or link is None or not _is_turned_away(opened, path) or not self.may_go_on():
            return None
        actions = [*before.opening, {"kind": "click", "locator": link}]
        state = (await self.play(actions, signed_in=signed_in)).last
        return None if state is None else (state, actions)

    async def _leads_to(self, path: str, key: str, signed_in: bool) -> bool:
        """Whether a page is shown to who opens the address that another one led to."""
        last = (await self.play([{"kind": "open", "url": path}], signed_in=signed_in)).last
        return last is not None and last.status < 400 and page_key(last.path) == key

    async def _located(self, state: PageState, actions: Sequence[Action], signed_in: bool) -> dict[str, Locator]:
        """Try how elements are found, on further visits: first the best way of each, then the others of the rest."""
        ways = {element_key(one): list(candidates(one)) for one in elements(state)}
        found: dict[str, Locator] = {}
        for tried in (slice(0, 1), slice(1, None)):
            left = [(key, how) for key, hows in ways.items() if key not in found for how in hows[tried]]
            for first in range(0, len(left), _MOST_CHECKS):
                batch = left[first : first + _MOST_CHECKS]
                checks = [{"kind": "visible", "locator": how} for _, how in batch]
                played = await self.play(actions, checks, signed_in=signed_in)
                for (key, how), held in zip(batch, played.checked, strict=False):
                    if held:
                        found.setdefault(key, how)
        return found

    def _refused(self, status: int, path: str, parent: str, link: Locator | None, signed_in: bool) -> None:
        """Note a page that a link leads to, and that is not shown; one that there is not is a suspected defect."""
        if status not in (404, 410):
            self.note(f"{path}, to which a link on {parent} leads, was left out: it answers with the status {status}")
            return
        name = (link or {}).get("name") or path
        self.suspect(
            f"the link {quoted(name)} on {parent} leads to a page that does not exist",
            documented="A link of a site leads to a page that there is.",
            observed=f"{path} answers with the status {status}.",
            actions=[{"kind": "open", "url": parent}, {"kind": "open", "url": path}],
            signed_in=signed_in,
        )

    def _usable(self, state: PageState, path: str) -> bool:
        if state.downloads:  # the browser stays where it was
            self.note(f"{path} is a download ({state.downloads[0]}), which was not followed")
        elif state.elsewhere:
            self.note(f"{path} leads to another site, which was not followed")
        elif not state.settled:
            self.note(f"{path} never settles: it keeps changing or does not answer, and was left out")
        elif not state.seen:
            self.note(f"{path} shows nothing that a person could read")
        else:
            if state.popups:
                self.note(f"{path} opens other windows, which were closed")
            return True
        return False


def _is_turned_away(state: PageState | None, path: str) -> bool:
    """Whether somebody who wanted a page sees another one, or is refused."""
    if state is None or state.elsewhere or state.downloads or state.status in (404, 410):
        return False
    return state.status in (401, 403) or (bool(state.path) and page_key(state.path) != page_key(path))


def describe(actions: Sequence[Action]) -> str:
    """What a scenario does last, and where, in words for a title."""
    where = next((str(one["url"]) for one in actions if one["kind"] == "open"), "/")
    last = actions[-1]
    if last["kind"] == "open":
        return f"opening {last['url']}"
    how = last.get("locator") or {}
    return f"{last['kind']} {quoted(how.get('name') or how.get('value', ''))} on {where}"


async def find_sign_in(explorer: Explorer, sign_in: SignIn | None) -> None:
    """Find the form to sign in among the visited places and try it; notes what does not work."""
    for place in explorer.found.places:
        forms = [_sign_in_form(place.state, one.form) for one in place.state.fields if one.kind == "password"]
        found = next((one for one in forms if one is not None), None)
        if found is None:
            continue
        if sign_in is None:
            explorer.note(
                f"{place.path} asks for a password: give --sign-in NAME:VARIABLE to have the pages behind it tested"
            )
            return
        keys = [place.locators.get(element_key(one)) for one in found]
        if any(one is None for one in keys):
            continue
        actions: list[Action] = [
            {"kind": "open", "url": place.path},
            {"kind": "fill", "locator": keys[0], "value": sign_in.user},
            {"kind": "fill", "locator": keys[1], "secret": sign_in.variable},
            {"kind": "click", "locator": keys[2]},
        ]
        played = await explorer.play(actions)
        after = played.last
        inside = after is not None and after.settled and after.status < 400
        if after is None or not inside or any(one.kind == "password" for one in after.fields):
            said = "; ".join(after.messages) if after else played.failure
            explorer.note(f"signing in as {sign_in.user} does not work{f': {said}' if said else ''}")
            return
        explorer.found.sign_in = replace(sign_in, actions=tuple(actions))
        explorer.found.notes[:] = [one for one in explorer.found.notes if "asks for a password" not in one]
        return
    if sign_in is not None:
        explorer.note("no form was found to sign in with")


def _sign_in_form(state: PageState, form: int) -> tuple[Field, Field, Button] | None:
    """The name, the password and the button of a form to sign in with; None where it is for something else."""
    fields = [one for one in state.fields if one.form == form and not one.disabled]
    button = next((one for one in state.buttons if one.form == form and one.submits), None)
    name = next((one for one in fields if one.kind in ("text", "email")), None)
    if button is None or name is None or not asks_who_is_there(fields, button, state.heading):
        return None
    return name, next(one for one in fields if one.kind == "password"), button
