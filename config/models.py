"""Which model thinks in each role: the setting `models`, and `model` for those roles that a model is best in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

EMBEDDED = "embedded"
PROVIDER = "openai:"
ModelName = Annotated[str, Field(pattern=rf"^({EMBEDDED}|{PROVIDER}\S+)$", max_length=200)]


class Models(BaseModel):
    """Who thinks in each role: `embedded`, or `openai:NAME` at any OpenAI-compatible endpoint."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    planner: ModelName = EMBEDDED
    spec: ModelName = EMBEDDED
    writer: ModelName = EMBEDDED
    analyzer: ModelName = EMBEDDED
    crawler: ModelName = EMBEDDED
    case: ModelName = EMBEDDED
    engineer: ModelName = EMBEDDED
    evidence: ModelName = EMBEDDED
    goal: ModelName = EMBEDDED
    safety: ModelName = EMBEDDED
    health: ModelName = EMBEDDED
    summary: ModelName = EMBEDDED

    def of(self, role: str) -> str | None:
        """The model's name on the wire; None where the embedded agent thinks."""
        said = str(getattr(self, role))
        return said.removeprefix(PROVIDER) if said != EMBEDDED else None

    @property
    def write(self) -> bool:
        """Whether a model writes anything that becomes test code: cases, files, the words they are made from."""
        return any(self.of(role) is not None for role in WRITING_ROLES)

    @property
    def read_context(self) -> bool:
        """Whether a model reads what tools answer about the code."""
        return any(self.of(role) is not None for role in ("spec", "writer", "analyzer"))

    @property
    def names(self) -> list[str]:
        """Every model that some role asks."""
        return sorted({name for role in ROLES if (name := self.of(role)) is not None})

    def roles_of(self, name: str) -> list[str]:
        """The roles that ask a model."""
        return [role for role in ROLES if self.of(role) == name]


WRITING_ROLES = ("spec", "writer", "crawler", "case", "engineer")
ROLES = tuple(Models.model_fields)
USUAL_ROLES = ("planner", "spec", "analyzer")
"""The roles of a model that is given without a role; the others ask one only when they are named. The embedded writer
makes better files for nothing."""


def expand_model(values: dict[str, Any]) -> None:
    """Give `model` to its roles, unless `models` in the same place names them; as a flag it may name roles itself."""
    said = values.pop("model", None)
    if said is None:
        return
    by_role: dict[str, Any] = {}
    for one in [said] if isinstance(said, str) else list(said):
        role, named, model = str(one).partition("=")
        usual = ROLES if one == EMBEDDED else USUAL_ROLES
        by_role |= {role: model} if named else {role: one for role in usual if role not in by_role}
    named_roles = values.get("models", {})
    values["models"] = {**by_role, **named_roles} if isinstance(named_roles, Mapping) else named_roles


def model_of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """TESTWRIGHT_MODEL, the model of each usual role that has no variable of its own."""
    values: dict[str, Any] = {"model": environment.get("TESTWRIGHT_MODEL") or None}
    expand_model(values)
    return values
