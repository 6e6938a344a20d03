"""Imports the worker's modules under a private package name and runs one: `python bootstrap.py MODULE [ARGUMENTS]`.

MODULE is relative to this folder, such as `suites.run_pytest`; its `main()` reads `sys.argv` as that of a script would.
The target may have modules called `observe`, `http` or `mutants` itself: ours are found in the private package only,
and this folder is never on the import path. Plain standard library, Python 3.9 or newer.
"""

import gc
import importlib
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "_testwright_worker"


def load_module(name):
    """Import one of the worker's modules, with whatever it imports relatively."""
    if PACKAGE not in sys.modules:
        package = type(sys)(PACKAGE)
        package.__path__ = [FOLDER]
        sys.modules[PACKAGE] = package
    return importlib.import_module(PACKAGE + "." + name)


def command_for(module, *arguments):
    """The command that runs one of the worker's modules in another process of this interpreter."""
    return [sys.executable, os.path.join(FOLDER, "bootstrap.py"), module, *arguments]


def main():
    """Run the module that the command line names."""
    # The interpreter puts the folder of a script in front of the import path, with symbolic links resolved.
    own = os.path.realpath(FOLDER)
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or os.curdir) != own]
    gc.disable()  # what is imported stays: to look for garbage in it takes a sixth of the time
    module = load_module(sys.argv[1])
    gc.enable()
    sys.argv[:] = [str(module.__file__), *sys.argv[2:]]
    module.main()


if __name__ == "__main__":
    main()
