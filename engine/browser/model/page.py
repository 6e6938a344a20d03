"""Defines what a page showed after an action: plain data, read from the worker's answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from .tree import Seen, read_tree

Json = dict[str, Any]
Locator = Json
"""As in the browser test spec: `by`, `value`, and for a role `name` and `exact`."""
Action = Json
"""As in the browser test spec."""

_PARTS = re.compile(r"\s+[-–—|·•:]\s+|:\s+")
"""What stands between the name of a site and that of a page in its title."""
_LEAST_PAGES = 3
_SIGNS_IN = re.compile(r"\b(?:sign|log)[\s-]*in\b", re.IGNORECASE)
_MAKES_ACCOUNT = re.compile(r"\b(?:sign[\s-]*up|register|registration|create|join|new)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<=/)(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,})(?=/|$)")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form.

    Attributes:
        kind: text, email, password, number, date, …, select, textarea, checkbox, radio, file.
        label: what a person calls it; empty where nothing names it.
        form: number of its form on the page; -1 for none.
        minimum, maximum: of a number, as the page says them; empty for no limit, and for fields without numbers.
        options: labels of a select, those that can be chosen and say something.
        valid: whether the browser takes its present value.
        invalid: whether the page says of it that its value is wrong (`aria-invalid`).
    """

    kind: str
    label: str
    name: str = ""
    placeholder: str = ""
    test_id: str = ""
    form: int = -1
    required: bool = False
    disabled: bool = False
    checked: bool = False
    value: str = ""
    minimum: str = ""
    maximum: str = ""
    pattern: str = ""
    longest: int = 0
    autocomplete: str = ""
    options: tuple[str, ...] = ()
    valid: bool = True
    invalid: bool = False
    focused: bool = False

    @property
    def words(self) -> str:
        """What to call it in a sentence."""
        return self.label or self.placeholder or self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Button:
    """A button; `form` is the number of its form, -1 for none."""

    name: str
    form: int = -1
    submits: bool = False
    disabled: bool = False
    test_id: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A link; `path` is empty where it leads to another site."""

    name: str
    path: str
    download: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the pages of a site.

    Attributes:
        headings: names of headings that stand on most pages, such as the name of the site.
        titles: the parts that all titles begin with.
    """

    headings: frozenset[str] = frozenset()
    titles: tuple[str, ...] = ()

    def own_title(self, title: str) -> str:
        """What a title says of its own page; empty where it says nothing of it."""
        parts = _PARTS.split(title)
        return " - ".join(parts[len(self.titles) :] if tuple(parts[: len(self.titles)]) == self.titles else parts)


@dataclass(frozen=True, slots=True)
class PageState:
    """What a page shows.

    Attributes:
        path: path and query on the site; empty for another site.
        elsewhere: the address of another site.
        status: of the last answer to a navigation that the action caused; 0 for none.
        settled: whether it stopped changing.
        dialogs: messages of the dialogs that the action opened.
        methods: of its forms, `get`, `post` or another one; empty for a form that names none.
        frame: what it has in common with the other pages of its site, as far as that is known.
    """

    path: str
    title: str = ""
    elsewhere: str = ""
    status: int = 0
    settled: bool = True
    seen: tuple[Seen, ...] = ()
    methods: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    buttons: tuple[Button, ...] = ()
    links: tuple[Link, ...] = ()
    dialogs: tuple[str, ...] = ()
    popups: int = 0
    downloads: tuple[str, ...] = ()
    errors: tuple[str, ...] = field(default=())
    frame: Frame = field(default_factory=Frame)

    @property
    def headings(self) -> list[Seen]:
        """Its headings; those around every page, such as the name of the site, come last."""
        found = [one for one in self.seen if one.role == "heading" and one.name]
        around = {"banner", "navigation", "contentinfo"}
        return sorted(found, key=lambda one: bool(around & set(one.within)) or one.name in self.frame.headings)

    @property
    def heading(self) -> str:
        """The first heading; where that stands on every page, what the title says of this one; else the title."""
        first = next((one.name for one in self.headings), "")
        if first and first not in self.frame.headings:
            return first
        return self.frame.own_title(self.title) or first or self.title

    def of_role(self, role: str) -> list[Seen]:
        """The things of a role, in order."""
        return [one for one in self.seen if one.role == role]

    @property
    def messages(self) -> list[str]:
        """What alerts and status messages say."""
        return [one.words for one in self.seen if one.role in ("alert", "status") and one.words]


def asks_who_is_there(fields: Sequence[Field], button: Button | None, heading: str) -> bool:
    """Whether a form signs somebody in: a name at most and one password, and nothing says that an account is made."""
    passwords = [one for one in fields if one.kind == "password"]
    names = [one for one in fields if one.kind in ("text", "email")]
    others = [one for one in fields if one.kind not in ("password", "text", "email", "checkbox")]
    if len(passwords) != 1 or len(names) > 1 or others:
        return False
    # What the button says tells more than what stands above the form.
    said = button.name if button else ""
    return bool(_SIGNS_IN.search(said)) or not _MAKES_ACCOUNT.search(f"{said} {heading}")


