"""Reads the routes of JavaScript servers, and the titles, headings, fields and buttons of pages, from literal text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import zip_longest

from .findings import Route, SitePage, SourceFacts, joined

SUFFIXES = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts")

_COMMENT = re.compile(r"/\*|(?<![:'\"`\w])//[^\n]*")
_ROUTE = re.compile(
    r"\b(?P<owner>\w+)\s*\.\s*(?P<verb>get|post|put|patch|delete|head|options)\s*\(\s*(?P<quote>['\"`])(?P<path>/[^'\"`\n]*)(?P=quote)\s*,"
)
_MOUNT = re.compile(
    r"\b\w+\s*\.\s*(?:use|register)\s*\(\s*(?P<quote>['\"`])(?P<path>/[^'\"`\n]*)(?P=quote)\s*,\s*(?P<what>[^\n;]*)"
)
_IMPORT = re.compile(
    r"\bimport\s++(?:type\s++)?(?:(?P<name>\w+)\s*(?:from\s*)?|[^'\"`;]{0,2000})['\"](?P<from>[^'\"\n]+)['\"]"
    r"|\b(?:const|let|var)\s+(?P<variable>\w+)\s*=\s*require\(\s*['\"](?P<required>[^'\"\n]+)['\"]\s*\)"
    r"|\b(?:require|import)\(\s*['\"](?P<bare>[^'\"\n]+)['\"]\s*\)"
    r"|\bexport\s++[^'\"`;]{0,2000}?\sfrom\s*['\"](?P<again>[^'\"\n]+)['\"]"
)
_STATUS = re.compile(r"(?:\.status|\.sendStatus|\.code|\.writeHead)\(\s*(\d{3})\b|\bstatus:\s*(\d{3})\b")
_AUTH = re.compile(
    r"requireAuth|isAuthenticated|authenticate|ensureLoggedIn|authorize|verifyToken|passport\.", re.IGNORECASE
)
_BODY = re.compile(r"\b(?:req|request|ctx\.request)\.body\b|\bawait\s+\w+\.json\(\)")
_NEXT = re.compile(r"^(?:src/)?(?:app/(?P<app>.*?)/?route|pages/(?P<pages>api/.+))\.[cm]?[jt]sx?$")
_EXPORTED = re.compile(r"\bexport\s+(?:async\s+)?(?:function\s+|const\s+)(GET|POST|PUT|PATCH|DELETE)\b")
_CLIENTS = frozenset(
    {"axios", "http", "https", "fetch", "request", "supertest", "agent", "client", "api_client", "cy", "page"}
)


def _without_comments(text: str) -> str:
    """The text with blanks in the place of its comments; what looks like the beginning of an endless one stays."""
    kept, at, last = list[str](), 0, text.rfind("*/")
    while found := _COMMENT.search(text, at):
        end = found.end()
        if found[0] == "/*":
            end = text.index("*/", end) + 2 if end <= last else end
        is_comment = found[0] != "/*" or end > found.end()
        comment = text[found.start() : end]
        kept += [text[at : found.start()], re.sub(r"[^\n]", " ", comment) if is_comment else comment]
        at = end
    return "".join([*kept, text[at:]])


def javascript_facts(path: str, text: str) -> SourceFacts:
    """Reads the routes, mounts and imports of a JavaScript or TypeScript file.

    Args:
        path: POSIX path in the repository.
    """
    code = _without_comments(text)
    imports, names = _imports(code)
    routes = _next_routes(path, code)
    routers = ["next"] * len(routes)
    is_server = (
        bool(re.search(r"\b(?:express|fastify|koa|@koa/router|koa-router|hono|restify)\b", code)) or "Router(" in code
    )
    for entry, line, handler in _handlers(_ROUTE, code) if is_server else ():
        # `axios.get("/orders", …)` asks a server; it declares no route.
        if entry["owner"] not in _CLIENTS and "${" not in entry["path"]:
            routes.append(_route(entry["verb"].upper(), entry["path"], path, line, handler))
            routers.append(entry["owner"])
    mounts = [
        (module, joined(_parameters(match["path"])))
        for match in _MOUNT.finditer(code)
        for module in _mounted(match["what"], names)
    ]
    return SourceFacts(tuple(routes), tuple(routers), tuple(mounts), tuple(imports))


def _handlers(pattern: re.Pattern[str], code: str) -> Iterator[tuple[re.Match[str], int, str]]:
    """Each match with its line and the code up to the next match, which holds its handler."""
    found = list(pattern.finditer(code))
    for match, following in zip_longest(found, found[1:]):
        end = following.start() if following is not None else len(code)
        yield match, code.count("\n", 0, match.start()) + 1, code[match.start() : end]


def _imports(code: str) -> tuple[list[str], dict[str, str]]:
    """The relative modules a file imports, and the module that each imported name stands for."""
    modules: set[str] = set()
    names: dict[str, str] = {}
    for match in _IMPORT.finditer(code):
        module = match["from"] or match["required"] or match["bare"] or match["again"]
        if module.startswith("."):
            modules.add(module)
            name = match["name"] or match["variable"]
            if name:
                names[name] = module
    return sorted(modules), names


def _mounted(what: str, names: dict[str, str]) -> list[str]:
    required = re.findall(r"require\(\s*['\"](\.[^'\"]+)['\"]", what)
    return required or [names[word] for word in re.findall(r"\w+", what) if word in names]


def _route(method: str, path: str, file: str, line: int, handler: str) -> Route:
    statuses = [int(called or two) for called, two in _STATUS.findall(handler)]
    return Route(
        method=method,
        path=joined(_parameters(path)),
        file=file,
        line=line,
        success=next((status for status in statuses if status < 400), 200),
        errors=tuple(sorted({status for status in statuses if 400 <= status < 600})),
        body=bool(_BODY.search(handler)),
        authorized=bool(_AUTH.search(handler.partition("\n")[0])),
    )


def _parameters(path: str) -> str:
    return re.sub(r":(\w+)\??", r"{\1}", path)


def _next_routes(path: str, code: str) -> list[Route]:
    found = _NEXT.match(path)
    if found is None:
        return []
    if found["pages"]:
        inner = found["pages"].removesuffix("/index").removeprefix("index")
        methods = sorted(set(re.findall(r"method\s*[!=]==?\s*['\"](GET|POST|PUT|PATCH|DELETE)['\"]", code))) or ["GET"]
        address = next_address(inner)
        return [_route(method, address, path, 1, code) for method in methods]
    address = next_address(found["app"] or "")
    return [_route(match[1], address, path, line, handler) for match, line, handler in _handlers(_EXPORTED, code)]


def next_address(folders: str) -> str:
    """The address of a folder path of Next.js: `shop/[id]` → `/shop/{id}`; route groups like `(admin)` are dropped."""
    parts = [part for part in folders.split("/") if part and not (part.startswith("(") and part.endswith(")"))]
    return joined(*(re.sub(r"^\[+(?:\.\.\.)?(\w+)\]+$", r"{\1}", part) for part in parts))


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
    headings = [text_ for tag in _HEADINGS for text_ in _jsx(tag, text)]
    titles = re.findall(r"\bmetadata\b[^;]{0,2000}?\btitle:\s*['\"]([^'\"\n]+)['\"]", text) + _jsx("title", text)
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
