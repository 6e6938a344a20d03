"""Writes plain texts in which a regular expression finds something: words and digits where it takes any."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

_WORD, _MIXED = "word", "blank or word"
_FILLINGS = (_WORD, _MIXED, "", " ")
_WORDS = ("kitten", "sitting", "mitten", "bitten")
_LETTERS = "ab3A-_. /:,;\"'<>&#@\t\n"
# The number of a letter, and the same in hexadecimal digits: most low numbers are those of signs that do not print.
_CODE, _HEXADECIMAL = "65", "4a"
_LONG_NUMBER = 4
_DIGITS = "1234567890"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MOST_TEXTS = 3
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_LONGEST_PATTERN = 400
_LONGEST_TEXT = 60
_MAXIMUM_DEPTH = 12


@lru_cache(maxsize=512)
def texts_around_matches(pattern: str, flags: int = 0) -> tuple[str, ...]:
    """Texts of words in which a pattern finds something, one for each of its first alternatives; empty for none.

    A text has words beside the match where the pattern allows that.
    """
    if len(pattern) > _LONGEST_PATTERN:
        return ()
    flags &= ~re.DEBUG  # with it, `re` prints to the standard output, which carries our own answers
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(pattern, flags)
            parts = list(importlib.import_module("re._parser").parse(pattern, flags))
        if _nests(parts):
            return ()  # it may take for ever
        samples = [list(dict.fromkeys(one)) for one in _samples(parts)]
    except (re.error, RecursionError, OverflowError, ValueError, ImportError):
        return ()
    found = (next((text for sample in one if (text := _around(sample, compiled))), "") for one in samples)
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST_TEXTS]


def _around(sample: str, compiled: re.Pattern[str]) -> str:
    """A text with words beside a match; the match alone where the pattern allows no more, empty where it finds none."""
    texts = [f"hello {sample} world", f"{sample}hello", f"hello{sample}", sample]
    if len(sample) == 1 and not sample.isalnum():
        texts.insert(0, f"hello{sample}world")  # a sign joins words
    for text in texts:
        match = compiled.search(text)
        # Two blanks show what is done with blanks; one stands between any two words.
        if match is not None and match[0] not in ("", " ") and len(text) <= _LONGEST_TEXT and _is_plain(text):
            return text
    return ""


def _is_plain(text: str) -> bool:
    return all(letter.isprintable() or letter in "\t\n" for letter in text)


def _samples(parts: Sequence[Any]) -> Iterator[Iterator[str]]:
    """Generates matches for each alternative of the first place that has any, those with words in them first."""
    branches = _first_branches(parts)
    for choice in range(max(1, min(branches, _MOST_TEXTS))):
        yield (_Writer(choice, filling).text(parts) for filling in _FILLINGS)


def _nests(parts: Sequence[Any], repeated: bool = False) -> bool:
    """Whether something that may be repeated without end is repeated within such a thing."""
    for name, given in ((str(one[0]), one[1]) for one in parts):
        endless = name in _REPEATS and int(given[1]) > _LONGEST_TEXT
        if endless and repeated:
            return True
        inner: list[Sequence[Any]] = []
        if name in _REPEATS:
            inner = [given[2]]
        elif name == "SUBPATTERN":
            inner = [given[-1]]
        elif name == "BRANCH":
            inner = list(given[1])
        if any(_nests(one, repeated or endless) for one in inner):
            return True
    return False


def _first_branches(parts: Sequence[Any]) -> int:
    for name, given in ((str(one[0]), one[1]) for one in parts):
        if name == "BRANCH":
            return len(given[1])
        inner = given[-1] if name == "SUBPATTERN" else given[2] if name in _REPEATS else None
        if inner is not None and (count := _first_branches(inner)):
            return count
    return 0


class _Writer:
    """Writes one match.

    Args:
        choice: which alternative is taken, the first where there are not so many.
        filling: what stands where something may be and need not.
    """

    def __init__(self, choice: int, filling: str) -> None:
        self._choice = choice
        self._filling = filling
        self._groups: dict[int, str] = {}
        self._words = 0
        self._digits = 0
        self._places = 0
        self._last = ""

    def text(self, parts: Sequence[Any], depth: int = 0) -> str:
        if depth > _MAXIMUM_DEPTH:
            raise RecursionError
        return "".join(self._part(str(one[0]), one[1], depth) for one in parts)

    def _part(self, name: str, given: Any, depth: int) -> str:
        if name == "LITERAL":
            self._last = chr(given)
            return self._last
        if name in ("NOT_LITERAL", "IN", "ANY", "CATEGORY", "RANGE"):
            return self._letter(name, given)
        if name == "SUBPATTERN":
            text = self.text(given[-1], depth + 1)
            if given[0] is not None:
                self._groups[given[0]] = text
            return text
        if name == "BRANCH":
            alternatives = given[1]
            return self.text(alternatives[self._choice % len(alternatives)], depth + 1)
        if name in _REPEATS:
            return self._repeated(int(given[0]), int(given[1]), given[2], depth)
        if name == "GROUPREF":
            return self._groups.get(given, "")
        if name == "ATOMIC_GROUP":
            return self.text(given, depth + 1)
        return ""  # places and conditions, which the finished text is checked for

    def _repeated(self, least: int, most: int, parts: Sequence[Any], depth: int) -> str:
        once = self.text(parts, depth + 1)
        if not least and len(once) == 1 and most > 1 and not self._fills_with_words():
            blank = self._filling in (" ", _MIXED) and self._takes(parts, " ")
            return " " if blank else ""
        if once.isdigit() and len(once) == 1:
            self._digits += 1
            return _CODE if least < 2 and _LONG_NUMBER <= most <= _LONGEST_TEXT else _digits(least, self._digits)
        if (
            len(once) == 1
            and most > 1
            and all(self._takes(parts, letter) for letter in _HEXADECIMAL)
            and (not self._takes(parts, "k"))
        ):
            return _HEXADECIMAL
        if len(once) == 1 and once.isalpha() and most >= len("kitten") >= least:
            return self._word(parts)
        if not once.strip():
            return once * least  # blanks that may be there need not
        return once * max(least, 1 if most else 0)

    def _fills_with_words(self) -> bool:
        """Whether what need not be there is a word; where both are mixed, every second one."""
        self._places += 1
        return self._filling == _WORD or (self._filling == _MIXED and self._places % 2 == 0)

    def _word(self, parts: Sequence[Any]) -> str:
        """The next word, if the part takes all of its letters; else one of them."""
        word = _WORDS[self._words % len(_WORDS)]
        self._words += 1
        letters = [letter for letter in word if self._takes(parts, letter)]
        return "".join(letters) if len(letters) == len(word) else self.text(parts)

    def _takes(self, parts: Sequence[Any], letter: str) -> bool:
        return len(parts) == 1 and self._accepts(str(parts[0][0]), parts[0][1], letter)

    def _letter(self, name: str, given: Any) -> str:
        closing = _CLOSING.get(self._last, "")
        found = next((letter for letter in (*closing, *_LETTERS) if self._accepts(name, given, letter)), None)
        if found is None and name == "IN":
            first = next((one for one in given if str(one[0]) in ("LITERAL", "RANGE")), None)
            if first is not None:
                return chr(first[1] if str(first[0]) == "LITERAL" else first[1][0])
        if found is None:
            raise ValueError(name)
        return found

    def _accepts(self, name: str, given: Any, letter: str) -> bool:
        if name == "ANY":
            return letter != "\n"
        if name == "LITERAL":
            return chr(given) == letter
        if name == "NOT_LITERAL":
            return chr(given) != letter
        if name == "RANGE":
            return given[0] <= ord(letter) <= given[1]
        if name == "CATEGORY":
            return re.match(_CATEGORIES.get(str(given), r"(?!)"), letter) is not None
        if name != "IN":
            return False
        negated = bool(given) and str(given[0][0]) == "NEGATE"
        inside = any(self._accepts(str(one[0]), one[1], letter) for one in given[int(negated) :])
        return inside != negated


def _digits(least: int, number: int) -> str:
    """So many digits, one for each place where one is enough."""
    return str(number % 10) if least < 2 else _DIGITS[:least]


_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
