"""Merges further cases, of a model or of documents, into the engine's spec: each call with its outcome once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ....engine.python.facts.names import ImportNames
from ....engine.python.model.spec_case import Case
from ....engine.python.source.import_block import read_imports
from ....utils.python_names import unique_name
from ...contract.protocol import JsonObject
from ..case_identity import Act, act_of, normal_code

_ORIGINS = ("observed", "inferred", "documented")


def merged(
    base: Mapping[str, Any], cases: Iterable[Mapping[str, Any]], imports: Sequence[str]
) -> tuple[JsonObject, list[str]]:
    """Add cases to a spec. Returns it, and a note for each that cannot stand beside the others.

    A case that expects of the same call what an earlier one expects lends that one its title, and its documents. One
    that expects something else stays beside it: running both shows which of them holds.

    Args:
        cases: in a spec's form.
        imports: of these cases; where they bind a name of the spec's imports to something else, they give way.
    """
    own = [str(line) for line in base.get("imports") or ()]
    names = ImportNames(own)
    names.bind_existing(own)
    kept = [dict(case) for case in base["cases"]]
    taken = {str(case["id"]) for case in kept}
    by_act: dict[Act, list[int]] = {}
    for at, case in enumerate(kept):
        by_act.setdefault(act_of(case), []).append(at)
    notes: list[str] = []
    for case in cases:
        key = act_of(case)
        twin = next((at for at in by_act.get(key, ()) if _says(kept[at], case)), None)
        if twin is not None:
            kept[twin] = _enriched(kept[twin], case)
            continue
        try:
            adopted = _adopted(case, names, imports)
        except (SyntaxError, KeyError, TypeError, ValueError) as error:
            notes.append(f"a case is left out: {case['id']} is no test: {error}")
            continue
        adopted["id"] = unique_name(str(case["id"]), taken)
        taken.add(adopted["id"])
        by_act.setdefault(key, []).append(len(kept))
        kept.append(adopted)
    return {**base, "imports": sorted({*own, *names.statements()}), "cases": kept}, notes


def _adopted(case: Mapping[str, Any], names: ImportNames, imports: Sequence[str]) -> JsonObject:
    """The case with imported names as the file binds them."""
    read = Case.from_json(case)
    needed = [one.statement for one in read_imports(imports)]
    source = names.adopt(read.statements, read.expression, needed, read.expect, needed)
    arrange = {"fixtures": list(read.fixtures), "statements": list(source.statements)}
    return {
        **case,
        "steps": [*source.statements, source.expression],
        "arrange": arrange,
        "act": {"expression": source.expression, "mode": read.mode},
        "expect": [expectation.to_json() for expectation in source.expect],
    }


def _says(present: Mapping[str, Any], case: Mapping[str, Any]) -> bool:
    """Whether a case expects all that another one of the same call expects."""
    known = [_expected(row) for row in present["expect"]]
    return all(any(_covers(one, _expected(row)) for one in known) for row in case["expect"])


def _expected(row: Mapping[str, Any]) -> tuple[str, ...]:
    actual = normal_code(str(row.get("actual") or "result")) if row["kind"] not in ("raises", "warns", "output") else ""
    exception = str(row.get("exception") or "").rpartition(".")[2]
    return (row["kind"], actual, normal_code(str(row.get("value") or "")), exception, str(row.get("match") or ""))


def _covers(known: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return known[:-1] == wanted[:-1] and wanted[-1] in known[-1]


def _enriched(present: JsonObject, case: Mapping[str, Any]) -> JsonObject:
    """The present case with the other's title, and with documents for what is expected without one."""
    better = [*_better(present["expect"], case["expect"])]
    title = present["title"] if present.get("written_by") else case["title"]
    return {**present, "title": title, "expect": better}


def _better(known: Iterable[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> Iterator[JsonObject]:
    for row in known:
        same = [one for one in others if _covers(_expected(row), _expected(one))]
        best = max((*same, row), key=lambda one: _ORIGINS.index(one.get("origin", "observed")))
        yield {**row, **{key: best[key] for key in ("origin", "evidence") if key in best}}
