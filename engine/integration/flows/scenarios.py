"""Builds flows: collaborators are constructed and filled with matching values, then one of them acts.

Objects are shared: the cart that an order is made of is the cart of the flow. Parameters of one name get one value: an
article that is put into the stock is the one that is taken out. Numbers differ, so that swapped ones are noticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...python.inputs.calls import function_form, member_form, variable_for
from ...python.model.model import CallableFacts, ClassFacts, ModuleFacts, Parameter, Trial
from ...python.search.initial_trials import ProposalContext
from ...python.source.annotations import TypeHint, type_hint
from ..model.servers import Server, address_kind
from .loopback import FIXTURE, server_statements, with_server_helper
from .state_queries import ANSWER_VARIABLE, advances_object, fills_object, takes_from_object

_NUMBERS = ((2, 5), (10, 12), (5, 2), (100, 150), (1, 1), (3, 3), (9, 20), (11, 4))
_DEPTH = 4
_LONGEST = 40
_ITERABLES = frozenset("list List Sequence Iterable Collection tuple Tuple".split())
_PATHS = frozenset({"Path", "PathLike"})
_PATH_NAMES = re.compile(r"(file_?)?path|file_?name|filepath|database|db|filename")
_WRITES = re.compile(r"(save|write|dump|store|export)_?(\w*)")
_READS = re.compile(r"(load|read|parse|import|restore|open)_?(\w*)")
_ENDINGS = (("json", ".json"), ("csv", ".csv"), ("pickle", ".pickle"), ("tomllib", ".toml"), ("yaml", ".yaml"))


def scenarios(function: CallableFacts, context: ProposalContext, servers: Sequence[Server] = ()) -> Iterator[Trial]:
    """Yields flows whose act is one callable of the entry; none where an argument cannot be built.

    Args:
        servers: servers that address parameters may refer to.
    """
    owner = context.owner_of(function)
    seen: set[tuple[str, ...]] = set()
    for number, way in enumerate(FLOW_VARIANTS):
        trial = _FlowBuilder(context, way, number, servers).trial(function, owner)
        if trial is not None and (*trial.arrange, trial.act) not in seen:
            seen.add((*trial.arrange, trial.act))
            yield trial


@dataclass(slots=True)
class _FlowBuilder:
    """Builds one flow, statement by statement.

    Attributes:
        variation: the index of the variant; selects enum members and optional arguments in turn.
        variables: variable by class.
        given: values by parameter name and index of the item.
    """

    context: ProposalContext
    way: FlowVariant
    variation: int
    servers: Sequence[Server] = ()
    statements: list[str] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    fixtures: set[str] = field(default_factory=set)
    variables: dict[tuple[str, str], str] = field(default_factory=dict)
    given: dict[tuple[str, int], str] = field(default_factory=dict)
    item: int = 0

    def trial(self, function: CallableFacts, owner: ClassFacts | None) -> Trial | None:
        """The flow, or None where a value cannot be built."""
        facts = self.context.facts
        receiver = ""
        if function.kind in ("method", "property") and owner is not None:
            made = self.object(facts, owner, 0, but=function.name)
            if made is None:
                return None
            receiver = made
        self._written_before(function)
        arguments = self.arguments(function, facts, 1, optional=True)
        form = _form(function, receiver, arguments, owner) if arguments is not None else None
        if form is None:
            return None
        needs = owner.name if owner is not None and not receiver else function.name
        if not receiver:
            self.imports.add(f"from {facts.module} import {needs}")
        trial = Trial(
            subject=function.qualname,
            act=form[0],
            imports=tuple(sorted(self.imports)),
            arrange=tuple(self.statements),
            mode=form[1],  # pyrefly: ignore[bad-argument-type]
            source="sequence",
            fixtures=tuple(sorted(self.fixtures - {FIXTURE})),
        )
        return with_server_helper(trial) if FIXTURE in self.fixtures else trial

    def object(self, facts: ModuleFacts, owner: ClassFacts, depth: int, but: str = "") -> str | None:
        """Arranges a filled object of a class and returns its variable; for an enum, the expression of a member."""
        key = (facts.module, owner.name)
        if key in self.variables:
            return self.variables[key]
        # Deeper arrangements are unreadable, and these kinds cannot be constructed.
        if depth > _DEPTH or owner.kind in ("abstract", "protocol", "typeddict"):
            return None
        importing = f"from {facts.module} import {owner.name}"
        if owner.kind == "enum":
            self.imports.add(importing)
            return f"{owner.name}.{owner.fields[self.variation % len(owner.fields)][0]}" if owner.fields else None
        if not self.context.index.can_be_made(facts, owner):
            return None
        constructor = self.context.index.constructor(facts, owner)
        arguments = self.arguments(constructor, facts, depth + 1) if constructor is not None else []
        if arguments is None:
            return None
        if self.way.changed and constructor is not None:
            arguments += self._standings(constructor, facts)
        self.imports.add(importing)
        variable = variable_for(owner.name, tuple(self.variables.values()))
        self.variables[key] = variable
        self.statements.append(f"{variable} = {owner.name}({', '.join(arguments)})")
        self._fill(variable, facts, owner, depth, but)
        return variable

    def _standings(self, constructor: CallableFacts, facts: ModuleFacts) -> list[str]:
        """Arguments with another enum member than the default."""
        found: list[str] = []
        for item in constructor.parameters:
            for hint in self.context.values.hints(constructor, item, facts) if not item.required else ():
                known = self.context.index.class_in(hint.name, facts)
                if known is None or known[1].kind != "enum":
                    continue
                where, owner = known
                others = [name for name, _ in owner.fields if f"{owner.name}.{name}" != item.default]
                if others:
                    self.imports.add(f"from {where.module} import {owner.name}")
                    found.append(f"{item.name}={owner.name}.{others[0]}")
                break
        return found

    def _fill(self, variable: str, facts: ModuleFacts, owner: ClassFacts, depth: int, but: str) -> None:
        """Arranges calls that add things to an object, remove one, or advance its state, as the variant says."""
        every = [member for member in owner.members if fills_object(member) and member.name != but]
        at = self.way.filler
        # A negative index means all ways to fill; one that does not exist falls back to the first.
        chosen = every if at < 0 else every[at : at + 1] or every[:1]
        # The variant repeats the very method that the flow is about.
        if self.way.own and but:
            chosen = [member for member in owner.members if member.name == but and fills_object(member)] or chosen
        for filler in chosen:
            for item in range(self.way.items):
                # A call that cannot be arranged spoils those after it.
                if not self._call(variable, filler, facts, depth, 0 if self.way.again else item):
                    return
        for member in owner.members if self.way.taken and chosen else ():
            if takes_from_object(member) and member.name != but:
                # Only the first answer is kept: a flow asserts one.
                answers = member.returns not in (None, "None") and not any(
                    ANSWER_VARIABLE in done for done in self.statements
                )
                self._call(variable, member, facts, depth, 0, answer=f"{ANSWER_VARIABLE} = " if answers else "")
                break
        for member in owner.members if self.way.moved and not but else ():
            if advances_object(member):
                self.statements.append(f"{variable}.{member.name}()")
                break

    def _call(
        self, variable: str, function: CallableFacts, facts: ModuleFacts, depth: int, item: int, answer: str = ""
    ) -> bool:
        self.item = item
        arguments = self.arguments(function, facts, depth + 1, numbers=not self.way.bare)
        self.item = 0
        if arguments is None:
            return False
        statement = f"{answer}{variable}.{function.name}({', '.join(arguments)})"
        if statement not in self.statements or self.way.again:
            self.statements.append(statement)
        return True

    def arguments(
        self,
        function: CallableFacts,
        facts: ModuleFacts,
        depth: int,
        *,
        numbers: bool = False,
        optional: bool = False,
        fixed: Mapping[str, str] | None = None,
    ) -> list[str] | None:
        """Arguments for a call: the required ones; `numbers`: also its counts; `optional`: maybe one more.

        Args:
            fixed: values by parameter name that are always passed.
        """
        found: list[str] = []
        further = [item for item in function.parameters if not item.required and item.name not in ("self", "cls")]
        chosen = further[self.variation % len(further)] if optional and further and self.way.optional else None
        for item in function.parameters:
            if item.name in ("self", "cls") or item.kind in ("var_positional", "var_keyword"):
                continue
            if fixed is not None and item.name in fixed:
                found.append(f"{item.name}={fixed[item.name]}" if item.kind != "positional_only" else fixed[item.name])
                continue
            counted = numbers and _is_count(item)
            # Defaults are left alone except for counts and the one optional argument of this variant.
            if not item.required and not counted and item is not chosen:
                continue
            value = self.value(function, item, facts, depth)
            if value is None:
                if item.required:
                    return None
                continue
            after_named = fixed and any("=" in argument for argument in found)
            named = item.kind == "keyword_only" or not item.required or after_named
            found.append(f"{item.name}={value}" if named else value)
        return found

    def value(self, function: CallableFacts, item: Parameter, facts: ModuleFacts, depth: int) -> str | None:
        """A value for a parameter: an object of the flow, a path in its folder, else a plain value shared by name."""
        if self.servers and address_kind(item.name):
            return self._address(item.name)
        hints = self.context.values.hints(function, item, facts)
        for hint in hints:
            made = self._of_project(hint, facts, depth)
            if made is not None:
                return made
        suggested = self.context.index.class_for_variable(item.name, facts) if not item.annotation else None
        if suggested is not None:
            return self.object(*suggested, depth)
        names = {hint.name for hint in hints}
        if names & _PATHS or (_PATH_NAMES.fullmatch(item.name) and names <= {"str", "Any", "None"}):
            return self._path(function, facts, text=not names & _PATHS)
        key = (item.name, self.item)
        if key not in self.given:
            value = self._plain(function, item, facts, names)
            if value is None:
                return None
            self.given[key] = value
        return self.given[key]

    def _address(self, name: str) -> str | None:
        """The address of a server of the project; the server is started on first use."""
        if FIXTURE not in self.fixtures:
            server = self.servers[0]
            facts = self.context.index.facts_of(server.module)
            makers = (*facts.functions, *(each.constructor for each in facts.classes)) if facts is not None else ()
            maker = next((each for each in makers if each is not None and each.qualname == server.name), None)

            def given(called: CallableFacts, fixed: dict[str, str]) -> list[str] | None:
                return self.arguments(called, facts, 1, fixed=fixed) if facts is not None else None

            found = server_statements(server, maker, given)
            if found is None:
                return None
            self.fixtures.add(FIXTURE)
            self.statements += found[0]
            self.imports |= found[1]
        return {"url": "f'http://{host}:{port}'", "host": "host"}.get(address_kind(name), "port")

    def _of_project(self, hint: TypeHint, facts: ModuleFacts, depth: int) -> str | None:
        known = self.context.index.class_in(hint.name, facts)
        if known is not None:
            return self.object(*known, depth)
        if hint.name in _ITERABLES and hint.arguments:
            inner = self._of_project(hint.arguments[0], facts, depth)
            return f"[{inner}]" if inner is not None else None
        return None

    def _plain(self, function: CallableFacts, item: Parameter, facts: ModuleFacts, names: set[str]) -> str | None:
        if names & {"int"} and "bool" not in names:
            pair = _NUMBERS[self.way.numbers]
            number = pair[min(len(self.variables) - 1, 1) if self.variables else 0]
            return str(number + 7 * self.item) if _is_count(item) else str(350 + 50 * self.item)
        pool = self.context.values.for_parameter(function, item, facts)
        usable = [value for value in pool if len(value.source) <= _LONGEST and not value.arrange and not value.fixtures]
        if not usable:
            return None
        chosen = usable[self.item % len(usable)]
        self.imports.update(chosen.imports)
        return chosen.source

    def _path(self, function: CallableFacts, facts: ModuleFacts, *, text: bool) -> str:
        """A path in the runner's folder, shared by readers and writers; a database file if the module uses SQLite."""
        self.fixtures.add("tmp_path")
        imported = {name for name, _ in facts.imports}
        match = _WRITES.fullmatch(function.name) or _READS.fullmatch(function.name)
        stem = (match[2] if match is not None else "") or (function.owner or facts.module.rpartition(".")[2]).lower()
        ending = next((each for module, each in _ENDINGS if module in imported), ".txt")
        name = f"{stem}.db" if "sqlite3" in imported else f"{stem}{ending}"
        path = f"tmp_path / {name!r}"
        return f"str({path})" if text else path

    def _written_before(self, function: CallableFacts) -> None:
        """Before a function that reads a file, arranges a call of its writing counterpart."""
        facts, match = self.context.facts, _READS.fullmatch(function.name)
        if match is None or function.owner is not None:
            return
        for writer in facts.functions:
            found = _WRITES.fullmatch(writer.name)
            if found is None or found[2] != match[2] or writer.is_async:
                continue
            arguments = self.arguments(writer, facts, 1)
            if arguments is not None and "tmp_path" in self.fixtures:
                self.imports.add(f"from {facts.module} import {writer.name}")
                self.statements.append(f"{writer.name}({', '.join(arguments)})")
            return


