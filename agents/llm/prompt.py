"""Prompts as data: Markdown files in `agents/prompts/`, filled in with named values; a missing value fails.

A file has parts, each below a line `--- NAME ---`: `system`, the same text for every call of a role, and the user
messages. `{{name}}` stands for a value. Values are put in once and are never read as a template themselves.
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
    """A prompt that was read.

    Attributes:
        name: its file without ending.
        version: the beginning of the file's sha256; recorded with what the prompt brought about.
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
        """A part with its values.

        Raises:
            AgentFailure: there is no such part, a value is missing, or one is given that it does not know.
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
    """The prompt of a role. Raises AgentFailure when there is none of that name."""
    file = resources.files(__name__.rpartition(".")[0].rpartition(".")[0]).joinpath("prompts", f"{name}.md")
    if not file.is_file():
        raise AgentFailure(f"there is no prompt {name!r}", advice="Prompts are files in agents/prompts/.")
    return read_prompt(name, file.read_text(encoding="utf-8"))


def read_prompt(name: str, text: str) -> Prompt:
    """A prompt from its file's text."""
    pieces = _PART.split(text)
    parts = {pieces[at]: pieces[at + 1].strip() for at in range(1, len(pieces) - 1, 2)}
    return Prompt(name, hashlib.sha256(text.encode()).hexdigest()[:12], parts)


def data(name: str, text: str) -> str:
    """Text of others, fenced in so that nothing in it can end the fence: `<data name="…">` to `</data>`."""
    return f'<data name="{name}">\n{_TAG.sub("&lt;", text.rstrip())}\n</data>'


def bullets(lines: Iterable[str], *, none: str = "none") -> str:
    """A list, one line each; `none` for an empty one."""
    return "\n".join(f"- {line}" for line in lines) or none
