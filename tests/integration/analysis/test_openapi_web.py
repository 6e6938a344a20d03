"""Documents fetched from real servers on this machine: found, bounded, and never further than asked (T-12)."""

from __future__ import annotations

import datetime
import gzip
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer
from pydantic import BaseModel

from testwright.analysis.openapi.http_fetch import HostUnreachable, HttpFetcher, block_reason
from testwright.core.errors import ToolFailure
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services
from testwright.tests.support.mcp.web_hosts import moved, page, web_host

pytestmark = pytest.mark.feature("T-12")


def minimal(**more: Any) -> str:
    paths = {"/ping": {"get": {"operationId": "ping", "responses": {"200": {"description": "pong"}}}}}
    return json.dumps({"openapi": "3.1.0", "info": {"title": "Small", "version": "1"}, "paths": paths, **more})


async def ask(folder: Path, endpoint: str, **more: Any) -> dict[str, Any]:
    async with ToolClient(build_toolbox(make_services(folder))) as client:
        return await client.call("get_openapi_spec", {"endpoint": endpoint, **more})


class Item(BaseModel):
    name: str
    price: float = 0.0
    parts: list[Item] = []


def real_app() -> FastAPI:
    app = FastAPI(title="Warehouse", version="3.2.1")

    @app.get("/items/{item_id}", summary="One item")
    def read_item(item_id: int, q: str | None = None) -> Item:
        return Item(name=f"{item_id} {q}")

    @app.post("/items", status_code=201, dependencies=[Depends(HTTPBearer())])
    def add_item(item: Item) -> Item:
        return item

    return app


