"""What an agent's answer without a result means for its step."""

import pytest

from testwright.agents.contract.failures import error_from
from testwright.agents.contract.protocol import AgentResponse, ResponseStatus
from testwright.core.errors import ApplicationFault, InterpreterError, StoreUnreachable, TestwrightError, ToolMissing
from testwright.graph.faults import agent_fault, fault_of

pytestmark = pytest.mark.feature("A-08")


def test_an_agent_that_cannot_store_its_answer_stops_the_run_instead_of_failing_its_step():
    lost = error_from(StoreUnreachable("The database does not serve.", advice="Start it."), "spec")
    with pytest.raises(StoreUnreachable, match="does not serve") as caught:
        agent_fault(lost, "spec", AgentResponse(status=ResponseStatus.ERROR, error=lost))
    assert caught.value.advice == "Start it."


@pytest.mark.feature("T-20")
@pytest.mark.parametrize(
    ("error", "ends_run"),
    [
        (ToolMissing("There is no Chromium.", advice="Install one."), False),
        (ApplicationFault("It does not start."), False),
        (InterpreterError("No Python works."), True),
    ],
)
def test_what_one_kind_of_tests_or_one_application_lacks_ends_its_own_step_only(error: TestwrightError, ends_run: bool):
    told = error_from(error, "spec")
    fault = agent_fault(told, "spec", AgentResponse(status=ResponseStatus.ERROR, error=told))
    assert (fault.exit_reason, fault.ends_run) == ("environment", ends_run)
    assert fault_of(error).ends_run == ends_run
