"""What a browser loads of the app: packed once, and nothing of it from elsewhere."""

from __future__ import annotations

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from pages.ui.doors.headers import inline_scripts
from pages.ui.kit.browser import BASE_SCRIPT, PackedAssets, PagesKnowTheServer
from pages.ui.server import page_scripts
from pages.ui.shell import LENS

SCRIPT = b"const digits = 4;\n" * 2000
LASTING = {"Cache-Control": "public, immutable, max-age=31536000"}


def served(folder: Path, headers: dict[str, str] = LASTING) -> tuple[TestClient, list[str]]:
    """An app with one script, and the requests that reach it."""
    (folder / "a.js").write_bytes(SCRIPT)
    asked: list[str] = []

    async def file(request: Request) -> Response:
        asked.append(request.url.path)
        path = folder / request.path_params["name"]
        return FileResponse(path, headers=headers) if path.exists() else Response("none", 404)

    app = Starlette(
        routes=[Route("/static/{name}", file), Route("/media/{name}", file)],
        middleware=[Middleware(PackedAssets)],
    )
    return TestClient(app), asked


def test_a_script_is_packed_once_and_unpacks_to_itself(tmp_path: Path) -> None:
    client, asked = served(tmp_path)
    for _ in range(3):
        answer = client.get("/static/a.js")
        assert answer.headers["content-encoding"] == "gzip"
        assert int(answer.headers["content-length"]) < len(SCRIPT) / 20
        assert "Accept-Encoding" in answer.headers["vary"]
        assert "immutable" in answer.headers["cache-control"]
        assert answer.content == SCRIPT
    assert asked == ["/static/a.js"]


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/static/a.js", {"Accept-Encoding": "identity"}, 200),
        ("/static/a.js", {"Range": "bytes=0-9"}, 206),
        ("/media/a.js", {}, 200),
        ("/static/b.js", {}, 404),
    ],
)
def test_what_cannot_be_packed_goes_out_as_it_is(
    tmp_path: Path, path: str, headers: dict[str, str], status: int
) -> None:
    client, asked = served(tmp_path)
    for _ in range(2):
        answer = client.get(path, headers=headers)
        assert answer.status_code == status
        assert "content-encoding" not in answer.headers
        assert answer.content == {200: SCRIPT, 206: SCRIPT[:10], 404: b"none"}[status]
    assert len(asked) == 2


def test_a_file_that_may_change_is_not_kept(tmp_path: Path) -> None:
    client, _ = served(tmp_path, {"Cache-Control": "no-cache"})
    assert client.get("/static/a.js").content == SCRIPT
    (tmp_path / "a.js").write_bytes(b"changed")
    assert client.get("/static/a.js").content == b"changed"


def test_a_visitor_who_leaves_while_a_file_is_read_spoils_it_for_nobody() -> None:
    read = [b"", SCRIPT]  # the app stops reading for who is gone

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {**LASTING, "content-length": str(len(SCRIPT))}
        await Response(read.pop(0), headers=headers)(scope, receive, send)

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    sent: list[Message] = []

    async def collect(message: Message) -> None:
        sent.append(message)

    packed = PackedAssets(app)
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/static/a.js",
        "headers": [(b"accept-encoding", b"gzip")],
    }
    for _ in range(3):
        sent.clear()
        with ThreadPoolExecutor(1) as elsewhere:  # a browser test may have left a loop here
            elsewhere.submit(asyncio.run, packed(scope, gone, collect)).result()
    assert gzip.decompress(b"".join(m.get("body", b"") for m in sent)) == SCRIPT
    assert read == []


def test_the_icon_is_a_drawing_that_needs_no_other_file() -> None:
    tree = ElementTree.fromstring(LENS)
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    assert not any("href" in name for element in tree.iter() for name in element.attrib)


def test_pages_but_the_first_say_where_the_server_is_and_nothing_else_is_changed() -> None:
    page = b"<!DOCTYPE html><html><head><script>let a = 1</script></head></html>"

    async def answer(_: Request) -> Response:
        return Response(page, media_type="text/html", headers={"ETag": '"1"'})

    async def refused(_: Request) -> Response:
        return Response("no", 404)

    app = Starlette(
        routes=[
            Route("/", answer),
            Route("/compare", answer),
            Route("/healthz", refused),
            Route("/organise/export", answer),
        ],
        middleware=[Middleware(PagesKnowTheServer), Middleware(GZipMiddleware, minimum_size=1)],
    )
    client = TestClient(app)
    found = client.get("/compare")
    assert found.text.replace(BASE_SCRIPT, "", 1).encode() == page
    assert found.text.index(BASE_SCRIPT) < found.text.index("let a")
    assert int(found.headers["content-length"]) == len(found.content)
    assert "etag" not in found.headers
    for path in ("/", "/organise/export"):
        assert client.get(path).content == page
    assert client.get("/healthz").status_code == 404
    assert [*inline_scripts(BASE_SCRIPT)][0] in page_scripts()
