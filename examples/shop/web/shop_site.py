"""The shop in a browser: pages rendered on the server with nothing but the standard library.

`application` is a WSGI application; `python web/shop_site.py 8000` serves it. Orders are taken from everybody; only the
keeper, who signs in with the password in SHOP_PASSWORD, may cancel them.
"""

import html
import os
import re
import secrets
import sys
from http import cookies
from urllib.parse import parse_qs
from wsgiref.simple_server import make_server

PRICES = {"apple": 40, "bread": 280, "pencil": 120}
MOST_PIECES = 50
LONGEST_NAME = 30
KEEPER = "keeper"
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title} – Shop</title></head>
<body>
<header><nav aria-label="Main">{links}</nav></header>
<main><h1>{title}</h1>
{body}
</main>
<footer>{signed_in}</footer>
</body></html>
"""


class Orders:
    """The orders by number, and who has signed in."""

    def __init__(self):
        self.orders = {}
        self.sessions = set()
        self.add("Grace", "bread", 1)
        self.add("Linus", "pencil", 12)

    def add(self, customer, article, pieces):
        """Take an order; its number."""
        number = len(self.orders) + 1
        self.orders[number] = {"customer": customer, "article": article, "pieces": pieces, "status": "open"}
        return number

    def found(self, words):
        """The orders of customers whose name has these words, the oldest first."""
        return [(number, one) for number, one in self.orders.items() if words.lower() in one["customer"].lower()]


SHOP = Orders()


class Found(Exception):
    """Leads to another page."""

    def __init__(self, path, cookie=""):
        super().__init__(path)
        self.path = path
        self.cookie = cookie


def money(cents):
    """`2.80 €`."""
    return f"{cents // 100}.{cents % 100:02d} €"


def list_page(fields, signed_in):
    """All orders, or those of one customer."""
    words = fields.get("customer", "")
    rows = [
        f'<tr><td><a href="/orders/{number}">Order {number}</a></td><td>{html.escape(one["customer"])}</td>'
        f"<td>{one['article']}</td><td>{one['pieces']}</td><td>{one['status']}</td></tr>"
        for number, one in SHOP.found(words)
    ]
    heads = "".join(f"<th>{name}</th>" for name in ("Order", "Customer", "Article", "Pieces", "Status"))
    table = f"<table><tr>{heads}</tr>{''.join(rows)}</table>" if rows else "<p>No orders were found.</p>"
    placed = f'<p role="status">Order {html.escape(fields["placed"])} was placed.</p>' if "placed" in fields else ""
    search = (
        f'<form action="/orders"><label>Customer <input name="customer" value="{html.escape(words)}"></label>'
        "<button>Search</button></form>"
    )
    return "Orders", placed + search + table


def problem_with(fields):
    """What is wrong with a new order, or nothing."""
    customer, pieces = fields.get("customer", "").strip(), fields.get("pieces", "").strip()
    if not customer:
        return "Please say who the order is for."
    if len(customer) > LONGEST_NAME:
        return f"A name has at most {LONGEST_NAME} letters."
    if fields.get("article") not in PRICES:
        return "Please choose an article."
    if not pieces.isdigit() or int(pieces) < 1:
        return "Order at least 1 piece."
    if int(pieces) > MOST_PIECES:
        return f"Order at most {MOST_PIECES} pieces."
    return ""


def new_page(fields, signed_in, problem=""):
    """The form for a new order, with what was filled in before."""
    options = "".join(
        f'<option value="{name}"{" selected" if fields.get("article") == name else ""}>{name}</option>'
        for name in PRICES
    )
    alert = f'<p role="alert">{problem}</p>' if problem else ""
    customer, pieces = html.escape(fields.get("customer", "")), html.escape(fields.get("pieces", "1"))
    return "New order", (
        f'{alert}<form method="post" action="/orders/new">'
        f'<p><label>Customer <input name="customer" value="{customer}"></label></p>'
        f'<p><label>Article <select name="article"><option value="">Choose one</option>{options}</select></label></p>'
        f'<p><label>Pieces <input name="pieces" inputmode="numeric" value="{pieces}"></label></p>'
        "<button>Place order</button></form>"
    )


def place(fields, signed_in):
    """Take a new order, or show the form again."""
    problem = problem_with(fields)
    if problem:
        return new_page(fields, signed_in, problem)
    number = SHOP.add(fields["customer"].strip(), fields["article"], int(fields["pieces"]))
    raise Found(f"/orders?placed={number}")


def order_page(fields, signed_in, number):
    """One order with its price; the keeper can cancel it while it is open."""
    one = SHOP.orders.get(int(number))
    if one is None:
        return "Not found", f"<p>There is no order {number}.</p>"
    facts = {
        "Customer": html.escape(one["customer"]),
        "Article": one["article"],
        "Pieces": one["pieces"],
        "Total": money(PRICES[one["article"]] * one["pieces"]),
        "Status": one["status"],
    }
    lines = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    cancel = (
        f'<form method="post" action="/orders/{number}/cancel" onsubmit="return confirm(\'Cancel order {number}?\')">'
        "<button>Cancel order</button></form>"
    )
    shown = cancel if signed_in and one["status"] == "open" else ""
    return f"Order {number}", f"<dl>{lines}</dl>{shown}"


def cancel(fields, signed_in, number):
    """Cancel an order."""
    one = SHOP.orders.get(int(number))
    if not signed_in:
        raise Found("/sign-in")
    if one is not None:
        one["status"] = "cancelled"
    raise Found(f"/orders/{number}")


def takings_page(fields, signed_in):
    """What the open orders bring, for the keeper's eyes only."""
    if not signed_in:
        raise Found("/sign-in")
    open_orders = [one for one in SHOP.orders.values() if one["status"] == "open"]
    total = sum(PRICES[one["article"]] * one["pieces"] for one in open_orders)
    return "Takings", f"<p>{len(open_orders)} open orders bring {money(total)}.</p>"


