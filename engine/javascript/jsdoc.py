"""Reads documentation comments: what a function does, its parameters, what it returns and throws, its examples."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TAG = re.compile(r"^@(\w+)\s*")
_EXAMPLE = re.compile(
    r"^(?P<call>.+?);?\s*(?://\s*(?:=>|→|->|returns?:?|prints:?|(?:output|result):)?|=>|→)\s*(?P<value>\S.*)$"
)
_ELSEWHERE = re.compile(
    r"//.*\b(?i:on|in|under|with)\s+"
    r"(?:(?i:(?:another|an?|other|older|an\s+older)\s+(?:\w+\s+)?(?:platform|environment|machine|browser|time ?zone)s?)"
    r"|Windows|[Mm]ac ?OS|OS X|Linux)\b"
    r"|//\s*(?:Windows|[Mm]ac ?OS|OS X|Linux)\s*(?:only)?:?\s*$"
)
"""A comment about another machine than any: "in every environment" is none."""
_THROWN = re.compile(r"^throws?\s+(?:an?\s+)?\{?(\w+)")


@dataclass(frozen=True, slots=True)
class ParameterDoc:
    """What a comment says of a parameter, or of a field of one (`options.limit`).

    Attributes:
        type: as written; empty where it says none.
        optional: its name stands in brackets.
        default: source of the default that stands there, else empty.
    """

    name: str
    type: str = ""
    optional: bool = False
    default: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A documented call, and the source of the value that it gives.

    Attributes:
        value: source of the value; empty where it throws.
        throws: name of the error.
        line: in the file, counted from 1.
    """

    call: str
    value: str
    throws: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class DocComment:
    """One comment; empty where a function has none.

    Attributes:
        quoted: texts that stand between backquotes.
    """

    summary: str = ""
    parameters: tuple[ParameterDoc, ...] = ()
    returns: str = ""
    throws: tuple[tuple[str, str], ...] = ()
    examples: tuple[Example, ...] = ()
    line: int = 0
    end_line: int = 0
    tags: frozenset[str] = field(default_factory=frozenset)
    properties: tuple[ParameterDoc, ...] = ()
    typedef: str = ""
    quoted: tuple[str, ...] = ()

    def parameter(self, name: str) -> ParameterDoc | None:
        """What it says of a parameter."""
        return next((one for one in self.parameters if one.name == name), None)


def read_comment(text: str, line: int) -> DocComment:
    """Read a comment.

    Args:
        text: with its `/**` and `*/`.
        line: the line that it begins in.
    """
    lines = [re.sub(r"^\s*\*? ?", "", one) for one in text.removeprefix("/**").removesuffix("*/").split("\n")]
    prose: list[str] = []
    blocks: list[tuple[str, int, list[str]]] = []
    for number, content in enumerate(lines, line):
        found = _TAG.match(content.strip())
        if found:
            blocks.append((found[1], number, [content.strip()[found.end() :]]))
        elif blocks:
            blocks[-1][2].append(content)
        else:
            prose.append(content)
    summary = re.split(r"\n\s*\n|(?<=[.!?])\s+(?=[A-Z])", "\n".join(prose).strip())[0]
    parameters, properties, throws, examples = [], [], [], []
    returns = typedef = ""
    for tag, number, content in blocks:
        body = "\n".join(content).strip()
        kind, rest = _braced(body)
        if tag in ("param", "arg", "argument"):
            parameters.append(_parameter(kind, rest))
        elif tag in ("property", "prop"):
            properties.append(_parameter(kind, rest))
        elif tag in ("returns", "return"):
            returns = kind
        elif tag in ("throws", "exception"):
            throws.append((kind, " ".join(rest.split())))
        elif tag == "typedef":
            typedef = rest.split()[0] if rest.split() else ""
        elif tag == "example":
            examples += read_examples(content, number)
    return DocComment(
        " ".join(summary.split()),
        tuple(parameters),
        returns,
        tuple(throws),
        tuple(examples),
        line,
        line + len(lines) - 1,
        frozenset(tag for tag, _, _ in blocks),
        tuple(properties),
        typedef,
        tuple(dict.fromkeys(re.findall(r"`([^`\n]{1,80})`", "\n".join(lines)))),
    )


def read_examples(lines: list[str], first: int) -> list[Example]:
    """Documented calls in lines of code: `add(1, 2) // => 3`, also with the comment in the line below.

    What stands below a comment about another machine, such as "on a platform with 'tr-TR'", is true there only: the
    lines up to the next blank one are left out.

    Args:
        first: number of the first line.
    """
    found: list[Example] = []
    previous = ""
    elsewhere = begun = False
    for number, content in enumerate(lines, first):
        code = content.strip()
        if code.startswith(("```", "<caption>")):
            elsewhere = False
            continue
        if not previous and _ELSEWHERE.match(code):
            elsewhere, begun = True, False
            continue
        if elsewhere:
            # Blank lines between the comment and what it is about do not end that.
            elsewhere, begun = bool(code) or not begun, begun or bool(code)
            continue
        if code.startswith("//") and previous:
            # The value stands in a line of its own.
            code = f"{previous} {code}"
        match = _EXAMPLE.match(code)
        if match and "(" in match["call"] and not match["call"].lstrip().startswith("//"):
            value = match["value"].strip().rstrip(";")
            thrown = _THROWN.match(value)
            call = re.sub(r"^(?:console\.log|assert)\((.*)\)$", r"\1", match["call"].strip().rstrip(";"))
            call = re.sub(r"^(?:const|let|var)\s+\w+\s*=\s*", "", call)
            found.append(Example(call, "" if thrown else value, thrown[1] if thrown else "", number))
            previous = ""
        else:
            previous = code if code.endswith((")", ");")) else ""
    return found


def _braced(text: str) -> tuple[str, str]:
    """The type in braces at the beginning of a text, and the rest."""
    if not text.startswith("{"):
        return "", text
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return text[1:at].strip(), text[at + 1 :].strip()
    return "", text


def _parameter(kind: str, rest: str) -> ParameterDoc:
    optional = rest.startswith("[") or kind.endswith("=")
    if rest.startswith("["):
        inner, _, description = rest[1:].partition("]")
        name, _, default = inner.partition("=")
    else:
        name, _, description = rest.partition(" ")
        default = ""
    description = " ".join(description.strip().removeprefix("-").split())
    return ParameterDoc(name.strip(), kind.removesuffix("="), optional, default.strip(), description)
