"""Changes a test run's environment before the project is imported: zone, folder, locale, user, clock.

Everything is done in a process that is already running, so that runs under several conditions share one start.
"""

import locale
import os
import struct
import time

from .clock import move_clock
from .own_acts import enter_ci
from .user_environment import enter_as_another_user

# Names under which systems keep a UTF-8 locale with a decimal comma, and one where only the language is not ours.
COMMA = ("de_DE", "fr_FR", "es_ES", "it_IT", "pt_BR", "nl_NL", "pl_PL", "sv_SE", "da_DK", "fi_FI", "cs_CZ", "tr_TR")
FOREIGN = ("en_GB", "en_US")
MADE = "zz_ZZ"
SYSTEM_LOCALES = "/usr/lib/locale"


def enter(request, folder):
    """Bring about the surroundings that a request asks for: what they are, as plain facts, and the moved clock or None.

    Args:
        folder: the run's own, for what has to be written.
    """
    facts: dict = {}
    os.environ["TZ"] = request["time_zone"]
    time.tzset()
    if request.get("elsewhere"):
        place = os.path.join(folder, "elsewhere")
        os.makedirs(place, exist_ok=True)
        os.chdir(place)
        os.environ["PWD"] = place
    if request.get("decimal_comma"):
        facts["locale"] = use_comma(folder)
    if request.get("plain_ascii"):
        facts["encoding"] = use_ascii()
    enter_as_another_user(request, folder)
    if request.get("acts"):
        enter_ci(request)
    clock = None
    if request["clock"] or request.get("clock_runs"):
        runs_in = request["project"] if request.get("clock_runs") else None
        clock, facts["clock_moved"] = move_clock(request["clock"], runs_in)
    return facts, clock


def use_comma(folder):
    """Let the environment name a locale with a decimal comma; the one that is in force, or "" where there is none.

    Programs follow it when they ask for the user's locale (`setlocale(LC_ALL, "")`, gettext), as they would for a user.
    """
    before = dict(os.environ)
    os.environ.pop("LC_ALL", None)
    found = next((name for name in candidates() if available(name)), None)
    if found is not None:
        os.environ["LANG"] = found
        os.environ["LANGUAGE"] = found[:2]
    else:
        # With LOCPATH the archive of locales is not read: it is set only where no other locale was found in it.
        os.environ["LOCPATH"] = make_locale(folder) + os.pathsep + SYSTEM_LOCALES
        os.environ["LANG"] = "C.UTF-8"
        os.environ["LC_NUMERIC"] = MADE
        os.environ["LANGUAGE"] = "de"  # catalogues of gettext are looked for all the same
        found = MADE
    if settles(locale.LC_ALL, "") is not None:
        return found
    os.environ.clear()
    os.environ.update(before)
    return ""


def candidates():
    """Names of locales in the order of preference."""
    for name in COMMA + FOREIGN:
        yield name + ".UTF-8"
        yield name + ".utf8"


def available(name):
    """Whether there is such a locale, and it has a decimal comma or at least is a foreign one."""
    point = settles(locale.LC_ALL, name)
    return point == "," or (point is not None and name.startswith(FOREIGN))


def settles(category, name):
    """The decimal point under a locale, "" being the environment's; None where it cannot be set. Nothing stays set."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(category, name)
        return locale.localeconv()["decimal_point"]
    except locale.Error:
        return None
    finally:
        locale.setlocale(locale.LC_ALL, before)


def make_locale(folder):
    """Write a locale that knows nothing but how numbers are written, in the form of the GNU C library; its folder.

    The form is the same since 2003: a magic number, the offsets of six values, the values.
    """
    place = os.path.join(folder, "locales")
    os.makedirs(os.path.join(place, MADE), exist_ok=True)
    values = [b",\0", b".\0", b"\3\3\0", b"\0" + struct.pack("=I", ord(",")), struct.pack("=I", ord(".")), b"UTF-8\0"]
    start = 8 + 4 * len(values)
    offsets = []
    body = b""
    for value in values:
        padding = 1 if value[:1] == b"\0" else 0  # brings the numbers to a multiple of four
        offsets.append(start + len(body) + padding)
        body += value
    head = struct.pack("=II", 0x20031115 ^ 1, len(values)) + struct.pack("=6I", *offsets)
    with open(os.path.join(place, MADE, "LC_NUMERIC"), "wb") as stream:
        stream.write(head + body)
    return place


def use_ascii():
    """Let text be ASCII wherever no encoding is named; the encoding that is in force.

    Names of files stay UTF-8, as the interpreter decided at its start.
    """
    everything = os.environ.pop("LC_ALL", None)
    if everything is not None:
        os.environ["LANG"] = everything
    os.environ["LC_CTYPE"] = "C"
    os.environ["PYTHONCOERCECLOCALE"] = "0"
    os.environ["PYTHONUTF8"] = "0"
    locale.setlocale(locale.LC_CTYPE, "C")
    return locale.getpreferredencoding(False)
