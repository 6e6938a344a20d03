"""`get_ast_analysis`: what the source of one module says, without running it (T-12)."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from ...core.errors import ProjectError, ToolFailure
from ...engine.python.facts.analyse import analyse_module
from ...engine.python.model.model import CallableFacts, ClassFacts, Parameter
from ...engine.python.project.layout import find_layout, module_at
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_analysed, services, arguments["file_path"])


def _analysed(services: ToolServices, given: str) -> dict[str, Any]:
    place = services.project_file(given)
    try:
        facts = analyse_module(services.root, place.resolve(), find_layout(services.root))
    except SyntaxError as error:
        raise ToolFailure(
            f"{given} does not parse: {error.msg} in line {error.lineno or 0}",
            advice="correct the file first; check_syntax tells more",
            details={"path": given, "line": error.lineno or 0},
        ) from error
    except ProjectError as error:
        raise ToolFailure(error.message, advice=error.advice, details={"path": given}) from error
    symbols = [_callable_symbol(one) for one in facts.callables()] + [_class_symbol(one) for one in facts.classes]
    return {
        "module": facts.module,
        "path": facts.path,
        "import_root": facts.import_root,
        "digest": facts.digest,
        "summary": facts.documentation.summary,
        "symbols": sorted(symbols, key=lambda one: (one["lines"], one["qualname"], one["kind"])),
        "line_count": facts.line_count,
    }


def _key(services: ToolServices, arguments: dict[str, Any]) -> str | None:
    """By the file's content, and by the name it has in its project: nothing else of the project matters."""
    try:
        place = module_at(find_layout(services.root), services.project_file(arguments["file_path"]).resolve())
        digest = hashlib.sha256((services.root / place.path).read_bytes()).hexdigest()
    except (ToolFailure, ProjectError, OSError):
        return None  # the call itself tells it
    return content_key(arguments, place.module, place.path, place.import_root, digest)


def _answer_key(arguments: dict[str, Any], answer: dict[str, Any]) -> str:
    return content_key(arguments, answer["module"], answer["path"], answer["import_root"], answer["digest"])


def _callable_symbol(one: CallableFacts) -> dict[str, Any]:
    return {
        "qualname": one.qualname,
        "kind": one.kind,
        "lines": list(one.lines),
        "signature": signature(one),
        "branches": len(one.branch_lines),
        "public": one.public,
        "summary": one.documentation.summary,
        "raises": sorted({site.exception for site in one.raises}),
    }


def _class_symbol(one: ClassFacts) -> dict[str, Any]:
    bases = f"({', '.join(one.bases)})" if one.bases else ""
    return {
        "qualname": one.name,
        "kind": "class",
        "lines": list(one.lines),
        "signature": f"class {one.name}{bases}",
        "branches": 0,
        "public": not one.name.startswith("_"),
        "summary": one.documentation.summary,
        "raises": [],
    }


def signature(one: CallableFacts) -> str:
    """The signature as a caller sees it: `add(name: str, *, count: int = 1) -> None`."""
    parts: list[str] = []
    kinds = [parameter.kind for parameter in one.parameters]
    for index, parameter in enumerate(one.parameters):
        if parameter.kind == "keyword_only" and "var_positional" not in kinds and kinds.index("keyword_only") == index:
            parts.append("*")
        parts.append(_parameter(parameter))
        last_positional = parameter.kind == "positional_only" and kinds[index + 1 : index + 2] != ["positional_only"]
        if last_positional:
            parts.append("/")
    prefix = "async " if one.is_async else ""
    returns = f" -> {one.returns}" if one.returns else ""
    return f"{prefix}{one.name}({', '.join(parts)}){returns}"


def _parameter(parameter: Parameter) -> str:
    stars = {"var_positional": "*", "var_keyword": "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation:
        text += f": {parameter.annotation}"
    if parameter.default is None:
        return text
    return f"{text} = {parameter.default}" if parameter.annotation else f"{text}={parameter.default}"


TOOL = ToolDefinition(
    name="get_ast_analysis",
    description="Analyses a Python module of the project: its import name and its functions, classes and members.",
    input_schema=closed_object(
        {"file_path": {"type": "string", "minLength": 1, "description": "Path relative to the project's root."}}
    ),
    output_schema=closed_object(
        {
            "module": {"type": "string"},
            "path": {"type": "string"},
            "import_root": {"type": "string"},
            "digest": {"type": "string"},
            "summary": {"type": "string"},
            "symbols": {
                "type": "array",
                "items": closed_object(
                    {
                        "qualname": {"type": "string"},
                        "kind": {"type": "string"},
                        "lines": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
                        "signature": {"type": "string"},
                        "branches": {"type": "integer", "minimum": 0},
                        "public": {"type": "boolean"},
                        "summary": {"type": "string"},
                        "raises": {"type": "array", "items": {"type": "string"}},
                    }
                ),
            },
            "line_count": {"type": "integer", "minimum": 0},
        }
    ),
    run=_run,
    cache_key=_key,
    answer_key=_answer_key,
)
