"""Infers the type of a parameter without an annotation from its uses, default, documentation and name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model.model import CallableFacts, ModuleFacts, Parameter
from ..source.annotations import ANY, TypeHint, prose_hint

_METHODS: tuple[tuple[str, str], ...] = (
    (
        "str",
        "lower upper strip lstrip rstrip split rsplit splitlines startswith endswith replace format encode title "
        "capitalize isdigit isalpha isalnum isnumeric isspace isupper islower casefold zfill ljust rjust center "
        "partition rpartition translate join expandtabs swapcase isidentifier",
    ),
    ("list", "append extend sort insert reverse"),
    ("dict", "keys items values get setdefault popitem"),
    ("set", "add discard union intersection difference issubset issuperset symmetric_difference isdisjoint"),
    ("TextIO", "read readline readlines write writelines seek tell flush close getvalue"),
    ("Path", "exists is_file is_dir read_text read_bytes iterdir joinpath mkdir with_suffix open rglob as_posix"),
    ("bytes", "decode hex"),
    ("Pattern", "match search sub findall finditer fullmatch"),
    ("datetime", "strftime isoformat timestamp astimezone utcoffset weekday date timetuple utctimetuple isoweekday"),
    ("timedelta", "total_seconds"),
    ("int", "bit_length to_bytes"),
    ("Iterator", "__next__"),
    ("Iterable", "__iter__"),
)
_ATTRIBUTES: tuple[tuple[str, str], ...] = (
    ("date", "year month day"),
    ("datetime", "hour minute second microsecond tzinfo"),
    ("timedelta", "days seconds microseconds"),
    ("Path", "parent stem suffix parts suffixes"),
    ("Exception", "args __traceback__ __cause__"),
    ("type", "__mro__ __subclasses__ __bases__"),
    ("Callable", "__name__ __module__ __doc__ __wrapped__ __code__ __defaults__"),
    ("Pattern", "pattern groups groupindex"),
    ("complex", "real imag"),
    ("Fraction", "numerator denominator"),
)
_ARGUMENTS: tuple[tuple[str, str], ...] = (
    ("str", r"ord:0|(?!re\.)\w+\.(match|fullmatch|search|findall|finditer):0|"
            r"re\.(match|search|sub|findall|finditer|split|fullmatch):[12]|unicodedata\.\w+:\d|json\.loads:0|"
            r"textwrap\.\w+:0|html\.\w+:0|int:0|float:0|shlex\.\w+:0|ast\.literal_eval:0|Decimal:0|urlparse:0|quote:0"),
    ("pattern", r"re\.\w+:0"),
    ("int", r"range:\d|chr:0|abs:0|round:[01]|divmod:\d|pow:\d|islice:[123]|itertools\.islice:[123]|bin:0|hex:0|"
            r"math\.(factorial|comb|perm|gcd|lcm|isqrt):\d|combinations:1|permutations:1|repeat:1"),
    ("float", r"math\.\w+:\d|float:0|time\.\w+:0"),
    ("Callable", r"map:0|filter:0|(functools\.)?reduce:0|callable:0|starmap:0|takewhile:0|dropwhile:0|groupby:1|"
                 r"(functools\.)?(wraps|update_wrapper|partial):0|sorted:key|min:key|max:key|inspect\.\w+:0"),
    ("Iterable", r"map:1|filter:1|(functools\.)?reduce:1|zip:\d|enumerate:0|iter:0|sorted:0|list:0|tuple:0|set:0|sum:0|"
                 r"min:0|max:0|any:0|all:0|(itertools\.)?(islice|chain|cycle|tee|groupby|accumulate|product|combinations|"
                 r"permutations|zip_longest|pairwise):0|deque:0|frozenset:0|Counter:0|reversed:0|takewhile:1|dropwhile:1|"
                 r"(itertools\.)?(chain|product|zip_longest)\.?\w*:\d|chain\.from_iterable:0"),
    ("dict", r"dict:0|OrderedDict:0|json\.dumps:0"),
    ("path", r"open:0|os\.(path\.\w+|listdir|stat|walk|makedirs|remove|mkdir|scandir):0|Path:0|pathlib\.Path:0"),
    ("type", r"issubclass:0"),
)  # fmt: skip
_MAXIMUM_DEPTH = 3
# A regular expression for the whole name, the type it suggests, and values that come before the type's own.
BY_NAME: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"(file_?|(src|source|dest|destination|target|input|output|log|config|data|base|root|local)_)?path|pathname",
     "str", ("'folder/file.txt'", "'file.tar.gz'", "'folder/'", "''", "'/a/b'")),
    (r"(\w+_)?file_?name|file|filepath", "str", ("'folder/file.txt'", "'file.tar.gz'", "''", "'/a/b'")),
    (r"dir|directory|folder|root|base_dir|dirname", "str", ("'folder'", "''")),
    (r"(text|string|s|st|sentence|content|body|message|msg|phrase|title|line|data_string)\d?",
     "str", ("'hello world'",)),
    (r"word", "str", ("'kitten'", "'sitting'", "'mitten'")),
    (r"name|key|label|field|attr|attribute|column|tag|prefix|suffix|identifier|slug",
     "str", ("'apple'", "'banana'", "'name'")),
    (r"customer|username|person|author|student|first_?name", "str", ("'Ann'", "'Bob'", "'Cleo'")),
    (r"article|product|fruit|ingredient|sku|goods", "str", ("'apple'", "'banana'", "'cherry'")),
    (r"currency", "str", ("'EUR'", "'USD'", "'GBP'")),
    (r"(\w+_)?(url|uri)|href|link", "str", ("'https://example.com/a/b?x=1&y=2#top'", "'example.com'", "''", "'http://'")),
    (r"(\w+_)?e_?mail(_addr(ess)?)?|mail(_address)?", "str", ("'ann@example.com'", "'nobody'", "''")),
    (r"(\w+_)?html|xml|markup", "str", ('\'<p class="a">one <b>two</b></p>\'', "'plain'", "''")),
    (r"json_?(str|string|text|data)?", "str", ('\'{"a": [1, 2]}\'', "'[]'", "''")),
    (r"pattern|(\w+_)?regexp?|expr|expression", "str", ("'[a-z]+'", "'a*b'", "''", "'('")),
    (r"(\w+_)?(sep|separator|delimiter|delim)|glue|joiner", "str", ("','", "';'", "'-'", "' '", "''")),
    (r"scheme|protocol", "str", ("'https'", "'ftp'", "''")),
    (r"query_?(string|str)|querystring|qs", "str", ("'a=1&b=2'", "'q=hello'", "''")),
    (r"fragment|anchor", "str", ("'section'", "''")),
    (r"netloc", "str", ("'example.com:8080'", "'user:pass@example.com'", "''")),
    (r"origin", "str", ("'https://example.com'", "'http://localhost:8000'")),
    (r"(\w+_)?encoding|charset|codec", "str", ("'utf-8'", "'latin-1'", "'ascii'")),
    (r"locale|lang|language", "str", ("'en'", "'en_US'", "'de'")),
    (r"f_?name|field_?name", "str", ("'name'", "'age'", "'0'")),
    (r"f_?spec|format_?spec", "str", ("'.2f'", "'>10'", "'d'")),
    (r"conv|conversion", "str", ("'r'", "'s'")),
    (r"fmt|format|template|format_string|formatstr|spec",
     "str", ("'{} and {}'", "'%d'", "'{:.2f}'", "'%Y-%m-%d'", "''")),
    (r"date|day|when", "date", ()),
    (r"dt", "datetime", ()),
    (r"datetime|timestamp|start|end|now|moment", "Any", ('1', '0', '5')),
    (r"delta|duration|timedelta|interval", "timedelta", ()),
    (r"(n|num|number|count|k|i|j|m|times|size|length|width|height|limit|max\w*|min\w*|maxlen|index|idx|pos|"
     r"position|depth|level|step|offset|amount|quantity|total|year|month|age|x|y|z|a|b|c|lo|hi|low|high|places|"
     r"digits|precision|indent|capacity|maxsize|load|port|code|status|window|chunk_size|batch_size|bits)",
     "int", ()),
    (r"value|val|obj|item|element|elem|data|default|fillvalue|sentinel|other|arg|input|input_", "Any", ()),
    (r"price|rate|ratio|factor|weight|probability|percent|percentage|score|tolerance|epsilon|seconds|timeout|delay",
     "float", ()),
    (r"(iterable|iter|seq|sequence|items|elements|values|lst|list_|l|xs|array|arr|it|coll|collection|rows|records|"
     r"numbers|nums|objects|args_list|source|src)s?\d?",
     "Iterable", ()),
    (r"words|names|keys|lines|strings|tokens|paths|fields|columns|headers|labels|tags|parts|patterns|choices|texts",
     "Iterable", ("['a', 'b', 'c']", '[]', "['apple', 'Banana']", "'abc'")),
    (r"iterables|lists|seqs|sequences|iterators|matrix|table|grid|groups|tabular_data",
     "Iterable", ('[[1, 2], [3, 4]]', '[]', '[[1], [2, 3], []]', "[['a', 1], ['b', 2]]")),
    (r"pairs|edges|intervals|ranges|entries", "Iterable", ('[(1, 2), (3, 4)]', '[]', "[('a', 1), ('b', 2)]")),
    (r"d|dct|dict_?\d?|mapping|map_|kwargs|options|config|settings|params|attrs|context|env|environ|headers_dict|"
     r"mappings",
     "dict", ()),
    (r"(func|function|fn|f|g|callback|cb|key|keyfunc|key_func|pred|predicate|factory|handler|hook|transform|"
     r"condition|default_factory|getter|mapper|reducer|binop|op|operator|action|visitor|validator|job_func|"
     r"getsizeof|callable_?)s?",
     "Callable", ()),
    (r"timer|clock|time_func|now_func|get_time|timefunc", "Clock", ()),
    (r"flag|is_\w+|has_\w+|use_\w+|allow_\w+|strict|reverse|inclusive|ignore_\w+|include_\w+|sort|verbose|"
     r"case_sensitive|recursive|force|copy|inplace|enabled|keep_\w+|with_\w+|no_\w+|should_\w+|do_\w+|raw|unique|"
     r"signed",
     "bool", ()),
    (r"fp|fileobj|file_obj|stream|f_in|infile|buf|buffer|handle|reader|readline", "TextIO", ()),
    (r"out|output|outfile|writer|sink", "TextIO", ('io.StringIO()',)),
    (r"cls|klass|type_?|typ|class_|factory_class|dict_factory|list_type|dict_type", "type", ()),
    (r"exc|error|exception|err|ex", "Exception", ()),
    (r"tz|tzinfo|timezone", "tzinfo", ()),
    (r"bytes_?|raw_bytes|payload|blob|binary", "bytes", ()),
    (r"version", "str", ("'1.2.3'", "'1.0'", "''", "'2.0.0-rc1'")),
    (r"color|colour", "str", ("'red'", "'#ff0000'", "''")),
    (r"ip|ip_addr|address", "str", ("'127.0.0.1'", "'::1'")),
    (r"(\w+_)?host(_?name)?|domain", "str", ("'example.com'", "'127.0.0.1'", "'::1'")),
    (r"rng|random", "Random", ()),
)  # fmt: skip


def uses_of(facts: ModuleFacts, one: CallableFacts, name: str) -> tuple[str, ...]:
    """The uses of a parameter, also in functions of the same module that it is passed to and, for constructors, in the
    methods that read the attribute it is stored in."""
    return tuple(_uses(facts, one, name, 0, set()))


def _uses(facts: ModuleFacts, one: CallableFacts, name: str, depth: int, seen: set[tuple[str, str]]) -> dict[str, None]:
    found: dict[str, None] = {}
    if (one.qualname, name) in seen or depth > _MAXIMUM_DEPTH:
        return found
    seen.add((one.qualname, name))
    for used, what in one.uses:
        if used != name:
            continue
        found[what] = None
        if what.startswith("stored:"):
            for member in _members(facts, one.owner):
                if member.qualname != one.qualname:
                    found.update(_uses(facts, member, f"self.{what[7:]}", depth + 1, seen))
        elif what.startswith("beside_self:"):
            for target in _operators(facts, one.owner, what.partition(":")[2]):
                found.update(_uses(facts, target, target.parameters[0].name, depth + 1, seen))
        elif what.startswith("argument:"):
            taker = _taker(facts, one, what)
            if taker is not None:
                found.update(_uses(facts, *taker, depth + 1, seen))
    return found


def _operators(facts: ModuleFacts, owner: str | None, operation: str) -> list[CallableFacts]:
    """The operator methods of a class that take the other operand of an operation, as `__add__` and `__radd__`."""
    name = {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv"}.get(operation, "")
    found = [member for member in _members(facts, owner) if member.name in (f"__r{name}__", f"__{name}__")]
    return [one for one in found if len(one.parameters) == 1]


def _members(facts: ModuleFacts, owner: str | None) -> tuple[CallableFacts, ...]:
    for class_ in facts.classes:
        if class_.name == owner:
            return (*class_.members, *([class_.constructor] if class_.constructor else []))
    return ()


def _target(facts: ModuleFacts, one: CallableFacts, function: str) -> CallableFacts | None:
    if function.startswith(("self.", "cls.")):
        name = function.partition(".")[2]
        return next((member for member in _members(facts, one.owner) if member.name == name), None)
    for found in facts.functions:
        if found.qualname == function:
            return found
    for owner in facts.classes:
        if owner.name == function:
            return owner.constructor
    return None


class PassedValues:
    """Tells what the callables of one module pass their parameters' values on to.

    Args:
        facts: the module.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self._facts = facts
        self._direct: dict[tuple[str, str], tuple[tuple[CallableFacts, str], ...]] = {}
        self._found: dict[tuple[str, str], tuple[tuple[CallableFacts, str], ...]] = {}

    def of(self, one: CallableFacts, name: str) -> tuple[tuple[CallableFacts, str], ...]:
        """The callables that a parameter's value is passed on to as it is, each once, with its parameter's name.

        Those that these pass it on to come behind them.
        """
        start = (one.qualname, name)
        if start not in self._found:
            found = {start: (one, name)}
            level = [(one, name)]
            for _ in range(_MAXIMUM_DEPTH + 1):
                reached = [pair for holder in level for pair in self._directly(*holder)]
                level = [pair for pair in reached if found.setdefault((pair[0].qualname, pair[1]), pair) is pair]
            del found[start]
            self._found[start] = tuple(found.values())
        return self._found[start]

    def _directly(self, one: CallableFacts, name: str) -> tuple[tuple[CallableFacts, str], ...]:
        key = (one.qualname, name)
        if key not in self._direct:
            self._direct[key] = tuple(self._targets(one, name))
        return self._direct[key]

    def _targets(self, one: CallableFacts, name: str) -> Iterator[tuple[CallableFacts, str]]:
        for used, what in one.uses:
            if used == name and what.startswith("argument:"):
                taker = _taker(self._facts, one, what)
                if taker is not None and taker[0].qualname != one.qualname:
                    yield taker


