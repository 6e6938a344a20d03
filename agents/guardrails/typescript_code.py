"""Refuses model-written Playwright tests that do more than test the application: an allowlist of names and imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .typescript_addresses import BASE_VARIABLES, AddressReader, names_an_address, process_variable
from .typescript_tree import (
    UnreadableSource,
    constant_text,
    is_name,
    operands,
    parse_source,
    template_parts,
    text_of,
    unwrapped,
    walk,
)

if TYPE_CHECKING:
    from tree_sitter import Node

STARTS, REACHES = "it starts programs", "it reaches files or sockets"
RUNS_TEXT, PROCESS = "it runs code from text", "it uses the process"
ADDRESS, NOTHING = "it names an address of its own", "it asserts nothing"
UNREADABLE, IMPORTS = "it names what cannot be read", "it imports more than it may"
VARIABLE = "it reads a variable that no case names"

_PLAYWRIGHT = "@playwright/test"
_IMPORTABLE = frozenset({"test", "expect", "request", "devices", "defineConfig"})
_PROGRAMS = re.compile(r"(?:node:)?(?:child_process|cluster|worker_threads|vm|repl|inspector|module)(?:/.*)?")
_NAMES = {
    name: why
    for why, names in {
        RUNS_TEXT: "eval Function constructor __proto__ prototype getPrototypeOf setPrototypeOf Reflect Proxy "
        "__defineGetter__ __lookupGetter__ importScripts addInitScript addScriptTag addStyleTag setContent "
        "exposeFunction exposeBinding setTimeout setInterval setImmediate queueMicrotask WebAssembly",
        PROCESS: "globalThis global require module exports createRequire mainModule Deno Bun __dirname __filename",
        STARTS: "launch launchServer launchOptions launchPersistentContext executablePath connectOptions webServer "
        "globalSetup globalTeardown connectOverCDP newCDPSession _electron _android chromium firefox webkit",
        REACHES: "XMLHttpRequest WebSocket EventSource sendBeacon RTCPeerConnection WebTransport Worker SharedWorker "
        "serviceWorker Image createElement createElementNS innerHTML outerHTML insertAdjacentHTML srcdoc setAttribute "
        "BroadcastChannel postMessage defaultView contentWindow contentDocument saveAs routeFromHAR recordHar proxy "
        "createReadStream readFileSync readFile writeFile writeFileSync rmSync storageState clientCertificates",
    }.items()
    for name in names.split()
}
_BARE = frozenset({"window", "document", "self", "navigator", "this", "request", "frames"})
_EVALUATED = {"evaluate": 0, "evaluateHandle": 0, "evaluateAll": 0, "waitForFunction": 0, "$eval": 1, "$$eval": 1}
_CALLS = frozenset("goto get post put patch delete head fetch open assign".split())
_CALLED_ONLY = frozenset({"goto", "fetch", "setInputFiles", *_EVALUATED})
_ADDRESSES = frozenset({"baseURL", "url", "href"})
_SINKS = frozenset({"src", "href", "action", "formAction", "location", "data", "srcset"})
_FILES = frozenset({"path", "dir", "snapshotDir", "outputDir", "recordVideo", "har"})
_CONSTANTS = frozenset({"true", "false", "null", "undefined", "number", "string"})
_OUTPUT = re.compile(r"(?:testInfo|test\s*\.\s*info\(\))\s*\.\s*outputPath")
_ASSIGNMENTS = frozenset({"assignment_expression", "augmented_assignment_expression", "for_in_statement"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})


def playwright_reasons(source: str, *, path: str, files: AbstractSet[str], variables: AbstractSet[str]) -> list[str]:
    """Why a file may not be kept; empty when it may.

    Args:
        path: of the file, for its relative imports.
        files: paths of all files of the answer, which may import each other.
        variables: environment variables that the cases name.
    """
    try:
        root = parse_source(source)
        reader = CodeReader(AddressReader(root), path, files, variables | BASE_VARIABLES)
        reasons = list(dict.fromkeys(reader.reasons(root)))
    except UnreadableSource as error:
        return [f"it cannot be read: {error}"]
    if not _has_assertion(root):
        reasons.append("it has no assertion")
    return reasons


def _has_assertion(root: Node) -> bool:
    """Whether `expect(…)` or `expect.…` is used."""
    return any(
        text_of(node) == "expect" and parent is not None and parent.type in ("call_expression", "member_expression")
        for node, parent in walk(root)
        if node.type == "identifier"
    )


class CodeReader:
    """Finds what a syntax tree may not do.

    Args:
        addresses: of the same tree.
        path, files, variables: as for the whole file.
    """

    def __init__(
        self, addresses: AddressReader, path: str, files: AbstractSet[str], variables: AbstractSet[str]
    ) -> None:
        self._addresses = addresses
        self._path, self._files, self._variables = path, files, variables
        self._allowed_process: set[int] = set()

    def reasons(self, root: Node) -> Iterator[str]:
        """Why the tree may not be kept, in the order of the source."""
        checks = {
            "call_expression": self._call,
            "import_statement": self._import,
            "export_statement": self._export,
            "member_expression": self._member,
            "subscript_expression": self._subscript,
            "pair": self._pair,
        }
        for node, parent in walk(root):
            if is_name(node):
                yield from self._name(node, parent)
            elif node.type in ("string", "template_string"):
                yield from _text_reasons(node)
            elif node.type in _ASSIGNMENTS:
                yield from self._assignment(node)
            elif node.type == "computed_property_name":
                yield from _key_reasons(operands(node)[0])
            elif node.type == "pair_pattern":
                yield from _text_key_reasons(node.child_by_field_name("key"))
            elif node.type == "meta_property":
                yield PROCESS
            elif check := checks.get(node.type):
                yield from check(node, parent)

    def _name(self, node: Node, parent: Node | None) -> Iterator[str]:
        """Reasons for one identifier or keyword, wherever it is used."""
        name = text_of(node)
        if name == "process":
            if node.id not in self._allowed_process:
                yield PROCESS
        elif name in _NAMES:
            yield _NAMES[name]
        elif name in _BARE and not _is_harmless_use(node, parent):
            yield UNREADABLE
        elif name == "fetch" and not (parent is not None and _property(parent) == node):
            yield REACHES
        elif node.type == "shorthand_property_identifier":
            # `{ url }` is `{ url: url }`.
            if name in _ADDRESSES and not self._addresses.is_own(node):
                yield ADDRESS
            elif name in _FILES:
                yield REACHES

    def _call(self, node: Node, _parent: Node | None) -> Iterator[str]:
        """Reasons for a call: modules, constant assertions, addresses, evaluated code and uploaded files."""
        function, given = node.child_by_field_name("function"), operands(node.child_by_field_name("arguments"))
        if function is None:
            return
        first = given[0] if given else None
        function = unwrapped(function)
        if function.type == "import":
            yield IMPORTS
        name = _called_name(function)
        if function.type == "import" or text_of(function) == "require":
            yield from self._module(first)
        is_constant = first is not None and (first.type in _CONSTANTS or constant_text(first) is not None)
        if name in ("expect", "assert") and is_constant:
            yield NOTHING
        # Rules below are about methods: a plain function of the file is read where it is defined.
        if function.type == "identifier":
            return
        if name in _CALLS and first is not None and not self._addresses.is_own(first):
            yield ADDRESS if first.type == "string" else "it calls an address that cannot be read"
        # Text given to these is run as code in the page.
        if name in _EVALUATED and not all(_is_function(given_value) for given_value in given[_EVALUATED[name] :][:1]):
            yield RUNS_TEXT
        # A path would upload a file of the machine; content written in the test is harmless.
        if name == "setInputFiles" and not all(
            _is_inline_file(given_value) for given_value in (given[1:] or given)[:1]
        ):
            yield REACHES

    def _import(self, node: Node, _parent: Node | None) -> Iterator[str]:
        required = next((child for child in node.named_children if child.type == "import_require_clause"), None)
        source = (required or node).child_by_field_name("source")
        yield from self._module(source)
        if constant_text(source) != _PLAYWRIGHT:
            return
        clause = next((child for child in node.named_children if child.type == "import_clause"), None)
        named = [child for child in operands(clause) if child.type == "named_imports"]
        specifiers = [operand for names in named for operand in operands(names)]
        # No default import, no `* as`, no other name for what is imported.
        is_renamed = any(specifier.child_by_field_name("alias") for specifier in specifiers)
        if not named or len(named) != len(operands(clause)) or is_renamed:
            yield IMPORTS
        names = {text_of(specifier.child_by_field_name("name")) for specifier in specifiers}
        if any(not (name in _IMPORTABLE or name[:1].isupper()) for name in names):
            yield IMPORTS

    def _export(self, node: Node, _parent: Node | None) -> Iterator[str]:
        source = node.child_by_field_name("source")
        if source is not None:
            yield from self._module(source)

    def _module(self, source: Node | None) -> Iterator[str]:
        """Reasons against a module: only Playwright's tests and files of the same answer may be imported."""
        name = constant_text(source)
        if name is None:
            yield IMPORTS
        elif name == _PLAYWRIGHT:
            return
        elif _PROGRAMS.fullmatch(name):
            yield STARTS
        elif name.startswith("."):
            beside = _resolved(PurePosixPath(self._path).parent, name)
            endings = ("", ".ts", ".js", "/index.ts", "/index.js")
            if not any(f"{beside}{ending}" in self._files for ending in endings):
                yield IMPORTS
        else:
            yield REACHES if re.fullmatch(r"(?:node:)?[a-z_0-9/]+", name) else IMPORTS

    def _member(self, node: Node, parent: Node | None) -> Iterator[str]:
        """Reasons for `x.y`: environment variables, `fetch` of a page, and methods that are not called at once."""
        variable = process_variable(node)
        if variable is not None:
            owner = node.child_by_field_name("object")
            process = owner.child_by_field_name("object") if owner is not None else None
            if not re.fullmatch(r"[A-Z][A-Z0-9_]*", variable) or process is None or _is_changed(node, parent):
                return  # Reported at the name `process`.
            self._allowed_process.add(process.id)
            if variable not in self._variables:
                yield f"{VARIABLE}: {variable}"
            return
        owner, name = text_of(node.child_by_field_name("object")), text_of(_property(node))
        if name == "fetch" and owner in _BARE - {"request"}:
            yield REACHES
        if name in _CALLED_ONLY and not _is_called(node, parent):
            yield UNREADABLE
        if name in ("assign", "replace") and re.search(r"\blocation$", owner):
            yield REACHES

    def _subscript(self, node: Node, parent: Node | None) -> Iterator[str]:
        """Reasons for `x[…]`: a constant text is a name as if it were written; a computed text cannot be read."""
        owner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if text_of(owner) in _BARE | {"globalThis"}:
            yield UNREADABLE
        if index is None:
            return
        yield from _key_reasons(index)
        name = constant_text(unwrapped(index))
        if name in _CALLED_ONLY and not _is_called(node, parent):
            yield UNREADABLE

    def _pair(self, node: Node, _parent: Node | None) -> Iterator[str]:
        """Reasons for a property of an object: an address, or a file that is not the test's own output."""
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        yield from _text_key_reasons(key)
        if key is not None and value is not None:
            written = unwrapped(operands(key)[0]) if key.type == "computed_property_name" else key
            yield from self._property_value(constant_text(written) or text_of(key), value)

    def _property_value(self, name: str, value: Node) -> Iterator[str]:
        if name in _ADDRESSES and not self._addresses.is_own(value):
            yield ADDRESS
        if name in _FILES and not _is_output(value):
            yield REACHES

    def _assignment(self, node: Node) -> Iterator[str]:
        """Reasons for what is assigned to, also inside patterns and as the variable of a loop."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        is_loop = node.type == "for_in_statement"
        if left is None or right is None or (is_loop and node.child_by_field_name("kind") is not None):
            return
        for target, parent in walk(left):
            name = _target_name(target)
            is_object = parent is not None and parent.child_by_field_name("object") == target
            if name is None or is_object:
                continue
            if name in _SINKS and (target.type != "identifier" or name == "location"):
                yield REACHES
            if target.type != "identifier":
                yield from self._property_value(name, right)


def _text_reasons(node: Node) -> Iterator[str]:
    texts = [part for part in template_parts(node) if isinstance(part, str)]
    if names_an_address(texts[0]) or any("://" in text for text in texts):
        yield ADDRESS


def _text_key_reasons(key: Node | None) -> Iterator[str]:
    """Reasons for a property name that is written as a text."""
    name = constant_text(key)
    if name is not None and (name in _NAMES or name in ("fetch", "process")):
        yield _NAMES.get(name, UNREADABLE)


def _key_reasons(key: Node) -> Iterator[str]:
    """Reasons for a computed property name."""
    key = unwrapped(key)
    if constant_text(key) is not None:
        yield from _text_key_reasons(key)
    elif any(node.type in ("string", "template_string") for node, _ in walk(key)):
        yield UNREADABLE


def _property(node: Node) -> Node | None:
    return node.child_by_field_name("property")


def _called_name(function: Node) -> str:
    """The last name of what is called; a constant text in brackets counts as a name."""
    if function.type == "subscript_expression":
        index = function.child_by_field_name("index")
        return constant_text(unwrapped(index)) or "" if index is not None else ""
    return text_of(_property(function) if function.type == "member_expression" else function)


def _is_called(node: Node, parent: Node | None) -> bool:
    return parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == node


def _target_name(node: Node) -> str | None:
    if node.type in ("member_expression", "subscript_expression"):
        return _called_name(node)
    return text_of(node) if node.type in ("identifier", "shorthand_property_identifier_pattern") else None


def _is_changed(node: Node, parent: Node | None) -> bool:
    """Whether a member is assigned to, deleted or counted."""
    while parent is not None and parent.type in ("parenthesized_expression", "non_null_expression"):
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type in _ASSIGNMENTS:
        return parent.child_by_field_name("left") == node
    is_delete = parent.type == "unary_expression" and text_of(parent.child_by_field_name("operator")) == "delete"
    return is_delete or parent.type == "update_expression" or parent.type.endswith("_pattern")


def _is_harmless_use(node: Node, parent: Node | None) -> bool:
    """Whether a global such as `window` is only read from, or its name is a key, a fixture, a parameter or a type."""
    if parent is None:
        return False
    if node.type == "property_identifier" or parent.type in ("import_specifier", "type_query"):
        return True
    if parent.type == "unary_expression":
        return text_of(parent.child_by_field_name("operator")) == "typeof"
    if parent.type in ("member_expression", "subscript_expression"):
        return parent.child_by_field_name("object") == node
    if parent.type == "arrow_function":
        return parent.child_by_field_name("parameter") == node
    if parent.type in ("required_parameter", "optional_parameter"):
        return parent.child_by_field_name("type") is not None and parent.child_by_field_name("value") is None
    if node.type == "shorthand_property_identifier_pattern" and parent.type == "object_pattern":
        holder = parent.parent
        return holder is not None and holder.type == "required_parameter"
    return False


def _is_function(node: Node) -> bool:
    return unwrapped(node).type in _FUNCTIONS


def _is_inline_file(node: Node) -> bool:
    """Whether files to upload are written in the test: `{ name, mimeType, buffer }`, a list of such, or none."""
    node = unwrapped(node)
    items = operands(node) if node.type == "array" else [node]
    return all(item.type == "object" for item in items)


def _is_output(value: Node) -> bool:
    """Whether the value of a property such as `path` is the test's own output, or a cookie's path."""
    value = unwrapped(value)
    if value.type == "call_expression":
        return _OUTPUT.fullmatch(text_of(value.child_by_field_name("function"))) is not None
    return constant_text(value) == "/"


def _resolved(folder: PurePosixPath, relative: str) -> str:
    parts = list(folder.parts)
    for part in relative.split("/"):
        if part == "..":
            parts = parts[:-1] if parts else ["", ""]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
