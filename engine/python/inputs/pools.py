"""Small plain values by type: what a person would write in a test first (B-06).

Nothing here depends on clocks, randomness or addresses, and no number is large enough to hurt as a size.
"""

from __future__ import annotations

BY_TYPE: dict[str, tuple[str, ...]] = {
    "int": ("3", "0", "1", "-1", "2", "10", "7", "100", "-5", "1000"),
    "float": ("2.5", "0.0", "-1.5", "1.0", "0.1", "100.0", "3", "float('inf')", "float('nan')"),
    "complex": ("(1+2j)", "0j"),
    "bool": ("True", "False"),
    "str": (
        "'hello world'",
        "''",
        "'a'",
        "'Hello World'",
        "'abc'",
        "'123'",
        "' padded '",
        "'a,b,c'",
        "'one\\ntwo'",
        "'café'",
        "'-1.5'",
        "'snake_case'",
    ),
    "bytes": ("b'abc'", "b''", "b'hello world'", "b'\\x00\\xff'"),
    "bytearray": ("bytearray(b'abc')", "bytearray()"),
    "memoryview": ("memoryview(b'abc')",),
    "list": ("[3, 1, 2]", "[]", "[1]", "['b', 'a']", "[1, 1, 2]", "[1, 2, 3, 4, 5]", "[[1, 2], [3]]", "[None, 0]"),
    "tuple": ("(1, 2)", "()", "('a', 1)", "(3, 1, 2)"),
    "set": ("{1, 2, 3}", "set()", "{'a'}"),
    "frozenset": ("frozenset({1, 2})", "frozenset()"),
    "dict": ("{'a': 1, 'b': 2}", "{}", "{'a': {'b': 1}}", "{1: 'one'}", "{'a': [1, 2]}", "{'a': None}"),
    "range": ("range(5)", "range(0)"),
    "slice": ("slice(1, 3)", "slice(None)"),
    "None": ("None",),
    "type": ("int", "str", "list", "ValueError"),
    "Hashable": ("'a'", "1", "(1, 2)"),
    "Any": ("1", "'abc'", "[1, 2, 3]", "None", "2.5", "{'a': 1}", "True", "''", "0", "(1, 2)", "b'abc'", "-1"),
    "Iterable": ("[3, 1, 2]", "[]", "'abc'", "['b', 'a']", "(1, 2)", "[1]", "[1, 1, 2]", "range(5)", "{'a': 1}"),
    "Iterator": ("iter([1, 2, 3])", "iter([])", "iter('abc')"),
    "Exception": ("ValueError('message')", "KeyError('key')"),
    "Buffer": ("b'abc'", "b''"),
}

