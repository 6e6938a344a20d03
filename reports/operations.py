"""How much of an API the kept tests show: its operations, and the statuses that its description names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .model import OperationCounts, Operations, OperationShown, ReportTarget
from .reading import added_up, items, mapping, rows, text


def operations_of(spec: Mapping[str, Any], kept: Sequence[str]) -> Operations | None:
    """What the kept cases of an API spec show; None for a spec of another type, or one that names no operations."""
    described = {
        _label(row): tuple(text(each) for each in items(row.get("statuses"))) for row in rows(_described_rows(spec))
    }
    if not described:
        return None
    shown: dict[str, set[int]] = {}
    for case in rows(spec.get("cases")):
        if text(case.get("id")) in kept:
            shown.setdefault(operation_of(case), set()).update(statuses_of(case))
    found = [
        OperationShown(operation=name, documented=documented, shown=tuple(sorted(shown.get(name, ()))))
        for name, documented in described.items()
    ]
    return Operations(
        described=len(found),
        covered=sum(1 for operation in found if any(200 <= status < 400 for status in operation.shown)),
        statuses=sum(len(operation.documented) for operation in found),
        shown=sum(len(operation.documented) - len(missing_statuses(operation)) for operation in found),
        rows=tuple(found),
    )


def operation_of(case: Mapping[str, Any]) -> str:
    """The operation that a case of an API spec is about, such as `GET /orders`; empty for a case of another type."""
    operation = mapping(case.get("operation"))
    return _label(operation) if operation else ""


def statuses_of(case: Mapping[str, Any]) -> tuple[int, ...]:
    """The statuses that a case expects."""
    found = [
        item for each in rows(case.get("expect")) if each.get("kind") == "status" for item in items(each["statuses"])
    ]
    return tuple(sorted({status for status in found if isinstance(status, int)}))


def missing_statuses(operation: OperationShown) -> tuple[str, ...]:
    """Documented statuses (`404`, `4XX`, `default`) that no kept test shows."""
    named = {name for status in operation.shown for name in (str(status), f"{status // 100}XX")}
    unnamed = [
        status for status in operation.shown if not {str(status), f"{status // 100}XX"} & set(operation.documented)
    ]
    return tuple(name for name in operation.documented if name not in named and not (name == "default" and unnamed))


def counts_of(targets: Iterable[ReportTarget]) -> OperationCounts | None:
    """Add up the counts of all targets that have any."""
    return added_up(OperationCounts, [target.operations for target in targets if target.operations is not None])


def operations_shown(found: OperationCounts | None) -> str:
    """`14 of 15 operations succeed, 40 of 44 documented statuses`; empty where there are none."""
    if found is None:
        return ""
    counts = f"{found.covered} of {found.described} operations succeed"
    return f"{counts}, {found.shown} of {found.statuses} documented statuses" if found.statuses else counts


def _described_rows(spec: Mapping[str, Any]) -> Any:
    return spec.get("operations") if spec.get("test_type") == "api" else ()


def _label(row: Mapping[str, Any]) -> str:
    return f"{text(row.get('method'))} {text(row.get('path'))}"