def _taker(facts: ModuleFacts, one: CallableFacts, use: str) -> tuple[CallableFacts, str] | None:
    """The callable of the module, and its parameter, that takes what a use passes on: `argument:FUNCTION:POSITION`."""
    _, function, place = use.split(":", 2)
    target = _target(facts, one, function)
    parameter = _parameter_at(target, place) if target is not None else None
    return (target, parameter) if target is not None and parameter is not None else None


def _parameter_at(target: CallableFacts, place: str) -> str | None:
    if place.isdigit():
        positional = [parameter.name for parameter in target.parameters if parameter.is_positional]
        return next(iter(positional[int(place) :]), None)
    return next((parameter.name for parameter in target.parameters if parameter.name == place), None)


def inferred_hints(facts: ModuleFacts, one: CallableFacts, parameter: Parameter) -> tuple[TypeHint, ...]:
    """Types for a parameter, the likeliest first; empty when there is no evidence."""
    scores: dict[str, float] = {}
    elements: dict[str, float] = {}
    uses = uses_of(facts, one, parameter.name)
    for what in uses:
        if what.startswith("element:"):
            _score(what.removeprefix("element:"), elements)
            scores["Iterable"] = scores.get("Iterable", 0) + 1
        else:
            _score(what, scores)
    documented = next((text for name, text in one.documentation.parameters if name.lstrip("*") == parameter.name), "")
    for hint in prose_hint(documented).members() if documented else ():
        scores[hint.name] = scores.get(hint.name, 0) + 2
    entry = name_entry(parameter.name)
    if entry is not None:
        scores[entry[0]] = scores.get(entry[0], 0) + 1.5
    scores.pop("Any", None)
    ordered = sorted(scores, key=lambda key: (-scores[key], key))
    element = sorted(elements, key=lambda key: (-elements[key], key))[:1]
    return tuple(_with_element(name, element) for name in ordered[:4])


