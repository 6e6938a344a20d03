"""Decides whether a target gets an evidence loop: the setting, and for `auto` whether anything outside speaks of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_OUTSIDE = frozenset({"test", "section", "text"})
_TEST_FILE = re.compile(r"(?:^|/)tests?[^/]*\.py$")
_MOST_NAMES = 40
_REQUEST = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE) /|\.status_code\b")
AGENTS = ("evidence_search", "evidence_hypothesis", "evidence_judge", "evidence_report")


@dataclass(frozen=True, slots=True)
class LoopDecision:
    """Whether a loop runs, and why."""

    runs: bool
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"runs": self.runs, "reason": self.reason}


def decide(setting: str, names: Sequence[str], snippets: Sequence[Mapping[str, Any]], *, of_api: bool) -> LoopDecision:
    """Decide by the setting; `auto` runs a loop where a document or a test uses the target.

    Args:
        setting: `on`, `off` or `auto`.
        names: of the target's public callables.
        snippets: what the code search found for the target.
        of_api: whether requests to an API count as uses.
    """
    if setting != "auto":
        return LoopDecision(setting == "on", f"the setting evidence is {setting}")
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})\(") if names else None
    for one in snippets:
        text = str(one.get("text") or "")
        is_outside = one.get("kind") in _OUTSIDE or _TEST_FILE.search(str(one.get("path")))
        if is_outside and ((pattern and pattern.search(text)) or (of_api and _REQUEST.search(text))):
            return LoopDecision(True, f"{one.get('path')} uses it")
    return LoopDecision(False, "no document and no test uses it, so the engine needs nothing besides its code")


def public_names(analysis: Mapping[str, Any] | None, wanted: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Last parts of a target's public callables, at most 40, and of those the ones without a docstring.

    Args:
        analysis: as `get_ast_analysis` answers.
        wanted: the only symbols that the tests are to be about; None for all.
    """
    summaries: dict[str, str] = {}
    for row in (analysis or {}).get("symbols") or ():
        qualname = str(row.get("qualname"))
        name = qualname.rpartition(".")[2]
        is_wanted = wanted is None or any(qualname == one or qualname.startswith(f"{one}.") for one in wanted)
        if row.get("public") and is_wanted and not name.startswith("_"):
            summaries.setdefault(name, str(row.get("summary") or ""))
    names = list(summaries)[:_MOST_NAMES]
    return names, [name for name in names if not summaries[name]]
