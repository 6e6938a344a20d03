"""Shows each rule of a table of regular expressions on a word that no rule before it takes.

A module's list or dictionary of patterns with what takes their place is read from its source, and so are words that its
own statements register: `_irregular("person", "people")`. Words are English ones, or those that a pattern spells out.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....utils.python_names import names_of
from ....utils.python_source import literal_or, parse_or_none
from ....utils.regex_examples import is_quick, matching_texts
from ..judge.case_tables import MOST_ROWS
from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts
from ..search.parallel_observers import Watcher
from ..search.trial_search import TrialRecord, TrialSearch
from .scenario import asked_otherwise, is_plain_return, mark_further_row, own_call, records_of, returned_source

_FEWEST_RULES = 3
_FEWEST_REGISTERED = 2
_MOST_TRIED = 60
_LEFT_FOR_OTHERS = 2
_LONGEST_PATTERN = 200
_SHORTEST_WORD = 3
_LONGEST_WORD = 16
# Letters that stand for themselves, choices of them, and what may be left out.
_SPELT_OUT = re.compile(r"(\(\?[aimsux]+\))?\^?(?:[a-zA-Z|]|\((?:\?:)?|\)\??|(?<=[a-z])\?)+\$?")
WORDS = tuple(
    "box church boss bush city baby day boy wolf calf knife wife leaf basis crisis thesis oasis datum stadium medium "
    "data media bacteria hero potato piano photo bus gas virus alias status axis testis matrix index vertex mouse "
    "louse house horse quiz ox man woman child person foot tooth movie series news glass wish match hope dog tree cat "
    "boxes churches bosses bushes cities babies days boys wolves calves knives wives leaves natives bases crises "
    "theses heroes potatoes buses viruses aliases statuses axes matrices indices mice quizzes oxen men women children "
    "people feet teeth movies shoes hives glasses wishes matches dogs trees cats".split()
)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a module lists: patterns in the order in which they are tried, and words that are registered beside them."""

    patterns: tuple[re.Pattern[str], ...]
    words: tuple[str, ...] = ()


async def show_rule_tables(facts: ModuleFacts, search: TrialSearch, observer: Watcher, source: str) -> None:
    """Runs each function of one text that reads such a table on a word for each rule; what answers becomes a row."""
    read = _tables_read(source)
    for one in facts.functions:
        rules = read.get(one.qualname)
        base = _base(search.records, one) if rules is not None and one.public and not one.is_async else None
        call = own_call(base, one) if base is not None else None
        if rules is None or base is None or call is None:
            continue
        known = [word for record in search.records if record.trial.wanted and (word := _word_of(record, one))]
        words = _words(rules, known)
        acts = [ast.unparse(ast.Call(call.func, [ast.Constant(word)], [])) for word in words]
        records = await records_of([asked_otherwise(base.trial, act) for act in acts], search, observer)
        found = dict(zip(words, records, strict=True))
        answers = {word: _answer(record) for word, record in found.items()}
        # What stays as it is shows less: it comes last, and goes where the table would be too long.
        changed = [word for word, answer in answers.items() if answer not in (None, word)]
        same = [word for word, answer in answers.items() if answer == word and word not in rules.words]
        for word in (*changed, *same)[: max(0, MOST_ROWS - _LEFT_FOR_OTHERS - len(known))]:
            record = found[word]
            if record is not None:
                mark_further_row(record, f"rule of {word}")


def _answer(record: TrialRecord | None) -> str | None:
    """The text that a call answered; None where it answered none."""
    if record is None or not is_plain_return(record) or record.observation.effects:
        return None
    answer = literal_or(returned_source(record.observation), None)
    return answer if isinstance(answer, str) else None


def _base(records: Sequence[TrialRecord], one: CallableFacts) -> TrialRecord | None:
    """The call of a function with one text that a document shows; None without one."""
    return next((record for record in records if record.trial.source in RICH_SOURCES and _word_of(record, one)), None)


