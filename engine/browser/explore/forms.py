"""Finds flows through forms: an entry that appears, values that are refused, limits, and searches."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.flow import Flow, Place
from ..model.page import Action, Button, Field, Json, Locator, PageState, asks_who_is_there
from ..model.tree import Seen
from ..model.words import listed, quoted, sent_title, slug, thing_made
from .expectations import (
    content_expectations,
    fresh,
    has_strength,
    heading_expectations,
    message_expectations,
    not_there_before,
    outcome_expectations,
    row_expectations,
    shows_words,
)
from .locators import element_key, seen_locator
from .values import Refusable, fitting_value, limits_in, limits_of, refusable_values
from .visits import Explorer

_MOST_REFUSALS = 8
_LONGEST_TEXT = 4000
_FIELDS = ("textbox", "searchbox", "spinbutton", "combobox", "option", "alert")
_SENTENCES = ("paragraph", "text", "strong", "emphasis")


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a place that can be filled in: fields with their locators, and its button."""

    place: Place
    number: int
    method: str
    fields: tuple[tuple[Field, Locator], ...]
    button: Button
    submit: Locator

    @property
    def made(self) -> str:
        """What it makes, in words."""
        return thing_made(self.place.name, self.button.name)

    def actions(self, values: dict[str, str]) -> list[Action]:
        """Open the page, fill in values by names of fields, and submit."""
        actions: list[Action] = [*self.place.opening]
        for field, locator in self.fields:
            key = element_key(field)
            if field.kind == "checkbox" and field.required and not field.checked:
                actions.append({"kind": "check", "locator": locator})
            elif key in values and (values[key] or (field.value and field.kind != "select")):
                kind = "select" if field.kind == "select" else "fill"
                actions.append({"kind": kind, "locator": locator, "value": values[key]})
        return [*actions, {"kind": "click", "locator": self.submit}]


def forms_of(place: Place) -> list[Form]:
    """The forms of a place that have fields and a button, each of which can be found; sign-in forms are left out."""
    found = []
    for number, method in enumerate(place.state.methods):
        fields = [one for one in place.state.fields if one.form == number and not one.disabled]
        buttons = [one for one in place.state.buttons if one.form == number and one.submits and not one.disabled]
        located = [(one, place.locators.get(element_key(one))) for one in fields]
        usable = tuple((one, how) for one, how in located if how is not None)
        submit = place.locators.get(element_key(buttons[0])) if buttons else None
        lost = any(how is None and one.required for one, how in located)
        if not usable or submit is None or lost or asks_who_is_there(fields, buttons[0], place.state.heading):
            continue
        found.append(Form(place, number, method, usable, buttons[0], submit))
    return found


def values_of(form: Form, turn: int = 0) -> dict[str, str]:
    """Plain values by the keys of fields."""
    values = {element_key(field): fitting_value(field, turn) for field, _ in form.fields}
    return {key: value for key, value in values.items() if value is not None}


def described(form: Form, values: dict[str, str]) -> str:
    """`customer Ada Lovelace, article apple and pieces 2`."""
    parts = []
    for field, _ in form.fields:
        value = values.get(element_key(field))
        if value and field.words and field.kind != "password":
            parts.append(f"{field.words.lower()} {value}")
    return listed(parts[:4])


def _outcome(explorer: Explorer, form: Form, after: PageState) -> list[Json]:
    """What submitting brought: new on the page that follows, as far as that page is known."""
    known = explorer.counterpart(after, form.place.signed_in)
    before = known.state if known is not None else form.place.state
    heading = heading_expectations(after) if after.heading != form.place.state.heading else []
    brought = [*not_there_before(heading, form.place.state), *outcome_expectations(after, before)]
    # The text of a field that is filled in still is no answer.
    held = {one.value for one in after.fields if one.value}
    brought = [one for one in brought if (one.get("locator") or {}).get("value") not in held]
    return list({repr(one): one for one in (*message_expectations(after), *brought)}.values())[:6]


