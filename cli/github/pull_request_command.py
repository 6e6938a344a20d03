"""pull-request: the kept tests of a run as a pull request on GitHub."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from ...app.fast_imports import fast_imports
from .. import options as given
from ..console import Console, write_text
from ..failures import report_failures
from ..loading import load_settings_aloud

if TYPE_CHECKING:
    from ...app.github.pull_request import RunPullRequest


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("pull-request")(pull_request)


def pull_request(
    run_id: given.RunName = "latest",
    base: Annotated[
        str | None, typer.Option("--base", help="The branch that the tests are for. Default: the one checked out.")
    ] = None,
    head: Annotated[
        str | None, typer.Option("--head", help="The branch for the tests. Default: named after the request.")
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", help="At most 256 characters. Default: from what was tested.")
    ] = None,
    repo: Annotated[
        str | None, typer.Option("--repo", help="owner/name on GitHub. Default: that of the remote origin.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be sent; send nothing.")] = False,
    root: given.Root = None,
    state_dir: given.StateDir = None,
    store: given.Store = None,
    trust_project: given.TrustProject = False,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Make a pull request of a run's kept tests on GitHub, or bring the one that is there up to date.

    The token comes from GITHUB_TOKEN or GH_TOKEN. Nothing but files below the tests' folder is written, and what a
    person has changed there is left alone.

    Example: testwright pull-request latest --root examples/shop --dry-run
    """
    with report_failures(debug=debug, as_json=as_json):
        with fast_imports():
            from ...app.github.pull_request import PullRequestOptions
            from ...app.github.pull_request import pull_request as work

        where = load_settings_aloud(
            {"root": root, "state_dir": state_dir, "store": store, "trust_project": trust_project or None}
        )
        options = PullRequestOptions(repo, base, head, title)
        done = asyncio.run(work(run_id, where, options, os.environ, dry_run=dry_run))
    if as_json:
        sys.stdout.write(json.dumps(asdict(done), indent=2, sort_keys=True) + "\n")
    else:
        print_pull_request(done)


def print_pull_request(done: RunPullRequest) -> None:
    """Print what was done, or on a dry run what would be sent."""
    console, content, result = Console(), done.content, done.result
    if result is None:
        base = content.base_branch or "(the branch whose newest commit is checked out, as GitHub says)"
        console.print(f"Nothing is sent. It would be, to {escape(done.repository)}:")
        console.print(f"  {escape(base)} ← {escape(content.head_branch)}")
        for file in content.files:
            console.print(f"  {escape(file.path)} ({len(file.contents.encode())} bytes)")
        console.print(f"  title: {escape(content.title)}\n")
        write_text(content.body)
        return
    words = {
        "created": f"created: {result.url}",
        "updated": f"updated: {result.url}",
        "unchanged": f"is up to date: {result.url}",
        "nothing_new": f"not made: {result.base} has these tests already",
    }
    console.print(f"Pull request {escape(words[result.outcome])}")
    for path in result.written:
        console.print(f"  {escape(path)}")
    for path in result.left_alone:
        console.print(
            f"[yellow]left alone[/]: {escape(path)} (a person has changed or removed it in {escape(result.branch)})"
        )
    for path, reason in done.left_out:
        console.print(f"not in it: {escape(path)} ({escape(reason)})")
