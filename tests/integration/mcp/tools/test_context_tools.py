"""The search for code that fits a query, and the analysis of a module (T-12)."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from testwright.analysis.code_search import chunks, index
from testwright.analysis.code_search.chunks import document_chunks, python_chunks
from testwright.analysis.code_search.index import CodebaseIndex
from testwright.core.errors import ToolFailure
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services, write_files
from testwright.utils.generated_header import with_header
from testwright.utils.names.words import split_words

SHOP = {
    "README.md": "# Shop\n\nSells things.\n\n## Discounts\n\nTen items or more cost five percent less.\n",
    "src/shop/__init__.py": "",
    "src/shop/cart.py": (
        '"""A cart."""\n\nLIMIT = 9\n\n\nclass Cart:\n    """Things to buy."""\n\n    size = 0\n\n'
        "    def total_price(self):\n        return 1\n\n    @property\n    def isEmpty(self):\n        return True\n"
    ),
    "src/shop/pricing.py": "def bulk_discount(count):\n    # a dozen is cheap\n    return 0.05 if count >= 10 else 0\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total_price():\n    assert Cart().total_price()\n",
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CartItem.addMany", ["cartitem", "cart", "item", "addmany", "add", "many"]),
        ("total_price", ["total_price", "total", "price"]),
        ("_total", ["_total", "total"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("the categories of a retried class", ["categories", "retried"]),
        ("straße", ["straße"]),
    ],
)
def test_identifiers_are_split_whole_and_in_parts(text, words):
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("def categories():\n    return []\n", "one category"),
        ("def retried():\n    return []\n", "it retries"),
        ("def addMany():\n    return []\n", "many added"),
        ("def total_price():\n    return 1\n", "total_prices"),
        ("def straße():\n    return 1\n", "Straße"),
    ],
)
def test_words_match_by_their_stems_and_identifiers_by_their_parts(tmp_path, text, query):
    root = write_files(tmp_path / "p", {"a.py": text, "b.py": "def other():\n    return 0\n"})
    assert [path for path, _ in search(root, query)] == ["a.py"]


@pytest.mark.parametrize("query", ['say "OR" NEAR(a) AND', "name:* ^price", "'; DROP TABLE passages", "\0 \ud800 {x}"])
def test_a_query_is_never_read_as_search_syntax(tmp_path, query):
    search(write_files(tmp_path / "p", SHOP), query)


def test_python_is_cut_at_functions_methods_and_classes():
    found = [(chunk.kind, chunk.name, chunk.first, chunk.last) for chunk in python_chunks(SHOP["src/shop/cart.py"])]
    assert found == [
        ("module", "", 1, 5),
        ("class", "Cart", 6, 10),
        ("method", "Cart.total_price", 11, 12),
        ("method", "Cart.isEmpty", 14, 16),
    ]


def test_python_that_does_not_parse_is_cut_into_pieces_all_the_same():
    found = python_chunks("x = = 1\n" * 300)
    assert [(chunk.kind, chunk.first, chunk.last) for chunk in found] == [
        ("text", 1, 120),
        ("text", 121, 240),
        ("text", 241, 300),
    ]


def test_documents_are_cut_at_headings_outside_of_code():
    text = "# A\n\ntext\n\n```sh\n# no heading\n```\n\nBuy\n===\n\nmore\n"
    assert [(chunk.name, chunk.first, chunk.last) for chunk in document_chunks(text)] == [("A", 1, 8), ("Buy", 9, 12)]


def search(root: Path, query: str, near: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    found = CodebaseIndex(root, root / ".testwright" / "index.sqlite").search(query, near)
    return [(match.passage.path, match.passage.chunk.name) for match in found.matches]


@pytest.mark.feature("T-12")
def test_the_best_passage_comes_first_whatever_kind_it_is(tmp_path):
    root = write_files(tmp_path / "p", SHOP)
    assert search(root, "bulk discounts")[0] == ("src/shop/pricing.py", "bulk_discount")
    assert search(root, "five percent less")[0] == ("README.md", "Discounts")
    assert search(root, "is the cart empty?")[0] == ("src/shop/cart.py", "Cart.isEmpty")
    assert ("tests/test_cart.py", "test_total_price") in search(root, "Cart.total_price")


def test_files_the_query_is_about_weigh_more(tmp_path):
    same = "def price(item):\n    return item.price\n"
    root = write_files(tmp_path / "p", {"a.py": same, "b.py": same})
    assert [path for path, _ in search(root, "price")] == ["a.py", "b.py"]
    assert [path for path, _ in search(root, "price", ("b.py",))] == ["b.py", "a.py"]


def test_the_same_project_gives_the_same_answer_elsewhere_and_again(tmp_path):
    first = write_files(tmp_path / "one", SHOP)
    second = tmp_path / "two"
    shutil.copytree(first, second)
    answers = [search(root, "total price of the cart") for root in (first, second, first)]
    assert answers[0] == answers[1] == answers[2]


def test_a_changed_file_is_found_anew_and_a_deleted_one_no_more(tmp_path):
    root = write_files(tmp_path / "p", SHOP)
    searched = CodebaseIndex(root, tmp_path / "index.sqlite")
    assert searched.search("voucher").matches == ()
    write_files(root, {"src/shop/pricing.py": "def redeem_voucher(code):\n    return code\n"})
    assert searched.search("voucher").matches[0].passage.chunk.name == "redeem_voucher"
    (root / "src/shop/pricing.py").unlink()
    assert searched.search("voucher").matches == ()


def damaged_index(root: Path, cache_file: Path) -> bytes:
    """An index whose header reads and whose pages do not."""
    CodebaseIndex(root, cache_file).search("bulk discount")
    content = bytearray(cache_file.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    return bytes(content)


def of_another_version(root: Path, cache_file: Path) -> bytes:
    with contextlib.closing(sqlite3.connect(cache_file)) as database:
        database.executescript("CREATE TABLE passages (x); PRAGMA user_version = 2;")
    return cache_file.read_bytes()


@pytest.mark.parametrize("damage", [lambda *_: b"no database" * 100, lambda *_: b"", damaged_index, of_another_version])
def test_a_damaged_cache_file_does_no_harm(tmp_path, damage):
    root = write_files(tmp_path / "p", SHOP)
    cache_file = tmp_path / "index.sqlite"
    cache_file.write_bytes(damage(root, cache_file))
    matches = CodebaseIndex(root, cache_file).search("bulk discount").matches
    assert matches[0].passage.path == "src/shop/pricing.py"
    again = CodebaseIndex(root, cache_file).search("bulk discount").matches
    assert again == matches


def test_unchanged_files_are_taken_from_the_cache_file(tmp_path, monkeypatch):
    root = write_files(tmp_path / "p", SHOP)
    expected = CodebaseIndex(root, tmp_path / "index.sqlite").search("total price").matches
    write_files(root, {"src/shop/new.py": "def voucher():\n    return 1\n"})
    indexed = []
    original = chunks.passages_of
    monkeypatch.setattr(index, "passages_of", lambda path, content: indexed.append(path) or original(path, content))
    again = CodebaseIndex(root, tmp_path / "index.sqlite")
    assert [match.passage for match in again.search("total price").matches] == [match.passage for match in expected]
    assert set(indexed) <= {"src/shop/new.py", "src/shop/__init__.py"}


@pytest.mark.parametrize("change", ["", "\n# mine\n"])
def test_tests_that_testwright_wrote_are_no_passages(change):
    body = "def test_total():\n    assert total([1, 2]) == 3\n"
    written = with_header(body, target="src/shop/cart.py") + change
    assert list(chunks.passages_of("tests/generated/test_cart.py", written.encode())) == []
    assert list(chunks.passages_of("tests/test_cart.py", body.encode()))


@pytest.mark.feature("T-12")
async def test_the_tool_answers_with_places_texts_and_scores(tmp_path):
    services = make_services(tmp_path, SHOP)
    async with ToolClient(build_toolbox(services)) as client:
        answer = await client.call("get_codebase_context", {"query": "bulk discount", "limit": 1})
        nothing = await client.call("get_codebase_context", {"query": "zeppelin"})
    (snippet,) = answer["snippets"]
    assert snippet["path"] == "src/shop/pricing.py"
    assert snippet["lines"] == [1, 3]
    assert snippet["text"].startswith("def bulk_discount")
    assert snippet["kind"] == "function"
    assert snippet["score"] > 0
    assert answer["files_indexed"] == 5
    assert nothing["snippets"] == []


@pytest.mark.feature("T-12")
async def test_the_analysis_of_a_module_names_its_symbols_with_signatures(tmp_path):
    services = make_services(tmp_path)
    async with ToolClient(build_toolbox(services)) as client:
        answer = await client.call("get_ast_analysis", {"file_path": "src/shop/cart.py"})
    assert (answer["module"], answer["import_root"], answer["path"]) == ("shop.cart", "src", "src/shop/cart.py")
    assert len(answer["digest"]) == 64
    symbols = {(symbol["qualname"], symbol["kind"]): symbol for symbol in answer["symbols"]}
    assert symbols["Cart.add", "method"]["signature"] == "add(name: str, quantity: int = 1) -> None"
    assert symbols["Cart.add", "method"]["raises"] == ["ValueError"]
    assert symbols["half", "function"]["branches"] == 1
    assert symbols["Cart", "class"]["summary"] == "What a shopper wants to buy."


async def test_a_module_that_cannot_be_analysed_is_a_failure_that_says_why(tmp_path):
    services = make_services(tmp_path, {"src/shop/__init__.py": "", "src/shop/bad.py": "x = 1\ny = = 2\n"})
    (tmp_path / "outside.py").write_text("x = 1\n")
    (services.root / "src/shop/link.py").symlink_to(tmp_path / "outside.py")
    async with ToolClient(build_toolbox(services)) as client:
        with pytest.raises(ToolFailure, match="line 2"):
            await client.call("get_ast_analysis", {"file_path": "src/shop/bad.py"})
        with pytest.raises(ToolFailure, match="no file"):
            await client.call("get_ast_analysis", {"file_path": "src/shop/none.py"})
        for outside in ("../outside.py", "src/shop/link.py", str(tmp_path / "outside.py")):
            with pytest.raises(ToolFailure, match=r"out|outside"):
                await client.call("get_ast_analysis", {"file_path": outside})
