"""An embeddings model at an OpenAI-compatible endpoint, behind LangChain's `Embeddings`."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings
from langchain_openai import OpenAIEmbeddings

SECONDS = 60.0


def open_embeddings(model: str, base_url: str, key: str) -> Embeddings:
    """Open the model; nothing is sent yet.

    Texts are sent unsplit: tokenising them here would fetch a vocabulary from the network.

    Args:
        model: the name on the wire.
        base_url: the endpoint, up to `/v1`.
        key: "" for endpoints without one.
    """
    return OpenAIEmbeddings(
        model=model,
        base_url=base_url,
        api_key=key or "none",  # type: ignore[arg-type] - pydantic makes a SecretStr of it
        check_embedding_ctx_length=False,
        openai_proxy="",
        timeout=SECONDS,
        max_retries=2,
    )
