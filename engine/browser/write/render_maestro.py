"""Renders a browser spec as flows for Maestro in YAML: one file for each case, and one that runs them all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import yaml

from ....core.errors import AgentFailure
from ....utils.generated_header import with_header
from ...api.write.render import ApiTestFile
from .python_lines import variables_in

Json = Mapping[str, Any]
_PATTERN = re.compile(r"([\\.^$*+?()\[\]{}|])")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SEEN = frozenset({"visible", "hidden", "text", "contains_text", "enabled", "disabled", "checked", "unchecked"})
_TEXT_ROLES = frozenset(
    {"heading", "button", "link", "status", "alert", "cell", "listitem", "menuitem", "tab", "option"}
)
"""Roles of what has its name as a text: a row, for instance, has the texts of its cells."""
_FIELDS = ("textbox", "checkbox", "radio", "combobox")
_FLAGS = {
    **{"enabled": ("enabled", "true"), "disabled": ("enabled", "false")},
    **{"checked": ("checked", "true"), "unchecked": ("checked", "false")},
}


class _NotSeen(Exception):
    """Maestro has no way to do or to see something; the message says what."""


def render_maestro(spec: Json, test_path: str) -> tuple[ApiTestFile, ...]:
    """Render the flow that runs all others, then the flow of each case and of each way to sign in.

    What Maestro cannot see of a page (its title, rows of a table) is named in a comment and left out.

    Args:
        spec: valid against the browser test schema.
        test_path: POSIX, relative to the project's root; the other flows go into a folder of that name.

    Raises:
        AgentFailure: a case has nothing that Maestro could check, or needs what it cannot do.
    """
    place = PurePosixPath(test_path)
    target = spec["target"]
    origin = str(target.get("path") or target["name"])
    flows = {f"sign_in_as_{name}": list(_sign_in(name, user)) for name, user in (spec.get("users") or {}).items()}
    for case in spec["cases"]:
        try:
            flows[str(case["id"])] = list(_case(case))
            # What cannot be read costs its own case only: each is rendered alone where they do not render together.
            list(yaml.parse(_flow(str(case["title"]), flows[str(case["id"])])))
        except (_NotSeen, KeyError, TypeError, ValueError, yaml.YAMLError) as error:
            reason = error if isinstance(error, _NotSeen) else f"it does not render: {error!r}"
            raise AgentFailure(f"{case.get('id')} cannot be written for Maestro: {reason}") from error
    paths = {name: place.with_suffix("") / f"{name}.yaml" for name in flows}
    cases = [str(case["id"]) for case in spec["cases"]]
    title = str(spec["title"])
    whole = [f"- runFlow: {paths[name].relative_to(place.parent).as_posix()}" for name in cases]
    needed = " ".join(f"-e {name}=…" for name in ("BASE_URL", *_variables(spec)))
    note = f"# Not run by testwright. Run it with: maestro test {needed} {test_path}\n"
    note += "# Each flow expects the application as it is after its start.\n"
    files = [ApiTestFile(test_path, with_header(note + _flow(title, whole), target=origin))]
    titles = {str(case["id"]): f"{case['title']} [{case['id']}]" for case in spec["cases"]}
    for name, commands in flows.items():
        text = with_header(_flow(titles.get(name, name.replace("_", " ")), commands), target=origin)
        files.append(ApiTestFile(paths[name].as_posix(), text))
    return tuple(files)


def _flow(title: str, commands: Sequence[str]) -> str:
    return "\n".join(["url: ${BASE_URL}", f"name: {_text(title)}", "---", *commands]) + "\n"


def _variables(spec: Json) -> list[str]:
    users = [action for user in (spec.get("users") or {}).values() for action in user["actions"]]
    return variables_in([*users, *(action for case in spec["cases"] for action in case["act"]["actions"])])


def _sign_in(name: str, user: Json) -> Iterator[str]:
    yield "- launchApp"
    for action in user["actions"]:
        yield from _action(action)
    for one in user.get("expect") or ():
        yield from _checked(one)


def _case(case: Json) -> Iterator[str]:
    user = (case.get("arrange") or {}).get("signed_in_as")
    yield f"- runFlow: sign_in_as_{user}.yaml" if user else "- launchApp"
    actions: Sequence[Json] = case["act"]["actions"]
    checks = 0
    for number, action in enumerate(actions):
        yield from _action(action)
        for one in case["expect"]:
            if one.get("after_action", len(actions) - 1) == number:
                lines = list(_checked(one))
                checks += any(line.startswith("- assert") for line in lines)
                yield from lines
    if not checks:
        raise _NotSeen("nothing of what it expects can be seen by Maestro")


def _action(action: Json) -> Iterator[str]:
    kind = str(action["kind"])
    if "dialog" in action:
        raise _NotSeen("it answers no dialogs of a page")
    if kind == "open":
        yield f"- openLink: {_quoted('${BASE_URL}' + str(action['url']).replace('${', _ESCAPED))}"
    elif kind in ("click", "tap", "check", "uncheck"):
        yield from _on("tapOn", action["locator"])
    elif kind == "double_click":
        yield from _on("doubleTapOn", action["locator"])
    elif kind == "long_press":
        yield from _on("longPressOn", action["locator"])
    elif kind == "fill":
        yield from _on("tapOn", action["locator"])
        value = f"${{{action['secret']}}}" if "secret" in action else None
        yield "- eraseText"
        if value or action.get("value"):
            yield f"- inputText: {_quoted(value) if value else _text(str(action['value']))}"
    elif kind == "select":
        yield from _on("tapOn", action["locator"])
        yield f"- tapOn: {_exactly(str(action['value']))}"
    elif kind in ("go_back", "hide_keyboard"):
        yield {"go_back": "- back", "hide_keyboard": "- hideKeyboard"}[kind]
    elif kind == "press":
        yield f"- pressKey: {_text(str(action['value']))}"
    else:
        raise _NotSeen(f"it has no {kind} on a page")


_ESCAPED = "\\${"


def _on(command: str, locator: Json) -> Iterator[str]:
    """A command on one element."""
    selector = _selector(locator)
    if len(selector) == 1 and "text" in selector:
        yield f"- {command}: {selector['text']}"
        return
    yield f"- {command}:"
    yield from (f"    {name}: {value}" for name, value in selector.items())


def _selector(locator: Json) -> dict[str, str]:
    """How an element is found: by what it shows, or by its id."""
    by, value = str(locator["by"]), str(locator["value"])
    nth = {"index": str(locator["nth"])} if locator.get("nth") else {}
    if "within" in locator:
        return {**_selector({key: one for key, one in locator.items() if key != "within"}), "childOf": _inside(locator)}
    if by == "role":
        if not locator.get("name"):
            raise _NotSeen(f"it sees no {value} without a name")
        if value not in (*_TEXT_ROLES, *_FIELDS):
            raise _NotSeen(f"it sees no {value}")
        return {"text": _exactly(str(locator["name"])), **nth}
    if by in ("label", "text", "placeholder", "alt_text", "title"):
        is_part = by == "text" and not locator.get("exact")
        return {"text": _quoted(f".*{_escaped(value)}.*") if is_part else _exactly(value), **nth}
    if by in ("test_id", "id"):
        return {"id": _exactly(value), **nth}
    raise _NotSeen("it finds nothing by a selector of CSS")


def _inside(locator: Json) -> str:
    return f"{{ id: {_exactly(str(locator['within']))} }}"


def _checked(one: Json) -> Iterator[str]:
    """The command that checks an expectation, or a comment that says why it is not checked."""
    try:
        yield from _check(one)
    except _NotSeen as reason:
        locator = one.get("locator") or {}
        what = one.get("value") or locator.get("name") or locator.get("value") or ""
        yield f"# Not checked here: {one['kind']} {' '.join(str(what).split())!r}: {reason}."


def _check(one: Json) -> Iterator[str]:
    kind = str(one["kind"])
    if kind not in _SEEN:
        raise _NotSeen(f"Maestro sees no {kind.replace('_', ' ')}")
    if kind in ("text", "contains_text"):
        # An element is found by what it shows: that the text is seen says as much.
        text = str(one["value"])
        yield f"- assertVisible: {_exactly(text) if kind == 'text' else _quoted(f'.*{_escaped(text)}.*')}"
        return
    locator = one["locator"]
    if locator["by"] == "role" and locator["value"] not in _TEXT_ROLES:
        raise _NotSeen(f"Maestro sees no {locator['value']} by its name")
    selector = _selector(locator)
    if kind in _FLAGS:
        name, value = _FLAGS[kind]
        selector[name] = value
    command = "assertNotVisible" if kind == "hidden" else "assertVisible"
    if list(selector) == ["text"]:
        yield f"- {command}: {selector['text']}"
        return
    yield f"- {command}:"
    yield from (f"    {name}: {value}" for name, value in selector.items())


def _escaped(text: str) -> str:
    return _PATTERN.sub(r"\\\1", text)


def _exactly(text: str) -> str:
    """A selector that matches exactly this text: Maestro reads selectors as regular expressions."""
    return _text(_escaped(text))


def _text(text: str) -> str:
    """Quote literal text; Maestro would read `${` as the start of a script."""
    return _quoted(text.replace("${", _ESCAPED))


def _quoted(text: str) -> str:
    r"""A text in double quotes of YAML; as `\uXXXX` stand only characters that YAML would refuse or take for line ends.

    JSON's escapes alone do not do: a pair of surrogates is one character in JSON, and an error in YAML.
    """
    whole = re.sub("[\ud800-\udfff]", "\ufffd", text)  # half a pair is shown as this
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(whole, ensure_ascii=False))