def _with_element(name: str, element: list[str]) -> TypeHint:
    if element and name in ("Iterable", "list", "Sequence") and not element[0].startswith("pattern"):
        return TypeHint(name, (TypeHint(element[0]),))
    return TypeHint(name)


_ASKS = re.compile(r"(is|has|use|with|no|allow|keep|strip|skip|escape|count|ignore|force|enable)_")


def name_entry(name: str) -> tuple[str, tuple[str, ...]] | None:
    """Type and first values a parameter's name suggests."""
    plain = name.strip("_").lower()
    asks = _ASKS.match(plain) is not None
    for pattern, kind, values in BY_NAME:
        # `is_url` asks whether something is one.
        if not (asks and kind == "str") and re.fullmatch(pattern, plain):
            return kind, values
    return None


def _score(what: str, scores: dict[str, float]) -> None:
    kind, _, detail = what.partition(":")
    for name, weight in _votes(kind, detail):
        scores[name] = scores.get(name, 0) + weight


def _votes(kind: str, detail: str) -> list[tuple[str, float]]:
    simple = {
        "called": [("Callable", 4.0)],
        "iterated": [("Iterable", 2.0)],
        "number": [("int", 1.5)],
        "arithmetic": [("int", 1.0)],
        "text": [("str", 1.5)],
        "len": [("list", 0.8), ("str", 0.4)],
        "unpacked": [("tuple", 2.0)],
    }
    if kind in simple:
        return simple[kind]
    if kind == "method":
        return [(name, 2.0) for name, words in _METHODS if detail in words.split()]
    if kind == "attribute":
        return [(name, 1.5) for name, words in _ATTRIBUTES if detail in words.split()]
    if kind == "isinstance":
        return [(detail.rpartition(".")[2], 1.5)]
    if kind == "argument":
        return [(name, 1.5) for name, pattern in _ARGUMENTS if re.fullmatch(pattern, detail)]
    if kind == "item":
        if detail.startswith(("'", '"')):
            return [("dict", 2.0)]
        return [("list", 1.0), ("dict", 0.5)] if detail != "slice" else [("list", 1.0), ("str", 1.0)]
    return []


