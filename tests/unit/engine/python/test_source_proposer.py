from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import pytest

from testwright.engine.python.inputs.variations import variations
from testwright.engine.python.model.model import Arc, Observation, Outcome, Raised, Trial, Value
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.called_results import result_calls
from testwright.engine.python.search.havoc import havoc_mutations, module_constants
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.engine.python.search.trial_mutation import (
    construction_mutations,
    guided_mutations,
    mutations_of,
)
from testwright.engine.python.source.literals import literal_places, with_source
from testwright.tests.support.engine.python_projects import context_of, facts_of, write_project

pytestmark = pytest.mark.feature("B-06")

SOURCE = """
class Job:
    def __init__(self, size: int):
        self.size = size
    def start(self, speed=1):
        if self.size > 3:
            return "long"
        return "short"

class _Ticket:
    def stamp(self, text: str):
        if text == "vip":
            return 1
        return 2

def ticket():
    return _Ticket()

def kind(text: str, mode="plain"):
    if text == "magic words" and mode == "odd":
        return 1
    return 0
"""


@pytest.fixture
def project(tmp_path):
    return write_project(tmp_path, {"m.py": SOURCE})


def proposer(project):
    layout = find_layout(project)
    return SourceProposer(project, layout, facts_of(project, "m.py"))


def seen(arcs: Iterable[Arc] = (), outcome: Outcome = "returned", **more) -> Observation:
    return Observation(outcome=outcome, arcs=frozenset(arcs), **more)


def acts(trials):
    return [trial.act for trial in trials]


def test_literals_are_found_and_replaced_in_place():
    trial = Trial("f", "f('é', [1, -2], x={'a': 1})", arrange=("y = g(3)",), wanted="1\n", wanted_line=4)
    places = literal_places(trial)
    assert [place.source for place in places] == ["'é'", "[1, -2]", "1", "-2", "{'a': 1}", "'a'", "1", "3"]
    changed = with_source(trial, places[1], "[]")
    assert (changed.act, changed.wanted, changed.wanted_line) == ("f('é', [], x={'a': 1})", None, 0)
    assert with_source(trial, places[-1], "4").arrange == ("y = g(4)",)


def test_compared_values_are_written_where_the_other_side_came_from():
    trial = Trial("f", "f('abc', 7)")
    assert "f('magic', 7)" in acts(guided_mutations(trial, [(2, "'abc'", "'magic'")]))
    assert {"f('abc', 41)", "f('abc', 42)", "f('abc', 40)"} <= set(acts(guided_mutations(trial, [(2, "7", "41")])))
    assert "f('x:c', 7)" in acts(guided_mutations(trial, [(2, "'ab'", "'x:'")]))
    assert "f('y', 7)" in acts(guided_mutations(trial, [(2, "'abc'", "('x', 'y')")]))


def test_compared_lengths_resize_what_has_that_length():
    found = acts(guided_mutations(Trial("f", "f([1, 2])"), [(2, "2", "4")]))
    assert "f([1, 2, 1, 2])" in found


def test_a_text_is_changed_wherever_the_compared_part_stands():
    found = acts(guided_mutations(Trial("f", "f('a=1,b=2')"), [(3, "'='", "'}'")]))
    assert {"f('a}1,b=2')", "f('a=1,b}2')", "f('a=1,b=2}')", "f('a=1,b}=2')"} <= set(found)


def test_the_end_of_a_text_is_where_more_is_written():
    assert "f('{}')" in acts(guided_mutations(Trial("f", "f('{')"), [(3, "''", "'}'")]))


def test_every_comparison_has_its_turn():
    operands = [(3, "'='", "'}'"), (4, "1", "5")]
    assert "f('a=b=c', 5)" in acts(guided_mutations(Trial("f", "f('a=b=c', 1)"), operands))[:2]


def test_the_object_acted_on_is_built_with_options_that_the_act_reads(tmp_path):
    source = """
        class Job:
            def __init__(self, size=1, loud=False, slow=False):
                self.size = size
                self.loud = loud
                self.slow = slow

            def start(self):
                return "!" if self.slow else "."
        """
    root = write_project(tmp_path, {"m.py": source})
    facts, context = context_of(root, "m.py")
    subject = next(callable_ for callable_ in facts.callables() if callable_.name == "start")
    trial = Trial("Job.start", "job.start()", ("from m import Job",), ("job = Job()",))
    found = list(construction_mutations(trial, subject, context))
    assert found[0].arrange[-1].startswith("job = Job(slow=")
    assert {one.act for one in found} == {"job.start()"}


def test_long_documented_texts_are_changed_by_their_parts(project):
    text = "Usage:\n  prog tcp <host> [--fast]\n  prog serial\n" * 5
    trial = Trial("kind", f"kind({text!r}, ['tcp', '--fast'])")
    found = [
        mutation
        for wave in range(1, 40)
        for mutation in havoc_mutations(trial, facts_of(project, "m.py"), 19, wave, 12)
    ]
    texts = {str(literal_places(one)[0].value) for one in found}
    assert sum(len(text) - 60 < len(one) < len(text) + 60 and one != text for one in texts) > 10
    lists = [place.value for one in found for place in literal_places(one) if isinstance(place.value, list)]
    assert any("serial" in list_ for list_ in lists), "words of the text are put into the list"


