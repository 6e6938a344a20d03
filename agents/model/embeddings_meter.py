"""Counts what an embeddings model is sent, in the run's budget and audit log; light, so that every run can hold one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ...core.usage import ModelBudget, ModelUsage
from ...store.files.audit import AuditEntry
from .token_estimate import estimated_tokens

ROLE = "embeddings"


class EmbeddingsMeter:
    """Counts requests to an embeddings model; their tokens are estimated.

    Attributes:
        budget: of the run; None until its models are open.

    Args:
        audit: records every request.
    """

    def __init__(self, audit: Callable[[AuditEntry], None]) -> None:
        self.budget: ModelBudget | None = None
        self._audit = audit
        self._cost: Callable[[int], float] = lambda tokens: 0.0
        self._keep: Callable[[ModelUsage], None] = lambda usage: None

    def use(
        self,
        budget: ModelBudget,
        cost: Callable[[int], float],
        keep: Callable[[ModelUsage], None] = lambda usage: None,
    ) -> None:
        """Count in a budget.

        Args:
            cost: dollars of so many tokens.
            keep: stores what a request used, so that a resumed run counts it.
        """
        self.budget, self._cost, self._keep = budget, cost, keep

    @contextmanager
    def counted(self, model: str, texts: Sequence[str]) -> Iterator[None]:
        """Reserve room for one request, and count it once it was answered. Raises BudgetExhausted."""
        tokens = estimated_tokens(*texts)
        usage = ModelUsage(ROLE, model, 1, tokens, cost=self._cost(tokens))
        if self.budget is None:
            yield
        else:
            self.budget.require_room(tokens, usage.cost)
            with self.budget.reserved(tokens, usage.cost):
                yield
                # Counted first: what a recount in another thread finds stored must be counted already.
                self.budget.add(usage)
                self._keep(usage)
        self._audit(
            AuditEntry(role=f"{ROLE} model", attempt=1, outcome="ok", model=model, tokens=tokens, cost=usage.cost)
        )
