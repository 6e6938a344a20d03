"""Creates the agent of each role: the embedded one, or one that calls the role's model. Roles mix freely.

Agents may each work in a process of its own (`agent_process.py`), which is started for every request.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..agents.contract.contracts import contract_of
from ..agents.contract.function_agent import Metering
from ..agents.contract.lifecycle import Agent
from ..agents.contract.protocol import AgentProtocol, AgentRequest, AgentResponse, ErrorType, error_response
from ..agents.embedded.analyzer_agent import EmbeddedAnalyzerAgent
from ..agents.embedded.evidence.hypothesis_agent import EmbeddedHypothesisAgent
from ..agents.embedded.evidence.judge_agent import EmbeddedJudgeAgent
from ..agents.embedded.evidence.report_agent import EmbeddedReportAgent
from ..agents.embedded.evidence.search_agent import EmbeddedSearchAgent
from ..agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from ..agents.embedded.repository.case_agent import EmbeddedCaseAgent
from ..agents.embedded.repository.crawler_agent import EmbeddedCrawlerAgent, RepositoryTools
from ..agents.embedded.repository.engineer_agent import EmbeddedEngineerAgent
from ..agents.embedded.specs.evidence_examples import EvidenceExamples
from ..agents.embedded.specs.first_tests import FirstTests
from ..agents.embedded.specs.spec_agent import EmbeddedSpecAgent, PrefetchedSpec, SpecGenerator
from ..agents.embedded.writing_agent import EmbeddedWritingAgent
from ..agents.model.chat import ModelChat
from ..config.settings import Settings
from ..core.usage import ModelBudget, ModelUsage
from ..sandbox.target import ProvideTarget
from ..store.files.audit import AuditEntry
from .bootstrap import unit_spec_generator
from .on_demand.spec_generators import spec_generators
from .own_agents import own_agents, steering_agents

_BEGIN = """\
import sys
sys.path.append(sys.argv[1])
from testwright.app.fast_imports import fast_imports
with fast_imports():
    from testwright.app.agent_process import main
