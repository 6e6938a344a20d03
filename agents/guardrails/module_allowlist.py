"""Tables of the modules a model-written test may import, and of what it may use of each.

A module that is not listed may not be imported, unless the target or the project's own tests import it; then only its
exceptions and constants may be used (of third-party packages everything but the modules that they import).
"""

from __future__ import annotations

import sys
from collections.abc import Set as AbstractSet

NETWORK = "the network"
PROGRAMS = "other programs"
FILES = "files outside tmp_path"
ENVIRONMENT = "the environment"
UNREADABLE = "code that cannot be read here"
RUNNER = "the test runner"
ELSEWHERE = "what neither the target nor a test needs"
_UNASKED = "what neither the target nor the project's tests import, and nobody has allowed (--allow-import),"

# Everything public of these may be used.
_WHOLE = frozenset(
    """__future__ abc array ast base64 binascii bisect calendar cmath collections collections.abc colorsys contextlib
    contextvars copy csv dataclasses datetime decimal difflib email.message email.mime.multipart email.mime.text
    email.utils email.policy email.headerregistry enum errno fnmatch fractions functools graphlib hashlib heapq hmac
    html html.parser http.cookies ipaddress itertools json json.decoder keyword math ntpath numbers operator pathlib
    pprint posixpath os.path queue random re reprlib secrets statistics stat string struct textwrap time tokenize token
    typing typing_extensions unicodedata unittest.mock urllib.error urllib.parse uuid warnings weakref
    xml.etree.ElementTree xml.dom.minidom zlib zoneinfo concurrent.futures threading logging io tempfile zipfile tarfile
    gzip bz2 lzma sqlite3 argparse optparse configparser tomllib shlex cmd glob difflib locale gettext
    importlib.metadata""".split()
)
# Of the whole ones, those that open files by names or read text as code: only where the target or the project's tests
# import them too.
_WITH_A_REASON = frozenset(
    """ast argparse bz2 cmd configparser glob gettext gzip importlib.metadata locale lzma optparse shlex sqlite3 tarfile
    tokenize xml.dom.minidom xml.etree.ElementTree zipfile""".split()
)
# Of these only what is named may be used; exceptions and constants always.
_PARTLY: dict[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
        "asyncio": "run sleep gather wait wait_for create_task ensure_future Task Future Event Lock Semaphore "
        "Condition BoundedSemaphore Barrier Queue PriorityQueue LifoQueue QueueEmpty QueueFull TaskGroup Runner "
        "timeout timeout_at shield as_completed iscoroutine iscoroutinefunction current_task all_tasks "
        "get_running_loop new_event_loop get_event_loop set_event_loop to_thread isfuture",
        "atexit": "",
        "builtins": "",
        "codecs": "BOM lookup CodecInfo",
        "ctypes": "",
        "email": "message_from_string message_from_bytes",
        "gc": "collect",
        "http": "HTTPStatus HTTPMethod",
        "http.client": "HTTPMessage responses",
        "importlib": "reload",
        "inspect": "signature Signature Parameter BoundArguments isclass isfunction ismethod iscoroutine isbuiltin "
        "iscoroutinefunction isasyncgen isasyncgenfunction isgenerator isgeneratorfunction isabstract isawaitable "
        "getdoc cleandoc isroutine isdatadescriptor ismodule",
        "multiprocessing": "",
        "os": "path sep altsep extsep linesep curdir pardir pathsep devnull name fspath fsencode fsdecode PathLike "
        "DirEntry stat_result error strerror getpid cpu_count urandom listdir scandir stat lstat walk mkdir makedirs "
        "remove unlink rmdir removedirs rename renames replace chmod utime symlink link readlink truncate access "
        "open chdir get_terminal_size terminal_size",
        "pickle": "dumps loads",
        "platform": "system python_version python_version_tuple python_implementation machine",
        "pytest": "raises fixture mark param approx warns deprecated_call fail skip xfail MonkeyPatch "
        "LogCaptureFixture CaptureFixture TempPathFactory WarningsRecorder ExceptionInfo RaisesGroup RaisesExc "
        "FixtureRequest Mark MarkDecorator register_assert_rewrite version_tuple",
        "select": "error",
        "shutil": "copy copy2 copyfile copytree move rmtree which get_terminal_size",
        "signal": "Signals",
        "socket": "timeout gaierror herror error AddressFamily SocketKind",
        "ssl": "",
        "subprocess": "CompletedProcess",
        "sys": "maxsize maxunicode byteorder version_info version platform float_info int_info hash_info getsizeof "
        "getrecursionlimit getrefcount intern stdout stderr stdin exc_info argv implementation hexversion "
        "getdefaultencoding getfilesystemencoding",
        "traceback": "format_exc format_exception format_exception_only TracebackException",
        "types": "SimpleNamespace MappingProxyType ModuleType GeneratorType CoroutineType AsyncGeneratorType NoneType "
        "GenericAlias UnionType TracebackType EllipsisType NotImplementedType new_class prepare_class resolve_bases",
        "unittest": "TestCase IsolatedAsyncioTestCase mock main skip skipIf skipUnless expectedFailure SkipTest "
        "FunctionTestCase enterModuleContext addModuleCleanup",
        "urllib": "parse error",
        "urllib.request": "Request",
        "xml": "etree dom",
        "xml.etree": "ElementTree",
        "xml.dom": "minidom Node",
        "concurrent": "futures",
        "urllib3": "exceptions",
        "requests": "exceptions Response Request PreparedRequest codes structures Timeout",
        "httpx": "Response Request MockTransport URL Headers QueryParams codes Timeout",
        "aiohttp": "ClientResponse web_exceptions",
    }.items()
}
# Of the whole ones, what may not be used after all.
_NEVER: dict[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
        "argparse": "FileType",
        "calendar": "main",
        "concurrent.futures": "ProcessPoolExecutor process thread",
        "enum": "bltns",
        "glob": "glob0 glob1",
        "importlib.metadata": "entry_points EntryPoint",
        "functools": "singledispatch singledispatchmethod",
        "io": "FileIO open_code OpenWrapper",
        "logging": "FileHandler basicConfig config handlers",
        "os.path": "expandvars expanduser genericpath",
        "posixpath": "expandvars expanduser genericpath",
        "ntpath": "expandvars expanduser genericpath",
        "reprlib": "builtins",
        "sqlite3": "Connection",
        "string": "Formatter",
        "tarfile": "bltn_open main",
        "tempfile": "tempdir gettempdir gettempdirb mktemp",
        "threading": "Timer settrace setprofile settrace_all_threads setprofile_all_threads",
        "tokenize": "open main",
        "typing": "stdlib_re get_type_hints ForwardRef evaluate_forward_ref",
        "typing_extensions": "get_type_hints ForwardRef evaluate_forward_ref",
        "uuid": "getnode uuid1",
        "warnings": "formatwarning showwarning",
        "xml.etree.ElementTree": "XInclude",
        "zipfile": "main PyZipFile",
        "zoneinfo": "reset_tzpath",
    }.items()
}
# Attributes that are named like a module of the standard library and are none.
_NO_MODULES = frozenset(
    """array.array ast.keyword ast.operator bisect.bisect calendar.calendar copy.copy datetime.datetime datetime.time
    fnmatch.fnmatch glob.glob pprint.pprint random.random shlex.shlex time.time unicodedata.decimal signal.signal
    select.select cmd.cmd locale.locale token.token""".split()
)
_NO_CONSTANTS = frozenset({"CDLL"})
_CLIENTS = frozenset(
    """requests httpx httpx2 aiohttp urllib3 websocket websockets paramiko ftplib smtplib telnetlib poplib imaplib
    nntplib xmlrpc socketserver socket _socket ssl http urllib wsgiref httplib2 pycurl boto3 botocore redis pymongo
    psycopg psycopg2 asyncpg pymysql kafka pika grpc zmq tornado twisted dns fabric select selectors webbrowser
    asyncore asynchat""".split()
)
_STARTERS = frozenset(
    """subprocess multiprocessing os posix nt pty signal ctypes _ctypes cffi runpy sh pexpect plumbum psutil asyncio
    threading concurrent _thread atexit sched resource fcntl mmap""".split()
)
_KEEPERS = frozenset("shutil glob pathlib io tempfile fileinput dbm shelve linecache filecmp mailbox".split())
# What leads from a module of the target to more than the target.
BEHIND = frozenset(
    """os sys subprocess socket shutil importlib builtins ctypes posix nt multiprocessing asyncio threading pickle
    marshal code codeop runpy gc inspect signal pty urllib http ssl ftplib smtplib requests httpx aiohttp urllib3 io
    tempfile webbrowser socketserver pkgutil imp zipimport types""".split()
)
_OS = {
    ENVIRONMENT: "environ environb getenv getenvb putenv unsetenv getlogin getuid geteuid getgid uname",
    FILES: "chown lchown mknod mkfifo pipe read write fdopen getcwd getcwdb listxattr getxattr setxattr sync",
}
_OS_OF = {name: what for what, names in _OS.items() for name in names.split()}


