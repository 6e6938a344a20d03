"""Checks what a model's case expects: an expectation must come from elsewhere than the code under test.

A value that the act itself computes, or that equals anything, proves nothing. An expectation is `documented` only when
the cited lines have prose that says the value or states the rule, and no value that contradicts it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...utils.python_source import parse_expression, parse_or_none, source_lines
from ..contract.protocol import JsonObject
from .problems import problem

RULE = "oracle"
_WORD = re.compile(r"[A-Za-z_]{4,}")
_ANY_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,_]\d+)*(?:[eE]-?\d+)?")
_SAYS = r"\s*(?:==|=>|->|→|=|is|are|gives?|returns?|yields?|becomes?|makes?)\s*"
_LITERAL = r"(-?\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"|True|False|None)"
_STEM = 5
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s|\n[ \t]*\n")
_FEWEST_WORDS = 3
_LEAST_SHARE = 0.6
_TELLING_TEXT = 3
_LONG_WORD = 6
_PLAIN = 10
"""Smaller whole numbers stand in any prose."""
_SAY_NOTHING = frozenset(
    word[:_STEM]
    for word in """call called calls case cases code expect expected expects function functions given gives have
    into like make makes method must return returned returns result results should test tests text that their
    then there these they this value values what when where which will with would argument arguments call input
    output correct correctly works""".split()
)


def oracle_problems(case: Mapping[str, Any], index: int) -> list[JsonObject]:
    """Report expectations of an answered case that are no oracle.

    Args:
        case: in the form of a model's answer.
        index: its place in the answer.
    """
    act = _parsed(case.get("expression"))
    found: list[JsonObject] = []
    for place, expected in enumerate(case.get("expect") or ()):
        for why in _empty(expected, act):
            path = f"$.cases[{index}].expect[{place}]"
            message = f"{case.get('id')} expects {why}"
            found.append(problem(path, message, suggestion="write the value that the documentation implies", rule=RULE))
    return found


def _empty(expected: Mapping[str, Any], act: ast.expr | None) -> Iterator[str]:
    """Yield why an expectation holds whatever the code does."""
    value, actual = _parsed(expected.get("value")), _parsed(expected.get("actual"))
    if value is not None and expected.get("kind") in ("equals", "approx", "is", "length"):
        if act is not None and isinstance(act, ast.Call | ast.Await) and _contains(value, act):
            yield "what the act itself computes"
        elif actual is not None and ast.dump(value) == ast.dump(actual):
            yield "a value that is compared with itself"
        elif any(isinstance(node, ast.Name) and node.id == "result" for node in ast.walk(value)):
            yield "a value that is made from the result"
    if value is not None and any(_name(node) == "ANY" for node in ast.walk(value)):
        yield "anything (ANY)"
    if expected.get("kind") == "holds" and actual is not None and _always_true(actual):
        yield "what is always true"


def _always_true(condition: ast.expr) -> bool:
    if isinstance(condition, ast.Constant):
        return bool(condition.value)
    if isinstance(condition, ast.BoolOp):
        every = any if isinstance(condition.op, ast.Or) else all
        return every(_always_true(value) for value in condition.values)
    if isinstance(condition, ast.Compare) and len(condition.ops) == 1:
        same = ast.dump(condition.left) == ast.dump(condition.comparators[0])
        return same and isinstance(condition.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
    return isinstance(condition, ast.Tuple | ast.List) and bool(condition.elts)


def _contains(value: ast.expr, act: ast.expr) -> bool:
    wanted = ast.dump(act)
    return any(isinstance(node, ast.expr) and ast.dump(node) == wanted for node in ast.walk(value))


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _parsed(text: object) -> ast.expr | None:
    try:
        return parse_expression(text) if isinstance(text, str) and text.strip() else None
    except (SyntaxError, ValueError):
        return None


class Documentation:
    """The prose of a module: docstrings and comments, by line.

    Args:
        source: of the module; one that does not parse is prose throughout.
    """

    def __init__(self, source: str) -> None:
        self._lines = source_lines(source)  # as Python counts them: a form feed ends none
        self._prose = _prose_lines(source)
        self._heads = list(_documented_heads(source))

    def cited(self, lines: Sequence[int] | None) -> str:
        """The prose in a range of lines; "" for none."""
        if not lines or len(lines) != 2:
            return ""
        first, last = max(1, lines[0]), min(lines[1], len(self._lines))
        # Whoever cites a signature means what stands below it.
        last = max([last, *(end for begin, end in self._heads if begin <= last and first <= end)])
        return "\n".join(self._lines[at - 1] for at in range(first, last + 1) if at in self._prose)

    def shows(self, case: Mapping[str, Any], expected: Mapping[str, Any], lines: Sequence[int] | None) -> bool:
        """Whether the cited lines say the expected value, speak of the numbers of the call, or state the rule.

        A sentence states it that shares most of what the case says about what is expected, in several words.
        """
        prose = self.cited(lines)
        if not prose:
            return False
        if self.says_value(expected, lines):
            return True
        numbers = {number for number in _numbers(str(case.get("expression") or "")) if _is_telling(number)}
        if numbers & _numbers(prose):
            return True
        claimed = _words(str(case.get("expected") or ""))
        return any(_states(sentence, claimed) for sentence in _SENTENCE_END.split(prose))

    def says_value(self, expected: Mapping[str, Any], lines: Sequence[int] | None) -> bool:
        """Whether the cited lines hold the expected value itself, or the name of the expected exception."""
        prose = self.cited(lines)
        name = str(expected.get("exception") or "").rpartition(".")[2]
        if name:
            return name in prose
        literals = list(_literals(_parsed(expected.get("value"))))
        return bool(literals) and bool(prose) and all(_is_said(literal, prose) for literal in literals)

    def states(self, reason: str, lines: Sequence[int] | None) -> bool:
        """Whether a sentence of the cited lines states a reason: several of its words, or all where it has only two."""
        claimed = _words(reason)
        sentences = _SENTENCE_END.split(self.cited(lines))
        return any(_states(one, claimed) or (len(claimed) > 1 and claimed <= _words(one)) for one in sentences)

    def names_call(self, call: str, lines: Sequence[int] | None) -> bool:
        """Whether the cited lines have the call as it is written, or all texts that are given in it.

        A text stands there in quotes, or as whole words that are not in any prose: several, or a long one.
        """
        prose, expression = self.cited(lines), _parsed(call)
        if not prose or expression is None:
            return False
        if isinstance(expression, ast.Call) and re.search(rf"(?<!\w){_pattern_of(expression)}", prose):
            return True
        texts = [one for one in _literals(expression) if isinstance(one, str) and len(one) >= _TELLING_TEXT]
        return bool(texts) and all(_is_named(one, prose) for one in texts)

    def repeats(self, reason: str, lines: Sequence[int] | None) -> bool:
        """Whether a reason stands in the cited lines word for word, and so says nothing of its own."""
        said, words = (_ANY_WORD.findall(text.lower()) for text in (self.cited(lines), reason))
        return f" {' '.join(words)} " in f" {' '.join(said)} "

    def contradicted_by(
        self, case: Mapping[str, Any], expected: Mapping[str, Any], lines: Sequence[int] | None
    ) -> str | None:
        """The literal that the cited lines give for the case's own call, if it is another one than the expected."""
        if expected.get("kind") not in ("equals", "approx", "is") or expected.get("actual") not in (None, "result"):
            return None
        expression, value = _parsed(case.get("expression")), _parsed(expected.get("value"))
        prose = self.cited(lines)
        if expression is None or not isinstance(value, ast.Constant) or not prose:
            return None
        call = _pattern_of(expression)
        for pattern in (
            rf">>>\s*{call}[ \t]*+\n\s*+{_LITERAL}\s*$",
            rf"(?<!\w){call}`*{_SAYS}`*{_LITERAL}(?![\w(]|\.\d|,\s*\d)",
        ):
            for found in re.finditer(pattern, prose, re.MULTILINE):
                said = _parsed(found.group(1))
                if isinstance(said, ast.Constant) and (said.value != value.value):
                    return found.group(1)
        return None


