"""Proposes simpler variants of a trial, each with one thing less or one plainer value: a test is made of the plainest.

A variant stands in for its trial where it takes the same branches to the same kind of outcome; whoever proposes it
runs it to find out.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice, pairwise

from ....utils.python_names import assigned_names, assigned_variable, last_name, names_of
from ....utils.python_source import expression_or_none, parse_or_none, shared_module, walk
from ..domain.example_tables import WORDS
from ..inputs.plain_texts import KNOWN_WORDS, MANGLED, PLAIN_WORDS, is_sample, oddness
from ..inputs.text_formats import ALL_TEXTS, fitting_texts
from ..model.model import CHANGED_SOURCES, CallableFacts, ModuleFacts, Trial
from ..source.literals import LiteralSpan, is_in_runners_folder, literal_places, with_source, with_sources
from ..source.moments import NOW

MOST = 24
# One item shows no order, and nothing of how several are treated.
_FEWEST = 2
# Plainer forms of what changes at random led to, and of what was made on purpose or written by a person.
SIMPLIFIED, PLAINER = "simplified", "plainer"
_SURROUNDINGS = re.compile(rf"\bmonkeypatch\b|\brequest\b|\bdate(time)?\(|\btimedelta\(|^{NOW}\b")
_FLAGS = ("True", "False")
_FRAGMENT = 3
_MOST_WRITTEN = 4
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_WORD = re.compile(r"[A-Za-z0-9]+")
_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+|\s+|[^A-Za-z0-9\s]+")


def simplified_trials(
    trial: Trial,
    facts: ModuleFacts,
    written: Sequence[str] = (),
    *,
    fitting: frozenset[str] | None = None,
    built: Mapping[str, Sequence[str]] | None = None,
    silent: Container[str] = (),
) -> list[Trial]:
    """Returns at most `MOST` simpler variants of a trial, those that change most first.

    Args:
        facts: the target module; arguments of its callables that have a default are left out.
        written: texts that documents and usage pass to the trial's subject, in order of appearance.
        fitting: `fitting_texts` of the module, where they are known already.
        built: texts that documents and usage build objects from, by class; where the trial builds one, these count.
        silent: qualified names of the methods that return nothing, so that no object can be had from them.
    """
    built = built or {}
    known = (*written, *(text for texts in built.values() for text in texts))
    fitting = fitting_texts(facts) if fitting is None else fitting
    found: dict[tuple[str, ...], Trial] = {}
    variants = chain(
        without_statements(trial),
        _chained(trial, silent),
        _with_written_texts(trial, written, built),
        _with_whole_words(trial, known),
        _with_plain_texts(trial, fitting, known),
        without_arguments(trial, facts),
        _with_flags(trial, facts),
        _smaller_literals(trial, known),
        _with_words_for_empty_texts(trial, written, built),
    )
    for variant in variants:
        key = (variant.act, *variant.arrange)
        if key != (trial.act, *trial.arrange):
            found.setdefault(key, variant)
    return list(islice(found.values(), MOST))


def without_statements(trial: Trial, may_go: Callable[[ast.stmt], bool] | None = None) -> Iterator[Trial]:
    """Variants without one statement that binds nothing that is read later; whether it mattered, the outcome tells.

    What a document says of the result holds for them as well.

    Args:
        may_go: whether a statement may be left out; None for any.
    """
    for at, text in enumerate(trial.arrange):
        tree = shared_module(text)
        if tree is None or _SURROUNDINGS.search(text) or not isinstance(tree.body[0], ast.Expr | ast.Assign):
            continue
        if may_go is not None and not may_go(tree.body[0]):
            continue
        later = " ".join((*trial.arrange[at + 1 :], trial.act))
        bound = assigned_names([text])
        if any(re.search(rf"\b{re.escape(name)}\b", later) for name in bound):
            continue
        yield replace(trial, arrange=(*trial.arrange[:at], *trial.arrange[at + 1 :]))


def _chained(trial: Trial, silent: Container[str]) -> Iterator[Trial]:
    """Variants in which an object is built and used in one line: `job = every().day` for two statements."""
    for at, (first, second) in enumerate(pairwise(trial.arrange)):
        built, used = parse_or_none(first), parse_or_none(second)
        bound = assigned_variable(built.body[0]) if built is not None and len(built.body) == 1 else None
        statement = used.body[0] if used is not None and len(used.body) == 1 else None
        if bound is None or not isinstance(statement, ast.Expr) or not isinstance(bound[1], ast.Call | ast.Attribute):
            continue
        called = statement.value.func if isinstance(statement.value, ast.Call) else statement.value
        if not (
            isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == bound[0]
        ):
            continue
        if called.attr.startswith("__") or names_of(bound[1]) & {bound[0]}:
            continue
        if sum(isinstance(node, ast.Name) and node.id == bound[0] for node in ast.walk(statement)) > 1:
            continue
        called.value = bound[1]
        later = " ".join((*trial.arrange[at + 2 :], trial.act))
        line = ast.unparse(statement.value)
        if re.search(rf"\b{re.escape(bound[0])}\b", later):
            if f"{_made_class(bound[1])}.{called.attr}" in silent:
                continue
            line = f"{bound[0]} = {line}"
        yield replace(trial, arrange=(*trial.arrange[:at], line, *trial.arrange[at + 2 :]), wanted=None, wanted_line=0)


def _made_class(made: ast.expr) -> str:
    """The name of what a call that makes an object calls."""
    return last_name(made.func) if isinstance(made, ast.Call) else ""


def _with_written_texts(trial: Trial, written: Sequence[str], built: Mapping[str, Sequence[str]]) -> Iterator[Trial]:
    """Variants with texts that a person wrote in place of those of the search: all together, then each alone.

    Where an object is built, these are texts that objects of its class are built from. Equal texts stay equal.
    """
    lines = [*trial.arrange, trial.act]
    places = [place for place in _own_places(trial) if isinstance(place.value, str)]
    pools = {place: _texts_for(lines[place.statement], place.start, written, built) for place in places}
    found: dict[str, list[str]] = {}
    for place, pool in pools.items():
        if place.value not in pool:
            missing = [text for text in pool if all(other.value != text for other in places)]
            found.setdefault(place.value, missing)
    chosen: dict[str, str] = {}
    for value, missing in found.items():
        free = [text for text in missing if text not in chosen.values()]
        chosen.update({value: free[0]} if free else {})
    if chosen:
        yield _with_texts(trial, {place: chosen[place.value] for place in places if place.value in chosen})
    for value, missing in list(found.items())[:4]:
        for text in missing[:_MOST_WRITTEN]:
            yield _with_texts(trial, {place: text for place in places if place.value == value})


def _texts_for(line: str, start: int, written: Sequence[str], built: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The texts that a person wrote where a line has a text of its own: for the nearest call around it of those that
    objects are built by.

    Args:
        start: where the text begins, in bytes.
    """
    return next((built[name] for name in _calls_around(line, start) if built.get(name)), written)


