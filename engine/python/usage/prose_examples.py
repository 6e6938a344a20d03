"""Reads the examples that documentation gives in words: `f(2) -> 4`, "Input: nums = [1, 2] Output: 3"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....utils.python_source import expression_or_none, literal_or
from ..model.model import CallableFacts, Example, ModuleFacts

_MOST_EACH = 6
_LONGEST_TEXT = 8_000
_LONGEST_LITERAL = 600
_MAIN_SUBJECTS = 2
_MOST_LISTED = 30
_OPENING = {"[": "]", "(": ")", "{": "}"}
_NUMBER = re.compile(r"-?\d++(?:\.\d++)?+(?:e-?\d++)?+(?![\w.]*\w)")
_WORD = re.compile(r"(?:True|False|None|true|false|null|nil)\b")
_QUOTED = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
# Words of other languages, but not those in quotes.
_IN_LITERAL = re.compile(rf"{_QUOTED.pattern}|\b(?:true|false|null|nil)\b")
_WORDS = {"true": "True", "false": "False", "null": "None", "nil": "None"}
_ARROW = r"(?:-+>|=+>|\u2192|\u21d2)"
_LEADS_TO = re.compile(
    rf"[ \t,]*(?:{_ARROW}|==|=(?!=)|\b(?:returns?|gives|yields|becomes)\b|#(?:\s*(?:{_ARROW}|returns?))?)\s*:?\s*"
)
_INPUT = re.compile(
    r"\b(?:inputs?|given|for example,?|e\.g\.,?|examples?)(?:\s*+\d++(?=\s*+[:,=]\s|\s))?+(?:\s*+[:,=](?=\s))?+\s++",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"[\s.,;*\-]*(?:(?:the )?(?:function |method )?(?:should |would |must |will )?returns?|outputs?|answer|result|"
    r"expected(?: output)?)\s*(?:is|should be)?\s*[:=]?\s+(?:is |are )?",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?!(?:outputs?|answer|results?|returns?|expected)\b)([A-Za-z_]\w*)\s*(?:=|:|is)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;]*(?:and\s+)?")
_ENDS = re.compile(r"[ \t]*(?:$|[\n.,;)#\]]|\b(?:because|since|as|for|if|where|when)\b)", re.IGNORECASE)
_GOES_ON = re.compile(r"[ \t]*,[ \t]*[\d'\"\[({]")


@dataclass(frozen=True, slots=True)
class ProseExample:
    """An example in words.

    Attributes:
        about: the function that it calls.
        example: a call with literal arguments; `want` is the literal that it leads to, "" where the text says none.
        certain: whether the text calls the function by its name; else it may mean something else, and a result that
            differs contradicts nothing.
    """

    about: CallableFacts
    example: Example
    certain: bool


@dataclass(frozen=True, slots=True)
class _Literal:
    source: str
    end: int


def prose_examples(facts: ModuleFacts) -> Iterator[ProseExample]:
    """Generates the examples of a module's functions that its docstrings give in words.

    Labelled examples in a module's docstring are of its public functions where it has no more than two.
    """
    functions = [one for one in facts.callables() if one.owner is None and one.kind == "function" and one.public]
    for one in functions:
        found: dict[str, ProseExample] = {}
        for document in (one.documentation, facts.documentation):
            text = document.text[:_LONGEST_TEXT]
            speaks_of_it = document is one.documentation or len(functions) <= _MAIN_SUBJECTS
            named = list(called_examples(one.name, text))
            others = [*_labelled(one, text), *_mapped(one, text)] if speaks_of_it else []
            for certain, (at, act, want) in (*((True, item) for item in named), *((False, item) for item in others)):
                example = Example((), act, want, document.lines[0] + text.count("\n", 0, at))
                found.setdefault(act, ProseExample(one, example, certain))
        prompts = {example.act for example in one.documentation.examples}
        yield from [example for act, example in found.items() if act not in prompts][:_MOST_EACH]


def called_examples(name: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Generates calls of a function that lead to a literal (`f(2) -> 4`, "f(2) returns 4"): place, call and result."""
    for match in re.finditer(rf"(?<![\w.>]){re.escape(name)}(?=\()", text):
        if text[text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip().startswith((">>>", "...")):
            continue  # a doctest says exactly what follows
        end = _closed(text, match.end())
        act = text[match.start() : end] if end else ""
        call = expression_or_none(act)
        leads = _LEADS_TO.match(text, end) if end else None
        if not isinstance(call, ast.Call) or leads is None or "\n\n" in leads[0]:
            continue
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        result = _literal(text, leads.end())
        if result is not None and all(map(_is_literal, values)) and _ends(text, result.end):
            yield match.start(), ast.unparse(call), result.source


def _labelled(one: CallableFacts, text: str) -> Iterator[tuple[int, str, str]]:
    """Generates the calls of "Input: nums = [2, 7], target = 9 Output: [0, 1]" and of "given [1, 2] returns 3"."""
    for match in _INPUT.finditer(text):
        named, listed, at = _inputs(text, match.end())
        act = _call(one, named, listed)
        if act is None:
            continue
        output = _OUTPUT.match(text, at) or _LEADS_TO.match(text, at)
        result = _literal(text, output.end()) if output else None
        if result is not None and _ends(text, result.end):
            yield match.start(), act, result.source
        elif named or listed[0][0] in "[({'":
            yield match.start(), act, ""  # a number alone may be the begin of anything


def _mapped(one: CallableFacts, text: str) -> Iterator[tuple[int, str, str]]:
    """Generates the calls of lines such as `"3[a]" -> "aaa"` for a function of one required argument."""
    if len([item for item in one.parameters if item.required]) != 1:
        return
    for match in re.finditer(r"(?m)^[ \t*\-]*(?:\w+ ?=\s*)?(?=['\"\[({\d])", text):
        value = _literal(text, match.end())
        leads = _LEADS_TO.match(text, value.end) if value else None
        if value is None or leads is None or "\n" in leads[0] or leads[0].strip() == "=":
            continue
        result = _literal(text, leads.end())
        act = _call(one, {}, [value.source])
        if result is not None and act is not None and _ends(text, result.end):
            yield match.start(), act, result.source


def _inputs(text: str, at: int) -> tuple[dict[str, str], list[str], int]:
    """Reads `a = 1, b = [2]` or `1, [2]`; returns the values by name, those without name, and where they end.

    A name that comes again begins something else, and no more than a call can have is read: a text that repeats itself
    would be read from each of its parts to its end.
    """
    named: dict[str, str] = {}
    known: set[str] = set()
    listed: list[str] = []
    while len(listed) <= _MOST_LISTED:
        start = at
        if named or listed:
            between = _BETWEEN.match(text, at)
            start = between.end() if between else at
        name = _NAME.match(text, start)
        value = _literal(text, name.end() if name else start)
        if value is None or (name and _plain(name[1]) in known):
            break
        if name:
            named[name[1]] = value.source
            known.add(_plain(name[1]))
        else:
            listed.append(value.source)
        at = value.end
    return named, listed, at


def _call(one: CallableFacts, named: dict[str, str], listed: list[str]) -> str | None:
    """Returns the call with these values; None where they do not fit the parameters."""
    required = [item for item in one.parameters if item.required]
    if any(item.kind not in ("positional_only", "positional_or_keyword") for item in required):
        return None
    known = {_plain(name): value for name, value in named.items()}
    if named and not listed:
        optional = [item for item in one.parameters if not item.required and _plain(item.name) in known]
        if len(known) == len(required) == 1:
            known = {_plain(required[0].name): next(iter(known.values()))}
        if any(_plain(item.name) not in known for item in required) or len(known) != len(required) + len(optional):
            return None
        arguments = [known[_plain(item.name)] for item in required]
        arguments += [f"{item.name}={known[_plain(item.name)]}" for item in optional]
    elif listed and not named and len(listed) == len(required):
        arguments = listed
    else:
        return None
    return f"{one.name}({', '.join(arguments)})"


def _plain(name: str) -> str:
    """A name without what spellings differ in: `maxWidth` and `max_width` are one."""
    return name.replace("_", "").lower()


def _literal(text: str, at: int) -> _Literal | None:
    """Reads the Python literal that begins at a place; None where there is none."""
    first = text[at : at + 1]
    if first in _OPENING:
        end = _closed(text, at)
    elif first in ("'", '"'):
        end = _quoted(text, at)
    else:
        match = _NUMBER.match(text, at) or _WORD.match(text, at)
        end = match.end() if match else 0
    if not end or end - at > _LONGEST_LITERAL:
        return None
    written = _IN_LITERAL.sub(lambda one: _WORDS.get(one[0], one[0]), text[at:end])
    node = expression_or_none(" ".join(written.splitlines()))
    return _Literal(ast.unparse(node), end) if node is not None and _is_literal(node) else None


def _ends(text: str, at: int) -> bool:
    """Whether a result ends at a place: `1,000` and "2, 3" go on."""
    return _ENDS.match(text, at) is not None and _GOES_ON.match(text, at) is None


def _closed(text: str, at: int) -> int:
    """Returns the place after the bracket that closes the one at a place; 0 where none does."""
    waiting: list[str] = []
    place = at
    while place < min(len(text), at + _LONGEST_LITERAL):
        letter = text[place]
        if letter in ("'", '"'):
            place = _quoted(text, place)
            if not place:
                return 0
            continue
        if letter in _OPENING:
            waiting.append(_OPENING[letter])
        elif waiting and letter == waiting[-1]:
            waiting.pop()
            if not waiting:
                return place + 1
        place += 1
    return 0


def _quoted(text: str, at: int) -> int:
    """Returns the place after a quoted text on one line; 0 where it does not end there."""
    match = _QUOTED.match(text, at)
    return match.end() if match else 0


def _is_literal(node: ast.expr) -> bool:
    return literal_or(node, node) is not node
