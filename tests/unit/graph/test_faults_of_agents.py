"""What an agent's answer without a result means for its step."""

import pytest

from testwright.agents.contract.failures import error_from
from testwright.agents.contract.protocol import AgentResponse, ResponseStatus
from testwright.core.errors import StoreUnreachable
from testwright.graph.faults import agent_fault

pytestmark = pytest.mark.feature("A-08")


def test_an_agent_that_cannot_store_its_answer_stops_the_run_instead_of_failing_its_step():
    lost = error_from(StoreUnreachable("The database does not serve.", advice="Start it."), "spec")
    with pytest.raises(StoreUnreachable, match="does not serve") as caught:
        agent_fault(lost, "spec", AgentResponse(status=ResponseStatus.ERROR, error=lost))
    assert caught.value.advice == "Start it."
