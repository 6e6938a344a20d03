"""Generates specs of API tests: starts an application in the sandbox and compares answers with its OpenAPI document."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any

from ....core.background import background_task
from ....core.errors import ApplicationFault, ToolFailure, UsageError
from ....engine.api.document.app_document import extract_document, fetch_document
from ....engine.api.document.application import AppLaunch
from ....engine.api.document.apps import (
    SUPERUSER,
    find_administrator,
    find_secret_variables,
    signs_users_of_django_in,
)
from ....engine.api.document.auth import is_secret
from ....engine.api.document.base_path import base_of_routes, below, declared_bases, find_base
from ....engine.api.document.deliberate import with_deliberate_refusals
from ....engine.api.document.fuzz_program import find_schemathesis
from ....engine.api.document.operations import api_from_document, handler_lines, named_operations
from ....engine.api.document.own_databases import untracked_databases
from ....engine.api.document.read_bodies import with_read_bodies
from ....engine.api.document.source_secrets import find_headers_read, find_source_secrets
from ....engine.api.model.model import Api, ApiDescription, DocumentReader
from ....engine.api.probe.budget import ApiBudget
from ....engine.api.probe.client_trial import ClientTrial, try_test_client
from ....engine.api.probe.effects.fuzzing import FuzzOptions, fuzz_api
from ....engine.api.probe.explore import ApiExploration, count_reached, explore_api
from ....engine.api.probe.sign_in.prepare import CredentialSources
from ....engine.api.probe.sign_in.try_out import seeded_users
from ....engine.api.values.data import json_examples, looks_secret
from ....engine.api.write.compose import compose_spec, secrets_of, undeclared_notes
from ....engine.python.inputs.given_examples import example_note
from ....engine.python.project.layout import find_layout
from ....sandbox.javascript.playwright import prepare_playwright
from ....sandbox.javascript.playwright_report import own_configuration
from ....sandbox.javascript.project import prepare_scripts
from ....sandbox.target import ProvideTarget, PythonTarget
from ....utils.redact import Redactor, is_secret_name, placeholder_secret
from ....utils.untrusted_files import read_source_bytes
from ...contract.protocol import JsonObject
from .first_tests import FirstTests
from .spec_agent import SpecResult
from .start_by_hand import describe_start

_FUZZ_SHARE = 0.25
_PYTHON_FRAMEWORKS = ("pytest", "unittest")


@dataclass(frozen=True, slots=True)
class OpenedApi:
    """An application that can be started, and its description.

    Attributes:
        secrets: variables of it that hold secrets, those that the settings give it among them.
        literals: credentials that stand in the project's source, by the variables that are to hold them for the tests.
        headers: headers with names of credentials that its code reads itself.
        path: the file that the tests are about, or the document; POSIX.
        filled: databases that git does not track and whose rows operations need.
    """

    prepared: PythonTarget
    launch: AppLaunch
    secrets: tuple[str, ...]
    described: ApiDescription
    path: str
    api: Api
    literals: Mapping[str, str] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiSpecGenerator:
    """Generates API test specs for one application.

    The metadata holds `requests` (sent), `operations` (tested and all) and `notes`.

    Attributes:
        python_target: prepares the project; called when the application is started.
        root: the project's root.
        documents: reads OpenAPI documents that the target names, or that an application serves.
        command: starts the application in place of the target's own command; `{port}` is replaced by the port.
        ready: a path that answers once what a command starts is ready; empty to wait for its port.
        budget: limits on what is tried; None for the engine's default.
        sign_in: `NAME:VARIABLE`: a user whom the application has already, and the variable with the password.
        variables: environment variables that the settings give the application.
        taken: those of them that come from the user's environment; no test has their values.
        examples: values that a person gave in the settings; those of parameter names are used for parameters and
            properties of that name.
        fuzz: (seed, seconds) for Schemathesis, which then fuzzes the application as well; None without it.
        first: writes the first tests of the run from an early exploration; None for no preview.
    """

    python_target: ProvideTarget
    root: Path
    documents: DocumentReader
    _: KW_ONLY
    command: tuple[str, ...] = ()
    ready: str = ""
    sign_in: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)
    budget: ApiBudget | None = None
    examples: Mapping[str, str] = field(default_factory=dict)
    fuzz: tuple[int, float] | None = None
    first: FirstTests | None = None

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (`application`, `endpoint`, or both).

        Counts (`ApiBudget`) bound what is tried, so that the spec is deterministic; a limit of `seconds` bounds them
        further. Raises as `explore_api` and `extract_document` do.
        """
        began = time.monotonic()
        target: Mapping[str, Any] = inputs["target"]
        framework = str(inputs.get("framework") or "pytest")
        fuzzing = await asyncio.to_thread(self._fuzz_options, seconds)
        opened = await self.prepare(target)
        if framework in _PYTHON_FRAMEWORKS:
            opened = await self._without_rows(opened, seconds)
        # What cannot be run is told before requests are sent for a minute.
        if framework == "playwright":
            await asyncio.to_thread(prepare_playwright, opened.prepared, browser=False)
        elif framework == "jest":
            await asyncio.to_thread(prepare_scripts, opened.prepared, "package.json")
        named = [str(name) for name in target.get("operations") or ()]
        wanted = named_operations(opened.api, named) if named else None
        # Fuzzing has its share of a limit from the start: what exploring leaves over may be nothing.
        reserved = fuzzing.seconds if fuzzing is not None else 0.0
        exploration = await explore_api(
            opened.prepared,
            opened.api,
            opened.launch,
            sources=self._sources_of(opened),
            budget=self.budget,
            examples=json_examples(self.examples),
            wanted=wanted,
            seconds=None if seconds is None else seconds - reserved - (time.monotonic() - began),
            early=self._preview(opened, framework, target),
        )
        if fuzzing is not None:
            exploration = await _fuzzed(opened, exploration, fuzzing, wanted)
        launch = _with_used(opened.launch, exploration)
        spec = await asyncio.to_thread(self._composed, opened, exploration, framework, target)
        redacted = secrets_of(exploration, launch).text
        if framework in _PYTHON_FRAMEWORKS:
            trial = await try_test_client(opened.prepared, launch, spec, exploration.credentials)
            if trial.client is not None:
                # It has a database of the tests' own, or none that git does not track.
                application = spec["target"]["application"]
                application["client"] = trial.client
                application.pop("emptied_databases", None)
            told = _start_notes(opened, trial)
            return SpecResult(spec, _metadata(exploration, redacted, told), _trace(exploration, spec))
        return SpecResult(spec, _metadata(exploration, redacted), _trace(exploration, spec))

    def _sources_of(self, opened: OpenedApi) -> CredentialSources:
        surroundings = {**os.environ, **self.variables}
        seeded = seeded_users(self.sign_in, surroundings, {**opened.launch.environment, **self.variables})
        return CredentialSources(opened.secrets, seeded, self.variables, opened.literals, opened.headers)

    async def _without_rows(self, opened: OpenedApi, seconds: float | None) -> OpenedApi:
        """Return the application with its untracked databases empty, where as many operations work without their rows.

        What a developer's database holds is on one machine only, and may be about real people. Under a limit on time
        nothing is counted: they are empty.
        """
        launch = opened.launch
        databases = await asyncio.to_thread(untracked_databases, self.root) if launch.application else ()
        if not databases or launch.command or launch.folder:
            return opened
        empty = replace(launch, emptied=databases)
        if seconds is not None:
            return replace(opened, launch=empty)
        sources, examples = self._sources_of(opened), json_examples(self.examples)
        counts = [
            count_reached(opened.prepared, opened.api, one, sources=sources, examples=examples)
            for one in (launch, empty)
        ]
        async with background_task(counts[0]) as one, background_task(counts[1]) as other:
            filled, emptied = await asyncio.gather(one, other)
        return replace(opened, launch=empty) if emptied >= filled else replace(opened, filled=databases)

    def _composed(
        self, opened: OpenedApi, exploration: ApiExploration, framework: str, target: Mapping[str, Any]
    ) -> JsonObject:
        launch = _with_used(opened.launch, exploration)
        return compose_spec(
            exploration,
            framework=framework,
            target=self._spec_target(opened.described, opened.path, opened.api.title)
            | (own_configuration(self.root) if framework == "playwright" else {}),
            launch=launch,
            start=describe_start(launch, str(target.get("framework_of_app") or ""), opened.literals),
        )

    def _preview(
        self, opened: OpenedApi, framework: str, target: Mapping[str, Any]
    ) -> Callable[[ApiExploration], None] | None:
        """Return what takes the first tests from an early exploration; None where none are wanted."""
        first = self.first
        if first is None or not first.wanted or framework not in _PYTHON_FRAMEWORKS:
            return None
        return lambda early: first.take(lambda: self._composed(opened, early, framework, target))

    def _fuzz_options(self, seconds: float | None) -> FuzzOptions | None:
        """Return with what to fuzz, of a limit for a quarter at most; None where it is not asked for. Blocks.

        Raises:
            ToolMissing: Schemathesis is not installed.
        """
        if self.fuzz is None:
            return None
        seed, most = self.fuzz
        longest = most if seconds is None else min(most, seconds * _FUZZ_SHARE)
        return FuzzOptions(find_schemathesis(self.root), seed, longest)

    async def prepare(self, target: Mapping[str, Any]) -> OpenedApi:
        """Prepare a target's application and read its description.

        Raises:
            UsageError: there is no application to start. ApplicationFault: it does not start, or tells no operations.
        """
        launch, secrets = await asyncio.to_thread(self._launch, target)
        if launch is None:
            raise UsageError(
                "API tests need an application to start, and none is named.",
                advice="name the module that makes it (`shop.api`), or say with --app-command how it is started",
            )
        prepared = await self.python_target()
        endpoint = str(target.get("endpoint") or "")
        described = await self._described(prepared, launch, endpoint)
        path = str(target.get("path") or endpoint) or "openapi.json"
        api = await asyncio.to_thread(self._api, described, path, launch.import_roots)
        literals, headers = await asyncio.to_thread(self._in_source, launch)
        return OpenedApi(prepared, launch, tuple(secrets), described, path, api, literals, headers)

    def _in_source(self, launch: AppLaunch) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the credentials in the project's source, by variables that the application does not have, and the
        headers with names of credentials that its code reads. Blocks.
        """
        places = find_layout(self.root).modules
        found = find_source_secrets(self.root, places)
        literals = {known.variable: known.value for known in found if known.variable not in launch.environment}
        return literals, tuple(find_headers_read(self.root, places))

    async def _described(self, prepared: PythonTarget, launch: AppLaunch, endpoint: str) -> ApiDescription:
        """Return the named document, else the one that the application serves, else one read from its source.

        Its paths are those at which the application answers.
        """
        own = await self._own(prepared, launch, needed=not (endpoint or launch.command))
        described = await self._found(prepared, launch, endpoint, own)
        bases = declared_bases(described.document, described.served_at)
        if len(bases) == 1:
            base: str | None = bases[0]
        else:
            base = base_of_routes(described.document, bases, own.routes if own is not None else ())
            base = await find_base(prepared, launch, described.document, bases) if base is None else base
        described = below(described, base or "")
        if described.documented and own is not None and not own.documented:
            described = replace(described, document=with_read_bodies(described.document, own.document))
        # Lines in a served document are not lines of the project; those of the handlers are, where they are known.
        in_project = bool(described.location) and (self.root / described.location).is_file()
        if in_project and described.places:
            return described
        return replace(described, places=own.places if own is not None else {})

    async def _found(
        self, prepared: PythonTarget, launch: AppLaunch, endpoint: str, own: ApiDescription | None
    ) -> ApiDescription:
        if endpoint:
            return await self._named(endpoint)
        if own is not None and own.documented and not launch.command:
            return own
        # Libraries that make a document, such as flask-restx, serve it and have no common way to ask for it.
        answered = await fetch_document(prepared, launch, self.documents, own.routes if own is not None else ())
        found = answered if answered is not None else own
        if found is None or not (found.document.get("paths") or found.documented):
            raise ApplicationFault(
                f"{launch.label} answers no OpenAPI document and tells no routes, and no document is named.",
                advice="name one in the request, such as `API tests from openapi.yaml`",
                details={"tried": list(self.documents.paths)},
            )
        return found

    async def _own(self, prepared: PythonTarget, launch: AppLaunch, *, needed: bool) -> ApiDescription | None:
        """Return what the application object tells of itself; None where there is none or it tells nothing.

        Raises:
            ApplicationFault: the object is `needed` and does not import.
        """
        if not launch.application:
            return None
        try:
            return await extract_document(prepared, launch)
        except ApplicationFault:
            if needed:
                raise
            return None

    async def _named(self, endpoint: str) -> ApiDescription:
        """Load the document that a request names. Raises ApplicationFault when it cannot be read."""
        try:
            return await self.documents.load(endpoint)
        except ToolFailure as error:
            raise ApplicationFault(error.message, advice=error.advice, details=error.details) from error

    def _api(self, described: ApiDescription, path: str, import_roots: tuple[str, ...]) -> Api:
        api = api_from_document(described.document, path=path, documented=described.documented, places=described.places)
        api = handler_lines(api, self.root)
        api = with_deliberate_refusals(api, self.root, import_roots)
        return replace(api, problems=described.problems, base=described.base)

    def _launch(self, target: Mapping[str, Any]) -> tuple[AppLaunch | None, list[str]]:
        named = target.get("application") or {}
        command = self.command or tuple(named.get("command") or ())
        if not (named.get("import") or command):
            return None, []
        layout = find_layout(self.root)
        secrets = find_secret_variables(self.root, layout.modules)
        made_up = {name: placeholder_secret(name) for name in secrets}
        given = {*self.variables, *(named.get("environment") or {})}
        secrets = list(dict.fromkeys([*secrets, *filter(is_secret, self.variables)]))
        made_up |= _administrator(find_administrator(self.root, layout.modules), given)
        if (
            target.get("framework_of_app") == "django"
            and not command
            and signs_users_of_django_in(self.root, layout.modules)
        ):
            made_up |= {name: value or placeholder_secret(name) for name, value in SUPERUSER.items()}
        environment = made_up | self._own_values() | dict(named.get("environment") or {})
        shapes = Redactor()
        launch = AppLaunch(
            application=named.get("import"),
            command=command,
            import_roots=tuple(layout.import_roots) or (".",),
            environment=environment,
            # A form with a secret of its own around the name stands in no file.
            taken={
                name: form
                for name, form in self.taken.items()
                if not environment.get(name) and shapes.text(form) == form
            },
            folder=named.get("folder"),
            ready=self.ready,
            private=tuple(value for name, value in self.variables.items() if self._written(name, value) != value),
        )
        return launch, secrets

    def _own_values(self) -> dict[str, str]:
        """Return the variables of the settings: what the project says, a made-up secret, or nothing of what is taken.

        Whoever runs the tests sets what is taken from the environment.
        """
        return {name: self._written(name, value) for name, value in self.variables.items()}

    def _written(self, name: str, value: str) -> str:
        if is_secret(name) or is_secret_name(name) or looks_secret(value):
            return placeholder_secret(name)
        return "" if name in self.taken else value

    def _spec_target(self, described: ApiDescription, path: str, title: str) -> JsonObject:
        target: JsonObject = {"name": title[:200]}
        if described.location:
            description = {"path": described.location, "format": described.form, "digest": described.digest}
            target["description"] = {key: value for key, value in description.items() if value}
        file = self.root / path
        if path and file.is_file():
            target |= {"path": path, "digest": hashlib.sha256(read_source_bytes(self.root, path)).hexdigest()}
        return target


async def _fuzzed(
    opened: OpenedApi, exploration: ApiExploration, options: FuzzOptions, wanted: Collection[str] | None
) -> ApiExploration:
    """Return the exploration with what Schemathesis finds."""
    document = opened.described.document
    if not document.get("paths"):
        return exploration
    found = await fuzz_api(
        opened.prepared,
        exploration.api,
        opened.launch,
        dict(document),
        exploration.credentials,
        options,
        wanted=wanted,
    )
    return replace(exploration, fuzzed=found.seen, notes=(*exploration.notes, *found.notes))


def _with_used(launch: AppLaunch, exploration: ApiExploration) -> AppLaunch:
    """Return the launch with the variables of those credentials of the source that opened something."""
    used = {
        known.variable: known.value
        for known in exploration.credentials.values()
        if known.sign_in is None and known.variable not in launch.environment
    }
    return replace(launch, environment={**launch.environment, **used}) if used else launch


def _administrator(variables: tuple[str, str] | None, given: set[str]) -> dict[str, str]:
    """Make up the administrator whom an application creates from two variables, where nobody gives either of them."""
    if variables is None or given & {*variables}:
        return {}
    identity, password = variables
    plain = identity.endswith(("_USERNAME", "_USER", "_NAME", "_LOGIN"))
    return {identity: "admin" if plain else "admin@example.com", password: placeholder_secret(password)}


def _start_notes(opened: OpenedApi, trial: ClientTrial) -> list[str]:
    """Notes on what the tests start: why they do, and on which rows of databases that git does not track."""
    if trial.client is not None:
        return []
    return [
        *([f"The tests start the application, because {trial.reason}."] if trial.reason else []),
        *(
            f"The tests start with an empty copy of {name}, because git does not track it."
            for name in opened.launch.emptied
        ),
        *(
            f"The tests start with the rows of {name}, which git does not track: fewer operations work without them, "
            "and on another machine the tests may fail."
            for name in opened.filled
        ),
    ]


def _metadata(exploration: ApiExploration, redacted: Callable[[str], str], more: Sequence[str] = ()) -> JsonObject:
    """The counts and notes of an exploration.

    Args:
        redacted: takes the secrets out of a text.
        more: further notes.
    """
    every = len(exploration.api.operations) + len(exploration.api.left_out)
    tested = len({exchange.proposal.operation.name for exchange in exploration.seen})
    failure = exploration.sign_in_failure
    notes = [
        *exploration.notes,
        *undeclared_notes(exploration),
        *(example_note(name, why) for name, why in exploration.unfit.items()),
        *more,
    ]
    return {
        "requests": exploration.requests,
        "operations": {"tested": tested, "all": every},
        "notes": [*([failure.note(redacted)] if failure is not None else []), *map(redacted, notes)],
    }


def _trace(exploration: ApiExploration, spec: JsonObject) -> list[JsonObject]:
    return [
        {
            "event": "explored",
            "target": exploration.api.path,
            "requests": exploration.requests,
            "cases": len(spec["cases"]),
            "suspected_defects": len(spec["suspected_defects"]),
        }
    ]
