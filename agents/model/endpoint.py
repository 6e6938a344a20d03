"""Sends calls to one model at one OpenAI-compatible endpoint through `langchain-openai`.

Every call has a message list of its own; no state survives it. Nothing is traced to a third party.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from langsmith.run_helpers import tracing_context

from ...core.errors import SettingsError
from ...utils.bounded_stream import BoundedStream
from ...utils.redact import REDACTED, is_telling
from .failures import UNREADABLE, AnswerOverflow, failure_of
from .received import LONGEST_ANSWER, ReceivedAnswer, kept_text, whole_characters
from .token_estimate import estimated_tokens

OPENAI_URL = "https://api.openai.com/v1"
TEMPERATURE = 0.0
TOP_P = 1.0
SEED = 7
LONGEST_BODY = 4 * LONGEST_ANSWER
"""Limit on the bytes of an answer's body; reading stops there."""

STREAMED_TOKEN = 400
"""Further bytes allowed per streamed token: each comes in an event of its own, of about three hundred bytes."""

DROPPABLE = ("temperature", "top_p", "seed", "stream_options")
"""Parameters that some endpoints or models refuse; they are left out where they are refused."""

NEW_LIMIT, OLD_LIMIT = "max_completion_tokens", "max_tokens"
"""Names of the answer limit on the wire; some endpoints refuse one, some ignore the other."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Address and request settings of a model; never the key.

    Attributes:
        model: the name on the wire.
        base_url: the endpoint, up to `/v1`.
        timeout: seconds for a complete answer, from request to last byte.
        answer_tokens: limit on an answer's tokens.
        stream: request a stream.
    """

    model: str
    base_url: str = OPENAI_URL
    timeout: float = 180.0
    answer_tokens: int = 16_000
    stream: bool = False


