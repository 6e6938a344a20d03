"""Statuses that handlers answer on purpose are read from the project's own code."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.api.document.deliberate import DeliberateRefusals
from testwright.tests.support.engine.python_projects import write_project

MAIN = """
from fastapi import FastAPI, HTTPException, status
from shop.stock import take
from shop import rules
from shop.readers import Reader, Told

app = FastAPI()

class Missing(HTTPException):
    def __init__(self):
        super().__init__(404)

class Sold(Exception): ...

@app.exception_handler(Sold)
async def sold(request, error):
    return JSONResponse({}, status_code=410)

def find(number):
    if number not in ORDERS:
        raise HTTPException(status_code=404, detail="none")

@app.get("/plain")
def plain():
    return {"ok": True}

@app.get("/named")
def named():
    raise HTTPException(status.HTTP_403_FORBIDDEN)

@app.get("/helper")
def helper(number: int):
    return find(number)

@app.get("/own")
def own():
    raise Missing()

@app.get("/handled")
def handled():
    raise Sold()

@app.get("/other")
def other():
    return take()

@app.get("/flask")
def flask():
    abort(409)

@app.get("/django")
def django():
    raise Http404

@app.get("/response")
def response():
    return JSONResponse({"why": 422}, status_code=status.HTTP_423_LOCKED)

@app.get("/pair")
def pair():
    return passed_on()

def passed_on():
    return {"why": "gone"}, 410

def pixels():
    return 640, 480

@app.get("/numbers")
def numbers():
    width, height = pixels()
    found = STOCK.filter(status=404, conflict=error.CONFLICT)
    print(404, NOT_FOUND, reply.not_found)
    if not found:
        raise ValueError(404)
    return {"limit": 499, "left": min(420, width), "of": height}

@app.get("/either")
def either():
    return JSONResponse({}, 404 if ORDERS else HTTPStatus.GONE.value)

@app.get("/twice")
def twice():
    found = checked()
    print(found)
    return relayed()

def checked():
    return {"why": "late"}, 408

def relayed():
    return checked()

@app.get("/second")
def second():
    raise ApiError("gone", 410)

@app.get("/turned")
def turned():
    raise HTTPException(status_code=int(404))

@app.get("/lock")
def lock():
    if ORDERS:
        raise Gone
    raise Locked()

class Locked(Exception): ...

@app.get("/kind")
def kind():
    raise Closed
class Closed(Exception):
    status_code = 409
    attempts = 450

@app.get("/hidden")
def hidden():
    return item(1)

def item(key):
    raise HTTPException(404)

def other():
    item = ORDERS["x"]

@app.get("/dependent")
def dependent(user: Reader):
    return user

@app.get("/annotated")
def annotated(user: Told):
    return user
"""
FILES = {
    "shop/__init__.py": "",
    "shop/main.py": MAIN,
    "shop/stock.py": "def take():\n    raise HTTPException(409)\n",
    "shop/rules.py": "LIMIT = 1\n",
    "shop/readers.py": "def reader():\n    abort(418)\n\nReader = Annotated[str, Depends(reader)]\n"
    "Told: TypeAlias = Annotated[str, Depends(reader)]\n",
}


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("plain", set()),
        ("named", {403}),
        ("helper", {404}),
        ("own", {404}),
        ("handled", {410}),
        ("other", {409}),
        ("flask", {409}),
        ("django", {404}),
        ("response", {423}),
        ("pair", {410}),
        ("numbers", set()),
        ("either", {404, 410}),
        ("twice", {408}),
        ("second", {410}),
        ("turned", {404}),
        ("lock", {410}),
        ("kind", {409}),
        ("dependent", {418}),
        ("annotated", {418}),
        ("hidden", {404}),
    ],
)
def test_what_a_handler_and_what_it_calls_raise_or_answer_is_deliberate_and_no_other_number(
    tmp_path: Path, name: str, statuses: set[int]
):
    root = write_project(tmp_path, FILES)
    lines: list[str] = list(MAIN.splitlines())
    line = next(at for at, text in enumerate(lines, 1) if text.startswith(f"def {name}("))
    assert DeliberateRefusals(root, (".",)).statuses("shop/main.py", (line - 1, line + 1)) == statuses


def test_nothing_is_deliberate_where_no_handler_is_known(tmp_path: Path):
    refusals = DeliberateRefusals(write_project(tmp_path, FILES), (".",))
    assert refusals.statuses("shop/main.py", (1, 1)) == frozenset()
    assert refusals.statuses("openapi.yaml", (3, 9)) == frozenset()


def test_a_module_whose_name_no_file_can_have_is_passed_over(tmp_path: Path):
    imports = f"from {'a' * 300}.b import c\nfrom {'.'.join(['x' * 200] * 40)} import d\n"
    source = f"{imports}def get():\n    abort(404)\n    c(d)\n"
    root = write_project(tmp_path, {"app.py": source})
    assert DeliberateRefusals(root, (".",)).statuses("app.py", (3, 5)) == {404}
