"""Proposes locators of what is on a page: what a person sees first, and a selector last."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.page import Button, Field, Link, Locator, PageState
from ..model.tree import Seen

_ROLES = {
    **dict.fromkeys(("text", "email", "tel", "url", "password", "textarea"), "textbox"),
    **{"select": "combobox", "checkbox": "checkbox", "radio": "radio", "number": "spinbutton", "search": "searchbox"},
}


def element_key(element: Field | Button | Link) -> str:
    """Names an element on its page."""
    if isinstance(element, Field):
        return f"field {element.form} {element.name} {element.label} {element.kind}"
    if isinstance(element, Button):
        return f"button {element.form} {element.name}"
    return f"link {element.name}"


def candidates(element: Field | Button | Link) -> Iterator[Locator]:
    """Yield locators of an element, the best first."""
    if isinstance(element, Field):
        yield from _field(element)
        return
    role = "link" if isinstance(element, Link) else "button"
    if element.name:
        yield {"by": "role", "value": role, "name": element.name}
        yield {"by": "role", "value": role, "name": element.name, "exact": True}
    if isinstance(element, Button) and element.test_id:
        yield {"by": "test_id", "value": element.test_id}


def _field(one: Field) -> Iterator[Locator]:
    if one.label and one.kind != "radio":
        yield {"by": "label", "value": one.label}
        yield {"by": "label", "value": one.label, "exact": True}
    role = _ROLES.get(one.kind)
    if one.label and role:
        yield {"by": "role", "value": role, "name": one.label, "exact": True}
    if one.placeholder:
        yield {"by": "placeholder", "value": one.placeholder}
    if one.test_id:
        yield {"by": "test_id", "value": one.test_id}
    if one.name and one.kind != "radio" and '"' not in one.name:
        yield {"by": "css", "value": f'{"select" if one.kind == "select" else ""}[name="{one.name}"]'}


def elements(state: PageState) -> list[Field | Button | Link]:
    """What can be acted on, each name once: what shares its name with another cannot be told apart."""
    found: list[Field | Button | Link] = [
        *(one for one in state.fields if not one.disabled),
        *(one for one in state.buttons if not one.disabled),
        *state.links,
    ]
    keys = [element_key(one) for one in found]
    return [one for one, key in zip(found, keys, strict=True) if keys.count(key) == 1]


def seen_locator(state: PageState, seen: Seen) -> Locator | None:
    """The locator of what is seen: role and name, else its text; None where others are found as well."""
    if seen.name:
        alike = [one for one in state.seen if one.role == seen.role and one.name == seen.name]
        return {"by": "role", "value": seen.role, "name": seen.name, "exact": True} if len(alike) == 1 else None
    if not seen.text:
        return None
    alike = [one for one in state.seen if seen.text in (one.text, one.name)]
    return {"by": "text", "value": seen.text, "exact": True} if len(alike) == 1 else None
