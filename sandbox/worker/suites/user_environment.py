"""Makes the environment of a test run that of another user: home, folders, variables, name, terminal.

Plain standard library, Python 3.9.
"""

import os
import re
import sys

NONSENSE = "nonsense-of-another-user"
USER = "somebody-else"
USER_VARIABLES = ("LOGNAME", "USER", "LNAME", "USERNAME")
XDG_VARIABLES = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
# What people have set, besides what the project itself asks for.
COMMON_VARIABLES = ("CI", "DEBUG", "VERBOSE", "EDITOR", "VISUAL", "PAGER", "BROWSER", "SHELL", "ENV", "ENVIRONMENT")
# What other conditions change, and what a process cannot run without.
PLAIN_VARIABLES = (
    "PATH|HOME|TMPDIR|TEMP|TMP|TZ|LANG|LANGUAGE|COLUMNS|LINES|TERM|PWD|LOGNAME|USER|LNAME|USERNAME|LOCPATH|VIRTUAL_ENV"
)
VARIABLE_FAMILIES = "(LC_|LD_|XDG_|PYTHON|PYTEST_|COV|CONDA_).*"
OF_THE_SYSTEM = re.compile(f"{PLAIN_VARIABLES}|{VARIABLE_FAMILIES}")
# Besides them, what tells API tests where the server is and how to sign in.
KEPT = re.compile(f"API_.*|{OF_THE_SYSTEM.pattern}")
READS = re.compile(
    r"""(?:environ(?:b?\.(?:get|pop|setdefault))?|getenv)\s*[\[(]\s*b?["']([A-Za-z_][A-Za-z0-9_]*)["']"""
)
FIELDS = re.compile(r"^[ \t]+([A-Za-z_]\w*)[ \t]*:", re.MULTILINE)
NOT_SCANNED = ("__pycache__", ".git", ".venv", "venv", "node_modules", ".tox")
MOST_FILES = 400
MOST_CHARACTERS = 200_000
UNWRITABLE = "/proc"


def enter_as_another_user(request, folder):
    """Bring about what a request asks for: "home", "xdg", "nonsense", "user", "no_terminal".

    Args:
        folder: the run's own, for what has to be made.
    """
    if request.get("home"):
        os.environ["HOME"] = another_home(request["home"], folder)
    if request.get("xdg"):
        for name in XDG_VARIABLES:
            place = os.path.join(folder, "xdg", name.lower())
            os.makedirs(place, mode=0o700, exist_ok=True)
            os.environ[name] = place
    if request.get("user"):
        os.environ.update(dict.fromkeys(USER_VARIABLES, USER))
    if request.get("nonsense"):
        os.environ.update(dict.fromkeys(asked_variables(request["project"]), NONSENSE))
    if request.get("no_terminal"):
        os.environ.update({"COLUMNS": "37", "LINES": "9", "TERM": "dumb"})
        close_input()


def another_home(kind, folder):
    """An empty home folder: `other`, or one that is `read_only`, also for a superuser."""
    place = os.path.join(folder, "read-only-home" if kind == "read_only" else "home of another user")
    os.makedirs(place, exist_ok=True)
    if kind != "read_only":
        return place
    os.chmod(place, 0o555)
    return UNWRITABLE if os.access(place, os.W_OK) else place


def asked_variables(project):
    """Names of variables that code of the project asks for, and those that many people have set, sorted.

    What is set already was given for this project in its settings: its code needs that value, whoever runs it. Fields
    of settings that are checked (pydantic's `BaseSettings`) take no nonsense: with it nothing of the project starts.
    """
    found, left_out = set(COMMON_VARIABLES), set(os.environ)
    for text in map(text_of, python_files(project)):
        found.update(READS.findall(text))
        left_out.update(checked_variables(text))
    return sorted(name for name in found if name not in left_out and not KEPT.fullmatch(name))


def checked_variables(text):
    """The environment variables that fill fields of checked settings, as far as names tell: `debug: bool` is DEBUG."""
    return {name.upper() for name in FIELDS.findall(text)} if "BaseSettings" in text else set()


def variables_read(paths):
    """The environment variables that files of Python name where they read one."""
    return {name for path in paths for name in READS.findall(text_of(path))}


def text_of(path):
    """The beginning of a file; empty where it does not read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(MOST_CHARACTERS)
    except OSError:
        return ""


def python_files(project):
    """Some Python files of a project, in a fixed order."""
    found = []
    for folder, folders, names in os.walk(project):
        folders[:] = sorted(name for name in folders if name not in NOT_SCANNED)
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")]
        if len(found) > MOST_FILES:
            break
    return found[:MOST_FILES]


def close_input():
    """Close the standard input, as a service manager or `<&-` does."""
    sys.stdin = None
    try:
        os.close(0)
    except OSError:
        pass  # it is closed already
