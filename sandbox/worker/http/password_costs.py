"""Lets password libraries hash at their lowest cost, as the documentation of Django advises for tests.

What makes a stored password safe makes a request slow: each sign-up, login and wrong password costs a tenth of a second
or more of the processor. A hash says by itself at which cost it was made, so one that was made elsewhere, such as that
of a project's fixture, is checked as ever, and so is one of these by whoever reads it later. Functions whose cost is
told by no hash (`hashlib.scrypt`, `hashlib.pbkdf2_hmac`) stay as they are.
"""

import contextlib
import functools
import importlib.abc
import inspect
import sys

BCRYPT_ROUNDS = 4
ARGON2 = {"time_cost": 1, "memory_cost": 8, "parallelism": 1}
SCRYPT_FACTOR = 1024


def install():
    """Lower the costs in this process and its forks, in each library when it is imported; it cannot be undone."""
    for name, lower in LIBRARIES.items():
        if name in sys.modules:
            with contextlib.suppress(AttributeError):  # another library of that name
                lower(sys.modules[name])
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    """Finds a library as the finders behind it do, and changes it once it is imported."""

    def find_spec(self, fullname, path=None, target=None):
        lower = LIBRARIES.get(fullname)
        others = sys.meta_path[sys.meta_path.index(self) + 1 :] if lower else ()
        for finder in others:
            spec = finder.find_spec(fullname, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader.exec_module = _then(spec.loader.exec_module, fullname, lower)
                return spec
        return None


def _then(execute, name, lower):
    @functools.wraps(execute)
    def exec_module(module):
        execute(module)
        # Several modules may share a loader, as those of a zip file do; a module of that name may be another library.
        if module.__name__ == name:
            with contextlib.suppress(AttributeError):
                lower(module)

    return exec_module


def _with(function, **values):
    """The function with other values of some of its parameters, whatever it is called with."""
    known = inspect.signature(function)

    @functools.wraps(function)
    def changed(*arguments, **options):
        bound = known.bind(*arguments, **options)
        bound.arguments.update(values)
        return function(*bound.args, **bound.kwargs)

    return changed


def _argon2(module):
    module.PasswordHasher.__init__ = _with(module.PasswordHasher.__init__, **ARGON2)


def _bcrypt(module):
    module.gensalt = _with(module.gensalt, rounds=BCRYPT_ROUNDS)


def _pwdlib_bcrypt(module):
    # It asks for another hash where the rounds are not its own.
    module.BcryptHasher.__init__ = _with(module.BcryptHasher.__init__, rounds=BCRYPT_ROUNDS)


def _werkzeug(module):
    generate = module.generate_password_hash
    default = inspect.signature(generate).parameters["method"].default

    @functools.wraps(generate)
    def generate_password_hash(password, method=default, *arguments, **options):
        kind, _, rest = method.partition(":")
        if kind == "scrypt":
            method = f"scrypt:{SCRYPT_FACTOR}:8:1"
        elif kind == "pbkdf2":
            method = f"pbkdf2:{rest.partition(':')[0] or 'sha256'}:1"
        return generate(password, method, *arguments, **options)

    module.generate_password_hash = generate_password_hash


def _django(module):
    module.PBKDF2PasswordHasher.iterations = 1
    module.BCryptSHA256PasswordHasher.rounds = BCRYPT_ROUNDS
    for name, value in ARGON2.items():
        setattr(module.Argon2PasswordHasher, name, value)
    if hasattr(module, "ScryptPasswordHasher"):
        module.ScryptPasswordHasher.work_factor = SCRYPT_FACTOR


def _passlib(module):
    for handler in list(vars(module).values()):
        if isinstance(handler, type) and getattr(handler, "default_rounds", None) and getattr(handler, "name", None):
            handler.default_rounds = getattr(handler, "min_rounds", None) or handler.default_rounds  # pyrefly: ignore[missing-attribute]


LIBRARIES = {
    "argon2._password_hasher": _argon2,
    "bcrypt": _bcrypt,
    "django.contrib.auth.hashers": _django,
    "passlib.handlers.bcrypt": _passlib,
    "passlib.handlers.pbkdf2": _passlib,
    "passlib.handlers.sha2_crypt": _passlib,
    "pwdlib.hashers.bcrypt": _pwdlib_bcrypt,
    "werkzeug.security": _werkzeug,
}
