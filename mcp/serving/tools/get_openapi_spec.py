"""`get_openapi_spec(endpoint)` for clients (T-12)."""

from __future__ import annotations

from ...tools import get_openapi_spec
from .forwarding import forwarded

TOOL = forwarded(
    get_openapi_spec.TOOL,
    title="Read an OpenAPI document",
    description="Tells the operations of an API with parameters, bodies, responses and security, and everything "
    "that is wrong with its OpenAPI 3 or Swagger 2 document. endpoint is a file of the project, the "
    "URL of a document, the address of a running app, an operation such as 'GET /orders/{id}', or "
    "'.' for the project's own document. Use it to learn what an API promises; get_codebase_context "
    "finds the code behind it. Large documents come in pages (offset) and parts (pointer). Takes "
    "milliseconds for a file; for an address it makes requests to that host only.",
    open_world=True,
)
