"""Plants performance faults in an application's handlers and counts those that its load tests notice.

The load tests of the untouched application are generated and run three times first; each fault is then run once.
The same seed plants the same faults. Only handlers that the load tests ask are changed; the others are listed.

    python benchmarks/planted_load.py examples/shop --module src/shop/api.py --application shop.api:app
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import copy
import json
import random
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testwright.agents.embedded.specs.api_specs import ApiSpecGenerator
from testwright.agents.embedded.specs.load_specs import LoadSpecGenerator
from testwright.engine.performance.load.render import render_load
from testwright.engine.python.project.layout import find_layout
from testwright.gate.model.options import SuiteOptions
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.runner.suite import run_suite
from testwright.gate.verify.verify import verify_files
from testwright.sandbox.opening import open_sandbox
from testwright.sandbox.target import PythonTarget, prepare_target
from testwright.utils.user_folders import cache_folders

PATH = "tests/generated/load/locustfile_planted.py"
HEAD = """
import threading as _threading
import time as _time
_LOCK = _threading.Lock()
_ROWS = list(range(1500))
_HELD = []
_CALLS = []
"""
FAULTS = {
    "sleep": "_time.sleep(0.05)",
    "lock": "with _LOCK:\n    _time.sleep(0.02)",
    "quadratic loop": "sum(one == other for one in _ROWS for other in _ROWS)",
    "lost cache": "sum(number * number for number in range(600_000))",
    "growing work": "_HELD.extend(range(3000, 0, -1))\nsorted(_HELD, key=str)",
    "error status": "_CALLS.append(1)\nif len(_CALLS) % 10 == 0:\n    raise RuntimeError('planted')",
}
VERBS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Planted:
    """A fault of one kind in one handler, with the module's source."""

    kind: str
    handler: str
    request: str
    source: str


def handlers(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield (function, request name) of each handler."""
    for node in tree.body:
        for mark in getattr(node, "decorator_list", ()):
            verb = getattr(getattr(mark, "func", None), "attr", "")
            path = mark.args[0] if isinstance(mark, ast.Call) and mark.args else None
            if verb in VERBS and isinstance(path, ast.Constant):
                yield str(getattr(node, "name", "")), f"{verb.upper()} {path.value}"


def planted(source: str, asked: set[str], count: int, seed: int) -> list[Planted]:
    """The faults: kinds by turns, each in a handler drawn by lot."""
    tree = ast.parse(source)
    chance = random.Random(seed)
    places = [place for place in handlers(tree) if place[1] in asked]
    kinds = list(FAULTS)
    drawn: list[tuple[str, tuple[str, str]]] = []
    while len(drawn) < count:
        choice = (kinds[len(drawn) % len(kinds)], chance.choice(places))
        if choice not in drawn:
            drawn.append(choice)
    return [Planted(kind, *place, _changed(tree, kind, place[0])) for kind, place in drawn]


def _changed(tree: ast.Module, kind: str, name: str) -> str:
    changed = copy.deepcopy(tree)
    at = next(at for at, node in enumerate(changed.body) if not _goes_first(node))
    changed.body[at:at] = ast.parse(HEAD).body
    [handler] = [node for node in changed.body if getattr(node, "name", "") == name]
    body: list[ast.stmt] = handler.body  # pyrefly: ignore[missing-attribute]
    first = 1 if ast.get_docstring(handler) is not None else 0  # pyrefly: ignore[bad-argument-type]
    body[first:first] = ast.parse(FAULTS[kind]).body
    return ast.unparse(ast.fix_missing_locations(changed))


def _goes_first(node: ast.stmt) -> bool:
    """Whether nothing may stand before a statement: the docstring and imports from the future."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


@asynccontextmanager
async def opened(root: Path, scratch: Path) -> AsyncIterator[PythonTarget]:
    """The project, ready to be run with this interpreter."""
    layout = find_layout(root)
    target = await prepare_target(
        root,
        sandbox=open_sandbox(),
        python=Path(sys.executable),
        state=scratch,
        caches=cache_folders(root),
        import_roots=layout.import_roots,
    )
    try:
        yield target
    finally:
        await target.discard()


class NoDocuments:
    """The application's own document is read by importing it."""

    paths = ()

    async def load(self, endpoint: str) -> Any:
        raise LookupError(endpoint)

    def read(self, location: str, content: bytes) -> None:
        return None


async def specified(target: PythonTarget, args: argparse.Namespace, profiles: Sequence[str]) -> dict[str, Any]:
    """The load test spec of the untouched application."""

    async def ready() -> PythonTarget:
        return target

    generator = LoadSpecGenerator(ApiSpecGenerator(ready, target.root, NoDocuments()))
    named = {"path": args.module, "application": {"import": args.application}, "profiles": list(profiles)}
    found = await generator.generate({"target": named})
    print(json.dumps(found.metadata), flush=True)
    return found.spec


async def main(args: argparse.Namespace) -> int:
    """Generate, plant, run, print; 1 where fewer than 80 % are caught."""
    with tempfile.TemporaryDirectory() as folder:
        root, scratch = Path(folder, "project"), Path(folder, "state")
        shutil.copytree(args.project, root)
        source = (root / args.module).read_text(encoding="utf-8")
        async with opened(root, scratch) as target:
            spec = await specified(target, args, ("smoke", "load"))
            files = {file.path: file.contents for file in render_load(spec, "locust", PATH)}
            options = VerifyOptions(repeats=2, test_seconds=60, wall_seconds=600, beside=False)
            found = await verify_files(target, files, framework="locust", spec=spec, options=options)
            for verdict in found.verdicts:
                print(f"untouched: {verdict.name} {verdict.verdict} after {verdict.runs} runs {verdict.message}")
        tasks = spec["cases"][0]["act"]["tasks"]
        asked = {f"{one['method']} {one['path']}" for task in tasks for one in task["requests"]}
        print(
            "not asked:", ", ".join(name for _, name in handlers(ast.parse(source)) if name not in asked) or "nothing"
        )
        caught = 0
        faults = planted(source, asked, args.count, args.seed)
        for fault in faults:
            (root / args.module).write_text(fault.source, encoding="utf-8")
            async with opened(root, scratch) as target:
                run = SuiteOptions(test_seconds=60, wall_seconds=600)
                result = await run_suite(target, files, framework="locust", options=run)
            failed = [test for test in result.tests if test.outcome != "passed"]
            caught += bool(failed)
            said = failed[0].message[:110] if failed else "missed"
            print(f"{'caught' if failed else 'MISSED'}  {fault.kind:15} {fault.request:40} {said}", flush=True)
        print(f"{caught} of {len(faults)} caught, seed {args.seed}")
        return 0 if caught >= 0.8 * len(faults) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("--module", required=True, help="path of the module with the handlers, in the project")
    parser.add_argument("--application", required=True, help="as in `uvicorn shop.api:app`")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=5)
    sys.exit(asyncio.run(main(parser.parse_args())))
