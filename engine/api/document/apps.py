"""Finds a project's web applications by syntax tree, without importing anything."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ....utils.python_names import assigned_values, imported_module
from ....utils.python_source import parse_or_none
from ....utils.untrusted_files import source_or_empty
from ...python.project.layout import Layout, ModulePlace
from .auth import is_secret
from .settings_variables import settings_variables

IDENTITIES = ("", "_EMAIL", "_USERNAME", "_USER", "_NAME", "_LOGIN")
"""What the name of a variable with a user's name or address has where that of the password has _PASSWORD."""

_MAKERS = {
    **{"FastAPI": "fastapi", "Starlette": "starlette", "Flask": "flask", "Quart": "quart", "Sanic": "sanic"},
    **dict.fromkeys(("APIFlask", "OpenAPI", "FlaskOpenAPI"), "flask"),
    **dict.fromkeys(("get_wsgi_application", "get_asgi_application"), "django"),
    "Litestar": "starlette",
}
_MODULES = ("fastapi", "starlette", "flask", "quart", "django", "apiflask", "litestar", "flask_openapi3")
_FACTORIES = ("create_app", "make_app", "get_app", "create_application", "build_app", "init_app")
_CALLED = re.compile(r"^(?:app|application|api)\b[^=\n]*=[^=\n]*\(", re.MULTILINE)
"""What is made by a factory of another name, which is imported from a module of the project."""
_FAVOURED = ("app", "application", "api", "create_app", "make_app", "get_app")


@dataclass(frozen=True, slots=True)
class WebApplication:
    """An application found in the source.

    Attributes:
        attribute: the object, or with `()` the factory function.
        framework: fastapi, starlette, flask, quart or django.
        line: line of the assignment or of the factory.
        uses: occurrences of `app.` in its module; 0 means that no route is added there.
    """

    place: ModulePlace
    attribute: str
    framework: str
    line: int
    uses: int = 1

    @property
    def label(self) -> str:
        """`shop.api:app`."""
        return f"{self.place.module}:{self.attribute}"


@dataclass(slots=True)
class _Reading:
    layout: Layout
    found: list[WebApplication] = field(default_factory=list)
    mounted: set[str] = field(default_factory=set)


def find_applications(layout: Layout) -> list[WebApplication]:
    """Find the applications of a project, the most likely first. Blocks."""
    reading = _Reading(layout)
    for place in layout.modules:
        text = source_or_empty(layout.root, place.path)
        if any(name in text for name in (*_MODULES, *_FACTORIES)) or _CALLED.search(text):
            _read(place, text, reading)
    found = [application for application in reading.found if application.attribute not in reading.mounted]
    used = [application for application in found if application.uses]
    return sorted(_one_a_site(used or found or reading.found), key=_rank)


def _one_a_site(found: list[WebApplication]) -> list[WebApplication]:
    """Leave out a site of Django's `asgi.py` where its `wsgi.py` is beside it: both serve the same pages."""
    django = {application.place.path for application in found if application.framework == "django"}
    twice = {path for path in django if path.endswith("asgi.py") and f"{path.removesuffix('asgi.py')}wsgi.py" in django}
    return [application for application in found if application.place.path not in twice]


def find_application_in(layout: Layout, place: ModulePlace) -> WebApplication | None:
    """Find the most likely application that a module creates. Blocks."""
    reading = _Reading(layout)
    _read(place, source_or_empty(layout.root, place.path), reading)
    return min(reading.found, key=_rank, default=None)


def _rank(application: WebApplication) -> tuple[bool, bool, int, int, str, int]:
    name = application.attribute.removesuffix("()")
    favour = _FAVOURED.index(name) if name in _FAVOURED else len(_FAVOURED)
    private, depth = name.startswith("_"), application.place.module.count(".")
    return application.attribute.endswith("()"), private, favour, depth, application.place.path, application.line


def _read(place: ModulePlace, text: str, reading: _Reading) -> None:
    tree = parse_or_none(text)
    if tree is None:
        return
    makers = dict(_imported(tree))
    factories = dict(_factories_of(place, tree, makers, reading.layout))
    for node in tree.body:
        for name, value in assigned_values(node):
            framework, made = _maker(value, makers), factories.get(_called(value))
            if framework is not None:
                uses = len(re.findall(rf"\b{name}\.", text))
                reading.found.append(WebApplication(place, name, framework, node.lineno, uses=uses))
            elif made is not None:
                # A factory that takes nothing is an application itself, of which each test can have one of its own.
                reading.found.append(WebApplication(place, name, made[0], node.lineno, uses=int(made[1])))
        if isinstance(node, ast.FunctionDef):
            # A factory with required arguments cannot be called by the tests.
            framework = None if _needs_arguments(node) else _factory(node, makers)
            if framework is not None:
                reading.found.append(WebApplication(place, f"{node.name}()", framework, node.lineno))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "mount":
            reading.mounted.update(arg.id for arg in node.args[1:2] if isinstance(arg, ast.Name))


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names in this file that create applications, with their framework."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _MODULES:
            for alias in node.names:
                if alias.name in _MAKERS:
                    yield alias.asname or alias.name, _MAKERS[alias.name]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in _MODULES:
                    for maker, framework in _MAKERS.items():
                        yield f"{alias.asname or alias.name}.{maker}", framework


def _called(value: ast.expr) -> str:
    """Return the text of what is called; "" where the expression is no call."""
    return ast.unparse(value.func) if isinstance(value, ast.Call) else ""


def _maker(value: ast.expr, makers: dict[str, str]) -> str | None:
    return makers.get(_called(value))


