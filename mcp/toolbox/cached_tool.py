"""A built-in tool that does not work out twice what equal content gives (T-16, A-09)."""

from __future__ import annotations

import asyncio
import copy
from typing import Any, Literal

from jsonschema import Draft202012Validator

from ...core.errors import TestwrightError
from .cache import content_key
from .definition import ToolDefinition
from .services import ToolServices
from .single_flight import Flights
from .versions import code_stamp

Source = Literal["", "run", "kept"]


class RememberedTool:
    """Runs a tool, or answers from what is remembered; equal calls at the same time are one.

    Only a tool with a `cache_key` is remembered, and only its answers, never its failures.
    """

    def __init__(self, definition: ToolDefinition, services: ToolServices) -> None:
        self._definition = definition
        self._services = services
        self._fits = Draft202012Validator(definition.output_schema).is_valid
        self._flights: Flights[tuple[dict[str, Any], Source]] = Flights()

    async def run(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], Source]:
        """The answer, and who had worked it out: this call (""), another one of this run, or an earlier run.

        Args:
            arguments: checked, and with all defaults.
        """
        definition, services = self._definition, self._services
        content = None
        if definition.cache_key is not None:
            content = await asyncio.to_thread(definition.cache_key, services, arguments)
        if content is None:
            return await definition.run(services, **arguments), ""
        key = f"{definition.name}:{content}"
        known = services.cache.get(key)
        if known is not None:
            return known, "run"
        (result, source), joined = await self._flights.shared(key, lambda: self._found(key, content, arguments))
        return copy.deepcopy(result), "run" if joined else source

    async def _found(self, key: str, content: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], Source]:
        definition, services = self._definition, self._services
        outliving = services.cache.outlives
        kept_key = await asyncio.to_thread(lambda: content_key(code_stamp(), key)) if outliving else key
        if outliving:
            kept = await asyncio.to_thread(services.cache.fetch, kept_key, self._fits)
            if kept is not None:
                services.cache.put(key, kept)
                return kept, "kept"
        result = await definition.run(services, **arguments)
        if await asyncio.to_thread(self._key_of, arguments, result) == content:
            services.cache.put(key, result)
            if outliving:
                await asyncio.to_thread(services.cache.keep, kept_key, result)
        return result, ""

    def _key_of(self, arguments: dict[str, Any], result: dict[str, Any]) -> str | None:
        """The key of an answer; another one than it was asked by when a file changed while it was made."""
        definition = self._definition
        if definition.answer_key is not None:
            return definition.answer_key(arguments, result)
        assert definition.cache_key is not None
        try:
            return definition.cache_key(self._services, arguments)
        except TestwrightError:
            return None
