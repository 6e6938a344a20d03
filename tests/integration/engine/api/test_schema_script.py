"""The check of answers that stands beside tests in JavaScript finds what the one beside tests in Python finds."""

import json
import subprocess

import pytest

from testwright.sandbox.javascript.node import find_node
from testwright.sandbox.worker.http.api_schema import mismatches
from testwright.sandbox.worker_files import WORKER_FOLDER

OBJECT = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9}, "tags": {"$ref": "#/$defs/tags"}},
    "additionalProperties": False,
    "$defs": {"tags": {"type": "array", "items": {"enum": ["a", "b", None]}, "maxItems": 2}},
}
PAIRS = [
    *((value, OBJECT) for value in ({"id": 1}, {"id": 9}, {}, {"id": True}, {"id": 2, "tags": ["a", None]}, [])),
    *((value, OBJECT) for value in ({"id": 2, "tags": ["c"]}, {"id": 2, "tags": ["a"] * 3}, {"id": 1, "more": 1})),
    *((value, {"anyOf": [{"type": "string"}, {"type": "null"}]}) for value in ("", None, 1)),
    *((value, {"allOf": [{"minLength": 2}, {"pattern": "^a"}]}) for value in ("ab", "a", "b", "ba", 3)),
    *((value, {"format": "date-time"}) for value in ("2024-01-31T10:00:00Z", "2024-13-31T10:00:00Z", "soon")),
    *((value, {"format": "uuid"}) for value in ("6f1e9f0a-8b7a-4f1e-9f0a-8b7a4f1e9f0a", "6f1e")),
    *((value, {"const": {"a": [1]}}) for value in ({"a": [1]}, {"a": [2]})),
    *((1, whole) for whole in (True, False, {})),
]


@pytest.fixture(scope="module")
def in_node():
    script = f"""
      const {{ mismatches }} = require({json.dumps(str(WORKER_FOLDER / "http" / "api_schema.cjs"))});
      const pairs = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
      console.log(JSON.stringify(pairs.map(([value, schema]) => mismatches(value, schema).length)));
    """
    ended = subprocess.run(
        [find_node().path, "-e", script], input=json.dumps(PAIRS), capture_output=True, text=True, check=True
    )
    return json.loads(ended.stdout)


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_a_value_fits_in_javascript_where_it_fits_in_python(in_node, number):
    assert in_node[number] == len(mismatches(*PAIRS[number]))