def _word_of(record: TrialRecord, one: CallableFacts) -> str:
    """The one text that a call was passed that returned; empty for other calls."""
    call = own_call(record, one)
    if call is None or len(call.args) != 1 or call.keywords or record.trial.arrange or not is_plain_return(record):
        return ""
    word = literal_or(call.args[0], None)
    return word if isinstance(word, str) else ""


def _words(rules: _Rules, known: Sequence[str]) -> list[str]:
    """A word for each rule that no known word takes, and the registered words."""
    taken = {_rule_of(word, rules) for word in known}
    found: dict[str, None] = {}
    for at, pattern in enumerate(rules.patterns):
        if at not in taken:
            fitting = (word for word in _spelt(pattern) if _rule_of(word, rules) == at and word not in known)
            if word := next(fitting, ""):
                found[word] = None
    return list(dict.fromkeys((*found, *(word for word in rules.words if word not in known))))[:_MOST_TRIED]


def _rule_of(word: str, rules: _Rules) -> int:
    """The number of the first rule that finds something in a word; -1 for none and for a long word."""
    if len(word) > _LONGEST_WORD:
        return -1
    return next((at for at, pattern in enumerate(rules.patterns) if pattern.search(word)), -1)


def _spelt(pattern: re.Pattern[str]) -> Iterator[str]:
    """Generates the English words in which a pattern finds something, then those that it spells out."""
    yield from (word for word in WORDS if pattern.search(word))
    if _SPELT_OUT.fullmatch(pattern.pattern):
        yield from (text for text in matching_texts(pattern.pattern) if len(text) >= _SHORTEST_WORD and text.isalpha())


def _tables_read(source: str) -> Mapping[str, _Rules]:
    """What each function of a module reads of its tables of rules, by the function's name."""
    tree = parse_or_none(source)
    body = tree.body if tree is not None else []
    tables = {name: rules for node in body for name, rules in _table(node)}
    if not tables:
        return {}
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    reading = {node.name: [name for name in tables if name in names_of(node)] for node in functions}
    registered = _registered(body)
    found: dict[str, _Rules] = {}
    for name, own in reading.items():
        if len(own) == 1:
            beside = [words for other, words in registered.items() if own[0] in reading.get(other, ())]
            found[name] = _Rules(tables[own[0]], tuple(word for words in beside for word in words))
    return found


def _table(node: ast.stmt) -> Iterator[tuple[str, tuple[re.Pattern[str], ...]]]:
    """Generates the name of a table that a statement assigns, with its patterns."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    value = literal_or(node.value, None) if isinstance(node, ast.Assign | ast.AnnAssign) and node.value else None
    rows = list(value.items()) if isinstance(value, dict) else list(value) if isinstance(value, list | tuple) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or len(rows) < _FEWEST_RULES:
        return
    pairs = [
        row for row in rows if isinstance(row, tuple) and len(row) == 2 and all(isinstance(one, str) for one in row)
    ]
    patterns = [_compiled(pattern) for pattern, _ in pairs] if len(pairs) == len(rows) else []
    fitting = tuple(one for one in patterns if one is not None)
    if len(fitting) == len(rows) and any(re.search(r"[$^(\[\\]", one.pattern) for one in fitting):
        yield targets[0].id, fitting


def _compiled(pattern: str) -> re.Pattern[str] | None:
    """A pattern of the project's; None where it may take long, since words are searched here, without a limit."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern) if len(pattern) <= _LONGEST_PATTERN and is_quick(pattern) else None
    except (re.error, RecursionError, OverflowError):
        return None


def _registered(body: Sequence[ast.stmt]) -> Mapping[str, Sequence[str]]:
    """The words that a module's own statements pass to a function, several times, by the function's name."""
    calls: dict[str, list[list[str]]] = defaultdict(list)
    for node in body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args and not call.keywords:
            words = [literal_or(value, None) for value in call.args]
            if all(isinstance(word, str) and word.isalpha() for word in words):
                calls[call.func.id].append([str(word) for word in words])
    return {
        name: [word for words in all_ for word in words]
        for name, all_ in calls.items()
        if len(all_) >= _FEWEST_REGISTERED
    }
