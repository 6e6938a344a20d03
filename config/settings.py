"""One typed settings object: explicit flag > environment > project file > default.

The project file is `testwright.toml`, else `[tool.testwright]` in `pyproject.toml`, in the project's root; what it may
set without a person's consent is decided in `trust.py`, for every way in. Environment
variables are `TESTWRIGHT_` and the field's name, nested fields joined by two underscores (`TESTWRIGHT_MODELS__SPEC`).
Settings are stored with a run so that `resume` repeats it; they never hold secrets.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from ..core.errors import ProjectError, SettingsError
from ..utils.redact import has_secret_argument
from ..utils.untrusted_folders import reserved_folder
from ..utils.user_folders import unforeseeable_name
from .application_table import OBJECT, expand_short_forms
from .control import AgentReference, Control, checked_agents
from .examples import checked_examples
from .folders import check_state_folder, check_tests_folder
from .models import PROVIDER, WRITING_ROLES, Models, expand_model, model_of_environment
from .project_file import ProjectFile, read_project_file
from .run_database import database_folder, unread_databases
from .site_address import local_origin
from .target_variables import checked_variables, filled_variables, taken_variables, with_sign_in
from .tool_servers import ToolServer, read_servers, servers_from
from .trust import ignored_in_words, is_recorded, needs_consent
from .urls import checked_cache, checked_endpoint, checked_store

RUN_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
Name = Annotated[str, Field(min_length=1, max_length=400)]
ModuleName = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$", max_length=200)]

_NOT_IN_FILES = frozenset(
    "root target app_url changed_since mcp_config trust_project cache_url store repository".split()
)
STATE_FOLDER = ".testwright"

_FROM_FILE = "from_project_file"  # carries the file's values through the constructor to their place among the sources


class Settings(BaseSettings):
    """Everything a run can be told, besides its request.

    Attributes:
        root: the project's folder; everything is read from here.
        state_dir: where runs are kept; None for `.testwright` in the root.
        store: the PostgreSQL database of runs, artifacts, answers and checkpoints, by its URL without a password; None
            for SQLite in the state folder. Not in files.
        tests_dir: where accepted tests go, relative to the root.
        framework: what tests are written for.
        test_type: the type asked for; None lets the planner decide.
        target: a file, module, symbol or API description to test, besides those that the request names. Not in files.
        include: names and patterns (`*`) of modules, files or folders; only they may be targets. Empty for all.
        exclude: names and patterns of what is never a target.
        strict: stop where any part of a request is not understood; False goes on with the rest; None stops only where
            that would do something else than was asked for.
        app_command: how the application of API and browser tests is started, as in a shell but without one; `{port}` is
            its port. None has it found.
        app_object: the application itself, as `package.module:attribute`, `()` behind a factory. None has it found.
        app_url: address of a site on this machine that runs already, for browser tests. Not in files.
        app_ready: a path that answers below 400 once a started command is ready; None waits for its port.
        sign_in: who signs in where a site of browser tests, or an API, asks for it, as `NAME:VARIABLE`: the environment
            variable that holds the password. None for nobody, or whom an API lets sign up.
        changed_since: a branch, tag or commit; only what changed since is tested. None for everything. Not in
            files.
        run_id: fixes the run's id; None makes one.
        jobs: steps that run at the same time, 1 to 64.
        dry_run: stage and show the diff, add nothing to the project.
        apply: add the tests of a run in which a model wrote anything to the project at once; False leaves them staged,
            and shows the diff, for a person to review.
        planner_failure: what follows when the planner fails: `continue` with the embedded planner, or `stop`.
        control: how the run is steered, see `control.py`.
        agents: agents of the user's own by role, as `module:name` or the name of an entry point.
        yes: approve every step, however risky.
        allow_import: modules that tests of a model may import besides what such tests may import anyway.
        run: run the tests (`--no-run` switches it off).
        analyze: analyse results (`--no-analyze` switches it off).
        python: the target's interpreter; None finds it.
        sandbox: `auto` is bubblewrap or an error; `weak` has to be said.
        models: who thinks in each role.
        base_url: the OpenAI-compatible endpoint of all models, up to `/v1`; None for OPENAI_BASE_URL, else OpenAI.
        embeddings: an embeddings model at the same endpoint (`openai:NAME`), which ranks code by meaning as well as by
            words; passages of the project are sent to it. None for words alone.
        stream: ask models for streams.
        model_timeout: seconds for one whole answer of a model.
        answer_tokens: the most one answer of a model may have.
        requests_per_minute: the most requests to the models' endpoint in a minute, of all processes that share
            `cache_url`; None for no such limit.
        prices: a price table of the user's own, JSON.
        isolate_agents: each request to an agent in a process of its own, one at a time.
        max_tokens, max_cost, max_seconds: ceilings of a run; cost in US dollars, None for none.
        trials: calls the embedded engine tries for each module.
        max_retries: refinements of a spec or of code after the first generation.
        max_retries_per_step: repeats of a step after an infrastructure fault.
        step_seconds: wall seconds one target's exploration may take before it ends with what it has.
        import_seconds: wall seconds that importing one module may take.
        repeats: shuffled repeats that a test has to pass.
        mutants: mutants of each target that its kept tests are measured by, and that exploring goes by; 0 for none.
        build_command: what `run_build` runs in the sandbox, in a shell; None finds it out from the project's files.
        keep_runs: runs that `clean` leaves.
        mcp_servers: tool servers of others, see `tool_servers.py`.
        mcp_config: a JSON file with `mcpServers`; they take the place of `mcp_servers`. Not in files.
        repository: what `crawl`, `cases` and `engineer` read on GitHub instead: owner/name[@ref]. Not in files.
        trust_project: whether all settings of the project's own file hold, also those that need consent; None for what
            the trust file says. Not in files.
        evidence: collect evidence about a target (documents, tests, API descriptions, history) before its spec is
            written: `on`, `off`, or `auto`, which does it where a document or a test uses the target.
        fuzz: have Schemathesis fuzz the application of API tests as well; needs the extra `fuzz`.
        fuzz_seed: what its random values begin with.
        fuzz_seconds: how long it sends requests; of a step with less time a quarter of that.
        fresh: do all work anew, whatever was kept of earlier runs; what comes of it is kept.
        cache: keep MCP responses between runs (`--no-cache` switches it off).
        cache_url: keep them in Valkey or Redis instead of a file; a password is written as `${NAME}`. Not
            in files.
        cache_mib: the most the file may hold; the longest unused goes first.
        env: environment variables of the code under test, which has no others; they reach the sandbox only. `${NAME}`
            in a value is taken from the user's environment when it is used, see `variables`.
        examples: expressions by `module:function` (a call of it) or parameter name (a value); see
            `examples.py`.
        xfail_defects: mark the tests in a run's `suspected_defects.patch` as expected to fail, strictly.
        fail_on: findings that make the exit code non-zero although tests were kept.
    """

    model_config = SettingsConfigDict(
        env_prefix="TESTWRIGHT_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    root: Path = Path()
    state_dir: Path | None = None
    store: Annotated[str | None, AfterValidator(checked_store)] = None
    tests_dir: str = "tests/generated"
    framework: Literal["pytest", "unittest", "locust", "jest", "playwright", "maestro"] = "pytest"
    test_type: Literal["unit", "api", "integration", "e2e", "performance"] | None = None
    target: Annotated[str, Field(min_length=1, max_length=4096)] | None = None
    changed_since: Annotated[str, Field(min_length=1, max_length=400)] | None = None
    include: tuple[Name, ...] = ()
    exclude: tuple[Name, ...] = ()
    strict: bool | None = None
    app_command: Annotated[str, Field(min_length=1, max_length=2000)] | None = None
    app_object: Annotated[str, Field(pattern=OBJECT, max_length=300)] | None = None
    app_url: Annotated[str, Field(max_length=300)] | None = None
    app_ready: Annotated[str, Field(pattern=r"^/\S*$", max_length=1000)] | None = None
    sign_in: Annotated[str, Field(pattern=r"^[^\s:][^:]{0,99}:[A-Z][A-Z0-9_]*$")] | None = None
    run_id: Annotated[str, Field(pattern=RUN_ID_PATTERN)] | None = None
    jobs: int = Field(default=2, ge=1, le=64)
    dry_run: bool = False
    apply: bool = False
    planner_failure: Literal["continue", "stop"] = "continue"
    control: Control = Control()
    agents: Annotated[dict[str, AgentReference], AfterValidator(checked_agents)] = Field(default_factory=dict)
    yes: bool = False
    allow_import: tuple[ModuleName, ...] = ()
    run: bool = True
    analyze: bool = True
    python: Path | None = None
    sandbox: Literal["auto", "bubblewrap", "weak"] = "auto"
    models: Models = Models()
    base_url: Annotated[str | None, AfterValidator(checked_endpoint)] = None
    embeddings: Annotated[str, Field(pattern=rf"^{PROVIDER}\S+$", max_length=200)] | None = None
    stream: bool = False
    model_timeout: float = Field(default=180.0, gt=0)
    answer_tokens: int = Field(default=16_000, ge=1)
    requests_per_minute: int | None = Field(default=None, ge=1, le=100_000)
    prices: Path | None = None
    isolate_agents: bool = False
    max_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0)
    max_seconds: float | None = Field(default=None, gt=0)
    trials: int = Field(default=3000, ge=10, le=1_000_000)
    max_retries: int = Field(default=3, ge=0, le=3)
    max_retries_per_step: int = Field(default=1, ge=0, le=5)
    step_seconds: float = Field(default=300.0, gt=0)
    import_seconds: float = Field(default=20.0, gt=0)
    repeats: int = Field(default=3, ge=1, le=20)
    mutants: int = Field(default=100, ge=0, le=10_000)
    build_command: Annotated[str, Field(min_length=1, max_length=2000)] | None = None
    keep_runs: int = Field(default=20, ge=0)
    mcp_servers: Annotated[tuple[ToolServer, ...], BeforeValidator(servers_from)] = ()
    mcp_config: Path | None = None
    repository: str | None = None
    trust_project: bool | None = None
    evidence: Literal["on", "off", "auto"] = "auto"
    fuzz: bool = False
    fuzz_seed: int = Field(default=1, ge=0, le=2**32 - 1)
    fuzz_seconds: float = Field(default=60.0, ge=1, le=3600)
    fresh: bool = False
    cache: bool = True
    cache_url: Annotated[str | None, AfterValidator(checked_cache)] = None
    cache_mib: int = Field(default=128, ge=1, le=65536)
    env: Annotated[dict[str, str], AfterValidator(checked_variables)] = Field(default_factory=dict)
    examples: Annotated[dict[str, str], AfterValidator(checked_examples)] = Field(default_factory=dict)
    xfail_defects: bool = False
    fail_on: Literal["nothing", "defect"] = "nothing"
    _ignored: str = PrivateAttr(default="")

    @field_validator("tests_dir")
    @classmethod
    def _inside_the_project(cls, value: str) -> str:
        path = Path(value)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in value:
            raise ValueError("must be a folder below the project's root")
        reserved = reserved_folder(value)
        if reserved:
            raise ValueError(f"must not lie in {reserved}, where no tests of a project are")
        return path.as_posix()

    @field_validator("app_command")
    @classmethod
    def _a_command_without_secrets(cls, value: str | None) -> str | None:
        if value and has_secret_argument(value):
            raise ValueError(
                "stands in the tests, and seems to hold a secret: let the application read it from a variable, which "
                "gets a made-up value in tests"
            )
        return value

    @field_validator("app_url")
    @classmethod
    def _of_this_machine(cls, value: str | None, others: ValidationInfo) -> str | None:
        if value and others.data.get("app_command"):
            raise ValueError("is for a site that runs already, and app_command starts one: give one of the two")
        origin = local_origin(value or "")
        if value and not origin:
            raise ValueError(
                "must be the address of a site on this machine, such as http://127.0.0.1:8000, with a port from 1024 on"
            )
        return origin or None

    @property
    def variables(self) -> dict[str, str]:
        """The variables of `env` and `sign_in`, with what they take from the environment. Raises SettingsError."""
        return filled_variables(with_sign_in(self.env, self.sign_in, os.environ), os.environ)

    @property
    def taken(self) -> dict[str, str]:
        """The variables of `env` and `sign_in` that take something from the environment: `taken_variables`."""
        return taken_variables(with_sign_in(self.env, self.sign_in, os.environ), os.environ)

    @property
    def state(self) -> Path:
        """The folder of all runs."""
        return (self.state_dir or self.root / STATE_FOLDER).absolute()

    @property
    def cache_dir(self) -> Path:
        """The folder of what is kept between runs. In a project's own state folder no clone can have prepared it."""
        shared = self.state / "cache"
        return shared if self.state_dir is not None else shared / unforeseeable_name(self.root)

    @property
    def only_stages(self) -> bool:
        """Whether kept tests stay staged: on a dry run, and where a model or an own agent wrote unapplied."""
        of_others = self.models.write or bool(set(self.agents) & set(WRITING_ROLES))
        return self.dry_run or (of_others and not self.apply)

    @property
    def database_folder(self) -> Path:
        """The folder of the run database. In a project's own state folder it is one that was begun here."""
        if self.state_dir is not None:
            return self.state
        return database_folder(self.root, self.state, is_trusted=bool(self.trust_project))

    @property
    def ignored(self) -> str:
        """What of the project does not hold without consent, in sentences with what to do; "" for nothing."""
        return self._ignored

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flag, environment (a role's own model first), project file; no .env file, no secrets folder."""
        assert isinstance(init_settings, InitSettingsSource)
        from_file = init_settings.init_kwargs.pop(_FROM_FILE, {})
        general = InitSettingsSource(settings_cls, init_kwargs=model_of_environment(os.environ))
        return init_settings, env_settings, general, InitSettingsSource(settings_cls, init_kwargs=from_file)

    def stored(self) -> dict[str, Any]:
        """JSON values to keep with a run; `restore` reads them."""
        return self.model_dump(mode="json")


def load_settings(flags: Mapping[str, Any]) -> Settings:
    """Settings from explicit flags (None means not said), environment and project file.

    Settings of the project's file that need consent and lack it are left out; `Settings.ignored` names them.

    Raises:
        ProjectError: the root is no readable folder, or its state folder holds what leads elsewhere.
        SettingsError: a value or a name is wrong; all of them are listed.
    """
    said = {name: value for name, value in flags.items() if value is not None}
    expand_model(said)
    own = _checked(said)  # the user's: flags and environment alone
    if not own.root.is_dir():
        what = "is not a folder" if own.root.exists() else "does not exist"
        raise ProjectError(f"The project root {str(own.root)!r} {what}.", advice="Give the project with --root PATH.")
    file = project_file_of(own.root)
    wanted = settings_to_consent(file)
    trusted = own.trust_project
    if trusted is None and is_recorded(own.root, wanted):
        trusted = True
    said |= {} if trusted is None else {"trust_project": trusted}
    holding = [name for name in file.values if trusted or name not in wanted]
    settings = _checked({**said, _FROM_FILE: file.usable(holding)})
    update: dict[str, Any] = {"root": settings.root.resolve()}
    if settings.mcp_config is not None:
        update["mcp_servers"] = read_servers(settings.mcp_config)
    settings = settings.model_copy(update=update)
    ignored = (
        {} if trusted else {name: wanted[name] for name in wanted if name not in own.model_fields_set - {"models"}}
    )
    if settings.state_dir is None:
        check_state_folder(settings.state)
    check_tests_folder(settings.root, settings.tests_dir, settings.state)
    notes = [ignored_in_words(file.path.name, ignored, settings.root)] if ignored else []
    if settings.state_dir is None and settings.store is None and not settings.trust_project:
        notes.append(unread_databases(settings.root, settings.state))
    settings._ignored = " ".join(note for note in notes if note)
    return settings


def settings_of_others(stored: Mapping[str, Any], own: Settings) -> dict[str, Any]:
    """Stored settings that need consent and that neither the defaults nor the user's own settings have.

    What says where and what to test, or may be given anew with every resume, is not among them.
    """
    known = (Settings.model_construct().model_dump(mode="json"), own.stored())
    places = ("root", "state_dir", "store", "run_id", "target", "changed_since", "jobs", "prices")
    return {
        name: value
        for name, value in stored.items()
        if name not in places and needs_consent(name, value) and all(value != values.get(name) for values in known)
    }


def project_file_of(root: Path) -> ProjectFile:
    """The project's own file, whatever of it holds. Raises SettingsError."""
    known = [name for name in Settings.model_fields if name not in _NOT_IN_FILES]
    return read_project_file(root, known, expand_short_forms)


def settings_to_consent(file: ProjectFile) -> dict[str, Any]:
    """The settings of a project's file that hold only when a person consents."""
    return {name: value for name, value in file.values.items() if needs_consent(name, value)}


def _checked(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings(**values)
    except ValidationError as error:
        raise SettingsError(_all_errors(error), advice="See docs/settings.md for every setting.") from error


def restore_settings(stored: Mapping[str, Any]) -> Settings:
    """The settings of a stored run, exactly: every field is given, so environment and project file add nothing.

    Raises:
        SettingsError: they were written by another version.
    """
    advice = "The run was made by another version of testwright: start a new one."
    different = sorted(set(stored) ^ set(Settings.model_fields))
    if different:
        raise SettingsError(f"The stored settings differ in {', '.join(different)}.", advice=advice)
    try:
        return Settings(**stored)
    except ValidationError as error:
        raise SettingsError(_all_errors(error), advice=advice) from error


def changed_settings(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings with some replaced, and all of them checked. Raises SettingsError."""
    return _checked({**settings.model_dump(), **changes}) if changes else settings


def _all_errors(error: ValidationError) -> str:
    rows = (
        f"{'.'.join(str(part) for part in row['loc']) or 'settings'}: {row['msg']}"
        for row in error.errors(include_url=False)
    )
    return "Settings: " + "; ".join(rows) + "."
