"""One small HTTP application for each framework, most of them in more than one file."""

from __future__ import annotations

FLASK = {
    "src/tasks/__init__.py": "",
    "src/tasks/app.py": '''"""Tasks."""

import os

from flask import Flask, abort, jsonify, request

from .labels import labels

app = Flask(__name__)
app.register_blueprint(labels, url_prefix="/labels")
TASKS = {}
LEVELS = ("low", "high")


@app.post("/tasks")
def create():
    data = request.get_json()
    title = data["title"]
    if not isinstance(title, str) or not 1 <= len(title) <= 20:
        return jsonify(error="title"), 400
    level = data.get("level", "low")
    if level not in LEVELS:
        abort(400, "level")
    minutes = data.get("minutes", 5)
    if not isinstance(minutes, int) or minutes < 1:
        return {"error": "minutes"}, 422
    number = len(TASKS) + 1
    TASKS[number] = {"id": number, "title": title, "level": level, "minutes": minutes}
    return jsonify(TASKS[number]), 201


@app.get("/tasks")
def listing():
    level = request.args.get("level")
    found = [one for one in TASKS.values() if level is None or one["level"] == level]
    return jsonify(found[: request.args.get("limit", 10, type=int)])


@app.route("/tasks/<int:number>", methods=["GET", "DELETE"])
def one(number):
    if number not in TASKS:
        abort(404)
    if request.method == "DELETE":
        if request.headers.get("Authorization") != "Bearer " + os.environ["TASKS_TOKEN"]:
            abort(401)
        del TASKS[number]
        return "", 204
    return jsonify(TASKS[number])
''',
    "src/tasks/labels.py": '''"""Labels."""

from flask import Blueprint, jsonify, request

labels = Blueprint("labels", __name__)
LABELS = []


def payload():
    return request.get_json(silent=True) or {}


@labels.post("")
def add():
    data = payload()
    for key in ("text", "colour"):
        if key not in data:
            return {"error": key}, 400
    LABELS.append({"text": data["text"], "colour": data["colour"]})
    return jsonify(count=len(LABELS)), 201
''',
}
STARLETTE = {
    "src/rooms/__init__.py": "",
    "src/rooms/app.py": '''"""Rooms."""

from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

ROOMS = {}


class Rooms(HTTPEndpoint):
    async def get(self, request):
        least = int(request.query_params.get("beds", 0))
        return JSONResponse([one for one in ROOMS.values() if one["beds"] >= least])

    async def post(self, request):
        body = await request.json()
        if not isinstance(body.get("name"), str):
            return JSONResponse({"error": "name"}, status_code=400)
        if body["beds"] > 4:
            return JSONResponse({"error": "beds"}, status_code=400)
        ROOMS[len(ROOMS) + 1] = {"id": len(ROOMS) + 1, "name": body["name"], "beds": body["beds"]}
        return JSONResponse(ROOMS[len(ROOMS)], status_code=201)


async def room(request):
    found = ROOMS.get(request.path_params["number"])
    return JSONResponse(found or {"error": "none"}, status_code=200 if found else 404)


app = Starlette(routes=[Mount("/v1", routes=[Route("/rooms", Rooms), Route("/rooms/{number:int}", room)])])
''',
}

DJANGO = {
    "src/shelf/__init__.py": "",
    "src/shelf/settings.py": '''"""Settings."""

SECRET_KEY = "not-a-secret"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "shelf.urls"
''',
    "src/shelf/urls.py": '''"""Where what is."""

from django.urls import include, path

from . import views

books = [path("", views.books), path("<int:number>/", views.book)]
urlpatterns = [path("books/", include(books)), path("stamps/", views.stamp)]
''',
    "src/shelf/views.py": '''"""Books."""

import json

from django.http import HttpResponseBadRequest, JsonResponse
from django.views.decorators.http import require_POST, require_http_methods

BOOKS = {}


def books(request):
    if request.method == "POST":
        data = json.loads(request.body)
        if len(data["title"]) > 30:
            return HttpResponseBadRequest("title")
        BOOKS[len(BOOKS) + 1] = {"id": len(BOOKS) + 1, "title": data["title"], "pages": data.get("pages", 100)}
        return JsonResponse(BOOKS[len(BOOKS)], status=201)
    word = request.GET.get("word", "")
    return JsonResponse([one for one in BOOKS.values() if word in one["title"]], safe=False)


@require_http_methods(["GET", "DELETE"])
def book(request, number):
    if number not in BOOKS:
        return JsonResponse({"error": "none"}, status=404)
    if request.method == "DELETE":
        del BOOKS[number]
        return JsonResponse({})
    return JsonResponse(BOOKS[number])


@require_POST
def stamp(request):
    return JsonResponse({"colour": request.POST["colour"]})
''',
    "src/shelf/wsgi.py": '''"""The application."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shelf.settings")
application = get_wsgi_application()
''',
}

FASTAPI = {
    "src/depot/__init__.py": "",
    "src/depot/main.py": '''"""The depot."""

from fastapi import FastAPI

from .crates import router

app = FastAPI(title="Depot")
app.include_router(router, prefix="/v1")
''',
    "src/depot/crates.py": '''"""Crates."""

import functools

from fastapi import APIRouter

router = APIRouter(prefix="/crates")


def counted(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@router.get("/{number}")
@counted
def read(number: int) -> dict[str, int]:
    """One crate."""
    return {"number": number}
''',
}
