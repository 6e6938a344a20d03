"""Checks Maestro flows: valid YAML, known commands, assertions that can fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from ...utils.error_formatter import CodeIssue, schema_issues
from ...utils.names.similar_names import similar_names
from ...utils.schema_registry import validator
from .code_model import structure_issue
from .data_file import (
    YamlError,
    YamlNode,
    all_nodes,
    entries,
    items,
    line_of,
    plain_value,
    read_documents,
    scalar,
    value_of,
)

_ASSERTING = frozenset(
    "assertVisible assertNotVisible assertTrue assertScreenshot assertWithAI assertNoDefectsWithAI assertDarkMode "
    "assertLightMode extendedWaitUntil scrollUntilVisible".split()
)
# These say what to do without an argument; the others need one.
_BARE = frozenset(
    "assertDarkMode assertLightMode assertNoDefectsWithAI back clearKeychain clearState eraseText hideKeyboard "
    "inputRandomCityName inputRandomColorName inputRandomCountryName inputRandomEmail inputRandomNumber "
    "inputRandomPersonName inputRandomText killApp launchApp pasteText scroll stopApp stopRecording swipe "
    "toggleAirplaneMode toggleDarkMode waitForAnimationToEnd".split()
)
_COMMANDS = _ASSERTING | _BARE | frozenset(
    "action addMedia copyTextFrom doubleTapOn evalScript extractTextWithAI inputText longPressOn openBrowser openLink "
    "pressKey repeat retry runFlow runScript setAirplaneMode setClipboard setDarkMode setLocation setOrientation "
    "setPermissions startRecording takeScreenshot tapOn travel".split()
)  # fmt: skip
_SCHEMA = "schemas/maestro_flow_v1.json"
_NESTING = ("repeat", "retry", "runFlow")
_TRUE = re.compile(r"^(\$\{\s*)?(true|1|!0|'[^']+'|\"[^\"]+\")(\s*\})?$", re.IGNORECASE)
_BUSY = re.compile(r"\bwhile\s*\((?:(?!while)[^\n])*Date|\bsetTimeout\s*\(|\bsleep\s*\(")
_OUTSIDE = re.compile(r"\bhttp\.\w+\(\s*['\"`]https?://(?!localhost|127\.|10\.0\.2\.2|\[::1\])([^/'\"`]+)")


def maestro_issues(source: str, name: str, *, syntax: bool, lint: bool, structured: bool) -> Iterator[CodeIssue]:
    """Lists every issue of a flow file; for invalid YAML only that one.

    Args:
        name: the file's path, for its ending.
    """
    documents = read_documents(source)
    if isinstance(documents, YamlError):
        if syntax:
            yield CodeIssue("syntax", documents.line, documents.message, "correct the YAML", "invalid-syntax")
        return
    if lint:
        yield from _repeated_keys(documents)
    if structured:
        yield from _flow(documents, name)


def parses(source: str) -> bool:
    """Whether a text is YAML at all."""
    return not isinstance(read_documents(source), YamlError)


def _repeated_keys(documents: list[YamlNode]) -> Iterator[CodeIssue]:
    for node in all_nodes(documents):
        first: dict[str, int] = {}
        for name, key, _ in entries(node):
            if name in first:
                message = f"the key {name!r} stands in line {first[name]} already, and only one of them counts"
                yield CodeIssue("lint", line_of(key), message, "keep one of them", "repeated_key")
            first.setdefault(name, line_of(key))


def _flow(documents: list[YamlNode], name: str) -> Iterator[CodeIssue]:
    if PurePosixPath(name).suffix not in (".yaml", ".yml"):
        yield structure_issue(
            0, f"Maestro reads no flow called {PurePosixPath(name).name}", "call it ….yaml", "file_name"
        )
    if len(documents) != 2 or not any(True for _ in entries(documents[0])):
        fix = "begin with appId: or url:, then a line ---, then the list of commands"
        yield structure_issue(0, "a flow is a header, a line ---, and a list of commands", fix, "flow_parts")
    if len(documents) >= 2 and not any(scalar(value_of(documents[0], key)) for key in ("appId", "url")):
        yield structure_issue(1, "the header names no application", "give appId: or url:", "no_application")
    if len(documents) == 2:
        yield from _against_schema(documents)
    commands = items(documents[-1]) if documents else []
    if not commands:
        yield structure_issue(0, "the flow has no command", "list what to do, one command a line", "no_tests")
        return
    yield from _commands(commands)
    asserting = [item for item in _flat(commands) if _asserts(item)]
    if not asserting:
        fix = "end with what is seen then, by assertVisible or assertTrue"
        yield structure_issue(line_of(commands[0]), "the flow asserts nothing", fix, "no_assertion")
    elif all(_optional(item) for item in asserting):
        fix = "take optional: true from one of them"
        yield structure_issue(line_of(asserting[0]), "every assertion is optional: none can fail", fix, "no_assertion")


def _against_schema(documents: list[YamlNode]) -> Iterator[CodeIssue]:
    """Yields what is not as the schema of flows says: arguments of commands, mostly."""
    try:
        flow = {"header": plain_value(documents[0]), "commands": plain_value(documents[1])}
    except ValueError:
        return  # too large to be a flow, or its aliases make it so
    for issue in schema_issues(validator(_SCHEMA).iter_errors(flow)):
        at = re.match(r"\$\.commands\[(\d+)\]", issue.path)
        # The parts themselves, and several names of one command, are told in other words.
        if at is not None and issue.rule != "maxProperties":
            line = line_of(items(documents[1])[int(at[1])])
            yield structure_issue(line, issue.message, issue.suggestion or "see Maestro's reference", "flow_schema")


def _commands(commands: list[YamlNode]) -> Iterator[CodeIssue]:
    for node in commands:
        line = line_of(node)
        named = [name for name, _, _ in entries(node)]
        name = scalar(node) or (named[0] if named else "")
        if len(named) > 1:
            fix = "begin each command with a dash of its own, and indent what belongs to it"
            yield structure_issue(line, f"one command has {len(named)} names: {', '.join(named)}", fix, "command_shape")
        elif not name:
            yield structure_issue(line, "this is no command", "write a command's name", "command_shape")
        elif name not in _COMMANDS:
            close = similar_names(name, sorted(_COMMANDS), most=1)
            fix = f"write {close[0]}" if close else "see the commands in Maestro's reference"
            yield structure_issue(line, f"Maestro knows no command {name!r}", fix, "unknown_command")
        elif scalar(node) and name not in _BARE:
            yield structure_issue(line, f"{name} says not what", f"write {name}: and what it is about", "command_shape")
        else:
            yield from _about(name, value_of(node, name), line)


def _about(name: str, value: YamlNode | None, line: int) -> Iterator[CodeIssue]:
    condition = scalar(value) or scalar(value_of(value, "condition"))
    if name == "assertTrue" and _TRUE.match(condition.strip()):
        yield structure_issue(line, "assertTrue of what is always true", "assert something that can fail", "tautology")
    script = scalar(value) or scalar(value_of(value, "script"))
    if name == "evalScript" and _BUSY.search(script):
        yield structure_issue(line, "the flow sleeps in a script", "wait with extendedWaitUntil", "sleep")
    reached = _OUTSIDE.search(script) if name in ("evalScript", "assertTrue") else None
    if reached:
        fix = "take the address from a variable that is given with -e"
        yield structure_issue(line, f"the flow reaches for the network: {reached[1]}", fix, "network")
    if name in _NESTING:
        yield from _commands(items(value_of(value, "commands")))


def _flat(commands: list[YamlNode], depth: int = 0) -> Iterator[YamlNode]:
    for node in commands:
        yield node
        for name, _, value in entries(node):
            if name in _NESTING and depth < 20:
                yield from _flat(items(value_of(value, "commands")), depth + 1)


def _asserts(node: YamlNode) -> bool:
    """Whether a command asserts; a called flow or script counts, because it may."""
    if scalar(node):
        return scalar(node) in _ASSERTING
    return any(
        name in _ASSERTING
        or (name in ("runFlow", "retry") and bool(scalar(value) or scalar(value_of(value, "file"))))
        or name == "runScript"
        for name, _, value in entries(node)
    )


def _optional(node: YamlNode) -> bool:
    return any(scalar(value_of(value, "optional")).lower() == "true" for _, _, value in entries(node))