def is_plain_module(name: str) -> bool:
    """Whether every test may import a module, whatever the target does."""
    return name in _WHOLE and name not in _WITH_A_REASON


def import_violation(dotted: str, own: AbstractSet[str], also: AbstractSet[str]) -> str | None:
    """Describes what an import reaches for; None when it is allowed.

    Args:
        dotted: the module.
        own: top-level names of the target's own packages and of helper modules of the test.
        also: top-level names of what the target and the project's own tests import.
    """
    top = dotted.partition(".")[0]
    if dotted in _WITH_A_REASON and top not in own | also:
        return f"{_UNASKED} with {dotted}"
    if top in own or dotted in _WHOLE or dotted in _PARTLY or top in also:
        return None
    if any(item.startswith(f"{dotted}.") for item in _WHOLE):
        return None
    return f"{_kind(dotted)} with {dotted}"


def use_violation(dotted: str, own: AbstractSet[str], also: AbstractSet[str]) -> str | None:
    """Describes what an attribute of a module, or a name imported from it, reaches for; None when it is allowed.

    A module alone is usable here: what may be done with one is another rule's matter.
    """
    parts = dotted.split(".")
    # A relative import comes from the folder of the test.
    if parts[0] in own or not parts[0]:
        return _behind(parts, own, also)
    module = next((m for m in (".".join(parts[:end]) for end in range(len(parts), 0, -1)) if _known(m)), None)
    if module is None:
        if parts[0] in also and parts[0] not in sys.stdlib_module_names:
            if parts[0] in _CLIENTS and len(parts) > 1 and not _failure(parts[-1]):
                return f"{NETWORK} with {dotted}"
            return _behind(parts, own, also)
        return (
            None if parts[0] in also and (len(parts) == 1 or _failure(parts[1])) else f"{_kind(dotted)} with {dotted}"
        )
    rest = parts[module.count(".") + 1 :]
    if (
        not rest
        or (_plain(rest[0]) and rest[0] not in _NO_CONSTANTS)
        or (rest[0].startswith("__") and rest[0].endswith("__"))
    ):
        return None
    if _used(module, rest[0]):
        return None
    return f"{_kind(module, rest[0])} with {dotted}"


