"""Counts what an embeddings model is sent, in the run's budget and audit log; light, so that every run can hold one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...core.usage import ModelBudget, ModelUsage
from ...store.files.audit import AuditEntry

ROLE = "embeddings"
_CHARACTERS_PER_TOKEN = 4


class EmbeddingsMeter:
    """Counts requests to an embeddings model.

    Attributes:
        budget: of the run; None until its models are open.

    Args:
        audit: records every request.
    """

    def __init__(self, audit: Callable[[AuditEntry], None]) -> None:
        self.budget: ModelBudget | None = None
        self._audit = audit
        self._cost: Callable[[int], float] = lambda tokens: 0.0

    def use(self, budget: ModelBudget, cost: Callable[[int], float]) -> None:
        """Count in a budget; `cost` is dollars of so many tokens."""
        self.budget, self._cost = budget, cost

    def require(self) -> None:
        """Check the ceilings before a request. Raises BudgetExhausted."""
        if self.budget is not None:
            self.budget.require()

    def count(self, model: str, texts: Sequence[str]) -> None:
        """Count one request; its tokens are estimated."""
        tokens = sum(-(-len(text) // _CHARACTERS_PER_TOKEN) for text in texts)
        cost = self._cost(tokens)
        if self.budget is not None:
            self.budget.add(ModelUsage(ROLE, model, 1, tokens, cost=cost))
        self._audit(AuditEntry(role=f"{ROLE} model", attempt=1, outcome="ok", model=model, tokens=tokens, cost=cost))
