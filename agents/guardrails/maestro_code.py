"""What Maestro flows from a model may not do: an allowlist of commands, and of names in their scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

import yaml

from .typescript_addresses import BASES, Addresses, arguments, names_an_address
from .typescript_code import ADDRESS, NOTHING, REACHES, UNREADABLE, VARIABLE, TokenReader
from .typescript_tokens import Token, Unreadable, tokens_of

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
_SCRIPT = re.compile(r"(?<!\\)\$\{")
_ALWAYS = re.compile(r"\$?\{?\s*(?:true|1|'[^']*'|\"[^\"]*\")\s*\}?", re.IGNORECASE)


def maestro_reasons(source: str, *, variables: AbstractSet[str]) -> list[str]:
    """Why a flow may not be kept; empty when it may.

    Args:
        variables: environment variables that the cases name.
    """
    try:
        header, commands = _documents(source)
        found = list(_Flow(variables | BASES).reasons(header, commands))
    except Unreadable as error:
        return [f"it cannot be read: {error}"]
    if not any(name.startswith(("assert", "extendedWait")) for name in _named(commands)):
        found.append("it has no assertion")
    return list(dict.fromkeys(found))


def _documents(source: str) -> tuple[yaml.Node | None, yaml.SequenceNode]:
    """The header and the commands. Raises Unreadable for what Maestro might read in another way than we do."""
    try:
        for event in yaml.parse(source, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise Unreadable("it has anchors, aliases or tags")
        documents = [one for one in yaml.compose_all(source, Loader=yaml.SafeLoader) if one is not None]
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable("it is no YAML") from error
    if not documents or len(documents) > 2 or not isinstance(documents[-1], yaml.SequenceNode):
        raise Unreadable("it is no header, a line `---` and a list of commands")
    return (documents[0] if len(documents) == 2 else None), documents[-1]


class _Flow:
    """Reads one flow."""

    def __init__(self, variables: AbstractSet[str]) -> None:
        self._variables = variables

    def reasons(self, header: yaml.Node | None, commands: yaml.SequenceNode) -> Iterator[str]:
        """Why it may not be kept."""
        for key, value in _pairs(header):
            if key not in _HEADER:
                yield COMMAND
            elif key in _NESTED:
                yield from self._commands(value)
            elif key == "url":
                if getattr(value, "value", "") != "${BASE_URL}":
                    yield ADDRESS
            else:
                if key == "env" and any(name in BASES for name, _ in _pairs(value)):
                    yield ADDRESS
                yield from self._values(value)
        yield from self._commands(commands)

    def _commands(self, node: yaml.Node) -> Iterator[str]:
        if not isinstance(node, yaml.SequenceNode):
            yield UNREADABLE
            return
        for one in node.value:
            if isinstance(one, yaml.ScalarNode):
                yield from self._command(str(one.value), None)
            for name, value in _pairs(one):
                yield from self._command(name, value)

    def _command(self, name: str, value: yaml.Node | None) -> Iterator[str]:
        if name == "runScript" or (name == "runFlow" and isinstance(value, yaml.ScalarNode)):
            yield OTHER_FILES
        elif name not in _COMMANDS:
            yield COMMAND
        text = value.value if isinstance(value, yaml.ScalarNode) else None
        if name == "assertTrue":
            held = [text] if text is not None else [one.value for key, one in _pairs(value) if key == "condition"]
            if any(isinstance(one, str) and _ALWAYS.fullmatch(one) for one in held):
                yield NOTHING
        if name == "takeScreenshot" and not all(re.fullmatch(r"[\w.-]+", one) for one in _scalars(value)):
            yield REACHES
        if name == "evalScript" and not (text or "").startswith("${"):
            yield UNREADABLE
        if name == "openLink":
            for link in [text] if text is not None else [one.value for key, one in _pairs(value) if key == "link"]:
                if isinstance(link, str) and not re.match(r"\$\{BASE_URL\}(?:[/?#](?!/)|$)|/(?!/)", link):
                    yield ADDRESS
        for key, _ in _pairs(value):
            if key in _FILE_KEYS:
                yield OTHER_FILES
        yield from self._values(value)

    def _values(self, node: yaml.Node | None) -> Iterator[str]:
        """Texts and scripts below a node, and the commands that it holds."""
        if isinstance(node, yaml.ScalarNode):
            text = str(node.value)
            if names_an_address(_SCRIPT.split(text)[0]):
                yield ADDRESS
            for script in scripts_in(text):
                yield from self._script(script)
        elif isinstance(node, yaml.SequenceNode):
            for one in node.value:
                yield from self._values(one)
        for key, value in _pairs(node):
            if key == "env" and any(name in BASES for name, _ in _pairs(value)):
                yield ADDRESS
            yield from self._commands(value) if key in _NESTED else self._values(value)

    def _script(self, source: str) -> Iterator[str]:
        tokens = tokens_of(source)
        addresses = Addresses(tokens)
        yield from TokenReader(addresses, "", frozenset(), self._variables).reasons(tokens)
        yield from self._names(tokens, addresses)

    def _names(self, tokens: Sequence[Token], addresses: Addresses) -> Iterator[str]:
        for at, one in enumerate(tokens):
            before, after = tokens[at - 1].text if at else "", tokens[at + 1].text if at + 1 < len(tokens) else ""
            if one.kind == "template":
                for inner in one.within():
                    yield from self._names(inner, addresses)
            if one.kind != "name" or before in (".", "?.") or (after == ":" and before in ("{", ",")):
                continue
            if one.text not in _ROOTS | self._variables:
                yield f"{VARIABLE}: {one.text}" if one.text.isupper() else UNREADABLE
            if after == "=" or (before in ("++", "--")) or after in ("++", "--", "+=", "-="):
                yield UNREADABLE
            if one.text == "http":
                called = [each.text for each in tokens[at + 1 : at + 4]]
                known = called[:1] == ["."] and called[2:] == ["("] and called[1] in _METHODS
                given = arguments(tokens, at + 3) if known else []
                if not given or not given[0] or given[0][0].text != "BASE_URL" or not addresses.is_ours(given[0]):
                    yield ADDRESS


def scripts_in(text: str) -> list[str]:
    """The scripts in a text, `${…}`. Raises Unreadable for one that does not end."""
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
            raise Unreadable("a script does not end")
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
    for one in commands.value:
        if isinstance(one, yaml.ScalarNode):
            yield str(one.value)
        yield from (key for key, _ in _pairs(one))