def is_module(dotted: str) -> bool:
    """Whether a dotted name is a module of the tables or of the standard library."""
    return _known(dotted) or dotted in sys.stdlib_module_names


def _known(module: str) -> bool:
    return module in _WHOLE or module in _PARTLY


def _used(module: str, name: str) -> bool:
    if module in _PARTLY:
        return name in _PARTLY[module] or _known(f"{module}.{name}")
    if name.startswith("_") or name in _NEVER.get(module, ()):
        return False
    return name not in sys.stdlib_module_names or f"{module}.{name}" in _NO_MODULES


def _behind(parts: list[str], own: AbstractSet[str], also: AbstractSet[str]) -> str | None:
    """Checks modules reached through another module: `cart.os.system` is `os.system`."""
    for at in range(1, len(parts) - 1):
        if parts[at] in BEHIND and parts[at] not in own:
            found = use_violation(".".join(parts[at:]), frozenset(), also)
            return found.partition(" with ")[0] + f" with {'.'.join(parts)}" if found else None
    return None


def _plain(name: str) -> bool:
    """Whether a name is an exception or a constant, which are always allowed."""
    return _failure(name) or (name.isupper() and name[0] != "_")


def _failure(name: str) -> bool:
    return name.endswith(("Error", "Exception", "Warning", "Expired"))


def _kind(module: str, name: str = "") -> str:
    top = module.partition(".")[0]
    if top in ("os", "posix", "nt"):
        return _OS_OF.get(name or module.rpartition(".")[2], PROGRAMS)
    if top == "sys":
        return ENVIRONMENT if name in ("path", "flags") else UNREADABLE
    if name in ("open_connection", "start_server", "open_unix_connection", "start_unix_server") or top in _CLIENTS:
        return NETWORK
    if module == "importlib.metadata" or top == "platform":
        return ENVIRONMENT
    if top in _STARTERS:
        return PROGRAMS
    if top in _KEEPERS or (top == "logging"):
        return FILES
    if top in ("pytest", "_pytest", "unittest", "pluggy"):
        return RUNNER
    if top in sys.stdlib_module_names:
        return UNREADABLE
    return ELSEWHERE
