"""What strangers find shut, and what a fault of the machine looks like: tried on a real server.

One server and no browser; what a browser makes of the policy, every test with one watches
(`tests/e2e/profiles.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import re
import resource
import socket
import sqlite3
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from db import open_database
from db.backup import backup
from db.commands import main
from pages.ui import server
from pages.ui.doors.headers import guarding_headers
from pages.ui.kit.wiring import Lab, Settings
from study.access import HashParameters, hash_passphrase
from study.clock import SystemChance, SystemClock
from study.organising import OrganiserService
from study.rating import RatingService
from tests.e2e.browser import free_port, running_server
from tests.e2e.stranger import FORM, PlainRater, ask, notice_of, send_form, stranger
from tests.effort import cases, combined, dear
from tests.rehearsal import Rehearsal

pytestmark = pytest.mark.e2e


@dataclass
class Place:
    """A server with an open study, and what it prints."""

    address: str
    file: Path
    log_file: Path
    world: Rehearsal
    links: Iterator[str]
    process: int
    table: list[tuple[str, str]] = field(default_factory=list)

    def tell(self, tried: str, came: str) -> None:
        """A row of the table that `make security` prints."""
        self.table.append((tried, came))

    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    @contextlib.contextmanager
    def no_traceback(self) -> Iterator[None]:
        """What happens in here leaves none in the log, and the server is still there."""
        before = len(self.log())
        yield
        assert ask(self.address, "GET", "/healthz").status == 200
        assert "Traceback" not in self.log()[before:], self.log()[before:]

    @contextlib.contextmanager
    def full_disk(self) -> Iterator[None]:
        """The server can make no file longer than the database's log is now."""
        log = self.file.with_name(self.file.name + "-wal")
        others = max(self.file.stat().st_size, self.log_file.stat().st_size)
        with contextlib.closing(sqlite3.connect(self.file, isolation_level=None)) as database:
            # The log becomes the longest file: the next vote makes it longer.
            database.execute("PRAGMA wal_autocheckpoint = 0")
            database.execute("CREATE TABLE filler AS SELECT zeroblob(?) AS bytes", (others,))
            database.execute("DROP TABLE filler")
        most = log.stat().st_size
        assert most > others
        resource.prlimit(self.process, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        try:
            yield
        finally:
            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(self.process, resource.RLIMIT_FSIZE, unlimited)

    def rater(self) -> PlainRater:
        """Somebody on a first ballot."""
        rater = PlainRater(self.address, next(self.links))
        rater.look()
        return rater

    def stored(self, *but: str) -> dict[str, list[tuple[object, ...]]]:
        """All of the database, table by table."""
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {
                name: database.execute(f'SELECT * FROM "{name}"').fetchall()
                for (name,) in names.fetchall()
                if name not in but
            }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("doors")
    world = Rehearsal.at(folder)
    world.clock = SystemClock()  # type: ignore[assignment]
    world.organiser = OrganiserService(world.store, world.clock, SystemChance())
    world.rating = RatingService(world.store, world.clock, SystemChance())
    study = world.opened(problems=2, pairs=6, inspector_open_during_study=True)
    links = iter([world.rater(study) for _ in range(12)])
    file, log = folder / "eic_lab.sqlite3", folder / "server.log"
    short = "?timeout=1"  # how long a writer waits for another
    processes: list[int] = []
    with running_server(
        database=Path(f"{file}{short}"), log_file=log, processes=processes
    ) as address:
        made = Place(address, file, log, world, links, processes[0])
        yield made
    print("\n\n| a stranger, or a fault | what comes of it |\n|---|---|")
    for tried, came in made.table:
        print(f"| {tried} | {came} |")
    world.store.dispose()


# --- headers and addresses ---


def test_every_answer_says_the_policy_also_errors_files_and_refused_upgrades(place: Place) -> None:
    wanted = {name.lower(): text for name, text in guarding_headers().items()}
    page = ask(place.address, "GET", "/about").text  # type: ignore[attr-defined]
    script = re.search(r'src="\.(/static/js/[^"]+)"', page)
    assert script is not None
    ballot = ask(place.address, "GET", "/rate").text  # type: ignore[attr-defined]
    ours = re.findall(r'(?:src|href)="(/rate/static/[^"]+)"', ballot)
    assert len(ours) == 2
    asked = (
        ("GET", "/"),
        ("GET", "/rate?t=x"),
        ("GET", "/healthz"),
        ("GET", script[1]),
        *(("GET", each) for each in ours),
        ("POST", "/rate/vote"),
        ("GET", "/rate/vote"),
        ("GET", "/organise/preview/ballot?study=1&pair=1"),
        ("GET", "/static/js/none.js"),
        ("GET", "/media/none.csv"),
        ("GET", "/nowhere/at/all"),
        ("GET", "/_stcore/health"),
        ("GET", "/_stcore/host-config"),
        ("GET", "/_stcore/metrics"),
        ("GET", "/..%2f..%2fetc/passwd"),
        ("POST", "/door/login"),
        ("POST", "/exports/1/study.zip"),
        ("PUT", "/_stcore/upload_file/a/b"),
        ("TRACE", "/"),
        ("GET", "/_stcore/stream"),
    )
    for method, path in asked:
        headers = ask(place.address, method, path).headers
        for name, text in wanted.items():
            if name == "content-security-policy":
                policy = headers[name]
                assert "default-src 'none'" in policy or policy == "sandbox", (path, policy)
                assert "frame-ancestors 'none'" in policy or policy == "sandbox", (path, policy)
                ours = "" if path == "/rate?t=x" else "style-src 'self' 'unsafe-inline'"
                assert "unsafe" not in policy.replace(ours, ""), (path, policy)
            else:
                assert headers[name] == text, (method, path, name)
    stream = place.address.replace("http", "ws") + "/_stcore/stream"
    with pytest.raises(InvalidStatus) as refused:
        connect(stream, origin="https://evil.example")  # type: ignore[arg-type]
    assert refused.value.response.status_code == 403
    assert refused.value.response.headers["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in refused.value.response.headers["Content-Security-Policy"]
    place.tell(
        f"{len(asked)} addresses, errors and files among them, and an upgrade from another site",
        f"{len(wanted)} headers on each answer; no script but ours, no frame",
    )


CLOSED = (
    "/_stcore/metrics",
    "/_stcore/script-health-check",
    "/_stcore/agent/openapi.json",
    "/_stcore/agent/interact",
    "/_stcore/agent/mcp",
    "/_stcore/bidi-components/x/y.js",
    "/component/x/y.html",
    "/auth/login",
    "/oauth2callback",
)


def test_what_the_framework_serves_beside_our_pages_is_closed(place: Place) -> None:
    for path in CLOSED:
        assert {ask(place.address, way, path).status for way in ("GET", "POST")} == {404}, path
    place.tell(f"{len(CLOSED)} addresses of the framework: counters, logins, programs", "404")


ADDRESSES = (
    *((method, route.path) for route in server.ROUTES for method in sorted(route.methods or ())),
    *(("GET", path) for path in ("/", "/about", "/none", "/static/none.js", "/media/none.csv")),
    *(("GET", path) for path in ("/_stcore/health", "/_stcore/host-config", "/_stcore/stream")),
    ("PUT", "/_stcore/upload_file/a/b"),
)
UNREADABLE = (
    *({"Origin": text} for text in ("http://[", "http://]", "http://[zz]", "http://x:port")),
    *({"Host": text} for text in ("[", "[::1", "]", "x:port", "x:99999", "a@[b")),
    {"Content_Type": "multipart/form-data; boundary=b; charset=undefined"},
    {"Content_Type": 'multipart/form-data; boundary=b; charset="a\xff"'},
)
ODD = (
    {"Referer": "http://["},
    {"Origin": "\xff"},
    {"Host": "\xff"},
    {"Forwarded": "for=[;proto=\xff"},
    {"X_Forwarded_For": "[::1]:x, \xff", "X_Forwarded_Proto": "\xff", "X_Forwarded_Host": "["},
    {"Cookie": 'rater="\\777\\400"; eic_organiser=\xff; ===;;; _streamlit_xsrf=2|z|\xff|x'},
    {"Accept_Language": "\xff;q=zz,[,", "Accept_Encoding": "gzip;q=abc,\xff"},
    {"Content_Type": "multipart/form-data"},
    {"Content_Type": "multipart/form-data; boundary*=undefined''%ff"},
    {"Range": "bytes=9-1,\xff", "If_Modified_Since": "Mon, 99 Foo 0000", "If_None_Match": "\xff"},
    {"X_Requested_With": "\xff", "Sec_Fetch_Site": "\xff", "X_Xsrftoken": "2|a|b|c"},
)


def test_headers_that_cannot_be_read_are_refused_on_every_address(place: Place) -> None:
    filled = str.maketrans({"{": "", "}": "", ":": "-"})
    before = place.stored()
    with place.no_traceback():
        for (method, path), headers in combined(ADDRESSES, (*UNREADABLE, *ODD), 5):
            body = None if method in ("GET", "HEAD") else b"t=a&token=b"
            answer = ask(place.address, method, path.translate(filled), body, **headers)
            assert answer.headers["x-content-type-options"] == "nosniff", (path, headers)
            if headers in UNREADABLE:
                refused = 403 if "Origin" in headers else 400
                assert answer.status == refused, (method, path, headers)
            else:
                assert answer.status < 500, (method, path, headers)
        for path in ("/rate/consent?t=%ff%00", "/%ff%00", f"/exports/{'9' * 5000}/study.zip"):
            for method in ("GET", "POST"):
                assert ask(place.address, method, path, b"t=a").status < 500, path[:40]
        stream = place.address.replace("http", "ws") + "/_stcore/stream"
        for origin in ("http://[", "http://x:port"):
            with pytest.raises(InvalidStatus) as refused:
                connect(stream, origin=origin)  # type: ignore[arg-type]
            assert refused.value.response.status_code == 403
    assert place.stored() == before
    place.tell(
        f"{len(UNREADABLE) + len(ODD)} malformed headers on each of {len(ADDRESSES)} addresses",
        "400, or 403 for an origin, where whoever reads it would fail; no traceback",
    )


def _sent(place: Place, request: str) -> str:
    """What the server says to these very bytes, after which nothing more comes."""
    where = urlsplit(place.address)
    with socket.create_connection((where.hostname, where.port), timeout=60) as line:  # type: ignore[arg-type]
        line.sendall(request.encode("latin-1"))
        line.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError), line.makefile("rb") as answer:
            return answer.read().decode("latin-1")
    return ""


def test_a_form_that_ends_too_soon_is_not_read_and_not_logged(place: Place) -> None:
    rater = place.rater()
    before, logged = place.stored(), place.log()
    vote = urlencode({"t": rater.token, "ballot": rater.ballot, "choice": "left"})
    filled = str.maketrans({"{": "", "}": "", ":": "-"})
    for method, path in ADDRESSES:
        if method not in ("POST", "PUT"):
            continue
        head = f"{method} {path.translate(filled)} HTTP/1.1\r\nHost: x\r\nContent-Type: "
        for kind in (FORM, "multipart/form-data; boundary=b"):
            _sent(place, f"{head}{kind}\r\nContent-Length: 1000\r\n\r\n{vote}")
        chunk = f"{len(vote):x}\r\n{vote}\r\n"
        for rest in ("", "5\r\nab", "zz\r\n"):
            _sent(place, f"{head}{FORM}\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}{rest}")
    assert ask(place.address, "GET", "/healthz").status == 200
    assert not re.search("failed|Traceback", place.log()[len(logged) :])
    assert place.stored() == before
    place.tell("forms that end before their announced length", "nothing is stored or logged")


def test_what_is_no_request_gets_the_servers_own_answer_with_nothing_of_it(place: Place) -> None:
    with place.no_traceback():
        for request in (
            "<script>alert(1)</script>\r\n\r\n",
            "GET /<script> HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n<script>: 1\r\n\r\n",
            "POST /rate/vote HTTP/1.1\r\nHost: x\r\nContent-Length: <script>\r\n\r\n",
            "POST /rate/vote HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        ):
            head, _, body = _sent(place, request).partition("\r\n\r\n")
            assert head.startswith("HTTP/1.1 400 ") and "text/plain" in head, request
            assert body == "Invalid HTTP request received."


def test_a_connection_waits_for_the_next_request(place: Place) -> None:
    kept = http.client.HTTPConnection(urlsplit(place.address).netloc)
    for _ in range(2):
        kept.request("GET", "/healthz")
        assert kept.getresponse().read() and kept.sock is not None
        time.sleep(6)  # A second more than the server's own default


def test_no_other_site_may_steer_a_page(place: Place) -> None:
    said = ask(place.address, "GET", "/_stcore/host-config").text  # type: ignore[attr-defined]
    assert '"allowedOrigins":[]' in said and "http" not in said
    place.tell("sites that may steer a page by messages", "none")


# --- who somebody is ---


def login(place: Place, passphrase: str, **headers: str) -> str:
    """Where the door sends somebody."""
    with stranger(place.address, "organise") as visitor:
        token = re.search(r'name="token" value="([^"]+)"', visitor.text)
    assert token is not None
    body = f"passphrase={passphrase.replace(' ', '+')}&token={token[1]}".encode()
    answer = ask(
        place.address,
        "POST",
        "/door/login",
        body,
        Content_Type="application/x-www-form-urlencoded",
        **headers,
    )
    return str(answer.headers["location"])


def test_forged_addresses_do_not_get_around_the_throttle_and_failures_are_logged(
    place: Place,
) -> None:
    access = place.world.store
    with access.writing() as tx:
        cheap = hash_passphrase("a long passphrase", HashParameters(n=2**10))
        tx.access.set_passphrase_hash(cheap, place.world.clock.now())
    sent = [login(place, "wrong guess", X_Forwarded_For=f"198.51.100.{n}") for n in range(12)]
    with access.reading() as tx:
        counted = len(list(tx.access.failures(place.world.clock.now().replace(year=2000))))
    waits = sum("door=wait" in answer for answer in sent)
    assert counted <= 7 and waits == len(sent) - counted  # all of them one address, and it waits
    log = place.log()
    assert "a login from 127.0.0.1 failed: that is not the passphrase" in log
    assert "198.51.100" not in log
    assert "X-Forwarded-For from 127.0.0.1 is ignored" in log and "EIC_LAB_TRUSTED_PROXIES" in log
    place.tell(
        f"{len(sent)} guesses at the passphrase from {len(sent)} forged addresses",
        f"{counted} looked at, all counted for one address, in the log; the rest must wait",
    )


# --- uploads ---


def put(place: Place, session: str, size: int, name: str = "f", **more: str) -> tuple[int, str]:
    """Send a file as the upload field would; status and sentence."""
    token = generate_xsrf_token_string()
    head = (
        '--b\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n'
        "Content-Type: text/csv\r\n\r\n"
    )
    body = head.encode() + b"1" * size + b"\r\n--b--\r\n"
    answer = ask(
        place.address,
        "PUT",
        f"/_stcore/upload_file/{session}/{name}",
        body,
        Content_Type="multipart/form-data; boundary=b",
        X_Xsrftoken=token,
        Cookie=f"_streamlit_xsrf={token}",
        **more,
    )
    return answer.status, answer.text  # type: ignore[attr-defined]


def test_a_page_without_a_field_takes_no_file_and_one_with_it_takes_what_a_visit_may(
    place: Place,
) -> None:
    with stranger(place.address, "about") as visitor, place.no_traceback():
        said = [put(place, visitor.session, 2**20, f"f{n}") for n in range(3)]
        assert {status for status, _ in said} == {403}
        assert "does not ask for a file" in said[0][1]
        request = BackMsg()
        request.file_urls_request.file_names.append("f.csv")
        visitor.send(request)  # left out: no address is given, and the visit goes on
        visitor.run()
    assert put(place, "no-such-session", 10)[0] == 403
    place.tell(f"{len(said)} files to a page without a field for files", "refused, none kept")


def test_uploads_are_counted_by_visit_and_together_and_go_with_their_visit(place: Place) -> None:
    with stranger(place.address, "compare") as visitor, place.no_traceback():
        assert "file_uploader" in visitor.kinds.values()
        size = 19 * 2**20
        sent = [put(place, visitor.session, size, f"f{n}")[0] for n in range(5)]
        assert sent == [204, 204, 204, 413, 413]
        status, said = put(place, visitor.session, size)
        assert status == 413 and "as much as it may (60 MB, 50 files)" in said
        visitor.page = "organise"
        visitor.run()
        assert put(place, visitor.session, 10)[0] == 403  # this page has no field
    place.tell(
        f"{len(sent)} files of 19 MB to a page with one",
        f"{sent.count(204)} taken, then refused: 60 MB a visit",
    )


# --- what a stranger's messages may hold ---


def wrong_values(identity: str) -> list[WidgetState]:
    """Values of every kind for one widget, most of which it cannot hold."""
    states = [
        WidgetState(id=identity),
        WidgetState(id=identity, string_value="\x00{]not json"),
        WidgetState(id=identity, json_value="{not json"),
        WidgetState(id=identity, json_value='{"selection": 7}'),
        WidgetState(id=identity, int_value=2**53),
        WidgetState(id=identity, double_value=float("nan")),
        WidgetState(id=identity, double_value=-1e308),
        WidgetState(id=identity, bool_value=True),
        WidgetState(id=identity, bytes_value=b"\xff\x00"),
        WidgetState(id=identity, json_trigger_value="["),
    ]
    for kind, values in (
        ("int_array_value", [-5, 10**9]),
        ("double_array_value", [float("inf")] * 3),
        ("string_array_value", ["", "no such option"]),
    ):
        state = WidgetState(id=identity)
        getattr(state, kind).data.extend(values)
        states.append(state)
    return states


@dear(2)
@pytest.mark.parametrize("page", ["", "compare", "gap", "organise"])
def test_wrong_values_pages_and_fragments_leave_no_traceback(place: Place, page: str) -> None:
    with stranger(place.address, page) as visitor, place.no_traceback():
        count = len(visitor.widgets)
        wrong = [wrong_values(identity) for identity in visitor.widgets.values()]
        kinds = len(wrong_values(""))
        for number in range(cases(5, kinds)):  # of every widget at once, each of another kind
            visitor.run(*(of[(number + step) % kinds] for step, of in enumerate(wrong)))
        visitor.run(WidgetState(id="$$ID-none-of-ours", trigger_value=True))
        visitor.run(page_script_hash="0" * 32)
        visitor.run(page_script_hash="../../etc/passwd")
        visitor.run(query_string="&".join(f"formula={n}" for n in range(2000)))
        visitor.run(query_string="formula=%ff%00%ed%a0%80&samples=1e999&seed=-1&node=x&t=%00")
        for fragment in ("no such fragment", *visitor.alone):
            message = BackMsg()
            message.rerun_script.fragment_id = fragment
            message.rerun_script.page_script_hash = "f" * 32
            visitor.send(message)
        visitor.run()
    assert "not what its widgets hold: left out" in place.log()
    place.tell(
        f"/{page}: {cases(5, kinds) * count} wrong values for {count} widgets, 7 wrong "
        "pages, addresses and fragments",
        "no traceback, the page goes on",
    )


def test_frames_that_are_no_message_and_orders_of_strangers_do_nothing(place: Place) -> None:
    with place.no_traceback():
        for frame in (b"\xff\xff\xff\xff", b"\x08", "text", b"\x0a\xff"):
            with stranger(place.address, "about") as visitor, pytest.raises(ConnectionClosed):
                visitor.socket.send(frame)
                while True:
                    visitor.socket.recv()
        with stranger(place.address, "about") as visitor:
            before = visitor.text
            for order in (
                "clear_cache",
                "set_run_on_save",
                "load_git_info",
                "debug_shutdown_runtime",
                "debug_disconnect_websocket",
            ):
                message = BackMsg()
                setattr(message, order, True)
                visitor.send(message)
            message = BackMsg()
            message.backend_operation_request.install_skills.SetInParent()
            visitor.send(message)
            visitor.send(BackMsg())
            assert before and visitor.run() == before
    assert "a browser sent `clear_cache`" in place.log()
    place.tell(
        "4 frames that are no message; 7 orders such as `clear_cache`",
        "the connection is closed; left out",
    )


# --- the volunteer's forms ---

FORMS = ("consent", "vote", "undo", "pause", "resume", "withdraw", "beat")


def test_forged_and_hostile_tokens_store_nothing_and_leave_no_traceback(place: Place) -> None:
    rater, other = place.rater(), place.rater()
    wrong = (
        "",
        "x" * 43,
        "x" * 15_000,
        "\x00",
        "a\r\nSet-Cookie: rater=1",
        "\U0001f600",
        "../../etc/passwd",
        "' OR 1=1 --",
        "<script>alert(1)</script>",
        rater.token[:-1],
        rater.token.swapcase(),
    )
    choices = ("left", "right", "tie", "", "lower", "LEFT", "\x00")
    before = place.stored()
    with place.no_traceback():
        for token in wrong:
            for name in FORMS:
                fields = {"t": token, "ballot": rater.ballot, "choice": "left"}
                answer = send_form(place.address, f"/rate/{name}", fields)
                assert answer.status < 500, (name, token)
                assert "rater=1" not in str(answer.headers)
                sent = ask(place.address, "GET", f"/rate?{urlencode({'t': token})}")
                assert sent.status < 500 and "<script>alert" not in sent.text  # type: ignore[attr-defined]
        for ballot in (*wrong, other.ballot, "1"):  # another rater's, too
            for choice in choices:
                fields = {"t": rater.token, "ballot": ballot, "choice": choice, "reason": "x" * 999}
                assert send_form(place.address, "/rate/vote", fields).status < 500
                assert send_form(place.address, "/rate/undo", fields).status < 500
        for choice in choices[3:]:
            fields = {"t": rater.token, "ballot": rater.ballot, "choice": choice}
            assert send_form(place.address, "/rate/vote", fields).status < 500
        for note in wrong:
            query = urlencode({"t": rater.token, "at": note, "note": note, "chosen": note})
            sent = ask(place.address, "GET", f"/rate?{query}")
            assert sent.status < 500 and "<script>alert" not in sent.text  # type: ignore[attr-defined]
    after = place.stored()
    assert after["vote"] == before["vote"] and after["rater"] == before["rater"]
    place.tell(f"{len(wrong)} forged or hostile tokens in {len(FORMS)} forms", "nothing is stored")


def test_oversized_and_broken_forms_are_refused_before_they_are_read(place: Place) -> None:
    token = next(place.links)
    before = place.stored()
    sent = {
        b"t=" + b"x" * 30_000: 413,
        b"t=" + b"x" * 5_000_000: 413,
        b"&".join(b"a%d=1" % n for n in range(200)): 400,
        b"t=\xff\xfe": 400,
        b"\x00\x01\x02": 303,
        b"t=%00%ff%ed%a0%80": 303,
    }
    with place.no_traceback():
        for body, status in sent.items():
            for name in ("consent", "vote"):
                answer = _answer_or_closed(place, name, body)
                assert answer in (status, 422, None), (name, body[:20], answer)
        boundary = "multipart/form-data; boundary=b"
        part = f'--b\r\nContent-Disposition: form-data; name="t"\r\n\r\n{token}\r\n--b--\r\n'
        assert _answer_or_closed(place, "withdraw", part.encode(), Content_Type=boundary) < 500  # type: ignore[operator]
    assert place.stored() == before
    place.tell(f"{len(sent)} forms that are too large or no forms", "refused, nothing is stored")


def _answer_or_closed(place: Place, name: str, body: bytes, **headers: str) -> int | None:
    """The status; None if the server hung up while so much was sent."""
    try:
        return send_form(place.address, f"/rate/{name}", body, **headers).status
    except (ConnectionError, http.client.RemoteDisconnected):
        return None


def test_to_look_changes_nothing_and_no_form_is_sent_by_a_link(place: Place) -> None:
    rater = place.rater()
    before = place.stored()
    for query in ("", "&at=welcome", "&at=withdraw", "&at=anew", "&at=practised", "&note=undone"):
        assert rater.get(f"/rate?t={rater.token}{query}")
    for name in FORMS:
        for way in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS"):
            path = f"/rate/{name}?t={rater.token}&ballot={rater.ballot}&choice=left"
            status = ask(place.address, way, path).status  # none of the framework's own pages
            assert status in (303, 404, 405), (way, name, status)
    assert "needs your link" in rater.get("/rate/consent")
    assert place.stored() == before
    place.tell(f"{6 + 5 * len(FORMS)} looks at a rater's addresses that are no form", "no change")


# --- faults of the machine: these come last, the server's database does not live through them ---


def notice_in(page: str) -> str:
    """What stands above a ballot's buttons."""
    notice = notice_of(page)
    assert notice
    return f"“{notice}”"


def test_a_locked_database_is_told_and_the_ballot_stays(place: Place) -> None:
    rater = place.rater()
    with place.no_traceback():
        ballot = rater.ballot
        with contextlib.closing(sqlite3.connect(place.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            page = rater.press()
            assert "The server is very busy, and your answer was not saved" in page
            assert rater.ballot == ballot and "Ballot 1 of" in page
            script = rater.vote(X_Requested_With="ballot")
            assert script.status == 503 and "was not saved" in script.text  # type: ignore[attr-defined]
        assert "saved 1 of" in rater.press()
    place.tell("a vote while the database is locked", f"{notice_in(page)} The ballot stays")


def test_a_disk_that_takes_no_more_is_told_and_the_ballot_stays(place: Place) -> None:
    rater = place.rater()
    with place.no_traceback():
        ballot = rater.ballot
        with place.full_disk():
            page = rater.press()
            assert "Our server cannot save answers just now" in page
            assert rater.ballot == ballot and "Ballot 1 of" in page
        assert "saved 1 of" in rater.press()
    place.tell("a vote while the disk is full", f"{notice_in(page)} The ballot stays")


def test_a_database_that_is_damaged_meanwhile_is_told(place: Place) -> None:
    rater = place.rater()
    with place.no_traceback():
        for path in place.file.parent.glob("eic_lab.sqlite3*"):
            junk = b"\x00" if path.name.endswith("-shm") else b"\xff"  # what readers share is void
            with path.open("r+b") as file:
                file.write(junk * path.stat().st_size)
        script = rater.vote(X_Requested_With="ballot")  # keeps the ballot that is on the screen
        text = script.text  # type: ignore[attr-defined]
        assert script.status == 503 and "Our server cannot save answers just now" in text
        page = rater.look()
        assert "Our server cannot reach the answers just now" in page and "Try again" in page
        with stranger(place.address, "organise") as organiser:
            assert re.search("(?i)the database is damaged|is no database", organiser.text)
            assert "Manage app" not in organiser.text + page
    place.tell("a database that is overwritten meanwhile", f"“{text}” The ballot stays")


def failed_start(
    patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], listening: str, **variables: str
) -> tuple[object, str]:
    """The status of a start that ends at once, and all that it prints."""
    options = {"server.address": listening, "server.port": free_port()}
    patch.setattr(server.st, "get_option", options.__getitem__)
    patch.setattr(server, "start_workers", lambda count: None)
    patch.setattr(server, "lab", lambda: Lab(Settings.of(variables)))
    patch.setattr(os, "_exit", sys.exit)

    async def begin() -> None:
        async with server.lifespan(None):
            pass

    # in a thread, for a browser of another test may have a loop in this one
    with ThreadPoolExecutor(1) as thread, pytest.raises(SystemExit) as ended:
        thread.submit(asyncio.run, begin()).result()
    return ended.value.code, "".join(capsys.readouterr())


def test_a_demo_refuses_to_listen_to_other_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/demo.sqlite3"
    demo = {"EIC_LAB_DEMO": "1", "EIC_LAB_DEMO_DATABASE_URL": url}
    status, said = failed_start(monkeypatch, capsys, "0.0.0.0", **demo)
    assert status == 2 and "Traceback" not in said
    assert said.startswith("EIC Lab cannot start: a demo listens on this machine only")


def test_a_start_on_a_damaged_database_is_one_sentence_and_a_backup_goes_in_its_place(
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    world = Rehearsal.at(tmp_path)
    world.opened(problems=2, pairs=2, ballots_per_rater=2)
    kept = backup(world.url, tmp_path / "backups")
    world.store.dispose()
    file = tmp_path / "eic_lab.sqlite3"
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    status, said = failed_start(monkeypatch, capsys, "", DATABASE_URL=world.url)
    assert status == 3 and "Traceback" not in said
    assert len(re.findall("EIC Lab cannot start: .*damaged.*make restore", said)) == 1
    assert main(["--database", world.url, "restore", str(kept)]) == 0
    aside = next(tmp_path.glob("eic_lab.sqlite3.damaged-*"))
    assert aside.name in capsys.readouterr().err and aside.read_bytes() == bytes(content)
    store = open_database(world.url)
    assert len(OrganiserService(store, SystemClock(), SystemChance()).studies()) == 1
    store.dispose()
    place.tell(
        "a start on a damaged database",
        "one sentence, status 3; a backup goes in its place, the damaged file is kept",
    )
