"""Start a program as `python …` would, with folders at the end of the import path and, if asked, under the guard.

    python start.py CONFIG SCRIPT [ARGS]
    python start.py CONFIG -m MODULE [ARGS]
    python start.py CONFIG -c CODE [ARGS]

CONFIG is JSON: {"first": [folders], "last": [folders], "children": PYTHONPATH of programs that it starts,
"guard": policy or absent}; see guard.py for the policy.
This file's own folder is never on the program's import path, nor is this file seen as its `__main__`.
"""

import os
import sys

# What pytest, unittest, coverage and our own programs use of the standard library, and the test tools themselves. A
# project may have modules of these names; a person's pytest has loaded the real ones before it comes to them.
USED = frozenset(
    """abc argparse array ast asyncio base64 bdb binascii bisect bz2 calendar cmd code codeop codecs collections
    concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis
    doctest email encodings enum faulthandler fcntl fnmatch fractions functools genericpath getpass gettext glob
    hashlib heapq html http importlib inspect io ipaddress json keyword linecache locale logging lzma math
    multiprocessing ntpath numbers opcode operator os pathlib pdb pickle pkgutil platform posixpath pprint pyexpat
    queue quopri random re reprlib resource runpy secrets select selectors shlex shutil signal site socket
    socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat string struct subprocess sysconfig tempfile
    textwrap threading timeit token tokenize tomllib traceback types typing unicodedata unittest urllib uuid warnings
    weakref wsgiref xml zipfile zipimport zlib
    pytest _pytest pluggy iniconfig packaging pygments coverage exceptiongroup tomli typing_extensions""".split()
)


def load_guard():
    """The module guard.py beside this file, without an entry in sys.modules."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guard.py")
    module = type(sys)("_guard")
    module.__file__ = path
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), module.__dict__)
    return module


def arrange_path(first, last):
    """Put folders before and behind what the interpreter found itself, without doubles."""
    own = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
    kept = [entry for entry in sys.path if entry and os.path.realpath(entry) != own]
    kept = [entry for entry in kept if entry not in first and entry not in last]
    sys.path[:] = [*first, *kept, *last]
    return own


def load_before(folders):
    """Import what test tools use, as far as modules in the folders, which come first, would hide it from them."""
    hidden = set()
    for folder in folders:
        try:
            hidden.update(name.partition(".")[0] for name in os.listdir(folder))
        except OSError:
            continue
    standard = getattr(sys, "stdlib_module_names", ())
    for name in sorted(hidden):
        if name in USED or (name[0:1] == "_" and name in standard):
            try:
                __import__(name)
            except ImportError:
                pass  # this Python, or this environment, has none of the name


def fresh_main(path=None):
    """A new, empty `__main__`."""
    module = type(sys)("__main__")
    module.__builtins__ = sys.modules["builtins"]
    if path is not None:
        module.__file__ = path
    sys.modules["__main__"] = module
    return module


def run_script(path, own):
    """Run a file as the interpreter would: its folder comes first on the path, unless it is one of ours."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    if folder != own and not sys.flags.isolated:
        sys.path.insert(0, folder)
    with open(path, "rb") as file:
        source = file.read()
    exec(compile(source, path, "exec"), fresh_main(path).__dict__)


def main():
    """Read the configuration, arrange, run."""
    import json

    config = json.loads(sys.argv[1])
    arguments = sys.argv[2:]
    arrange_path([], config.get("last", []))
    load_before(config.get("first", []))
    own = arrange_path(config.get("first", []), config.get("last", []))
    if config.get("children"):
        os.environ["PYTHONPATH"] = config["children"]
    if config.get("guard") is not None:
        load_guard().install(config["guard"])
    if arguments[0] == "-m":
        import runpy

        fresh_main()
        sys.argv[:] = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.argv[:] = ["-c", *arguments[2:]]
        sys.path.insert(0, "")
        exec(compile(arguments[1], "<string>", "exec"), fresh_main().__dict__)
    else:
        sys.argv[:] = arguments
        run_script(arguments[0], own)


if __name__ == "__main__":
    main()
