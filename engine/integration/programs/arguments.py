"""The arguments that a program's parser accepts, and values for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "whole", "number", "date", "input", "output", "flag"]
_PATHLIKE = re.compile(
    r"(^|_)(file|path|filename|csv|json|yaml|yml|toml|xml|txt|document|infile|outfile|input|source)s?($|_)"
)
_WRITES = re.compile(
    r"\b(out|output|outfile|write|writes|written|save|saves|dest|destination|export|result)\b", re.IGNORECASE
)
_EXAMPLE = re.compile(
    r"(?:such as|e\.?\s?g\.?,?|for example,?|example:|like)\s+[`'\"]?([^\s,;`'\"]*[^\s,;.)`'\"])", re.IGNORECASE
)
_TEXTS = {
    r"(customer|user|username|person|author|owner|name|who)": ("Ann", "Bob"),
    r"(article|product|item|fruit|key|word|label|tag|title)": ("apple", "banana"),
    r"(text|message|sentence|line|content|query|string)": ("hello world", "one two"),
    r"(pattern|regex|expression)": ("[a-z]+", "o"),
    r"(color|colour)": ("red", "blue"),
    r"(sep|separator|delimiter)": (";", ","),
    r"(lang|language|locale)": ("en", "de"),
    r"(encoding)": ("utf-8", "latin-1"),
}


@dataclass(frozen=True, slots=True)
class ProgramArgument:
    """An option or a positional argument; `flags` is empty for a positional one."""

    name: str
    kind: Kind
    flags: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    required: bool = False
    many: bool = False
    count: int = 1
    default: str | None = None
    documented_default: str | None = None
    help: str = ""
    examples: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """The longest way to write an option."""
        return max(self.flags, key=len, default="")


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand, or the program itself where `words` is empty; `arguments` are those of its parents too."""

    words: tuple[str, ...]
    arguments: tuple[ProgramArgument, ...]
    description: str = ""
    before: tuple[ProgramArgument, ...] = field(default=())


def commands_of(parser: Mapping[str, Any]) -> tuple[Command, ...]:
    """Every command that can be run by itself, in order of declaration."""
    return tuple(_commands(parser, (), ()))


def _commands(parser: Mapping[str, Any], words: tuple[str, ...], above: tuple[ProgramArgument, ...]) -> list[Command]:
    own = tuple(_argument(argument) for argument in parser.get("arguments") or ())
    inner = parser.get("commands") or {}
    found: list[Command] = []
    if not inner or not parser.get("needs_command", True):
        found.append(Command(words, own, str(parser.get("description") or ""), above))
    for name, one in inner.items():
        found += _commands(one, (*words, str(name)), (*above, *own))
    return found


def _argument(declared: Mapping[str, Any]) -> ProgramArgument:
    help_text = str(declared.get("help") or "")
    metavar = str(declared.get("metavar") or "")
    default = str(declared["default"]) if declared.get("has_default") and declared.get("default") is not None else None
    documented = re.search(r"\(?\bdefaults?(?: is|:| to)\s*[`'\"]?([^\s)`'\"]+[^\s).,`'\"]|[^\s).,`'\"])", help_text)
    examples = [match for match in _EXAMPLE.findall(help_text) if len(match) < 60]
    return ProgramArgument(
        name=str(declared["name"]),
        kind=_kind(declared, help_text, metavar),
        flags=tuple(str(one) for one in declared.get("flags") or ()),
        choices=tuple(str(choice) for choice in declared.get("choices") or ()),
        required=bool(declared.get("required")),
        many=bool(declared.get("many")),
        count=max(1, int(declared.get("count") or 1)),
        default=default,
        documented_default=documented[1] if documented and "%(" not in documented[1] else None,
        help=help_text,
        examples=tuple(dict.fromkeys(examples)),
    )


def _kind(declared: Mapping[str, Any], help_text: str, metavar: str) -> Kind:
    if declared.get("flag"):
        return "flag"
    if declared.get("choices"):
        return "text"
    kind = str(declared.get("type") or "").lower()
    default = declared.get("default")
    if kind in ("int", "integer", "intrange", "integer range") or (
        isinstance(default, int) and not isinstance(default, bool)
    ):
        return "whole"
    if kind in ("float", "number", "decimal", "floatrange", "float range") or isinstance(default, float):
        return "number"
    if "date" in kind:
        return "date"
    name = f"{declared['name']} {metavar}".lower().replace("-", "_")
    path = kind.startswith(("filetype", "path", "file", "purepath")) or "filename" in kind
    if path or any(_PATHLIKE.search(word) for word in name.split()):
        writes = kind.endswith(":w") or _WRITES.search(f"{declared['name']} {help_text}".replace("_", " ")) is not None
        return "output" if writes else "input"
    return "text"


def plain_values(argument: ProgramArgument) -> tuple[str, ...]:
    """Values for an argument that is no file, the plainest first; one that is likely rejected comes last."""
    if argument.choices:
        return argument.choices
    if argument.examples:
        return tuple(dict.fromkeys(one for text in argument.examples for one in _near(text)))
    if argument.kind == "whole":
        return ("12", "3", "1", "10", "0", "-1")  # 12 is also in the tables of input_files: a boundary
    if argument.kind == "number":
        return ("2.5", "1", "0")
    if argument.kind == "date":
        return ("2024-05-03", "2024-02-29")
    for pattern, values in _TEXTS.items():
        if re.search(rf"(^|_){pattern}s?($|_)", argument.name.lower()):
            return values
    return ("hello", "world")


def _near(example: str) -> list[str]:
    """A documented example and variations: other whole numbers, only its first part, shorter and longer decimals."""
    found = [example]
    match = re.search(r"(?<![\d.])\d+(?![\d.])", example)
    if match is not None:
        found += [example[: match.start()] + number + example[match.end() :] for number in ("12", "0", "1000")]
    beginning = re.split(r"[:=,/;]", example)[0]
    found[2:2] = [beginning] if beginning and beginning != example else []
    decimal = re.search(r"(\d)\.\d+", example)
    if decimal is not None:
        found.append(f"{example[: decimal.end(1)]}{example[decimal.end() :]}")
        found.append(f"{example[: decimal.end()]}5{example[decimal.end() :]}")
    return found
