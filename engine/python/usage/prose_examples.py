"""Reads examples that stand in words: `f(2) -> 4`, "Input: nums = [1, 2] Output: 3", "if n is 0, return 1"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....utils.python_source import expression_or_none
from ..model.model import CallableFacts, Example, ModuleFacts
from .prose_literals import closing, is_literal, is_result_end, literal_at

_MOST_EACH = 6
_LONGEST_TEXT = 8_000
_MAIN_SUBJECTS = 2
_MOST_LISTED = 30
_ARROW = r"(?:-+>|=+>|\u2192|\u21d2)"
_TURNS = (
    r"returns?|gives|yields|becomes|produces|(?:evaluates|maps|leads|expands|translates) to|results in|turns into|"
    r"(?:is|gets|will be) (?:converted|turned|transformed|translated|normali[sz]ed|changed|mapped|expanded) (?:in)?to"
)
_LEADS_TO = re.compile(rf"[ \t,]*(?:{_ARROW}|==|=(?!=)|\b(?:{_TURNS})\b|#(?:\s*(?:{_ARROW}|returns?))?)\s*:?\s*")
_INPUT = re.compile(
    r"\b(?:inputs?|given|for example,?|e\.g\.,?|examples?)(?:\s*+\d++(?=\s*+[:,=]\s|\s))?+(?:\s*+[:,=](?=\s))?+\s++",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"[\s.,;*\-]*(?:(?:the )?(?:function |method )?(?:should |would |must |will )?returns?|outputs?|answer|result|"
    r"expected(?: output)?)\s*(?:is|should be)?\s*[:=]?\s+(?:is |are )?",
    re.IGNORECASE,
)
# What leads a sentence to an input whose result a later part of it, or the next sentence, says.
_CASE = re.compile(
    r"\b(?:(?:cases?|examples?|inputs?) (?:where|when|of|like)|such as|where|when|if|consider|suppose|like|"
    r"for instance,?)\s+(?:the )?(?:input (?:is |= ?)?)?",
    re.IGNORECASE,
)
_RESULT = re.compile(rf"\b(?:{_TURNS}|result is|answer is|output is)\s+(?:the \w+ )?(?=[-\d'\"`\[({{TFN])")
_SENTENCE_END = re.compile(r"[.?!]\s")
_OTHER_VALUE = re.compile(r"[\"\[{]|(?<!\w)'(?=\S)|\n\s*(?:\n|[-*] )")
_LONGEST_CASE = 200
_NEAR = 20
_NAME = re.compile(r"(?!(?:outputs?|answer|results?|returns?|expected)\b)([A-Za-z_]\w*)\s*(?:=|:|is)\s*", re.IGNORECASE)
_MAPPED = re.compile(r"(?m)^[ \t*\-]*(?:\w+ ?=\s*)?(?=['\"`\[({\d])|(?<=[ \t(])(?=['\"`\[{])")
_BETWEEN = re.compile(r"[\s,;]*(?:and\s+)?")


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
            others = [*_labelled(one, text), *_mapped(one, text), *_cases(one, text)] if speaks_of_it else []
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
        end = closing(text, match.end())
        act = text[match.start() : end] if end else ""
        call = expression_or_none(act)
        leads = _LEADS_TO.match(text, end) if end else None
        if not isinstance(call, ast.Call) or leads is None or "\n\n" in leads[0]:
            continue
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        result = literal_at(text, leads.end())
        if result is not None and all(map(is_literal, values)) and is_result_end(text, result.end):
            yield match.start(), ast.unparse(call), result.source


def _labelled(one: CallableFacts, text: str) -> Iterator[tuple[int, str, str]]:
    """Generates the calls of "Input: nums = [2, 7], target = 9 Output: [0, 1]" and of "given [1, 2] returns 3"."""
    for match in _INPUT.finditer(text):
        named, listed, at = _inputs(text, match.end())
        act = _call(one, named, listed)
        if act is None:
            continue
        output = _OUTPUT.match(text, at) or _LEADS_TO.match(text, at)
        result = literal_at(text, output.end()) if output else None
        if result is not None and is_result_end(text, result.end):
            yield match.start(), act, result.source
        elif named or listed[0][0] in "[({'":
            yield match.start(), act, ""  # a number alone may be the begin of anything


def _mapped(one: CallableFacts, text: str) -> Iterator[tuple[int, str, str]]:
    """Generates the calls of `"3[a]" -> "aaa"` for a function of one required argument.

    Numbers and names stand at the beginning of a line; texts and lists wherever a sentence has them.
    """
    if len([item for item in one.parameters if item.required]) != 1:
        return
    for match in _MAPPED.finditer(text):
        value = literal_at(text, match.end())
        leads = _LEADS_TO.match(text, value.end) if value else None
        if value is None or leads is None or "\n" in leads[0] or leads[0].strip() == "=":
            continue
        if text[max(0, match.end() - _NEAR) : match.end()].rstrip(" \t`").endswith((">", "\u2192", "\u21d2")):
            continue  # a link of a chain: "'hit' -> 'hot' -> 'dot'"
        result = literal_at(text, leads.end())
        act = _call(one, {}, [value.source])
        if result is not None and act is not None and is_result_end(text, result.end):
            yield match.start(), act, result.source


def _cases(one: CallableFacts, text: str) -> Iterator[tuple[int, str, str]]:
    """Generates the calls of "consider the case where path = '/../'? In this case, you should return '/'."

    Nothing but words may stand between an input and its result, and at most one sentence ends there.
    """
    names = {_plain(item.name) for item in one.parameters}
    for match in _CASE.finditer(text):
        named, listed, at = _inputs(text, match.end())
        if not all(_plain(name) in names for name in named) or not all(value[0] in "'[({" for value in listed):
            continue
        act = _call(one, named, listed)
        said = _RESULT.search(text, at, at + _LONGEST_CASE) if act is not None else None
        between = text[at : said.start()] if said is not None else ""
        if said is None or act is None or _OTHER_VALUE.search(between) or len(_SENTENCE_END.findall(between)) > 1:
            continue
        result = literal_at(text, said.end())
        if result is not None and is_result_end(text, result.end):
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
        value = literal_at(text, name.end() if name else start)
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
