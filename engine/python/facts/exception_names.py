"""How a generated test names an exception or a class, and which part of a message it may demand."""

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
    "email.errors": "email.errors",
    "xml.etree.ElementTree": "xml.etree.ElementTree",
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
    """An expression that names a class, and the imports for it. `guessed` when the path is not certain to exist."""

    expression: str
    imports: tuple[str, ...] = ()
    guessed: bool = False


def name_of_type(
    type_name: str, bases: Iterable[str], facts: ModuleFacts, trial_imports: Iterable[str]
) -> TypeReference:
    """A public name for a class seen as `module.QualName`.

    What the target's module binds is taken from there; classes made inside functions, and classes of private modules
    that nothing re-exports, are named by their nearest public base.
    """
    for candidate in (type_name, *bases):
        found = _reference(candidate, facts, trial_imports)
        if found is not None and not (found.guessed and bases and _is_foreign(candidate, facts)):
            return found
    return TypeReference(type_name.rpartition(".")[2], (), guessed=True)


def _is_foreign(type_name: str, facts: ModuleFacts) -> bool:
    """Whether a class is of another package: what that re-exports is unknown, and a wrong import loses a whole file."""
    return type_name.partition(".")[0] != facts.module.partition(".")[0]


def message_part(message: str, given: str = "") -> str | None:
    """The shortest part of a message that still says what went wrong: its first clause, whole words, no addresses.

    Args:
        given: the call's source; a clause that only repeats a part of it says nothing.
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
    """The message itself where all of it may be demanded: one short line in the code's own words.

    Args:
        words: what the code's texts are made of; a word that is neither among them nor in the call is somebody else's,
            who may put it in another way.
        given: the call's source.
    """
    if message != message.strip() or not _SHORTEST_MATCH <= len(message) <= LONGEST_WHOLE or not message.isprintable():
        return None
    if _PATH.search(message) or _ADDRESS.search(message):
        return None
    said, spoken = words_in([message]), words_in([given])
    return message if said and all(word in words or word in spoken for word in said) else None


def _balanced(text: str) -> str:
    """Text without a bracket that a cut left open, and what stands in it."""
    for opener, closer in ("()", "[]", "{}"):
        at = text.rfind(opener)
        if at > 0 and closer not in text[at:]:
            text = text[:at].rpartition(" ")[0] or text[:at]
    return text


def _opens_quote(text: str) -> bool:
    """Whether a cut fell into quoted text, where it would keep half of somebody's value."""
    return text.count("'") % 2 == 1 or text.count('"') % 2 == 1 or text.count("`") % 2 == 1


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
