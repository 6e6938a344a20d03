"""Generates all mutants of a file, and samples them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

from ..utils.python_source import parse_python
from .equivalence import rule_of
from .model import Mutant
from .operators import Change, changes_at
from .sites import ImportOrigins, Site, SourceText, sites_of


def mutants_of(source: bytes, path: str) -> tuple[Mutant, ...]:
    """Every mutant of a file, in the order of the source.

    Raises:
        SyntaxError: it is not Python that this interpreter reads.
    """
    text = SourceText(source)
    tree = parse_python(text.data, path)
    origins = ImportOrigins(tree)
    found = [_mutant(change, site, text, path, origins) for site in sites_of(tree) for change in changes_at(site, text)]
    return tuple(sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.operator, mutant.replacement)))


def sample(mutants: Sequence[Mutant], size: int, *, seed: int = 0) -> tuple[Mutant, ...]:
    """A part of the mutants, the same for the same files and seed, whatever order they come in.

    Each mutant has a rank of its own, drawn from the seed and what it is: a sample of 50 is part of one of 100.
    """
    ranked = sorted(
        mutants, key=lambda mutant: (_rank(mutant, seed), mutant.path, mutant.start, mutant.end, mutant.replacement)
    )
    return tuple(sorted(ranked[:size], key=lambda mutant: (mutant.path, mutant.start, mutant.end, mutant.replacement)))


def _rank(mutant: Mutant, seed: int) -> float:
    about = f"{mutant.path}:{mutant.start}:{mutant.end}:{mutant.operator}:{mutant.replacement}:{seed}"
    return random.Random(hashlib.sha256(about.encode("utf-8")).digest()).random()


def _mutant(change: Change, site: Site, text: SourceText, path: str, origins: ImportOrigins) -> Mutant:
    line = text.line_at(change.start)
    before, after = text.snippets(change.start, change.end, change.replacement)
    head = getattr(site.head, "lineno", line)
    return Mutant(
        operator=change.operator,
        path=path,
        line=line,
        lines=tuple(sorted({line, head})),
        start=change.start,
        end=change.end,
        replacement=change.replacement,
        before=before,
        after=after,
        rule=rule_of(change, site, text, origins),
    )