main()
"""
_STDERR_CHARACTERS = 2000
_PART = 1 << 16


def create_planner(settings: Settings, chat: ModelChat | None) -> Agent:
    """Create the planner, which needs nothing of a run.

    Args:
        chat: the planner's model; None for the embedded planner. A planner of the user's own comes before both.

    Raises:
        SettingsError: the user's own planner cannot be loaded.
    """
    if "planner" in settings.agents:
        own = {"planner": settings.agents["planner"]}
        return own_agents(own, settings.root, seconds=settings.control.agent_seconds)["planner"]
    if chat is None:
        return _embedded_planner(settings)
    from .on_demand.model_agents import model_planner

    return model_planner(chat, _embedded_planner(settings))


def _embedded_planner(settings: Settings) -> EmbeddedPlannerAgent:
    command, application = tuple(shlex.split(settings.app_command or "")), settings.app_object or ""
    contract, url = contract_of("planner"), settings.app_url or ""
    return EmbeddedPlannerAgent(command=command, application=application, url=url, contract=contract)


def _evidence_agents(tools: RepositoryTools, chat: ModelChat | None) -> dict[str, Agent]:
    """Create the agents of the evidence loop, by role."""
    embedded: dict[str, Agent] = {
        "evidence_search": EmbeddedSearchAgent(tools, contract=contract_of("evidence_search")),
        "evidence_hypothesis": EmbeddedHypothesisAgent(contract=contract_of("evidence_hypothesis")),
        "evidence_judge": EmbeddedJudgeAgent(contract=contract_of("evidence_judge")),
        "evidence_report": EmbeddedReportAgent(contract=contract_of("evidence_report")),
    }
    if chat is None:
        return embedded
    from .on_demand.model_agents import model_evidence_agents

    return model_evidence_agents(chat, embedded)


def create_agents(
    settings: Settings,
    target: ProvideTarget,
    models: Mapping[str, ModelChat],
    tools: RepositoryTools,
    *,
    unit: SpecGenerator | None = None,
    prefetched: PrefetchedSpec | None = None,
    first: FirstTests | None = None,
    own: Mapping[str, Any] | None = None,
    metering: Metering | None = None,
) -> dict[str, Agent]:
    """Create the agents of a run, by role.

    Args:
        target: prepares the target's environment when it is first needed.
        models: by role; a role without one gets its embedded agent.
        tools: reads API documents and repositories.
        unit: generates specs of unit tests; None creates a generator.
        prefetched: a spec that was started early; None for none.
        first: writes the first tests of a run of another type; None for no preview.
        own: agents and functions of the caller's own, by role; they come before those of the settings.
        metering: counts what agents of the user's own say that they used.

    Raises:
        SettingsError: an agent of the user's own cannot be loaded.
    """
    generators = {
        "unit": unit or unit_spec_generator(settings, target),
        **spec_generators(settings, target, tools, first),
    }
    # Spec and writer have no contract here: tools validate their answers, hydration validates their inputs.
    agents: dict[str, Agent] = {
        "planner": create_planner(settings, models.get("planner")),
        "spec": EmbeddedSpecAgent(generators, shown=EvidenceExamples(target, settings.root), prefetched=prefetched),
        "writer": EmbeddedWritingAgent(),
        "analyzer": EmbeddedAnalyzerAgent(contract=contract_of("analyzer")),
        "crawler": EmbeddedCrawlerAgent(tools, contract=contract_of("repo_crawler")),
        "case": EmbeddedCaseAgent(contract=contract_of("test_case_generator")),
        "engineer": EmbeddedEngineerAgent(contract=contract_of("test_engineer")),
        **_evidence_agents(tools, models.get("evidence")),
    }
    if models:
        from .on_demand.model_agents import model_agents

        agents |= model_agents(settings, target, models, tools, agents["spec"])
    given = {**settings.agents, **(own or {})}
    if "planner" in given:
        agents["embedded_planner"] = _embedded_planner(settings)
    of_user = own_agents(given, settings.root, seconds=settings.control.agent_seconds, metering=metering)
    return {**agents, **steering_agents(settings, models, own=given), **of_user}


@dataclass
class _Session:
    """State that the isolated agents of one run share.

    Attributes:
        one_at_a_time: held while a process runs.
        given_out: keys of stored answers that were used in this session.
    """

    settings: dict[str, Any]
    run_id: str
    audit: Callable[[AuditEntry], None]
    budget: ModelBudget
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    given_out: set[str] = field(default_factory=set)

    def apply(self, message: Mapping[str, Any]) -> None:
        """Apply a message of a running process: an attempt, usage, the key of a used answer, a reached ceiling."""
        if "audit" in message:
            fields: dict[str, Any] = {**message["audit"], "errors": tuple(message["audit"]["errors"])}
            self.audit(AuditEntry(**fields))
        if "spent" in message:
            self.budget.add(ModelUsage(**message["spent"]))
        if "given_out" in message:
            self.given_out.add(message["given_out"])
        if "reached" in message:
            self.budget.refused(message["reached"])


def isolated_agents(
    roles: Iterable[str], settings: Settings, run_id: str, *, audit: Callable[[AuditEntry], None], budget: ModelBudget
) -> dict[str, AgentProtocol]:
    """Create agents that answer each request in a new process, by role.

    Args:
        audit, budget: get the attempts and usage of the processes as they happen.
    """
    session = _Session(settings.stored(), run_id, audit, budget)
    return {role: IsolatedAgent(role, session) for role in roles}


class IsolatedAgent:
    """An agent of one role in another process; a cancelled request ends the process, and what it spent still counts."""

    def __init__(self, role: str, session: _Session) -> None:
        self._role = role
        self._session = session

    async def process(self, request: AgentRequest) -> AgentResponse:
        """See `AgentProtocol.process`.

        The response's metadata say, as `process`, which process answered: `pid`, `exit_code`, and `began` and `ended`,
        seconds of this machine's monotonic clock around its whole life; `ended` is read after its end was awaited.
        """
        async with self._session.one_at_a_time:
            began = time.monotonic()
            process, answer, err = await self._run_process(request)
            lived = {"pid": process.pid, "exit_code": process.returncode, "began": began, "ended": time.monotonic()}
        try:
            response = AgentResponse.from_dict(answer["response"])
        except (KeyError, TypeError, ValueError):
            stderr = err.decode("utf-8", "replace").strip()[-_STDERR_CHARACTERS:]
            response = error_response(
                ErrorType.RESOURCE,
                f"the process of the {self._role} agent ended with code {process.returncode} and without an answer",
                details={"error": "AgentFailure", "process_exit_code": process.returncode, "stderr": stderr},
            )
        response.metadata["process"] = lived
        return response

    async def _run_process(self, request: AgentRequest) -> tuple[asyncio.subprocess.Process, dict[str, Any], bytes]:
        session = self._session
        payload = {
            "role": self._role,
            "run_id": session.run_id,
            "settings": session.settings,
            "seconds_used": session.budget.seconds_used,
            "asked_at": time.monotonic(),
            "given_out": sorted(session.given_out),
            "request": crossing_request(self._role, request).to_dict(),
        }
        # The folder in which the package was found: it need not be the one that its files resolve to.
        home = str(Path(sys.modules[__name__.partition(".")[0]].__path__[0]).parent)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _BEGIN, home),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, answer, err = await asyncio.gather(
                _write(process.stdin, json.dumps(payload).encode()),
                self._read_messages(process.stdout),
                _read_all(process.stderr),
            )
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process, answer, err

    async def _read_messages(self, stream: asyncio.StreamReader | None) -> dict[str, Any]:
        """Read messages line by line; each is applied at once, and the last one holds the response."""
        answer: dict[str, Any] = {}
        rest = b""
        while stream is not None and (part := await stream.read(_PART)):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue  # a library that prints past our redirection
                if not isinstance(message, dict):
                    continue
                self._session.apply(message)
                if "response" in message:
                    answer = message
        return answer


def crossing_request(role: str, request: AgentRequest) -> AgentRequest:
    """What crosses the border to an isolated agent: its inputs, and nothing that tells of what others did.

    The planner, which steers, is told of past turns wherever it works.
    """
    return request if role == "planner" else replace(request, context=None)


async def _write(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    if stream is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the process has ended; its exit code is reported
        stream.write(data)
        await stream.drain()
    stream.close()


async def _read_all(stream: asyncio.StreamReader | None) -> bytes:
    return await stream.read() if stream is not None else b""