def _calls_around(line: str, start: int) -> list[str]:
    """The names of the calls in a statement of one line that a place, in bytes, lies within, the innermost first."""
    tree = shared_module(line)
    calls = [node for node in walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    around = [one for one in calls if one.col_offset <= start < (one.end_col_offset or 0)]
    return [last_name(one.func) for one in sorted(around, key=lambda one: one.col_offset, reverse=True)]


def _with_words_for_empty_texts(
    trial: Trial, written: Sequence[str], built: Mapping[str, Sequence[str]]
) -> Iterator[Trial]:
    """Variants with a word in place of an empty text that no person wrote there: where that changes nothing, emptiness
    was not the point."""
    lines = [*trial.arrange, trial.act]
    places = [place for place in _own_places(trial) if isinstance(place.value, str)]
    given = {place.value for place in places}
    word = next((word for word in WORDS if word not in given), WORDS[0])
    for place in places:
        if place.value == "" and "" not in _texts_for(lines[place.statement], place.start, written, built):
            yield with_source(trial, place, repr(word), origin_of_variant(trial))


def _with_texts(trial: Trial, texts: Mapping[LiteralSpan, str]) -> Trial:
    return with_sources(trial, {place: repr(text) for place, text in texts.items()}, origin_of_variant(trial))


def _with_plain_texts(trial: Trial, fitting: frozenset[str], written: Sequence[str]) -> Iterator[Trial]:
    """Variants whose texts have known words in place of unknown ones: of all texts together, then of each alone."""
    places = [
        place
        for place in _own_places(trial)
        if isinstance(place.value, str) and len(place.value) > 1 and place.value not in written
    ]
    free = [word for word in (*WORDS, *PLAIN_WORDS) if all(place.value != word for place in places)]
    plain: dict[LiteralSpan, str] = {}
    names: dict[str, str] = {}
    for place in places:
        if place.value in ALL_TEXTS and place.value not in fitting and not place.value.isalpha() and free:
            plain[place] = free[len(plain) % len(free)]  # a sample of a format that the module does not speak of
        elif oddness(place.value) >= MANGLED:
            plain[place] = _in_known_words(place.value, names)
    if not plain:
        return
    yield _with_texts(trial, plain)
    for place, text in plain.items():
        yield with_source(trial, place, repr(text), origin_of_variant(trial))


def _with_whole_words(trial: Trial, written: Sequence[str]) -> Iterator[Trial]:
    """Variants in which a piece of a word that documents pass, `hell` or `hello6`, is that word again."""
    words = [word for word in KNOWN_WORDS if len(word) > _FRAGMENT and any(word in text for text in written)]
    pieces = {word: _pieces_of(word) for word in sorted(words)}
    whole: dict[LiteralSpan, str] = {}
    for place in _own_places(trial):
        if not isinstance(place.value, str) or place.value in written:
            continue
        text = place.value
        for word, piece in pieces.items():
            text = piece.sub(word, text)
        if text != place.value:
            whole[place] = text
    if whole:
        yield _with_texts(trial, whole)
        yield from (with_source(trial, place, repr(text), origin_of_variant(trial)) for place, text in whole.items())


@lru_cache(maxsize=1024)
def _pieces_of(word: str) -> re.Pattern[str]:
    """Matches beginnings of a word of three letters or more that something else follows, and what is glued to it."""
    beginnings = [f"{word[:size]}(?!{word[size]})[a-z0-9]*" for size in range(_FRAGMENT, len(word))]
    return re.compile("|".join([f"{word}[a-z0-9]+", *reversed(beginnings)]))


def _in_known_words(text: str, names: dict[str, str]) -> str:
    """The text with each unknown word replaced by a known one, the same word by the same and others by others.

    Args:
        names: the known words by the unknown ones that they stand for; this adds to it.
    """
    parts: list[str] = []
    for token in _TOKEN.findall(text):
        if token[0].isalpha() and token.isascii() and token.lower() not in KNOWN_WORDS:
            word = names.setdefault(token.lower(), PLAIN_WORDS[len(names) % len(PLAIN_WORDS)])
            token = word.upper() if token.isupper() and len(token) > 1 else word.title() if token[0].isupper() else word
        elif token.isspace():
            token = "\n" if "\n" in token else " "
        parts.append(token)
    return "".join(parts)


def without_arguments(trial: Trial, facts: ModuleFacts) -> Iterator[Trial]:
    """Variants without one argument that has a default: keywords, and the last positional one of a known callable."""
    known = {(one.owner if one.kind == "constructor" else None) or one.name: one for one in facts.callables()}
    for index, text in enumerate((*trial.arrange, trial.act)):
        # A moment that the act passes is an argument like any other.
        fixed = _SURROUNDINGS.search(text) is not None and (index < len(trial.arrange) or NOW in text)
        tree = None if "\n" in text or fixed else expression_or_none(text) or parse_or_none(text)
        if tree is None:
            continue
        for at, call in enumerate(_calls(tree)):
            # The keywords of a record are what it holds.
            for keyword in reversed(range(len(call.keywords))) if last_name(call.func) != "SimpleNamespace" else ():
                shorter = copy.deepcopy(tree)
                del _calls(shorter)[at].keywords[keyword]
                yield _with_statement(trial, index, ast.unparse(shorter))
            if _may_lose_its_last(call, known):
                shorter = copy.deepcopy(tree)
                del _calls(shorter)[at].args[-1]
                yield _with_statement(trial, index, ast.unparse(shorter))


def _with_flags(trial: Trial, facts: ModuleFacts) -> Iterator[Trial]:
    """Variants with True or False in the place of another value of a parameter whose default is one of them."""
    flags = {parameter.name for one in facts.callables() for parameter in one.parameters if parameter.default in _FLAGS}
    tree = expression_or_none(trial.act)
    for at, call in enumerate(_calls(tree) if tree is not None else ()):
        for place, keyword in enumerate(call.keywords):
            if keyword.arg in flags and ast.unparse(keyword.value) not in _FLAGS:
                for flag in (True, False):
                    plainer = copy.deepcopy(tree)
                    assert plainer is not None
                    _calls(plainer)[at].keywords[place].value = ast.Constant(flag)
                    yield _with_statement(trial, -1, ast.unparse(plainer))


def _calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _may_lose_its_last(call: ast.Call, known: Mapping[str, CallableFacts]) -> bool:
    called = known.get(last_name(call.func))
    if called is None or not call.args or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    positional = [one for one in called.parameters if one.is_positional and one.name not in ("self", "cls")]
    if len(call.args) > len(positional) and any(one.kind == "var_positional" for one in called.parameters):
        return True
    return len(call.args) <= len(positional) and positional[len(call.args) - 1].default is not None


def _with_statement(trial: Trial, index: int, text: str) -> Trial:
    lines = [*trial.arrange, trial.act]
    lines[index] = text
    return replace(
        trial, arrange=tuple(lines[:-1]), act=lines[-1], source=origin_of_variant(trial), wanted=None, wanted_line=0
    )


def _smaller_literals(trial: Trial, written: Sequence[str]) -> Iterator[Trial]:
    """Variants with one literal made smaller: fewer items, fewer tokens, a plain number.

    A text that a person wrote stays: a part of it is nothing that anybody passes.
    """
    for place in _own_places(trial):
        for source in _smaller(place) if place.value not in written else ():
            yield with_source(trial, place, source, origin_of_variant(trial))


def _own_places(trial: Trial) -> list[LiteralSpan]:
    """The literals of a trial that are inputs: not names of files, nor those of clocks, dates, changed surroundings."""
    lines = [*trial.arrange, trial.act]
    return [
        place
        for place in literal_places(trial)
        if not _SURROUNDINGS.search(lines[place.statement]) and not is_in_runners_folder(trial, place)
    ]


def _smaller(place: LiteralSpan) -> Iterator[str]:
    value = place.value
    if isinstance(value, str):
        words = _WORD.findall(value)
        if is_sample(value) or (len(words) > 1 and set(words) <= set(WORDS)):
            return  # words with what is looked for between them: each says something
        # Of a number in words, a part is no number that a person writes: `4.` of `4.50`.
        is_number = _NUMBER.fullmatch(value) is not None
        yield from (repr(text) for text in _shorter_texts(value) if not is_number or _NUMBER.fullmatch(text))
    elif isinstance(value, list | tuple) and len(value) > _FEWEST:
        for shorter in _shorter_sequences(value):
            yield repr(type(value)(shorter))
    elif isinstance(value, dict) and len(value) > _FEWEST:
        for key in list(value)[:4]:
            yield repr({name: item for name, item in value.items() if name != key})
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int) and abs(value) > 99:
        yield from ("3" if value > 0 else "-3", "10" if value > 0 else "-10")
    elif isinstance(value, float) and len(repr(value)) > 4:
        yield from ("2.5" if value > 0 else "-2.5", repr(round(value, 1)))


