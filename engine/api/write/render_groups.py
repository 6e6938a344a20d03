"""Groups similar cases into tables: rows differ in one part of the request and in the answer."""

from __future__ import annotations

import json
import keyword
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....utils.python_names import unique_name
from ..model.json_values import literal, quoted, saved_names_in
from ..model.model import ACROSS, needs_fresh_state
from .dialects import Dialect
from .render_checks import RenderedCheck, SavedNames, cookie_of, names_type, path_of, render_checks
from .render_names import SharedPayloads, schema_names, table_name

Json = Mapping[str, Any]
_TAKEN = ("api", "fresh_api", "client", "response", "self", "began", "seconds", "time")


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its name, and its source for each row."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseTable:
    """The cases of one parametrised test.

    Attributes:
        given: the differing part of the request → its column.
        checks: the conditions, with columns in place.
    """

    cases: tuple[Json, ...]
    columns: tuple[TableColumn, ...]
    given: Mapping[str, str]
    checks: tuple[RenderedCheck, ...]


def group_cases(cases: Sequence[Json]) -> list[list[Json]]:
    """Group cases, in order, that may share a table."""
    found: dict[tuple[Any, ...], list[Json]] = {}
    for number, case in enumerate(cases):
        group = case.get("group")
        operation = case["operation"]
        arrange = json.dumps(case.get("arrange") or {}, sort_keys=True)
        key = (operation["method"], operation["path"], group, arrange) if group else (number,)
        # Whoever may not is refused by all operations alike.
        key = (group,) if group in ACROSS else key
        found.setdefault(key, []).append(case)
    return list(found.values())


def build_tables(cases: Sequence[Json], known: SavedNames) -> list[CaseTable | Json]:
    """Turn a group into tables, and into single cases where too much differs.

    Raises AgentFailure, as `render_checks`.
    """
    shapes: dict[tuple[Any, ...], list[Json]] = {}
    for case in cases:
        shapes.setdefault(_shape(case, known), []).append(case)
    made: list[CaseTable | Json] = []
    for rows in shapes.values():
        table = _table(rows, known) if len(rows) > 1 else None
        made += [table] if table is not None else rows
    return made


def with_tables_in_ids(cases: Sequence[Json]) -> list[Json]:
    """Return the cases of a spec; the ids of those in the second table of a name and later ones say which it is.

    A file numbers tables of one name: so the name of the test and the id of the row make the id of the case there, too.
    """
    known = SavedNames(schema_names({"cases": cases}), SharedPayloads())
    taken = {str(case["id"]) for case in cases}
    seen: Counter[str] = Counter()
    ids: dict[str, str] = {}
    for group in group_cases(cases):
        for table in build_tables(group, known):
            if not isinstance(table, CaseTable):
                continue
            name = table_name(table.cases)
            seen[name] += 1
            # The first has the name itself.
            for case in table.cases if seen[name] > 1 else ():
                old, start = str(case["id"]), f"tc_{name}_"
                if old.startswith(start):
                    ids[old] = unique_name(f"{start}{seen[name]}_{old.removeprefix(start)}", taken)
                    taken.add(ids[old])
    return [{**case, "id": ids.get(str(case["id"]), case["id"])} for case in cases]


def _shape(case: Json, known: SavedNames) -> tuple[Any, ...]:
    """Return what must be equal in all rows of a table."""
    request = case["act"]["request"]
    body = request.get("body") or {}
    checks = tuple(
        (check.left, check.operator, bool(check.column)) for check in render_checks(list(case["expect"]), known)
    )
    across = case.get("group") in ACROSS
    fixed = json.dumps(
        ["" if across else request["method"], request.get("auth"), body.get("media_type"), body.get("raw")]
    )
    variables = str((case.get("arrange") or {}).get("variables"))
    fixed += str(names_type(request))
    return fixed, needs_fresh_state(case), "content" in body, checks, bool(case.get("cleanup")), variables


def _table(rows: Sequence[Json], known: SavedNames) -> CaseTable | None:
    parts = [_parts(row["act"]["request"], known.dialect) for row in rows]
    varying = [name for name in parts[0] if len({part[name] for part in parts}) > 1]
    # A table with several differing parts is harder to read than single tests.
    across = rows[0].get("group") in ACROSS
    if len(varying) != 1 and not (across and set(varying) <= {"method", "path"}):
        return None
    # A row cannot name what is only known when the test runs.
    if any(saved_names_in(_part(row["act"]["request"], name)) for row in rows for name in varying):
        return None
    if any(saved_names_in(expectation.get("value")) for row in rows for expectation in row["expect"]):
        return None
    columns = [TableColumn(name, tuple(part[name] for part in parts)) for name in varying]
    all_checks = [render_checks(list(row["expect"]), known) for row in rows]
    checks: list[RenderedCheck] = []
    for position, first in enumerate(all_checks[0]):
        rights = [checks[position].right for checks in all_checks]
        if len(set(rights)) == 1:
            checks.append(first)
            continue
        # The differing side of this condition has no place in a row.
        if not first.column:
            return None
        name = _free(first.column, [column.name for column in columns])
        columns.append(TableColumn(name, tuple(rights)))
        operator = "==" if first.operator == "is" else first.operator
        checks.append(RenderedCheck(first.left, operator, name, first.imports))
    return CaseTable(tuple(rows), tuple(columns), {name: name for name in varying}, tuple(checks))


def _parts(request: Json, dialect: Dialect) -> dict[str, str]:
    """Render the parts of a request that may differ."""
    cookie = cookie_of(request)
    headers = {**(request.get("headers") or {}), **({"Cookie": cookie} if cookie else {})}
    return {
        "method": quoted(str(request["method"])),
        "path": dialect.path(path_of(request)),
        "query": dialect.values(request.get("query") or {}),
        "headers": literal(headers),
        "body": dialect.value(request.get("body") or {}),
    }


def _part(request: Json, name: str) -> Any:
    """Return the part of a request that a column replaces."""
    if name == "path":
        return path_of(request)
    if name == "method":
        return ""
    return (request.get("body") or {}).get("content") if name == "body" else request.get(name)


def _free(name: str, taken: Sequence[str]) -> str:
    base = name if name.isidentifier() and not keyword.iskeyword(name) and name not in _TAKEN else "value"
    return unique_name(base, ("method", "path", "query", "headers", "body", *taken))
