"""Makes values that satisfy a schema: its examples first, then the plainest value a person would write.

The same schema and name give the same value everywhere, so that equivalent requests agree. Secrets are kept out of
specs, tests and shell lines: of an answer with a secret only the type is asserted.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ....utils.redact import Redactor
from ....utils.regex_examples import fits, matching
from ..document.schemas import (
    accepts_null,
    merge_schema,
    type_of,
    without_read_only,
    without_write_only,
)
from ..model.json_values import escape_key
from ..model.model import Json, Proposal
from .schema_problems import problem_of

_PARTS = ("path_parameters", "query", "headers", "cookies")
_SHAPES = Redactor()


def looks_secret(value: Any) -> bool:
    """Whether a text in a value, or a key, has the shape of a credential."""
    return _holds_one(value, _SHAPES)


def _holds_one(value: Any, redactor: Redactor) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_one(key, redactor) or _holds_one(entry, redactor) for key, entry in value.items())
    if isinstance(value, list | tuple):
        return any(_holds_one(item, redactor) for item in value)
    return isinstance(value, str) and redactor.text(value) != value


class SecretFilter:
    """Finds the secrets in an application's answers.

    Args:
        environment: the application's variables; values of secret ones are secrets wherever they occur.
        secrets: further values that are secrets wherever they occur, also in requests: passwords of users.
        tokens: further ones that are secrets in answers. What a login gives may be a name that requests hold as well.
    """

    def __init__(self, environment: Mapping[str, str], secrets: Iterable[str] = (), tokens: Iterable[str] = ()) -> None:
        secrets = tuple(secrets)
        self._redactor = Redactor.from_environment(environment, (*secrets, *tokens))
        # Tests set the variables of the environment themselves.
        self._unasked = Redactor(secrets)

    def text(self, text: str) -> str:
        """Return a text with its secrets redacted."""
        return self._redactor.text(text)

    def places(self, value: Any) -> frozenset[str]:
        """Return the pointers of secrets in a JSON value; for an object with a secret key, the object's own."""
        return frozenset(self._places(value, ""))

    def _places(self, value: Any, pointer: str) -> Iterator[str]:
        if isinstance(value, dict):
            redacted = self._redactor.value(value)
            if list(redacted) != [str(key) for key in value]:
                yield pointer
                return
            for key, entry in value.items():
                below = f"{pointer}/{escape_key(str(key))}"
                if isinstance(entry, str):
                    if redacted[str(key)] != entry:
                        yield below
                else:
                    yield from self._places(entry, below)
        elif isinstance(value, list):
            for number, item in enumerate(value):
                yield from self._places(item, f"{pointer}/{number}")
        elif isinstance(value, str) and self.text(value) != value:
            yield pointer

    def asked_with_one(self, proposal: Proposal) -> bool:
        """Whether a request of a proposal holds a secret; credentials are only named in a request."""
        return any(_held(request, proposal, self._unasked) for request in (*proposal.setup, proposal.request))


def _held(request: Json, proposal: Proposal, redactor: Redactor) -> bool:
    for part in _PARTS:
        values: Mapping[str, Any] = request.get(part) or {}
        if proposal.category == "authentication":
            # What is wrong on purpose has the form of what is right.
            values = {name: value for name, value in values.items() if name != "Authorization"}
        if _holds_one(list(values.values()), redactor):
            return True
    return _holds_one((request.get("body") or {}).get("content"), redactor)


NOTHING: Any = object()
"""No value fits."""

