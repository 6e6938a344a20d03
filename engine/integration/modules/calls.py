"""Finds what each function and method of a module calls within the project: by names, by modules, by types.

Types are only read from annotations of parameters, fields and attributes, and from calls of a class; never inferred.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ....utils.python_source import parse_python
from ...python.facts.analyse import absolute_module, imports_of, package_of
from ...python.model.model import CallableFacts, ClassFacts, ModuleFacts
from ...python.source.annotations import type_hint
from ...python.usage.project_index import ProjectIndex

Function = ast.FunctionDef | ast.AsyncFunctionDef
ClassReference = tuple[ModuleFacts, ClassFacts]
AnnotationReference = tuple[str, ModuleFacts]
"""An annotation as written, and the module it is written in."""
_MOST_HOPS = 8


@dataclass(frozen=True, slots=True)
class ProjectCall:
    """A use of a definition of the project: the caller, the definition's module and qualified name, the line."""

    caller: str
    module: str
    name: str
    line: int


def calls_of(source: str, facts: ModuleFacts, index: ProjectIndex) -> list[ProjectCall]:
    """Every call of a module that leads to code of the project, its own included, in order of lines."""
    tree = parse_python(source, facts.path)
    package = package_of(facts)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = _ModuleNames(facts, index, imports_of(list(imports), package))
    found: list[ProjectCall] = []
    for node in _definitions(tree.body):
        if isinstance(node, ast.ClassDef):
            attributes = _attributes(node, names)
            for member in _definitions(node.body):
                if isinstance(member, Function):
                    found += _Body(names, f"{node.name}.{member.name}", node.name, attributes).read(member)
            # Code that names the class may construct it.
            found += [
                ProjectCall(node.name, facts.module, f"{node.name}.{member.name}", member.lineno)
                for member in _definitions(node.body)
                if isinstance(member, Function) and member.name in ("__init__", "__post_init__", "__new__")
            ]
        elif isinstance(node, Function):
            found += _Body(names, node.name, None, {}).read(node)
    return list(dict.fromkeys(found))


