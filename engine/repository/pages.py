"""Reads titles, headings, form fields and buttons of pages from literal markup; template expressions are ignored."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from .findings import SitePage
from .javascript_routes import next_address

_HEADINGS = ("h1", "h2", "h3")
_DYNAMIC = re.compile(r"{{|{%|<%|\${|{")
_NEXT_PAGE = re.compile(r"^(?:src/)?(?:app/(?P<app>.*?)/?page|pages/(?P<pages>(?!api/|_).+))\.[cm]?[jt]sx?$")
_STATIC = ("public", "static", "www", "dist", "site", "docs", "htdocs", "wwwroot")
_JSX_TEXT = r"<{tag}\b[^>]*>\s*([^<>{{}}]+?)\s*</{tag}>"


@dataclass
class _Markup(HTMLParser):
    title: str = ""
    headings: list[str] = field(default_factory=list)
    buttons: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    inputs: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("title", "button", "label", *_HEADINGS):
            self._open.append((tag, given.get("for", ""), []))
        elif tag == "input" and given.get("type", "text").lower() in ("submit", "button"):
            self.buttons.append(given.get("value", ""))
        elif tag in ("input", "textarea", "select") and given.get("type", "text").lower() != "hidden":
            self.inputs.append((given.get("id", ""), given.get("aria-label", "")))

    def handle_data(self, data: str) -> None:
        for _, _, texts in self._open:
            texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        for index in range(len(self._open) - 1, -1, -1):
            kind, about, texts = self._open[index]
            if kind == tag:
                del self._open[index:]
                self._closed(kind, about, " ".join("".join(texts).split()))
                return

    def _closed(self, kind: str, about: str, text: str) -> None:
        if kind == "title":
            self.title = self.title or text
        elif kind == "button":
            self.buttons.append(text)
        elif kind == "label":
            self.labels[about] = text
        else:
            self.headings.append(text)


def html_page(path: str, address: str, text: str) -> SitePage:
    """Reads an HTML page or template; text that a template expression fills in is left out."""
    markup = _Markup()
    markup.feed(text)
    markup.close()
    fields = [label or markup.labels.get(name, "") for name, label in markup.inputs]
    title = markup.title if _literal(markup.title) else ""
    return SitePage(address, path, title, _literals(markup.headings), _literals(fields), _literals(markup.buttons))


def static_address(path: str, folders: frozenset[str]) -> str | None:
    """The address of a static HTML file: below a folder that is usually served, or beside the root's index.html.

    Args:
        folders: folders that hold an index.html.
    """
    parts = path.split("/")
    served = next((index for index, part in enumerate(parts[:-1]) if part in _STATIC), None)
    if served is not None:
        below = parts[served + 1 :]
    elif "." in folders:
        below = parts
    else:
        return None
    address = "/" + "/".join(below)
    return address.removesuffix("index.html") if address.endswith("/index.html") else address


def next_page(path: str, text: str) -> SitePage | None:
    """Reads a page of Next.js, recognised by its path; None for other files."""
    found = _NEXT_PAGE.match(path)
    if found is None:
        return None
    inner = found["app"] if found["pages"] is None else re.sub(r"(?:^|/)index$", "", found["pages"])
    headings = [one for tag in _HEADINGS for one in _jsx(tag, text)]
    titles = re.findall(r"\bmetadata\b[^;]*?\btitle:\s*['\"]([^'\"\n]+)['\"]", text) + _jsx("title", text)
    fields = [*_jsx("label", text), *re.findall(r"\baria-label=\"([^\"{]+)\"", text)]
    buttons = _literals(_jsx("button", text))
    title = titles[0] if titles else ""
    return SitePage(next_address(inner or ""), path, title, _literals(headings), _literals(fields), buttons)


def _jsx(tag: str, text: str) -> list[str]:
    return [" ".join(match.split()) for match in re.findall(_JSX_TEXT.format(tag=tag), text)]


def _literals(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if _literal(text)))


def _literal(text: str) -> bool:
    return bool(text.strip()) and len(text) <= 120 and not _DYNAMIC.search(text)
