"""What code from a model may not do (injection): read from its syntax tree, before anything is staged or run.

The sandbox makes such code harmless while it is run here; these limits keep it out of the project, where nothing would.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ..utils.python_source import parse_python
from .model_agent import problem
from .protocol import JsonObject

RULE = "reach"
_CALLED: dict[str, tuple[str, ...]] = {
    what: tuple(names.split())
    for what, names in {
        "the network": "socket. urllib.request. http.client. requests. httpx. aiohttp. ftplib. smtplib. telnetlib. "
        "xmlrpc. socketserver. asyncio.open_connection asyncio.start_server",
        "other programs": "subprocess. os.system os.popen os.exec os.spawn os.posix_spawn os.fork os.kill pty. signal. "
        "ctypes. runpy. multiprocessing. asyncio.create_subprocess",
        "files outside tmp_path": "shutil. os.remove os.unlink os.rmdir os.removedirs os.rename os.replace os.chmod "
        "os.chown os.symlink os.link os.truncate os.walk pathlib.Path.home",
        "code that cannot be read here": "eval exec compile __import__ breakpoint importlib. builtins.",
    }.items()
}
_READ = {"the environment": ("os.environ", "os.getenv", "os.putenv", "os.unsetenv")}
_DELETING = frozenset({"unlink", "rmdir", "rmtree", "expanduser"})
_OPENING = frozenset({"open", "io.open", "os.open"})
_TOUCHING = frozenset({"write_text", "write_bytes", "read_text", "read_bytes", "mkdir", "touch", "open", "chmod"})


def out_of_reach(source: str, module: str = "") -> list[tuple[int, str]]:
    """Everything that code does and may not: line and what it reaches for. Empty for code that does not parse.

    Args:
        module: the module under test; its own package may be called whatever it does.
    """
    try:
        tree = parse_python(source)
    except SyntaxError:
        return []
    own = f"{module.partition('.')[0]}." if module else None
    names = _bound(tree)
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found += [(node.lineno, what) for what in _calls(node, names, own)]
        elif isinstance(node, ast.Attribute | ast.Name):
            dotted = _dotted(node, names)
            found += [(node.lineno, f"{what} with {dotted}") for what, all_ in _READ.items() if dotted in all_]
    return sorted(set(found))


def code_problems(source: str, module: str) -> list[JsonObject]:
    """The same as errors of a test file."""
    return [
        {**problem("$.files", f"reaches for {what}", suggestion="test without it", rule=RULE), "line": line}
        for line, what in out_of_reach(source, module)
    ]


def case_problems(case: Mapping[str, object], index: int, imports: list[str], module: str) -> list[JsonObject]:
    """The same of a case in the form of an answer, as errors of a spec."""
    parts = [*imports, *_texts(case.get("statements")), *_texts([case.get("expression")])]
    for one in case.get("expect") or ():  # type: ignore[attr-defined]
        parts += _texts([one.get("actual"), one.get("value")])
    whats: dict[str, None] = {}
    for at in range(len(imports), len(parts)):
        for _, what in out_of_reach("\n".join([*imports, parts[at]]), module):
            whats.setdefault(what)
    path, said = f"$.cases[{index}]", str(case.get("id"))
    return [problem(path, f"{said} reaches for {what}", suggestion="test without it", rule=RULE) for what in whats]


def _calls(node: ast.Call, names: Mapping[str, str], own: str | None) -> Iterator[str]:
    dotted = _dotted(node.func, names)
    for what, prefixes in _CALLED.items():
        if own is not None and dotted.startswith(own):
            break
        if any(dotted == one or (dotted.startswith(one) and (one[-1] == "." or "." in one)) for one in prefixes):
            yield f"{what} with {dotted}"
            return
    if isinstance(node.func, ast.Attribute) and node.func.attr in _DELETING:
        yield f"files outside tmp_path with {node.func.attr}"
    if dotted == "getattr" and node.args and isinstance(node.args[0], ast.Name) and _module_name(node.args[0], names):
        yield "code that cannot be read here with getattr"
    named = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr in _TOUCHING else None
    opened = node if dotted in _OPENING else named if isinstance(named, ast.Call) else None
    if opened is not None and opened.args and _leads_out(opened.args[0]):
        yield f"files outside tmp_path with {dotted or ast.unparse(opened)}"


def _leads_out(node: ast.expr) -> bool:
    path = node.value if isinstance(node, ast.Constant) else None
    return isinstance(path, str) and (path.startswith(("/", "~")) or ".." in path.split("/"))


def _bound(tree: ast.Module) -> dict[str, str]:
    """What imports bind, by local name; a module's value is its dotted name, and a final `.` marks it as a module."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name if alias.asname else alias.name.partition(".")[0]
                names[alias.asname or top] = f"{top}."
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _dotted(node: ast.AST, names: Mapping[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id).rstrip("."), *reversed(parts)])


def _module_name(node: ast.Name, names: Mapping[str, str]) -> bool:
    return names.get(node.id, "").endswith(".")


def _texts(values: object) -> list[str]:
    return [one for one in values if isinstance(one, str)] if isinstance(values, list) else []
