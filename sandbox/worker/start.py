"""Start a program as `python …` would, with folders at the end of the import path and, if asked, under the guard.

    python start.py CONFIG SCRIPT [ARGS]
    python start.py CONFIG -m MODULE [ARGS]
    python start.py CONFIG -c CODE [ARGS]

CONFIG is JSON: {"first": [folders], "last": [folders], "guard": policy or absent}; see guard.py for the policy.
This file's own folder is never on the program's import path, nor is this file seen as its `__main__`.
"""

import os
import sys


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
    own = arrange_path(config.get("first", []), config.get("last", []))
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
