"""Sends requests to the running application and judges its answers against the document."""
