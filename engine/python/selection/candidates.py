"""Ranks the trials that can become tests: what they show, how hard they are to read, and whether a test may show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from ..domain.example_texts import signs_beside
from ..domain.membership import count_outside, knows_domains
from ..facts.lineage import with_inherited
from ..inputs.plain_texts import is_half_word, oddness, oddness_beside
from ..inputs.template_dialects import foreign_samples
from ..inputs.text_formats import ALL_TEXTS, fitting_texts
from ..judge.readability import reading_cost, rebinds_import
from ..judge.value_checks import LONGEST_SOURCE
from ..misfits.forbidden_calls import calls_forbidden_class, classes_made_elsewhere
from ..misfits.foreign_texts import passes_foreign_text
from ..misfits.unfit import is_unfit
from ..model.domain import CallableDomains
from ..model.model import CHANGED_SOURCES, RICH_SOURCES, CallableFacts, ModuleFacts
from ..scenarios.drawn_results import DrawnByChance, is_seeded
from ..scenarios.scenario import ShownBehaviour
from ..search.influence_trials import Distinction
from ..search.simplified_trials import PLAINER, SIMPLIFIED
from ..search.trial_search import SLOW_STEPS, TrialRecord, has_assertable_outcome, returned_none
from ..usage.harvest import builds_from_other_texts, texts_of_objects
from ..usage.invented_words import invented_words, written_acts
from .compared_calls import (
    constant_callables,
    deprecated_uses,
    interchangeable_calls,
    loose_comparisons,
    misuses_of_empty_objects,
)
from .goals import Goal, goals_of
from .idle_arguments import idle_records
from .idle_steps import records_with_idle_steps
from .meant_errors import RaisingLines, is_meant, raised_by_accident
from .representative import Representation, represent, shows_unset_parts, texts_in
from .tautologies import (
    answers_undecorated,
    changes_nothing,
    says_nothing,
    silent_methods,
    ways_of_changes,
    works_on_nothing,
)

_FOUND_BY_SEARCH = CHANGED_SOURCES | {SIMPLIFIED, PLAINER}


@dataclass(frozen=True, slots=True)
class TrialCandidate:
    """A record with the properties that decide about its selection.

    Attributes:
        goals: behaviours it shows besides its arcs; see `goals_of`.
        cost: how hard it is to read; lower is better.
        asserts: whether an exact assertion is possible.
        example: whether it is a documented example, which is selected whatever the others show.
        misfits: number of arguments outside the domain of their parameter; such a trial is a last resort.
        idle: whether an argument has no effect: the call without it was seen to have the same outcome.
        refusal: whether a `raise` statement of the module raised its exception.
        meant: whether its outcome is behaviour: a result, an exception that the code or a document announces, or one of
            Python's protocols; not the error of a wrong call.
        kills: mutants that its test would detect.
        oddness: of its oddest text, by `oddness`; 0 where documents, usage or natural values have all of them. At least
            1 where an object is built from texts that no document builds one of its class from, though some do.
        formatted: whether a text is a sample of a format that the module does not speak of, which a person passes only
            where it makes a difference.
        interchangeable: whether another method of the class does the same for the same object and arguments.
        constant: whether its callable gave this answer to whatever it was asked.
        invented: options that are given a word which no person passes; where they take only some, it is a misfit.
    """

    record: TrialRecord
    goals: frozenset[Goal]
    cost: float
    asserts: bool
    example: bool
    representation: Representation
    misfits: int = 0
    refusal: bool = False
    meant: bool = True
    kills: frozenset[int] = frozenset()
    oddness: int = 0
    idle: bool = False
    formatted: bool = False
    interchangeable: bool = False
    constant: bool = False
    invented: frozenset[str] = frozenset()

    @property
    def subject(self) -> str:
        """Qualified name of the callable under test."""
        return self.record.trial.subject

    @property
    def raises(self) -> bool:
        """Whether the trial raised."""
        return self.record.observation.raised is not None

    @property
    def says_whether(self) -> bool:
        """Whether the answer is that something holds or does not."""
        return isinstance(self.representation.result, bool)

    @property
    def shows_little(self) -> bool:
        """Whether what comes back is empty or as it was given; that something holds or not is an answer."""
        return self.representation.trivial and not (self.raises or self.says_whether)


def rank_candidates(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    kills: Mapping[int, frozenset[int]] | None = None,
    *,
    alike: int = 1,
) -> list[TrialCandidate]:
    """Returns the records that can become tests: those with an exact assertion first, then by reading cost.

    Args:
        kills: mutants that records detect, by record number.
        alike: how many to keep of the records that show the same; those with other results, and of other forms, first.
    """
    return plainest_candidates(candidates_of(records, facts, kills), alike=alike)


def plainest_candidates(candidates: Sequence[TrialCandidate], *, alike: int) -> list[TrialCandidate]:
    """Keeps so many of the candidates that show the same, in the order of `rank_candidates`."""
    found: dict[Goal, list[TrialCandidate]] = {}
    for one in candidates:
        same = (one.subject, one.record.arcs, one.goals, one.record.trial.wanted, one.kills)
        found.setdefault(same, []).append(one)
    kept = [candidate for group in found.values() for candidate in _plainest(group, alike)]
    return sorted(kept, key=lambda item: (not item.asserts, item.cost, item.record.number))


def candidates_of(
    records: Sequence[TrialRecord], facts: ModuleFacts, kills: Mapping[int, frozenset[int]] | None = None
) -> list[TrialCandidate]:
    """All records that a test may show, with what decides about them, in the order of the records.

    Args:
        kills: mutants that records detect, by record number.
    """
    # Returning None is worth asserting where the callable is annotated otherwise or sometimes returns something else.
    callables = with_inherited(facts)
    none_matters = {subject.qualname for subject in callables.values() if subject.returns not in (None, "", "None")}
    none_matters |= {record.trial.subject for record in records if not returned_none(record.observation)}
    shorter = {one.trial.subject for one in records if one.observation.raised is None and not _is_long(one)}
    fit_known, lines = knows_domains(facts), RaisingLines.of(facts)
    built = texts_of_objects([one.trial for one in records], facts)
    written, fitting = _written_texts(records, facts).union(*built.values()), fitting_texts(facts)
    misused, interchangeable = misuses_of_empty_objects(records), interchangeable_calls(records)
    idle, constant = idle_records(records), constant_callables(records)
    foreign = foreign_samples(
        text for one in records if one.trial.source in RICH_SOURCES for text in texts_in(one.trial)
    )
    found: list[TrialCandidate] = []
    domains = {one.qualname: one for one in facts.domains}
    acts = written_acts(one.trial for one in records)
    for record in _admitted(records, facts, lines, fitting):
        trial, raised = record.trial, record.observation.raised
        called = callables.get(trial.subject)
        traits = _traits(record, called, facts, fit_known=fit_known)
        invented = dict(invented_words(trial, called, domains.get(trial.subject), acts))
        shows_foreign = bool(traits.representation.texts & foreign)
        odd = (_oddness(text, fitting, written) for text in traits.representation.texts - written)
        candidate = TrialCandidate(
            record=record,
            goals=traits.goals,
            cost=traits.cost,
            asserts=_asserts(record, none_matters) and not (_is_long(record) and trial.subject in shorter),
            example=bool(trial.wanted) and not record.seen.random and record.seen.steps <= SLOW_STEPS,
            representation=traits.representation,
            misfits=sum((traits.misfits, record.number in misused, shows_foreign, *invented.values())),
            idle=record.number in idle or _leaves_alike(record, traits.representation),
            refusal=raised is not None and raised.line in lines.raising,
            meant=bool(trial.wanted) or is_meant(record, traits.representation, lines),
            kills=(kills or {}).get(record.number, frozenset()),
            interchangeable=record.number in interchangeable,
            constant=trial.subject in constant,
            invented=frozenset(invented),
            formatted=trial.source not in RICH_SOURCES and bool(traits.representation.texts & ALL_TEXTS - fitting),
            oddness=max([int(builds_from_other_texts(trial, built)), *odd]),
        )
        found.append(candidate)
    return found


def _oddness(text: str, fitting: frozenset[str], written: frozenset[str]) -> int:
    return max(oddness_beside(text, fitting), 2 * is_half_word(text, written))


def _asserts(record: TrialRecord, none_matters: Set[str]) -> bool:
    """Whether an exact assertion is possible; None counts for callables of which it says something."""
    says_none = returned_none(record.observation) and record.trial.subject in none_matters
    return has_assertable_outcome(record.observation) or says_none


def _leaves_alike(record: TrialRecord, shown: Representation) -> bool:
    """Whether an option is passed where an object comes back as it was, and not because of the option."""
    value = record.observation.value
    alike = value is not None and value.unchanged and shown.trivial and shown.options > 0
    return alike and Distinction not in record.notes and not record.trial.wanted


def _admitted(
    records: Sequence[TrialRecord], facts: ModuleFacts, lines: RaisingLines, fitting: frozenset[str]
) -> Iterator[TrialRecord]:
    """Generates the records that a test may show: no accident, no draw, nothing that another record shows better."""
    shown = {
        (one.trial.act, *one.trial.arrange)
        for one in records
        if one.trial.act.startswith("repr(") and not shows_unset_parts(one.trial, one.observation)
    }
    valued = {(f"print({one.trial.act})", *one.trial.arrange) for one in records if _has_source(one)}
    drawing = {one.trial.subject for one in records if DrawnByChance in one.notes}
    passed_over = records_with_idle_steps(records, facts) | deprecated_uses(records) | loose_comparisons(records)
    silent = silent_methods(records)
    changing = ways_of_changes(records, silent)
    forbidden = classes_made_elsewhere((one.trial for one in records if one.observation.outcome == "returned"), facts)
    for record in records:
        if record.number in passed_over or says_nothing(record, facts) or _is_unfit(record, facts, fitting):
            continue
        if calls_forbidden_class(record.trial, forbidden):
            continue
        if record.trial.subject in drawing and _pins_draw(record):
            continue
        if raised_by_accident(record, lines) or rebinds_import(record.trial):
            continue
        if silent and (works_on_nothing(record.trial, silent) or changes_nothing(record, changing)):
            continue
        if not record.trial.wanted and answers_undecorated(record.trial, record.observation):
            continue
        if (f"repr({record.trial.act})", *record.trial.arrange) in shown and not record.trial.wanted:
            continue  # another record compares the whole object
        if (record.trial.act, *record.trial.arrange) in valued:
            continue  # another record compares the value, of which this one shows the text
        yield record


class _Unfit:
    """Key of the notes of records: the domains by which a trial was judged, and whether it is unfit."""


def _is_unfit(record: TrialRecord, facts: ModuleFacts, fitting: frozenset[str]) -> bool:
    """Whether no test may show what a record passes, cached in its notes: records are ranked many times."""
    known = record.notes.get(_Unfit)
    if not isinstance(known, tuple) or known[0] is not facts.domains:
        unfit = is_unfit(record.trial, facts) or passes_foreign_text(record.trial, facts, fitting)
        known = record.notes[_Unfit] = (facts.domains, unfit)
    return bool(known[1])


def _has_source(record: TrialRecord) -> bool:
    value = record.observation.value
    return record.observation.outcome == "returned" and value is not None and value.source is not None


def _pins_draw(record: TrialRecord) -> bool:
    """Whether a test would pin what a seed happens to draw: that is an accident of Python's version."""
    returned = record.observation.outcome == "returned"
    return returned and is_seeded(record.trial) and ShownBehaviour not in record.notes and not record.trial.wanted


