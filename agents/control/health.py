"""What a health agent receives and answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..contract.protocol import JsonObject


class HealthStatus(StrEnum):
    """How a run does."""

    HEALTHY = "Healthy"
    DEGRADED = "Degraded"
    CRITICAL = "Critical"
    UNKNOWN = "Unknown"


_STATUSES = {**{status.lower(): status for status in HealthStatus}, "unhealthy": HealthStatus.CRITICAL}


@dataclass(frozen=True, slots=True)
class HealthContext:
    """The state of a run, as a health agent's inputs have it; `to_json` gives their names.

    Attributes:
        run_id: the run.
        turn_index: executed waves of steps.
        harness_status: the plan's status.
        last_error: of the last failed step.
        consecutive_path_count: how many of the last steps had the same type.
        last_selected_path_name: the last finished step.
        path_call_counts: executed steps by type.
        visible_path_names: unfinished steps; those in reserve are in `reserve_path_names`.
        context_fill_percent: the share of the tokens, cost or time allowed that is used, 0 to 100.
        turn_history_summary: the plan's log, latest last.
        recent_errors: messages of failed steps, latest last.
        error_ratio: failed steps among those that ended, 0 to 1.
    """

    run_id: str
    turn_index: int
    harness_status: str
    last_error: str | None
    consecutive_path_count: int
    last_selected_path_name: str | None
    path_call_counts: dict[str, int]
    visible_path_names: list[str]
    reserve_path_names: list[str]
    context_fill_percent: float
    turn_history_summary: list[str]
    recent_errors: list[str]
    error_ratio: float = 0.0

    def to_json(self) -> JsonObject:
        """The context as JSON, under the contract's names."""
        return {
            "runId": self.run_id,
            "turnIndex": self.turn_index,
            "harnessStatus": self.harness_status,
            "lastError": self.last_error,
            "consecutivePathCount": self.consecutive_path_count,
            "lastSelectedPathName": self.last_selected_path_name,
            "pathCallCounts": self.path_call_counts,
            "visiblePathNames": self.visible_path_names,
            "reservePathNames": self.reserve_path_names,
            "contextFillPercent": self.context_fill_percent,
            "turnHistorySummary": self.turn_history_summary,
            "recentErrors": self.recent_errors,
            "errorRatio": self.error_ratio,
        }


@dataclass(frozen=True, slots=True)
class HealthReport:
    """A health agent's answer; every field may be missing in it.

    Attributes:
        metrics: numbers by name.
        suggested_next_path: id or type of a step in reserve that should be revealed.
        terminate_harness: end the run at the next phase boundary.
    """

    status: HealthStatus = HealthStatus.UNKNOWN
    warnings: list[str] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)
    suggested_next_path: str | None = None
    terminate_harness: bool = False

    def to_json(self) -> JsonObject:
        """The report as JSON, under the contract's names."""
        return {
            "status": str(self.status),
            "warnings": self.warnings,
            "suggestions": self.suggestions,
            "metrics": self.metrics,
            "suggestedNextPath": self.suggested_next_path,
            "terminateHarness": self.terminate_harness,
        }


def parse_health_report(text: str) -> HealthReport:
    """Read a health agent's answer leniently: what does not read gives a report that says nothing (Unknown).

    The status is read in any case, and "unhealthy" as critical. `issues` and `recommendations` stand for `warnings` and
    `suggestions` where those are missing.
    """
    try:
        found: Any = json.loads(text.strip())
        status = found.get("status", "unknown")
        metrics = dict(_numbers(found.get("metrics")))
        ends, suggested = found.get("terminateHarness", False), found.get("suggestedNextPath")
        if not isinstance(ends, bool) or not isinstance(suggested, str | None):
            return HealthReport()
        return HealthReport(
            status=_STATUSES[str(status).lower()],
            warnings=_lines(found.get("warnings", found.get("issues"))),
            suggestions=_lines(found.get("suggestions", found.get("recommendations"))),
            metrics=metrics,
            suggested_next_path=suggested,
            terminate_harness=ends,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return HealthReport()


def _numbers(value: Any) -> Iterator[tuple[str, float]]:
    """The metrics that are finite numbers: JSON has no others, and no check can be read from them."""
    for name, each in dict(value or {}).items():
        number = float(each)
        if math.isfinite(number):
            yield str(name), number


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        raise TypeError("not a list of texts")
    return list(value)
