"""Agents of one's own: a goal agent that wants tests of every module, and a safety gate that allows one host."""

from testwright.agents import Agent, AgentRequest, AgentResponse, flags, success_response

STAGING = "staging.shop.example"


class EveryModule(Agent):
    """Content when every step kept a test; else it asks for tests of what has none."""

    role = "goal"

    async def _work(self, request: AgentRequest) -> AgentResponse:
        steps = (request.inputs or {})["steps"]
        bare = [step["path"] for step in steps if step["path"] and not step["kept"] and step["status"] == "failed"]
        if not bare or (request.inputs or {})["critiques"]:
            return success_response("every module has tests, or was tried twice")
        return success_response(f"unit tests for {', '.join(bare)}", metadata=flags(terminate=True))


def only_staging(request: AgentRequest) -> bool:
    """Approve requests to the staging host and nothing else that is risky."""
    reasons = (request.inputs or {})["risk"]["reasons"]
    return all(row["kind"] == "requests_host" and row["about"] == STAGING for row in reasons)
