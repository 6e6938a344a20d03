"""Faults that the operator plants in web applications: of named kinds, still Python, the same for a seed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from testwright.benchmarks.planted_api.__main__ import answers_nothing
from testwright.benchmarks.planted_api.operators import drawn, faults_in, models_answered

PLANTED = Path(__file__).resolve().parents[3] / "benchmarks" / "planted"
HANDLERS = """
@app.get("/items", dependencies=[Depends(require_admin)])
def items(limit: int = 20, offset: int = 0, done: bool | None = None):
    query = select(Item).where(Item.owner_id == user.id)
    if done is not None:
        query = query.where(Item.done == done)
    return query.order_by(Item.id).offset(offset).limit(limit)

@app.patch("/items/{number}", status_code=201)
def change(number: int, given: Given):
    item = db.get(number)
    if item.owner_id != user.id:
        raise HTTPException(403)
    if item.closed:
        raise HTTPException(status_code=409)
    for name, value in given.model_dump(exclude_unset=True).items():
        setattr(item, name, value)
    return {"id": number, "name": item.name}

@app.route("/items/<number>", methods=["DELETE"])
def remove(number):
    db.delete(number)
    return "", 204
"""


def _changes(kind: str) -> list[str]:
    return [fault.after for fault in faults_in(HANDLERS, "app.py") if fault.kind == kind]


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("permission check removed", '@app.get("/items", dependencies=[])'),
        ("ownership check removed", "query = select(Item)"),
        ("filter ignored", "if False:"),
        ("sort reversed or ignored", "return query.offset(offset).limit(limit)"),
        ("limit ignored", "return query.order_by(Item.id).offset(offset)"),
        ("page off by one", "return query.order_by(Item.id).offset(offset + 1).limit(limit)"),
        ("conflict check removed", "if False:"),
        ("update writes nothing", "pass"),
        ("update overwrites the rest", "for name, value in given.model_dump(exclude_unset=False).items():"),
        ("delete keeps", "pass"),
        ("status changed", '@app.patch("/items/{number}", status_code=200)'),
        ("status changed", 'return "", 200'),
        ("field dropped", 'return {"id": number}'),
        ("default changed", "def items(limit: int = 1, offset: int = 0, done: bool | None = None):"),
    ],
)
def test_a_fault_of_each_kind_is_found_by_the_shape_of_the_code(kind: str, change: str) -> None:
    assert change in _changes(kind)


@pytest.mark.parametrize(
    ("listed", "changed"),
    [
        ("sorted(t.name for t in tags)", "sorted((t.name for t in tags), reverse=True)"),
        ("sorted(tags, key=name)", "sorted(tags, key=name, reverse=True)"),
        ("tags.sort()", "tags.sort(reverse=True)"),
    ],
)
def test_whatever_is_sorted_is_sorted_the_other_way_round(listed: str, changed: str) -> None:
    found = faults_in(f'@app.get("/tags")\ndef tags():\n    return {listed}\n', "app.py")
    assert f"return {changed}" in [fault.after for fault in found if fault.kind == "sort reversed or ignored"]


@pytest.mark.parametrize("name", ["desk", "ledger"])
def test_every_fault_is_python_and_changes_its_file(name: str) -> None:
    for path in sorted((PLANTED / name / "src").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for fault in faults_in(text, path.name, models_answered(ast.parse(text))):
            ast.parse(fault.source)
            assert fault.source != text


def test_a_seed_draws_the_same_faults_one_of_each_kind_first() -> None:
    faults = faults_in(HANDLERS, "app.py")
    first, again, other = (list(drawn(faults, seed)) for seed in (1, 1, 2))
    kinds = {fault.kind for fault in faults}
    assert first == again
    assert first != other
    assert sorted(fault.line for fault in first) == sorted(fault.line for fault in faults)
    assert {fault.kind for fault in first[: len(kinds)]} == kinds


def test_the_requests_of_a_person_tell_a_fault_from_the_application_as_it_is(tmp_path: Path) -> None:
    store = PLANTED / "ledger" / "src" / "ledger" / "store.py"
    faults = [
        fault for fault in faults_in(store.read_text(encoding="utf-8"), "store.py") if fault.kind == "delete keeps"
    ]
    answers = []
    for source in (store.read_text(encoding="utf-8"), faults[0].source):
        package = tmp_path / str(len(answers)) / "ledger"
        package.mkdir(parents=True)
        for path in store.parent.glob("*.py"):
            (package / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        (package / "store.py").write_text(source, encoding="utf-8")
        program = PLANTED.parent / "planted_api" / "behaviour.py"
        command = [
            sys.executable,
            str(program),
            str(package.parent),
            "ledger.api:app",
            str(PLANTED / "ledger" / "exercise.py"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        answers.append(json.loads(done.stdout))
    [usual, faulty] = answers
    assert usual[-1][0] != "error"
    differing = [(one[0], one[1]) for one, other in zip(usual, faulty, strict=True) if one != other]
    assert ("GET", "/accounts/3") in differing


@pytest.mark.parametrize(
    ("source", "broken"),
    [
        ("app = missing", True),
        ("from starlette.applications import Starlette\napp = Starlette()", False),
    ],
)
def test_a_fault_with_which_the_application_does_not_start_is_set_aside(
    tmp_path: Path, source: str, broken: bool
) -> None:
    (tmp_path / "web.py").write_text(source, encoding="utf-8")
    script = tmp_path / "exercise.py"
    script.write_text("def exercise(ask):\n    ask('GET', '/')\n    raise KeyError('nothing came')\n", encoding="utf-8")
    program = PLANTED.parent / "planted_api" / "behaviour.py"
    command = [sys.executable, str(program), str(tmp_path), "web:app", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answers_nothing(done.stdout) is broken
    assert not answers_nothing("it hangs")
