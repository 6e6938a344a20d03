"""Code is found by meaning where an embeddings model is set, and by words alone where it fails (T-12)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.analysis.code_search.index import CodebaseIndex, SearchResult
from testwright.app.tool_factory import vectors_of
from testwright.config.settings import load_settings
from testwright.core.errors import SettingsError
from testwright.tests.support.agents.embeddings_server import EmbeddingsServer, embeddings_server
from testwright.tests.support.mcp.tool_session import write_files

FILES = {
    "src/shop/prices.py": "def bulk_rebate(count):\n    return 0.05 if count > 9 else 0\n",
    "src/shop/people.py": "def erase_client(name):\n    return name\n",
    "src/shop/words.py": "def shout(text):\n    return text.upper()\n",
}
QUESTION = "make it cheaper: a discount"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "p", FILES)


def found(root: Path, server: EmbeddingsServer, query: str, warnings: list[str] | None = None) -> SearchResult:
    """A search as a run makes it: settings, environment, a new process's index over the same state folder."""
    settings = load_settings({"root": root, "embeddings": "openai:meanings", "base_url": server.url})
    vectors = vectors_of(
        settings, {"TESTWRIGHT_API_KEY": "sk-planted"}, (warnings if warnings is not None else []).append
    )
    return CodebaseIndex(root, root / ".testwright" / "cache" / "index.sqlite", vectors).search(query)


def names(result: SearchResult) -> list[str]:
    return [match.passage.chunk.name for match in result.matches]


@pytest.mark.feature("T-12")
def test_a_passage_without_a_word_of_the_question_is_found_by_its_meaning(root):
    by_words = CodebaseIndex(root, root / "index.sqlite").search(QUESTION)
    assert "bulk_rebate" not in names(by_words)
    with embeddings_server() as server:
        result = found(root, server, QUESTION)
        assert names(result)[0] == "bulk_rebate"
        assert result.used_embeddings
        assert not by_words.used_embeddings
        assert set(server.keys) == {"Bearer sk-planted"}


def test_a_passage_is_sent_once_for_its_content(root):
    with embeddings_server() as server:
        found(root, server, QUESTION)
        first = list(server.texts)
        assert len(first) == len(FILES) + 1
        (root / "src/shop/words.py").write_text("def whisper(text):\n    return text.lower()\n")
        found(root, server, "forget a customer")
        later = server.texts[len(first) :]
    assert len(later) == 2
    assert "whisper" in later[0]
    assert later[1] == "forget a customer"


def test_a_model_that_fails_costs_one_warning_and_words_rank_alone(root):
    warnings: list[str] = []
    with embeddings_server() as server:
        server.failing = True
        result = found(root, server, "bulk rebate", warnings)
    assert names(result)[0] == "bulk_rebate"
    assert not result.used_embeddings
    assert len(warnings) == 1
    assert "meanings at http://127.0.0.1" in warnings[0]
    assert "sk-planted" not in warnings[0]


def test_a_lost_or_damaged_cache_of_vectors_is_made_again(root):
    with embeddings_server() as server:
        expected = names(found(root, server, QUESTION))
        shelf = root / ".testwright" / "cache" / "vectors.sqlite"
        shelf.write_bytes(b"not a database" * 100)
        assert names(found(root, server, QUESTION)) == expected
        shelf.unlink()
        assert names(found(root, server, QUESTION)) == expected


def test_no_code_is_sent_anywhere_without_the_setting(root):
    assert vectors_of(load_settings({"root": root}), {}) is None


def test_asking_openai_without_a_key_says_what_to_do(root):
    settings = load_settings({"root": root, "embeddings": "openai:text-embedding-3-small"})
    with pytest.raises(SettingsError, match="no key for OpenAI"):
        vectors_of(settings, {})
