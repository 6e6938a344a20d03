"""Refuses Maestro flows of a model that do more than test the application: allowlists of commands and of names in
scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import yaml

from .typescript_addresses import BASE_VARIABLES, AddressReader, names_an_address
from .typescript_code import ADDRESS, NOTHING, REACHES, UNREADABLE, VARIABLE, CodeReader
from .typescript_tree import UnreadableSource, is_name, operands, parse_source, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

OTHER_FILES = "it runs other files"
COMMAND = "it has a command that no test needs"

_COMMANDS = frozenset(
    """launchApp openLink tapOn doubleTapOn longPressOn inputText inputRandomEmail inputRandomNumber inputRandomText
    inputRandomPersonName eraseText assertVisible assertNotVisible assertTrue scroll scrollUntilVisible swipe back
    hideKeyboard pressKey waitForAnimationToEnd extendedWaitUntil copyTextFrom pasteText clearState stopApp killApp
    takeScreenshot repeat retry evalScript runFlow setOrientation setPermissions""".split()
)
_HEADER = frozenset("url appId name tags env onFlowStart onFlowComplete".split())
_NESTED = frozenset({"commands", "onFlowStart", "onFlowComplete"})
_ROOTS = frozenset(
    """output http typeof undefined true false null json JSON encodeURIComponent maestro String Number Boolean Math
    parseInt parseFloat isNaN""".split()
)
_METHODS = frozenset("get post put patch delete request".split())
_FILE_KEYS = frozenset({"file", "files", "script"})
_SCRIPT_NODES = frozenset(
    """program expression_statement empty_statement comment identifier property_identifier shorthand_property_identifier
    string string_fragment escape_sequence template_string template_substitution number regex regex_pattern regex_flags
    true false null undefined object pair array spread_element call_expression arguments member_expression
    subscript_expression optional_chain binary_expression unary_expression update_expression ternary_expression
    assignment_expression augmented_assignment_expression parenthesized_expression sequence_expression""".split()
)
_ASSIGNMENTS = frozenset({"assignment_expression", "augmented_assignment_expression"})
_SCRIPT = re.compile(r"(?<!\\)\$\{")
_ALWAYS = re.compile(r"\$?\{?\s*(?:true|1|'[^']*'|\"[^\"]*\")\s*\}?", re.IGNORECASE)


def maestro_reasons(source: str, *, variables: AbstractSet[str]) -> list[str]:
    """Lists why a flow may not be kept; empty when it may.

    Args:
        variables: environment variables that the cases name.
    """
    try:
        header, commands = _documents(source)
        found = list(_Flow(variables | BASE_VARIABLES).reasons(header, commands))
    except UnreadableSource as error:
        return [f"it cannot be read: {error}"]
    if not any(name.startswith(("assert", "extendedWait")) for name in _named(commands)):
        found.append("it has no assertion")
    return list(dict.fromkeys(found))


def _documents(source: str) -> tuple[yaml.Node | None, yaml.SequenceNode]:
    """Parses the header and the commands. Raises UnreadableSource for YAML that Maestro might read differently."""
    try:
        for event in yaml.parse(source, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise UnreadableSource("it has anchors, aliases or tags")
        documents = [item for item in yaml.compose_all(source, Loader=yaml.SafeLoader) if item is not None]
    except (yaml.YAMLError, RecursionError) as error:
        raise UnreadableSource("it is no YAML") from error
    if not documents or len(documents) > 2 or not isinstance(documents[-1], yaml.SequenceNode):
        raise UnreadableSource("it is no header, a line `---` and a list of commands")
    return (documents[0] if len(documents) == 2 else None), documents[-1]


class _Flow:
    """Checks one flow."""

    def __init__(self, variables: AbstractSet[str]) -> None:
        self._variables = variables

    def reasons(self, header: yaml.Node | None, commands: yaml.SequenceNode) -> Iterator[str]:
        """Yields why the flow may not be kept."""
        for key, value in _pairs(header):
            if key not in _HEADER:
                yield COMMAND
            elif key in _NESTED:
                yield from self._commands(value)
            elif key == "url":
                if getattr(value, "value", "") != "${BASE_URL}":
                    yield ADDRESS
            else:
                if key == "env" and any(name in BASE_VARIABLES for name, _ in _pairs(value)):
                    yield ADDRESS
                yield from self._values(value)
        yield from self._commands(commands)

    def _commands(self, node: yaml.Node) -> Iterator[str]:
        if not isinstance(node, yaml.SequenceNode):
            yield UNREADABLE
            return
        for item in node.value:
            if isinstance(item, yaml.ScalarNode):
                yield from self._command(str(item.value), None)
            for name, value in _pairs(item):
                yield from self._command(name, value)

    def _command(self, name: str, value: yaml.Node | None) -> Iterator[str]:
        # Both run a file that is not in sight, so nothing can be said of what it does.
        if name == "runScript" or (name == "runFlow" and isinstance(value, yaml.ScalarNode)):
            yield OTHER_FILES
        elif name not in _COMMANDS:
            yield COMMAND
        text = value.value if isinstance(value, yaml.ScalarNode) else None
        if name == "assertTrue":
            conditions = (
                [text] if text is not None else [entry.value for key, entry in _pairs(value) if key == "condition"]
            )
            # A condition that always holds asserts nothing.
            if any(isinstance(item, str) and _ALWAYS.fullmatch(item) for item in conditions):
                yield NOTHING
        # A path in the name would write outside the run's folder.
        if name == "takeScreenshot" and not all(re.fullmatch(r"[\w.-]+", item) for item in _scalars(value)):
            yield REACHES
        if name == "evalScript" and not (text or "").startswith("${"):
            yield UNREADABLE
        if name == "openLink":
            for link in [text] if text is not None else [entry.value for key, entry in _pairs(value) if key == "link"]:
                # Only the application under test: BASE_URL, or a path below it that no second slash turns into a host.
                if isinstance(link, str) and not re.match(r"\$\{BASE_URL\}(?:[/?#](?!/)|$)|/(?!/)", link):
                    yield ADDRESS
        for key, _ in _pairs(value):
            if key in _FILE_KEYS:
                yield OTHER_FILES
        yield from self._values(value)

    def _values(self, node: yaml.Node | None) -> Iterator[str]:
        """Checks the texts, scripts and nested commands below a node."""
        if isinstance(node, yaml.ScalarNode):
            text = str(node.value)
            if names_an_address(_SCRIPT.split(text)[0]):
                yield ADDRESS
            for script in scripts_in(text):
                yield from self._script(script)
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                yield from self._values(item)
        for key, value in _pairs(node):
            if key == "env" and any(name in BASE_VARIABLES for name, _ in _pairs(value)):
                yield ADDRESS
            yield from self._commands(value) if key in _NESTED else self._values(value)

    def _script(self, source: str) -> Iterator[str]:
        root = parse_source(source)
        addresses = AddressReader(root)
        yield from CodeReader(addresses, "", frozenset(), self._variables).reasons(root)
        for node, parent in walk(root):
            yield from self._script_node(node, parent, addresses)

    def _script_node(self, node: Node, parent: Node | None, addresses: AddressReader) -> Iterator[str]:
        """Checks one node of a script: only expressions over known names; `http` may only call the base."""
        is_keyword = not node.is_named and is_name(node) and node.type != "typeof"
        if is_keyword or (node.is_named and node.type not in _SCRIPT_NODES):
            yield UNREADABLE
        if node.type not in ("identifier", "shorthand_property_identifier"):
            return
        name = text_of(node)
        if name not in _ROOTS | self._variables:
            yield f"{VARIABLE}: {name}" if name.isupper() else UNREADABLE
        if parent is not None and (
            parent.type == "update_expression"
            or (parent.type in _ASSIGNMENTS and parent.child_by_field_name("left") == node)
        ):
            yield UNREADABLE
        if name == "http" and not _calls_base(parent, addresses):
            yield ADDRESS


def _calls_base(member: Node | None, addresses: AddressReader) -> bool:
    """Whether a member of `http` is a request method that is called with an address at the base."""
    call = member.parent if member is not None else None
    if member is None or call is None or member.type != "member_expression" or call.type != "call_expression":
        return False
    method, given = member.child_by_field_name("property"), operands(call.child_by_field_name("arguments"))
    return (
        call.child_by_field_name("function") == member
        and text_of(method) in _METHODS
        and bool(given)
        and addresses.starts_at_base(given[0])
        and addresses.is_own(given[0])
    )


def scripts_in(text: str) -> list[str]:
    """Extracts the scripts, `${…}`, from a text. Raises UnreadableSource for one that does not end."""
    found: list[str] = []
    at = 0
    while (begin := _SCRIPT.search(text, at)) is not None:
        depth, end, quote = 1, begin.end(), ""
        while end < len(text) and depth:
            char = text[end]
            if quote:
                end += 1 if char == "\\" else 0
                quote = "" if char == quote else quote
            elif char in "'\"`":
                quote = char
            else:
                depth += (char == "{") - (char == "}")
            end += 1
        if depth:
            raise UnreadableSource("a script does not end")
        found.append(text[begin.end() : end - 1])
        at = end
    return found


def _pairs(node: yaml.Node | None) -> list[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        return []
    return [(str(key.value), value) for key, value in node.value]


def _scalars(node: yaml.Node | None) -> Iterator[str]:
    if isinstance(node, yaml.ScalarNode):
        yield str(node.value)
    for _, value in _pairs(node):
        yield from _scalars(value)


def _named(commands: yaml.SequenceNode) -> Iterator[str]:
    for item in commands.value:
        if isinstance(item, yaml.ScalarNode):
            yield str(item.value)
        yield from (key for key, _ in _pairs(item))
