"""A small application that tests are made for, without a document: notes that are created, listed and read."""

from typing import Any

NOTES = """
import itertools
import time

from flask import Flask, jsonify, request

app = Flask(__name__)
NOTES, NUMBERS = {}, itertools.count(1)


@app.post("/notes")
def create_note():
    number = next(NUMBERS)
    NOTES[number] = {"number": number, "text": (request.get_json(silent=True) or {}).get("text", "")}
    return jsonify(NOTES[number]), 201


@app.get("/notes")
def list_notes():
    return jsonify(list(NOTES.values())[:10])


@app.get("/notes/<int:number>")
def read_note(number):
    return jsonify(NOTES[number])
"""


class NoDocuments:
    """Reads no document: the routes of an application say what it answers."""

    paths = ()

    async def load(self, endpoint: str) -> Any:
        raise AssertionError(endpoint)

    def read(self, location: str, content: bytes) -> None:
        return None
