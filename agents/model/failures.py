"""Converts failures of a model's endpoint into typed errors that say whether a retry helps.

The `openai` client retries nothing here: `agents/contract/lifecycle.py` is the one place that retries, with an audit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from ...core.errors import (
    ModelAccessDenied,
    ModelAnswerBroken,
    ModelAnswerRefused,
    ModelAnswerTooLarge,
    ModelContextOverflow,
    ModelFailure,
    ModelQuotaExhausted,
    ModelRateLimited,
    ModelRequestRefused,
    ModelServerFault,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
)
from ...utils.redact import REDACTED, is_telling
from .received import whole_characters

UNREADABLE = (ValueError, KeyError, IndexError, TypeError, AttributeError)
"""What the client library raises when an answer with status 200 does not have the expected form."""

_OVERFLOW = ("context_length_exceeded", "context length", "context window", "prompt is too long", "maximum context")
_QUOTA = ("insufficient_quota", "billing_hard_limit", "exceeded your current quota")
_FILTER = ("content_filter", "content_policy", "content management policy")
_SHOWN = 300


class AnswerOverflow(Exception):
    """An answer's body exceeded its limit while it was read; the connection is closed."""


def failure_of(error: Exception, *, model: str, where: str, seconds: float, secret: str = "") -> ModelFailure:
    """Convert an exception of the client library into a typed failure.

    Args:
        error: raised by a call of the chat model.
        where: the endpoint, for messages.
        seconds: the call's deadline.
        secret: the key; it is removed from the endpoint's messages.
    """
    about = f"{model} at {where}"
    if any(isinstance(cause, AnswerOverflow) for cause in _causes(error)):
        return ModelAnswerTooLarge(f"{about} sent more than an answer may hold", advice=_ADVICE_SIZE)
    if isinstance(error, openai.APIStatusError):
        return _by_status(error, about, secret)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return ModelTimeout(f"{about} gave no whole answer within {seconds:g} s", advice=_ADVICE_SLOW)
    if isinstance(error, openai.APIConnectionError | httpx2.TransportError | ConnectionError):
        cause = error.__cause__ or error
        while isinstance(cause, openai.APIConnectionError) and cause.__cause__ is not None:
            cause = cause.__cause__
        return ModelUnreachable(
            f"{about} cannot be reached, or the connection broke: {type(cause).__name__}", advice=_ADVICE_REACH
        )
    sent = _error_object(error)
    if sent is not None:
        return _by_words(sent, about, secret) or ModelServerFault(f"{about} failed: {_message_of(sent, secret)}")
    shown = _clean(str(error), secret) or type(error).__name__
    return ModelAnswerBroken(f"{about} sent an answer that cannot be read: {shown}", advice=_ADVICE_FORM)


def _by_status(error: openai.APIStatusError, about: str, secret: str) -> ModelFailure:
    """Classify a 4xx or 5xx answer, with the time to wait before a retry."""
    status, body = error.status_code, _object(error.body) or {"message": error.message}
    found = _by_words(body, about, secret) or _plain(status, f"{about}: {status} {_message_of(body, secret)}")
    found.retry_after = retry_after(error.response.headers)
    found.details |= {"status": status, "said": _message_of(body, secret)}
    if error.response.headers.get("x-should-retry", "").lower() == "false":
        found.recoverable = False
    return found


def _plain(status: int, message: str) -> ModelFailure:
    if status in (401, 403):
        return ModelAccessDenied(message, advice=_ADVICE_KEY)
    if status == 404:
        return ModelUnknown(message, advice="Check --model and --base-url.")
    if status == 408:
        return ModelTimeout(message, advice=_ADVICE_SLOW)
    if status == 429:
        return ModelRateLimited(message, advice="Lower --jobs, or raise the endpoint's limit.")
    if status == 409 or status >= 500:
        return ModelServerFault(message, advice="Try again later: `testwright resume` pays for nothing twice.")
    return ModelRequestRefused(message, advice="The endpoint does not take such requests: try another model.")


def _by_words(sent: Mapping[str, Any], about: str, secret: str) -> ModelFailure | None:
    """Classify an error object by its code or words, whatever its status; None without a known sign."""
    words = f"{sent.get('code')} {sent.get('type')} {sent.get('message')}".lower()
    message = f"{about}: {_message_of(sent, secret)}"
    if any(sign in words for sign in _QUOTA):
        return ModelQuotaExhausted(message, advice="Waiting does not help: see to the account's quota.")
    if any(sign in words for sign in _OVERFLOW):
        return ModelContextOverflow(message, advice="Ask for fewer things at once, or use a model that reads more.")
    if any(sign in words for sign in _FILTER):
        return ModelAnswerRefused(message, advice="The provider's filter does not let this through.")
    if "rate_limit" in words:
        return ModelRateLimited(message, advice="Lower --jobs, or raise the endpoint's limit.")
    return None


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Parse the seconds to wait from headers: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        until = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


def names_parameter(failure: ModelFailure, *names: str) -> bool:
    """Whether an endpoint's error names one of these parameters.

    Only the endpoint's own message counts, because our message also has the names of model and host.
    """
    words = str(failure.details.get("said", "")).lower()
    return any(name in words for name in names)


def _error_object(error: Exception) -> Mapping[str, Any] | None:
    """Return the error object that was sent in place of an answer, or inside a stream."""
    if isinstance(error, openai.APIError):
        return _object(error.body) or {"message": error.message}
    first = error.args[0] if error.args else None
    return first if isinstance(error, ValueError) and isinstance(first, Mapping) else None


def _object(body: object) -> Mapping[str, Any] | None:
    if not isinstance(body, Mapping):
        return None
    inner = body.get("error")
    return inner if isinstance(inner, Mapping) else body


def _message_of(sent: Mapping[str, Any], secret: str) -> str:
    parts = [str(sent[key]) for key in ("message", "code", "param") if sent.get(key)]
    return _clean(" / ".join(parts) or json.dumps(dict(sent), default=str), secret)


def _clean(text: str, secret: str) -> str:
    """Shorten an endpoint's message to one line without the key."""
    text = whole_characters(text.replace(secret, REDACTED) if is_telling(secret) else text)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


_ADVICE_SIZE = "Ask for less at once, or try another model."
_ADVICE_SLOW = "Raise model_timeout, or use a faster model."
_ADVICE_REACH = "Check --base-url and the network; `testwright resume` goes on and pays for nothing twice."
_ADVICE_FORM = "Check that --base-url is an OpenAI-compatible endpoint, with its /v1."
_ADVICE_KEY = (
    "Set TESTWRIGHT_API_KEY for the endpoint of --base-url; OPENAI_API_KEY is sent only to OpenAI and to "
    "OPENAI_BASE_URL."
)
