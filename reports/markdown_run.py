"""The last sections of report.md: all that differs from run to run."""

from __future__ import annotations

from collections.abc import Iterator

from .markdown_parts import code, line, section
from .model import Report


def run_section(report: Report) -> Iterator[str]:
    """Times, machine, tools and models."""
    run = report.run
    calls = sum(tool_call.calls for tool_call in run.tool_calls)
    cached = sum(tool_call.cached for tool_call in run.tool_calls)
    idle = "" if run.idle is None else f"{run.idle.seconds:.1f} s ({100 * run.idle.share:.0f} %)"
    rows = [
        ("Run", code(run.id)),
        ("Began", run.started_at),
        ("Took", f"{run.seconds:.1f} s"),
        ("Idle", idle),
        ("Waited for models", f"{run.idle.model_seconds:.1f} s" if run.idle and run.idle.model_seconds else ""),
        ("Sandbox", run.sandbox),
        ("Interpreter", run.interpreter),
        ("Tool calls", f"{calls}, {cached} from the cache" if calls else ""),
        ("Model tokens", str(run.spent.tokens) if run.spent.tokens else ""),
        ("Model cost", _cost(report)),
        ("Resumed", str(run.resumed) if run.resumed else ""),
        ("testwright", run.version),
    ]
    yield from section("The run", ("", ""), [row for row in rows if row[1]])
    for part in (_tools(report), _models(report)):
        lines = list(part)
        yield from ["", *lines] if lines else []


def _tools(report: Report) -> Iterator[str]:
    """Who served which tool, and what did not come about."""
    run = report.run
    rows = [
        (
            code(tool_call.tool),
            line(tool_call.served_by),
            str(tool_call.calls),
            str(tool_call.cached or ""),
            str(tool_call.failed or ""),
            f"{tool_call.seconds:.1f}",
        )
        for tool_call in run.tool_calls
    ]
    yield from section("Tools", ("Tool", "Served by", "Calls", "From the cache", "Failed", "Seconds"), rows)
    if run.warnings:
        yield ""
        yield from (f"- {line(warning)}" for warning in run.warnings)


def _cost(report: Report) -> str:
    """What models cost in all, and whose price is not known; empty when none was asked."""
    unknown = sorted({model.model for model in report.run.spent.models if not model.priced})
    if not report.run.spent.tokens:
        return ""
    without = f", without {', '.join(map(code, unknown))}: no price is known (--prices)" if unknown else ""
    return f"{report.run.spent.cost:.4f} USD{without}"


def _models(report: Report) -> Iterator[str]:
    """Who asked which model, and what it took."""
    head = ("Role", "Model", "Calls", "Tokens in", "of them cached", "Tokens out", "USD")
    counts = ("calls", "tokens_in", "tokens_cached", "tokens_out")
    rows = [
        (
            *(model.role, code(model.model), *(str(getattr(model, name)) for name in counts)),
            f"{model.cost:.4f}" if model.priced else "not known",
        )
        for model in report.run.spent.models
    ]
    yield from section("Models", head, rows)