def base_url_of(setting: str | None, environment: Mapping[str, str]) -> str:
    """Return the endpoint: the setting, else OPENAI_BASE_URL, else OpenAI."""
    return (setting or environment.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")


def key_for(base_url: str, environment: Mapping[str, str]) -> str:
    """Return the key for an endpoint; "" when there is none, which local servers accept.

    TESTWRIGHT_API_KEY is sent to any configured endpoint. OPENAI_API_KEY is sent to OpenAI and to OPENAI_BASE_URL only:
    a tested project's settings file may name an endpoint, which must not receive a key that was not meant for it.

    Raises:
        SettingsError: the endpoint is OpenAI and there is no key, or a key has invalid characters.
    """
    own = _key_in("TESTWRIGHT_API_KEY", environment)
    if own:
        return own
    theirs = _key_in("OPENAI_API_KEY", environment)
    at_openai = base_url.startswith(f"{urlsplit(OPENAI_URL).scheme}://{urlsplit(OPENAI_URL).netloc}/")
    if at_openai and not theirs:
        raise SettingsError(
            "There is no key for OpenAI.",
            advice="Set OPENAI_API_KEY or TESTWRIGHT_API_KEY, give another endpoint with --base-url, or use "
            "--model embedded.",
        )
    meant = at_openai or base_url == environment.get("OPENAI_BASE_URL", "").rstrip("/")
    return theirs if meant else ""


def _key_in(name: str, environment: Mapping[str, str]) -> str:
    key = environment.get(name, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(
            f"{name} holds characters that no key can have.",
            advice="It is sent in an HTTP header: plain ASCII on one line. Was it pasted with something around it?",
        )
    return key


class Endpoint:
    """Sends calls to one model; opened and closed with the run."""

    def __init__(self, settings: EndpointSettings, key: str) -> None:
        self.settings = settings
        self._key = key
        self._http = openai.DefaultAsyncHttpxClient(
            timeout=settings.timeout,
            verify=_certificates(),
            event_hooks={"response": [_bound_to(_longest_body(settings))]},
            follow_redirects=False,
        )
        self._chat = _Chat(
            model=settings.model,
            base_url=settings.base_url,
            api_key=key or "none",  # pydantic makes a SecretStr of it
            openai_proxy="",
            http_socket_options=(),
            max_retries=0,
            streaming=settings.stream,
            stream_usage=settings.stream,
            stream_chunk_timeout=None,
            timeout=settings.timeout,
            use_responses_api=False,
            http_client=openai.DefaultHttpxClient(verify=_certificates()),
            http_async_client=self._http,
            cache=False,
        )

    @property
    def where(self) -> str:
        """Host and port of the endpoint, for messages."""
        parts = urlsplit(self.settings.base_url)
        return parts.hostname + (f":{parts.port}" if parts.port else "") if parts.hostname else "its endpoint"

    async def send(
        self,
        system: str,
        user: str,
        *,
        response_format: Mapping[str, Any] | None = None,
        without: frozenset[str] = frozenset(),
        limits: Sequence[str] = (NEW_LIMIT,),
        seconds: float | None = None,
        answer_tokens: int | None = None,
    ) -> ReceivedAnswer:
        """Send one request. Returns the raw answer, which may still be empty, refused, cut or incomplete.

        Args:
            response_format: as on the wire; None for plain text.
            without: parameters that the endpoint refuses, of `DROPPABLE`.
            limits: names under which the answer limit is sent.
            answer_tokens: that limit; None for what the settings say.
            seconds: a deadline before the endpoint's own.

        Raises:
            ModelFailure: there is no answer; with `details["cut_off"]` when the given deadline was reached.
        """
        limit = min(self.settings.timeout, seconds) if seconds is not None else self.settings.timeout
        deadline = asyncio.timeout(limit)
        most = self.settings.answer_tokens if answer_tokens is None else answer_tokens
        extra: dict[str, Any] = {"response_format": dict(response_format)} if response_format else {}
        if OLD_LIMIT in limits:  # the client library would send it under its new name
            extra[OLD_LIMIT] = most
        messages = [SystemMessage(system), HumanMessage(user)]
        began = time.monotonic()
        try:
            with tracing_context(enabled=False):
                async with deadline:
                    message = await self._chat.ainvoke(
                        messages, **self._parameters(without, limits, most), extra_body=extra
                    )
        except (openai.OpenAIError, httpx2.HTTPError, OSError, AnswerOverflow, *UNREADABLE) as error:
            failure = failure_of(error, model=self.settings.model, where=self.where, seconds=limit, secret=self._key)
            if deadline.expired() and limit == seconds:
                failure.details["cut_off"] = True
            raise failure from None
        return self._received(message, estimated_tokens(system, user), (time.monotonic() - began) * 1000)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def _parameters(self, without: frozenset[str], limits: Sequence[str], most: int) -> dict[str, Any]:
        """Parameters that decide the answer besides the messages."""
        parameters: dict[str, Any] = {
            "temperature": TEMPERATURE,
            "top_p": TOP_P,
            "seed": SEED,
            **({NEW_LIMIT: most} if NEW_LIMIT in limits else {}),
        }
        kept = {name: value for name, value in parameters.items() if name not in without}
        if "stream_options" in without:
            kept["stream_usage"] = False
        return kept

    def _clean(self, text: str) -> str:
        """Remove the key and lone surrogates from a text of the endpoint, which is stored and sent on."""
        whole = whole_characters(text)
        return whole.replace(self._key, REDACTED) if is_telling(self._key) else whole

    def _received(self, message: AIMessage, prompt_tokens: int, duration_ms: float) -> ReceivedAnswer:
        text = self._clean(message.text)
        used = message.usage_metadata
        tools = [self._clean(str(call["name"])) for call in (*message.tool_calls, *message.invalid_tool_calls)]
        cached = (used or {}).get("input_token_details", {}).get("cache_read", 0) or 0
        return ReceivedAnswer(
            text=kept_text(text),
            length=len(text),
            finish=message.response_metadata.get("finish_reason"),
            streamed=self.settings.stream,
            refusal=self._clean(str(message.additional_kwargs.get("refusal") or "")),
            tool_calls=tuple(tools),
            tokens_in=used["input_tokens"] if used else prompt_tokens,
            tokens_out=used["output_tokens"] if used else estimated_tokens(text),
            tokens_cached=int(cached),
            estimated=used is None,
            duration_ms=round(duration_ms, 3),
        )


class _Chat(ChatOpenAI):
    """Keeps a streamed refusal, which `ChatOpenAI` drops."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        generation = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices") or [{}]
        refusal = (choices[0].get("delta") or {}).get("refusal")
        if generation is not None and refusal:
            generation.message.additional_kwargs["refusal"] = refusal
        return generation


@cache
def _certificates() -> ssl.SSLContext:
    """Load the trusted certificate authorities once a process, because it takes a tenth of a second."""
    return httpx2.create_ssl_context()


def _longest_body(settings: EndpointSettings) -> int:
    return LONGEST_BODY + (STREAMED_TOKEN * settings.answer_tokens if settings.stream else 0)


def _bound_to(most: int) -> Callable[[httpx2.Response], Awaitable[None]]:
    async def bound(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = BoundedStream(response.stream, most, AnswerOverflow())

    return bound
