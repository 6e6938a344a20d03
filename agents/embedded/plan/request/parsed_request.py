"""Defines a parsed request: what to test, what to leave out, and how, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

TestType = Literal["unit", "api", "integration", "e2e", "performance"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A word that may name something.

    Attributes:
        text: as written, without quotes or the full stop of a sentence.
        explicit: quoted, or shaped like a path, a dotted name or a symbol: not finding it is worth saying.
        excluded: it stands after "except".
        weak: an everyday word: it names something only where no other word does, and not finding it is no loss.
        within: what it lies inside, as written: `total` in `pricing`; "" for anywhere.
        beside: what it lies inside is meant as well: "Signer and its unsign method".
        is_symbol: it is called a function or class, so that of a module and a function of one name the latter is meant.
    """

    text: str
    explicit: bool
    excluded: bool = False
    weak: bool = False
    within: str = ""
    beside: bool = False
    is_symbol: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """What a request asks for one kind of tests: the mentions that belong to it, in order.

    Attributes:
        test_type: one of `TestType`, or "property" for a kind that nothing here makes.
        otherwise: mentions of the whole request or of its neighbours, which hold where its own name nothing.
        text: the kind of tests as the request writes it.
        framework: the only one that such tests are written for; "" for the request's.
    """

    test_type: str
    mentions: tuple[Mention, ...]
    otherwise: tuple[Mention, ...] = ()
    text: str = ""
    framework: str = ""


@dataclass(frozen=True, slots=True)
class Superlative:
    """The most complex of something.

    Attributes:
        kind: what is compared; methods are functions.
        count: how many; 0 where the request does not say.
    """

    kind: Literal["module", "function", "class"]
    count: int


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A parsed request.

    Attributes:
        clauses: one for each of `test_types`. A mention before every kind of test ("the orders service: its API, …")
            belongs to each that names nothing itself; so does one after kinds that stand together ("unit and API tests
            of pricing"). What is excluded is excluded everywhere.
        excluded_types: kinds of tests that the request does not want.
        frameworks: in the order in which they are named, available or not; without those it does not want.
        excluded_frameworks: those it does not want.
        only_untested: only what has no tests yet.
        changed_since: a branch, tag or commit; only what changed since. None for no such limit.
        most_complex: only the most complex of what is named; None for all.
        depth: of tests of a whole repository; None where it names none.
        whole: a word of it means everything.
        rest: everything but what the other kinds of tests are asked for ("everything else").
        mentions: of all clauses, in order.
        unknown: (text, reason) of each part whose meaning is known not to be available, or not known.
    """

    clauses: tuple[Clause, ...] = ()
    excluded_types: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    excluded_frameworks: tuple[str, ...] = ()
    only_untested: bool = False
    changed_since: str | None = None
    most_complex: Superlative | None = None
    depth: Literal["smoke", "core", "standard", "deep"] | None = None
    whole: bool = False
    rest: bool = False
    mentions: tuple[Mention, ...] = ()
    unknown: tuple[tuple[str, str], ...] = field(default=())

    @property
    def test_types(self) -> tuple[str, ...]:
        """The kinds of tests, in order."""
        return tuple(clause.test_type for clause in self.clauses)

    @property
    def names_nothing(self) -> bool:
        """Whether no word of it, or only everyday ones, could name a target."""
        return all(mention.weak or mention.excluded for mention in self.mentions)
