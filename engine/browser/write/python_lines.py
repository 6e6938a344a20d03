"""Writes actions and expectations of a browser spec as lines of Python, for Playwright's synchronous interface."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
_METHODS = {
    **{"click": "click", "double_click": "dblclick", "clear": "clear", "check": "check", "uncheck": "uncheck"},
    **{"hover": "hover", "tap": "tap", "scroll_to": "scroll_into_view_if_needed", "wait_for": "wait_for"},
}
_STATES = {
    **{"visible": "to_be_visible()", "hidden": "not_to_be_visible()", "enabled": "to_be_enabled()"},
    **{"disabled": "to_be_disabled()", "checked": "to_be_checked()", "unchecked": "not_to_be_checked()"},
    "focused": "to_be_focused()",
}
_COMPARED = {
    **{"text": "to_have_text", "contains_text": "to_contain_text", "input_value": "to_have_value"},
    "count": "to_have_count",
}


def literal(value: Any) -> str:
    """A value as Python source, texts in double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return repr(value)


def locator_source(locator: Json) -> str:
    """`page.get_by_role("button", name="Pay")`."""
    by, value = locator["by"], literal(locator["value"])
    page = f"page.get_by_test_id({literal(locator['within'])})" if "within" in locator else "page"
    exact = ", exact=True" if locator.get("exact") else ""
    if by == "role":
        name = f", name={literal(locator['name'])}{exact}" if "name" in locator else ""
        found = f"{page}.get_by_role({value}{name})"
    elif by in ("label", "text", "placeholder", "alt_text", "title"):
        found = f"{page}.get_by_{by}({value}{exact})"
    elif by == "test_id":
        found = f"{page}.get_by_test_id({value})"
    else:
        selector = f"#{locator['value']}" if by == "id" else locator["value"]
        found = f"{page}.locator({literal(selector)})"
    return f"{found}.nth({locator['nth']})" if "nth" in locator else found


def action_lines(action: Json, constants: Collection[str] = ()) -> list[str]:
    """The lines that carry out one action.

    Args:
        constants: variables that a constant of the file holds; others are read where they are used.

    Raises:
        KeyError, ValueError: a browser does not know the action.
    """
    kind = action["kind"]
    lines = []
    if "dialog" in action:
        lines.append(f"asked = answer_next_dialog(page, accept={action['dialog'] == 'accept'})")
    if kind == "open":
        return [*lines, f"page.goto({literal(action['url'])})"]
    if kind in ("go_back", "reload"):
        return [*lines, f"page.{kind}()"]
    if kind == "press" and "locator" not in action:
        return [*lines, f"page.keyboard.press({literal(action['value'])})"]
    found = locator_source(action["locator"])
    value = literal(action.get("value", ""))
    if "secret" in action:
        name = str(action["secret"])
        value = name if name in constants else f"os.environ[{literal(name)}]"
    calls = {
        "fill": f"fill({value})",
        "select": f"select_option(label={value})",
        "press": f"press({value})",
        "upload": f"set_input_files({value})",
    }
    if kind not in calls and kind not in _METHODS:
        raise ValueError(f"a browser has no {kind}")
    return [*lines, f"{found}.{calls.get(kind) or _METHODS[kind] + '()'}"]


def expectation_lines(one: Json) -> list[str]:
    """The lines that check one expectation. Raises KeyError or ValueError for one that is not written for Python."""
    kind, value = one["kind"], one.get("value")
    limit = f"timeout={1000 * one['timeout_seconds']:g}" if "timeout_seconds" in one else ""
    if kind == "title":
        return [f"expect(page).to_have_title({_arguments(literal(value), limit)})"]
    if kind == "url":
        return [f"expect(page).to_have_url({_arguments(literal(value), limit)})"]
    if kind == "dialog":
        return [f"assert asked == [{literal(value)}]"]
    if kind in _STATES:
        method = _STATES[kind]
        call = f"{method[:-1]}{limit})" if limit else method
        return [f"expect({locator_source(one['locator'])}).{call}"]
    if kind in _COMPARED:
        return [f"expect({locator_source(one['locator'])}).{_COMPARED[kind]}({_arguments(literal(value), limit)})"]
    raise ValueError(f"expectations of the kind {kind} are not written for pytest-playwright")


def _arguments(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def uses_dialogs(cases: Iterable[Json]) -> bool:
    """Whether an action of some cases answers a dialog."""
    return any("dialog" in action for case in cases for action in case["act"]["actions"])


def variables_in(actions: Sequence[Json]) -> list[str]:
    """Names of the variables that hold what is filled in, each once."""
    names = [str(action["secret"]) for action in actions if "secret" in action]
    return [name for name in dict.fromkeys(names) if re.fullmatch(r"[A-Z][A-Z0-9_]*", name)]