IMPORTED: dict[str, tuple[tuple[str, str], ...]] = {
    "date": (
        ("datetime.date(2024, 5, 3)", "import datetime"),
        ("datetime.date(2024, 2, 29)", "import datetime"),
        ("datetime.date(2023, 12, 31)", "import datetime"),
        ("datetime.date(1999, 1, 1)", "import datetime"),
    ),
    "datetime": (
        ("datetime.datetime(2024, 5, 3, 10, 30)", "import datetime"),
        ("datetime.datetime(2024, 2, 29, 10, 30)", "import datetime"),
        ("datetime.datetime(2023, 12, 31, 23, 59, 59)", "import datetime"),
        ("datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)", "import datetime"),
        ("datetime.datetime(1999, 1, 1)", "import datetime"),
    ),
    "time": (("datetime.time(10, 30)", "import datetime"), ("datetime.time(0, 0)", "import datetime")),
    "timedelta": (
        ("datetime.timedelta(hours=2)", "import datetime"),
        ("datetime.timedelta(days=1, seconds=30)", "import datetime"),
        ("datetime.timedelta(0)", "import datetime"),
        ("datetime.timedelta(seconds=-90)", "import datetime"),
        ("datetime.timedelta(days=400)", "import datetime"),
        ("datetime.timedelta(microseconds=5)", "import datetime"),
    ),
    "timezone": (("datetime.timezone.utc", "import datetime"),),
    "tzinfo": (
        ("datetime.timezone.utc", "import datetime"),
        ("datetime.timezone(datetime.timedelta(hours=2))", "import datetime"),
    ),
    "Decimal": (
        ("Decimal('10.50')", "from decimal import Decimal"),
        ("Decimal('0')", "from decimal import Decimal"),
        ("Decimal('-1.5')", "from decimal import Decimal"),
    ),
    "Fraction": (
        ("Fraction(1, 3)", "from fractions import Fraction"),
        ("Fraction(-3, 2)", "from fractions import Fraction"),
    ),
    "Path": (("Path('folder/file.txt')", "from pathlib import Path"),),
    "PurePath": (("PurePosixPath('folder/file.txt')", "from pathlib import PurePosixPath"),),
    "UUID": (("uuid.UUID('12345678-1234-5678-1234-567812345678')", "import uuid"),),
    "Pattern": (("re.compile('[a-z]+')", "import re"), ("re.compile('(\\\\d+)-(\\\\d+)')", "import re")),
    "Match": (("re.match('([a-z]+)', 'abc 123')", "import re"),),
    "TextIO": (
        ("io.StringIO('first line\\nsecond line\\n')", "import io"),
        ("io.StringIO()", "import io"),
        ("io.StringIO('{\"a\": 1}')", "import io"),
    ),
    "BinaryIO": (("io.BytesIO(b'first line\\nsecond line\\n')", "import io"), ("io.BytesIO()", "import io")),
    "deque": (("deque([1, 2, 3])", "from collections import deque"),),
    "defaultdict": (("defaultdict(list, {'a': [1]})", "from collections import defaultdict"),),
    "OrderedDict": (("OrderedDict([('a', 1), ('b', 2)])", "from collections import OrderedDict"),),
    "Counter": (("Counter('banana')", "from collections import Counter"),),
    "ChainMap": (("ChainMap({'a': 1}, {'b': 2})", "from collections import ChainMap"),),
    "Random": (("random.Random(1)", "import random"),),
    "Namespace": (("SimpleNamespace(name='a', value=1)", "from types import SimpleNamespace"),),
    "StructTime": (("time.gmtime(0)", "import time"),),
}

# For code that asks what day it is: what stands in some relation to now, so that it holds on any day.
RELATIVE: dict[str, tuple[str, ...]] = {
    "date": (
        "datetime.date.today()",
        "datetime.date.today() - datetime.timedelta(days=1)",
        "datetime.date.today() + datetime.timedelta(days=40)",
    ),
    "datetime": (
        "datetime.datetime.now() - datetime.timedelta(hours=2)",
        "datetime.datetime.now()",
        "datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=40)",
        "datetime.datetime.now() + datetime.timedelta(days=400)",
    ),
}

SAME_AS: dict[str, str] = {
    "SupportsInt": "int",
    "SupportsFloat": "float",
    "SupportsIndex": "int",
    "SupportsAbs": "int",
    "Sequence": "list",
    "Collection": "list",
    "Container": "list",
    "Sized": "list",
    "Reversible": "list",
    "KeysView": "dict",
    "ValuesView": "dict",
    "ItemsView": "dict",
    "Mapping": "dict",
    "Generator": "Iterator",
    "IO": "TextIO",
    "StringIO": "TextIO",
    "BytesIO": "BinaryIO",
    "PurePosixPath": "PurePath",
    "BaseException": "Exception",
    "NonNegativeInt": "int",
    "PositiveInt": "int",
}

LAMBDAS: dict[int, tuple[str, ...]] = {
    0: ("lambda: 1", "lambda: None", "lambda: 'a'", "dict", "list"),
    1: (
        "lambda x: x",
        "lambda x: x > 1",
        "str",
        "lambda x: True",
        "lambda x: False",
        "len",
        "lambda x: x * 2",
        "lambda x: None",
        "bool",
    ),
    2: (
        "lambda x, y: x + y",
        "lambda x, y: x == y",
        "max",
        "lambda x, y: x < y",
        "lambda x, y: y",
        "lambda x, y: None",
    ),
    3: ("lambda x, y, z: x + y + z", "lambda x, y, z: x", "lambda x, y, z: None"),
    -1: ("lambda *args, **kwargs: args", "lambda *args, **kwargs: 1", "lambda *args: None", "max"),
}
