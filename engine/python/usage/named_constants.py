"""Finds the constants that stand beside the one that is a parameter's default: `HTML4` beside `CSS3`."""

from __future__ import annotations

import re

from ....utils.python_source import literal_or
from ..model.model import Candidate, ModuleFacts, Parameter
from .project_index import ProjectIndex

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_WORD = re.compile(r"[\w.+-]{1,20}")
_MOST = 6


def constants_beside_default(parameter: Parameter, where: ModuleFacts, index: ProjectIndex) -> list[Candidate]:
    """The other members of the family that a parameter's default belongs to, named as the project names them.

    A family are constants that hold single words, whose names or words begin or end alike: the versions of a format,
    the names of modes. Empty for a default that is no named word, or that stands alone.
    """
    name = parameter.default or ""
    if not _NAME.fullmatch(name):
        return []
    module, own = index.origin_of(name, where) or (where.module, name)
    facts = where if module == where.module else index.facts_of(module)
    words = {one: literal_or(source, None) for one, source in facts.constants} if facts is not None else {}
    if not _is_word(words.get(own)):
        return []
    others = [one for one, value in words.items() if one != own and _NAME.fullmatch(one) and _is_word(value)]
    others = [one for one in others if _are_alike((one, words[one]), (own, words[own]))]
    return [Candidate(one, (f"from {module} import {one}",), origin="domain") for one in others[:_MOST]]


def _is_word(value: object) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _are_alike(one: tuple[str, object], other: tuple[str, object]) -> bool:
    """Whether two constants are of one family: their names, or what they hold, begin or end alike but for digits."""
    return any(_share_an_end(mine, its) for mine, its in zip(map(_letters, one), map(_letters, other), strict=True))


def _letters(text: object) -> list[str]:
    return [part for part in re.split(r"[\W_\d]+", str(text).lower()) if part]


def _share_an_end(mine: list[str], its: list[str]) -> bool:
    return bool(mine and its) and (mine[0] == its[0] or mine[-1] == its[-1])
