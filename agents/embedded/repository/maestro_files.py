"""Renders scripts as Maestro flows in YAML: one file for each case, as Maestro runs them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ....utils.generated_header import with_header
from .case_words import Click, Expectation, Fill, Open, Script, Send, Shows, StatusBelow, StatusIs, Step, parts_of
from .playwright_files import AUTHORIZATION, json_literal, needs_authorization, script_string

FOLDER = ".maestro/generated"
UNSEEN = "Maestro sees no page title"


def maestro_files(scripts: Sequence[Script], source: str) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Render flow files with `path` and `contents`, sorted by path, and list the cases without a flow, with the reason.

    Args:
        source: origin of the cases, for the header.
    """
    files: list[dict[str, str]] = []
    refused: dict[str, str] = {}
    for script in sorted(scripts, key=lambda script: script.id):
        if any(isinstance(expectation, Shows) and expectation.what == "title" for expectation in script.expected):
            refused[script.id] = UNSEEN
            continue
        contents = with_header(_flow(script), target=source, comment="#")
        files.append({"path": f"{FOLDER}/{script.id}.yaml", "contents": contents})
    return files, refused


def _flow(script: Script) -> str:
    lines = ["# Run it with: maestro test -e BASE_URL=https://... and a -e for each variable that is asserted below."]
    lines += ["url: ${BASE_URL}", f"name: {_text(f'{script.title} [{script.id}]')}", "tags:", f"  - {script.priority}"]
    lines.append("---")
    needed = ["BASE_URL", *script.variables, *([AUTHORIZATION] if needs_authorization(script) else [])]
    for name in needed:
        why = next(
            (precondition for precondition in script.preconditions if re.search(rf"\b{name}\b", precondition)),
            f"{name} is set.",
        )
        lines += ["- assertTrue:", f"    condition: ${{typeof {name} !== 'undefined'}}", f"    label: {_text(why)}"]
    others = [
        precondition
        for precondition in script.preconditions
        if not any(re.search(rf"\b{name}\b", precondition) for name in needed)
    ]
    lines += [f"# Precondition: {' '.join(precondition.split())}" for precondition in others]
    for step in script.steps:
        lines += _commands(step, needs_authorization(script))
    for expectation in script.expected:
        lines += _assertion(expectation)
    return "\n".join(lines) + "\n"


def _commands(step: Step, authorized: bool) -> list[str]:
    if isinstance(step, Open):
        address = "".join(f"${{{text}}}" if is_variable else text for text, is_variable in parts_of(step.path))
        return ["- launchApp", f"- openLink: {_quoted('${BASE_URL}' + address)}"]
    if isinstance(step, Fill):
        return [f"- tapOn: {_pattern(step.field)}", f"- inputText: {_text(step.value)}"]
    if isinstance(step, Click):
        return [f"- tapOn: {_pattern(step.name)}"]
    options = [f"method: '{step.method}'"]
    if step.body is not None:
        options.append(f"headers: {{{_headers(step, authorized, json_body=True)}}}")
        options.append(
            f"body: {step.body[1:] if step.body.startswith('$') else script_string(json_literal(step.body))}"
        )
    elif authorized and not step.anonymous:
        options.append(f"headers: {{{_headers(step, authorized, json_body=False)}}}")
    address = " + ".join(
        ["BASE_URL", *(text if is_variable else script_string(text) for text, is_variable in parts_of(step.path))]
    )
    script = f"output.status = http.request({address}, {{{', '.join(options)}}}).status"
    return [f"- evalScript: {_quoted(f'${{{script}}}')}"]


def _headers(step: Send, authorized: bool, *, json_body: bool) -> str:
    headers = ["'Content-Type': 'application/json'"] if json_body else []
    if authorized and not step.anonymous:
        headers.append(f"'Authorization': {AUTHORIZATION}")
    return ", ".join(headers)


def _assertion(expectation: Expectation) -> list[str]:
    if isinstance(expectation, StatusIs):
        condition = " || ".join(f"output.status == {code}" for code in expectation.codes)
        return [f"- assertTrue: {_quoted(f'${{{condition}}}')}"]
    if isinstance(expectation, StatusBelow):
        return [f"- assertTrue: {_quoted(f'${{output.status < {expectation.limit}}}')}"]
    return [f"- assertVisible: {_pattern(expectation.text)}"]


def _pattern(text: str) -> str:
    """Build a selector that matches exactly this text: Maestro reads selectors as regular expressions."""
    return _text(re.sub(r"([\\.^$*+?()\[\]{}|])", r"\\\1", text))


def _text(text: str) -> str:
    """Quote literal text; Maestro would read `${` as the start of a script."""
    return _quoted(text.replace("${", "\\${"))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)
