"""What Playwright tests from a model may not do: read from their tokens, names and imports by an allowlist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

from .typescript_addresses import BASES, Addresses, arguments, names_an_address, value_after
from .typescript_tokens import Token, Unreadable, tokens_of

STARTS, REACHES = "it starts programs", "it reaches files or sockets"
RUNS_TEXT, PROCESS = "it runs code from text", "it uses the process"
ADDRESS, NOTHING = "it names an address of its own", "it asserts nothing"
UNREADABLE, IMPORTS = "it names what cannot be read", "it imports more than it may"
VARIABLE = "it reads a variable that no case names"

_PLAYWRIGHT = "@playwright/test"
_GIVEN = frozenset({"test", "expect", "request", "devices", "defineConfig"})
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
_ADDRESSES = frozenset({"baseURL", "url", "href"})
_SINKS = frozenset({"src", "href", "action", "formAction", "location", "data", "srcset"})
_FILES = frozenset({"path", "dir", "snapshotDir", "outputDir", "recordVideo", "har"})
_LITERALS = re.compile(r"true|false|null|undefined|\d+")


def playwright_reasons(source: str, *, path: str, files: AbstractSet[str], variables: AbstractSet[str]) -> list[str]:
    """Why a file may not be kept; empty when it may.

    Args:
        path: of the file, for its relative imports.
        files: paths of all files of the answer: what may be imported beside `@playwright/test`.
        variables: environment variables that the cases name.
    """
    try:
        tokens = tokens_of(source)
    except Unreadable as error:
        return [f"it cannot be read: {error}"]
    reader = TokenReader(Addresses(tokens), path, files, variables | BASES)
    reasons = list(dict.fromkeys(reader.reasons(tokens)))
    if not asserts(tokens):
        reasons.append("it has no assertion")
    return reasons


def asserts(tokens: Sequence[Token]) -> bool:
    """Whether `expect(…)` or `expect.…` stands there."""
    return any(
        one.text == "expect" and one.kind == "name" and tokens[at + 1].text in ("(", ".")
        for at, one in enumerate(tokens[:-1])
    )


class TokenReader:
    """Finds what a list of tokens may not do, those inside of templates included.

    Args:
        addresses: of the file.
        path, files, variables: as for the whole file.
    """

    def __init__(self, addresses: Addresses, path: str, files: AbstractSet[str], variables: AbstractSet[str]) -> None:
        self._addresses = addresses
        self._path, self._files, self._variables = path, files, variables

    def reasons(self, tokens: Sequence[Token]) -> Iterator[str]:
        """Why the tokens may not be kept, in their order."""
        for at, one in enumerate(tokens):
            if one.kind == "name":
                yield from self._name(tokens, at)
            elif one.kind == "string" and names_an_address(one.text):
                yield ADDRESS
            elif one.kind == "template":
                texts = [part for part in one.parts if isinstance(part, str)]
                if any(names_an_address(text) for text in texts[:1]) or any("://" in text for text in texts):
                    yield ADDRESS
                for inner in one.within():
                    yield from self.reasons(inner)
            elif one.text == "[":
                yield from self._member(tokens, at)
            elif one.text == "@" and one.kind == "punctuation":
                yield UNREADABLE

    def _name(self, tokens: Sequence[Token], at: int) -> Iterator[str]:
        name = tokens[at].text
        before = tokens[at - 1].text if at else ""
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        member = before in (".", "?.")
        if name == "import":
            yield from self._import(tokens, at)
        elif name == "export" and any(one.text == "from" for one in value_after(tokens, at)):
            yield from self._module(next((one for one in tokens[at:] if one.kind == "string"), None))
        if name == "require" and after == "(":
            yield from self._module(tokens[at + 2] if at + 2 < len(tokens) else None)
        if name == "process":
            yield from self._process(tokens, at)
        elif name in _NAMES:
            yield _NAMES[name]
        elif name in _BARE and not member and after not in (".", "?.", ":", "=>") and not _is_fixture(tokens, at):
            yield UNREADABLE
        if name == "fetch" and (not member or (at > 1 and tokens[at - 2].text in _BARE - {"request"})):
            yield REACHES
        if name in ("expect", "assert") and after == "(":
            given = arguments(tokens, at + 1)
            if given and len(given[0]) == 1 and (given[0][0].kind == "string" or _LITERALS.fullmatch(given[0][0].text)):
                yield NOTHING
        yield from self._address(tokens, at, member=member)

    def _address(self, tokens: Sequence[Token], at: int, *, member: bool) -> Iterator[str]:
        """Calls, properties and assignments that take an address, a file, or code."""
        name, after = tokens[at].text, tokens[at + 1].text if at + 1 < len(tokens) else ""
        if member and after == "(":
            given = arguments(tokens, at + 1)
            if name in _CALLS and given and not self._addresses.is_ours(given[0]):
                literal = len(given[0]) == 1 and given[0][0].kind == "string"
                yield ADDRESS if literal else "it calls an address that cannot be read"
            if name in _EVALUATED and any(not _is_function(one) for one in given[_EVALUATED[name] :][:1]):
                yield RUNS_TEXT
            if name == "setInputFiles" and any(not _is_made_here(one) for one in (given[1:] or given)[:1]):
                yield REACHES
        if name in _ADDRESSES and after == ":" and not self._addresses.is_ours(value_after(tokens, at + 2)):
            yield ADDRESS
        if name in _FILES and not _is_output(tokens, at, after, member=member):
            yield REACHES
        if name in _SINKS and after == "=" and (member or name == "location"):
            yield REACHES
        if name == "location" and after in (".", "?.") and tokens[at + 2].text in ("assign", "replace"):
            yield REACHES

    def _import(self, tokens: Sequence[Token], at: int) -> Iterator[str]:
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is None or following.text in ("(", "."):
            yield IMPORTS if following is None or following.text == "(" else PROCESS
            if at + 2 < len(tokens):
                yield from self._module(tokens[at + 2])
            return
        source = next((one for one in tokens[at + 1 :] if one.kind == "string"), None)
        yield from self._module(source)
        if source is not None and source.text == _PLAYWRIGHT:
            clause = tokens[at + 1 : tokens.index(source)]
            names = {one.text for one in clause if one.kind == "name"} - {"from", "type", "as"}
            if any(not (name in _GIVEN or name[:1].isupper()) for name in names) or "*" in {one.text for one in clause}:
                yield IMPORTS
            if not any(one.text == "{" for one in clause) or any(one.text == "as" for one in clause):
                yield IMPORTS

    def _module(self, source: Token | None) -> Iterator[str]:
        """Whether a module may be imported: Playwright's tests, and files of the same answer."""
        if source is None or source.kind != "string":
            yield IMPORTS
            return
        name = source.text
        if name == _PLAYWRIGHT:
            return
        if _PROGRAMS.fullmatch(name):
            yield STARTS
        elif name.startswith("."):
            beside = _resolved(PurePosixPath(self._path).parent, name)
            endings = ("", ".ts", ".js", "/index.ts", "/index.js")
            if not any(f"{beside}{ending}" in self._files for ending in endings):
                yield IMPORTS
        else:
            yield REACHES if re.fullmatch(r"(?:node:)?[a-z_0-9/]+", name) else IMPORTS

    def _process(self, tokens: Sequence[Token], at: int) -> Iterator[str]:
        texts = [one.text for one in tokens[at : at + 5]]
        if texts[1:4] != [".", "env", "."] or not re.fullmatch(r"[A-Z][A-Z0-9_]*", "".join(texts[4:5])):
            yield PROCESS
        elif texts[4] not in self._variables:
            yield f"{VARIABLE}: {texts[4]}"
        else:
            changed = [one.text for one in tokens[at + 5 : at + 6]]
            of_another = at > 0 and tokens[at - 1].text in (".", "?.", "delete")
            if of_another or changed in (["="], ["+="], ["??="], ["||="], ["&&="]):
                yield PROCESS

    def _member(self, tokens: Sequence[Token], at: int) -> Iterator[str]:
        """`x[…]`: a text in it is a name as if it were written; one that is put together cannot be read."""
        before = tokens[at - 1] if at else None
        held = arguments(tokens, at)
        if before is None or not held or not (before.kind in ("name", "string", "template") or before.text in ")]?."):
            if before is not None and before.text in "{," and held and len(held) == 1 and _put_together(held[0]):
                yield UNREADABLE
            return
        if before.text in _BARE | {"process", "globalThis"}:
            yield PROCESS if before.text == "process" else UNREADABLE
        if len(held[0]) == 1 and held[0][0].kind == "string":
            if held[0][0].text in _NAMES or held[0][0].text in ("fetch", "process"):
                yield _NAMES.get(held[0][0].text, UNREADABLE)
        elif _put_together(held[0]):
            yield UNREADABLE


