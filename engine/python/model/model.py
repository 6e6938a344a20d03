"""The plain data that the stages of the Python engine exchange.

Analyse → `ModuleFacts`, propose → `Trial`, observe → `Observation`, select → `TrialFinding`, compose → the spec.
Values and statements are Python source text, so that a trial reads like the test it may become.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .domain import CallableDomains

ParameterKind = Literal["positional_only", "positional_or_keyword", "var_positional", "keyword_only", "var_keyword"]
CallableKind = Literal["function", "method", "classmethod", "staticmethod", "property", "constructor"]
ClassKind = Literal[
    "plain", "dataclass", "pydantic", "attrs", "enum", "exception", "namedtuple", "typeddict", "protocol", "abstract"
]
GENERATED_CONSTRUCTORS: frozenset[str] = frozenset({"dataclass", "namedtuple", "attrs", "pydantic"})
"""Kinds of classes whose constructor Python or a library writes, from the fields."""

Mode = Literal["call", "await", "iterate", "aiterate", "enter", "aenter"]
Arc = tuple[int, int]
Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `annotation` and `default` are source text as written."""

    name: str
    kind: ParameterKind
    annotation: str | None = None
    default: str | None = None

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is None and self.kind not in ("var_positional", "var_keyword")

    @property
    def is_positional(self) -> bool:
        """Whether one positional argument binds it."""
        return self.kind in ("positional_only", "positional_or_keyword")


@dataclass(frozen=True, slots=True)
class BodyComparison:
    """A comparison in a body: which name meets which constant; `operand` is source text."""

    name: str
    operator: str
    operand: str
    line: int


