"""Writes actions and expectations of a browser spec as lines of TypeScript, for Playwright Test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...javascript.domain.value_pools import quoted_text

Json = Mapping[str, Any]
_LONGEST = 108
_METHODS = {
    **{"click": "click", "double_click": "dblclick", "clear": "clear", "check": "check", "uncheck": "uncheck"},
    **{"hover": "hover", "tap": "tap", "scroll_to": "scrollIntoViewIfNeeded", "wait_for": "waitFor"},
}
_STATES = {
    **{"visible": "toBeVisible", "hidden": "toBeHidden", "enabled": "toBeEnabled", "disabled": "toBeDisabled"},
    **{"checked": "toBeChecked", "unchecked": "not.toBeChecked", "focused": "toBeFocused"},
}
_OPPOSITES = {
    **{"visible": "toBeHidden", "hidden": "toBeVisible", "enabled": "toBeDisabled", "disabled": "toBeEnabled"},
    **{"checked": "not.toBeChecked", "unchecked": "toBeChecked", "focused": "not.toBeFocused"},
}
_LOOK = {"timeout": 100}
"""How long a refuted expectation is looked for; what it denies has just been seen."""
_COMPARED = {
    **{"text": "toHaveText", "contains_text": "toContainText", "input_value": "toHaveValue"},
    "count": "toHaveCount",
}
_FINDERS = {
    **{"label": "getByLabel", "text": "getByText", "placeholder": "getByPlaceholder", "alt_text": "getByAltText"},
    **{"title": "getByTitle", "test_id": "getByTestId"},
}


def script_literal(value: Any) -> str:
    """A value as source of TypeScript, texts in single quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted_text(value)
    if isinstance(value, Mapping):
        pairs = (f"{_key(str(name))}: {script_literal(one)}" for name, one in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(script_literal, value))}]"
    return repr(value)


def _key(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else quoted_text(name)


def locator_source(locator: Json) -> str:
    """`page.getByRole('button', { name: 'Pay' })`."""
    by, value = str(locator["by"]), script_literal(locator["value"])
    page = f"page.getByTestId({script_literal(locator['within'])})" if "within" in locator else "page"
    exact = {"exact": True} if locator.get("exact") else {}
    if by == "role":
        options = {"name": locator["name"], **exact} if "name" in locator else {}
        found = f"{page}.getByRole({_arguments(value, options)})"
    elif by in _FINDERS:
        found = f"{page}.{_FINDERS[by]}({_arguments(value, exact if by != 'test_id' else {})})"
    else:
        selector = f"#{locator['value']}" if by == "id" else locator["value"]
        found = f"{page}.locator({script_literal(selector)})"
    return f"{found}.nth({locator['nth']})" if "nth" in locator else found


def action_lines(action: Json, asked: str = "asked") -> list[str]:
    """The lines that carry out one action.

    Args:
        asked: name of the list of what a dialog asks, where the action opens one.

    Raises:
        KeyError, ValueError: a browser does not know the action.
    """
    kind = str(action["kind"])
    lines = []
    if "dialog" in action:
        answer = script_literal({"accept": action["dialog"] == "accept"})
        lines.append(f"const {asked} = answerNextDialog(page, {answer});")
    if kind == "open":
        return [*lines, f"await page.goto({script_literal(action['url'])});"]
    if kind in ("go_back", "reload"):
        return [*lines, f"await page.{'goBack' if kind == 'go_back' else kind}();"]
    if kind == "press" and "locator" not in action:
        return [*lines, f"await page.keyboard.press({script_literal(action['value'])});"]
    value = script_literal(action.get("value", ""))
    if "secret" in action:
        value = f"variable({script_literal(action['secret'])})"
    calls = {
        "fill": f"fill({value})",
        "select": f"selectOption({{ label: {value} }})",
        "press": f"press({value})",
        "upload": f"setInputFiles({value})",
    }
    if kind not in calls and kind not in _METHODS:
        raise ValueError(f"a browser has no {kind}")
    found = locator_source(action["locator"])
    return [*lines, f"await {found}.{calls.get(kind) or _METHODS[kind] + '()'};"]


def expectation_line(one: Json, asked: str = "asked") -> str:
    """The statement that checks one expectation. Raises KeyError or ValueError for one that is not written here."""
    kind, value = str(one["kind"]), script_literal(one.get("value", ""))
    options = {"timeout": round(1000 * one["timeout_seconds"])} if "timeout_seconds" in one else {}
    if kind in ("title", "url"):
        return f"await expect(page).{'toHaveTitle' if kind == 'title' else 'toHaveURL'}({_arguments(value, options)});"
    if kind == "dialog":
        return f"expect({asked}).toEqual([{value}]);"
    if kind in _STATES:
        return _expected(one["locator"], f"{_STATES[kind]}({script_literal(options) if options else ''})")
    if kind in _COMPARED:
        return _expected(one["locator"], f"{_COMPARED[kind]}({_arguments(value, options)})")
    raise ValueError(f"expectations of the kind {kind} are not written for Playwright Test")


def refutation_line(one: Json) -> str:
    """The statement that holds where the opposite of an expectation, or one of another value, does not; "" for none.

    It is checked right after the expectation itself has held.
    """
    kind, value = str(one["kind"]), one.get("value", "")
    other = script_literal(value + 1 if isinstance(value, int) else f"{value} (another)")
    if kind in ("title", "url"):
        denied = f"expect(page).{'toHaveTitle' if kind == 'title' else 'toHaveURL'}({_arguments(other, _LOOK)})"
    elif kind in _OPPOSITES:
        denied = f"expect({locator_source(one['locator'])}).{_OPPOSITES[kind]}({script_literal(_LOOK)})"
    elif kind in _COMPARED:
        denied = f"expect({locator_source(one['locator'])}).{_COMPARED[kind]}({_arguments(other, _LOOK)})"
    else:
        return ""
    return f"await expect({denied}).rejects.toThrow();"


def _expected(locator: Json, check: str) -> str:
    found = locator_source(locator)
    line = f"await expect({found}).{check};"
    return line if len(line) <= _LONGEST else f"await expect(\n  {found},\n).{check};"


def _arguments(value: str, options: Mapping[str, Any]) -> str:
    return f"{value}, {script_literal(options)}" if options else value
