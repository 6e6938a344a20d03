"""Defines flows: what a person does on a site and sees then, ready to become tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from .page import Action, Json, Locator, PageState


@dataclass(frozen=True, slots=True)
class Flow:
    """One flow through a site.

    Attributes:
        slug: its name in lower case with underscores, for the test's name.
        title: what it shows, as a sentence without a full stop.
        goal: the user's goal it belongs to, as a slug.
        actions: what a person does, signing in left out.
        expect: expectations as in the browser test spec, without origin and evidence.
        signed_in: whether somebody signs in first.
        ends: whether its title tells what is expected after the last action, so that without it there is no flow.
    """

    slug: str
    title: str
    goal: str
    actions: tuple[Action, ...]
    expect: tuple[Json, ...]
    signed_in: bool = False
    priority: str = "medium"
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A page that was visited.

    Attributes:
        key: what it has in common with pages of its kind; with `signed_in` it is one place.
        path: leads to it directly, at least for somebody who has been on the page.
        way: what leads to it in a fresh browser: its path is opened, or, where a link alone lets people in, the link is
            clicked on the page before it.
        link: name of the link that leads to it on `parent`, which is a path; None where it was opened.
        locators: of its fields, buttons and links, by what `element_key` makes of them; each finds one element, and
            did so on two visits.
    """

    key: str
    path: str
    state: PageState
    signed_in: bool = False
    parent: str = ""
    link: Locator | None = None
    locators: dict[str, Locator] = field(default_factory=dict)
    way: tuple[Action, ...] = ()

    @property
    def opening(self) -> tuple[Action, ...]:
        """What leads to it in a fresh browser."""
        return self.way or ({"kind": "open", "url": self.path},)

    @property
    def name(self) -> str:
        """What to call it: by its heading; by its link where that stands on every page."""
        heading = self.state.heading
        linked = (self.link or {}).get("name", "")
        return linked if linked and heading in self.state.frame.headings else heading or self.path


@dataclass(frozen=True, slots=True)
class SignIn:
    """How somebody signs in: the user's name and the variable that holds the password."""

    user: str
    variable: str
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class BrowserBudget:
    """Bounds of an exploration.

    Attributes:
        pages: kinds of pages that are visited.
        scenarios: scenarios that are played.
        seconds: after which nothing new is begun; what was found until then is kept, and a note says so.
    """

    pages: int = 12
    scenarios: int = 160
    seconds: float = 180.0


@dataclass(frozen=True, slots=True)
class Defect:
    """What a site does that no site means to do; never expected by a test.

    Attributes:
        subject: path of the page.
        documented: what is to be expected instead, and why.
        actions: what shows it.
    """

    title: str
    subject: str
    documented: str
    observed: str
    actions: tuple[Action, ...]
    signed_in: bool = False


@dataclass(slots=True)
class Exploration:
    """What was found on a site.

    Attributes:
        notes: what was left out, and why.
        played: scenarios, all visits together.
    """

    places: list[Place] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    sign_in: SignIn | None = None
    defects: list[Defect] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    played: int = 0
