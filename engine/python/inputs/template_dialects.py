"""Tells the ways apart in which templates name what is put into them: who reads `{name}` reads no `{{ name }}`.

Samples of another way than documents show come back as they are, or as garbage that nobody promises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .text_formats import ALL_TEXTS

_DIALECTS = (
    re.compile(r"(?<![{$])\{[^\w{}\s:]?[A-Za-z_][\w,*.]*(![rsa])?(:[^{}]*)?\}(?!\})"),
    re.compile(r"\{\{.*?\}\}|\{%.*?%\}"),
    re.compile(r"(?<![{$])\{\d*(![rsa])?(:[^{}]*)?\}(?!\})"),
    re.compile(r"%[sdrif]|%\(\w+\)"),
    re.compile(r"\$[A-Za-z_{]"),
)


def foreign_samples(written: Iterable[str]) -> frozenset[str]:
    """Samples of templates in another dialect than those that documents and usage show; none where they show none.

    Args:
        written: texts of documents and usage.
    """
    shown = {number for text in written for number in _dialects_of(text)}
    if not shown:
        return frozenset()
    return frozenset(text for text in ALL_TEXTS if (own := _dialects_of(text)) and not own & shown)


def _dialects_of(text: str) -> set[int]:
    return {number for number, pattern in enumerate(_DIALECTS) if pattern.search(text)}
