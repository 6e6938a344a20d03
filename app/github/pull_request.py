"""Makes a pull request from the kept tests of a run. It is done because a person asks for it, and never otherwise."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...analysis.repository import Checkout
from ...config.settings import Settings
from ...core.errors import GitHubAccessDenied, UsageError
from ...reports.model import Report, WrittenFile
from ...reports.pull_request_body import CUT, pull_request_body, pull_request_title
from ...store.files.run_folder import RunFolder
from ...utils.canonical import canonical_json
from ...utils.outgoing_text import cut_markdown
from ...utils.redact import Redactor
from ...utils.untrusted_files import read_bytes
from ...vcs.github.api import DEFAULT_URL, TOKEN_VARIABLES, GitHubAccess, GitHubApi
from ...vcs.github.create import create_pull_request
from ...vcs.github.names import remote_repository, repository_name
from ...vcs.github.pull_request import LONGEST_BODY, CreatePullRequest, NewFile, PullRequestResult
from ...vcs.origin import Origin, origin_of
from .. import service
from .repository import connected_github
from .workflow_event import base_branch

_KEPT = ("added", "updated", "unchanged", "staged")
_GITHUB = "github.com"
_SLUG = 40
_SAY_BASE = "Say which branch the tests are for: --base BRANCH."
_ASKED = ("target", "test_type", "framework", "changed_since")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class PullRequestOptions:
    """What a person says of the pull request; None where it is found out.

    Attributes:
        repo: `owner/name`. Else that of the workflow, or of the remote `origin`.
        base: the branch that the tests are for. Else that of the workflow's event, or the one that is checked out.
        head: the branch for the tests. Else one named after the request.
        title: at most 256 characters.
    """

    repo: str | None = None
    base: str | None = None
    head: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class RunPullRequest:
    """The pull request of a run, before or after it was made.

    Attributes:
        repository: `owner/name`.
        content: what is sent; on a dry run its base branch is "" where only GitHub knows it.
        left_out: test files that are not in it, with reasons.
        result: None on a dry run.
    """

    repository: str
    content: CreatePullRequest
    left_out: tuple[tuple[str, str], ...]
    result: PullRequestResult | None = None


def kept_tests(run_id: str, where: Settings) -> int:
    """How many tests an ended run kept. Raises RunNotFound, UsageError, SettingsError, StorageError."""
    _, report, _ = service.ended_here(run_id, where)
    return report.totals.kept


async def pull_request(
    run_id: str, where: Settings, options: PullRequestOptions, environment: Mapping[str, str], *, dry_run: bool = False
) -> RunPullRequest:
    """Make the pull request of a run's kept tests, or bring it up to date.

    Args:
        run_id: an id, how it begins, or `latest`.
        environment: GITHUB_TOKEN or GH_TOKEN, GITHUB_API_URL, and what a workflow's step has.
        dry_run: send nothing, and ask GitHub nothing.

    Raises:
        RunNotFound: there is no such run.
        UsageError: it has not ended, kept nothing, or a file lies outside of the tests' folder.
        SettingsError: it may have come with the project; an address or the library is missing.
        HistoryError: the project lies in no git repository.
        GitHubFailure: GitHub did not do it.
    """
    folder, report, root = service.ended_here(run_id, where)
    access = GitHubAccess.of(environment)
    origin = origin_of(root)
    repository = _repository(options, origin, environment, access)
    base = options.base or base_branch(environment) or origin.branch
    if dry_run:
        content, left_out = _content(folder, report, options, origin, repository, base, environment)
        return RunPullRequest(repository, content, left_out)
    if not access.token:
        raise GitHubAccessDenied(
            "There is no token for GitHub.",
            advice=f"Set {' or '.join(TOKEN_VARIABLES)}; --dry-run shows what would be sent, without one.",
        )
    async with connected_github(access, where, environment) as api:
        base = base or await _branch_at(api, repository, origin.commit)
        content, left_out = _content(folder, report, options, origin, repository, base, environment)
        result = await create_pull_request(api, repository, content)
    return RunPullRequest(repository, content, left_out, result)


def _repository(
    options: PullRequestOptions, origin: Origin, environment: Mapping[str, str], access: GitHubAccess
) -> str:
    said = options.repo or (environment.get("GITHUB_REPOSITORY", "") if _is_workflow(environment) else "")
    if said:
        return repository_name(said).full_name
    found = remote_repository(Checkout(origin.top).remote_url())
    # A server of one's own may have any name: its address was given.
    if found is None or (found[0] != _GITHUB and access.url == DEFAULT_URL):
        raise UsageError(
            f"No remote of {origin.top} is a repository on GitHub.", advice="Say which it is: --repo owner/name."
        )
    return found[1]


def _is_workflow(environment: Mapping[str, str]) -> bool:
    return environment.get("GITHUB_ACTIONS") == "true"


async def _branch_at(api: GitHubApi, repository: str, commit: str) -> str:
    """The branch whose newest commit this is: a detached, shallow checkout does not know."""
    owner, _, name = repository.partition("/")
    path = "/repos/{owner}/{name}/commits/{sha}/branches-where-head"
    found = await api.get(path, owner=owner, name=name, sha=commit) if commit else []
    names = sorted(str(branch["name"]) for branch in found)
    if not names:
        raise UsageError(
            f"HEAD is detached, and {commit[:10] or 'it'} is the newest commit of no branch of {repository}.",
            advice=_SAY_BASE,
        )
    default = str((await api.get("/repos/{owner}/{name}", owner=owner, name=name))["default_branch"])
    if len(names) > 1 and default not in names:
        raise UsageError(
            f"HEAD is detached, and {commit[:10]} is the newest commit of {', '.join(names[:5])}.", advice=_SAY_BASE
        )
    return default if default in names else names[0]


def _content(
    folder: RunFolder,
    report: Report,
    options: PullRequestOptions,
    origin: Origin,
    repository: str,
    base: str,
    environment: Mapping[str, str],
) -> tuple[CreatePullRequest, tuple[tuple[str, str], ...]]:
    redact = Redactor.from_environment(environment).text
    kept = [file for file in report.files if file.outcome in _KEPT]
    if not kept or not report.totals.kept:
        raise UsageError(f"Run {folder.run_id} kept no tests.", advice="Its report says why.")
    left_out = tuple((file.path, _why_left_out(file)) for file in report.files if file.outcome not in _KEPT)
    place = (repository.lower(), base, origin.folder)
    key = pull_request_key(place, report.request, report.run.settings)
    body = pull_request_body(report, left_out=left_out, most=LONGEST_BODY)
    content = CreatePullRequest(
        files=tuple(NewFile(_in_repository(origin, file.path), _text(folder.staged, file.path)) for file in kept),
        title=options.title or redact(pull_request_title(report)),
        body=cut_markdown(redact(body), LONGEST_BODY, CUT),  # what stands for a secret may be longer than it
        base_branch=base,
        head_branch=options.head or f"testwright/{_slug(report.request)}{key[:8]}",
        tests_folder=_in_repository(origin, _tests_dir(report.run.settings)),
        key=key,
        keep_title=options.title is None,
    )
    return content, left_out


def pull_request_key(place: tuple[str, str, str], request: str, settings: Mapping[str, object]) -> str:
    """What names a pull request over its reruns: another place, or another ask, is another one.

    Args:
        place: repository, base branch, and the project's folder in the repository.
        settings: the run's, as its report has them.

    Returns:
        12 hex digits.
    """
    asked = [str(settings.get(name) or "") for name in _ASKED]
    # A workflow names the commit before each push; the tests of all pushes are one pull request.
    asked = [_COMMIT.sub("a commit", text) for text in asked]
    said = canonical_json([*place, _tests_dir(settings), request, *asked])
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def _tests_dir(settings: Mapping[str, object]) -> str:
    return str(settings.get("tests_dir") or "tests/generated")


def _in_repository(origin: Origin, path: str) -> str:
    return PurePosixPath(origin.folder, path).as_posix()


def _text(staged: Path, path: str) -> str:
    """A test file as it was judged. Raises UsageError where the run's folder no longer has it."""
    try:
        return read_bytes(staged, path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The run's file {path} cannot be read: {error}.", advice="Run the request again.") from error


def _why_left_out(file: WrittenFile) -> str:
    return {
        "edited": "a person has changed it since it was written",
        "conflict": "another file has its place in the project",
        "removed": "it has no tests any more",
    }.get(file.outcome, file.outcome)


def _slug(request: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", request.lower()).strip("-")[:_SLUG].strip("-")
    return f"{plain}-" if plain else ""
