"""What our servers need of the SDK beyond what it offers: arguments as they came, the host's logging left alone."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from pydantic import ConfigDict

_CONSTRUCTION = threading.Lock()


class AnyArguments(ArgModelBase):
    """Hands a tool's arguments over as they came: its own schema checks them, every error at once."""

    model_config = ConfigDict(extra="allow")

    def model_dump_one_level(self) -> dict[str, Any]:
        """What the tool's function is called with: `arguments`."""
        return {"arguments": dict(self.model_extra or {})}


@contextmanager
def root_logger_kept() -> Iterator[None]:
    """Construct an MCPServer inside: it configures the root logger when that has no handler, which is the host's."""
    handler = logging.NullHandler()
    with _CONSTRUCTION:
        logging.getLogger().addHandler(handler)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(handler)
