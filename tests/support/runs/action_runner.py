"""Runs a composite action's steps as GitHub's runner does, with its files and its folders.

`run` steps run for real, in `bash --noprofile --norc -eo pipefail` in the workspace, with a fresh file for each of
GITHUB_OUTPUT, GITHUB_ENV, GITHUB_PATH and GITHUB_STEP_SUMMARY. `uses` steps are answered by functions that the test
gives; one that is not given raises. Commands in the log are followed: masks, stopped commands, annotations.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from testwright.tests.support.runs.action_expressions import Contexts, filled, holds

Uses = Callable[[dict[str, str]], dict[str, str]]
"""Stands for an action of somebody else: its inputs in, its outputs out."""

_COMMAND = re.compile(r"^\s*::(?P<name>[A-Za-z-]+)(?: (?P<properties>[^\n]*?))?::(?P<message>.*)$")
_LARGEST_SUMMARY = 1024 * 1024


@dataclass
class Annotation:
    """What an annotation command says, decoded."""

    level: str
    properties: dict[str, str]
    message: str


@dataclass
class Step:
    """One step that was come to."""

    name: str
    id: str
    ran: bool
    exit_code: int = 0
    outputs: dict[str, str] = field(default_factory=dict)


@dataclass
class Ran:
    """What a workflow that uses the action would see.

    Attributes:
        outputs: of the action.
        log: as GitHub shows it: masked. raw: as the steps printed it.
        uploads: inputs of `uses` steps that ran, by the action's name.
    """

    failed: bool = False
    outputs: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    log: str = ""
    raw: str = ""
    summary: str = ""
    annotations: list[Annotation] = field(default_factory=list)
    masks: list[str] = field(default_factory=list)
    used: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def step(self, id: str) -> Step:  # noqa: A002 - the runner's word
        """The step with this id."""
        [found] = [one for one in self.steps if one.id == id]
        return found


class ActionRunner:
    """A runner's machine.

    Args:
        action: the folder of action.yml.
        folder: where the runner keeps its folders (`work` holds the workspace, `temp` is RUNNER_TEMP).
        uses: answers for `uses` steps, by action without its version.
        event: name and payload.
        github: more of the `github` context, such as `ref` and `base_ref`.
        environment: the job's and the step's `env`.
    """

    def __init__(
        self,
        action: Path,
        folder: Path,
        *,
        uses: Mapping[str, Uses],
        event: tuple[str, dict[str, Any]],
        github: Mapping[str, str],
        environment: Mapping[str, str],
    ) -> None:
        self.action = action
        self.temp = folder / "temp"
        self.workspace = folder / "work"
        self._uses = uses
        self._github = {"event_name": event[0], "run_id": "4711", "run_attempt": "1", **github}
        self._more = dict(environment)
        for place in (self.temp / "_runner_file_commands", self.temp / "_github_workflow", self.workspace):
            place.mkdir(parents=True, exist_ok=True)
        (self.temp / "_github_workflow" / "event.json").write_text(json.dumps(event[1]))
        self.definition = yaml.safe_load((action / "action.yml").read_text())

    def run(self, inputs: Mapping[str, str]) -> Ran:
        """Run the action's steps with these inputs; unknown inputs and missing required ones raise."""
        declared = self.definition["inputs"]
        assert set(inputs) <= set(declared), f"no inputs: {set(inputs) - set(declared)}"
        given = {name: str(inputs.get(name, one.get("default", ""))) for name, one in declared.items()}
        ran, environment = Ran(), self._environment()
        known = frozenset(step["id"] for step in self.definition["runs"]["steps"] if "id" in step)
        results: dict[str, dict[str, str]] = {}
        for step in self.definition["runs"]["steps"]:
            contexts = self._contexts(given, results, known, ran.failed)
            done = Step(step["name"], step.get("id", ""), holds(step.get("if"), contexts))
            ran.steps.append(done)
            if not done.ran:
                continue
            if "uses" in step:
                self._answer(step, done, contexts, ran)
            else:
                self._execute(step, done, contexts, environment, ran)
            results[done.id] = done.outputs
            ran.failed = ran.failed or done.exit_code != 0
        contexts = self._contexts(given, results, known, ran.failed)
        ran.outputs = {name: filled(output["value"], contexts) for name, output in self.definition["outputs"].items()}
        return ran

    def _contexts(
        self, inputs: dict[str, str], results: dict[str, dict[str, str]], known: frozenset[str], failed: bool
    ) -> Contexts:
        runner = {"os": "Linux", "arch": "X64", "temp": str(self.temp)}
        return Contexts(inputs, results, self._github, runner, known, failed)

    def _environment(self) -> dict[str, str]:
        plain = {
            name: os.environ[name] for name in ("PATH", "HOME", "XDG_CONFIG_HOME", "LANG", "USER") if name in os.environ
        }
        variables = {f"GITHUB_{name.upper()}": value for name, value in self._github.items()}
        return {
            **plain,
            **variables,
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_EVENT_PATH": str(self.temp / "_github_workflow" / "event.json"),
            "RUNNER_TEMP": str(self.temp),
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": "X64",
            **self._more,
        }

    def _answer(self, step: dict[str, Any], done: Step, contexts: Contexts, ran: Ran) -> None:
        action = step["uses"].partition("@")[0]
        given = {name: filled(_text(value), contexts) for name, value in step.get("with", {}).items()}
        ran.used.append((action, given))
        done.outputs = self._uses[action](given)

    def _execute(
        self, step: dict[str, Any], done: Step, contexts: Contexts, environment: dict[str, str], ran: Ran
    ) -> None:
        assert step["shell"] == "bash", "the only shell that is known here"
        assert "${{" not in step["run"], "text from outside would become part of a script"
        place, mark = self.temp / "_runner_file_commands", uuid.uuid4()
        files = {
            f"GITHUB_{name}": place / f"{name.lower()}_{mark}"
            for name in ("OUTPUT", "ENV", "PATH", "STEP_SUMMARY", "STATE")
        }
        for file in files.values():
            file.touch()
        script = self.temp / f"{mark}.sh"
        script.write_text(step["run"])
        own = {name: filled(_text(value), contexts) for name, value in step.get("env", {}).items()}
        finished = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env={**environment, **own, **{name: str(path) for name, path in files.items()}},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600,
            check=False,
        )
        done.exit_code = finished.returncode
        done.outputs = assignments(files["GITHUB_OUTPUT"])
        environment.update(assignments(files["GITHUB_ENV"]))
        for line in files["GITHUB_PATH"].read_text().splitlines():
            environment["PATH"] = f"{line}{os.pathsep}{environment['PATH']}"
        summary = files["GITHUB_STEP_SUMMARY"].read_bytes()
        assert len(summary) <= _LARGEST_SUMMARY, "GitHub refuses a summary of this size"
        ran.summary += summary.decode()
        _follow(finished.stdout.decode(), ran)


