"""What is reserved before a request, of models and of embeddings, and what a resumed run knows of it."""

from __future__ import annotations

import pytest

from testwright.agents.model.embeddings_meter import EmbeddingsMeter
from testwright.app.model_clients import ceilings_of
from testwright.config.settings import Settings
from testwright.core.errors import BudgetExhausted
from testwright.core.usage import Ceilings, ModelBudget, ModelUsage
from testwright.store.files.audit import AuditEntry

pytestmark = pytest.mark.feature("B-08")


def test_the_room_of_a_request_is_open_while_another_may_use_what_it_needs() -> None:
    budget = ModelBudget(Ceilings(tokens=2000))
    assert budget.answer_room(500, 16_000) == 1500
    ended = budget.next_release()
    with budget.reserved(1100):
        assert budget.answer_room(700, 16_000) is None
        assert budget.answer_room(100, 400) == 400  # fits beside the other
        assert not ended.done()
    assert ended.done()
    assert budget.answer_room(700, 16_000) == 1300
    assert budget.reached is None
    with budget.reserved(10), pytest.raises(BudgetExhausted, match="with the next request"):
        budget.answer_room(1900, 16_000)
    assert budget.reached is not None


def test_requests_that_ended_in_another_order_than_they_began_leave_nothing_reserved() -> None:
    """The fractions that are left of their costs would keep the next one waiting for a release that never comes."""
    budget = ModelBudget(Ceilings(cost=0.01))
    under_way = [budget.reserved(1, cost) for cost in (0.001, 0.002, 0.007)]
    for one in under_way:
        one.__enter__()
    for one in under_way:
        one.__exit__(None, None, None)
    assert budget.answer_room(0, 16_000, lambda tokens_in, tokens_out: tokens_out / 1_000_000) == 10_000
    budget.require_room(1, 0.01)


def test_a_wait_that_is_given_up_hinders_no_release() -> None:
    budget = ModelBudget(Ceilings(tokens=2000))
    first, second = budget.next_release(), budget.next_release()
    first.cancel()
    with budget.reserved(1):
        pass
    assert second.done()


def test_embeddings_reserve_their_tokens_and_are_not_sent_beyond_a_ceiling() -> None:
    audit: list[AuditEntry] = []
    kept: list[ModelUsage] = []
    budget = ModelBudget(Ceilings(tokens=100, cost=1.0))
    meter = EmbeddingsMeter(audit.append)
    meter.use(budget, lambda tokens: tokens / 100, kept.append)
    with meter.counted("small", ["a" * 120]):
        assert budget.answer_room(10, 50) == 50
        assert budget.answer_room(10, 60) is None
    assert (budget.total.tokens, budget.total.cost, budget.total.calls) == (40, 0.4, 1)
    assert [(one.role, one.tokens, one.cost) for one in audit] == [("embeddings model", 40, 0.4)]
    assert [(one.model, one.tokens_in) for one in kept] == [("small", 40)]
    with budget.reserved(50), pytest.raises(BudgetExhausted), meter.counted("small", ["a" * 120]):
        pytest.fail("it was sent")
    assert budget.reached is None  # what is under way may use less
    with pytest.raises(BudgetExhausted, match="the ceiling on tokens"), meter.counted("small", ["a" * 240]):
        pytest.fail("it was sent")
    assert budget.reached is None  # the run goes on without them, and what is left of it may be enough
    budget.add(ModelUsage("spec", "m", 1, 60))
    with pytest.raises(BudgetExhausted), meter.counted("small", ["a"]):
        pytest.fail("it was sent")
    assert budget.reached == "the ceiling on tokens (100 tokens) is reached"
    assert [one.role for one in budget.by_role()] == ["embeddings", "spec"]


def test_a_request_for_embeddings_that_fails_counts_nothing_and_frees_its_room() -> None:
    budget = ModelBudget(Ceilings(tokens=1000))
    meter = EmbeddingsMeter(lambda entry: None)
    meter.use(budget, lambda tokens: 0.0)
    with pytest.raises(ConnectionError), meter.counted("small", ["a" * 120]):
        raise ConnectionError
    assert budget.total.calls == 0
    assert budget.answer_room(0, 1000) == 1000


@pytest.mark.parametrize(("ceiling", "for_end"), [(10, 2), (60, 12), (100, 12), (600, 60)])
def test_a_part_of_the_ceiling_on_time_is_for_the_end_of_the_run(ceiling: float, for_end: float) -> None:
    ceilings = ceilings_of(Settings(max_seconds=ceiling))
    used = [0.0]
    budget = ModelBudget(ceilings, lambda: used[0])
    assert (budget.seconds_left, budget.exceeded()) == (pytest.approx(ceiling - for_end), None)
    used[0] = ceiling - for_end
    assert (budget.seconds_left, budget.exceeded()) == (0.0, f"the ceiling on time ({ceiling} s) is reached")
