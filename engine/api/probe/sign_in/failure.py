"""Says why nobody can sign in, and which credential is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_MOST_SHOWN = 300
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class MissingCredential:
    """Operations ask for a credential that nobody knows, and there is none to be had by signing in.

    Attributes:
        labels: methods and paths of these operations.
        wanted: what they ask for, in words: `the header X-API-Key`.
        tried: variables whose values do not open them.
    """

    labels: tuple[str, ...]
    wanted: tuple[str, ...]
    tried: tuple[str, ...] = ()

    def note(self, redacted: Callable[[str], str]) -> str:
        """Return what is missing, with what to do; `redacted` takes the secrets out of a text."""
        asking = f"{self.labels[0]} asks" if len(self.labels) == 1 else f"{len(self.labels)} operations ask"
        verb = "does" if len(self.tried) == 1 else "do"
        tried = f" ({_listed(self.tried)} {verb} not open what is closed)" if self.tried else ""
        return redacted(
            f"Access: {asking} for {' or '.join(self.wanted)}, and no value of it is known{tried}. Give one by a "
            'variable below [tool.testwright.app]: env = { API_TOKEN = "${API_TOKEN}" }, set it where you start the '
            "run, and trust the project (`testwright trust`). Any name that ends in KEY, TOKEN or SECRET is tried."
        )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown


@dataclass(frozen=True, slots=True)
class SignInFailure:
    """The first request of a sign-in that does not do its part.

    Attributes:
        label: method and path of the request.
        answer: its whole answer with the status; only the status where the request works, as it may hold a token.
        works: whether it is answered with success, so that what it answers opens nothing.
    """

    label: str
    answer: str
    works: bool

    def note(self, redacted: Callable[[str], str]) -> str:
        """Return why nobody can sign in, with what to do.

        Args:
            redacted: takes the secrets out of a text. It gets the whole answer: half of a secret is not recognised.
        """
        shown = redacted(self.answer)[:_MOST_SHOWN]
        without_token = "holds no token that opens what is secured"
        action = without_token if self.works else "is in the way of everything that needs a user"
        return (
            f"Access: nobody can sign in. {redacted(self.label)} answers {shown}, which {action}. "
            "Set what the application needs for it (its variables, its database) for the run, "
            'or name a user that exists: sign_in = "NAME:VARIABLE" below [tool.testwright].'
        )