@dataclass(frozen=True, slots=True)
class Played:
    """How a scenario went.

    Attributes:
        last: the state after its last action; None where it did not get there.
        checked: for each check whether it held; None where its action was not reached.
        failure: why it ended early; empty where it did not.
        changed: files of the project that what it sent changed, and that no restart puts back; POSIX, relative.
    """

    last: PageState | None
    checked: tuple[bool | None, ...] = ()
    failure: str = ""
    changed: tuple[str, ...] = ()


def without_values(state: PageState, values: Sequence[str]) -> PageState:
    """A state without what shows one of some values, such as a secret that the settings give the site."""

    def shows(*texts: str) -> bool:
        return any(value in text for value in values for text in texts)

    if shows(state.path, state.elsewhere):
        return PageState("", elsewhere="an address that holds a value of the settings", status=state.status)
    return replace(
        state,
        title="" if shows(state.title) else state.title,
        seen=tuple(one for one in state.seen if not shows(one.name, one.text)),
        fields=tuple(replace(one, value="") if shows(one.value) else one for one in state.fields),
        buttons=tuple(one for one in state.buttons if not shows(one.name)),
        links=tuple(one for one in state.links if not shows(one.name, one.path)),
        dialogs=tuple("" if shows(one) else one for one in state.dialogs),
        downloads=tuple(one for one in state.downloads if not shows(one)),
        errors=tuple(one for one in state.errors if not shows(one)),
    )


def frame_of(states: Sequence[PageState]) -> Frame:
    """What most of a site's pages have in common; nothing where too few are known."""
    if len(states) < _LEAST_PAGES:
        return Frame()
    pages = Counter(name for state in states for name in {one.name for one in state.seen if one.role == "heading"})
    least = max(_LEAST_PAGES, len(states) / 2)
    headings = {name for name, count in pages.items() if name and count >= least}
    parts = zip(*(_PARTS.split(state.title) for state in states), strict=False)
    return Frame(frozenset(headings), tuple(each[0] for each in takewhile(lambda each: len({*each}) == 1, parts)))


def page_key(path: str) -> str:
    """What pages of one kind have in common: the path with numbers and ids left open, and the names of the query."""
    place, _, query = path.partition("#")[0].partition("?")
    names = sorted({part.partition("=")[0] for part in query.split("&") if part})
    return _NUMBER.sub("{id}", place.rstrip("/") or "/") + (f"?{'&'.join(names)}" if names else "")


def read_state(answer: Mapping[str, Any]) -> PageState:
    """Read one state of the worker's answer. Raises KeyError, TypeError or ValueError for another shape."""
    return PageState(
        path=str(answer["url"]).partition("#")[0],
        title=str(answer["title"]),
        elsewhere=str(answer["elsewhere"]),
        status=int(answer["status"]),
        settled=bool(answer["settled"]),
        seen=read_tree(str(answer["tree"])),
        methods=tuple(str(one["method"]) for one in answer["forms"]),
        fields=tuple(_field(one) for one in answer["fields"]),
        buttons=tuple(
            Button(str(one["name"]), int(one["form"]), bool(one["submits"]), bool(one["disabled"]), str(one["test_id"]))
            for one in answer["buttons"]
        ),
        links=tuple(Link(str(one["name"]), str(one["path"]), bool(one["download"])) for one in answer["links"]),
        dialogs=tuple(str(one["message"]) for one in answer["dialogs"]),
        popups=int(answer["popups"]),
        downloads=tuple(map(str, answer["downloads"])),
        errors=tuple(map(str, answer["errors"])),
    )


def _field(one: Mapping[str, Any]) -> Field:
    options: Sequence[Mapping[str, Any]] = one["options"]
    is_number = one["type"] in ("number", "range")  # browsers heed limits of other kinds too: of days, for instance
    return Field(
        kind="select" if one["tag"] == "select" else str(one["type"]),
        label=str(one["label"]),
        name=str(one["field"]),
        placeholder=str(one["placeholder"]),
        test_id=str(one["test_id"]),
        form=int(one["form"]),
        required=bool(one["required"]),
        disabled=bool(one["disabled"]),
        checked=bool(one["checked"]),
        value=next((str(option["label"]) for option in options if option["selected"]), str(one["value"])),
        minimum=str(one["min"]) if is_number else "",
        maximum=str(one["max"]) if is_number else "",
        pattern=str(one["pattern"]),
        longest=int(one["maxlength"]),
        autocomplete=str(one["autocomplete"]),
        options=tuple(str(option["label"]) for option in options if option["value"] and not option["disabled"]),
        valid=bool(one["valid"]),
        invalid=bool(one["invalid"]),
        focused=bool(one["focused"]),
    )
