"""The HTTP service."""

from typing import Annotated, Literal

from fastapi import FastAPI, Header, HTTPException, Query, Response
from pydantic import BaseModel, Field

from .store import Account, InsufficientFunds, Store

app = FastAPI(title="Ledger", version="1.0")
store = Store()

Currency = Literal["EUR", "USD", "CHF"]


class AccountIn(BaseModel):
    owner: str = Field(min_length=1, max_length=40)
    currency: Currency = "EUR"
    balance: int = Field(default=0, ge=0)
    note: str = ""


class AccountChange(BaseModel):
    owner: str | None = Field(default=None, min_length=1, max_length=40)
    note: str | None = None


class AccountOut(BaseModel):
    id: int
    owner: str
    currency: Currency
    balance: int
    note: str


class TransferIn(BaseModel):
    source: int
    target: int
    amount: int = Field(gt=0)
    reference: str = ""


class TransferOut(BaseModel):
    id: int
    source: int
    target: int
    amount: int
    reference: str


def known_account(account_id: int) -> Account:
    account = store.accounts.get(account_id)
    if account is None:
        raise HTTPException(404, f"There is no account {account_id}")
    return account


def check_unchanged(account: Account, if_match: str | None) -> None:
    if if_match is None:
        raise HTTPException(428, "Send If-Match with the entity tag of the account")
    if if_match != account.tag:
        raise HTTPException(412, "The account has changed since")


@app.post("/accounts", status_code=201, response_model=AccountOut)
def open_account(account: AccountIn, response: Response):
    """Open an account."""
    made = store.open_account(account.owner, account.currency, account.balance, account.note)
    response.headers["Location"] = f"/accounts/{made.id}"
    response.headers["ETag"] = made.tag
    return made


@app.get("/accounts", response_model=list[AccountOut])
def list_accounts(
    response: Response,
    currency: Currency | None = None,
    min_balance: int | None = None,
    sort: Literal["id", "-id", "owner", "-owner", "balance", "-balance"] = "id",
    page: Annotated[int, Query(ge=1)] = 1,
    per_page: Annotated[int, Query(ge=1, le=100)] = 20,
):
    """List accounts, a page at a time."""
    found = store.find(currency, min_balance, sort)
    first = (page - 1) * per_page
    response.headers["X-Total-Count"] = str(len(found))
    if first + per_page < len(found):
        response.headers["Link"] = f'</accounts?page={page + 1}&per_page={per_page}>; rel="next"'
    return found[first : first + per_page]


@app.get("/accounts/{account_id}", response_model=AccountOut)
def read_account(account_id: int, response: Response, if_none_match: Annotated[str | None, Header()] = None):
    """Read an account."""
    account = known_account(account_id)
    if if_none_match == account.tag:
        return Response(status_code=304, headers={"ETag": account.tag})
    response.headers["ETag"] = account.tag
    return account


@app.put("/accounts/{account_id}", response_model=AccountOut)
def replace_account(
    account_id: int, account: AccountIn, response: Response, if_match: Annotated[str | None, Header()] = None
):
    """Replace an account."""
    known = known_account(account_id)
    check_unchanged(known, if_match)
    changed = store.change(
        known, owner=account.owner, currency=account.currency, balance=account.balance, note=account.note
    )
    response.headers["ETag"] = changed.tag
    return changed


@app.patch("/accounts/{account_id}", response_model=AccountOut)
def change_account(
    account_id: int, change: AccountChange, response: Response, if_match: Annotated[str | None, Header()] = None
):
    """Change the owner or the note of an account."""
    known = known_account(account_id)
    check_unchanged(known, if_match)
    changed = store.change(known, **change.model_dump(exclude_unset=True))
    response.headers["ETag"] = changed.tag
    return changed


@app.delete("/accounts/{account_id}", status_code=204)
def close_account(account_id: int, if_match: Annotated[str | None, Header()] = None):
    """Close an account that holds nothing."""
    account = known_account(account_id)
    check_unchanged(account, if_match)
    if account.balance != 0:
        raise HTTPException(409, "The account is not empty")
    store.remove(account)
    return Response(status_code=204)


@app.post("/transfers", status_code=201, response_model=TransferOut)
def book_transfer(transfer: TransferIn, response: Response, idempotency_key: Annotated[str, Header()]):
    """Transfer an amount; the same key books it once."""
    known = store.booked.get(idempotency_key)
    if known is not None:
        response.status_code = 200
        return known
    source, target = known_account(transfer.source), known_account(transfer.target)
    if source.id == target.id:
        raise HTTPException(400, "An account cannot transfer to itself")
    if source.currency != target.currency:
        raise HTTPException(409, "The accounts have different currencies")
    try:
        return store.book(idempotency_key, source, target, transfer.amount, transfer.reference)
    except InsufficientFunds:
        raise HTTPException(409, "The account holds less than that") from None


@app.get("/transfers", response_model=list[TransferOut])
def list_transfers(
    account: int | None = None,
    min_amount: int | None = None,
    skip: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
):
    """List transfers, the newest first."""
    found = store.transfers[::-1]
    if account is not None:
        found = [transfer for transfer in found if account in (transfer.source, transfer.target)]
    if min_amount is not None:
        found = [transfer for transfer in found if transfer.amount >= min_amount]
    return found[skip : skip + limit]


@app.get("/transfers/{transfer_id}", response_model=TransferOut)
def read_transfer(transfer_id: int):
    """Read a transfer."""
    for transfer in store.transfers:
        if transfer.id == transfer_id:
            return transfer
    raise HTTPException(404, f"There is no transfer {transfer_id}")