_DEEPEST = 5
_LISTS_FILLED = 2
"""How deep lists have something in them, though they need not: a list of nothing tells nothing of its items."""
_MOST_ITEMS = 200
_ANY_NAMES = ("name", "note")
"""Members of an object that may have any. Two, so that an update of one shows what becomes of the other."""
FORMATS = {
    "date": "2024-05-03",
    "date-time": "2024-05-03T10:30:00Z",
    "time": "10:30:00Z",
    "duration": "P1D",
    "email": "ada@example.com",
    "idn-email": "ada@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uri-reference": "/a",
    "uuid": "12345678-1234-4678-9234-123456789abc",
    "byte": "dGVzdA==",
    "binary": "test",
    "password": "correct-horse-battery-1",
}
_BY_NAME = {
    **dict.fromkeys(("email", "e_mail"), "ada@example.com"),
    **dict.fromkeys(("username", "user_name"), "ada"),
    **dict.fromkeys(("first_name", "firstname", "customer", "name"), "Ada"),
    **dict.fromkeys(("last_name", "lastname"), "Lovelace"),
    **dict.fromkeys(("full_name", "author"), "Ada Lovelace"),
    **dict.fromkeys(("url", "website"), "https://example.com/"),
    **dict.fromkeys(("colour", "color"), "blue"),
    **{"city": "Paris", "country": "FR", "currency": "EUR", "language": "en"},
    # Numbers that a document calls texts.
    **{"page": "1", "per_page": "10", "page_size": "10", "limit": "10", "offset": "0", "year": "2024"},
    **{"phone": "+33123456789", "password": "correct-horse-battery-1"},
}


def json_examples(examples: Mapping[str, str]) -> dict[str, Any]:
    """Return the examples of parameter names whose expression is a JSON value; of an API, others are no examples."""
    found: dict[str, Any] = {}
    for name, source in examples.items():
        if ":" not in name:
            with suppress(ValueError, SyntaxError, TypeError, RecursionError):
                found[name] = json.loads(json.dumps(ast.literal_eval(source)))
    return found