def _is_long(record: TrialRecord) -> bool:
    """Whether the result is too long to be asserted as a whole; a documented one is asserted as its document says."""
    value = record.observation.value
    return value is not None and len(value.source or "") > LONGEST_SOURCE and not record.trial.wanted


def _written_texts(records: Sequence[TrialRecord], facts: ModuleFacts) -> frozenset[str]:
    """Returns the texts of documents and usage, and those natural values that a person would write.

    Signs alone count where the code compares with them, a document lists them or they stand for a default that is one:
    `<`, but no row of brackets.
    """
    compared = {part.operand for one in facts.callables() for part in one.comparisons}
    compared.update(choice for one in facts.domains for _, domain in one.parameters for choice in domain.choices)
    defaults = {item.default for one in facts.callables() for item in one.parameters if item.default}
    compared.update(repr(sign) for default in sorted(defaults) for sign in signs_beside(default))
    return frozenset(
        text
        for record in records
        if record.trial.source not in _FOUND_BY_SEARCH
        for text in texts_in(record.trial)
        if record.trial.source in RICH_SOURCES
        or (text not in ALL_TEXTS and (any(map(str.isalnum, text)) or not oddness(text) or repr(text) in compared))
    )


def _plainest(group: Sequence[TrialCandidate], count: int) -> list[TrialCandidate]:
    """Chooses so many: the plainest one, the plainest of another form and with another result, then the next ones."""
    ordered = sorted(group, key=_plainness)
    first = ordered[0].representation
    other = [one for one in ordered if repr(one.representation.result) != repr(first.result)]
    other_form = [one for one in other if one.representation.shape != first.shape]
    chosen = {one.record.number: one for one in (*ordered[:1], *other_form[:1], *other[:1], *ordered)}
    return list(chosen.values())[:count]


