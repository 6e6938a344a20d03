"""Routes, pages and source facts of a repository, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Route:
    """An HTTP operation that source code declares.

    Attributes:
        method: in capitals.
        path: with parameters as `{name}`, from the server's root.
        file, line: where it is declared.
        success: the status of a successful response; None when the source does not show it.
        errors: other statuses the handler's source names, sorted.
        body: whether it reads a request body.
        rejects_empty: the status the framework gives for a body without its required fields; None when it has none.
        typed_parameters: path parameters that only take integers: (name, status for others).
        authorized: whether the source guards it.
        template: the page template it renders, "" for none.
    """

    method: str
    path: str
    file: str
    line: int
    success: int | None = None
    errors: tuple[int, ...] = ()
    body: bool = False
    rejects_empty: int | None = None
    typed_parameters: tuple[tuple[str, int], ...] = ()
    authorized: bool = False
    template: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The route as JSON."""
        return _plain(asdict(self))


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page whose address is known.

    Attributes:
        path: its address from the server's root.
        file: where its markup is.
        title: literal text of its title, "" for none.
        headings: literal texts of its headings, in order.
        fields: labels of its form fields.
        buttons: names of its buttons.
    """

    path: str
    file: str
    title: str = ""
    headings: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The page as JSON."""
        return _plain(asdict(self))


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """The routes, mounts and imports of one source file.

    Attributes:
        routes: routes it declares; paths lack what other files mount them under.
        routers: the router variable of each route, in the order of `routes`.
        mounts: (what is mounted as a dotted name or a relative module, under which prefix).
        imports: files or modules it imports, as written: dotted for Python, relative paths for JavaScript.
    """

    routes: tuple[Route, ...] = ()
    routers: tuple[str, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    imports: tuple[str, ...] = ()


def joined(*parts: str) -> str:
    """Joins parts of an address with a single slash between them."""
    path = "/".join(part.strip("/") for part in parts if part.strip("/"))
    return f"/{path}" + ("/" if path and parts[-1].endswith("/") and parts[-1] != "/" else "")


def _plain(value: Any) -> Any:
    """The value with tuples as lists, as JSON has them."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
