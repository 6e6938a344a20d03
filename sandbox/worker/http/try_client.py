"""Tries whether the test client of an application's framework answers as the started application did.

`http.try_client` reads JSON: {"application", "import_roots", "root", "environment", "when", "folder", "users",
"names", "cases": [{"requests", "status", "body"}], "allowed": number of cases that may be answered otherwise,
"result"}. `when` says when the variables in `environment` are set: "late" is after the import, as a fixture would,
"early" before it, "anew" before an import from an own folder, for applications with a database there. `result` gets
{"kind", "works": number of cases, "state": [[places of one object]], "own_folder", "unset": variables that it reads
and was not given}, or "database" and "packages" in place of the last three, or {"reason"}: why the test client is of no
use. Where a folder in which users have signed in can be copied it gets "signed_in_once"; of Django it gets "settings"
as well, the module of them, "transactions": whether a test is undone by the database, "plugin": whether
pytest-django is installed, and "superuser": whether its variables name one, whom the fixtures have to make.

Each case is sent on a state of its own: copies of the objects that requests change, see `object_state`. Cases come in
another order than they were observed in.
"""

import contextlib
import copy
import importlib.util
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import traceback
from typing import Any

from ..suites.user_environment import OF_THE_SYSTEM, python_files, variables_read
from . import api_serving, password_costs
from .framework_clients import CLIENTS, WITHOUT_USERS, Unfit, kind_of
from .object_state import grouped, is_copied, owner_of, state_of
from .spec_requests import send, signing_in
from .sqlite_files import copy_database, databases

_MANY = 40
"""The number of cases from which on a few are tried before all."""


class Watch(api_serving.Confinement):
    """Notes the files that the application changes in its folder and outside it; refuses nothing."""

    def __init__(self, folder, project):
        super().__init__(folder, [tempfile.gettempdir()])
        self._sources = os.path.realpath(project) + os.sep
        self._own = os.path.realpath(folder) + os.sep
        self.inside, self.outside = set(), set()

    def install(self):
        sys.addaudithook(self._refuse)

    def _is_writable(self, path):
        full = os.path.realpath(path)
        if full.startswith(("/dev/", "/proc/")) or "__pycache__" in full:
            return True
        if full.startswith(self._own):
            # The folder of a case itself is ours.
            self.inside.update([full] if os.sep in full[len(self._own) :] else [])
        elif full.startswith(self._sources) or not super()._is_writable(path):
            self.outside.add(full)
        return True


class Client:
    """The test client in the form of `api_process.Application`."""

    def __init__(self, client, users=None):
        self._client, self._users = client, users or {}

    def as_user(self, name):
        # A client of its own: what signed somebody in stays with them.
        return Client(self._client.another(), {"": self._users[name]})

    def forget_cookies(self):
        self._client.forget_cookies()

    def request(self, method, path, *, query=None, headers=None, json=None, form=None, content=None, media_type=None):
        sent = {**self._users.get("", {}), **(headers or {})}
        path = path.replace("?", "%3F").replace("#", "%23")
        return self._client.ask(method, path, query or {}, sent, json, form, content, media_type)


def own_modules(root):
    """The modules that lie in the project, by name."""
    inside = os.path.realpath(root) + os.sep
    found = {}
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None) or ""
        if os.path.realpath(path).startswith(inside) and "site-packages" not in path:
            found[name] = module
    return found


