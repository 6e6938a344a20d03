"""Makes SQLite databases for code that takes a connection: the project's own schema, with rows in its tables."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ....utils.python_names import assigned_variable
from ....utils.python_source import parse_or_none
from ..model.model import CallableFacts, Candidate, ClassFacts, ModuleFacts, Parameter, Trial
from ..source.annotations import type_hint
from ..usage.project_index import ProjectIndex
from .json_samples import sample
from .json_shapes import JsonShape
from .uses import uses_of_callable

CONNECTION = "connection"
DATABASE_FILE = Candidate("tmp_path / 'records.db'", fixtures=("tmp_path",))
_NAMES = re.compile(r"(db_?)?(conn|connection)|db|database")
_QUOTE = '["`\\[\\]]?'
_CREATE = r"create\s+table\s+(?:if\s+not\s+exists\s+)?"
_TABLE = re.compile(rf"{_CREATE}{_QUOTE}(\w+){_QUOTE}\s*\((.{{0,5000}}?)\)\s*(?:;|$|without|strict)", re.I | re.S)
_COLUMN = re.compile(r"[\"`\[]?(\w+)[\"`\]]?\s*(\w*)(.*)", re.S)
_CONSTRAINTS = frozenset("primary foreign unique check constraint".split())
_OPEN = "sqlite3.connect"
_OPENED = (f"{CONNECTION} = sqlite3.connect(':memory:')", f"request.addfinalizer({CONNECTION}.close)")
_PATHS = re.compile(r"(db_?|database_?|file_?)?(path|file|filename|name)|db|database|location")
_MOST_MODULES = 60
_ROWS = 2


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name, its type in capitals (may be empty), and whether an insert leaves it out."""

    name: str
    type: str
    made: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """How a project makes its tables: the statement for a connection, what it imports, and the tables."""

    statement: str
    imports: tuple[str, ...]
    tables: tuple[tuple[str, tuple[Column, ...]], ...]


def is_connection(parameter: Parameter, where: ModuleFacts) -> bool:
    """Whether a parameter takes a connection to a SQLite database, by its annotation, else by its name."""
    if not any(statement.split()[1] == "sqlite3" for _, statement in where.imports):
        return False
    if parameter.annotation:
        return any(hint.name.rpartition(".")[2] == "Connection" for hint in type_hint(parameter.annotation).members())
    return _NAMES.fullmatch(parameter.name.strip("_")) is not None


def connections(one: CallableFacts, where: ModuleFacts, index: ProjectIndex) -> list[Candidate]:
    """Returns connections to databases in memory: with rows, then without.

    Without tables where no schema is found, and for the function that makes them.
    """
    imports, fixtures = ("import sqlite3",), ("request",)
    schema = find_schema(where, index)
    if schema is None or schema.statement == f"{one.qualname}({CONNECTION})":
        return [Candidate(CONNECTION, imports, _OPENED, fixtures, "sequence")]
    imports = (*imports, *schema.imports)
    rows = tuple(_inserts(schema))
    found = [_opened("filled_database", "a new database with rows", (schema.statement, *rows))] if rows else []
    found.append(_opened("empty_database", "a new database without rows", (schema.statement,)))
    return [Candidate(CONNECTION, imports, statements, fixtures, "sequence") for statements in found]


def _opened(name: str, what: str, statements: tuple[str, ...]) -> tuple[str, ...]:
    """The definition of a helper that opens a database, and its call."""
    body = "\n".join(f"    {text}" for text in (*_OPENED, *statements))
    helper = f'def {name}(request):\n    """Return a connection to {what}."""\n{body}\n    return {CONNECTION}'
    return helper, f"{CONNECTION} = {name}(request)"


def column_values(one: CallableFacts, parameter: Parameter, where: ModuleFacts, index: ProjectIndex) -> list[Candidate]:
    """Returns values that a database has in the column of a parameter's name, then one that it has not."""
    owner = next((item for item in where.classes if item.name == one.owner), None)
    constructor = index.constructor(where, owner) if owner is not None else None
    taken = [*one.parameters, *(constructor.parameters if constructor is not None else ())]
    if parameter.annotation is not None and type_hint(parameter.annotation).name not in ("str", "int", "Union"):
        return []
    if not any(is_connection(item, where) for item in taken):
        return []
    schema = find_schema(where, index)
    for table, columns in schema.tables if schema is not None else ():
        for column in columns:
            if parameter.name in (column.name, f"{table.removesuffix('s')}_{column.name}"):
                values = (1, 2, 3) if column.made else [_value(column, at) for at in range(_ROWS + 1)]
                return [Candidate(repr(value)) for value in values]
    return []


def is_database_path(one: CallableFacts, parameter: Parameter, where: ModuleFacts, index: ProjectIndex) -> bool:
    """Whether a parameter takes the path of a SQLite database that the callable opens."""
    if not _PATHS.fullmatch(parameter.name.strip("_")):
        return False
    return any(use.name == _OPEN for use in uses_of_callable(where, one, index))


