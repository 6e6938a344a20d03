"""Plans unit and integration tests of JavaScript and TypeScript modules, written for Jest: one step for each module."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from ....core.errors import RequestError
from ....engine.javascript.flows.seams import entries_of
from ....engine.javascript.sources import ScriptSources, find_scripts, path_of_tests
from ....sandbox.javascript.project import collection_of, package_of
from ....sandbox.javascript.syntax import SUFFIXES
from ....utils.names.similar_names import similar_names
from ....utils.untrusted_files import read_source_bytes
from ...contract.protocol import JsonObject
from .order.script_importance import scripts_in_order_of_importance
from .plan_steps import CONTEXT, accept_step, context_step, unique_slug, verify_step
from .refusals import check_understood
from .request.lexicon import AVAILABLE_FRAMEWORKS, SCRIPT_FRAMEWORKS
from .request.parsed_request import Mention, ParsedRequest
from .script_frameworks.api_frameworks import api_framework

_FRAMEWORK = "jest"
_KINDS = ("unit", "integration")
_MOST_ENTRIES = 12
_TESTS = "tests/generated"
_SHOWN = 3
_LONGEST_SLUG = 100
Target = tuple[str, tuple[str, ...] | None]
"""Path of a module, and the names it is limited to or None."""


def wants_scripts(words: ParsedRequest, inputs: Mapping[str, Any]) -> bool:
    """Whether a request is about scripts: it names Jest, or a file of JavaScript or TypeScript and none of Python.

    A word without a folder, such as Node.js, is a script only where the project has one of that name.
    """
    # Of several frameworks the first one decides, as it does among those for Python.
    first = [*words.frameworks, str(inputs.get("framework") or "")][:1]
    texts = [mention.text for mention in words.mentions if not mention.excluded] + [str(inputs.get("target") or "")]
    if first[0] in SCRIPT_FRAMEWORKS:
        return not api_framework(words, inputs)
    if any(text.partition(":")[0].endswith(".py") for text in texts):
        return False
    scripts = [text.partition(":")[0] for text in texts if is_script(text)]
    if not scripts or any("/" in path for path in scripts):
        return bool(scripts)
    sources = find_scripts(Path(str(inputs.get("root") or ".")))
    known = {PurePosixPath(path).name for path in (*sources.modules, *sources.tests)}
    return any(path in known for path in scripts)


def is_script(text: str) -> bool:
    """Whether a word is a path of a script, also with a name in it: `src/pricing.ts:total`."""
    return text.partition(":")[0].endswith(SUFFIXES)


def script_plan(words: ParsedRequest, inputs: Mapping[str, Any], root: Path) -> JsonObject:
    """Build the plan. Raises RequestError when nothing can be planned, or something else than asked for would be."""
    _refuse(words, inputs)
    planning = _Planning(words, inputs, root)
    planning.require_scripts()
    targets = planning.targets()
    check_understood(planning.not_understood, planning.stopping, inputs.get("strict"))
    if not targets:
        reasons = "; ".join(f"{row['text']}: {row['reason']}" for row in planning.not_understood)
        raise RequestError(
            reasons or f"jest tests JavaScript and TypeScript, and there is no such module in {root}.",
            advice="Name a module, such as src/pricing.ts, or a folder of modules.",
            details={"not_understood": planning.not_understood},
        )
    kinds = _kinds(words, inputs)
    steps = planning.steps(targets, kinds)
    if not any(step["type"].startswith("generate_") for step in steps):
        reasons = "; ".join(str(row["reason"]) for row in planning.skipped)
        raise RequestError(
            f"there is nothing to integrate: {reasons or 'no module uses another one, a file or a service'}.",
            advice="Ask for unit tests, or name a module that uses another one.",
            details={"not_understood": planning.not_understood},
        )
    planned = [step["params"]["target"] for step in steps if step["type"].startswith("generate_")]
    named = [one["path"] if one["symbols"] is None else f"{one['path']}:{', '.join(one['symbols'])}" for one in planned]
    named = sorted(dict.fromkeys(named))
    shown = ", ".join(named) if len(named) <= _SHOWN else f"{len(named)} modules of scripts"
    said = " and ".join(kinds)
    return {
        "steps": steps,
        "understood": [f"{said[:1].upper()}{said[1:]} tests with jest for {shown}."],
        "not_understood": planning.not_understood,
        "skipped": planning.skipped,
    }


def _asked_kinds(words: ParsedRequest, inputs: Mapping[str, Any]) -> list[str]:
    """The test types that a request names; an option narrows it to its own."""
    wanted = str(inputs.get("test_type") or "")
    return [wanted] if wanted else list(words.test_types)


def _kinds(words: ParsedRequest, inputs: Mapping[str, Any]) -> list[str]:
    """What is planned: unit tests where nothing else is named."""
    asked = _asked_kinds(words, inputs)
    return [kind for kind in _KINDS if kind in asked] or ["unit"]


def _refuse(words: ParsedRequest, inputs: Mapping[str, Any]) -> None:
    kinds = {*_asked_kinds(words, inputs)} - {*_KINDS}
    if kinds:
        listed = " and ".join(sorted(kinds))
        raise RequestError(
            f"{listed} tests are not made with jest: unit and integration tests are, API tests in a run of their own.",
            advice="Ask for unit or integration tests of a script, for API tests alone, or leave jest out.",
            details={"not_understood": [_row(f"{listed} tests", "not made with jest in this run")]},
        )
    asked = [*words.frameworks, *([str(inputs["framework"])] if inputs.get("framework") else [])]
    others = [name for name in words.frameworks if name not in SCRIPT_FRAMEWORKS]
    if others and _FRAMEWORK not in asked:
        advice = "Ask for jest, or name no framework."
        listed = " and ".join(others)
        reason = "does not test JavaScript and TypeScript: jest does"
        details: dict[str, object] = {"not_understood": [_row(listed, reason, [_FRAMEWORK])]}
        raise RequestError(f"{listed} {reason}.", advice=advice, details=details)


class _Planning:
    """What one request means by its words."""

    def __init__(self, words: ParsedRequest, inputs: Mapping[str, Any], root: Path) -> None:
        self._words = words
        self._inputs = inputs
        self._root = root
        self._sources: ScriptSources = find_scripts(root)
        self.not_understood: list[JsonObject] = [_row(text, reason) for text, reason in words.unknown]
        self.stopping: list[str] = [text for text, _ in words.unknown]
        self.skipped: list[JsonObject] = []
        self._named: set[str] = set()
        self._slugs: dict[str, set[str]] = {}
        if inputs.get("changes") is not None or words.changed_since or words.most_complex:
            self._unclear(
                "only a part of the modules", "what has changed or is complex is known of Python modules only"
            )

    def require_scripts(self) -> None:
        """Raise RequestError where the project has no module that could be tested, and none is named."""
        named = any(is_script(one.text) for one in self._words.mentions) or is_script(str(self._inputs.get("target")))
        if not self._sources.modules and not named:
            raise RequestError(
                f"jest tests JavaScript and TypeScript, and there is no such module in {self._root}.",
                advice="Leave jest out for Python modules, or give --root of the package.",
                details={"not_understood": [_row("jest", "there is no JavaScript or TypeScript module to test")]},
            )

    def targets(self) -> list[Target]:
        """The modules to test, each once."""
        found: dict[str, tuple[str, ...] | None] = {}
        mentions = [one for one in self._words.mentions if not one.excluded]
        if self._inputs.get("target"):
            mentions.append(Mention(str(self._inputs["target"]), True))
        named = False
        for mention in sorted(mentions, key=lambda one: one.weak):
            if mention.weak and named:
                continue
            hits = self._find(mention)
            self._named |= {path for path, _ in hits if len(hits) == 1}
            for path, names in hits:
                named = True
                known = found.get(path, ())
                found[path] = None if names is None or known is None else tuple(dict.fromkeys((*known, *names)))
        if not mentions or (not named and all(one.weak for one in mentions)):
            found = dict.fromkeys(self._sources.modules)
        gone = {path for one in self._words.mentions if one.excluded for path, _ in self._find(one)}
        patterns = [str(one) for one in self._inputs.get("exclude") or ()]
        gone |= {path for path in found if any(fnmatchcase(path, one) for one in patterns)}
        return sorted((path, names) for path, names in found.items() if path not in gone)

    def _find(self, mention: Mention) -> list[Target]:
        text, _, names = mention.text.partition(":")
        wanted = tuple(one for one in names.strip("()").split(",") if one) or None
        path = PurePosixPath(text.removeprefix("./")).as_posix()
        if path in self._sources.modules or (path.endswith(SUFFIXES) and (self._root / path).is_file()):
            if path in self._sources.tests:
                return self._unclear(mention.text, "it is a test already")
            return [(path, wanted)]
        inside = [one for one in self._sources.modules if one.startswith(f"{path.rstrip('/')}/") or path == "."]
        inside = inside or [one for one in self._sources.modules if fnmatchcase(one, path)]
        names_of = {one: PurePosixPath(one).name for one in self._sources.modules}
        stems = [one for one, name in names_of.items() if name.partition(".")[0].lower() == path.lower()]
        stems = stems or [one for one, name in names_of.items() if name == path]
        if inside or stems:
            return [(one, wanted) for one in inside or stems]
        if mention.weak:
            return []
        if path.endswith(".py"):
            reason = "jest tests JavaScript and TypeScript, and this is Python"
            return self._unclear(mention.text, reason, AVAILABLE_FRAMEWORKS)
        near = similar_names(path, self._sources.modules, cutoff=0.6)
        reason = "no JavaScript or TypeScript module has this name, and jest tests nothing else"
        reason = "there is no such file" if "/" in path or "." in path else reason
        return self._unclear(mention.text, reason, near)

    def _unclear(self, text: str, reason: str, hints: Sequence[str] = ()) -> list[Target]:
        row = _row(text, reason, hints)
        if row not in self.not_understood:
            self.not_understood.append(row)
            self.stopping.append(text)
        return []

    def steps(self, targets: Sequence[Target], kinds: Sequence[str]) -> list[JsonObject]:
        """The steps, in order: context, one for each module and kind of test by importance, verify, accept."""
        wanted = [("unit", *one) for one in targets] if "unit" in kinds else []
        wanted += [("integration", *one) for one in self._entries(targets)] if "integration" in kinds else []
        if not wanted:
            return []
        before = [context_step(str(self._inputs.get("user_request") or ""))] if len(wanted) > 1 else []
        taken: set[str] = set()
        generate: list[JsonObject] = []
        for kind, path, names in wanted:
            generate.append(self._step(kind, path, names, taken, [CONTEXT] if before else []))
        paths = [str(step["params"]["test_path"]) for step in generate]
        verify = verify_step([str(step["id"]) for step in generate], paths, _FRAMEWORK)
        tests = self._sources.tests
        ordered = [
            step
            for of_kind in _KINDS
            for step in scripts_in_order_of_importance(
                [one for one in generate if one["params"]["test_type"] == of_kind], self._root, tests, self._named
            )
        ]
        return [*before, *ordered, verify, accept_step([str(verify["id"])], paths)]

    def _entries(self, targets: Sequence[Target]) -> list[Target]:
        """The modules among the targets that use another one, a file or a service, and the package's programs.

        Of many, those that reach most others; `skipped` names the rest.
        """
        named = dict(targets)
        whole = set(named) == set(self._sources.modules)
        found = entries_of(self._root, list(named), programs=whole)
        beyond = f"beyond the {_MOST_ENTRIES} that reach most others"
        self.skipped += [{"target": path, "reason": beyond} for path in found[_MOST_ENTRIES:]]
        if not whole:
            reason = "it uses no other module of the project, no file and no service, and is no program"
            self.skipped += [{"target": path, "reason": reason} for path in named if path not in found]
        return [(path, named.get(path)) for path in found[:_MOST_ENTRIES]]

    def _step(
        self, kind: str, path: str, names: tuple[str, ...] | None, taken: set[str], after: list[str]
    ) -> JsonObject:
        test_path = self._test_path(kind, path, names)
        number = 2
        while test_path in taken:
            stem, mark, suffix = re.split(r"(\.(?:test|spec)\.)(?=\w+$)", test_path)
            test_path = f"{stem.rstrip('0123456789-')}-{number}{mark}{suffix}"
            number += 1
        taken.add(test_path)
        # Where only letters and digits stay, `src/a/b.js` and `src/a.b.js` read alike.
        known = self._slugs.setdefault(kind, set())
        slug = unique_slug(f"{_slug(path)}{'__' + _slug('_'.join(names[:3])) if names else ''}", known)
        known.add(slug)
        ending = "" if kind == "unit" else f".{kind}"
        target: JsonObject = {
            "path": path,
            "symbols": list(names) if names is not None else None,
            "digest": hashlib.sha256(read_source_bytes(self._root, path)).hexdigest(),
        }
        params: JsonObject = {
            "test_type": kind,
            "framework": _FRAMEWORK,
            "target": target,
            "spec_path": f"specs/{slug}{ending}.json",
            "test_path": test_path,
            "depends_on": after,
        }
        return {"id": f"generate_{kind}_{slug}", "type": f"generate_{kind}_tests", "params": params}

    def _test_path(self, kind: str, path: str, names: tuple[str, ...] | None) -> str:
        package = package_of(self._root, path)
        part = "" if names is None else "." + "-".join(names[:2]).replace(".", "-")
        wanted = str(self._inputs.get("tests_dir") or _TESTS)
        # A folder that somebody asked for is theirs to configure.
        collection = collection_of(self._root, package) if wanted == _TESTS else None
        if kind == "unit":
            return path_of_tests(path, package.folder, wanted, part, collection)
        own = f"{wanted}/{kind}"
        found = path_of_tests(path, package.folder, own, part, collection)
        if f"{own}/" in found:
            return found
        # Beside unit tests of the same module, a file needs a name of its own.
        return path_of_tests(path, package.folder, own, f"{part}.{kind}", collection)


def _slug(text: str) -> str:
    plain = "".join(sign if sign.isalnum() else "_" for sign in text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    if len(plain) <= _LONGEST_SLUG and plain.isascii():
        return plain
    return f"{plain.encode('ascii', 'ignore').decode()[:_LONGEST_SLUG]}_{digest}"


def _row(text: str, reason: str, hints: Sequence[str] = ()) -> JsonObject:
    return {"text": text, "reason": reason, "suggestions": list(hints)}
