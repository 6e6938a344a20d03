"""Decides what git would ignore, by rules of `.gitignore` files that anybody may have written.

As regular expressions, a few asterisks and `**` keep a computer busy for hours. Here each name is matched by itself,
in a form that `fnmatch` makes linear, and `**` takes the shortest way that fits: time grows with pattern times path.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_RULES = 2000
"""Rules of one file; what follows is passed over."""

_ANY_NUMBER = None
_ANY_NAME = re.compile(fnmatch.translate("*"))
_ESCAPED_OR_OPENING = re.compile(r"\\(.)|\[")
_ESCAPED_OR_SET = re.compile(r"\\(.)|\[[!^]?\]?[^\]/]*\]")


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of a `.gitignore` file.

    Attributes:
        names: a pattern for each name of a path below the file's folder; None for any number of names.
        ignores: False for a line that begins with `!`.
        folders_only: whether it is about folders alone.
    """

    names: tuple[re.Pattern[str] | None, ...]
    ignores: bool
    folders_only: bool

    def fits(self, names: Sequence[str]) -> bool:
        """Whether the rule is about a path, given by its names."""
        if len(self.names) == 2 and self.names[0] is _ANY_NUMBER:  # the usual form: a name in any folder
            names = names[-1:]
        at = place = resumed = 0
        several = -1
        while place < len(names):
            pattern = self.names[at] if at < len(self.names) else _ANY_NUMBER
            if at < len(self.names) and pattern is _ANY_NUMBER:
                several, resumed = at, place
                at += 1
            elif pattern is not None and pattern.match(names[place]):
                at += 1
                place += 1
            elif several >= 0:  # the last `**` takes one name more; earlier ones need not change
                resumed += 1
                at, place = several + 1, resumed
            else:
                return False
        return all(name is _ANY_NUMBER for name in self.names[at:])


def read_rules(lines: Iterable[str]) -> tuple[IgnoreRule, ...]:
    """The rules of a `.gitignore` file, in order; lines that git passes over are left out."""
    rules = [rule for line in lines if (rule := _rule_of(line)) is not None]
    return tuple(rules[:MAX_RULES])


def decision_on(path: str, is_folder: bool, rules: Sequence[IgnoreRule]) -> bool | None:
    """Whether a path is ignored by the last rule about it; None where no rule is.

    Args:
        path: POSIX path relative to the folder of the rules' file. Of its parents others decide.
    """
    names = path.split("/")
    fitting = (rule for rule in reversed(rules) if (is_folder or not rule.folders_only) and rule.fits(names))
    rule = next(fitting, None)
    return None if rule is None else rule.ignores


def _rule_of(line: str) -> IgnoreRule | None:
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    if not text or text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    text = text if ignores else text[1:]
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    is_anchored = "/" in text
    parts = [part for part in text.split("/") if part]
    if not parts:
        return None
    try:
        names = [_ANY_NUMBER if part == "**" and is_anchored else _name_pattern(part) for part in parts]
    except re.error:
        return None
    if not is_anchored:
        names.insert(0, _ANY_NUMBER)
    elif len(names) > 1 and names[-1] is _ANY_NUMBER:  # everything inside, not the folder itself
        names.insert(-1, _ANY_NAME)
    return IgnoreRule(tuple(names), ignores, folders_only)


def _name_pattern(part: str) -> re.Pattern[str]:
    """The pattern of one name: git's, in the form of fnmatch, which knows no backslashes and negates with `!` only."""
    end = part.rfind("]") + 1  # behind the last one no set ends: looking for its end at each beginning takes long
    head, tail = _ESCAPED_OR_SET.sub(_as_set, part[:end]), _ESCAPED_OR_OPENING.sub(_as_set, part[end:])
    return re.compile(fnmatch.translate(head + tail))


def _as_set(found: re.Match[str]) -> str:
    if found[1] is not None:
        return f"[{found[1]}]" if found[1] in "*?[" else found[1]
    if found[0] == "[":
        return "[[]"
    return f"[!{found[0][2:]}" if found[0].startswith("[^") else found[0]
