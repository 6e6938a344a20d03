"""Paths of clients are confined to the roots."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.errors import ProjectError, ToolInputError
from testwright.mcp.serving.roots import Roots

pytestmark = pytest.mark.feature("T-11")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "src" / "cart.py").write_text("", "utf-8")
    return root


def test_a_relative_path_belongs_to_the_only_root(shop: Path) -> None:
    place = Roots([shop]).resolve("src/cart.py")
    assert place.path == shop / "src/cart.py"
    assert place.relative == "src/cart.py"


def test_an_absolute_path_inside_a_root_is_taken(shop: Path) -> None:
    assert Roots([shop]).resolve(str(shop / "src/cart.py")).relative == "src/cart.py"
    assert Roots([shop]).resolve(str(shop)).relative == "."


@pytest.mark.parametrize(
    "given",
    [
        "../other/secret.py",
        "src/../../other/secret.py",
        "/etc/passwd",
        "//server/share/x.py",
        "\\\\server\\share\\x.py",
        "C:\\x.py",
        "file:///etc/passwd",
        "http://example.com/x.py",
        "~/x.py",
        "src/cart.py\0.txt",
        "",
        "   ",
    ],
)
def test_a_path_that_leads_elsewhere_is_refused_with_advice(shop: Path, given: str) -> None:
    with pytest.raises(ToolInputError) as refused:
        Roots([shop]).resolve(given)
    assert refused.value.advice


async def test_a_symbolic_link_cannot_leave_its_root(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("", "utf-8")
    (shop / "link.py").symlink_to(tmp_path / "secret.py")
    (shop / "folder").symlink_to(tmp_path)
    (shop / "src" / "inner.py").symlink_to(shop / "src" / "cart.py")
    roots = Roots([shop])
    for given in ("link.py", "folder/secret.py", str(shop / "folder" / "secret.py")):
        with pytest.raises(ToolInputError, match="outside the served roots"):
            roots.resolve(given)
    assert (await roots.file("src/inner.py")).relative == "src/inner.py"


def test_a_root_may_be_called_by_another_name_that_leads_to_it(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(shop)
    place = Roots([tmp_path / "alias"]).resolve(str(tmp_path / "alias" / "src" / "cart.py"))
    assert (place.root.path, place.relative) == (shop, "src/cart.py")


async def test_a_loop_of_links_is_refused(shop: Path) -> None:
    (shop / "a").symlink_to(shop / "b")
    (shop / "b").symlink_to(shop / "a")
    with pytest.raises(ToolInputError):
        await Roots([shop]).file("a/x.py")


def test_a_folder_whose_name_begins_like_the_root_is_outside(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "shop-secret").mkdir()
    with pytest.raises(ToolInputError, match="outside"):
        Roots([shop]).resolve(str(tmp_path / "shop-secret" / "x.py"))


def test_with_several_roots_a_relative_path_needs_one_named(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    roots = Roots([shop, tmp_path / "bank"])
    with pytest.raises(ToolInputError) as refused:
        roots.resolve("src/cart.py")
    assert "shop, bank" in refused.value.advice
    assert roots.resolve("src/cart.py", root="shop").root.path == shop
    assert roots.resolve("src/cart.py", root=str(shop)).root.path == shop
    with pytest.raises(ToolInputError, match="no root 'bakery'"):
        roots.resolve("src/cart.py", root="bakery")
    with pytest.raises(ToolInputError, match="outside"):
        roots.resolve(str(shop / "src/cart.py"), root="bank")


def test_roots_of_the_same_name_are_numbered_and_the_inner_of_two_owns_a_path(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "old" / "shop"
    other.mkdir(parents=True)
    roots = Roots([shop, other, shop / "src"])
    assert [root.name for root in roots] == ["shop", "shop-2", "src"]
    assert roots.resolve(str(shop / "src" / "cart.py")).root.name == "src"


async def test_a_missing_file_is_an_error_with_similar_names(shop: Path) -> None:
    with pytest.raises(ToolInputError) as missing:
        await Roots([shop]).file("src/kart.py")
    assert missing.value.details["suggestions"] == ["src/cart.py"]
    with pytest.raises(ToolInputError) as moved:
        await Roots([shop]).file("lib/deep/cart.py")
    assert "src/cart.py" in moved.value.advice
    with pytest.raises(ToolInputError, match="is a folder"):
        await Roots([shop]).file("src")


def test_a_root_must_be_a_folder(shop: Path) -> None:
    with pytest.raises(ProjectError):
        Roots([shop / "src" / "cart.py"])
    with pytest.raises(ProjectError):
        Roots([])
