"""A small site as a project: guests sign a book, some pages misbehave, one is closed to the public."""

from __future__ import annotations

SITE = '''"""A guest book."""

import html
import os
from urllib.parse import parse_qs

ENTRIES = []
PAGE = "<!doctype html><title>{title}</title><nav>{nav}</nav><main><h1>{title}</h1>{body}</main>"
NAV = "".join(
    f'<a href="{path}">{name}</a> '
    for path, name in {
        "/": "Guests", "/sign": "Sign", "/loop": "Loop", "/restless": "Restless", "/storm": "Storm", "/file": "File",
        "/popup": "Popup", "/wall": "Wall", "https://example.org/": "Elsewhere",
    }.items()
)
FORM = \'\'\'{alert}<form method="post" action="/sign"><label>Name <input name="name"></label>
<label>E-mail <input type="email" name="mail" required></label><button>Sign the book</button></form>\'\'\'


def application(environ, start_response):
    path, size = environ["PATH_INFO"], int(environ.get("CONTENT_LENGTH") or 0)
    fields = {name: found[-1] for name, found in parse_qs(environ["wsgi.input"].read(size).decode()).items()}
    headers = [("Content-Type", "text/html; charset=utf-8")]
    title, body = "Not found", "<p>Nobody is here.</p>"
    if path == "/loop":
        start_response("303 See Other", [("Location", "/loop")])
        return [b""]
    if path == "/file":
        start_response("200 OK", [("Content-Disposition", "attachment; filename=guests.csv")])
        return [b"name"]
    if path == "/":
        rows = "".join(f"<tr><td>{html.escape(name)}</td></tr>" for name in ["Grace", *ENTRIES])
        clear = \'<form method="post" action="/clear"><button>Delete all</button></form>\'
        title, body = "Guests", f"<table><tr><th>Guest</th></tr>{rows}</table>{clear}"
    elif path == "/clear":
        ENTRIES.clear()
        start_response("303 See Other", [("Location", "/")])
        return [b""]
    elif path == "/sign" and environ["REQUEST_METHOD"] == "POST" and fields.get("name"):
        ENTRIES.append(fields["name"])
        start_response("303 See Other", [("Location", "/")])
        return [b""]
    elif path == "/sign":
        alert = \'<p role="alert">Please give your name.</p>\' if environ["REQUEST_METHOD"] == "POST" else ""
        title, body = "Sign", FORM.format(alert=alert)
    elif path == "/restless":
        title, body = "Restless", "<p id=n></p><script>setInterval(() => { n.textContent = Math.random() }, 5)</script>"
    elif path == "/storm":
        title, body = "Storm", "<script>for (;;) alert('again')</script>"
    elif path == "/popup":
        title, body = "Popup", "<p>Look up.</p><script>window.open('/')</script>"
    elif path == "/wall":
        wrong = environ["REQUEST_METHOD"] == "POST" and fields.get("password") != os.environ["WALL_PASSWORD"]
        if environ["REQUEST_METHOD"] == "POST" and not wrong:
            start_response("303 See Other", [("Location", "/behind"), ("Set-Cookie", "in=yes; Path=/")])
            return [b""]
        alert = \'<p role="alert">That is not it.</p>\' if wrong else ""
        body = alert + \'\'\'<form method="post"><label>User <input name="user"></label>
        <label>Password <input type="password" name="password"></label><button>Enter</button></form>\'\'\'
        title = "Wall"
    elif path == "/behind":
        inside = "in=yes" in environ.get("HTTP_COOKIE", "")
        title, body = ("Behind", "<p>Only for friends.</p>") if inside else ("Closed", "<p>Enter first.</p>")
    start_response("404 Not Found" if title == "Not found" else "200 OK", headers)
    return [PAGE.format(title=title, nav=NAV, body=body).encode()]
'''
GUEST_BOOK = {"book.py": SITE}
PAGES = {
    "public/index.html": "<!doctype html><title>Bakery</title><h1>Bakery</h1><p>Fresh bread every morning.</p>"
    '<a href="prices.html">Prices</a>',
    "public/prices.html": "<!doctype html><title>Prices</title><h1>Prices</h1>"
    "<table><tr><th>Bread</th><th>Price</th></tr><tr><td>Rye</td><td>2.80</td></tr></table>",
}
"""A folder of two pages."""
