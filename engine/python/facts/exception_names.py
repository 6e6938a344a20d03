"""Names exceptions and classes for generated tests, and selects the part of a message to assert."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Container, Iterable
from dataclasses import dataclass

from ..model.model import ModuleFacts
from ..source.import_block import read_imports

LONGEST_MATCH = 60
LONGEST_WHOLE = 72
_SHORTEST_MATCH = 4
_SHORTEST_CLAUSE = 10
_CLAUSE_ENDS = (", expected ", ": ", "; ", ". ", " (", ", got ", ", but ", ", not ", " - ")
_WORD = re.compile(r"[^\W\d_]+")
_PATH = re.compile(r"(?:^|(?<=[\s'\"(\[=:]))/[\w.-]+/[\w./-]*")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
# Classes that the standard library defines in one module and documents in another.
_DOCUMENTED_IN = {
    "json.decoder": "json",
    "zoneinfo._common": "zoneinfo",
    "concurrent.futures._base": "concurrent.futures",
    "asyncio.exceptions": "asyncio",
    "re._constants": "re",
    "sre_constants": "re",
    "_decimal": "decimal",
    "_struct": "struct",
    "_csv": "csv",
    "_io": "io",
    "sqlite3.dbapi2": "sqlite3",
}


@dataclass(frozen=True, slots=True)
class TypeReference:
    """An expression that names a class, and the imports for it; `guessed` when its import path may not exist."""

    expression: str
    imports: tuple[str, ...] = ()
    guessed: bool = False


def name_of_type(
    type_name: str, bases: Iterable[str], facts: ModuleFacts, trial_imports: Iterable[str]
) -> TypeReference:
    """Finds a public name for a class given as `module.QualName`.

    A name that the target's module binds is imported from there. A class that is defined in a function, or in a private
    module that nothing re-exports, is named by its nearest public base.
    """
    for candidate in (type_name, *bases):
        found = _reference(candidate, facts, trial_imports)
        # What another package re-exports is unknown, and one wrong import breaks the whole test file.
        foreign = candidate.partition(".")[0] != facts.module.partition(".")[0]
        if found is not None and not (found.guessed and bases and foreign):
            return found
    return TypeReference(type_name.rpartition(".")[2], (), guessed=True)


def message_part(message: str, given: str = "") -> str | None:
    """Cuts a message to its first clause: whole words, no paths, no addresses; None when nothing useful is left.

    Args:
        given: the call's source; a clause that only repeats a part of it is not used.
    """
    lines = message.strip().splitlines()
    if not lines:
        return None
    text = _PATH.split(_ADDRESS.split(lines[0])[0])[0].rstrip()
    for end in _CLAUSE_ENDS:
        clause = text.partition(end)[0].rstrip()
        if (
            len(clause) >= _SHORTEST_CLAUSE
            and " " in clause
            and len(clause) < len(text)
            and not (_opens_quote(clause) or clause in given)
        ):
            text = clause
    if len(text) > LONGEST_MATCH:
        text = text[: LONGEST_MATCH + 1].rpartition(" ")[0] or text[:LONGEST_MATCH]
    text = _balanced(text).strip(" ,;:-.")
    return text if len(text) >= _SHORTEST_MATCH and any(letter.isalpha() for letter in text) else None


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """The words of texts, without numbers."""
    return frozenset(word for text in texts for word in _WORD.findall(text))


def whole_message(message: str, words: Container[str], given: str) -> str | None:
    """The message itself when a test may assert all of it: one short line in the code's own words. Else None.

    Args:
        words: words of the code's string literals. A word that is neither among them nor in the call comes from a
            library, whose wording may change.
        given: the call's source.
    """
    if message != message.strip() or not _SHORTEST_MATCH <= len(message) <= LONGEST_WHOLE or not message.isprintable():
        return None
    if _PATH.search(message) or _ADDRESS.search(message):
        return None
    own, in_call = words_in([message]), words_in([given])
    return message if own and all(word in words or word in in_call for word in own) else None


def _balanced(text: str) -> str:
    """Drops an opening bracket that the cut left open, with the text after it."""
    for opener, closer in ("()", "[]", "{}"):
        at = text.rfind(opener)
        if at > 0 and closer not in text[at:]:
            text = text[:at].rpartition(" ")[0] or text[:at]
    return text


def _opens_quote(text: str) -> bool:
    """Whether a cut fell into quoted text and would keep half of a value."""
    return any(text.count(quote) % 2 for quote in "'\"`")


def _reference(type_name: str, facts: ModuleFacts, trial_imports: Iterable[str]) -> TypeReference | None:
    if "<locals>" in type_name:
        return None
    if type_name.startswith("builtins.") or "." not in type_name:
        name = type_name.removeprefix("builtins.")
        return TypeReference(name) if hasattr(builtins, name) else None
    last = type_name.rpartition(".")[2]
    if last.startswith("_"):
        return None
    for binding in read_imports(trial_imports):
        if binding.bound == last and binding.name == last:
            return TypeReference(last, (binding.statement,))
    if type_name.startswith(f"{facts.module}."):
        qualname = type_name.removeprefix(f"{facts.module}.")
        return TypeReference(qualname, (f"from {facts.module} import {qualname.partition('.')[0]}",))
    if any(name == last for name, _statement in facts.imports):
        return TypeReference(last, (f"from {facts.module} import {last}",))
    return _elsewhere(type_name)


def _elsewhere(type_name: str) -> TypeReference | None:
    parts = type_name.split(".")
    classes = [at for at, part in enumerate(parts) if part[:1].isupper()]
    start = classes[0] if classes else len(parts) - 1
    module, qualname = ".".join(parts[:start]), ".".join(parts[start:])
    module = _DOCUMENTED_IN.get(module, module)
    guessed = any(part.startswith("_") for part in module.split("."))
    if guessed:
        public = module.split("._")[0]
        if not public or public.startswith("_"):
            return None
        module = public
    if module.partition(".")[0] in sys.stdlib_module_names:
        return TypeReference(f"{module}.{qualname}", (f"import {module}",), guessed=guessed)
    statement = f"from {module} import {qualname.partition('.')[0]}"
    return TypeReference(qualname, (statement,), guessed=guessed)
