"""Finding code that fits a query, and saying what a module holds (T-12)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from testwright.analysis.code_search.chunks import document_chunks, python_chunks
from testwright.analysis.code_search.index import CodebaseIndex
from testwright.analysis.code_search.words import words_of
from testwright.core.errors import ToolFailure
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services, write_files

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
        ("CartItem.addMany", ["cartitem", "cart", "item", "addmani", "add", "mani"]),
        ("total_price", ["total_pric", "total", "price"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("the categories of a retried class", ["categori", "retri"]),
        ("straße", ["straße"]),
    ],
)
def test_identifiers_are_found_whole_and_in_parts(text, words):
    assert words_of(text) == words


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
    found = CodebaseIndex(root, root / ".testwright" / "index.json").search(query, near)
    return [(one.passage.path, one.passage.chunk.name) for one in found.matches]


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
    index = CodebaseIndex(root, tmp_path / "shelf.json")
    assert index.search("voucher").matches == ()
    write_files(root, {"src/shop/pricing.py": "def redeem_voucher(code):\n    return code\n"})
    assert index.search("voucher").matches[0].passage.chunk.name == "redeem_voucher"
    (root / "src/shop/pricing.py").unlink()
    assert index.search("voucher").matches == ()


@pytest.mark.parametrize("damage", ["not json", '{"version": 1, "files": 7}', '{"version": 0}', "[]"])
def test_a_damaged_shelf_does_no_harm(tmp_path, damage):
    root = write_files(tmp_path / "p", SHOP)
    shelf = tmp_path / "shelf.json"
    shelf.write_text(damage)
    matches = CodebaseIndex(root, shelf).search("bulk discount").matches
    assert matches[0].passage.path == "src/shop/pricing.py"
    again = CodebaseIndex(root, shelf).search("bulk discount").matches
    assert again == matches


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
    symbols = {(one["qualname"], one["kind"]): one for one in answer["symbols"]}
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