_FOR_READERS = frozenset({"doctest", "prose", "document", "example"})


def _plainness(candidate: TrialCandidate) -> tuple[float, ...]:
    """Orders candidates that show the same: first those that a reader learns from, then the shortest."""
    shown = candidate.representation
    return (
        candidate.misfits,
        candidate.idle,
        not candidate.meant,
        candidate.oddness,
        shown.degeneracy,
        shown.only_wraps,
        -shown.signs,
        candidate.interchangeable,
        candidate.formatted,
        # What a person wrote for readers stands for itself, before what the search made of it.
        candidate.record.trial.source not in _FOR_READERS,
        # So does what the project itself passes, before what was made up.
        candidate.record.trial.source not in RICH_SOURCES,
        candidate.cost,
        candidate.record.number,
    )


@dataclass(frozen=True, slots=True)
class _Traits:
    """Properties of a record that do not depend on other records."""

    goals: frozenset[Goal]
    cost: float
    misfits: int
    representation: Representation
    domains: tuple[CallableDomains, ...]


def _traits(record: TrialRecord, subject: CallableFacts | None, facts: ModuleFacts, *, fit_known: bool) -> _Traits:
    """Returns the record's traits, cached in its notes: records are ranked many times."""
    traits = record.notes.get(_Traits)
    if not isinstance(traits, _Traits) or traits.domains is not facts.domains:
        # Slowness is counted in executed lines: seconds would differ between runs.
        slowness = record.seen.steps / 100 if record.seen.steps > SLOW_STEPS else 0.0
        traits = _Traits(
            goals=goals_of(record),
            cost=reading_cost(record.trial, record.observation) + slowness,
            misfits=count_outside(record.trial, facts) if fit_known else 0,
            representation=represent(record.trial, record.observation, subject, facts),
            domains=facts.domains,
        )
        record.notes[_Traits] = traits
    return traits
