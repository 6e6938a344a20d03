"""The shop over HTTP: stock, carts and orders. Needs the extra `shop[api]`.

Run it with `uvicorn shop.api:app`. Changing the stock needs the key in the variable SHOP_API_KEY, orders need the token
in SHOP_TOKEN.
"""

import os
import secrets
from datetime import date
from typing import Annotated, Dict, List, Optional

from fastapi import Depends, FastAPI, HTTPException, Path, Query, Response, Security
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field

from .cart import Cart
from .errors import OutOfStock
from .orders import Order, Status, delivery_day, place
from .stock import Stock

app = FastAPI(title="Shop", version="1.0.0", summary="Stock, carts and orders.")

MOST_PIECES = 10_000

Article = Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", min_length=2, max_length=30, examples=["pencil"])]
ArticleInPath = Annotated[str, Path(pattern="^[a-z][a-z0-9-]*$", min_length=2, max_length=30, examples=["pencil"])]
Number = Annotated[int, Path(ge=1, description="As the answer to its creation said.")]


class Pieces(BaseModel):
    """How many pieces of an article there are."""

    pieces: int = Field(ge=1, le=MOST_PIECES)


class Shelf(Pieces):
    """An article in stock."""

    article: Article


class NewCart(BaseModel, extra="forbid"):
    """Who is going to buy something."""

    customer: str = Field(min_length=1, max_length=40)
    note: Optional[str] = Field(default=None, max_length=100)


class NewLine(BaseModel):
    """Pieces of an article for a cart."""

    article: Article
    price: int = Field(ge=0, le=1_000_000, description="Cents for one piece.")
    quantity: int = Field(default=1, ge=1, le=500)


class LineAnswer(BaseModel):
    """A line of a cart."""

    article: str
    price: int
    quantity: int
    total: int


class CartAnswer(BaseModel):
    """A cart with its lines."""

    number: int
    customer: str
    note: Optional[str]
    lines: List[LineAnswer]
    total: int


class NewOrder(BaseModel):
    """A cart that is bought on a day."""

    cart: int = Field(ge=1, description="The number of a cart.")
    placed: date
    express: bool = False


class Change(BaseModel):
    """Where an order stands now."""

    status: Status


class OrderAnswer(BaseModel):
    """An order."""

    number: int
    customer: str
    placed: date
    delivery: date
    status: Status
    total: int


class Refusal(BaseModel):
    """Why something was not done."""

    detail: str


NOT_FOUND = {404: {"model": Refusal, "description": "There is none."}}
CONFLICT = {409: {"model": Refusal, "description": "It cannot be done as things stand."}}
UNAUTHORIZED = {401: {"model": Refusal, "description": "Nobody has signed in."}}


class Shop:
    """What the shop knows while it runs."""

    def __init__(self) -> None:
        self.stock = Stock()
        self.carts: Dict[int, Cart] = {}
        self.notes: Dict[int, Optional[str]] = {}
        self.orders: Dict[int, Order] = {}
        self.delivery: Dict[int, date] = {}
        self.last = 0

    def next_number(self) -> int:
        """A number that nothing has yet."""
        self.last += 1
        return self.last

    def set_pieces(self, article: str, pieces: int) -> None:
        """Let there be so many pieces of an article."""
        self.drop(article)
        self.stock.put(article, pieces)

    def drop(self, article: str) -> None:
        """Let there be none."""
        there = self.stock.pieces(article)
        if there:
            self.stock.take(article, there)


SHOP = Shop()


def signed_in(token: Annotated[Optional[HTTPAuthorizationCredentials], Security(HTTPBearer(auto_error=False))]) -> None:
    """Let only those in who have the token."""
    _compare(token.credentials if token else None, "SHOP_TOKEN")


def keeper(key: Annotated[Optional[str], Security(APIKeyHeader(name="X-API-Key", auto_error=False))]) -> None:
    """Let only those in who have the key."""
    _compare(key, "SHOP_API_KEY")


def _compare(given: Optional[str], variable: str) -> None:
    wanted = os.environ.get(variable, "")
    if not wanted or not secrets.compare_digest((given or "").encode(), wanted.encode()):
        raise HTTPException(401, "sign in first")


@app.get("/stock")
def list_stock(
    below: Annotated[Optional[int], Query(ge=1, le=MOST_PIECES, description="Only articles with fewer pieces.")] = None,
    begins: Annotated[Optional[str], Query(min_length=1, max_length=30, pattern="^[a-z0-9-]+$")] = None,
) -> List[Shelf]:
    """The articles in stock, by name."""
    names = SHOP.stock.running_low(MOST_PIECES + 1 if below is None else below)
    if begins is not None:
        names = [name for name in names if name.startswith(begins)]
    return [Shelf(article=name, pieces=SHOP.stock.pieces(name)) for name in names]


@app.get("/stock/{article}", responses=NOT_FOUND)
def read_stock(article: ArticleInPath) -> Shelf:
    """One article in stock."""
    if article not in SHOP.stock:
        raise HTTPException(404, f"no {article} in stock")
    return Shelf(article=article, pieces=SHOP.stock.pieces(article))