def _factories_of(
    place: ModulePlace, tree: ast.Module, makers: dict[str, str], layout: Layout
) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Yield the functions that create the objects of a module, its own or imported from the project.

    Each with its framework, and whether it needs arguments: `app = create_app(Config())` is an application, too.
    """
    called = {_called(value) for node in tree.body for _, value in assigned_values(node)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in called:
            framework = _factory(node, makers)
            if framework is not None:
                yield node.name, (framework, _needs_arguments(node))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = alias.asname or alias.name
                made = _imported_factory(place, node, alias.name, layout) if name in called else None
                if made is not None:
                    yield name, made


def _imported_factory(place: ModulePlace, node: ast.ImportFrom, name: str, layout: Layout) -> tuple[str, bool] | None:
    """Return the framework of a factory that a module imports from the project, and whether it needs arguments."""
    package = place.module.split(".") if place.path.endswith("__init__.py") else place.module.split(".")[:-1]
    module = imported_module(node, package)
    other = next((known for known in layout.modules if known.module == module and known != place), None)
    text = source_or_empty(layout.root, other.path) if other is not None else ""
    tree = parse_or_none(text) if any(known in text for known in _MODULES) else None
    if tree is None:
        return None
    made = [known for known in tree.body if isinstance(known, ast.FunctionDef) and known.name == name]
    framework = _factory(made[-1], dict(_imported(tree))) if made else None
    return None if framework is None else (framework, _needs_arguments(made[-1]))


def _needs_arguments(function: ast.FunctionDef) -> bool:
    arguments = function.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return bool(needed) or any(kw_default is None for kw_default in arguments.kw_defaults)


def _factory(function: ast.FunctionDef, makers: dict[str, str]) -> str | None:
    """Return the framework of a function that creates an application."""
    made: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.stmt):
            for name, value in assigned_values(node):
                framework = _maker(value, makers)
                if framework is not None:
                    made[name] = framework
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            if isinstance(node.value, ast.Name) and node.value.id in made:
                return made[node.value.id]
            framework = _maker(node.value, makers)
            if framework is not None:
                return framework
    return None


_OF_ADMINISTRATORS = re.compile(r"ADMIN|SUPER_?USER|(?:FIRST|INITIAL|DEFAULT|ROOT|SEED)_(?:USER|ACCOUNT)")
_OF_SERVICES = re.compile(
    r"DB|DATABASE|SMTP|E?MAIL_|POSTGRES|MYSQL|MARIADB|MONGO|REDIS|RABBIT|AMQP|ELASTIC|PG_?ADMIN|S3_"
)


def find_administrator(root: Path, places: Iterable[ModulePlace]) -> tuple[str, str] | None:
    """Return the variables with which an application makes its administrator: (name or address, password). Blocks.

    Both have to be read by the project, such as ADMIN_EMAIL and ADMIN_PASSWORD; those of other services are left alone.
    """
    # A default, such as the address of who administers, can be set all the same.
    names = _variable_names(root, places, with_defaults=True)
    for password in sorted(names):
        if (
            not password.endswith("_PASSWORD")
            or not _OF_ADMINISTRATORS.search(password)
            or _OF_SERVICES.search(password)
        ):
            continue
        for ending in IDENTITIES:
            if password.removesuffix("_PASSWORD") + ending in names:
                return password.removesuffix("_PASSWORD") + ending, password
    return None


_DJANGO_USERS = re.compile(
    r"\b(?:LoginView|authenticate|login_required|LoginRequiredMixin|permission_required|user_passes_test|is_staff"
    r"|is_superuser|IsAdminUser|IsAuthenticated\w*|obtain_auth_token|TokenObtain\w+)\b|django\.contrib\.auth\.urls"
)
SUPERUSER = {
    "DJANGO_SUPERUSER_USERNAME": "admin",
    "DJANGO_SUPERUSER_EMAIL": "admin@example.com",
    "DJANGO_SUPERUSER_PASSWORD": "",
}
"""What `createsuperuser --noinput` of Django takes, with made-up values; the password is a secret."""


def signs_users_of_django_in(root: Path, places: Iterable[ModulePlace]) -> bool:
    """Whether a project of Django lets users sign in, and asks who they are. Blocks."""
    return any(_DJANGO_USERS.search(source_or_empty(root, place.path)) for place in places)


def find_secret_variables(root: Path, places: Iterable[ModulePlace]) -> list[str]:
    """Return the environment variables with secret-like names that modules read, sorted. Blocks."""
    return sorted(name for name in _variable_names(root, places) if is_secret(name))


def _variable_names(root: Path, places: Iterable[ModulePlace], *, with_defaults: bool = False) -> set[str]:
    """Return what may be names of environment variables in modules that read some.

    Args:
        with_defaults: whether those of settings count that have a default.
    """
    names: set[str] = set()
    modules: list[tuple[ModulePlace, ast.Module]] = []
    texts = [(place, source_or_empty(root, place.path)) for place in places]
    has_settings = any("BaseSettings" in text for _, text in texts)
    for place, text in texts:
        reads = any(word in text for word in ("environ", "getenv", "BaseSettings"))
        if not reads and not (has_settings and "class " in text):
            continue
        tree = parse_or_none(text)
        if tree is None:
            continue
        modules.append((place, tree))
        if not reads:  # its settings inherit from those of another module, if there are any
            continue
        # A name may reach os.environ through a function, so every upper-case constant counts, but for the names of
        # settings: DATABASES = {"default": {"PASSWORD": ...}}.
        keys = {id(key) for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys}
        nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in keys)
        constants = (node.value for node in nodes)
        upper = [text for text in constants if isinstance(text, str) and text.isupper()]
        names |= {text for text in upper if text.replace("_", "").isalnum()}
    return names | {known.variable for known in settings_variables(modules) if known.required or with_defaults}
