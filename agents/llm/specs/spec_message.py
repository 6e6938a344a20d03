"""Builds what the spec agent's model is told about a module: one reading, then at most one request about gaps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from ....utils.untrusted_files import read_source
from ..project_style import project_style
from ..prompt import Prompt, bullets, data
from .engine_cases import numbered_cases
from .public_source import SourcePart, fitting_part, is_about, source_parts
from .surroundings import delegates, public_names, readme_lines, tool_context

_MOST_GAPS = 30
_LONGEST_GAP = 320
_LONGEST_REQUEST = 2000
_NUMBER = re.compile(r"(?<![\w.'\"])(\d+)(?![\w.'\"])")
_SPLIT_BY_ONE = 3


@dataclass(frozen=True, slots=True)
class SpecMessages:
    """Messages about one module.

    Attributes:
        prompt: the spec agent's. inputs: of the agent. base: the engine's spec. root: the project.
    """

    prompt: Prompt
    inputs: Mapping[str, Any]
    base: Mapping[str, Any]
    root: Path

    def reading(self, gaps: Sequence[str]) -> list[str]:
        """The first messages, one for each part of the module. Blocks.

        Args:
            gaps: what the engine did not reach, one line each.
        """
        source = self._source()
        parts = source_parts(source, self.inputs["target"].get("symbols"))
        return [self._reading(part, source, gaps if number == 0 else ()) for number, part in enumerate(parts)]

    def _reading(self, part: SourcePart, source: str, gaps: Sequence[str]) -> str:
        cases = bullets_of(numbered_cases(self.base["cases"], part.subjects))
        style = project_style(self.root, str(self.base["target"]["module"]))
        values = {
            **self._about(part, source, style),
            "cases": data("observed", cases),
            "gaps": data("gaps", gap_lines(gaps)),
            "style": data("style", style or "no tests yet"),
        }
        return self.prompt.text("generate", values)

    def about_gaps(self, rows: Sequence[Mapping[str, str]]) -> tuple[str | None, list[str]]:
        """The message about what the tests still leave open, and a note about what it has no room for. Blocks.

        None where that leaves nothing to ask about.

        Shown are the functions concerned, those with most gaps first, as far as one part holds them.

        Args:
            rows: each gap with the `subject` that it lies in ("" for none) and its `text`.
        """
        source = self._source()
        counted = Counter(row["subject"] for row in rows if row["subject"])
        subjects = [subject for subject, _ in counted.most_common()]
        part = fitting_part(source, subjects or self.inputs["target"].get("symbols"))
        others = {name for one in source_parts(source, subjects or None) for name in one.subjects or ()}
        unasked = {s for s in subjects if is_about(s, [*others]) and not is_about(s, part.subjects)}
        notes = [f"what the tests leave open in {', '.join(sorted(unasked))} was not asked about: too long"]
        asked = [row["text"] for row in rows if row["subject"] not in unasked]
        if not asked:
            return None, notes if unasked else []
        cases = bullets_of(numbered_cases(self.base["cases"], part.subjects if subjects else None))
        values = {
            **self._about(part, source),
            "cases": data("observed", cases),
            "gaps": data("gaps", gap_lines(asked)),
        }
        return self.prompt.text("gaps", values), notes if unasked else []

    def _about(self, part: SourcePart, source: str, style: str = "") -> dict[str, str]:
        """The values that both messages have.

        Args:
            style: what else the message shows of the project.
        """
        target = self.base["target"]
        path, module = str(target["path"]), str(target["module"])
        called = delegates(self.root, path, source, part.text)
        documents = readme_lines(self.root, module, public_names(source))
        return {
            "framework": str(self.inputs.get("framework") or "pytest"),
            "request": data("request", str(self.inputs.get("user_request") or "")[:_LONGEST_REQUEST]),
            "path": path,
            "module": module,
            "source": data("source", part.text),
            "delegates": data("delegates", called or "nothing"),
            "documents": data("documents", documents or "nothing"),
            "context": data(
                "context", tool_context(self.inputs, path, (part.text, called, documents, style)) or "nothing"
            ),
        }

    def _source(self) -> str:
        return read_source(self.root, str(self.base["target"]["path"]), errors="replace")


def bullets_of(lines: Sequence[str]) -> str:
    """Lines as they are, or that there are none."""
    return "\n".join(lines) or "nothing"


def gap_lines(gaps: Sequence[str]) -> str:
    """The gaps as a list; those that follow each other and differ by their one number share a line."""
    rows: list[str] = []
    for (alike, *_), group in groupby((_NUMBER.split(line) for line in gaps[:_MOST_GAPS]), key=_around):
        same = list(group)
        if alike is None:
            rows += ["".join(parts) for parts in same]
        else:
            before, _, after = same[0]
            rows.append(f"{before}{', '.join(parts[1] for parts in same)}{after}")
    return bullets((row[:_LONGEST_GAP] for row in rows), none="none")


def _around(parts: Sequence[str]) -> tuple[str | None, str]:
    """What stands around the one number of a text that was split by numbers; None and the text where there are more."""
    return (parts[0], parts[2]) if len(parts) == _SPLIT_BY_ONE else (None, "".join(parts))