def default_hint(default: str | None) -> TypeHint:
    """The type of a default's literal; `Any` for None and for other expressions."""
    if default is None or default == "None":
        return ANY
    if default in ("True", "False"):
        return TypeHint("bool")
    for pattern, name in (
        (r"-?\d[\d_]*", "int"),
        (r"-?[\d_]*\.\d*(e[-+]?\d+)?|-?\d+e-?\d+", "float"),
        (r"float\(.*\)", "float"),
        (r"[rR]?(['\"]).*\1", "str"),
        (r"[bB](['\"]).*\1", "bytes"),
        (r"\[.*\]", "list"),
        (r"\{.*:.*\}|\{\}|dict\(\)", "dict"),
        (r"\(.*\)", "tuple"),
        (r"\{.*\}|set\(\)", "set"),
        (r"lambda\b.*|len|str|repr|bool|operator\.\w+|identity", "Callable"),
        (r"int|float|list|dict|type|object", "type"),
        (r"(datetime\.)?timedelta\(.*\)", "timedelta"),
        (r"(datetime\.)?datetime\(.*\)", "datetime"),
        (r"(datetime\.)?date\(.*\)", "date"),
    ):
        if re.fullmatch(pattern, default, re.DOTALL):
            return TypeHint(name)
    return ANY