def sign_in_page(fields, signed_in, problem=""):
    """The form to sign in."""
    alert = f'<p role="alert">{problem}</p>' if problem else ""
    return "Sign in", (
        f'{alert}<form method="post" action="/sign-in">'
        '<p><label>Name <input name="name" autocomplete="username" required></label></p>'
        '<p><label>Password <input name="password" type="password" required></label></p>'
        "<button>Sign in</button></form>"
    )


def sign_in(fields, signed_in):
    """Let the keeper in."""
    wanted = os.environ.get("SHOP_PASSWORD", "")
    known = wanted and secrets.compare_digest(fields.get("password", "").encode(), wanted.encode())
    if fields.get("name") != KEEPER or not known:
        return sign_in_page(fields, signed_in, "The name or the password is wrong.")
    session = secrets.token_hex(16)
    SHOP.sessions.add(session)
    raise Found("/takings", f"session={session}; Path=/; HttpOnly")


def sign_out(fields, signed_in):
    """Let the keeper go."""
    SHOP.sessions.discard(signed_in)
    raise Found("/sign-in", "session=; Path=/; Max-Age=0")


ROUTES = [
    ("GET", r"/orders", list_page),
    ("GET", r"/orders/new", new_page),
    ("POST", r"/orders/new", place),
    ("GET", r"/orders/(\d{1,9})", order_page),
    ("POST", r"/orders/(\d{1,9})/cancel", cancel),
    ("GET", r"/takings", takings_page),
    ("GET", r"/sign-in", sign_in_page),
    ("POST", r"/sign-in", sign_in),
    ("POST", r"/sign-out", sign_out),
]


def answer(method, path, fields, signed_in):
    """The title and the body of a page. Raises Found where it is another one."""
    if path == "/":
        raise Found("/orders")
    for wanted, pattern, handler in ROUTES:
        match = re.fullmatch(pattern, path)
        if match and wanted == method:
            return handler(fields, signed_in, *match.groups())
    return "Not found", "<p>There is no such page.</p>"


def application(environ, start_response):
    """The site as a WSGI application."""
    size = int(environ.get("CONTENT_LENGTH") or 0)
    posted = environ["REQUEST_METHOD"] == "POST"
    text = environ["wsgi.input"].read(size).decode() if posted else environ.get("QUERY_STRING", "")
    fields = {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}
    jar = cookies.SimpleCookie(environ.get("HTTP_COOKIE", ""))
    session = jar["session"].value if "session" in jar else ""
    signed_in = session if session in SHOP.sessions else ""
    try:
        title, body = answer(environ["REQUEST_METHOD"], environ["PATH_INFO"], fields, signed_in)
    except Found as found:
        headers = [("Location", found.path)] + ([("Set-Cookie", found.cookie)] if found.cookie else [])
        start_response("303 See Other", headers)
        return [b""]
    places = {"/orders": "Orders", "/orders/new": "New order", "/takings": "Takings"}
    links = " ".join(f'<a href="{path}">{name}</a>' for path, name in places.items())
    who = (
        f'Signed in as {KEEPER}. <form method="post" action="/sign-out"><button>Sign out</button></form>'
        if signed_in
        else '<a href="/sign-in">Sign in</a>'
    )
    page = PAGE.format(title=title, links=links, body=body, signed_in=who)
    start_response("404 Not Found" if title == "Not found" else "200 OK", [("Content-Type", "text/html; charset=utf-8")])
    return [page.encode()]


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8000, application).serve_forever()
