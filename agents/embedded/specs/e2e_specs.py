"""Generates specs of browser tests: starts a site in the sandbox and explores it in a real Chromium."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from ....core.errors import UsageError
from ....engine.api.document.apps import find_secret_variables
from ....engine.browser.explore.explore import explore_site
from ....engine.browser.explore.session import SiteLaunch
from ....engine.browser.model.flow import BrowserBudget, Exploration, SignIn
from ....engine.browser.write.compose import compose_spec
from ....engine.browser.write.evidence import TextPlaces
from ....engine.python.project.layout import find_layout
from ....sandbox.browsers.chromium import browser_tools_missing
from ....sandbox.javascript.playwright import prepare_playwright
from ....sandbox.javascript.playwright_report import own_configuration
from ....sandbox.target import ProvideTarget
from ....utils.redact import placeholder_secret
from ....utils.untrusted_files import read_source_bytes
from ...contract.protocol import JsonObject
from .spec_agent import SpecResult


@dataclass(frozen=True, slots=True)
class BrowserSpecGenerator:
    """Generates specs of browser tests for one site.

    The metadata holds `scenarios` (played), `pages` and `notes`.

    Attributes:
        python_target: prepares the project; called when the site is started.
        root: the project's root.
        url: origin of a site that runs already; empty for none.
        command: starts the site in place of the target's own command; `{port}` is replaced by the port.
        sign_in: `NAME:VARIABLE`: who signs in, and the environment variable with the password; empty for nobody.
        variables: environment variables that the settings give the code under test.
        budget: limits on what is tried; None for the engine's default.
    """

    python_target: ProvideTarget
    root: Path
    _: KW_ONLY
    command: tuple[str, ...] = ()
    url: str = ""
    sign_in: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    budget: BrowserBudget | None = None

    async def generate(self, inputs: Mapping[str, Any], *, seconds: float | None = None) -> SpecResult:
        """Generate the spec for `target` (`application`).

        Counts (`BrowserBudget`) bound what is tried. Raises as `explore_site` and `prepare_playwright`.
        """
        target: Mapping[str, Any] = inputs["target"]
        launch = await asyncio.to_thread(self._launch, target)
        if launch is None:
            raise UsageError(
                "Browser tests need a site to start, and none is named.",
                advice="name the module that makes it or a folder of pages, say how it is started: --app-command, or "
                "where it runs on this machine: --app-url",
            )
        prepared = await self.python_target()
        framework = str(inputs.get("framework") or "pytest")
        if framework == "playwright":
            # What cannot be run is told before a minute is spent on exploring.
            await asyncio.to_thread(prepare_playwright, prepared)
        exploration = await explore_site(
            prepared,
            launch,
            start=str(target.get("start") or "/"),
            sign_in=self._who(launch),
            # The kept tests start a command on the project itself, not on a copy of it.
            destructive=not launch.url and (not launch.command or launch.folder is not None),
            budget=self.budget,
        )
        lacking = await asyncio.to_thread(browser_tools_missing, prepared.interpreter)
        if lacking and framework == "pytest":
            python = prepared.interpreter.path
            exploration.notes.append(f"the tests need {lacking}, which is missing: {python} -m pip install {lacking}")
        spec = await asyncio.to_thread(self._composed, exploration, launch, target, framework)
        metadata: JsonObject = {
            "scenarios": exploration.played,
            "pages": len(exploration.places),
            "notes": list(exploration.notes),
        }
        event = {"event": "explored", "target": launch.label, **metadata, "cases": len(spec["cases"])}
        return SpecResult(spec, metadata, [event])

    def _launch(self, target: Mapping[str, Any]) -> SiteLaunch | None:
        named = target.get("application") or {}
        command = self.command or tuple(named.get("command") or ())
        if self.url and not command:
            return SiteLaunch(url=self.url, unwritten=dict(self.variables))
        if not (named.get("import") or command):
            return None
        layout = find_layout(self.root)
        package = str(named.get("import") or "").partition(":")[0].partition(".")[0]
        near = [one for one in layout.modules if one.module.partition(".")[0] == package] or layout.modules
        secrets = {name: placeholder_secret(name) for name in find_secret_variables(self.root, near)}
        environment = secrets | dict(named.get("environment") or {})
        return SiteLaunch(
            application=None if command else named.get("import"),
            command=command,
            import_roots=tuple(layout.import_roots) or (".",),
            environment={name: value for name, value in environment.items() if name not in self.variables},
            folder=named.get("folder"),
            unwritten=dict(self.variables),
        )

    def _who(self, launch: SiteLaunch) -> SignIn | None:
        user, _, variable = self.sign_in.rpartition(":")
        if not user:
            return None
        if variable not in launch.environment and variable not in launch.unwritten:
            raise UsageError(
                f"The variable {variable} of --sign-in holds no password: the site reads none, and nothing sets it.",
                advice=f'set it in the project\'s file, under [tool.testwright.env]: {variable} = "…"',
            )
        return SignIn(user, variable)

    def _composed(
        self, exploration: Exploration, launch: SiteLaunch, target: Mapping[str, Any], framework: str
    ) -> JsonObject:
        path = str(target.get("path") or "")
        known: JsonObject = {}
        if path and (self.root / path).is_file():
            known = {"path": path, "digest": hashlib.sha256(read_source_bytes(self.root, path)).hexdigest()}
        known |= own_configuration(self.root) if framework == "playwright" else {}
        name = exploration.places[0].state.title or launch.label if exploration.places else launch.label
        return compose_spec(
            exploration,
            name=Path(path).stem.replace("_", " ") if path.endswith(".py") else name,
            framework=framework,
            target=known,
            launch=launch,
            places=TextPlaces(self.root, [path] if "path" in known else []),
        )