class Trial:
    """The cases of one application, sent to its test client.

    Attributes:
        state: the places of each object that requests change.
        databases: files of SQLite in the working folder.
        once: whether users who sign in to one application that a function makes are known to others, each in a copy
            of its folder.
    """

    def __init__(self, config):
        self._config = config
        self._factory = config["application"].endswith("()")
        self._follow = not any(300 <= case["status"] < 400 for case in config["cases"])
        self._made = None if self._factory else self._made_now()
        self.kind = kind_of(self._made if self._made is not None else self._made_now())
        if (self.kind in WITHOUT_USERS and config["users"]) or (self.kind == "httpx" and self._factory):
            raise Unfit("its client cannot ask as several users")
        self.state, self.databases = [], []
        self.once = self._factory and bool(config["users"])
        self.transactions = self.kind == "django" and _prepare_django(self._made)

    def _made_now(self):
        return api_serving.load(self._config["application"])

    def _client(self):
        application = self._made if self._made is not None else self._made_now()
        return CLIENTS[self.kind](application, self._follow)

    @contextlib.contextmanager
    def _signed_in(self):
        """A started client, and what users send for having signed in."""
        sign_in = signing_in(self._config["users"])
        with self._client() as client:
            yield client, sign_in(Client(client)) if self._config["users"] else {}

    def find_state(self, cases):
        """Find what requests change, by sending cases on one state, in a fork that is thrown away."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException), os.fdopen(writing, "w") as stream:
                # The files that it leaves are met by none after it.
                os.chdir(tempfile.mkdtemp(dir=self._config["folder"]))
                json.dump(self._changed(cases), stream)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as stream:
            found = stream.read()
        os.waitpid(child, 0)
        if not found:
            raise Unfit("its state cannot be looked into")
        self.state = grouped([place for place in json.loads(found) if is_copied(place)])

    def _changed(self, cases):
        modules = own_modules(self._config["root"])
        before = state_of(modules, self._made)
        with self._signed_in() as (client, users):
            for case in cases:
                self._send(client, users, case)
        after = state_of(modules, self._made)
        return [place for place in sorted(before) if after.get(place) != before[place]]

    def count_on_database(self):
        """How many cases are answered as they were observed, each on the database as it was after the start."""
        os.chdir(self._config["folder"])
        with self._signed_in() as (client, users):
            self.databases = databases()
            if len(self.databases) != 1:
                raise Unfit(f"it keeps its state in {len(self.databases)} databases of SQLite in its working folder")
            with contextlib.closing(sqlite3.connect(":memory:")) as snapshot:
                copy_database(self.databases[0], snapshot)
                return self._counted(lambda case: self._restored(snapshot, client, users, case), self._shuffled())

    def _restored(self, snapshot, client, users, case):
        copy_database(snapshot, self.databases[0])
        return self._send(client.another(), users, case)

    def _shuffled(self):
        cases = list(self._config["cases"])
        random.Random(1).shuffle(cases)
        return cases

    def count(self):
        """How many cases are answered as they were observed, each on a state of its own.

        Where there are many, a few go before, so that an application that answers otherwise is not sent them all.
        """
        few = self._shuffled()[: 2 * (self._config["allowed"] + 1)]
        works = 0
        for cases in (few, self._config["cases"]) if len(self._config["cases"]) >= _MANY else (self._config["cases"],):
            os.chdir(self._config["folder"])
            self.find_state(cases)
            modules = {
                place.partition(":")[0] for group in [[self._config["application"]], *self.state] for place in group
            }
            if not all(map(_same_by_name, modules)):
                raise Unfit("a package has another attribute by the name of its module")
            works = self._count_on_copies(few if cases is few else self._shuffled())
            if len(cases) - works > self._config["allowed"]:
                break
        return works

    def _count_on_copies(self, cases):
        # Signing in takes longer than all else: what it leaves is copied where nothing is answered otherwise.
        self.once = self.once and self._works_on_folders(cases)
        if self.once:
            return len(cases)
        if self._factory:
            return self._counted(self._alone, cases)
        # Who has signed up for a few cases does so again for all of them.
        with self._undone(), self._own_state(), self._signed_in() as (_, users):
            return self._counted(lambda case: self._alone(case, users), cases)

    @contextlib.contextmanager
    def _undone(self):
        """What is stored in a database of Django is gone after it, as in the tests of Django."""
        if not self.transactions:
            yield
            return
        from django.db import transaction

        # Called without a function it is no decorator, which Django does not declare.
        atomic: Any = transaction.atomic
        with atomic():
            yield
            transaction.set_rollback(True)

    def _works_on_folders(self, cases):
        """Whether all cases are answered as they were observed, each with copies of what one signing in has left."""
        folder = tempfile.mkdtemp(dir=self._config["folder"])
        os.chdir(folder)
        try:
            with self._own_state(), self._signed_in() as (_, users):
                return all(self._alone(case, users, folder) for case in cases)
        except Unfit:
            raise
        except Exception:
            # It cannot be made where it was made before, or what it leaves cannot be copied.
            return False

    def _counted(self, answers_alike, cases):
        """How many cases it says yes to; none is sent any more when it has said no too often."""
        works, left = 0, self._config["allowed"]
        for case in cases:
            alike = answers_alike(case)
            works, left = works + alike, left - (not alike)
            if left < 0:
                break
        return works

    def _alone(self, case, users=None, files=""):
        """Whether a case is answered as it was observed, in a folder of its own, with copies of these files."""
        os.chdir(tempfile.mkdtemp(dir=self._config["folder"]))
        if files:
            shutil.copytree(files, os.getcwd(), symlinks=True, dirs_exist_ok=True)
        with self._own_state(), self._undone():
            if users is None:
                with self._signed_in() as (client, users):
                    return self._send(client, users, case)
            with self._client() as client:
                return self._send(client, users, case)

    def _send(self, client, users, case):
        """Whether the answers are those that were observed."""
        asked, names = Client(client, users), dict(self._config["names"])
        try:
            answers = [send(asked, request, names) for request in case["requests"]]
            if answers[-1]["status"] != case["status"]:
                return False
            return "body" not in case or json.loads(answers[-1]["text"]) == case["body"]
        except Unfit:
            raise
        except Exception:
            return False

    @contextlib.contextmanager
    def _own_state(self):
        """Copies in place of the objects that requests change; other names of one object get the same copy."""
        owners = [owner_of(place) for group in self.state for place in group]
        held = [(owner, name, getattr(owner, name)) for owner, name in owners]
        try:
            for group in self.state:
                copied = copy.deepcopy(getattr(*owner_of(group[0])))
                for place in group:
                    setattr(*owner_of(place), copied)
            yield
        finally:
            for owner, name, value in held:
                setattr(owner, name, value)


def _prepare_django(application):
    """Give Django a database in memory; whether there is one, which can undo what a test does."""
    import django
    from django.db import connections

    if django.VERSION < (5, 2):
        raise Unfit("its Django is older than 5.2")
    if not _settings_module():
        raise Unfit("its settings are in no module")
    kinds = {one.alias: one.vendor for one in connections.all()}
    if not set(kinds) <= {"default"} or not set(kinds.values()) <= {"sqlite", "unknown"}:
        raise Unfit("it has another database than one of SQLite")
    api_serving.with_own_database(application, place=lambda _: None)
    return "sqlite" in kinds.values()


def _settings_module():
    from django.conf import settings

    return getattr(settings, "SETTINGS_MODULE", None)


def _same_by_name(module):
    """Whether `from package import module` gives the module, and nothing else of that name."""
    package, _, name = module.rpartition(".")
    return not package or getattr(sys.modules[package], name, None) is sys.modules[module]


def tried(config):
    """The facts for the result."""
    password_costs.install()
    sys.path[:0] = [root for root in config["import_roots"] if root not in sys.path]
    watch = Watch(config["folder"], config["root"])
    watch.install()
    anew = config["when"] == "anew"
    if anew:
        _remove(_not_given(os.environ, config))
    elif config["when"] == "early":
        # Which modules the application has is known only after its import.
        _remove(_not_given(variables_read(python_files(config["root"])), config))
    if config["when"] != "late":
        os.environ.update(config["environment"])
    # A test module is imported from the project's folder; what a fixture imports anew, from a folder of its own.
    os.chdir(config["folder"] if anew else config["root"])
    api_serving.load(config["application"].removesuffix("()"))
    _refuse_outside(watch, config["root"])
    os.chdir(config["folder"])
    _remove(_not_given(_own_variables(config), config))
    os.environ.update(config["environment"])
    trial = Trial(config)
    if anew and trial.kind == "django":
        raise Unfit("Django is not set up twice in one process")
    try:
        works = trial.count_on_database() if anew else trial.count()
    finally:
        # Files that it keeps elsewhere are the cause of whatever failed: a user who has signed up before, for example.
        _refuse_outside(watch, config["root"])
    return {"kind": trial.kind, "works": works, **(_anew(trial, config) if anew else _in_place(trial, watch, config))}


def _refuse_outside(watch, root):
    if watch.outside:
        project = os.path.realpath(root)
        places = [
            os.path.relpath(path, project) if path.startswith(project + os.sep) else path for path in watch.outside
        ]
        raise Unfit(f"it changes files outside its working folder: {', '.join(sorted(places)[:3])}")


def _in_place(trial, watch, config):
    unset = _not_given(_own_variables(config), config)
    found = {"state": trial.state, "own_folder": bool(watch.inside), "unset": unset}
    if trial.once and watch.inside:
        found["signed_in_once"] = True
    if trial.kind == "django":
        found |= {"settings": _settings_module(), "transactions": trial.transactions}
        found["plugin"] = importlib.util.find_spec("pytest_django") is not None
        found["superuser"] = trial.transactions and "DJANGO_SUPERUSER_PASSWORD" in config["environment"]
    return found


def _own_variables(config):
    """The environment variables that the project's imported modules read."""
    return variables_read(module.__file__ for module in own_modules(config["root"]).values())


def _not_given(names, config):
    """Those variables that were not given and that a process can run without, sorted."""
    needed = {*config["environment"], "DJANGO_SETTINGS_MODULE"}
    return sorted(name for name in names if name not in needed and not OF_THE_SYSTEM.fullmatch(name))


def _remove(names):
    for name in names:
        os.environ.pop(name, None)


def _anew(trial, config):
    """What a fixture needs that imports the application once more."""
    packages = {name.partition(".")[0] for name in own_modules(config["root"])}
    # It knows the tables that the project's modules have declared.
    packages |= {"sqlmodel"} & set(sys.modules)
    return {"database": trial.databases[0], "packages": sorted(packages)}


def main():
    """Try, and write the result."""
    config = json.load(sys.stdin)
    os.dup2(2, 1)
    try:
        facts = tried(config)
    except BaseException as error:
        known = isinstance(error, Unfit)
        facts = {"reason": str(error) if known else f"{type(error).__name__}: {error}"}
        if not known:
            traceback.print_exc()
    with open(config["result"], "w", encoding="utf-8") as stream:
        json.dump(facts, stream)
    os._exit(0)
