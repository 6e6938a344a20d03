"""TypeScript and JavaScript as tokens: strings, comments, templates and regular expressions told apart.

Not a parser: what could be read in two ways (a slash after `)`, a `<` that may begin JSX, a backslash in a name) is
refused, so that nothing can hide as text that is code, or as code that is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["name", "number", "string", "template", "regex", "punctuation"]
_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_NUMBER = re.compile(r"(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\.\d[\d_]*)n?")
_SPACE = re.compile(r"[ \t\r\n\v\f\u2028\u2029\xa0\ufeff]+")
_COMMENT = re.compile(r"//[^\n\r\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
_PUNCTUATION = re.compile(
    r">>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\+\+|--|\+=|-=|\*=|/=|%=|"
    r"&=|\|=|\^=|<<|>>|\*\*|[{}()\[\];,<>+\-*/%&|^!~?:=.@#]"
)
_ESCAPE = re.compile(r"\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|\r\n|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "v": "\v", "f": "\f", "0": "\0", "\n": "", "\r": ""}
_BEFORE_REGEX = frozenset("return typeof case in delete void throw new else do await instanceof".split())
_AMBIGUOUS = frozenset({")", "}", "++", "--"})


class Unreadable(ValueError):
    """The source cannot be told apart for certain; the message says why."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        text: as written; of strings and regular expressions what they hold, escapes resolved in strings.
        line: from 1.
        parts: of a template, its texts and the tokens between them, by turns, beginning and ending with a text.
    """

    kind: Kind
    text: str
    line: int
    parts: tuple[str | tuple[Token, ...], ...] = field(default=())

    def within(self) -> Iterator[Sequence[Token]]:
        """The token lists inside a template."""
        yield from (part for part in self.parts if not isinstance(part, str))


def tokens_of(source: str) -> list[Token]:
    """The tokens of a file. Raises Unreadable."""
    if source.startswith("#!"):
        raise Unreadable("it begins with the line of a program")
    reader = _Reader(source)
    tokens = reader.read(until="")
    return list(tokens)


class _Reader:
    """Reads a source once, from its beginning."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0

    def read(self, until: str) -> list[Token]:
        """Tokens up to the brace that closes a template's `${`, or to the end."""
        tokens: list[Token] = []
        open_braces = 0
        while self._skip():
            token = self._next(tokens)
            if token.kind == "punctuation" and token.text in "{}":
                open_braces += 1 if token.text == "{" else -1
                if open_braces < 0 and until:
                    return tokens
            tokens.append(token)
        if until:
            raise Unreadable("a template does not end")
        return tokens

    def _skip(self) -> bool:
        """Past space and comments; whether anything is left."""
        while True:
            found = _SPACE.match(self._source, self._at) or _COMMENT.match(self._source, self._at)
            if found is None:
                if self._source.startswith("/*", self._at):
                    raise Unreadable("a comment does not end")
                return self._at < len(self._source)
            self._at = found.end()

    def _next(self, before: Sequence[Token]) -> Token:
        line = self._source.count("\n", 0, self._at) + 1
        char = self._source[self._at]
        if char in "'\"":
            return self._string(char, line)
        if char == "`":
            return self._template(line)
        if char == "/" and _may_begin_regex(before, line):
            return self._regex(line)
        kinds: tuple[tuple[Kind, re.Pattern[str]], ...] = (
            ("name", _NAME),
            ("number", _NUMBER),
            ("punctuation", _PUNCTUATION),
        )
        for kind, pattern in kinds:
            found = pattern.match(self._source, self._at)
            if found is not None:
                if self._source.startswith(("<!--", "-->"), self._at):
                    raise Unreadable(f"line {line} has a comment of HTML")
                if found.group() == "<" and not _compares(before):
                    raise Unreadable(f"line {line} has a `<` that may begin markup")
                self._at = found.end()
                return Token(kind, found.group(), line)
        raise Unreadable(f"line {line} has {char!r} outside of a text")

    def _string(self, quote: str, line: int) -> Token:
        at = self._at + 1
        while at < len(self._source) and self._source[at] != quote:
            if self._source[at] in "\n\r":
                raise Unreadable(f"a text in line {line} does not end")
            at += 2 if self._source[at] == "\\" else 1
        if at >= len(self._source):
            raise Unreadable(f"a text in line {line} does not end")
        held = self._source[self._at + 1 : at]
        self._at = at + 1
        return Token("string", _unescaped(held), line)

    def _template(self, line: int) -> Token:
        parts: list[str | tuple[Token, ...]] = []
        self._at += 1
        begin = self._at
        while self._at < len(self._source):
            char = self._source[self._at]
            if char == "`":
                parts.append(_unescaped(self._source[begin : self._at]))
                self._at += 1
                return Token("template", "", line, tuple(parts))
            if self._source.startswith("${", self._at):
                parts.append(_unescaped(self._source[begin : self._at]))
                self._at += 2
                parts.append(tuple(self.read(until="}")))
                begin = self._at
                continue
            self._at += 2 if char == "\\" else 1
        raise Unreadable(f"a template in line {line} does not end")

    def _regex(self, line: int) -> Token:
        at, in_class = self._at + 1, False
        while at < len(self._source):
            char = self._source[at]
            if char in "\n\r":
                break
            if char == "/" and not in_class:
                flags = re.compile(r"[a-z]*").match(self._source, at + 1)
                held = self._source[self._at + 1 : at]
                self._at = flags.end() if flags else at + 1
                return Token("regex", held, line)
            in_class = char == "[" or (in_class and char != "]")
            at += 2 if char == "\\" else 1
        raise Unreadable(f"a regular expression in line {line} does not end")


def _may_begin_regex(before: Sequence[Token], line: int) -> bool:
    """Whether a slash begins a regular expression. Raises Unreadable where that cannot be told."""
    if not before:
        return True
    last = before[-1]
    if last.kind == "name":
        if last.text == "of":
            raise Unreadable(f"line {line} has a slash that may be read in two ways")
        member = len(before) > 1 and before[-2].text in (".", "?.")
        return last.text in _BEFORE_REGEX and not member
    if last.kind != "punctuation" or last.text == "]":
        return False
    negated = last.text == "!" and len(before) > 1 and (before[-2].kind != "punctuation" or before[-2].text in ")]}")
    if last.text in _AMBIGUOUS or negated:
        raise Unreadable(f"line {line} has a slash that may be read in two ways")
    return True


def _compares(before: Sequence[Token]) -> bool:
    """Whether a `<` stands behind a value or a type, where markup cannot begin."""
    if not before:
        return False
    last = before[-1]
    member = len(before) > 1 and before[-2].text in (".", "?.")
    return (
        last.kind not in ("punctuation", "name")
        or last.text in ")]"
        or (last.kind == "name" and (member or last.text not in _BEFORE_REGEX | {"of", "yield", "default"}))
    )


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code:
            return chr(min(int(code, 16), 0x10FFFF))
        plain = found[4] or ""
        return _PLAIN.get(plain, plain)

    return _ESCAPE.sub(one, text)
