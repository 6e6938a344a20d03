"""Proposes values for parameters within their domains: the plainest first, then those that differ in one respect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ....utils.names.article import with_article
from ..model import Class, Value
from .boundaries import around, bare, lengths, listed_values, of_length, shaped
from .patterns import text_for_pattern, texts_at_bounds
from .shapes import Shape
from .value_pools import (
    LONG,
    NUMBERS,
    PLAIN_NUMBERS,
    PLAIN_TEXTS,
    PLURAL,
    SINGULAR,
    TEXTS,
    WORDS,
    quoted_text,
    singular,
    words,
)

_DEPTH = 4
_MOST = 40
_OPTIONS = re.compile(r"opt(?:ion)?s?$|config|settings", re.IGNORECASE)


class Values:
    """Proposes values.

    Args:
        classes: exported classes by name, whose instances can be made; with the shapes of their parameters.
        given: values that a parameter takes in the place of all others, by its shape and name; none where it is empty.
    """

    def __init__(
        self,
        classes: Mapping[str, tuple[Class, Sequence[tuple[str, Shape, bool]]]],
        given: Callable[[Shape, str], Sequence[Value]] | None = None,
    ) -> None:
        self._classes = classes
        self._given = given

    def of(self, shape: Shape, name: str, *, nth: int = 0, depth: int = 0) -> list[Value]:
        """Values of a shape, the typical one first.

        Args:
            name: of the parameter or field, which hints at what it holds.
            nth: which of several typical values comes first, so that two of one kind differ.
        """
        found = list(self._given(shape, name) if self._given is not None else ())
        found = found or list(_distinct(self._values(shape, name, nth, depth)))
        return found[:_MOST]

    def _values(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        kinds = shape.kinds - {"any", "never"}
        if depth > _DEPTH:
            return
        if shape.literals:
            ordered = shape.literals[nth % len(shape.literals) :] + shape.literals[: nth % len(shape.literals)]
            for at, source in enumerate(ordered):
                needs = frozenset({source.split(".")[0]}) if source[0].isalpha() and "." in source else frozenset[str]()
                shown = source.strip("'\"").rpartition(".")[2]
                yield Value(source, f"{words(name)} {shown}", "typical" if at == 0 else "listed", needs)
        makers = {
            "string": self._texts, "number": self._numbers, "boolean": _flags, "array": self._lists,
            "tuple": self._tuples, "object": self._objects, "record": self._records, "map": self._maps,
            "set": self._sets, "function": self._functions, "class": self._instances, "date": _dates,
        }  # fmt: skip
        plain = {
            "bigint": ("10n", "0n"), "regexp": ("/o/g", "/a/"), "url": ("new URL('https://example.org/a?b=1')",),
            "error": ("new Error('out of stock')",), "symbol": ("Symbol('a')",),
        }  # fmt: skip
        if not kinds and not shape.literals:
            kinds = self._guessed(shape, name)
        # A text in the place of options is a short form of them.
        first = {"object"} if _OPTIONS.search(name) else set[str]()
        short = next((own for own, one in shape.fields.items() if "string" in one.kinds), name) if first else name
        for kind in sorted(makers, key=lambda one: one not in first):
            if kind in kinds:
                yield from makers[kind](shape, short if kind == "string" else name, nth, depth)
        for kind, sources in plain.items():
            if kind in kinds:
                yield from (
                    Value(source, words(name), "typical" if not at else "other") for at, source in enumerate(sources)
                )
        if "null" in kinds:
            yield Value("null", f"no {words(name)} (null)", "null")

    def _guessed(self, shape: Shape, name: str) -> set[str]:
        """Kinds that a name suggests where nothing else is known."""
        if shape.fields:
            return {"object"}
        if shape.element is not None:
            return {"array"}
        plain = name.lower()
        if any(one.source[0] in "'\"" for one in shape.constants):
            return {"string"}
        if re.search(r"^(?:is|has|should|with)[A-Z_]|^(?:flag|enabled|strict|verbose)", name):
            return {"boolean"}
        if re.search(r"^(?:fn|func|callback|cb|predicate|iteratee|comparator|handler|mapper)", plain):
            return {"function"}
        if any(re.search(pattern, plain) for pattern, _ in TEXTS) or re.search(r"str|text|word", plain):
            return {"string"}
        if PLURAL.search(name) and not SINGULAR.search(name) and len(name) > 2:
            return {"array"}
        return {"number"}

    def _numbers(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        pool = next((some for pattern, some in NUMBERS if re.search(pattern, name.lower())), PLAIN_NUMBERS)
        typical = pool[nth % len(pool)]
        yield Value(typical, f"{words(name)} {typical}")
        for constant in shape.constants:
            yield from around(constant, name)
        yield Value("0", f"{words(name)} zero", "zero")
        yield Value("1", f"{words(name)} one", "one")
        for other in PLAIN_NUMBERS:
            yield Value(other, f"{words(name)} {other}", "other")
        yield Value("-2", f"a negative {words(name)}", "negative")
        yield Value("2.5", f"a fractional {words(name)}", "fraction")
        yield Value("100", f"a large {words(name)}", "large")
        yield Value("1234567", f"{with_article(words(name))} of millions", "large")

    def _texts(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        named = words(name)
        listed = [one for one in shape.constants if one.operator in ("===", "==", "!==", "!=", "key", "one of")]
        quoted = list(dict.fromkeys(one.source for one in listed if one.source[0] in "'\"" and len(one.source) > 2))
        ordered = quoted[nth % len(quoted) :] + quoted[: nth % len(quoted)] if quoted else []
        for at, source in enumerate(ordered):
            yield Value(_single(source), f"{named} {bare(source)}", "typical" if at == 0 else "listed")
        for pattern in shape.patterns:
            text = text_for_pattern(pattern)
            if text:
                yield Value(quoted_text(text), f"{with_article(named)} that matches", "listed")
        # What lies at the bounds of a pattern differs from what it matches in one sign.
        for text in dict.fromkeys(text for pattern in shape.patterns for text in texts_at_bounds(pattern)):
            yield Value(quoted_text(text), f"{named} {text}", "boundary")
        yield from shaped(shape, named)
        pool = next((some for pattern, some in TEXTS if re.search(pattern, name.lower())), PLAIN_TEXTS)
        typical = pool[nth % len(pool)]
        if quoted:
            yield Value("'unknown'", f"an unknown {named}", "unknown")
        else:
            yield Value(quoted_text(typical), f"{named} {typical}")
            yield from (Value(quoted_text(other), f"another {named}", "another") for other in pool if other != typical)
        yield Value("''", f"an empty {named}", "empty")
        yield from (one for constant in shape.constants for one in lengths(constant, named))
        yield Value("'Hello World'", f"{with_article(named)} with capitals", "capitals")
        yield Value("'  padded text  '", f"{with_article(named)} with spaces around it", "spaces")
        yield Value("'a'", f"{with_article(named)} of one character", "one")
        yield Value("'one-two_three four'", f"{with_article(named)} with several separators", "separators")
        yield Value("'crème brûlée!'", f"{with_article(named)} with accents and punctuation", "accents")
        yield Value("'level'", f"{with_article(named)} that reads the same backwards", "other")
        yield Value("'42'", f"{with_article(named)} of digits", "digits")
        yield Value(quoted_text(LONG), f"a long {named}", "long")

    def _lists(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        element = shape.element or Shape()
        single = singular(name)
        each = [self.of(element, single, nth=at, depth=depth + 1) for at in range(3)]
        if not each[0]:
            yield Value("[]", f"no {words(name)}", "empty")
            return
        first = [found[0] for found in each]
        if first[0].source == first[1].source and len(each[0]) > 1:
            first = [*each[0][:2], each[0][0]]
        wanted = 2 if "{" in first[0].source else 3
        typical = listed_values(first[:wanted])
        yield replace(typical, phrase=f"several {words(name)}")
        for constant in shape.constants:
            yield from (of_length(first, constant, words(name)))
        for other in each[0][1:16]:
            # One element differs from the typical list.
            made = listed_values([other, *first[1:wanted]])
            yield replace(made, phrase=other.phrase, kind=other.kind if other.kind != "typical" else "other")
        yield replace(listed_values(first[:1]), phrase=f"a single {words(single)}", kind="one")
        yield Value("[]", f"no {words(name)}", "empty")
        yield replace(
            listed_values([first[0], first[1], first[0]]), phrase=f"{words(name)} that repeat", kind="repeated"
        )
        yield replace(listed_values(first[::-1]), phrase=f"{words(name)} in another order", kind="other")

    def _tuples(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        each = [self.of(one, singular(name), nth=nth + at, depth=depth + 1) for at, one in enumerate(shape.items)]
        if all(each):
            yield from _varied(each, lambda parts: f"[{', '.join(parts)}]", words(name))

    def _objects(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        required = [one for one in shape.fields if one not in shape.optional]
        fields = {one: self.of(inner, one, nth=nth, depth=depth + 1) for one, inner in shape.fields.items()}
        if not all(fields[one] for one in required):
            return
        if not shape.fields:
            # Options of which nothing is known would be options that mean nothing.
            yield Value("{ name: 'Ada', age: 30 }", words(name), "guess" if _OPTIONS.search(name) else "typical")
            yield Value("{}", f"an empty {words(name)}", "empty")
            return
        shown = required or [one for one in shape.fields if fields[one]][:1]
        typical = {one: fields[one][0] for one in shown}
        # Where nothing is required, what is given is what is special.
        phrase = _typical(words(name)) if required else typical[shown[0]].phrase if shown else words(name)
        yield replace(_made_of(typical), phrase=phrase)
        others = {one: fields[one] if one not in shown else fields[one][1:] for one in shape.fields}
        # By turns, so that a limit on their number leaves none of the fields out.
        for turn in range(max(map(len, others.values()), default=0)):
            for one, found in others.items():
                if turn >= len(found):
                    continue
                other = found[turn]
                given = one not in shown and other.kind == "typical"
                phrase = f"{words(one)} given" if given else other.phrase
                alone = {**typical, one: other} if required else {one: other}
                yield replace(_made_of(alone), phrase=phrase, kind="given" if given else other.kind)
        if not required and shown:
            # Two together, as one may count only where the other is given.
            for one in [one for one in shape.fields if fields[one] and one not in shown]:
                both = f"{words(shown[0])} and {words(one)} given"
                yield replace(_made_of({**typical, one: fields[one][0]}), phrase=both, kind="given")
        if not required:
            yield Value("{}", f"no {words(name)}", "empty")

    def _records(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        values = [self.of(shape.element or Shape(), singular(name), nth=at, depth=depth + 1) for at in range(2)]
        if all(values):
            parts = {key: found[0] for key, found in zip(WORDS, values, strict=False)}
            yield replace(_made_of(parts), phrase=f"several {words(name)}")
            yield Value("{}", f"no {words(name)}", "empty")

    def _maps(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        keys = [self.of(shape.key or Shape({"string"}), "key", nth=at, depth=depth + 1) for at in range(2)]
        values = [self.of(shape.element or Shape(), singular(name), nth=at, depth=depth + 1) for at in range(2)]
        if all(keys) and all(values):
            pairs = ", ".join(f"[{key[0].source}, {value[0].source}]" for key, value in zip(keys, values, strict=True))
            yield Value(f"new Map([{pairs}])", f"several {words(name)}", needs=values[0][0].needs)
            yield Value("new Map()", f"no {words(name)}", "empty")

    def _sets(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        each = [self.of(shape.element or Shape(), singular(name), nth=at, depth=depth + 1) for at in range(3)]
        if all(each):
            yield Value(f"new Set([{', '.join(one[0].source for one in each)}])", f"several {words(name)}")
            yield Value("new Set()", f"no {words(name)}", "empty")

    def _functions(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        result = shape.result or Shape()
        plain = name.lower()
        if "boolean" in result.kinds or re.search(r"predicate|filter|test|match|^is|condition", plain):
            sources = ["(value) => value > 2", "() => false"]
        elif re.search(r"compar|^cmp|sort", plain):
            sources = ["(a, b) => a - b", "(a, b) => b - a"]
        elif "number" in result.kinds or shape.arity == 1:
            sources = ["(value) => value * 2", "(value) => value + 1"]
        elif "string" in result.kinds:
            sources = ["(value) => `<${value}>`"]
        elif shape.arity == 2:
            sources = ["(a, b) => a + b", "(a, b) => a * b"]
        else:
            sources = ["() => 'done'", "() => 42"]
        yield from (
            Value(source, f"another {words(name)}" if at else words(name), "other" if at else "typical")
            for at, source in enumerate(sources)
        )

    def _instances(self, shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
        found = self._classes.get(shape.class_name)
        if found is None:
            return
        one, parameters = found
        each = [self.of(inner, own, nth=nth, depth=depth + 1) for own, inner, optional in parameters if not optional]
        if one.abstract or not all(each):
            return
        needs = frozenset({one.name})
        for made in _varied(each, lambda parts: f"new {one.name}({', '.join(parts)})", words(name)):
            yield replace(made, needs=made.needs | needs)


def _single(source: str) -> str:
    return quoted_text(source[1:-1]) if source[0] == '"' and "\\" not in source else source


def _distinct(values: Iterator[Value]) -> Iterator[Value]:
    seen = set()
    for one in values:
        if one.source not in seen:
            seen.add(one.source)
            yield one


def _flags(shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
    plain = words(name)
    plain = re.sub(r"^(?:is|has) ", "", plain)
    yield Value("true", f"with {plain}", "typical")
    yield Value("false", f"without {plain}", "other")


def _dates(shape: Shape, name: str, nth: int, depth: int) -> Iterator[Value]:
    days = ("2024-03-15T10:30:00Z", "2023-12-31T23:59:59Z", "2024-02-29T00:00:00Z")
    titles = (
        words(name),
        f"{with_article(words(name))} at the end of a year",
        f"{with_article(words(name))} on a leap day",
    )
    for at in range(3):
        yield Value(f"new Date('{days[(at + nth) % 3]}')", titles[(at + nth) % 3], "typical" if at == 0 else "other")


def _made_of(fields: Mapping[str, Value]) -> Value:
    parts = (f"{_key(name)}: {one.source}" for name, one in fields.items())
    needs = frozenset[str]().union(*(one.needs for one in fields.values()))
    return Value(f"{{ {', '.join(parts)} }}", needs=needs)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else f"'{name}'"


def _varied(each: Sequence[Sequence[Value]], make: Callable[[Sequence[str]], str], named: str) -> Iterator[Value]:
    """Values of several parts: the typical one of each, then one part differs."""
    typical = [found[0] for found in each]
    needs = frozenset[str]().union(*(one.needs for one in typical))
    yield Value(make([one.source for one in typical]), named, needs=needs)
    for at, found in enumerate(each):
        for other in found[1:8]:
            parts = [other if place == at else one for place, one in enumerate(typical)]
            yield Value(
                make([one.source for one in parts]),
                other.phrase,
                other.kind if other.kind != "typical" else "other",
                needs | other.needs,
            )


def _typical(noun: str) -> str:
    return f"typical {noun}" if noun.endswith("s") and not noun.endswith("ss") else f"a typical {noun}"