def _shorter_texts(text: str) -> list[str]:
    """The text without its first or second half, a line, or a token."""
    tokens = _TOKEN.findall(text)
    if len(tokens) < 2:
        return []
    lines = text.splitlines(keepends=True)
    found = [*(_without(lines) if len(lines) > 1 else []), "".join(tokens[: len(tokens) // 2])]
    found += ["".join(tokens[len(tokens) // 2 :]), *_without(tokens)]
    return [one for one in dict.fromkeys(found) if one.strip()]


def _without(parts: Sequence[str]) -> list[str]:
    return ["".join((*parts[:at], *parts[at + 1 :])) for at in range(min(len(parts), 10))]


def _shorter_sequences(value: Sequence[object]) -> list[list[object]]:
    items = list(value)
    halves = [items[: len(items) // 2], items[len(items) // 2 :]] if len(items) > 3 else []
    fewer = [*halves, *([*items[:at], *items[at + 1 :]] for at in range(min(len(items), 6)))]
    return [one for one in fewer if len(one) >= _FEWEST]


def origin_of_variant(trial: Trial) -> str:
    """The origin of a variant: an object with a history keeps it, so that its calls are judged as such."""
    if trial.source == "sequence":
        return trial.source
    return SIMPLIFIED if trial.source in (*CHANGED_SOURCES, SIMPLIFIED) else PLAINER
