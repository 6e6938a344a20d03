"""Makes calls and frames for a server from a seed: from the schemas of its tools, and against them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]

TEXTS = (
    "",
    " ",
    ".",
    "..",
    "/",
    "../../etc/passwd",
    "/etc/passwd",
    "src/small/numbers.py",
    "src/small",
    "src/small/numbers.py:clamp",
    "small.numbers",
    "tests/test_nothing.py",
    "no/such/file.py",
    "a" * 300,
    "a/" * 300,
    "x" * 20_000,
    "nul\0byte",
    "line\nline\r\n\x1b[31m\u202e\x9b",
    "smile \U0001f642 \u00e9 \u0660",
    "~root",
    "C:\\windows",
    "\\\\share\\x",
    "file:///etc/passwd",
    "testwright://runs/none/report.md",
    "testwright://runs/../../x",
    "testwright://runs/%2e%2e/specs/%00",
    "testwright://runs//",
    "(a+)+$",
    "[[[[",
    "{}",
    "null",
    "-1",
    "9" * 5000,
    "--help",
    "$(id)",
    "%s%n{0.__class__}",
    "GET /orders/{id}",
    "#/paths/~1a",
    "unit",
    "pytest",
    "python",
)
_NUMBERS = (0, 1, -1, 2, 7, 10**6, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 1.0)


def fitting(rng: random.Random, schema: Mapping[str, Any]) -> Any:
    """A value that fits a schema, patterns aside."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        required = set(schema.get("required", ()))
        properties = schema.get("properties", {})
        return {name: fitting(rng, part) for name, part in properties.items() if name in required or rng.random() < 0.5}
    if kind == "array":
        return [fitting(rng, schema.get("items", {})) for _ in range(rng.randint(schema.get("minItems", 0), 3))]
    if kind in ("integer", "number"):
        least, most = schema.get("minimum", 0), schema.get("maximum", 1000)
        return rng.randint(int(least), int(most)) if kind == "integer" else rng.uniform(max(least, 0.001), most)
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    if kind == "string":
        return (rng.choice(TEXTS) or "x")[: schema.get("maxLength", 10**6)]
    return anything(rng, 2)


def anything(rng: random.Random, depth: int = 4) -> Any:
    """Any JSON value."""
    choice = rng.randrange(9)
    if choice == 0 and depth:
        return [anything(rng, depth - 1) for _ in range(rng.randint(0, 4))]
    if choice == 1 and depth:
        return {rng.choice(TEXTS)[:50]: anything(rng, depth - 1) for _ in range(rng.randint(0, 4))}
    if choice == 2:
        nested: Any = 0
        for _ in range(rng.choice((5, 50, 90))):  # pyrefly: ignore[non-convergent-recursion]
            nested = [nested] if rng.random() < 0.5 else {"a": nested}
        return nested
    if choice == 3:
        return rng.choice((None, True, False))
    return rng.choice(_NUMBERS) if choice < 6 else rng.choice(TEXTS)


def broken(rng: random.Random, arguments: Json) -> Json:
    """Arguments of which something was changed, dropped or added."""
    changed = dict(arguments)
    for _ in range(rng.randint(1, 3)):
        name = rng.choice([*changed, "surplus", rng.choice(TEXTS)[:40]])
        if rng.random() < 0.3:
            changed.pop(name, None)
        elif isinstance(changed.get(name), dict) and rng.random() < 0.7:
            changed[name] = broken(rng, changed[name])
        else:
            changed[name] = anything(rng)
    return changed


def frames(rng: random.Random, count: int) -> Iterator[bytes]:
    """Lines that are, nearly are, or are not messages; none ends a session."""
    methods = ("ping", "tools/list", "resources/list", "prompts/list", "tools/call", "resources/read", "nonsense", "")
    for number in range(count):
        name = rng.choice(("list_runs", "check_syntax", "no_such_tool"))
        params = {"name": name, "arguments": anything(rng), "uri": rng.choice(TEXTS)}
        message: Json = {"jsonrpc": "2.0", "id": f"f{number}", "method": rng.choice(methods), "params": params}
        if rng.random() < 0.6:
            message = broken(rng, message)
        line = (
            json.dumps(message, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass").replace(b"\n", b" ")
        )
        choice = rng.randrange(8)
        if choice == 0:
            line = line[: rng.randrange(len(line))]
        elif choice == 1:
            place = rng.randrange(len(line))
            line = line[:place] + rng.randbytes(rng.randint(1, 8)) + line[place:]
        elif choice == 2:
            line = rng.randbytes(rng.randint(1, 200))
        elif choice == 3:
            line = line.replace(b'"a"', b'"\\ud800"', 1)
        yield line.replace(b"\n", b" ")