def _put_together(given: Sequence[Token]) -> bool:
    filled = any(one.kind == "template" and len(one.parts) > 1 for one in given)
    return filled or (len(given) > 1 and any(one.kind in ("string", "template") for one in given))


def _is_fixture(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name stands where a test asks for a fixture, is imported, or a type is asked for."""
    before, after = tokens[at - 1].text if at else "", tokens[at + 1].text if at + 1 < len(tokens) else ""
    return (before in ("{", ",") and after in (",", "}") and _closes_a_list(tokens, at)) or before == "typeof"


def _closes_a_list(tokens: Sequence[Token], at: int) -> bool:
    end = at
    while end < len(tokens) and tokens[end].text != "}":
        end += 1
    following = [one.text for one in tokens[end + 1 : end + 3]]
    return following[:1] in (["from"], [":"]) or following == [")", "=>"] or following[:1] == [","]


def _is_function(given: Sequence[Token]) -> bool:
    first = given[0] if given else None
    if first is None:
        return False
    arrow = len(given) > 1 and given[1].text == "=>"
    return first.text in ("(", "async", "function") or arrow


def _is_made_here(given: Sequence[Token]) -> bool:
    """Whether files to upload are made in the test: `{ name, mimeType, buffer }`, or none."""
    texts = [one.text for one in given]
    return texts[:1] == ["{"] or texts[:2] in (["[", "{"], ["[", "]"])


def _is_output(tokens: Sequence[Token], at: int, after: str, *, member: bool) -> bool:
    """Whether a property that names a file names one of the test's own output, or is no such property."""
    before = tokens[at - 1].text if at else ""
    if member or before in ("const", "let", "(") or after not in (":", ",", "}"):
        return True
    if after != ":":
        return before not in ("{", ",") or _closes_a_list(tokens, at)
    value = [one.text for one in value_after(tokens, at + 2)]
    called = "".join(value[:8])
    return called.startswith(("testInfo.outputPath(", "test.info().outputPath(")) or value in (["/"], ["string"])


def _resolved(folder: PurePosixPath, relative: str) -> str:
    parts = list(folder.parts)
    for part in relative.split("/"):
        if part == "..":
            parts = parts[:-1] if parts else ["", ""]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
