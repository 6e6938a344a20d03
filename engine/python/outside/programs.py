"""Stands in for other programs: notes each command and answers with an output."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ....utils.python_names import keyword_value, last_name
from ....utils.python_source import literal_or
from .answers import program_outputs, reads_json
from .arrangement import Arrangement
from .bodies import Bodies
from .uses import OutsideUse

_RUN = "subprocess.run"
_CHECKED = "subprocess.check_output"
_CALLS = ("subprocess.call", "subprocess.check_call")
_IMPORT = ("import subprocess",)
_TEXTUAL = ("text", "universal_newlines", "encoding", "errors")
_MISSING = frozenset({"FileNotFoundError", "OSError", "Exception", "IOError", "EnvironmentError"})
_EMPTY = ("''", "b''")
_HELPERS = {
    _RUN: '''\
def finished_program(commands, output={empty}, returncode=0):
    """Return a stand-in for subprocess.run that notes each command."""

    def run(command, **options):
        commands.append(command)
        done = subprocess.CompletedProcess(command, returncode, output, output)
        if options.get("check"):
            done.check_returncode()
        return done

    return run''',
    _CHECKED: '''\
def program_output(commands, output={empty}, returncode=0):
    """Return a stand-in for subprocess.check_output that notes each command."""

    def check_output(command, **options):
        commands.append(command)
        subprocess.CompletedProcess(command, returncode, output).check_returncode()
        return output

    return check_output''',
    "call": '''\
def exit_code(commands, returncode):
    """Return a stand-in for a function that starts a program; it notes each command."""

    def call(command, **options):
        commands.append(command)
        return returncode

    return call''',
    "missing": '''\
def missing_program(command, **options):
    """Fail as subprocess does where the program is not installed."""
    raise FileNotFoundError(2, "No such file or directory")''',
}


def finished_programs(uses: Sequence[OutsideUse], bodies: Bodies, answers: Sequence[str]) -> list[Arrangement]:
    """Returns what lets programs end well, then with an error, then be missing; empty for other ways to start one.

    Args:
        answers: sources of JSON values, for code that reads such.
    """
    started = [use for use in uses if use.name in (_RUN, _CHECKED, *_CALLS)]
    if not started or any(use.name.startswith(("subprocess.Popen", "os.system", "os.popen")) for use in uses):
        return []
    outputs = _outputs(bodies, answers)
    found = [_arrangement(started, output, 0) for output in outputs]
    if bodies.attributes() & {"returncode", "stderr"} or bodies.handled() or started[0].name in _CALLS:
        failed = "'fatal: it does not work\\n'" if _is_text(bodies) else "b'fatal: it does not work\\n'"
        found.append(_arrangement(started, failed, 1))
    if {name.rpartition(".")[2] for name in bodies.handled()} & _MISSING:
        patches = (f"monkeypatch.setattr({use.place()!r}, missing_program)" for use in started)
        found.append(Arrangement((_HELPERS["missing"], *dict.fromkeys(patches)), _IMPORT))
    return found


def _outputs(bodies: Bodies, answers: Sequence[str]) -> list[str]:
    if reads_json(bodies):
        texts = [json.dumps(literal_or(answer, None)) for answer in answers]
    elif bodies.attributes() & {"stdout"} or "check_output" in bodies.called():
        texts = [str(literal_or(output, "")) for output in program_outputs(bodies)]
    else:
        return ["''"]  # nothing looks at it
    return [repr(text) if _is_text(bodies) else repr(text.encode()) for text in texts]


def _is_text(bodies: Bodies) -> bool:
    """Whether the programs' output is read as text."""
    calls = [call for call in bodies.calls() if last_name(call.func) in ("run", "check_output")]
    return any(keyword_value(call, name) is not None for call in calls for name in _TEXTUAL)


def _arrangement(started: Sequence[OutsideUse], output: str, returncode: int) -> Arrangement:
    """Returns the statements that let each way to start a program end so."""
    given = ", output" if output not in _EMPTY else ""
    ending = f"{given}, returncode={returncode}" if returncode else given
    empty = "b''" if output.startswith("b") else "''"
    helpers: dict[str, None] = {}
    patches: dict[str, None] = {}
    for use in started:
        kind = "call" if use.name in _CALLS else use.name
        helpers[_HELPERS[kind].replace("{empty}", empty)] = None
        calls = {
            _RUN: f"finished_program(commands{ending})",
            _CHECKED: f"program_output(commands{ending})",
            "call": f"exit_code(commands, {returncode})",
        }
        patches[f"monkeypatch.setattr({use.place()!r}, {calls[kind]})"] = None
    needed = (f"output = {output}",) if any(given and given in text for text in patches) else ()
    return Arrangement((*helpers, "commands = []", *needed, *patches), _IMPORT)