def followed(printed: str) -> Ran:
    """What the runner makes of a log that a step printed."""
    ran = Ran()
    _follow(printed, ran)
    return ran


def _follow(printed: str, ran: Ran) -> None:
    """Follow the commands in what a step printed, and add to the log what GitHub shows."""
    stopped = ""
    for line in printed.splitlines():
        ran.raw += f"{line}\n"
        if stopped:
            stopped = "" if line.strip() == f"::{stopped}::" else stopped
            ran.log += f"{_masked(line, ran.masks)}\n"
            continue
        found = _COMMAND.match(line)
        if found is None:
            assert "##[" not in line, "a command of the runner's first form"
            ran.log += f"{_masked(line, ran.masks)}\n"
        elif found["name"] == "add-mask":
            ran.masks.append(_decoded(found["message"]))
            ran.log += "::add-mask::***\n"
        elif found["name"] == "stop-commands":
            stopped = found["message"]
        elif found["name"] in ("notice", "warning", "error"):
            pairs = (part.partition("=") for part in (found["properties"] or "").split(",") if part)
            properties = {name.strip(): _decoded(value, inside=True) for name, _, value in pairs}
            ran.annotations.append(Annotation(found["name"], properties, _decoded(found["message"])))
            ran.log += f"{_masked(line, ran.masks)}\n"
        else:
            raise AssertionError(f"the command {found['name']} is not expected of the action")


def _masked(line: str, masks: list[str]) -> str:
    for mask in masks:
        line = line.replace(mask, "***")
    return line


def _decoded(text: str, *, inside: bool = False) -> str:
    if inside:
        text = text.replace("%3A", ":").replace("%2C", ",")
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def assignments(file: Path) -> dict[str, str]:
    """`name=value` lines, and `name<<END`, lines, `END`; anything else raises, as the runner does."""
    found: dict[str, str] = {}
    lines = iter(file.read_text().split("\n"))
    for line in lines:
        if not line:
            continue
        name, border, end = line.partition("<<")
        if border and "=" not in name:
            value: list[str] = []
            for one in lines:
                if one == end:
                    break
                value.append(one)
            else:
                raise AssertionError(f"{name} has no end in {file}")
            found[name] = "\n".join(value)
        else:
            name, equals, plain = line.partition("=")
            assert equals, f"no assignment: {line!r}"
            found[name] = plain
    return found


def _text(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
