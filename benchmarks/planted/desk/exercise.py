"""Requests by which a fault in the desk shows; written by hand."""


def exercise(ask):
    """Sign up, sign in, and work on tickets as their owner, as another user and as an administrator."""
    ada = {"email": "ada@example.com", "password": "correct-horse", "name": "Ada"}
    ask("POST", "/users", json=ada)
    ask("POST", "/users", json=ada)
    ask("POST", "/users", json={"email": "bob@example.com", "password": "battery-staple"})
    ask("POST", "/users", json={"email": "no address", "password": "12345678"})
    ask("POST", "/users", json={"email": "c@example.com", "password": "short"})
    mine, bobs = (
        _signed_in(ask, "ada@example.com", "correct-horse"),
        _signed_in(ask, "bob@example.com", "battery-staple"),
    )
    admins = _signed_in(ask, "admin@example.com", "let-me-in-123")
    ask("POST", "/login/token", data={"username": "ada@example.com", "password": "wrong"})
    ask("POST", "/login/token", data={"username": "nobody@example.com", "password": "wrong"})
    forged = {"Authorization": mine["Authorization"] + "x"}
    for headers in ({}, forged, {"Authorization": "Bearer rubbish"}, mine, bobs, admins):
        ask("GET", "/users/me", headers=headers)
        ask("GET", "/users", headers=headers)
        ask("GET", "/tickets", headers=headers)
    for query in ({"limit": 1}, {"offset": 1}, {"offset": 1, "limit": 1}, {"limit": 0}, {"offset": -1}):
        ask("GET", "/users", headers=admins, params=query)
    ask("PATCH", "/users/me", json={"name": "Ada L."}, headers=mine)
    ask("GET", "/users/me", headers=mine)
    for address in ("bob@example.com", "ada@example.com", "ada@example.org"):
        ask("PATCH", "/users/me", json={"email": address}, headers=mine)
        ask("GET", "/users/me", headers=mine)
    _tickets(ask, mine, bobs, admins)
    _administration(ask, mine, bobs, admins)


def _signed_in(ask, name, password):
    answer = ask("POST", "/login/token", data={"username": name, "password": password})
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


def _tickets(ask, mine, bobs, admins):
    for body in (
        {"title": "Printer on fire", "body": "It burns", "priority": 5},
        {"title": "A slow laptop"},
        {"title": "Monitor", "body": "flickers", "priority": 1},
    ):
        ask("POST", "/tickets", json=body, headers=mine)
    ask("POST", "/tickets", json={"title": "Bob's keyboard", "priority": 3}, headers=bobs)
    ask("POST", "/tickets", json={"title": "no"}, headers=mine)
    ask("POST", "/tickets", json={"title": "Nobody's"})
    ask("POST", "/tickets/3/close", headers=bobs)
    ask("POST", "/tickets/3/close", headers=mine)
    ask("POST", "/tickets/3/close", headers=mine)
    ask("GET", "/tickets/3", headers=mine)
    ask("PATCH", "/tickets/3", json={"title": "Too late"}, headers=mine)
    for query in (
        *(
            {},
            {"state": "open"},
            {"state": "closed"},
            {"min_priority": 2},
            {"min_priority": 3},
            {"q": "LAP"},
            {"q": "zzz"},
        ),
        *({"sort": sort, "order": order} for sort in ("title", "priority", "created_at") for order in ("asc", "desc")),
        *({"sort": "title"}, {"limit": 1}, {"offset": 1}, {"offset": 1, "limit": 1}, {"limit": 0}, {"order": "desc"}),
    ):
        ask("GET", "/tickets", params=query, headers=mine)
    for headers in (mine, bobs, admins, {}):
        ask("GET", "/tickets/1", headers=headers)
        ask("GET", "/tickets", headers=headers)
        ask("PATCH", "/tickets/1", json={"priority": 4}, headers=headers)
        ask("POST", "/tickets/1/comments", json={"text": "A word"}, headers=headers)
        ask("GET", "/tickets/1/comments", headers=headers)
    ask("PATCH", "/tickets/1", json={"title": "Printer smokes"}, headers=mine)
    ask("PATCH", "/tickets/1", json={"body": "less now"}, headers=mine)
    ask("GET", "/tickets/1", headers=mine)
    ask("POST", "/tickets/1/comments", json={"text": "Pinned", "pinned": True}, headers=mine)
    ask("POST", "/tickets/2/comments", json={"text": "Elsewhere"}, headers=mine)
    ask("POST", "/tickets/2/comments", json={"text": ""}, headers=mine)
    for query in ({}, {"pinned": True}, {"pinned": False}, {"limit": 1}, {"limit": 2}, {"limit": 0}):
        ask("GET", "/tickets/1/comments", params=query, headers=mine)
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/close"), ("GET", "/comments")):
        ask(method, f"/tickets/999{path}", headers=mine, json={} if method == "PATCH" else None)
    for headers in (bobs, {}, mine):
        ask("DELETE", "/tickets/2", headers=headers)
        ask("GET", "/tickets/2", headers=mine)
    ask("GET", "/tickets", headers=mine)
    for number in range(22):
        ask("POST", "/tickets", json={"title": f"Number {number}"}, headers=bobs)
        ask("POST", "/tickets/4/comments", json={"text": f"Number {number}"}, headers=bobs)
    ask("GET", "/tickets", headers=bobs)
    ask("GET", "/tickets/4/comments", headers=bobs)


def _administration(ask, mine, bobs, admins):
    ask("POST", "/users", json={"email": "gone@example.com", "password": "soon-deleted"})
    gone = _signed_in(ask, "gone@example.com", "soon-deleted")
    for headers in ({}, mine, admins, admins):
        ask("DELETE", "/users/4", headers=headers)
    ask("DELETE", "/users/2", headers=admins)
    ask("GET", "/users/me", headers=gone)
    ask("GET", "/users", headers=admins)
    ask("GET", "/users/me", headers=bobs)