@app.put("/stock/{article}", responses=UNAUTHORIZED, dependencies=[Depends(keeper)])
def set_stock(article: ArticleInPath, body: Pieces) -> Shelf:
    """Set how many pieces of an article there are."""
    SHOP.set_pieces(article, body.pieces)
    return Shelf(article=article, pieces=body.pieces)


@app.delete("/stock/{article}", status_code=204, responses=UNAUTHORIZED | NOT_FOUND, dependencies=[Depends(keeper)])
def drop_stock(article: ArticleInPath) -> None:
    """Give an article up."""
    if article not in SHOP.stock:
        raise HTTPException(404, f"no {article} in stock")
    SHOP.drop(article)


@app.post("/carts", status_code=201)
def create_cart(body: NewCart, response: Response) -> CartAnswer:
    """Begin an empty cart."""
    number = SHOP.next_number()
    SHOP.carts[number], SHOP.notes[number] = Cart(body.customer), body.note
    response.headers["Location"] = f"/carts/{number}"
    return _cart(number)


@app.get("/carts")
def list_carts(
    customer: Annotated[Optional[str], Query(min_length=1, max_length=40)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> List[CartAnswer]:
    """The carts, the oldest first."""
    found = [number for number, cart in SHOP.carts.items() if customer in (None, cart.customer)]
    return [_cart(number) for number in found[:limit]]


@app.get("/carts/{number}", responses=NOT_FOUND)
def read_cart(number: Number) -> CartAnswer:
    """One cart."""
    _known_cart(number)
    return _cart(number)


@app.post("/carts/{number}/lines", status_code=201, responses=NOT_FOUND)
def add_line(number: Number, body: NewLine) -> CartAnswer:
    """Put pieces of an article into a cart."""
    _known_cart(number).add(body.article, body.price, body.quantity)
    return _cart(number)


@app.delete("/carts/{number}/lines/{article}", responses=NOT_FOUND)
def remove_line(number: Number, article: ArticleInPath) -> CartAnswer:
    """Take an article out of a cart."""
    if not _known_cart(number).remove(article):
        raise HTTPException(404, f"no {article} in cart {number}")
    return _cart(number)


@app.delete("/carts/{number}", status_code=204, responses=NOT_FOUND)
def drop_cart(number: Number) -> None:
    """Throw a cart away."""
    _known_cart(number)
    del SHOP.carts[number], SHOP.notes[number]


@app.post("/orders", status_code=201, responses=UNAUTHORIZED | NOT_FOUND | CONFLICT, dependencies=[Depends(signed_in)])
def create_order(body: NewOrder) -> OrderAnswer:
    """Buy a cart: its articles leave the stock."""
    cart = _known_cart(body.cart)
    try:
        order = place(SHOP.last + 1, cart, SHOP.stock, body.placed)
    except (ValueError, OutOfStock) as error:
        raise HTTPException(409, str(error)) from error
    SHOP.orders[SHOP.next_number()] = order
    SHOP.delivery[order.number] = delivery_day(body.placed, 1 if body.express else 2)
    del SHOP.carts[body.cart]
    return _order(order)


@app.get("/orders")
def list_orders(
    status: Optional[Status] = None,
    since: Optional[date] = None,
) -> List[OrderAnswer]:
    """The orders, the latest first."""
    found = [order for order in SHOP.orders.values() if status in (None, order.status)]
    found = [order for order in found if since is None or order.placed >= since]
    return [_order(order) for order in reversed(found)]


@app.get("/orders/{number}", responses=NOT_FOUND)
def read_order(number: Number) -> OrderAnswer:
    """One order."""
    return _order(_known_order(number))


@app.patch("/orders/{number}", responses=UNAUTHORIZED | NOT_FOUND | CONFLICT, dependencies=[Depends(signed_in)])
def change_order(number: Number, body: Change) -> OrderAnswer:
    """Send an order, or take it back once it was sent."""
    order = _known_order(number)
    if body.status is Status.SENT:
        order.send()
    elif body.status is Status.RETURNED and order.status is Status.SENT:
        order.status = Status.RETURNED
    else:
        raise HTTPException(409, f"order {number} is {order.status.value}")
    return _order(order)


@app.delete("/orders/{number}", status_code=204, responses=UNAUTHORIZED | NOT_FOUND, dependencies=[Depends(signed_in)])
def drop_order(number: Number) -> None:
    """Forget an order."""
    del SHOP.orders[_known_order(number).number]


def _known_cart(number: int) -> Cart:
    if number not in SHOP.carts:
        raise HTTPException(404, f"no cart {number}")
    return SHOP.carts[number]


def _known_order(number: int) -> Order:
    if number not in SHOP.orders:
        raise HTTPException(404, f"no order {number}")
    return SHOP.orders[number]


def _cart(number: int) -> CartAnswer:
    cart = SHOP.carts[number]
    lines = [
        LineAnswer(article=line.article, price=line.price, quantity=line.quantity, total=line.total)
        for line in cart.lines
    ]
    return CartAnswer(number=number, customer=cart.customer, note=SHOP.notes[number], lines=lines, total=cart.total)


def _order(order: Order) -> OrderAnswer:
    return OrderAnswer(
        number=order.number,
        customer=order.cart.customer,
        placed=order.placed,
        delivery=SHOP.delivery[order.number],
        status=order.status,
        total=order.cart.total,
    )
