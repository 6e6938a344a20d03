"""Whether an address in a Playwright test is the application's: relative to its base, and readable in the file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .typescript_tokens import Token

BASES = frozenset({"BASE_URL"})
"""Environment variables that hold where the application runs."""
_BASE_NAMES = frozenset({"baseURL", "BASE_URL"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:[/\\]", re.IGNORECASE)
_CODE = re.compile(r"\s*(?:javascript|data|vbscript|blob|file|view-source):", re.IGNORECASE)
_HEADS = frozenset({"if", "for", "while", "switch", "with"})
_TYPES = frozenset({"string", "undefined", "null"})


def names_an_address(text: str) -> bool:
    """Whether a text holds an absolute address, a part of one, or one that keeps only the scheme (`//host`)."""
    plain = re.sub(r"[\t\r\n]", "", text).strip()
    return bool(_SCHEME.search(plain) or _CODE.match(plain) or re.match(r"[/\\]{2}|:[/\\]{2}", plain))


class Addresses:
    """Reads addresses of one file, or of one script of a flow.

    Args:
        tokens: the file.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._values = _constants(tokens)

    def is_ours(self, given: Sequence[Token], depth: int = 0) -> bool:
        """Whether an expression is surely an address of the application, or no address at all."""
        given = _bare(given)
        if not given:
            return True
        if depth > 8:
            return False
        if given[0].text == "{" or given[0].kind in ("number", "regex"):
            return True
        if len(given) == 1 and given[0].text in _TYPES:
            return True
        for operator in ("??", "||"):
            ways = _split(given, operator)
            if len(ways) > 1:
                return all(self.is_ours(one, depth + 1) for one in ways)
        prefix = self._prefix(given, depth)
        if prefix is None:
            return False
        text, whole = prefix
        if names_an_address(text.removeprefix("\0")):
            return False
        if text.startswith("\0"):
            return bool(re.match(r"\0[/?#][^/\\]", text)) or (whole and text in ("\0", "\0/"))
        return whole or bool(re.match(r"[/?#.][^/\\]|[\w-]+/", text))

    def _prefix(self, given: Sequence[Token], depth: int) -> tuple[str, bool] | None:
        """The constant beginning of a text, and whether that is all of it; the base is a NUL. None: not readable."""
        text = ""
        for piece in _split(given, "+"):
            found = self._piece(_bare(piece), depth)
            if found is None:
                return (text, False) if text else None
            text += found[0]
            if not found[1]:
                return text, False
        return text, True

    def _piece(self, piece: Sequence[Token], depth: int) -> tuple[str, bool] | None:
        if not piece or depth > 8:
            return None
        first = piece[0]
        if len(piece) == 1 and first.kind == "string":
            return first.text, True
        if len(piece) == 1 and first.kind == "template":
            return self._template(first, depth)
        if _is_base(piece) or (len(piece) == 1 and first.text in _BASE_NAMES and first.text not in self._values):
            return "\0", True
        if first.text == "encodeURIComponent":
            return "x", False
        if len(piece) > 2 and [one.text for one in piece[:4]] == ["process", ".", "env", "."]:
            return "x", False
        if len(piece) == 1 and first.kind == "name" and len(self._values.get(first.text, ())) == 1:
            [value] = self._values[first.text]
            if value and value[0].text == "[" and _closing(value, 0) == len(value) - 1:
                ways = _split(value[1:-1], ",")
                return ("/x", False) if all(self.is_ours(one, depth + 1) for one in ways) else None
            if not self.is_ours(value, depth + 1):
                return None
            first, *others = [_bare(one) for way in _split(_bare(value), "??") for one in _split(way, "||")]
            return ("\0", True) if others and _is_base(first) else self._prefix(value, depth + 1)
        return None

    def _template(self, token: Token, depth: int) -> tuple[str, bool] | None:
        text = ""
        for part in token.parts:
            if isinstance(part, str):
                text += part
                continue
            found = self._piece(_bare(part), depth + 1)
            if found is None:
                return (text, False) if text else None
            text += found[0]
            if not found[1]:
                return text, False
        return text, True