def _is_count(item: Parameter) -> bool:
    """Whether a parameter is a count, by its type and name."""
    if type_hint(item.annotation).name not in ("int", "Any") and item.annotation is not None:
        return False
    words = "quantity|pieces|count|number|amount|size|copies|items|units|times|qty|n"
    return re.fullmatch(rf"({words})|.*_({words})", item.name) is not None


def _form(
    function: CallableFacts, receiver: str, arguments: list[str], owner: ClassFacts | None
) -> tuple[str, str] | None:
    """The act and its mode."""
    if receiver:
        if function.kind == "property":
            return f"{receiver}.{function.name}", "call"
        form = member_form(function, receiver, ())
        return (f"{receiver}.{function.name}({', '.join(arguments)})", form.mode) if form is not None else None
    prefix = f"{owner.name}." if owner is not None and function.kind != "constructor" else ""
    form = function_form(function, (), prefix)
    name = owner.name if owner is not None and function.kind == "constructor" else f"{prefix}{function.name}"
    return f"{name}({', '.join(arguments)})", form.mode


@dataclass(frozen=True, slots=True)
class FlowVariant:
    """How a flow is built.

    Attributes:
        numbers: index of the pair of counts.
        items: how many things are added to an object.
        filler: index of the adding method that is used; -1 for all of them in order.
        own: whether the acting method itself is called before the act, if it adds to its object.
        optional: whether the act gets one of its optional arguments.
        changed: whether enum arguments get another member than the default.
        moved: whether objects other than the acting one are advanced (`order.send()`).
        taken: whether something that was added is removed again.
        again: whether the same thing is added twice.
        bare: whether counts that have a default are left out.
    """

    numbers: int = 0
    items: int = 1
    filler: int = 0
    own: bool = False
    optional: bool = False
    changed: bool = False
    moved: bool = False
    taken: bool = False
    again: bool = False
    bare: bool = False


FLOW_VARIANTS = (
    FlowVariant(0),
    FlowVariant(1, items=2),
    FlowVariant(2),
    FlowVariant(3, items=2, optional=True),
    FlowVariant(4, optional=True),
    FlowVariant(5, items=2, optional=True, own=True),
    FlowVariant(6, optional=True, own=True),
    FlowVariant(7, items=2, optional=True),
    FlowVariant(0, items=2, filler=1),
    FlowVariant(1, filler=-1),
    FlowVariant(0, items=2, changed=True),
    FlowVariant(1, filler=1, changed=True),
    FlowVariant(0, items=2, filler=1, moved=True),
    FlowVariant(1, filler=-1, moved=True),
    FlowVariant(1, items=2, taken=True),
    FlowVariant(0, items=2, again=True),
    FlowVariant(0, items=2, taken=True, bare=True),
    FlowVariant(0, bare=True),
    FlowVariant(2, items=2, filler=2),
)
