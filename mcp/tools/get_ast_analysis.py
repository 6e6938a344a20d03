"""`get_ast_analysis`: describes a Python module from its source, without running it."""

from __future__ import annotations

import hashlib
import sys

from ...core.errors import ProjectError, ToolFailure
from ...engine.python.facts.analyse import analyse_module
from ...engine.python.model.model import CallableFacts, ClassFacts, Parameter
from ...engine.python.project.import_errors import syntax_advice
from ...engine.python.project.layout import find_layout, module_at
from ...utils.canonical import attributes
from ...utils.untrusted_files import read_source_bytes
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import COUNT, TEXTS, array, closed_object, integer, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec


def _run(services: ToolServices, /, file_path: str) -> Json:
    """Analyses a Python module of the project: its import name and its functions, classes and members."""
    file = services.project_file(file_path)
    try:
        facts = analyse_module(services.root, file.resolve(), find_layout(services.root))
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        raise ToolFailure(
            f"{file_path} does not parse: {error.msg}{where}",
            advice=syntax_advice(file_path, str(error.msg), error.lineno or 0, sys.version_info[:2]),
            details={"path": file_path, "line": error.lineno or 0},
        ) from error
    except ProjectError as error:
        raise ToolFailure(error.message, advice=error.advice, details={"path": file_path}) from error
    symbols = [_callable_symbol(facts_of) for facts_of in facts.callables()]
    symbols += [_class_symbol(facts_of) for facts_of in facts.classes]
    return {
        **attributes(facts, "module", "path", "import_root", "digest"),
        "summary": facts.documentation.summary,
        "symbols": sorted(symbols, key=lambda symbol: (symbol["lines"], symbol["qualname"], symbol["kind"])),
        "line_count": facts.line_count,
    }


def _key(services: ToolServices, arguments: Json) -> str | None:
    """Keys by the file's content and its name in the project: the analysis depends on nothing else of the project."""
    try:
        module = module_at(find_layout(services.root), services.project_file(arguments["file_path"]).resolve())
        digest = hashlib.sha256(read_source_bytes(services.root, module.path)).hexdigest()
    except (ToolFailure, ProjectError, OSError):
        return None  # the call itself raises it
    return content_key(arguments, module.module, module.path, module.import_root, digest)


def _answer_key(arguments: Json, answer: Json) -> str:
    return content_key(arguments, answer["module"], answer["path"], answer["import_root"], answer["digest"])


def _callable_symbol(facts: CallableFacts) -> Json:
    return {
        **attributes(facts, "qualname", "kind", "lines"),
        "signature": render_signature(facts),
        "branches": len(facts.branch_lines),
        "public": facts.public,
        "summary": facts.documentation.summary,
        "raises": sorted({site.exception for site in facts.raises}),
    }


def _class_symbol(facts: ClassFacts) -> Json:
    bases = f"({', '.join(facts.bases)})" if facts.bases else ""
    return {
        "qualname": facts.name,
        "kind": "class",
        "lines": list(facts.lines),
        "signature": f"class {facts.name}{bases}",
        "branches": 0,
        "public": not facts.name.startswith("_"),
        "summary": facts.documentation.summary,
        "raises": [],
    }


def render_signature(facts: CallableFacts) -> str:
    """Renders a signature as a caller sees it: `add(name: str, *, count: int = 1) -> None`."""
    parts: list[str] = []
    kinds = [parameter.kind for parameter in facts.parameters]
    for index, parameter in enumerate(facts.parameters):
        # A bare `*` goes before the first keyword-only parameter, unless `*args` marks the place already.
        if parameter.kind == "keyword_only" and "var_positional" not in kinds and kinds.index("keyword_only") == index:
            parts.append("*")
        parts.append(_render_parameter(parameter))
        if parameter.kind == "positional_only" and kinds[index + 1 : index + 2] != ["positional_only"]:
            parts.append("/")
    prefix = "async " if facts.is_async else ""
    returns = f" -> {facts.returns}" if facts.returns else ""
    return f"{prefix}{facts.name}({', '.join(parts)}){returns}"


def _render_parameter(parameter: Parameter) -> str:
    stars = {"var_positional": "*", "var_keyword": "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation:
        text += f": {parameter.annotation}"
    if parameter.default is None:
        return text
    return f"{text} = {parameter.default}" if parameter.annotation else f"{text}={parameter.default}"


TOOL = ToolSpec(
    name="get_ast_analysis",
    input_schema=closed_object(file_path=string(minLength=1, description="Path relative to the project's root.")),
    output_schema=closed_object(
        **strings("module", "path", "import_root", "digest", "summary"),
        symbols=array(
            closed_object(
                **strings("qualname", "kind"),
                lines=array(integer(), minItems=2, maxItems=2),
                signature=string(),
                branches=COUNT,
                public={"type": "boolean"},
                summary=string(),
                raises=TEXTS,
            )
        ),
        line_count=COUNT,
    ),
    run=_run,
    cache_key=_key,
    answer_key=_answer_key,
    audience="both",
    client_form=ClientForm(
        title="Analyse a Python module",
        description="Tells the import name of a Python module and lists its functions, classes and members with "
        "signatures, branches and documented exceptions, without running it. Use it to choose the symbols to test in a "
        "module; get_codebase_context finds modules by what they do. Takes milliseconds.",
        file_argument="file_path",
    ),
)
