"""The agents that steer a run with a model, by role."""

from __future__ import annotations

from collections.abc import Mapping

from ...agents.llm.control.goal_agent import ModelGoalAgent
from ...agents.llm.control.health_agent import ModelHealthAgent
from ...agents.llm.control.safety_agent import ModelSafetyAgent
from ...agents.llm.control.summary_agent import ModelSummaryAgent
from ...agents.llm.model_agent import ModelAgent

STEERING_MODELS: Mapping[str, type[ModelAgent]] = {
    "goal": ModelGoalAgent,
    "health": ModelHealthAgent,
    "safety": ModelSafetyAgent,
    "summary": ModelSummaryAgent,
}
