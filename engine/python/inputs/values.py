"""Generates values for types and parameters, as source text, the best first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....utils.in_turns import in_turns
from ..domain.example_tables import CONVERTER_NAME, KEY_NAME, PREDICATE_NAME
from ..domain.functions import fitting_values
from ..domain.inference import suggested_class
from ..facts.clock import depends_on_now
from ..facts.type_inference import default_hint, inferred_hints, name_entry, uses_of
from ..model.candidate_parts import combined, distinct
from ..model.domain import CallableDomains
from ..model.model import CallableFacts, Candidate, ClassFacts, ModuleFacts, Parameter
from ..outside.clocks import stopped_clocks
from ..outside.databases import DATABASE_FILE, column_values, connections, is_connection, is_database_path
from ..outside.parts import part_named, part_values
from ..outside.uses import uses_of_callable
from ..source.annotations import ANY, TypeHint, type_hint
from ..usage.named_constants import constants_beside_default
from ..usage.project_index import ProjectIndex
from .calls import class_candidates, is_option, made_by_named, variable_for, with_import_of
from .learning import LearnedInputs
from .natural import NaturalInputs
from .operands import is_short_cut, operand_values, zoned_moments
from .pools import BY_TYPE, IMPORTED, LAMBDAS, NEAR_NOW, RELATIVE, SAME_AS
from .shared_values import SharedValues, are_telling
from .variadic import joined, spread

_MAXIMUM_DEPTH = 3
_CONVERTING = frozenset({"lambda x: x", "lambda x: x * 2", "str", "len"})
_COMPARES = re.compile(r"[<>]|==|bool")
_OPEN_SEQUENCES = frozenset({"Sequence", "Iterable", "Collection", "Reversible"})
_TEXTS = ("'abc'", "'abd'", "'hello world'", "''")
_MAXIMUM_VALUES = 32
_SHOWN_WITH_OPTIONS = 3
_LONG_ITEM = 30
_ITERABLES = frozenset(
    "Iterable list Sequence Collection Container Sized Reversible set frozenset deque tuple Iterator Generator "
    "AsyncIterable AsyncIterator AsyncGenerator".split()
)
_MAPPINGS = frozenset({"dict", "Mapping", "OrderedDict", "defaultdict"})
_CLOCKS = (
    Candidate("lambda: 0"),
    Candidate("itertools.count().__next__", ("import itertools",)),  # advances by a second on each call
    Candidate("lambda: 100"),
)


class Values:
    """Finds values for the parameters of one module's callables.

    Args:
        facts: the target module.
        index: where project classes are looked up.
        known: literals that real calls pass to a parameter, by `(qualified name, parameter)`.
        built: expressions of real code that build objects of a class, by class name.
        learned: arguments that were observed to be rejected.
        domains: the domains of the module's parameters; their natural values come first.
    """

    def __init__(
        self,
        facts: ModuleFacts,
        index: ProjectIndex,
        known: dict[tuple[str, str], list[Candidate]] | None = None,
        built: dict[str, list[Candidate]] | None = None,
        learned: LearnedInputs | None = None,
        domains: Sequence[CallableDomains] = (),
    ) -> None:
        self.facts = facts
        self.index = index
        self.known = known if known is not None else {}
        self.built = built if built is not None else {}
        self._learned = learned
        # Later calls of the same parameter are those of the search: they are no examples.
        self._seeded = {key: len(values) for key, values in self.known.items()}
        self.natural = NaturalInputs(facts, index, domains, self)
        self._cache: dict[tuple[str, str, str], tuple[Candidate, ...]] = {}
        self._objects: dict[tuple[str, str], tuple[Candidate, ...]] = {}
        self._dated: dict[str, tuple[str, ...]] = {}
        self._shared = SharedValues(facts, self.known, self._seeded, self.natural)

    def refresh(self) -> None:
        """Clears the caches, because `known`, `built` or `learned` have grown."""
        self._cache.clear()
        self._objects.clear()

    def for_parameter(
        self, one: CallableFacts, parameter: Parameter, where: ModuleFacts | None = None, depth: int = 0
    ) -> tuple[Candidate, ...]:
        """Values for a parameter: of a real call, natural ones of its domain, then constants and plain ones.

        Args:
            where: the module that `one` is defined in, when it is not the target.
            depth: nesting depth of the object under construction; at most three.
        """
        where = where or self.facts
        key = (where.module, one.qualname, parameter.name)
        if key not in self._cache or depth:
            found = spread(parameter, self._find(one, parameter, where, depth))
            if depth:
                return found
            self._cache[key] = found
        return self._cache[key]

    def _find(self, one: CallableFacts, parameter: Parameter, where: ModuleFacts, depth: int) -> tuple[Candidate, ...]:
        outer, self._dated = self._dated, self._dates_for(one, where)
        hints = self.hints(one, parameter, where)
        typed = self._typed(one, parameter, hints, where, depth)
        self._dated = outer
        real = list(self.known.get((one.qualname, parameter.name), []))
        if is_connection(parameter, where):
            return tuple(connections(one, where, self.index))
        if is_database_path(one, parameter, where, self.index):
            return (DATABASE_FILE,)
        stored = column_values(one, parameter, where, self.index)
        special = operand_values(where, one, parameter, [hint.name for hint in hints])
        shown = _SHOWN_WITH_OPTIONS if where is self.facts and self._has_options(one) else 1
        examples = real[: min(shown, self._seeded.get((one.qualname, parameter.name), 0))]
        if not examples:
            shared = self._shared.of(one, parameter) if where is self.facts else []
            examples, real = shared[:1], [*real, *shared[1:]]
        elif shown > 1:
            real += [item for item in self._shared.of(one, parameter) if all(item.source != it.source for it in real)]
        natural = [value.candidate for value in self.natural.of_parameter(one, parameter, where, depth)]
        if where is self.facts and natural and natural[0].source.startswith("datetime.datetime("):
            zoned = zoned_moments(where, one, parameter, variable_for(one.owner or ""))
            natural, typed = (zoned, []) if is_short_cut(one, parameter, zoned) else ([*zoned, *natural], typed)
        if natural and natural[0].origin == "domain" and is_option(natural[0]):
            may_be_none = self.natural.domain(one, parameter.name, where).optional
            typed, special = [item for item in typed if may_be_none and item.source == "None"], []
            examples, real = ([with_import_of(natural[0], item) for item in pool] for pool in (examples, real))
        if beside := constants_beside_default(parameter, where, self.index):
            natural, typed, special = [], [], beside
        typed = fitting_values(one, parameter, typed, hints)
        if one.kind == "constructor" and are_telling(real):
            natural, typed = [], []  # the project's own objects have more telling texts
        mixed = [*examples, *stored, *natural[:2]] or [*real[:1], *typed[:1]]
        for index in range(max(len(real), len(typed), len(special), len(natural))):
            for pool in (special, natural[2:], typed, real):
                mixed.extend(pool[index : index + 1])
        rejected = self._learned.rejected if self._learned is not None else frozenset()
        mixed = mixed or _by_words_of_type(parameter)
        good = [item for item in mixed if (one.qualname, parameter.name, item.source) not in rejected]
        return tuple(distinct([item for item in good or mixed if item.source != parameter.default], _MAXIMUM_VALUES))

    def _has_options(self, one: CallableFacts) -> bool:
        """Whether a key or an option of an enumeration decides what becomes of data: some data shows it, other not."""
        domains = [(item.name, self.natural.domain(one, item.name, self.facts)) for item in one.parameters]
        return any(
            (it.kind == "choice" and it.type_name) or (it.kind == "callable" and KEY_NAME.fullmatch(name))
            for name, it in domains
        )

    def _dates_for(self, one: CallableFacts, where: ModuleFacts) -> dict[str, tuple[str, ...]]:
        """Values beside the plain dates: near the moment at which the clock is stopped, or relative to now."""
        if not depends_on_now(where, one):
            return {}
        return NEAR_NOW if stopped_clocks(uses_of_callable(where, one, self.index)) else RELATIVE

    def hints(self, one: CallableFacts, parameter: Parameter, where: ModuleFacts) -> tuple[TypeHint, ...]:
        """The types of a parameter: its annotation's members, else what its default, uses and documentation suggest."""
        declared = type_hint(parameter.annotation)
        if declared.name not in ("Any", "object"):
            return declared.members()
        found = [hint for hint in (default_hint(parameter.default),) if hint is not ANY]
        found.extend(inferred_hints(where, one, parameter))
        return tuple(dict.fromkeys(found))

    def _typed(
        self, one: CallableFacts, parameter: Parameter, hints: Sequence[TypeHint], where: ModuleFacts, depth: int
    ) -> list[Candidate]:
        pools = [
            self._callables(one, parameter, where)
            if hint.name == "Callable" and not hint.arguments
            else self.of_type(hint, where, depth)
            for hint in hints
        ]
        entry = name_entry(parameter.name)
        if entry is not None and (not hints or entry[0] in {hint.name for hint in hints[:2]} or entry[0] == "Clock"):
            first = _CLOCKS if entry[0] == "Clock" else [Candidate(text) for text in entry[1]]
            named = [*first, *self.of_type(TypeHint(entry[0]), where, depth)]
            at = next((index for index, hint in enumerate(hints) if hint.name == entry[0]), None)
            if at is None:
                pools.insert(0, named)
            else:
                pools[at] = distinct([*first, *pools[at]], _MAXIMUM_VALUES)
        if not parameter.annotation:
            pools.insert(0, part_named(parameter.name, where))
        suggested = suggested_class(where, self.index, parameter.name) if not parameter.annotation else None
        if suggested is not None and depth < _MAXIMUM_DEPTH:
            pools.insert(0, self.of_class(*suggested, depth + 1))
        if type_hint(parameter.annotation).name in ("Any", "object") and len(hints) < 2:
            pools.append([Candidate(text) for text in BY_TYPE["Any"]])
        return interleaved(pools)

    def _callables(self, one: CallableFacts, parameter: Parameter, where: ModuleFacts) -> list[Candidate]:
        calls = [use[7:] for use in uses_of(where, one, parameter.name) if use.startswith("called:")]
        arities = sorted({int(count) for count in calls} or {1, -1})
        pools = [LAMBDAS.get(arity, LAMBDAS[-1]) for arity in arities]
        if CONVERTER_NAME.fullmatch(parameter.name):
            # What is always the same, or says yes or no, converts nothing.
            pools = [tuple(text for text in pool if text in _CONVERTING) or pool for pool in pools]
        if PREDICATE_NAME.fullmatch(parameter.name):
            # What says neither yes nor no keeps everything.
            pools = [tuple(text for text in pool if _COMPARES.search(text)) or pool for pool in pools]
        return interleaved([[Candidate(text) for text in pool] for pool in pools])

    def of_type(self, hint: TypeHint, where: ModuleFacts, depth: int = 0) -> list[Candidate]:
        """Values of a type as named in the module `where`; empty for an unknown type."""
        if depth > _MAXIMUM_DEPTH:
            return []
        if hint.name == "Union":
            return interleaved([self.of_type(member, where, depth) for member in hint.members()])
        if hint.name == "Literal":
            return [Candidate(argument.name) for argument in hint.arguments]
        project = self.index.class_in(hint.name, where)
        if project is not None:
            return self.of_class(*project, depth + 1)
        if hint.name == "type" and hint.arguments:
            return self._classes(hint.arguments[0], where)
        if hint.arguments and hint.name in _ITERABLES:
            return self._containers(hint, where, depth)
        if len(hint.arguments) == 2 and hint.name in _MAPPINGS:
            return self._mappings(hint, where, depth)
        if hint.name == "Callable":
            return self._callables_of(hint, where, depth)
        if hint.name in ("PathLike", "path", "Path"):
            return list(_FILES if hint.name == "Path" else _PATHS)
        if hint.name == "pattern":
            return [Candidate(text) for text in ("'[a-z]+'", "'(a)(b)?'", "''", "'('")]
        plain = part_values(hint.name, where) or plain_candidates(hint.name, self._dated)
        return plain or self._aliased(hint, where, depth)

    def of_class(self, where: ModuleFacts, owner: ClassFacts, depth: int = 0) -> list[Candidate]:
        """Expressions that build an object of a project's class."""
        key = (where.module, owner.name)
        if depth > _MAXIMUM_DEPTH:
            return []
        if key not in self._objects:
            # Stops the recursion for a class whose constructor takes an object of the same class.
            self._objects[key] = ()
            made = [one for one in made_by_named(self, where, owner, depth) if not self._fails(one, owner)]
            if not made:
                content = self.natural.with_content(where, owner, depth)
                made = [*content, *class_candidates(self, where, owner, depth)]
            self._objects[key] = tuple(distinct(made, _MAXIMUM_VALUES))
        own, made = f"{owner.name}(", self._objects[key]
        elsewhere = owner.makers is not None and not any(one.source.startswith(own) for one in made)
        built = [one for one in self.built.get(owner.name, []) if not (elsewhere and one.source.startswith(own))]
        return [*built, *made]

    def _fails(self, made: Candidate, owner: ClassFacts) -> bool:
        """Whether an object was observed not to come about; where none does, the class itself has to make them."""
        arranged = (*made.arrange, f"{variable_for(owner.name)} = {made.source}")
        return self._learned is not None and self._learned.is_dead(arranged)

    def derives(self, member: CallableFacts) -> bool:
        """Whether a method was seen to leave its object as it is and to make another one, as `append` of a vector."""
        return self._learned is not None and member.qualname in self._learned.deriving

    def is_made_elsewhere(self, where: ModuleFacts, owner: ClassFacts) -> bool:
        """Whether the objects of a class come from what its documents say to use instead of the class."""
        made = self.of_class(where, owner) if owner.makers is not None else []
        return bool(made) and not any(one.source.startswith(f"{owner.name}(") for one in made)

    def _classes(self, hint: TypeHint, where: ModuleFacts) -> list[Candidate]:
        project = self.index.class_in(hint.name, where)
        if project is not None:
            return [Candidate(project[1].name, (f"from {project[0].module} import {project[1].name}",))]
        return [Candidate(hint.name)] if hint.name in BY_TYPE and hint.name != "Any" else plain_candidates("type")

    def _containers(self, hint: TypeHint, where: ModuleFacts, depth: int) -> list[Candidate]:
        if hint.name == "tuple" and not (len(hint.arguments) == 2 and hint.arguments[1].name == "..."):
            parts = [self.of_type(argument, where, depth + 1) for argument in hint.arguments]
            if not all(parts):
                return plain_candidates("tuple")
            rows = [[pool[index % len(pool)] for pool in parts] for index in range(4)]
            return [joined(row, "(", ",)" if len(row) == 1 else ")") for row in rows]
        inner = self.of_type(hint.arguments[0], where, depth + 1)
        if not inner:
            return plain_candidates(hint.name)
        first = inner[:1] if len(inner[0].source) > _LONG_ITEM else inner[:3]
        rows = [first, [], inner[:1], [*inner[:1], *inner[:1]], inner[3:6], inner[6:9]]
        opening, closing = {"set": ("{", "}"), "frozenset": ("frozenset([", "])"), "tuple": ("(", ",)")}.get(
            hint.name, ("iter([", "])") if hint.name in ("Iterator", "Generator") else ("[", "]")
        )
        if hint.name.startswith("Async"):
            return []
        empty = {"set": "set()", "tuple": "()"}.get(hint.name)
        found = [Candidate(empty) if not row and empty else joined(row, opening, closing) for row in rows]
        if hint.name in _OPEN_SEQUENCES and self._is_open(hint.arguments[0], where):
            # For elements of any type, a text is the plainest sequence.
            return [*(Candidate(text) for text in _TEXTS), *distinct(found, 4)]
        return distinct(found, 6)

    def _is_open(self, hint: TypeHint, where: ModuleFacts) -> bool:
        """Whether a type accepts any value, as an unbound type variable does."""
        if hint.name in ("Any", "object"):
            return True
        source = dict(where.constants).get(hint.name, "")
        return "TypeVar(" in source and source.count(",") == 0

    def _mappings(self, hint: TypeHint, where: ModuleFacts, depth: int) -> list[Candidate]:
        keys = self.of_type(hint.arguments[0], where, depth + 1)
        items = self.of_type(hint.arguments[1], where, depth + 1)
        if not keys or not items:
            return plain_candidates("dict")
        both = [(key, items[index % len(items)]) for index, key in enumerate(keys[:4])]
        pairs = [combined(f"{key.source}: {item.source}", (key, item)) for key, item in both]
        return [joined(pairs[:2], "{", "}"), Candidate("{}"), joined(pairs[2:3] or pairs[:1], "{", "}")]

    def _callables_of(self, hint: TypeHint, where: ModuleFacts, depth: int) -> list[Candidate]:
        unknown = not hint.arguments or hint.arguments[0].name == "..."
        count = -1 if unknown else len(hint.arguments) - 1
        pool = LAMBDAS.get(count, LAMBDAS[-1])
        result = self.of_type(hint.arguments[-1], where, depth + 1) if hint.arguments else []
        names = "*args, **kwargs" if count < 0 else ", ".join("xyzuvw"[:count])
        made = [
            Candidate(f"lambda {names}: {one.source}" if names else f"lambda: {one.source}", one.imports)
            for one in result[:4]
            if not one.arrange and hint.arguments[-1].name != "Any" and len(hint.arguments[-1].name) > 1
        ]
        return interleaved([made, [Candidate(text) for text in pool]])

    def _aliased(self, hint: TypeHint, where: ModuleFacts, depth: int) -> list[Candidate]:
        """Values of a type alias, new type or type variable, by the source of the constant that defines it."""
        source = dict(where.constants).get(hint.name)
        if source is None:
            origin = self.index.origin_of(hint.name, where)
            other = self.index.facts_of(origin[0]) if origin else None
            if other is None or origin is None or other is where:
                return []
            return self.of_type(TypeHint(origin[1]), other, depth + 1)
        if "TypeVar(" in source:
            bound = source.partition("bound=")[2].rstrip(")")
            return self.of_type(type_hint(bound) if bound else ANY, where, depth + 1)
        if "NewType(" in source:
            return self.of_type(type_hint(source.partition(",")[2].strip().rstrip(")")), where, depth + 1)
        alias = type_hint(source)
        return self.of_type(alias, where, depth + 1) if alias not in (ANY, hint) else []


