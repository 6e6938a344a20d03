"""Requests by which a fault in the ledger shows; written by hand."""


def exercise(ask):
    """Open, change, list and close accounts; book transfers."""
    made = [
        ask("POST", "/accounts", json={"owner": "Ada", "currency": "EUR", "balance": 100, "note": "first"}),
        ask("POST", "/accounts", json={"owner": "Bob", "currency": "EUR", "balance": 5}),
        ask("POST", "/accounts", json={"owner": "Cy", "currency": "USD"}),
        ask("POST", "/accounts", json={"owner": "Al"}),
    ]
    ask("POST", "/accounts", json={"owner": ""})
    ask("POST", "/accounts", json={"owner": "x", "balance": -1})
    for query in (
        *({}, {"currency": "EUR"}, {"currency": "CHF"}, {"min_balance": 5}, {"min_balance": 6}),
        *({"sort": sort} for sort in ("id", "-id", "owner", "-owner", "balance", "-balance")),
        *({"page": 1, "per_page": 2}, {"page": 2, "per_page": 2}, {"page": 2, "per_page": 3}, {"page": 0}),
    ):
        ask("GET", "/accounts", params=query)
    ask("GET", "/accounts/999")
    tag = ask("GET", "/accounts/1").headers["etag"]
    ask("GET", "/accounts/1", headers={"If-None-Match": tag})
    ask("GET", "/accounts/1", headers={"If-None-Match": '"old"'})
    for method, body in (("PATCH", {"note": "new"}), ("PUT", {"owner": "Eve", "currency": "USD", "balance": 7})):
        ask(method, "/accounts/999", json=body)
        ask(method, "/accounts/1", json=body)
        ask(method, "/accounts/1", json=body, headers={"If-Match": '"old"'})
        ask("GET", "/accounts/1")
        changed = ask(method, "/accounts/1", json=body, headers={"If-Match": tag})
        read = ask("GET", "/accounts/1")
        tag = read.headers["etag"]
        ask("GET", "/accounts/1", headers={"If-None-Match": changed.headers.get("etag", "")})
    ask("PATCH", "/accounts/1", json={"owner": "Ida"}, headers={"If-Match": tag})
    tag = ask("GET", "/accounts/1").headers["etag"]
    ask("PUT", "/accounts/1", json={"owner": "Ada", "balance": 50}, headers={"If-Match": tag})
    ask("GET", "/accounts/1")
    _transfers(ask)
    ask("DELETE", "/accounts/999")
    ask("DELETE", "/accounts/3")
    ask("DELETE", "/accounts/3", headers={"If-Match": '"old"'})
    ask("DELETE", "/accounts/1", headers={"If-Match": ask("GET", "/accounts/1").headers["etag"]})
    ask("DELETE", "/accounts/3", headers={"If-Match": made[2].headers.get("etag", "")})
    ask("GET", "/accounts/3")
    ask("GET", "/accounts")
    for number in range(25):
        ask("POST", "/accounts", json={"owner": f"n{number}"})
    ask("GET", "/accounts")


def _transfers(ask):
    body = {"source": 1, "target": 2, "amount": 10, "reference": "rent"}
    ask("POST", "/transfers", json=body)
    for _ in range(2):
        ask("POST", "/transfers", json=body, headers={"Idempotency-Key": "one"})
        ask("GET", "/accounts/1")
        ask("GET", "/accounts/2")
    for number, change in enumerate(
        ({"amount": 1}, {"source": 2, "target": 4}, {"amount": 1000}, {"target": 1}, {"target": 3}, {"target": 99})
    ):
        ask("POST", "/transfers", json={**body, **change}, headers={"Idempotency-Key": f"k{number}"})
    ask("POST", "/transfers", json={**body, "source": 99}, headers={"Idempotency-Key": "gone"})
    ask("POST", "/transfers", json={"source": 1, "target": 2, "amount": 2}, headers={"Idempotency-Key": "plain"})
    for query in (
        *({}, {"account": 1}, {"account": 4}, {"account": 9}, {"min_amount": 10}, {"min_amount": 11}),
        *({"limit": 1}, {"skip": 1}, {"skip": 1, "limit": 1}, {"limit": 0}, {"limit": 101}),
    ):
        ask("GET", "/transfers", params=query)
    ask("GET", "/transfers/1")
    ask("GET", "/transfers/99")