async def entry_flows(explorer: Explorer, form: Form) -> list[Flow]:
    """Flows of a form that makes something: the entry appears, and what it refuses is refused."""
    if not explorer.allowed(form.button.name) or not explorer.may_go_on():
        return []
    values = values_of(form)
    actions = form.actions(values)
    played = await explorer.play(actions, signed_in=form.place.signed_in)
    after = played.last
    if after is None or after.elsewhere or not after.settled:
        explorer.note(f"the form on {form.place.path} was not tested: {played.failure or 'it leads elsewhere'}")
        return []
    refused = await refusal_flows(explorer, form, values)
    said = "; ".join(after.messages) or "nothing tells why"
    not_taken = f"the form on {form.place.path} took none of the values that were tried: {said}"
    if _is_refusal(form, after):
        explorer.note(not_taken)
        return refused
    echo = [{**one, "after_action": len(actions) - 1} for one in _outcome(explorer, form, after)]
    entry = await _entry(explorer, form, values, actions)
    if entry is None and not _is_taken(form, after, values):
        explorer.note(not_taken)
        return refused
    seen = entry is not None or bool(_shown(form, after, values))
    where, more, expect = entry if entry is not None else (after.heading, [], [])
    if not has_strength([*echo, *expect]):
        return refused
    detail = described(form, values)
    flow = Flow(
        slug(f"{form.made} {'appears on' if seen else 'leads to'} {where}"),
        sent_title(form.made, detail, where, seen=seen),
        slug(form.made),
        (*actions, *more),
        (*echo, *expect),
        form.place.signed_in,
        "high",
        ends=entry is not None,
    )
    return [flow, *refused]


async def _entry(
    explorer: Explorer, form: Form, values: dict[str, str], actions: list[Action]
) -> tuple[str, list[Action], list[Json]] | None:
    """Where the entry is seen when another page is opened, which no echo of the answer can show.

    Returns the name of the page, what leads to it (and, where the entry has a page of its own, to that), and what is
    expected there; None where it is not found.
    """
    hidden = {element_key(field) for field, _ in form.fields if field.kind == "password"}
    words = [value for key, value in values.items() if len(value) > 2 and not value.isdigit() and key not in hidden]
    known = [
        one for one in explorer.found.places if one.signed_in == form.place.signed_in and one.key != form.place.key
    ]
    for place in known if words else ():
        if not explorer.may_go_on():
            return None
        opened: list[Action] = [{"kind": "open", "url": place.path}]
        last = (await explorer.play([*actions, *opened], signed_in=form.place.signed_in)).last
        if last is None or last.status >= 400:
            continue
        new = fresh(last, place.state)
        found = [one for word in words for one in shows_words(last, word) if one in new]
        rows = [one for one in found if one.role == "row"] or found
        expect = row_expectations(last, rows[:1]) if rows and rows[0].name else _texts(last, rows[:1])
        if expect:
            own = await _own_page(explorer, form, place, last, [*actions, *opened])
            there = [{**one, "after_action": len(actions)} for one in expect]
            return (place.name, [*opened, *own[0]], [*there, *own[1]]) if own else (place.name, opened, expect)
    return None


async def _own_page(
    explorer: Explorer, form: Form, place: Place, after: PageState, actions: list[Action]
) -> tuple[list[Action], list[Json]] | None:
    """The page of the entry itself, where the list has gained one link."""
    before = {one.name for one in place.state.links}
    new = [one for one in after.links if one.name and one.path and one.name not in before]
    if len(new) != 1:
        return None
    click: Action = {"kind": "click", "locator": {"by": "role", "value": "link", "name": new[0].name}}
    last = (await explorer.play([*actions, click], signed_in=form.place.signed_in)).last
    if last is None or last.status >= 400 or last.heading == after.heading:
        return None
    expect = [*heading_expectations(last), *content_expectations(last, last.seen, 6)]
    return [click], expect


