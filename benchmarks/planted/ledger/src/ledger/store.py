"""What the service knows, in memory."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace


class InsufficientFunds(Exception):
    """An account holds less than is to be taken from it."""


@dataclass(frozen=True)
class Account:
    id: int
    owner: str
    currency: str
    balance: int = 0
    note: str = ""

    @property
    def tag(self) -> str:
        """The entity tag: a digest of what it holds."""
        text = json.dumps(asdict(self), sort_keys=True)
        return '"' + hashlib.sha256(text.encode()).hexdigest()[:16] + '"'


@dataclass(frozen=True)
class Transfer:
    id: int
    source: int
    target: int
    amount: int
    reference: str


@dataclass
class Store:
    accounts: dict[int, Account] = field(default_factory=dict)
    transfers: list[Transfer] = field(default_factory=list)
    booked: dict[str, Transfer] = field(default_factory=dict)
    last_account: int = 0

    def open_account(self, owner: str, currency: str, balance: int, note: str) -> Account:
        self.last_account += 1
        account = Account(self.last_account, owner, currency, balance, note)
        self.accounts[account.id] = account
        return account

    def change(self, account: Account, **fields: object) -> Account:
        changed = replace(account, **fields)  # pyrefly: ignore[bad-argument-type]
        self.accounts[account.id] = changed
        return changed

    def remove(self, account: Account) -> None:
        del self.accounts[account.id]

    def find(self, currency: str | None, min_balance: int | None, sort: str) -> list[Account]:
        found = list(self.accounts.values())
        if currency is not None:
            found = [account for account in found if account.currency == currency]
        if min_balance is not None:
            found = [account for account in found if account.balance >= min_balance]
        descending = sort.startswith("-")
        return sorted(found, key=lambda account: getattr(account, sort.lstrip("-")), reverse=descending)

    def book(self, key: str, source: Account, target: Account, amount: int, reference: str) -> Transfer:
        if source.balance < amount:
            raise InsufficientFunds
        self.change(source, balance=source.balance - amount)
        self.change(target, balance=target.balance + amount)
        transfer = Transfer(len(self.transfers) + 1, source.id, target.id, amount, reference)
        self.transfers.append(transfer)
        self.booked[key] = transfer
        return transfer
