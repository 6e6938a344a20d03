"""A small application that load tests are made for: notes that are created, listed and read."""

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