def _texts(state: PageState, things: list) -> list[Json]:
    found = [seen_locator(state, one) for one in things]
    return [{"kind": "visible", "locator": one} for one in found if one]


def _is_shown_again(form: Form, after: PageState) -> bool:
    return after.heading == form.place.state.heading and len(after.fields) >= len(form.fields)


def _is_refusal(form: Form, after: PageState) -> bool:
    """Whether the answer says so by its status, or the form is shown again and a message or a field of it complains."""
    complains = any(one.role == "alert" for one in after.seen) or any(
        one.invalid or (one.focused and not one.valid) for one in after.fields
    )
    return after.status >= 400 or (_is_shown_again(form, after) and complains)


def _is_taken(form: Form, after: PageState, values: dict[str, str]) -> bool:
    """Whether something shows that values were taken: another page, a status message, or the values on the page."""
    told = any(one.role == "status" and one.words for one in fresh(after, form.place.state))
    return not _is_shown_again(form, after) or told or bool(_shown(form, after, values))


def _shown(form: Form, after: PageState, values: dict[str, str]) -> list[Seen]:
    """What is new on the page, besides fields, and has one of the values in it; of short values rows and items only.

    Where the form still holds what was filled in, a sentence that repeats it may as well say what is wrong with it.
    """
    given = [value.lower() for value in values.values() if value]
    long = [value for value in given if len(value) > 2 and not value.isdigit()]
    holds_them = any(values.get(element_key(one)) == one.value and one.value.lower() in long for one in after.fields)
    not_told_by = {*_FIELDS, *(_SENTENCES if holds_them else ())}
    return [
        one
        for one in fresh(after, form.place.state)
        if one.role not in not_told_by
        and any(value in one.words.lower() for value in (given if one.role in ("row", "listitem") else long))
    ]


async def refusal_flows(explorer: Explorer, form: Form, values: dict[str, str]) -> list[Flow]:
    """Flows in which one field holds what the form refuses, and those at the limits that refusals name."""
    flows: list[Flow] = []
    said: set[str] = set()
    limits: list[tuple[Field, int]] = []
    for field, _ in form.fields:
        for refusable in refusable_values(field):
            if len(flows) >= _MOST_REFUSALS or not explorer.may_go_on():
                return flows
            flow, message = await _refused(explorer, form, values, refusable)
            if flow is None or (field.words + message) in said:
                continue
            said.add(field.words + message)
            flows.append(flow)
            if field.kind not in ("email", "date", "select"):
                limits += [(field, number) for number in limits_in(message)]
    limits += [(one, limit) for one, _ in form.fields for limit in limits_of(one)]
    for field, limit in dict.fromkeys(limits):
        flows += await _at_limit(explorer, form, values, field, limit)
    return flows


async def _refused(
    explorer: Explorer, form: Form, values: dict[str, str], refusable: Refusable
) -> tuple[Flow | None, str]:
    """The flow of one refusal with its message; None where the value is taken, or nothing shows that it was not."""
    actions = form.actions({**values, element_key(refusable.field): refusable.value})
    played = await explorer.play(actions, signed_in=form.place.signed_in)
    after = played.last
    if after is None or not _is_refusal(form, after):
        return None, ""
    expect = list(message_expectations(after))
    message = "; ".join(after.messages)
    if not expect:
        held = next((one for one in after.fields if one.focused and not one.valid), None)
        how = next((how for one, how in form.fields if held and element_key(one) == element_key(held)), None)
        if how is not None:
            expect, message = [{"kind": "focused", "locator": how}], f"held back at {held.words if held else ''}"
        else:
            expect = content_expectations(after, fresh(after, form.place.state), 2, around=())
            message = " ".join(str(one["locator"]["value"]) for one in expect)
    expect += heading_expectations(after)
    if not has_strength(expect):
        return None, ""
    title = f"{form.made} {refusable.words} is refused"
    return (
        Flow(
            slug(title),
            title + (f": {quoted(message)}" if after.messages else ""),
            slug(form.made),
            tuple(actions),
            tuple(expect),
            form.place.signed_in,
        ),
        message,
    )