class SampleValues:
    """Makes values that requests send, for the schemas of one document; a server sets what is read-only itself.

    Args:
        components: schemas that references name.
        examples: values that a person gave for parameters and properties, by name.
    """

    def __init__(self, components: Mapping[str, Any], examples: Mapping[str, Any] | None = None) -> None:
        self.components = components
        self._sent = {name: without_read_only(schema, components) for name, schema in components.items()}
        self._received = {name: without_write_only(schema, components) for name, schema in components.items()}
        self._examples = dict(examples or {})
        self._unfit: dict[str, str] = {}
        self._fitting: set[str] = set()

    def given(self, name: str, schema: Any) -> tuple[Any, ...]:
        """Return the example that a person gave for a name, where it fits the schema; else nothing."""
        if name not in self._examples:
            return ()
        problem = self.problem(self._examples[name], schema)
        if problem is None:
            self._fitting.add(name)
            return (self._examples[name],)
        self._unfit.setdefault(name, problem.removeprefix("the answer: "))
        return ()

    def unfit(self) -> dict[str, str]:
        """Return why an example was used for no parameter or property of its name, by name."""
        return {name: why for name, why in sorted(self._unfit.items()) if name not in self._fitting}

    def value(self, schema: Any, name: str = "", *, full: bool = False) -> Any:
        """Return a valid value; NOTHING where none is found.

        Args:
            name: name of the field or parameter.
            full: include every property, not only the required ones.
        """
        return self._made(schema, name, full, 0)

    def problem(self, value: Any, schema: Any) -> str | None:
        """Return why a value is invalid, with its location; None where it is valid or the schema itself is invalid."""
        return problem_of(value, schema, self._sent)

    def answer_problem(self, value: Any, schema: Any) -> str | None:
        """Return why an answer does not fit its schema; see `problem`. It has no properties that only requests have."""
        return problem_of(value, without_write_only(schema, self.components), self._received)

    def properties(self, schema: Any) -> Mapping[str, Any]:
        """Return the properties of an object's schema."""
        found = merge_schema(schema, self._sent).get("properties")
        return found if isinstance(found, Mapping) else {}

    def merged(self, schema: Any) -> Mapping[str, Any]:
        """Return the merged schema; see `merge_schema`."""
        return merge_schema(schema, self._sent)

    def _made(self, schema: Any, name: str, full: bool, depth: int) -> Any:
        if schema is False or depth > 2 * _DEEPEST:
            return NOTHING
        whole = merge_schema(schema, self._sent)
        kind = type_of(whole)
        for example in self.given(name, schema):
            return example
        given = self._given(whole, schema)
        # An example of an object may lack the optional properties that `full` asks for.
        if given is not NOTHING and not (full and kind == "object"):
            return given
        if kind == "object" or (kind == "" and "additionalProperties" in whole):
            return self._object(whole, full, depth)
        if kind == "array":
            return self._array(whole, name, full, depth)
        if kind in ("integer", "number"):
            return number(whole)
        if kind == "boolean":
            return True
        if kind == "null":
            return None
        return text(whole, name)

    def _given(self, whole: Mapping[str, Any], schema: Any) -> Any:
        """Return a value from the document: an example, a constant, a default, the first of an enumeration."""
        examples = whole.get("examples")
        options = list(examples) if isinstance(examples, list) else []
        if "const" in whole:
            options.append(whole["const"])
        if isinstance(whole.get("enum"), list):
            options += [option for option in whole["enum"] if option is not None] or whole["enum"][:1]
        default = whole.get("default")
        # An empty object by default, where a text is meant as well, stands for what was not given.
        if default is not None and not isinstance(default, dict | list) and type_of(whole) not in ("object", "array"):
            options.append(default)
        for option in options:
            # A real credential in a document is not sent, and does not get into a test.
            if self.problem(option, schema) is None and not looks_secret(option):
                return option
        return NOTHING

    def _object(self, whole: Mapping[str, Any], full: bool, depth: int) -> Any:
        made: dict[str, Any] = {}
        required = [str(name) for name in whole.get("required") or ()]
        properties = whole.get("properties") or {}
        wanted = [*(property_ for property_ in properties if property_ in required or (full and depth < _DEEPEST))]
        wanted += [name for name in required if name not in properties]
        for name in wanted:
            inner = properties.get(name, True)
            if depth >= _DEEPEST and name not in required:
                continue
            value = self._made(inner, name, full, depth + 1)
            if value is NOTHING:
                if name not in required:
                    continue
                if not accepts_null(merge_schema(inner, self._sent)):
                    return NOTHING
                value = None
            made[name] = value
        if full and not properties and depth:
            made = {**self._of_any_name(whole, depth), **made}
        return self._enough(made, whole, full, depth)

    def _of_any_name(self, whole: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """Return members of an object that says what it holds, and of no name how it is called; see `_ANY_NAMES`."""
        others = whole.get("additionalProperties", False)
        # What follows its own rules for names is made from them, or not at all.
        if others is False or whole.keys() & {"patternProperties", "propertyNames"}:
            return {}
        names = _ANY_NAMES[: int(most)] if isinstance(most := whole.get("maxProperties"), int | float) else _ANY_NAMES
        return {name: one for name in names if (one := self._made(others, name, True, depth + 1)) is not NOTHING}

    def _enough(self, made: dict[str, Any], whole: Mapping[str, Any], full: bool, depth: int) -> dict[str, Any]:
        """Add properties to the object until it has as many as it needs."""
        least, properties = int(whole.get("minProperties") or 0), whole.get("properties") or {}
        others = whole.get("additionalProperties", True)
        names = [*properties, *(f"key_{number}" for number in range(1, least + 1) if others is not False)]
        for name in names:
            if len(made) >= least:
                break
            value = self._made(properties.get(name, others), name, full, depth + 1) if name not in made else NOTHING
            if value is not NOTHING:
                made[name] = value
        return made

    def items(self, schema: Any, name: str, count: int) -> list[Any] | None:
        """Return a list of `count` valid items, distinct where required; None where it cannot be made."""
        whole = self.merged(schema)
        made = self._array({**whole, "minItems": count, "maxItems": count}, name, False, 0) if count else []
        if made is NOTHING or len(made) != count:
            return None
        inner = whole.get("items", True)
        alike = whole.get("uniqueItems") and any(item in made[:at] for at, item in enumerate(made))
        return None if alike or any(self.problem(item, inner) is not None for item in made) else made

    def _array(self, whole: Mapping[str, Any], name: str, full: bool, depth: int) -> Any:
        least, most = int(whole.get("minItems") or 0), whole.get("maxItems")
        count = max(least, 1 if depth <= (_DEEPEST - 1 if full else _LISTS_FILLED) else 0)
        count = min(count, most if isinstance(most, int) else _MOST_ITEMS)
        items = [self._made(schema, name, full, depth + 1) for schema in whole.get("prefixItems") or ()]
        singular = name.removesuffix("s") or name
        inner = whole.get("items", True)
        while len(items) < min(count, _MOST_ITEMS):
            value = self._made(inner, singular, full, depth + 1)
            if value is NOTHING:
                return NOTHING if least else []
            # The same schema makes the same value each time.
            if whole.get("uniqueItems") and value in items:
                value = _another(value, len(items) + 1)
            items.append(value)
        return items


def _another(value: Any, number: int) -> Any:
    """Return a similar value, a different one for each number; the same where there is no other."""
    if isinstance(value, str):
        return f"{value}{number}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value + number - 1
    if isinstance(value, dict):
        for key, entry in value.items():
            other = _another(entry, number)
            if other != entry:
                return {**value, key: other}
    return value


def number(whole: Mapping[str, Any]) -> Any:
    """Return the plainest number within bounds: 1 where allowed, else the minimum, else the maximum."""
    step = whole.get("multipleOf")
    low, high = bounds(whole)
    value: Any = 1
    if low is not None and value < low:
        value = low
    if high is not None and value > high:
        value = high if low is None or low > high else max(low, min(high, 0))
    if step:
        value = math.ceil(value / step) * step
        if high is not None and value > high:
            value = math.floor(high / step) * step
    return int(value) if type_of(whole) == "integer" or float(value).is_integer() else value


def bounds(whole: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the least and greatest allowed value, None where unbounded."""
    step = whole.get("multipleOf") or (1 if type_of(whole) == "integer" else 0.01)
    low: Any = whole.get("minimum")
    high: Any = whole.get("maximum")
    above: Any = whole.get("exclusiveMinimum")
    below: Any = whole.get("exclusiveMaximum")
    if _is_number(above):
        low = above + step if not _is_number(low) else max(low, above + step)
    if _is_number(below):
        high = below - step if not _is_number(high) else min(high, below - step)
    low, high = (bound if _is_number(bound) else None for bound in (low, high))
    if type_of(whole) == "integer":
        low = None if low is None else math.ceil(low)
        high = None if high is None else math.floor(high)
    return low, high


def text(whole: Mapping[str, Any], name: str) -> Any:
    """Return the plainest text: by pattern, by format, by the field's name."""
    shortest = int(whole.get("minLength") or 0)
    longest = whole.get("maxLength")
    pattern = whole.get("pattern")
    key = name.lower().replace("-", "_")
    by_format = FORMATS.get(str(whole.get("format") or ""))
    plain = by_format or _BY_NAME.get(key) or key.replace("_", " ").strip() or "text"
    if isinstance(pattern, str):
        if by_format and fits(pattern, by_format):
            return by_format
        found = matching(pattern, name=_BY_NAME.get(key, key), shortest=max(shortest, 1), longest=longest)
        return NOTHING if found is None else found
    if by_format:
        return by_format
    return sized(plain, shortest, longest)


def sized(plain: str, shortest: int, longest: int | None) -> str:
    """Cut or extend a text to a length."""
    if len(plain) < shortest:
        plain = (plain + "x" * shortest)[:shortest]
    return plain[:longest] if longest is not None else plain


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