def _pattern_of(expression: ast.expr) -> str:
    """A pattern of the code of an expression, however its parts are spaced."""
    return r"\s*".join(re.escape(part) for part in re.findall(r"\w+|[^\w\s]", ast.unparse(expression)))


def _documented_heads(source: str) -> Iterator[tuple[int, int]]:
    """The first line of each documented function or class, and the last of its docstring."""
    for node in ast.walk(parse_or_none(source) or ast.Module([], [])):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node):
            yield node.lineno, node.body[0].end_lineno or node.lineno


def _prose_lines(source: str) -> frozenset[int]:
    tree = parse_or_none(source)
    if tree is None:
        return frozenset(range(1, len(source_lines(source)) + 1))
    found: set[int] = set()
    for node in ast.walk(tree):
        # A string by itself: docstrings, and those that stand below attributes.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source, newline=None).readline))
    except (tokenize.TokenError, SyntaxError):
        tokens = []
    found.update(token.start[0] for token in tokens if token.type == tokenize.COMMENT)
    return frozenset(found)


def _literals(value: ast.expr | None) -> Iterator[object]:
    """The numbers and texts in a value; of `Decimal('0.13')` the number, not the text."""
    for node in ast.walk(value) if value is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
            yield node.value


def _is_said(literal: object, prose: str) -> bool:
    if isinstance(literal, bool):
        return re.search(rf"\b{literal}\b", prose, re.IGNORECASE) is not None
    if isinstance(literal, str) and not _NUMBER.fullmatch(literal):
        return bool(literal.strip()) and literal in prose
    return bool(_numbers(str(literal)) & _numbers(prose))


def _is_named(text: str, prose: str) -> bool:
    """Whether prose has a text in quotes, or as whole words; a single short word stands in any prose."""
    escaped = re.escape(text)
    if re.search(rf"(['\"`]){escaped}\1", prose):
        return True
    is_telling = len(text.split()) > 1 or len(text) >= _LONG_WORD
    return is_telling and re.search(rf"(?<!\w){escaped}(?!\w)", prose) is not None


def _numbers(text: str) -> set[float]:
    found: set[float] = set()
    for number in _NUMBER.findall(text):
        try:
            found.add(float(number.replace("_", "").replace(",", "")))
        except ValueError:
            continue
    return found


def _is_telling(number: float) -> bool:
    return abs(number) >= _PLAIN or not number.is_integer()


def _states(sentence: str, claimed: set[str]) -> bool:
    """Whether a sentence and a claim have several words in common, which are most of the shorter one's."""
    said = _words(sentence)
    common = len(said & claimed)
    return common >= _FEWEST_WORDS and common >= _LEAST_SHARE * min(len(said), len(claimed))


def _words(text: str) -> set[str]:
    """Words by their beginnings, so that `rounded` and `rounds` are the same, without those that are in any text."""
    stems = {part[:_STEM].lower() for word in _WORD.findall(text) for part in word.split("_") if len(part) >= 4}
    return stems - _SAY_NOTHING
