"""Says why nobody can sign in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_MOST_SHOWN = 300


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
