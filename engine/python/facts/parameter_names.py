"""Maps the name of a parameter to a likely type and to values that are tried first."""

from __future__ import annotations

# A regular expression for the whole name, the type it suggests, and values that come before the type's own.
BY_NAME: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"(file_?)?path|file_?name|file|pathname|filepath", "str", ("'folder/file.txt'", "'file.tar.gz'", "''", "'/a/b'")),
    (r"dir|directory|folder|root|base_dir|dirname", "str", ("'folder'", "''")),
    (r"(text|string|s|st|sentence|content|body|message|msg|phrase|title|line|data_string)\d?",
     "str", ("'hello world'",)),
    (r"word|name|key|label|field|attr|attribute|column|tag|prefix|suffix|identifier|slug",
     "str", ("'name'", "'apple'")),
    (r"customer|username|person|author|student|first_?name", "str", ("'Ann'", "'Bob'")),
    (r"article|product|fruit|ingredient|sku|goods", "str", ("'apple'", "'banana'")),
    (r"currency", "str", ("'EUR'", "'USD'")),
    (r"url|uri|href|link", "str", ("'https://example.com/a/b?x=1&y=2#top'", "'example.com'", "''", "'http://'")),
    (r"email|mail", "str", ("'ann@example.com'", "'nobody'", "''")),
    (r"html|xml|markup", "str", ('\'<p class="a">one <b>two</b></p>\'', "'plain'", "''")),
    (r"json_?(str|string|text|data)?", "str", ('\'{"a": [1, 2]}\'', "'[]'", "''")),
    (r"pattern|regex|regexp|expr|expression", "str", ("'[a-z]+'", "'a*b'", "''", "'('")),
    (r"sep|separator|delimiter|delim|glue|joiner", "str", ("','", "'-'", "' '", "''")),
    (r"encoding|charset|codec", "str", ("'utf-8'", "'latin-1'", "'ascii'")),
    (r"locale|lang|language", "str", ("'en'", "'en_US'", "'de'")),
    (r"fmt|format|template|format_string|formatstr|spec",
     "str", ("'{} and {}'", "'%d'", "'{:.2f}'", "'%Y-%m-%d'", "''")),
    (r"date|day|dt|when", "date", ()),
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
    (r"ip|ip_addr|address|host|hostname", "str", ("'127.0.0.1'", "'example.com'", "'::1'")),
    (r"rng|random", "Random", ()),
)  # fmt: skip