@contextmanager
def running(app: FastAPI) -> Iterator[str]:
    """The address of an app that runs in a real server; its socket listens before the server is up."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


async def test_the_document_of_a_running_app_is_found(tmp_path):
    with running(real_app()) as base:
        answer = await ask(tmp_path, base)
    assert (answer["origin"]["kind"], answer["origin"]["location"]) == ("app", f"{base}/openapi.json")
    assert (answer["valid"], answer["errors"]) == (True, [])
    assert (answer["summary"]["title"], answer["summary"]["version"]) == ("Warehouse", "3.2.1")
    told = {(operation["method"], operation["path"]): operation for operation in answer["operations"]}
    assert set(told) == {("GET", "/items/{item_id}"), ("POST", "/items")}
    assert [
        (parameter["name"], parameter["required"]) for parameter in told["GET", "/items/{item_id}"]["parameters"]
    ] == [
        ("item_id", True),
        ("q", False),
    ]
    assert told["POST", "/items"]["security"] == [["HTTPBearer"]]
    assert any("Item" in one["reference"] for one in answer["circular"])


@pytest.mark.parametrize("path", ["/v3/api-docs", "/swagger/v1/swagger.json", "/openapi.yaml"])
async def test_the_paths_of_many_frameworks_are_tried(tmp_path, path):
    answers = {path: page(minimal(), "text/plain"), "/openapi.json": page("<html>nothing</html>", "text/html")}
    with web_host(answers) as host:
        answer = await ask(tmp_path, f"127.0.0.1:{host.port}")
    assert answer["origin"]["location"] == host.url(path)
    assert [operation["id"] for operation in answer["operations"]] == ["ping"]


async def test_an_app_below_a_path_is_looked_for_there_first(tmp_path):
    with web_host({"/shop/openapi.json": page(minimal()), "/openapi.json": page("{}")}) as host:
        answer = await ask(tmp_path, host.url("/shop/"))
        assert host.asked == ["/shop/", "/shop/openapi.json"]
    assert answer["origin"]["location"] == host.url("/shop/openapi.json")


async def test_a_url_is_read_whatever_its_content_type_says(tmp_path):
    yaml_text = "openapi: 3.0.3\ninfo: {title: Y, version: '1'}\npaths: {}\n"
    packed = (200, {"Content-Encoding": "gzip"}, gzip.compress(minimal().encode()))
    with web_host({"/a": page(yaml_text, "application/octet-stream"), "/b?key=1": packed}) as host:
        assert (await ask(tmp_path, host.url("/a")))["summary"]["title"] == "Y"
        assert "authorization" not in host.headers
        assert "cookie" not in host.headers
        assert host.headers["host"] == f"127.0.0.1:{host.port}"
        assert (await ask(tmp_path, host.url("/b?key=1")))["summary"]["title"] == "Small"


async def test_a_document_that_is_broken_there_is_told_with_its_line(tmp_path):
    with web_host({"/spec.yaml": page("openapi: 3.1.0\ninfo: [\n", "text/yaml")}) as host:
        answer = await ask(tmp_path, host.url("/spec.yaml"))
    assert (answer["valid"], answer["errors"][0]["line"]) == (False, 3)


async def test_references_are_followed_on_the_same_host_only(tmp_path):
    with web_host({"/pet.json": page('{"type": "string"}')}) as other:
        schemas = {
            "Near": {"$ref": "schemas/near.json"},
            "Far": {"$ref": other.url("/pet.json")},
            "Gone": {"$ref": "gone.json"},
        }
        answers = {
            "/api/openapi.json": page(minimal(components={"schemas": schemas})),
            "/api/schemas/near.json": page('{"type": "integer"}'),
        }
        with web_host(answers) as host:
            answer = await ask(tmp_path, host.url("/api/openapi.json"))
    assert other.asked == []
    assert answer["document"]["components"]["schemas"]["Near"] == {"type": "integer"}
    told = {error["path"]: error["message"] for error in answer["errors"]}
    assert set(told) == {'$.components.schemas.Far["$ref"]', '$.components.schemas.Gone["$ref"]'}
    assert "on another host" in told['$.components.schemas.Far["$ref"]']
    assert "status 404" in told['$.components.schemas.Gone["$ref"]']


async def test_redirects_stay_within_the_host(tmp_path):
    with web_host({"/openapi.json": page(minimal())}) as other:
        answers = {
            "/old": moved("/new"),
            "/new": page(minimal()),
            "/away": moved(other.url("/openapi.json")),
            "/round": moved("/round"),
            "/file": moved("file:///etc/passwd"),
        }
        with web_host(answers) as host:
            assert (await ask(tmp_path, host.url("/old")))["origin"]["location"] == host.url("/new")
            with pytest.raises(ToolFailure, match="another host"):
                await ask(tmp_path, host.url("/away"))
            with pytest.raises(ToolFailure, match="more than 5 times"):
                await ask(tmp_path, host.url("/round"))
            with pytest.raises(ToolFailure, match="file: are not read"):
                await ask(tmp_path, host.url("/file"))
    assert other.asked == []


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        ("ftp://127.0.0.1/openapi.json", "ftp: are not read"),
        ("file:///etc/passwd", "file: are not read"),
        ("http://user:word@127.0.0.1/", "user name or password"),
        ("http://169.254.169.254/latest/meta-data", "secrets of a machine"),
        ("http://[::ffff:169.254.169.254]/", "secrets of a machine"),
        ("http://2852039166/", "secrets of a machine"),
        ("http://[fe80::1]/", "link-local"),
        ("http://0.0.0.0:8000", "no single host"),
        ("http:///openapi.json", "no host"),
        ("http://127.0.0.1:99999/", "not an address"),
        (f"https://{'a' * 70}.invalid/openapi.json", "not known"),
    ],
)
async def test_addresses_that_are_never_asked_are_refused(tmp_path, endpoint, message):
    with pytest.raises(ToolFailure, match=message):
        await ask(tmp_path, endpoint)


def test_addresses_are_judged_by_what_they_carry():
    assert (
        block_reason("127.0.0.1")
        == block_reason("::1")
        == block_reason("10.0.0.5")
        == block_reason("93.184.216.34")
        == ""
    )
    assert all(map(block_reason, ("64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "100.100.100.200", "224.0.0.1", "::")))


async def test_nobody_there_is_said_at_once(tmp_path):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # and never listens
        with pytest.raises(ToolFailure, match="nobody answers") as refused:
            await ask(tmp_path, f"http://127.0.0.1:{held.getsockname()[1]}")
    assert "start the server" in refused.value.advice


async def test_an_app_without_a_document_tells_what_was_tried(tmp_path):
    with web_host({"/": page("<html></html>", "text/html")}) as host, pytest.raises(ToolFailure) as none:
        await ask(tmp_path, host.url())
    assert "/openapi.json (status 404)" in none.value.advice


async def test_answers_are_bounded_in_size_and_time():
    bomb = gzip.compress(b" " * 3_000_000)
    silent = threading.Event()
    answers: dict[str, Any] = {
        "/large": page(b"x" * 200_000),
        "/bomb": (200, {"Content-Encoding": "gzip"}, bomb),
        "/odd": (200, {"Content-Encoding": "br"}, b"x"),
        "/silent": lambda _: silent.wait(60) and None,
    }
    with web_host(answers) as host:
        small = HttpFetcher(max_bytes=100_000)
        for path in ("/large", "/bomb"):
            with pytest.raises(ToolFailure, match="larger than"):
                await small.get(host.url(path))
        with pytest.raises(ToolFailure, match="packed with 'br'"):
            await small.get(host.url("/odd"))
        with pytest.raises(HostUnreachable, match="did not answer within"):
            await HttpFetcher(seconds=0.2).get(host.url("/silent"))
        silent.set()


@contextmanager
def certificate(folder: Path) -> Iterator[tuple[ssl.SSLContext, ssl.SSLContext]]:
    """What a server for `localhost` shows, and what trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    yield server, ssl.create_default_context(cafile=str(pem))


async def test_a_name_is_verified_although_its_address_was_looked_up_before(tmp_path):
    with certificate(tmp_path) as (server, trusting), web_host({"/a": page("{}")}, tls=server) as host:
        found = await HttpFetcher(tls=trusting).get(host.url("/a", scheme="https", name="localhost"))
        assert (found.status, found.content) == (200, b"{}")
        assert host.headers["host"] == f"localhost:{host.port}"
        with pytest.raises(ToolFailure, match="no safe connection"):
            await HttpFetcher(tls=trusting).get(
                host.url("/a", scheme="https", name=str(ipaddress.ip_address("127.0.0.1")))
            )
