"""Tables of small plain values by type: those that a person would write in a test first.

No value depends on clocks, randomness or addresses, and no number is harmful when it is used as a size.
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
    "Hashable": ("'apple'", "'banana'", "1", "(1, 2)"),
    "Any": ("1", "'abc'", "[1, 2, 3]", "'def'", "None", "2.5", "{'a': 1}", "True", "''", "0", "(1, 2)", "b'abc'", "-1"),
    "Iterable": ("[3, 1, 2]", "[]", "'abc'", "['b', 'a']", "(1, 2)", "[1]", "[1, 1, 2]", "range(5)", "{'a': 1}"),
    "Iterator": ("iter([1, 2, 3])", "iter([])", "iter('abc')"),
    "Exception": ("ValueError('message')", "KeyError('key')"),
    "Buffer": ("b'abc'", "b''"),
}

# By type: the import statement that the values need, then the values.
IMPORTED: dict[str, tuple[str, ...]] = {
    "date": (
        "import datetime",
        "datetime.date(2024, 5, 3)",
        "datetime.date(2024, 2, 29)",
        "datetime.date(2023, 12, 31)",
        "datetime.date(1999, 1, 1)",
    ),
    "datetime": (
        "import datetime",
        "datetime.datetime(2024, 5, 3, 10, 30)",
        "datetime.datetime(2024, 2, 29, 10, 30)",
        "datetime.datetime(2023, 12, 31, 23, 59, 59)",
        "datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)",
        "datetime.datetime(1999, 1, 1)",
    ),
    "time": ("import datetime", "datetime.time(10, 30)", "datetime.time(0, 0)"),
    "timedelta": (
        "import datetime",
        "datetime.timedelta(hours=2)",
        "datetime.timedelta(days=1, seconds=30)",
        "datetime.timedelta(0)",
        "datetime.timedelta(seconds=-90)",
        "datetime.timedelta(days=400)",
        "datetime.timedelta(microseconds=5)",
    ),
    "timezone": ("import datetime", "datetime.timezone.utc"),
    "tzinfo": ("import datetime", "datetime.timezone.utc", "datetime.timezone(datetime.timedelta(hours=2))"),
    "Decimal": (
        "from decimal import Decimal",
        "Decimal('10.50')",
        "Decimal('2.25')",
        "Decimal('100')",
        "Decimal('0')",
        "Decimal('-1.5')",
    ),
    "Fraction": ("from fractions import Fraction", "Fraction(1, 3)", "Fraction(-3, 2)"),
    "Path": ("from pathlib import Path", "Path('folder/file.txt')"),
    "PurePath": ("from pathlib import PurePosixPath", "PurePosixPath('folder/file.txt')"),
    "UUID": ("import uuid", "uuid.UUID('12345678-1234-5678-1234-567812345678')"),
    "Pattern": ("import re", "re.compile('[a-z]+')", "re.compile('(\\\\d+)-(\\\\d+)')"),
    "Match": ("import re", "re.match('([a-z]+)', 'abc 123')"),
    "TextIO": (
        "import io",
        "io.StringIO('first line\\nsecond line\\n')",
        "io.StringIO()",
        "io.StringIO('{\"a\": 1}')",
    ),
    "BinaryIO": ("import io", "io.BytesIO(b'first line\\nsecond line\\n')", "io.BytesIO()"),
    "deque": ("from collections import deque", "deque([1, 2, 3])"),
    "defaultdict": ("from collections import defaultdict", "defaultdict(list, {'a': [1]})"),
    "OrderedDict": ("from collections import OrderedDict", "OrderedDict([('a', 1), ('b', 2)])"),
    "Counter": ("from collections import Counter", "Counter('banana')"),
    "ChainMap": ("from collections import ChainMap", "ChainMap({'a': 1}, {'b': 2})"),
    "Random": ("import random", "random.Random(1)"),
    "Namespace": ("from types import SimpleNamespace", "SimpleNamespace(name='a', value=1)"),
    "StructTime": ("import time", "time.gmtime(0)"),
}

# Values relative to now, for code that reads the clock and takes no moment: assertions about them hold on any day.
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

# Values near the moment at which clocks are stopped (outside/clocks.py), for code whose clock can be.
NEAR_NOW: dict[str, tuple[str, ...]] = {
    "date": ("datetime.date(2024, 6, 13)", "datetime.date(2024, 7, 24)", "datetime.date(2024, 6, 14)"),
    "datetime": (
        "datetime.datetime(2024, 6, 14, 7, 0)",
        "datetime.datetime(2024, 6, 14, 8, 48)",
        "datetime.datetime(2024, 7, 24, 9, 0)",
        "datetime.datetime(2024, 6, 14, 7, 0, tzinfo=datetime.timezone.utc)",
        "datetime.datetime(2024, 7, 24, 9, 0, tzinfo=datetime.timezone.utc)",
        "datetime.datetime(2024, 6, 11, 9, 0)",
    ),
}

# Types that take the values of another one.
SAME_AS: dict[str, str] = {
    **dict.fromkeys("SupportsInt SupportsIndex SupportsAbs NonNegativeInt PositiveInt".split(), "int"),
    **dict.fromkeys("Sequence Collection Container Sized Reversible".split(), "list"),
    **dict.fromkeys("KeysView ValuesView ItemsView Mapping".split(), "dict"),
    **dict.fromkeys(("IO", "StringIO"), "TextIO"),
    "SupportsFloat": "float",
    "Generator": "Iterator",
    "BytesIO": "BinaryIO",
    "PurePosixPath": "PurePath",
    "BaseException": "Exception",
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
        "lambda x, y: (x, y)",  # for arguments of two kinds
        "lambda x, y: x < y",
        "lambda x, y: y",
        "lambda x, y: None",
    ),
    3: ("lambda x, y, z: x + y + z", "lambda x, y, z: x", "lambda x, y, z: None"),
    -1: ("lambda *args, **kwargs: args", "lambda *args, **kwargs: 1", "lambda *args: None"),
}