def find_schema(where: ModuleFacts, index: ProjectIndex) -> Schema | None:
    """Finds what makes the tables: in the module, else in what it imports, else in the project.

    A function that takes nothing but a connection, else a public constant with the statements.
    """
    for facts in _near(where, index):
        text = index.source_of(facts)
        if not _TABLE.search(text + ";"):
            continue
        lines = text.splitlines()
        constants = {name: source for name, source in _texts(text) if _tables([source])}
        for function in facts.functions:
            required = [item for item in function.parameters if item.required]
            if len(required) != 1 or not is_connection(required[0], facts) or not function.public or function.is_async:
                continue
            body = "\n".join(lines[function.lines[0] - 1 : function.lines[1]])
            used = [source for name, source in constants.items() if re.search(rf"\b{name}\b", body)]
            tables = _tables([*used, *_strings(body)])
            if tables:
                statement = f"from {facts.module} import {function.name}"
                return Schema(f"{function.name}({CONNECTION})", (statement,), tables)
        for name, source in constants.items():
            if not name.startswith("_"):
                statement = f"from {facts.module} import {name}"
                return Schema(f"{CONNECTION}.executescript({name})", (statement,), _tables([source]))
    return None


def _near(where: ModuleFacts, index: ProjectIndex) -> Iterator[ModuleFacts]:
    yield where
    imported = [statement.split()[1] for _, statement in where.imports]
    for module in dict.fromkeys((*imported, *index.modules()[:_MOST_MODULES])):
        facts = index.facts_of(module)
        if facts is not None and facts is not where:
            yield facts


def _texts(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of the module's constants that are texts."""
    tree = parse_or_none(text)
    for node in tree.body if tree is not None else ():
        bound = assigned_variable(node)
        if bound is not None and isinstance(bound[1], ast.Constant) and isinstance(bound[1].value, str):
            yield bound[0], bound[1].value


def _strings(body: str) -> Iterator[str]:
    """The texts in a function's source."""
    tree = parse_or_none(textwrap.dedent(body))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _tables(texts: Iterable[str]) -> tuple[tuple[str, tuple[Column, ...]], ...]:
    """The tables that statements create, with their columns."""
    found = (match for text in texts for match in _TABLE.finditer(text.rstrip() + ";"))
    return tuple((match[1], tuple(_columns(match[2]))) for match in found)


def _columns(text: str) -> Iterator[Column]:
    for part in _parts(text):
        match = _COLUMN.match(part.strip())
        if match is None or match[1].lower() in _CONSTRAINTS:
            continue
        kind, rest = match[2].upper(), match[3].lower()
        key = "primary key" in rest and kind.startswith("INT")
        yield Column(match[1], kind, made=key or "default" in rest)


def _parts(text: str) -> Iterator[str]:
    """The text's parts between commas that are in no brackets."""
    depth = at = 0
    for found in re.finditer(r"[(),]", text):
        depth += {"(": 1, ")": -1, ",": 0}[found[0]]
        if found[0] == "," and depth <= 0:
            yield text[at : found.start()]
            at = found.end()
    yield text[at:]


def _inserts(schema: Schema) -> Iterator[str]:
    for table, columns in schema.tables:
        given = [column for column in columns if not column.made]
        if not given:
            continue
        names = ", ".join(column.name for column in given)
        marks = ", ".join("?" * len(given))
        rows = [tuple(_value(column, at) for column in given) for at in range(_ROWS)]
        yield f"{CONNECTION}.executemany('INSERT INTO {table} ({names}) VALUES ({marks})', {rows!r})"


def _value(column: Column, at: int) -> object:
    if column.name.lower().endswith("_id"):
        return at + 1
    shape = JsonShape()
    if column.type.startswith("INT"):
        shape.kind = "integer"
    elif column.type.startswith(("REAL", "FLOA", "NUM", "DEC", "DOUB")):
        shape.kind = "real"
    elif column.type.startswith(("TEXT", "VARCHAR", "CHAR")):
        shape.kind = "text"
    return sample(shape, column.name.lower(), at)


class Closing:
    """Has tests close the databases that objects of the module's classes open.

    Args:
        facts: the target module.
    """

    def __init__(self, facts: ModuleFacts, index: ProjectIndex) -> None:
        self._endings: dict[str, str] = {}
        for owner in facts.classes:
            constructor = owner.constructor
            if constructor is not None and any(
                use.name == _OPEN for use in uses_of_callable(facts, constructor, index)
            ):
                ending = _ending(owner, constructor)
                if ending:
                    self._endings[owner.name] = ending

    def closed(self, trial: Trial) -> Trial:
        """Returns the trial with each such object closed at its end."""
        if not self._endings:
            return trial
        statements: list[str] = []
        for text in trial.arrange:
            statements.append(text)
            name, _, made = text.partition(" = ")
            ending = self._endings.get(made.partition("(")[0])
            closing = f"request.addfinalizer({name}.{ending})"
            if ending and name.isidentifier() and closing not in trial.arrange:
                statements.append(closing)
        if len(statements) == len(trial.arrange):
            return trial
        fixtures = tuple(sorted({*trial.fixtures, "request"}))
        return replace(trial, arrange=tuple(statements), fixtures=fixtures)


def _ending(owner: ClassFacts, constructor: CallableFacts) -> str:
    """What closes an object's database: its method, else the attribute that holds the connection."""
    if any(member.name == "close" and not member.is_async for member in owner.members):
        return "close"
    names = [name[5:] for name, _ in constructor.uses if name.startswith("self.")]
    held = [name for name in names if _NAMES.fullmatch(name)]
    return f"{held[0]}.close" if held else ""
