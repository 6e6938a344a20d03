"""An embeddings model at an OpenAI-compatible endpoint, behind LangChain's `Embeddings`, counted like any other."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings
from langchain_openai import OpenAIEmbeddings

from .embeddings_meter import EmbeddingsMeter

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
        api_key=key or "none",  # pydantic makes a SecretStr of it
        check_embedding_ctx_length=False,
        openai_proxy="",
        timeout=SECONDS,
        max_retries=2,
    )


class CountedEmbeddings(Embeddings):
    """An embeddings model whose requests are held to the run's ceilings and counted.

    Args:
        inner: the model. name: its name on the wire.
    """

    def __init__(self, inner: Embeddings, name: str, meter: EmbeddingsMeter) -> None:
        self._inner = inner
        self._name = name
        self._meter = meter

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """See `Embeddings`. Raises BudgetExhausted."""
        with self._meter.counted(self._name, texts):
            return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """See `Embeddings`. Raises BudgetExhausted."""
        with self._meter.counted(self._name, [text]):
            return self._inner.embed_query(text)