async def _at_limit(explorer: Explorer, form: Form, values: dict[str, str], field: Field, limit: int) -> list[Flow]:
    """The last value that is taken and the first that is refused, around a number that a refusal or a field names."""
    flows = []
    texts = (
        field.kind in ("text", "textarea")
        and fitting_value(field) is not None
        and not str(fitting_value(field)).isdigit()
    )
    for number in (limit - 1, limit, limit + 1):
        if number < 0 or (texts and number > _LONGEST_TEXT) or not explorer.may_go_on():
            continue
        value = ("Ada Lovelace " * (number // 13 + 1))[:number].strip().ljust(number, "a") if texts else str(number)
        if not value:
            continue
        actions = form.actions({**values, element_key(field): value})
        played = await explorer.play(actions, signed_in=form.place.signed_in)
        after = played.last
        if after is None or not after.settled:
            continue
        size = f"{number} letters as" if texts else f"{number} as"
        title = f"{form.made} with {size} {field.words.lower()}"
        if _is_refusal(form, after):
            expect, ending = [*message_expectations(after), *heading_expectations(after)], "is refused"
        elif _is_taken(form, after, {**values, element_key(field): value}):
            expect, ending = _outcome(explorer, form, after), "is accepted"
        else:
            continue  # nothing shows what became of it
        if number != limit and ending == "is accepted":
            continue
        if has_strength(expect):
            flows.append(
                Flow(
                    slug(f"{title} {ending}"),
                    f"{title} {ending}",
                    slug(form.made),
                    tuple(actions),
                    tuple(expect),
                    form.place.signed_in,
                )
            )
    return flows


async def search_flows(explorer: Explorer, form: Form) -> list[Flow]:
    """Flows of a form that finds or filters: what is found stays, the rest goes, and nothing is found for nonsense."""
    rows = [one for one in form.place.state.of_role("row") if one.name]
    items = rows[1:] or [one for one in form.place.state.seen if one.role in ("listitem", "article") and one.words]
    texts = [(field, how) for field, how in form.fields if field.kind in ("text", "search")]
    if not texts or len(form.fields) > 2:
        return []
    field = texts[0][0]
    flows = []
    for word in (*_words(items), "zzz nothing"):
        actions = form.actions({element_key(field): word})
        if not explorer.may_go_on():
            break
        played = await explorer.play(actions, signed_in=form.place.signed_in)
        after = played.last
        if after is None or after.status >= 400 or not after.settled:
            continue
        is_nonsense = word == "zzz nothing"
        if is_nonsense and (not items or any(one.words in _words_seen(after) for one in items)):
            continue  # nothing shows that nothing was found
        stays = [one for one in after.of_role("row") if one.name and word.lower() in one.name.lower()]
        expect = [*row_expectations(after, stays, 3), *outcome_expectations(after, form.place.state, 5)]
        unique = list({repr(one): one for one in expect}.values())
        if not any(one["kind"] == "hidden" for one in unique) and not is_nonsense:
            continue
        ending = "finds nothing" if is_nonsense else f"finds only what has {quoted(word)}"
        title = f"a search by {field.words.lower()} for {quoted(word)} on the page {quoted(form.place.name)} {ending}"
        name = slug(
            f"search by {field.words} on {form.place.name} for {'nonsense finds nothing' if is_nonsense else word}"
        )
        if has_strength(unique):
            flows.append(
                Flow(
                    name, title, slug(f"search {form.place.name}"), tuple(actions), tuple(unique), form.place.signed_in
                )
            )
    return flows


def _words_seen(state: PageState) -> set[str]:
    return {one.words for one in state.seen}


def _words(items: list) -> list[str]:
    """A word that one item has and another has not."""
    for one in items:
        for word in one.words.split():
            others = [other for other in items if other is not one]
            if len(word) > 2 and word.isalpha() and others and not any(word in other.words for other in others):
                return [word]
    return []
