"""Reading OpenAPI documents: fetch, parse, gather references, check, tell (T-12)."""
