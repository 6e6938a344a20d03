"""Fetches the OpenAPI document of an application that a command starts, from the paths where frameworks serve it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ....sandbox.target import PythonTarget
from ..model.api_source import ApiDescription, DocumentReader
from ..model.model import HttpAnswer
from .application import AppLaunch, open_application

_HTML = ("text/html", "application/xhtml+xml")


async def fetch_document(target: PythonTarget, launch: AppLaunch, documents: DocumentReader) -> ApiDescription | None:
    """Start the application and return the document it serves; None where it serves none.

    Raises:
        EnvironmentFault: it does not start. SandboxFailure: the sandbox broke.
    """
    async with open_application(target, launch) as observer:
        for path in documents.paths:
            answers = await observer.answers([{"method": "GET", "path": path, "whole": True}], reset=False)
            if not answers or answers[0].failure:
                return None
            if answers[0].status == 200 and not _is_page(answers[0]):
                found = await asyncio.to_thread(documents.read, path, answers[0].text.encode())
                if found is not None:
                    return replace(found, location="")
    return None


def _is_page(answer: HttpAnswer) -> bool:
    media_type = next((header for name, header in answer.headers.items() if name.lower() == "content-type"), "")
    return media_type.partition(";")[0].strip().lower() in _HTML
