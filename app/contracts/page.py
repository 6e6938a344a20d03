"""Writes the registry of contracts as the Markdown page docs/contracts.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .registry import AgentContractRow, ContractRegistry, NodeContractRow, ToolContractRow

_HEAD = """# Contracts

What every agent, tool and node takes, gives, reads, writes and calls. `testwright contracts` writes this page from the
code; `make contracts` renews it, and a test compares them. `testwright contracts --if-changed PATH` says what depends
on a file, a schema or one of the names below:

```sh
python main.py contracts --if-changed schemas/unit_test_schema_v1.json
```

The words are those of [agents](agents.md); schemas have [pages of their own](schemas/README.md).
"""


def contracts_page(registry: ContractRegistry) -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_agents(registry.agents), "", *_tools(registry.tools), "", *_nodes(registry.nodes), ""])


def _agents(rows: Sequence[AgentContractRow]) -> Iterator[str]:
    yield "## Agents\n"
    yield f"Any of them may answer an `AgentError` of the kinds {', '.join(rows[0].errors)}. None keeps a state.\n"
    yield "| role | agent | what it does | input → output | side effects | asked by |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        schemas = f"`{row.input}` → `{row.output}`" if row.input else "in its docstring"
        effects = "; ".join(row.effects) or "none"
        yield f"| `{row.role}` | `{row.name}` | {row.does} | {schemas} | {effects} | {_names(row.asked_by)} |"


def _tools(rows: Sequence[ToolContractRow]) -> Iterator[str]:
    yield "## Tools\n"
    yield f"Any of them may fail with {_names(rows[0].errors)}. Arguments with `?` are optional.\n"
    yield "| tool | for | what it does | arguments → answer | side effects | called by |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        shape = f"{_names(row.input)} → {_names(row.output)}"
        effects = "; ".join(row.effects)
        yield f"| `{row.name}` | {row.audience} | {row.does} | {shape} | {effects} | {_names(row.called_by)} |"


def _nodes(rows: Sequence[NodeContractRow]) -> Iterator[str]:
    yield "## Nodes\n"
    yield "What a node writes is what it may write: the keys of its state that stand in its updates.\n"
    for row in rows:
        yield f"### {row.graph}: {row.name}\n"
        yield f"{row.does}\n"
        for title, names in (
            ("reads", row.reads),
            ("writes", row.writes),
            ("agents", row.agents),
            ("tools", row.tools),
            ("emits", row.events),
            ("raises", row.errors),
        ):
            if names:
                yield f"- {title}: {_names(names)}"
        yield ""


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "nothing"
