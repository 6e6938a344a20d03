"""Finds the modules in which the programs begin that a request means by "the command line program"."""

from __future__ import annotations

from collections.abc import Sequence

from ....engine.integration.model.programs import find_programs
from .request.lexicon import means_program
from .request.parsed_request import Mention
from .target_index import ModuleTarget, TargetIndex, TargetMatch

NO_PROGRAM = "the project has no command line program"


def programs_meant(mentions: Sequence[Mention], index: TargetIndex) -> list[ModuleTarget] | None:
    """Return the modules in which the programs begin that "the command line program" or "the program shop" means.

    None where the words mean no program; empty where the project has none.
    """
    if not means_program(mention.text for mention in mentions if mention.weak):
        return None
    names = {mention.text for mention in mentions if not mention.weak and not mention.excluded}
    programs = find_programs(index.layout.root, index.layout)
    meant = [program.place for program in programs if not names or program.name in names]
    if names - {program.name for program in programs}:
        return None  # it names something else as well
    return [ModuleTarget(place) for place in dict.fromkeys(meant)]


def programs_left_out(excluded: Sequence[Mention], index: TargetIndex) -> dict[Mention, TargetMatch]:
    """Find what "except the command line program" leaves out, by the mentions that say so; empty where none does."""
    phrases = [
        mention
        for mention in excluded
        # A module that has such a name is meant by it.
        if mention.weak and means_program([mention.text]) and not index.find(mention.text, explicit=False).targets
    ]
    if not phrases:
        return {}
    programs = find_programs(index.layout.root, index.layout)
    named = [mention for mention in excluded if mention.text in {program.name for program in programs}]
    wanted = {mention.text for mention in named} or {program.name for program in programs}
    places = dict.fromkeys(program.place for program in programs if program.name in wanted)
    match = TargetMatch(tuple(ModuleTarget(place) for place in places), "" if places else NO_PROGRAM)
    found = dict.fromkeys(phrases, match)
    for mention in named:
        also = index.find(mention.text, explicit=mention.explicit).targets
        if any(target.place not in places for target in also):
            # "the program shop" and "shop" leave out different things.
            module = next(iter(places)).module
            found[mention] = TargetMatch(why_not=f"it names a program, which begins in {module}, and other modules")
        else:
            found[mention] = match
    return found
