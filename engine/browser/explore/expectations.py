"""Proposes expectations on what a person sees: messages, headings, rows, texts, and what has gone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta

from ..model.page import Json, PageState
from ..model.tree import Seen
from .locators import seen_locator

_NAMED = ("heading", "row", "button", "link", "img", "tab", "checkbox", "radio")
_FRAME = ("navigation", "banner", "contentinfo")
_INSIDE = ("row", "cell", "option", "combobox", "table", "button")
_LONGEST = 300
_LONGEST_ROW = 160
_DATES = ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%B %d", "%d %B", "%b %d", "%d %b")
_VOLATILE = re.compile(
    # Moments and versions: of files, builds and machines, not of what the site is for.
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b|\bv?\d+\.\d+\.\d+|"
    r"\b(?:just now|\d+ (?:second|minute|hour)s? ago)\b"
)


def is_volatile(words: str, today: date | None = None) -> bool:
    """Whether another day or machine would show something else: moments, versions, the date of today or yesterday."""
    if _VOLATILE.search(words):
        return True
    now = today or datetime.now(UTC).date()
    days = (now, now - timedelta(days=1), now + timedelta(days=1))
    return any(day.strftime(form) in words for day in days for form in _DATES)


def message_expectations(state: PageState) -> Iterator[Json]:
    """What alerts and status messages say, where there is one of the kind."""
    for role in ("alert", "status"):
        found = [one for one in state.seen if one.role == role]
        if len(found) == 1 and found[0].text and len(found[0].text) <= _LONGEST and not is_volatile(found[0].text):
            yield {"kind": "text", "locator": {"by": "role", "value": role}, "value": found[0].text}


def heading_expectations(state: PageState, most: int = 1) -> list[Json]:
    """The page's first headings, or its title where it has none of its own."""
    own = [one for one in state.headings if one.name not in state.frame.headings]
    found = [_visible(state, one) for one in own][: most + 2]
    headings = [one for one in found if one][:most]
    return headings or ([{"kind": "title", "value": state.title}] if state.title else [])


def row_expectations(state: PageState, rows: Iterable[Seen], most: int = 6) -> list[Json]:
    """Rows of tables."""
    found = [_visible(state, one) for one in rows if one.name and len(one.name) <= _LONGEST_ROW]
    return [one for one in found if one][:most]


def content_expectations(
    state: PageState,
    things: Iterable[Seen],
    most: int = 8,
    *,
    around: Iterable[str] = _FRAME,
    known: Collection[tuple[str, str]] = (),
) -> list[Json]:
    """What a page holds, besides the parts of rows and what lies in some roles, which is the same on every page.

    Args:
        known: roles and words of what other pages have as well.
    """
    found = []
    for one in things:
        if one.role == "heading" or len(one.words) > _LONGEST or not _tells(one) or set(one.within) & set(around):
            continue
        if (one.role, one.words) in known:
            continue
        if one.role == "row" and len(one.name) > _LONGEST_ROW:
            continue
        if one.role in _NAMED or (not one.name and one.text):
            found.append(_visible(state, one))
    unique = {repr(one): one for one in found if one}
    return list(unique.values())[:most]


def _tells(seen: Seen) -> bool:
    if set(seen.within) & set(_INSIDE) or seen.role in ("alert", "status"):
        return False
    return len(seen.words) > 2 if not seen.name else True  # a lone number or sign says nothing


def _visible(state: PageState, seen: Seen) -> Json | None:
    locator = None if is_volatile(seen.words) else seen_locator(state, seen)
    return {"kind": "visible", "locator": locator} if locator else None


def fresh(after: PageState, before: PageState) -> list[Seen]:
    """What a page shows that another did not, in order."""
    known = Counter(_plain(one) for one in before.seen)
    found = []
    for one in after.seen:
        if known[_plain(one)]:
            known[_plain(one)] -= 1
        else:
            found.append(one)
    return found


def not_there_before(found: Iterable[Json], before: PageState) -> list[Json]:
    """The expectations that an act brings about: what another page has shown already is left out."""
    shown = [_visible(before, one) for one in before.seen]
    shown.append({"kind": "title", "value": before.title})
    return [one for one in found if {key: one[key] for key in one if key != "after_action"} not in shown]


def gone(after: PageState, before: PageState) -> list[Json]:
    """Rows, buttons and texts that were there and are not any more."""
    found: list[Json] = []
    for one in fresh(before, after):
        locator = None if is_volatile(one.words) else seen_locator(before, one)
        if locator and one.role in ("row", "button", "listitem", "alert"):
            found.append({"kind": "hidden", "locator": locator})
    return found


def _plain(seen: Seen) -> tuple[str, str, str]:
    return seen.role, seen.name, seen.text


def outcome_expectations(after: PageState, before: PageState, most: int = 6) -> list[Json]:
    """What an action brought: messages, another heading, new rows and texts, and what has gone."""
    new = fresh(after, before)
    rows = [one for one in new if one.role == "row"]
    found = [
        *message_expectations(after),
        *(heading_expectations(after) if after.heading != before.heading else ()),
        *row_expectations(after, rows, 4),
        *content_expectations(after, new, 4, around=()),
        *gone(after, before)[:2],
    ]
    unique = {repr(one): one for one in not_there_before(found, before)}
    return list(unique.values())[:most]


def lost(before: PageState, after: PageState, most: int = 5) -> list[Json]:
    """What a page shows that an action would have taken from it."""
    things = fresh(before, after)
    rows = [one for one in things if one.role == "row"]
    return [*row_expectations(before, rows, 3), *content_expectations(before, things, most, around=())][:most]


def shows_words(state: PageState, words: str) -> list[Seen]:
    """The rows, else the other things, that have some words in them."""
    low = words.lower()
    found = [one for one in state.seen if low in one.words.lower() and one.role not in ("textbox", "option")]
    rows = [one for one in found if one.role == "row"]
    return rows or [one for one in found if one.role in ("listitem", "heading", "link", "paragraph", "text", "status")]


def has_strength(expectations: Iterable[Json]) -> bool:
    """Whether something is expected that a person reads, beyond the address."""
    return any(one["kind"] not in ("url", "enabled", "request") for one in expectations)