def _is_base(piece: Sequence[Token]) -> bool:
    texts = [one.text for one in piece if one.text != "!"]
    return len(texts) == 5 and texts[:4] == ["process", ".", "env", "."] and texts[4] in BASES


def _bare(given: Sequence[Token]) -> Sequence[Token]:
    """An expression without parentheses around it, `await` before it and `as string`, `!` behind it."""
    while given and given[0].text == "await":
        given = given[1:]
    while len(given) > 1 and given[-1].text in ("!", ";"):
        given = given[:-1]
    if len(given) > 2 and given[-2].text == "as":
        given = given[:-2]
    if len(given) > 1 and given[0].text == "(" and _closing(given, 0) == len(given) - 1:
        return _bare(given[1:-1])
    return given


def _split(given: Sequence[Token], operator: str) -> list[Sequence[Token]]:
    """An expression at an operator that is in no bracket."""
    parts: list[Sequence[Token]] = []
    begin = depth = 0
    for at, one in enumerate(given):
        if one.kind == "punctuation":
            depth += (one.text in "([{") - (one.text in ")]}")
            if one.text == operator and depth == 0:
                parts.append(given[begin:at])
                begin = at + 1
    return [*parts, given[begin:]]


def arguments(tokens: Sequence[Token], opening: int) -> list[Sequence[Token]]:
    """The arguments of a call whose `(` stands at `opening`."""
    held = tokens[opening + 1 : _closing(tokens, opening)]
    return _split(held, ",") if held else []


def value_after(tokens: Sequence[Token], at: int) -> Sequence[Token]:
    """The expression from `at` to the next comma, semicolon, closing bracket, or line that begins a statement."""
    depth = 0
    for end in range(at, len(tokens)):
        one = tokens[end]
        if one.kind == "punctuation":
            if depth == 0 and one.text in (",", ";", ")", "]", "}"):
                return tokens[at:end]
            depth += (one.text in "([{") - (one.text in ")]}")
        if depth == 0 and end > at and one.line > tokens[end - 1].line and one.kind == "name":
            return tokens[at:end]
    return tokens[at:]


def _closing(tokens: Sequence[Token], opening: int) -> int:
    depth = 0
    for at in range(opening, len(tokens)):
        if tokens[at].kind == "punctuation":
            depth += (tokens[at].text in "([{") - (tokens[at].text in ")]}")
            if depth == 0:
                return at
    return len(tokens)


def _constants(tokens: Sequence[Token]) -> dict[str, list[Sequence[Token]]]:
    """What `const` binds names to, in declarations and in loops over what is written out; `()` twice where unknown."""
    found: dict[str, list[Sequence[Token]]] = {}
    for name in _unknown(tokens):
        found[name] = [(), ()]
    for at in range(len(tokens) - 2):
        if tokens[at].text not in ("const", "let", "var") or tokens[at + 1].kind != "name":
            continue
        name, after = tokens[at + 1].text, at + 2
        if tokens[after].text == ":":
            while after < len(tokens) and tokens[after].text not in ("=", ";", "of"):
                after += 1
        fixed = tokens[at].text == "const" and after < len(tokens) and tokens[after].text in ("=", "of")
        found.setdefault(name, []).extend([value_after(tokens, after + 1)] if fixed else [(), ()])
    return found


def _unknown(tokens: Sequence[Token]) -> set[str]:
    """Names that are parameters, imported, or taken out of something; fixtures (`{ baseURL }`) are none of them."""
    found: set[str] = set()
    opened: list[int] = []
    for at, one in enumerate(tokens):
        if one.kind != "punctuation":
            continue
        if one.text in "([{":
            opened.append(at)
            continue
        if one.text == "=>" and at and tokens[at - 1].kind == "name":
            found.add(tokens[at - 1].text)
        if one.text not in ")]}" or not opened:
            continue
        begin = opened.pop()
        before = tokens[begin - 1].text if begin else ""
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        within = tokens[begin + 1 : at]
        called = one.text == ")" and after in ("=>", "{", ":") and before not in _HEADS
        if called or (before in ("const", "let", "var", "import", "type") and one.text in "]}"):
            fixtures = bool(within) and within[0].text == "{"
            found |= {each.text for each in within if each.kind == "name"} - ({"baseURL"} if fixtures else set())
    return found