def test_operands_that_are_no_literals_change_nothing():
    assert guided_mutations(Trial("f", "f(1)"), [(2, "<object>", "Cart()")]) == []


@pytest.mark.parametrize("value", [3, -1, 2.5, "ab c", "", [1, 2], [], (1,), {"a": 1}, {1}, None, True, b"x"])
def test_variations_are_other_values_that_evaluate(value):
    found = variations(value)
    assert found
    assert repr(value) not in found
    for source in found:
        eval(source, {})


def test_mutations_never_repeat_the_trial_and_are_the_same_each_time(project):
    facts, context = context_of(project, "m.py")
    trial = Trial("kind", "kind('abc', mode='plain')", imports=("from m import kind",))
    observation = seen(operands=((19, "'abc'", "'magic words'"),))
    found = mutations_of(trial, observation, facts, context)
    assert trial.act not in acts(found)
    assert found[0].act == "kind('magic words', mode='plain')"
    assert "kind('abc')" in acts(found)
    assert mutations_of(trial, observation, facts, context) == found
    assert all(one.wanted is None for one in found)


def test_sequences_put_changes_before_the_act(project):
    facts, context = context_of(project, "m.py")
    trial = Trial("Job.start", "job.start()", imports=("from m import Job",), arrange=("job = Job(3)",))
    arranged = {one.arrange for one in mutations_of(trial, seen(), facts, context)}
    assert ("job = Job(3)", "job.start()") in arranged


def test_havoc_is_fixed_by_its_seed_and_uses_the_modules_words(project):
    facts = facts_of(project, "m.py")
    trial = Trial("kind", "kind('abc')")
    assert havoc_mutations(trial, facts, 19, 1, 20) == havoc_mutations(trial, facts, 19, 1, 20)
    assert havoc_mutations(trial, facts, 19, 1, 20) != havoc_mutations(trial, facts, 19, 2, 20)
    assert "magic words" in module_constants(facts)


def test_functions_that_come_back_are_called():
    value = Value("types.FunctionType", text="<function>")
    assert "make(1)(3)" in acts(result_calls(Trial("make", "make(1)"), seen(value=value)))
    assert result_calls(Trial("make", "make(1)"), seen(value=Value("int", "1"))) == []


def test_follow_up_comes_only_after_something_new(project):
    one = proposer(project)
    trial = Trial("kind", "kind('abc')", imports=("from m import kind",))
    first = one.follow_up(trial, seen({(19, 21)}, operands=((19, "'abc'", "'magic words'"),)))
    assert "kind('magic words')" in acts(first)
    assert one.follow_up(Trial("kind", "kind('abd')"), seen({(19, 21)})) == []


def test_nothing_is_proposed_twice(project):
    one = proposer(project)
    initial = list(one.initial())
    follow = one.follow_up(initial[0], seen({(18, 19), (19, 21)}))
    keys = [(trial.act, trial.mode, trial.arrange) for trial in (*initial, *follow)]
    assert len(set(keys)) == len(keys)


def test_arrangements_that_failed_are_not_built_on(project):
    one = proposer(project)
    stream = one.initial()
    first = next(trial for trial in stream if trial.arrange)
    one.follow_up(first, seen(outcome="arrange_failed", raised=Raised("ValueError")))
    assert not [trial for trial in stream if trial.arrange[: len(first.arrange)] == first.arrange]


def test_stream_goes_on_once_observations_came_in(project):
    one = proposer(project)
    stream = one.initial()
    given = list(stream)
    assert list(stream) == []
    for trial in given:
        one.follow_up(trial, seen({(19, 21)} if trial.subject == "kind" else ()))
    assert list(islice(stream, 1))


def test_objects_of_private_classes_that_come_back_are_used(project):
    one = proposer(project)
    stream = one.initial()
    for trial in list(stream):
        value = Value("m._Ticket", text="<m._Ticket>") if trial.subject == "ticket" else None
        one.follow_up(trial, seen(value=value))
    found = [trial for trial in stream if trial.subject == "_Ticket.stamp"]
    assert found[0].arrange == ("ticket = ticket()",) or found[0].arrange[0].endswith(" = ticket()")
    assert any("'vip'" in trial.act for trial in found)


def test_arguments_that_never_fit_are_dropped_from_later_waves(project):
    one = proposer(project)
    stream = one.initial()
    misfit = Raised("TypeError", "no")
    for trial in list(stream):
        bad = trial.subject == "kind" and "mode=True" in trial.act
        one.follow_up(trial, seen(outcome="raised", raised=misfit) if bad else seen({(19, 21)}))
    learned = one.context.learned
    assert all(parameter == "mode" for _, parameter, _ in learned.rejected)


def test_two_proposers_of_one_project_agree(project):
    left, right = proposer(project), proposer(project)
    assert list(left.initial()) == list(right.initial())
