"""Tables put together again after cases were left out: what is left of them may fit into fewer (B-06)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..judge.group import MOST_ROWS, Group, read_group, shape
from ..model.spec_case import Case

_NUMBER = re.compile(r"_\d+$")


def regrouped(blocks: Sequence[list[Case]]) -> list[list[Case]]:
    """The tests of one section, each a list of rows, in order of appearance.

    A table of which one row is left joins one of the same shape, and so do the parts of one that was too long.
    """
    found: list[list[Case]] = []
    shapes: list[tuple[str, str] | None] = []
    for block in blocks:
        key = _shape(block)
        at = next((at for at, one in enumerate(shapes) if one == key and _fits(found[at], block)), None)
        if key is None or at is None:
            found.append(list(block))
            shapes.append(key)
            continue
        group = _joint(found[at], block)
        found[at] = [replace(case, group=group) for case in (*found[at], *block)]
    return found


def _shape(block: Sequence[Case]) -> tuple[str, str] | None:
    """What all rows have in common; None for a test that belongs to no table."""
    if not all(case.group for case in block):
        return None
    keys = {(case.subject, shape(case)) for case in block}
    subject, key = keys.pop()
    return (subject, key) if key is not None and not keys else None


def _fits(host: Sequence[Case], block: Sequence[Case]) -> bool:
    if len(host) + len(block) > MOST_ROWS:
        return False
    return len(host) == 1 or len(block) == 1 or _stem(host) == _stem(block)


def _group(block: Sequence[Case]) -> Group:
    return read_group(block[0].group or "")


def _stem(block: Sequence[Case]) -> str:
    return _NUMBER.sub("", _group(block).name)


def _joint(host: Sequence[Case], block: Sequence[Case]) -> str:
    """The name of the larger one, the shorter where they are parts of one; its columns."""
    larger = _group(block if len(block) > len(host) else host)
    names = [_group(one).name for one in (host, block)]
    name = min(names, key=len) if _stem(host) == _stem(block) else larger.name
    return Group(name, larger.columns).text
