"""A small web shop as a repository: FastAPI routes, an Express service, a page, things that must not be listed."""

from __future__ import annotations

from typing import Any

MAIN = """from fastapi import Depends, FastAPI, HTTPException
from pydantic import BaseModel

from .orders import router as orders
from .prices import price_of

app = FastAPI()


class Item(BaseModel):
    sku: str
    count: int = 1


@app.post("/items", status_code=201)
def add(item: Item):
    return {"price": price_of(item.sku)}


@app.get("/items/{item_id}")
def one(item_id: int):
    if item_id > 10:
        raise HTTPException(status_code=404)
    return {}


app.include_router(orders, prefix="/v1")
"""
ORDERS = """from fastapi import APIRouter, Depends, HTTPException, status

router = APIRouter(prefix="/orders")


def current_user():
    raise HTTPException(status.HTTP_401_UNAUTHORIZED)


@router.delete("/{order_id}", status_code=204)
async def cancel(order_id: str, user=Depends(current_user)):
    raise HTTPException(404)
"""
SERVER = """const express = require('express');
const users = require('./users');
const app = express();
// app.get('/commented-out', handler)
app.use('/users', users);
app.get('/ping', (req, res) => res.sendStatus(204));
"""
USERS = """const express = require('express');
const router = express.Router();
router.get('/:id', (req, res) => {
  if (!known(req.params.id)) return res.status(404).end();
  res.json({});
});
module.exports = router;
"""
PAGE = """<html><head><title>Shop</title></head><body><h1>Welcome (1.0)</h1>
<form><label for="name">Your name</label><input id="name"><button>Buy</button></form></body></html>
"""
SHOP: dict[str, str] = {
    ".env": "SECRET=1\n",
    ".gitignore": "*.log\n!kept.log\nout/\n",
    "app/__init__.py": "",
    "app/main.py": MAIN,
    "app/orders.py": ORDERS,
    "app/prices.py": "def price_of(sku):\n    return 1\n",
    "app/unused.py": "X = 1\n",
    "deploy/server.pem": "key\n",
    "dropped.log": "",
    "kept.log": "",
    "node_modules/express/index.js": "",
    "out/made.js": "",
    "public/index.html": PAGE,
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["fastapi>=0.1", "uvicorn"]\n',
    "tests/conftest.py": "",
    "tests/test_app.py": '@app.get("/from-a-test")\ndef handler(): ...\n',
    "web/server.js": SERVER,
    "web/users.js": USERS,
}
LISTED = sorted(
    set(SHOP) - {".env", "deploy/server.pem", "dropped.log", "node_modules/express/index.js", "out/made.js"}
)

RUN_ID = "0b9f2a4e-6f0e-4b0e-9f0a-3a0f4d1c2b3a"


def crawl_inputs(depth: str, ref: str = "worktree") -> dict[str, Any]:
    """What a crawler is asked."""
    return {"run_id": RUN_ID, "repo_full_name": "acme/shop", "ref": ref, "depth_level": depth}


def case(**more: Any) -> dict[str, Any]:
    """A valid test case."""
    return {
        "id": "tc_ping",
        "title": "ping answers",
        "preconditions": [],
        "steps": ["Send GET /ping."],
        "expected": "The answer has status 204.",
        "priority": "high",
        **more,
    }


def engineer_inputs(*cases: dict[str, Any], framework: str = "playwright") -> dict[str, Any]:
    """What an engineer is asked, in a hydration envelope."""
    notes = "Made from acme/shop at main, depth smoke: 1 routes, 0 pages."
    return {
        "run_id": RUN_ID,
        "upstream": {"agent": "test_case_generator", "artifact_id": RUN_ID, "schema_id": "urn:x"},
        "payload": {"run_id": RUN_ID, "test_cases": list(cases), "coverage_notes": notes},
        "parameters": {"target_framework": framework},
    }