@dataclass(frozen=True, slots=True)
class RaiseSite:
    """A `raise` in a body, with the condition around it where there is one."""

    exception: str
    line: int
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One doctest prompt with its expected output, or a call whose result stands in a comment.

    Attributes:
        arrange: the statements before it in the same block.
        certain: whether `want` surely is what the act shows; words of a comment may speak of something else.
    """

    arrange: tuple[str, ...]
    act: str
    want: str
    line: int
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Documentation:
    """The contents of a docstring. `raises` pairs an exception name with its condition."""

    summary: str = ""
    text: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    returns: str = ""
    raises: tuple[tuple[str, str], ...] = ()
    examples: tuple[Example, ...] = ()
    lines: Lines = (0, 0)


@dataclass(frozen=True, slots=True)
class CallableFacts:
    """A function, method, property or constructor of the target module.

    Attributes:
        qualname: `func`, `Class.method` or `Class` for a constructor.
        owner: the class's name, or None.
        constants: literals in the body, as source text, in order of appearance.
        read_constants: those that the body compares with, searches for or computes with, and does not only write.
        branch_lines: lines of the body where control may go two ways.
        uses: how the body uses a parameter (or `self.name`), as pairs like `("path", "method:read")`; see bodies.py.
        calls: dotted names of what the body calls, as written.
        returned_calls: dotted names of what is called where the body returns, if each `return` returns such a call.
        returned_parameters: names of what must be passed to the function that the body defines and returns.
        returns_self: whether each `return` of a method returns the object that it is called on.
    """

    qualname: str
    kind: CallableKind
    lines: Lines
    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    owner: str | None = None
    is_async: bool = False
    is_generator: bool = False
    is_context_manager: bool = False
    has_setter: bool = False
    decorators: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    read_constants: tuple[str, ...] = ()
    comparisons: tuple[BodyComparison, ...] = ()
    raises: tuple[RaiseSite, ...] = ()
    branch_lines: tuple[int, ...] = ()
    uses: tuple[tuple[str, str], ...] = ()
    calls: tuple[str, ...] = ()
    returned_calls: tuple[str, ...] = ()
    returned_parameters: tuple[str, ...] = ()
    returns_self: bool = False
    documentation: Documentation = field(default_factory=Documentation)

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.qualname.rpartition(".")[2]

    @property
    def needed(self) -> tuple[Parameter, ...]:
        """What a caller has to pass, the object or class that it is called on left out."""
        return tuple(one for one in self.parameters if one.required and one.name not in ("self", "cls"))

    @property
    def public(self) -> bool:
        """Whether no part of the qualified name starts with an underscore (dunder methods count as public)."""
        parts = self.qualname.split(".")
        return all(not part.startswith("_") or (part.startswith("__") and part.endswith("__")) for part in parts)


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """A class of the target module. `fields`: data fields or enum members, as name and source of value or type;
    `makers`: functions, and factories as `Class.name`, that documents name where they forbid to call it, else None."""

    name: str
    kind: ClassKind
    lines: Lines
    bases: tuple[str, ...] = ()
    constructor: CallableFacts | None = None
    members: tuple[CallableFacts, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    documentation: Documentation = field(default_factory=Documentation)
    makers: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """The facts of one module, read from its source without running it.

    Attributes:
        path, module: POSIX path relative to the project root, and dotted import name.
        import_root: POSIX folder, relative to the project root, that must be on sys.path ("." for a flat layout).
        imports, constants: names bound at module level, with the import statement, or with the source of the value.
        digest: sha256 of the file's bytes, in hex.
        exported: the names in `__all__`, or None when the module has none (or builds it at run time).
        domains: the domains of the parameters; empty until they are inferred.
    """

    path: str
    module: str
    import_root: str
    digest: str
    functions: tuple[CallableFacts, ...] = ()
    classes: tuple[ClassFacts, ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    documentation: Documentation = field(default_factory=Documentation)
    line_count: int = 0
    exported: tuple[str, ...] | None = None
    domains: tuple[CallableDomains, ...] = ()

    def callables(self) -> tuple[CallableFacts, ...]:
        """Every callable of the module, in order of its first line."""
        members = [member for owner in self.classes for member in owner.members]
        constructors = [owner.constructor for owner in self.classes if owner.constructor is not None]
        return tuple(sorted((*self.functions, *constructors, *members), key=lambda one: (one.lines, one.qualname)))


MOST_PARAMETERS = 100
"""A callable with more of them is not called: values for each, in the light of all others, would take for ever."""

RAISES = "raises:"
"""What `Trial.wanted` begins with where prose announces an exception."""

PRINTS = "prints:"
"""What `Trial.wanted` begins with where a document says what is printed of the result."""

# Sources of trials that a person wrote, or that put together what persons wrote; and of those made by changing others.
RICH_SOURCES = frozenset({"doctest", "prose", "document", "example", "existing_test", "call_site", "usage"})
CHANGED_SOURCES = frozenset({"mutation", "havoc", "sequence"})


@dataclass(frozen=True, slots=True)
class Trial:
    """One candidate for a test: statements that arrange, one expression that acts.

    Attributes:
        subject: qualified name of the callable under test.
        imports: import statements, sorted; they import the target by its public name.
        arrange: statements, run in order in one fresh namespace.
        act: one expression; its value is the result.
        mode: what is done with the result: nothing, awaited, iterated (at most 50 items), entered as a context manager.
        source: where its values came from: doctest, call_site, existing_test, signature, constant, mutation, …
        wanted: the documented result (doctest output, `raises:NAME`, or `prints:TEXT`), or None; "" where a document
            says something of the act, and nothing of how its result is shown.
        wanted_line: line that documents it; 0 without one.
        wanted_path: the file of that line, relative to the project; "" for the target's own.
        fixtures: names the runner provides: `tmp_path` (a fresh empty folder), `monkeypatch`.
        looks: queries of arranged names; results that the act changed are among the effects.
        asks: queries `result.…`; for a result without a source their values are among its attributes.
        records: whether it is told what the target's functions and methods are passed.
    """

    subject: str
    act: str
    imports: tuple[str, ...] = ()
    arrange: tuple[str, ...] = ()
    mode: Mode = "call"
    source: str = "signature"
    wanted: str | None = None
    wanted_line: int = 0
    wanted_path: str = ""
    fixtures: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    records: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A value as the worker observed it.

    Attributes:
        type_name: `module.QualName` of its type (`int` for builtins).
        source: an expression that builds an equal value, checked by evaluating it, or None when there is none.
        imports: what `source` needs imported.
        approximate: whether it holds floats that should be compared with a tolerance.
        unordered: whether iteration order took part (sets, frozensets inside).
        attributes: public attributes and their values, for objects without a source; depth at most 1.
        length: len() where it has one.
        text: its repr, cut at 200 characters, for people; a search reads from it whether a repr can be compared.
        held: the arranged variable that holds this very object; empty for other objects.
        unchanged: whether it equals the object that the act asks or one that it passes, or is the text of its `repr`.
        converted: whether it equals something that the act passes, of another type, which is no number.
    """

    type_name: str
    source: str | None = None
    imports: tuple[str, ...] = ()
    approximate: bool = False
    unordered: bool = False
    attributes: tuple[tuple[str, Value], ...] = ()
    length: int | None = None
    text: str = ""
    held: str = ""
    unchanged: bool = False
    converted: bool = False


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception as the worker observed it.

    Attributes:
        message: its text; where that ends differently each time, the common beginning up to a space.
        line: line of the target file that raised it, 0 if elsewhere; `code` the source of a SystemExit's code.
    """

    type_name: str
    message: str = ""
    line: int = 0
    bases: tuple[str, ...] = ()
    code: str | None = None


Outcome = Literal["returned", "raised", "arrange_failed", "timed_out", "crashed", "out_of_memory", "refused", "not_run"]


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of one trial.

    Attributes:
        outcome: `refused`: the worker's guard stopped it (network, process, write elsewhere); `not_run`: no time left.
        value: the result after `mode` was applied (a list of items for iterate), when returned.
        effects: expressions over arranged names (`cart.total`, `items`) with their values afterwards, when they differ
            from before the act.
        output: text printed to stdout by the act, cut at 2,000 characters; `errors` the same of stderr.
        printed_before: whether the arranging statements printed something.
        arcs: line arcs of the target file that the act added; entry and exit are negative numbers as in coverage.py.
        operands: executed comparisons, as (line, left repr, right repr), cut to 40.
        seconds: duration of the act.
        consulted: what of its surroundings the act looked at: `env:NAME`, `cwd`, `random` (the module's functions).
    """

    outcome: Outcome
    value: Value | None = None
    raised: Raised | None = None
    effects: tuple[tuple[str, Value], ...] = ()
    output: str = ""
    errors: str = ""
    printed_before: bool = False
    warnings: tuple[tuple[str, str], ...] = ()
    arcs: frozenset[Arc] = frozenset()
    operands: tuple[tuple[int, str, str], ...] = ()
    seconds: float = 0.0
    consulted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialFinding:
    """A trial that is worth a test, confirmed in new processes.

    Attributes:
        covered: possible arcs that the trial ran, arranging included.
        unstable: expressions whose value differed between processes, seeds or clocks; never asserted.
        contradicts: the documented result that the trial contradicts (a suspected defect), else None.
        kills: numbers of the sampled mutants that its test would kill, and higher ones of other faults that it was made
            to show (`explore/shown_faults.py`).
        is_edge: whether it shows an edge or a rule, in a row beside an example of the same form.
    """

    trial: Trial
    observation: Observation
    new_arcs: frozenset[Arc] = frozenset()
    covered: frozenset[Arc] = frozenset()
    unstable: tuple[str, ...] = ()
    agrees: bool | None = None
    contradicts: str | None = None
    kills: frozenset[int] = frozenset()
    is_edge: bool = False


@dataclass(frozen=True, slots=True)
class Unreached:
    """A public callable that got no test, and why, for the report.

    Attributes:
        question: what a person would have to answer so that it gets one; empty where no answer would help.
    """

    qualname: str
    reason: str
    line: int = 0
    question: str = ""


@dataclass(frozen=True, slots=True)
class Exploration:
    """The result of exploring one module.

    Attributes:
        possible_arcs: every arc the file has, from static analysis.
        trials: how many trials ran.
        source_lines: lines of the module that are not blank; 0 when they were not counted.
    """

    facts: ModuleFacts
    findings: tuple[TrialFinding, ...] = ()
    unreached: tuple[Unreached, ...] = ()
    reached_arcs: frozenset[Arc] = frozenset()
    possible_arcs: frozenset[Arc] = frozenset()
    trials: int = 0
    notes: tuple[str, ...] = ()
    source_lines: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """An expression for a value of a parameter.

    Attributes:
        imports: import statements the expression needs, and `arrange`: statements that must run before it.
        fixtures: names the runner provides.
        origin: where the value came from, as in `Trial.source`.
    """

    source: str
    imports: tuple[str, ...] = ()
    arrange: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ()
    origin: str = "signature"
