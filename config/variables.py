"""`${NAME}` and `${NAME:-default}` in settings, taken from the environment when used: settings hold no secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..core.errors import SettingsError
from ..utils.redact import is_secret_name

_REFERENCE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")


class Variables:
    """Puts values in the place of references, and remembers what was secret and what was missing.

    Attributes:
        missing: names that neither the environment nor a default gives, in order of appearance.
        secrets: values that must never be shown.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.missing: dict[str, None] = {}
        self.secrets: set[str] = set()

    def filled(self, text: str, *, secret: bool = False) -> str:
        """The text with its references replaced. An empty variable counts as set, except before a default.

        Args:
            secret: whether the place is one for secrets; a variable whose name says secret is one anywhere.
        """

        def value(found: re.Match[str]) -> str:
            name, default = found["name"], found["default"]
            given = self._environment.get(name)
            if given is None or (not given and default is not None):
                if default is None:
                    self.missing[name] = None
                    return ""
                return default
            if secret or is_secret_name(name):
                self.secrets.add(given)
            return given

        end = text.rfind("}") + 1  # behind the last one there is no reference, only what begins like one
        filled = _REFERENCE.sub(value, text[:end]) + text[end:]
        if secret and filled != text and filled:
            self.secrets.add(filled)
        return filled

    def form(self, text: str) -> str:
        """The text as a `string.Template`: `${NAME}` for what the environment gives, defaults filled in.

        Empty where the environment gives nothing.
        """
        pieces: list[str] = []
        taken, at = False, 0
        for found in _REFERENCE.finditer(text, 0, text.rfind("}") + 1):
            name, default = found["name"], found["default"]
            used = bool(self._environment.get(name)) or default is None
            piece = f"${{{name}}}" if used else (default or "").replace("$", "$$")
            pieces += [text[at : found.start()].replace("$", "$$"), piece]
            taken, at = taken or used, found.end()
        return "".join([*pieces, text[at:].replace("$", "$$")]) if taken else ""

    def require(self, where: str) -> None:
        """Raises SettingsError naming every variable that is missing. `where` says what wanted them."""
        if self.missing:
            names = ", ".join(self.missing)
            raise SettingsError(
                f"{where} needs {names} from the environment, where there is no such variable.",
                advice="Set it, or give a default in the settings: ${NAME:-default}.",
                details={"variables": list(self.missing)},
            )


def filled_in(text: str, environment: Mapping[str, str], what: str) -> str:
    """A text with its references replaced. Raises SettingsError: `what` needs a variable that is missing."""
    variables = Variables(environment)
    filled = variables.filled(text)
    variables.require(what)
    return filled


def has_reference(text: str) -> bool:
    """Whether something in a text comes from the environment."""
    return _REFERENCE.search(text, 0, text.rfind("}") + 1) is not None
