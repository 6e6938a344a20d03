"""The part of GitHub's expression language that action.yml uses; anything else raises.

After the workflow syntax as documented: `==` compares text whatever its case, a name that is not there is empty text,
`&&` and `||` give an operand, and a text with `${{ }}` in it is put together as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)|(?P<sign>==|!=|&&|\|\||[!()]))"
)
_INSIDE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_STATUS = ("success", "failure", "always", "cancelled")


class UnknownExpression(AssertionError):
    """The action uses something that this evaluator, or the context it was given, does not know."""


@dataclass(frozen=True)
class Contexts:
    """What expressions speak of.

    Attributes:
        inputs, github, runner: values by name; a name that is not there raises.
        steps: outputs by step id; a step that has not run is not there and raises, an output that is not there is "".
        failed: whether a step has failed already.
    """

    inputs: Mapping[str, str]
    steps: Mapping[str, Mapping[str, str]]
    github: Mapping[str, str]
    runner: Mapping[str, str]
    known_steps: frozenset[str]
    failed: bool = False


def filled(text: str, contexts: Contexts) -> str:
    """A text with every `${{ }}` in it replaced."""
    return _INSIDE.sub(lambda found: _shown(evaluate(found.group(1), contexts)), text)


def holds(condition: str | None, contexts: Contexts) -> bool:
    """Whether a step's `if` lets it run; without a status function it is taken for `success() && (…)`."""
    text = "success()" if condition is None else str(condition).strip()
    whole = _INSIDE.fullmatch(text)
    text = whole.group(1) if whole else text
    speaks = any(re.search(rf"\b{name}\(\)", text) for name in _STATUS)
    return bool(evaluate(text if speaks else f"success() && ({text})", contexts))


def evaluate(text: str, contexts: Contexts) -> Any:
    """The value of one expression. Raises UnknownExpression."""
    reader = _Reader(list(_tokens(text)), contexts)
    value = reader.either()
    if reader.left():
        raise UnknownExpression(f"what is left of {text!r} is not understood: {reader.left()}")
    return value


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None or found.lastgroup is None:
            raise UnknownExpression(f"no part of the language: {text[place:]!r}")
        yield found.lastgroup, found.group(found.lastgroup)
        place = found.end()


class _Reader:
    """Recursive descent: || below &&, below == and !=, below !."""

    def __init__(self, tokens: list[tuple[str, str]], contexts: Contexts) -> None:
        self._tokens = tokens
        self._contexts = contexts

    def left(self) -> list[tuple[str, str]]:
        return self._tokens

    def either(self) -> Any:
        value = self._both()
        while self._next("||"):
            other = self._both()
            value = value or other
        return value

    def _both(self) -> Any:
        value = self._compared()
        while self._next("&&"):
            other = self._compared()
            value = value and other
        return value

    def _compared(self) -> Any:
        value = self._plain()
        for sign, same in (("==", True), ("!=", False)):
            if self._next(sign):
                return (_shown(value).lower() == _shown(self._plain()).lower()) is same
        return value

    def _plain(self) -> Any:
        if self._next("!"):
            return not self._plain()
        if self._next("("):
            value = self.either()
            self._require(")")
            return value
        if not self._tokens:
            raise UnknownExpression("an expression ends too early")
        kind, text = self._tokens.pop(0)
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind != "name":
            raise UnknownExpression(f"{text!r} begins no value")
        if self._next("("):
            self._require(")")
            return self._status(text)
        return {"true": True, "false": False}.get(text) if text in ("true", "false") else self._looked_up(text)

    def _next(self, sign: str) -> bool:
        if self._tokens and self._tokens[0] == ("sign", sign):
            self._tokens.pop(0)
            return True
        return False

    def _require(self, sign: str) -> None:
        if not self._next(sign):
            raise UnknownExpression(f"{sign!r} is missing")

    def _status(self, name: str) -> bool:
        answers: dict[str, Callable[[], bool]] = {
            "success": lambda: not self._contexts.failed,
            "failure": lambda: self._contexts.failed,
            "always": lambda: True,
            "cancelled": lambda: False,
        }
        if name not in answers:
            raise UnknownExpression(f"{name}() is not known")
        return answers[name]()

    def _looked_up(self, name: str) -> str:
        context, _, rest = name.partition(".")
        if context == "steps":
            step, part, output = (*rest.split("."), "", "")[:3]
            if part != "outputs" or not output or step not in self._contexts.known_steps:
                raise UnknownExpression(f"{name} names no output of a step of this action")
            return self._contexts.steps.get(step, {}).get(output, "")
        values = {"inputs": self._contexts.inputs, "github": self._contexts.github, "runner": self._contexts.runner}
        if context not in values or rest not in values[context]:
            raise UnknownExpression(f"{name} is not known")
        return values[context][rest]


def _shown(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