def plain_candidates(name: str, dated: Mapping[str, Sequence[str]] | None = None) -> list[Candidate]:
    """Values of a standard type by its last name; `dated`: values by type name that come beside the plain ones."""
    name = SAME_AS.get(name, name)
    if name in IMPORTED:
        near_now = [Candidate(text, ("import datetime",)) for text in (dated or {}).get(name, ())]
        if near_now:
            return interleaved([near_now, plain_candidates(name)])
        statement, *sources = IMPORTED[name]
        return [Candidate(source, (statement,)) for source in sources]
    if name == "Callable":
        return [Candidate(text) for text in LAMBDAS[1]]
    return [Candidate(text) for text in BY_TYPE.get(name, ())]


def _by_words_of_type(parameter: Parameter) -> list[Candidate]:
    """Values for a type that is not known, an alias of another module, by the words in its name."""
    words = parameter.annotation or ""
    if parameter.kind in ("var_positional", "var_keyword"):
        return [Candidate("'value'"), Candidate("3")]
    if re.search(r"Dict|Mapping|Vars|Params|Kwargs", words):
        return [Candidate("{'name': 'value'}"), Candidate("{}")]
    if re.search(r"List|Sequence|Iterable|Tuple", words):
        return [Candidate("['first', 'second']"), Candidate("[]")]
    return [Candidate("'value'"), Candidate("3")] if re.search(r"(Text|Str|String|Name)\b", words) else []


