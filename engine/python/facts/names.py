"""Names what tests refer to: imported names, each with one meaning in a file, exceptions and their messages.

Colliding names are imported under an alias.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, replace

from ....utils.python_names import names_of
from ....utils.python_source import parse_expression, parse_python
from ..model.model import ModuleFacts
from ..model.spec_case import SpecExpectation
from ..source.import_block import Binding, read_imports

# Names that generated tests use themselves.
_OWN_MODULES = frozenset(
    {"asyncio", "contextlib", "io", "itertools", "math", "pathlib", "pytest", "re", "tempfile", "unittest"}
)
_OWN_LOCALS = frozenset(
    {"capsys", "expected", "monkeypatch", "output", "request", "result", "scenario", "self", "tmp_path"}
)
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
class NamedSource:
    """The source of one case, with imported names as the test file binds them."""

    statements: tuple[str, ...]
    expression: str
    expect: tuple[SpecExpectation, ...]


class ImportNames:
    """Collects the imports of all cases of one file.

    Args:
        expected: import statements of all cases; a module among them keeps its name, and members of a standard
            library module (`datetime.datetime`) are accessed through it.
        own_names, own_modules: what the file binds itself, besides what all generated tests do.
    """

    def __init__(
        self,
        expected: Iterable[str] = (),
        *,
        own_names: Collection[str] = (),
        own_modules: Collection[str] = (),
    ) -> None:
        self._own_names = _OWN_LOCALS.union(own_names)
        self._own_modules = _OWN_MODULES.union(own_modules)
        self._bound: dict[str, Binding] = {}
        plain = [binding for binding in read_imports(expected) if binding.name is None and binding.alias is None]
        self._modules = {one.module for one in plain if "." not in one.module}

    def bind_existing(self, imports: Iterable[str]) -> None:
        """Bind imports that a file has already, as they are: later ones give way to them."""
        for binding in read_imports(imports):
            plain = binding.name is None and binding.alias is None
            self._bound[binding.module if plain else binding.bound] = binding

    def adopt(
        self,
        statements: tuple[str, ...],
        expression: str,
        imports: Iterable[str],
        expect: tuple[SpecExpectation, ...],
        value_imports: Iterable[str],
    ) -> NamedSource:
        """Binds the imports of a case and renames its source accordingly. Raises SyntaxError.

        Args:
            imports: for `statements`, `expression` and the `actual` of expectations.
            value_imports: for the values and exceptions of expectations.
        """
        texts = [*statements, expression, *(expectation.actual for expectation in expect)]
        # Expectations about NaN use `math`.
        renamed = self._bind((*imports, "import math"), texts)
        values = [text for expectation in expect for text in (expectation.value, expectation.exception) if text]
        own = list(value_imports)
        known = {binding.bound for binding in read_imports(own)}
        # A value may also be written with the names that its trial imported.
        own += [binding.statement for binding in read_imports(imports) if binding.bound not in known]
        renamed_values = self._bind(own, values)
        return NamedSource(
            tuple(_rename(statement, renamed) for statement in statements),
            _rename(expression, renamed),
            tuple(
                replace(
                    expectation,
                    actual=_rename(expectation.actual, renamed),
                    value=None if expectation.value is None else _rename(expectation.value, renamed_values),
                    exception=None if expectation.exception is None else _rename(expectation.exception, renamed_values),
                )
                for expectation in expect
            ),
        )

    def statements(self) -> list[str]:
        """Every import so far, sorted, one binding a statement."""
        return sorted({value.statement for value in self._bound.values()})

    def _bind(self, imports: Iterable[str], texts: list[str]) -> dict[str, str]:
        """Adds the bindings that the texts read; returns the names that must change, old to new."""
        read = {name for text in texts for name in names_of(parse_python(text.strip()))}
        renamed: dict[str, str] = {}
        for binding in read_imports(imports):
            if binding.bound not in read or binding.name == "*":
                continue
            if binding.name is None and binding.alias is None and "." in binding.module:
                # `import a.b` and `import a.c` both bind `a`: all of them are kept.
                self._bound[binding.module] = binding
                continue
            if binding.name is None and binding.alias and binding.module in self._modules:
                renamed[binding.bound] = binding.module
                binding = Binding(binding.module)
            # A member of a standard module that the file imports anyway is accessed through that module.
            standard = binding.module in self._modules and binding.module in sys.stdlib_module_names
            if standard and binding.name is not None and binding.alias is None:
                renamed[binding.bound] = f"{binding.module}.{binding.name}"
                self._bound[binding.module] = Binding(binding.module)
                continue
            taken = self._taken(binding)
            if taken is not None:
                renamed[binding.bound] = taken.bound
                binding = taken
            self._bound[binding.bound] = binding
        return renamed

    def _taken(self, binding: Binding) -> Binding | None:
        """The binding under an alias, where its own name has another meaning; else None."""
        name = binding.bound
        held = self._bound.get(name)
        reserved = name in self._own_names or (
            name in self._own_modules and (binding.module, binding.name) != (name, None)
        )
        # pytest would collect an imported function or class by such a name as a test.
        collected = name.startswith(("test", "Test"))
        if (held is None or held == binding) and not reserved and not collected:
            return None
        base = f"{name}_module" if binding.name is None else f"{name}_of_{binding.module.rpartition('.')[2].strip('_')}"
        if collected:
            base = f"tested_{name}"
        choice, number = base, 2
        while choice in self._bound and self._bound[choice] != replace(binding, alias=choice):
            choice, number = f"{base}_{number}", number + 1
        return replace(binding, alias=choice)


def imported_from_origin(imports: Iterable[str], facts: ModuleFacts) -> list[str]:
    """Import statements in which names that the target itself imports come from where it takes them.

    That concerns names of the standard library that a test would take from the target, and names of the target's
    package that a test would take from the package above: a file then has one name for one class.
    """
    own = {name: read_imports([statement]) for name, statement in facts.imports}
    found: list[str] = []
    for binding in read_imports(imports):
        origin = [one for one in own.get(binding.name or "", []) if one.bound == binding.name]
        if origin and binding.alias is None and _is_taken_from(origin[0].module, binding.module, facts.module):
            binding = origin[0]
        found.append(binding.statement)
    return found


def _is_taken_from(origin: str, module: str, target: str) -> bool:
    """Whether a name that is imported from a module is the one that the target imports from its origin."""
    standard = origin.partition(".")[0] in sys.stdlib_module_names
    within = origin.startswith(f"{module}.") and target.startswith(f"{module}.")
    return within or (module == target and standard)


def _rename(source: str, renamed: Mapping[str, str]) -> str:
    if not renamed:
        return source
    renaming = _Renaming(renamed)
    tree = renaming.visit(parse_python(source.strip()))
    return ast.unparse(tree) if renaming.changed else source


class _Renaming(ast.NodeTransformer):
    def __init__(self, renamed: Mapping[str, str]) -> None:
        self.changed = False
        self._renamed = renamed

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._renamed or not isinstance(node.ctx, ast.Load):
            return node
        self.changed = True
        return parse_expression(self._renamed[node.id])


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
        # A cut inside quoted text would keep half of a value.
        opens_quote = any(clause.count(quote) % 2 for quote in "'\"`")
        useful = " " in clause and clause not in given and not opens_quote
        if useful and _SHORTEST_CLAUSE <= len(clause) < len(text):
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
    if any(name == last and statement != f"import {last}" for name, statement in facts.imports):
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
