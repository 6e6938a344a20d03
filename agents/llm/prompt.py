"""Loads prompts from Markdown files in `agents/prompts/` and fills in named values; a missing value is an error.

A file has parts, each below a line `--- NAME ---`: `system`, the same text for every call of a role, and the user
messages. `{{name}}` is replaced by a value. Values are inserted once and never read as a template themselves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ...core.errors import AgentFailure

_PART = re.compile(r"^--- (?P<name>[a-z_]+) ---$", re.MULTILINE)
_VARIABLE = re.compile(r"\{\{(?P<name>[a-z_]+)\}\}")
_TAG = re.compile(r"<(?=/?\s*data\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A loaded prompt.

    Attributes:
        name: its file name without extension.
        version: prefix of the file's sha256; recorded with the artifacts that result from it.
        parts: texts by name.
    """

    name: str
    version: str
    parts: Mapping[str, str]

    @property
    def system(self) -> str:
        """The role's instructions. Raises AgentFailure when the file has none."""
        return self._part("system")

    def text(self, part: str, values: Mapping[str, str]) -> str:
        """Render a part with its values.

        Raises:
            AgentFailure: there is no such part, a value is missing, or one is unknown to it.
        """
        template = self._part(part)
        wanted = {found["name"] for found in _VARIABLE.finditer(template)}
        if wanted != values.keys():
            missing, unknown = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
            raise AgentFailure(
                f"the prompt {self.name!r} cannot be filled in: missing {missing}, unknown {unknown}",
                advice=f"Give {self.name}.md, part {part!r}, exactly the values it names.",
            )
        return _VARIABLE.sub(lambda found: values[found["name"]], template)

    def _part(self, name: str) -> str:
        if name not in self.parts:
            raise AgentFailure(
                f"the prompt {self.name!r} has no part {name!r}", advice=f"It has: {', '.join(sorted(self.parts))}."
            )
        return self.parts[name]


@cache
def load_prompt(name: str) -> Prompt:
    """Load a prompt by name. Raises AgentFailure when there is none of that name."""
    file = resources.files(__name__.rpartition(".")[0].rpartition(".")[0]).joinpath("prompts", f"{name}.md")
    if not file.is_file():
        raise AgentFailure(f"there is no prompt {name!r}", advice="Prompts are files in agents/prompts/.")
    return read_prompt(name, file.read_text(encoding="utf-8"))


def read_prompt(name: str, text: str) -> Prompt:
    """Parse a prompt file's text."""
    pieces = _PART.split(text)
    parts = {pieces[at]: pieces[at + 1].strip() for at in range(1, len(pieces) - 1, 2)}
    return Prompt(name, hashlib.sha256(text.encode()).hexdigest()[:12], parts)


def data(name: str, text: str) -> str:
    """Fence foreign text with `<data name="…">` and `</data>`, so that nothing in it can end the fence."""
    return f'<data name="{name}">\n{_TAG.sub("&lt;", text.rstrip())}\n</data>'


def bullets(lines: Iterable[str], *, none: str = "none") -> str:
    """Render a list, one line each; `none` for an empty one."""
    return "\n".join(f"- {line}" for line in lines) or none