def interleaved(pools: list[list[Candidate]]) -> list[Candidate]:
    """Interleaves pools: their first values, then their second ones, and so on, without repetitions."""
    return distinct(list(in_turns(pools)), _MAXIMUM_VALUES)


_WRITTEN = "(tmp_path / 'notes.txt').write_text('first line\\nsecond line\\n')"
_EMPTY = "(tmp_path / 'empty.json').write_text('[]')"
_FILE = Candidate("tmp_path / 'notes.txt'", arrange=(_WRITTEN,), fixtures=("tmp_path",))
_FOLDER = Candidate("tmp_path", arrange=(_WRITTEN,), fixtures=("tmp_path",))
_MISSING = Candidate("tmp_path / 'missing.txt'", fixtures=("tmp_path",))
# Path objects: an existing file, a missing one, a path that is only parsed, a folder, a file of data.
_FILES = (
    _FILE,
    _MISSING,
    Candidate("Path('folder/file.txt')", ("from pathlib import Path",)),
    _FOLDER,
    Candidate("tmp_path / 'empty.json'", arrange=(_EMPTY,), fixtures=("tmp_path",)),
)
# Paths as text, and a real file and folder.
_PATHS = (
    Candidate("'folder/file.txt'"),
    _FILE,
    replace(_FILE, source=f"str({_FILE.source})"),
    _FOLDER,
    Candidate("''"),
    _MISSING,
    Candidate("str(tmp_path)", fixtures=("tmp_path",)),
)