def imported_modules(source: str, facts: ModuleFacts, index: ProjectIndex) -> list[str]:
    """Modules of the project that a module imports anywhere in its file, in order."""
    package = package_of(facts)
    found: dict[str, None] = {}
    for node in ast.walk(parse_python(source, facts.path)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = absolute_module(node, package)
            names = [base, *(f"{base}.{name.name}" for name in node.names)]
        found.update((name, None) for name in names if name and index.facts_of(name) is not None)
    return list(found)


class _ModuleNames:
    """Resolves the names of one module to definitions of the project."""

    def __init__(self, facts: ModuleFacts, index: ProjectIndex, bound: dict[str, str]) -> None:
        self.facts = facts
        self.index = index
        self._bound = bound
        self._own = {function.name for function in facts.functions} | {owner.name for owner in facts.classes}

    def origin(self, name: str) -> tuple[str, str] | None:
        """Module and qualified name of a project's definition; the name is empty for a module itself."""
        if name in self._own:
            return self.facts.module, name
        statement = self._bound.get(name)
        if statement is None:
            return None
        words = statement.split()
        if words[0] == "import":
            module = words[1]
            return (module, "") if self.index.facts_of(module) is not None else None
        return self.followed(words[1], words[3])

    def followed(self, module: str, name: str) -> tuple[str, str] | None:
        """Where a module's name is really defined, through re-exports; a submodule has an empty name."""
        for _ in range(_MOST_HOPS):
            facts = self.index.facts_of(module)
            if facts is not None and (
                any(function.name == name for function in facts.functions)
                or any(owner.name == name for owner in facts.classes)
            ):
                return module, name
            if self.index.facts_of(f"{module}.{name}") is not None:
                return f"{module}.{name}", ""
            further = self.index.origin_of(name, facts) if facts is not None else None
            if further is None:
                return None
            module, name = further
        return None

    def known(self, typed: AnnotationReference | None) -> ClassReference | None:
        """The project's class that an annotation names, also as a member of a union."""
        if typed is None:
            return None
        candidates = (self.index.class_in(hint.name, typed[1]) for hint in type_hint(typed[0]).members())
        return next((found for found in candidates if found is not None), None)

    def callee(self, name: str) -> CallableFacts | None:
        """The project's function of a name."""
        origin = self.origin(name)
        facts = self.index.facts_of(origin[0]) if origin is not None else None
        if facts is None or origin is None:
            return None
        return next((function for function in facts.functions if function.name == origin[1]), None)


class _Body(ast.NodeVisitor):
    """Reads one function; nested functions count as part of it."""

    def __init__(
        self, names: _ModuleNames, caller: str, owner: str | None, attributes: dict[str, AnnotationReference]
    ) -> None:
        self._names = names
        self._caller = caller
        self._owner = owner
        self._attributes = attributes
        self._types: dict[str, AnnotationReference] = {}
        self._found: list[ProjectCall] = []

    def read(self, node: Function) -> list[ProjectCall]:
        """Its calls."""
        for parameter in _parameters(node):
            if parameter.annotation is not None:
                self._types[parameter.arg] = (ast.unparse(parameter.annotation), self._names.facts)
        for statement in node.body:
            self.visit(statement)
        return self._found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._types[node.target.id] = (ast.unparse(node.annotation), self._names.facts)
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        self._bind(node.targets[0], self._typed(node.value))
        for target in node.targets:
            self.visit(target)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, self._typed(item.context_expr))
        for statement in node.body:
            self.visit(statement)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self._bind(node.target, self._item(node.iter))
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        for generator in node.generators:
            self.visit(generator.iter)
            self._bind(generator.target, self._item(generator.iter))
            for condition in generator.ifs:
                self.visit(condition)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp  # noqa: N815 - names of ast.NodeVisitor

    def visit_Call(self, node: ast.Call) -> None:
        """Types the parameter of a lambda beside an iterable: `max(lines, key=lambda line: line.total)`."""
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        over = next((argument for argument in given if not isinstance(argument, ast.Lambda)), None)
        for argument in given:
            if isinstance(argument, ast.Lambda) and len(argument.args.args) == 1 and over is not None:
                self._bind(ast.Name(argument.args.args[0].arg), self._item(over))
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id not in self._types:
            origin = self._names.origin(node.id)
            if origin is not None and origin[1]:
                self._add_call(*origin, node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        value = node.value
        if isinstance(value, ast.Name) and value.id in ("self", "cls") and self._owner is not None:
            self._add_call(self._names.facts.module, f"{self._owner}.{node.attr}", node.lineno)
        origin = self._names.origin(value.id) if isinstance(value, ast.Name) else None
        if origin is not None and not origin[1]:
            found = self._names.followed(origin[0], node.attr)
            if found is not None and found[1]:
                self._add_call(*found, node.lineno)
        known = self._names.known(self._typed(value))
        if known is not None:
            self._add_call(known[0].module, f"{known[1].name}.{node.attr}", node.lineno)
        self.visit(value)

    def _add_call(self, module: str, name: str, line: int) -> None:
        facts = self._names.index.facts_of(module)
        # The module is not part of the project.
        if facts is None:
            return
        defined = {function.qualname for function in facts.callables()} | {owner.name for owner in facts.classes}
        if name in defined or name.partition(".")[0] in defined:
            self._found.append(ProjectCall(self._caller, module, name, line))

    def _bind(self, target: ast.expr, typed: AnnotationReference | None) -> None:
        if not isinstance(target, ast.Name):
            return
        if typed is not None:
            self._types[target.id] = typed
        else:
            self._types.pop(target.id, None)

    def _item(self, node: ast.expr) -> AnnotationReference | None:
        """The type of an iterable's items, where its annotation has an argument."""
        typed = self._typed(node)
        if typed is None:
            return None
        elements = (hint.arguments[0].name for hint in type_hint(typed[0]).members() if hint.arguments)
        return next(((name, typed[1]) for name in elements), None)

    def _typed(self, node: ast.expr) -> AnnotationReference | None:
        """The type of an expression as an annotation: variables, classes and functions called, fields, properties."""
        own = self._names.facts
        if isinstance(node, ast.Name):
            return self._types.get(node.id)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                if self._names.index.class_in(node.func.id, own) is not None:
                    return node.func.id, own
                called = self._names.callee(node.func.id)
                origin = self._names.origin(node.func.id)
                where = self._names.index.facts_of(origin[0]) if origin is not None else None
                return (called.returns, where) if called is not None and called.returns and where is not None else None
            return self._member(node.func) if isinstance(node.func, ast.Attribute) else None
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                return self._attributes.get(node.attr)
            return self._member(node)
        return None

    def _member(self, node: ast.Attribute) -> AnnotationReference | None:
        """The type of an attribute of a project's class, or of what its method returns."""
        owner = self._names.known(self._typed(node.value))
        if owner is None:
            return None
        where, made = owner
        member = next((member for member in made.members if member.name == node.attr), None)
        if member is not None:
            return (member.returns, where) if member.returns else None
        annotation = dict(made.fields).get(node.attr) if made.kind != "enum" else None
        return (annotation, where) if annotation else None


def _attributes(node: ast.ClassDef, names: _ModuleNames) -> dict[str, AnnotationReference]:
    """Types of a class's attributes: annotated fields, and what `__init__` assigns to `self`."""
    found: dict[str, AnnotationReference] = {}
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            found[member.target.id] = (ast.unparse(member.annotation), names.facts)
        if not isinstance(member, Function) or member.name != "__init__":
            continue
        types = {item.arg: ast.unparse(item.annotation) for item in _parameters(member) if item.annotation is not None}
        for statement in ast.walk(member):
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            if not targets or not isinstance(targets[0], ast.Attribute) or not isinstance(statement, ast.Assign):
                continue
            value = statement.value
            if isinstance(value, ast.Name) and value.id in types:
                found[targets[0].attr] = (types[value.id], names.facts)
            elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
                found[targets[0].attr] = (value.func.id, names.facts)
    return found


def _definitions(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Functions and classes of a body, those under `if` and `try` included."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            yield node
        elif isinstance(node, ast.If | ast.Try):
            yield from _definitions([*node.body, *node.orelse])


def _parameters(node: Function) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
