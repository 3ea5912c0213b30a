"""What strangers find shut, and what a fault of the machine looks like: tried on a real server.

One server and no browser; what a browser makes of the policy, every test with one watches
(`tests/e2e/profiles.py`).
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from db import open_database
from db.backup import backup
from pages.ui.doors.headers import guarding_headers
from study.access import HashParameters, hash_passphrase
from study.clock import SystemChance, SystemClock
from study.organising import OrganiserService
from study.rating import RatingService
from tests.e2e.browser import ROOT, free_port, running_server
from tests.e2e.stranger import Stranger, ask, stranger
from tests.effort import cases
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
        time.sleep(0.2)
        assert "Traceback" not in self.log()[before:], self.log()[before:]
        assert ask(self.address, "GET", "/healthz").status == 200

    @contextlib.contextmanager
    def full_disk(self) -> Iterator[None]:
        """The server can make no file longer than the database's log is now."""
        log = self.file.with_name(self.file.name + "-wal")
        most = max(log.stat().st_size, self.file.stat().st_size, self.log_file.stat().st_size)
        resource.prlimit(self.process, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        try:
            yield
        finally:
            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(self.process, resource.RLIMIT_FSIZE, unlimited)

    def rater(self) -> contextlib.AbstractContextManager[Stranger]:
        """Somebody on a first ballot."""
        return stranger(self.address, "rate", f"t={next(self.links)}")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("doors")
    world = Rehearsal.at(folder)
    world.clock = SystemClock()  # type: ignore[assignment]
    world.organiser = OrganiserService(world.store, world.clock, SystemChance())
    world.rating = RatingService(world.store, world.clock, SystemChance())
    study = world.opened(problems=2, pairs=6, inspector_open_during_study=True)
    links = iter([world.rater(study) for _ in range(8)])
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
    page = ask(place.address, "GET", "/rate").text  # type: ignore[attr-defined]
    script = re.search(r'src="\.(/static/js/[^"]+)"', page)
    assert script is not None
    asked = (
        ("GET", "/"),
        ("GET", "/rate?t=x"),
        ("GET", "/healthz"),
        ("GET", script[1]),
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
                scripts = re.findall(r"script-src ([^;]*)", policy)
                assert all("unsafe" not in each for each in scripts), (path, policy)
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
    with place.rater() as rater, place.no_traceback():
        said = [put(place, rater.session, 2**20, f"f{n}") for n in range(3)]
        assert {status for status, _ in said} == {403}
        assert "does not ask for a file" in said[0][1]
        request = BackMsg()
        request.file_urls_request.file_names.append("f.csv")
        rater.send(request)  # left out: no address is given, and the visit goes on
        rater.run()
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


@pytest.mark.parametrize("page", ["", "compare", "gap", "organise", "rate"])
def test_wrong_values_pages_and_fragments_leave_no_traceback(place: Place, page: str) -> None:
    query = f"t={next(place.links)}" if page == "rate" else ""
    with stranger(place.address, page, query) as visitor, place.no_traceback():
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
            with stranger(place.address, "rate") as visitor, pytest.raises(ConnectionClosed):
                visitor.socket.send(frame)
                while True:
                    visitor.socket.recv(20)
        with stranger(place.address, "rate") as visitor:
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
            assert "This page needs your link" in visitor.run()
    assert "a browser sent `clear_cache`" in place.log()
    place.tell(
        "4 frames that are no message; 7 orders such as `clear_cache`",
        "the connection is closed; left out",
    )


def notice_in(page: str) -> str:
    """What stands above a ballot's buttons."""
    found = re.search(r'class="rate-notice"[^>]*>([^<]+)<', page)
    assert found is not None
    return f"“{found[1]}”"


# --- faults of the machine: these come last, the server's database does not live through them ---


def test_a_locked_database_is_told_and_the_ballot_stays(place: Place) -> None:
    with place.rater() as rater, place.no_traceback():
        ballot = rater.widget("choose-A")
        time.sleep(1.1)
        with contextlib.closing(sqlite3.connect(place.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            said = rater.press("choose-A")
            assert "The server is very busy, and your answer was not saved" in said
            assert rater.widget("choose-A") == ballot and "Ballot 1 of" in said
        assert "saved 1 of" in rater.press("choose-A")
    place.tell("a vote while the database is locked", f"{notice_in(said)} The ballot stays")


def test_a_disk_that_takes_no_more_is_told_and_the_ballot_stays(place: Place) -> None:
    with place.rater() as rater, place.no_traceback():
        ballot = rater.widget("choose-A")
        time.sleep(1.1)
        with place.full_disk():
            said = rater.press("choose-A")
            assert "Our server cannot save answers just now" in said
            assert rater.widget("choose-A") == ballot and "Ballot 1 of" in said
        assert "saved 1 of" in rater.press("choose-A")
    assert "Manage app" not in said
    place.tell("a vote while the disk is full", f"{notice_in(said)} The ballot stays")


def test_a_database_that_is_damaged_meanwhile_is_told_and_the_ballot_stays(place: Place) -> None:
    with place.rater() as rater, place.no_traceback():
        ballot = rater.widget("choose-A")
        for path in place.file.parent.glob("eic_lab.sqlite3*"):
            junk = b"\x00" if path.name.endswith("-shm") else b"\xff"  # what readers share is void
            with path.open("r+b") as file:
                file.write(junk * path.stat().st_size)
        said = rater.run()
        assert "Our server cannot reach the answers just now" in said
        assert rater.widget("choose-A") == ballot and "Ballot 1 of" in said
        with stranger(place.address, "organise") as organiser:
            assert re.search("(?i)the database is damaged|is no database", organiser.text)
            assert "Manage app" not in organiser.text + said
    place.tell("a database that is overwritten meanwhile", f"{notice_in(said)} The ballot stays")


def start(database: str) -> subprocess.CompletedProcess[str]:
    """A start that should fail."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STREAMLIT_")}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            "app.py",
            "--server.headless",
            "true",
            "--server.port",
            str(free_port()),
        ],
        cwd=ROOT,
        env={**environment, "DATABASE_URL": f"sqlite:///{database}", "EIC_LAB_DEMO": "0"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_start_on_a_damaged_database_is_one_sentence_and_a_backup_goes_in_its_place(
    place: Place, tmp_path: Path
) -> None:
    world = Rehearsal.at(tmp_path)
    world.opened(problems=2, pairs=2, ballots_per_rater=2)
    kept = backup(world.url, tmp_path / "backups")
    world.store.dispose()
    file = tmp_path / "eic_lab.sqlite3"
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    failed = start(str(file))
    assert failed.returncode == 3 and "Traceback" not in failed.stderr + failed.stdout
    assert len(re.findall("EIC Lab cannot start: .*damaged.*make restore", failed.stderr)) == 1
    restored = subprocess.run(
        [sys.executable, "-m", "db", "--database", world.url, "restore", str(kept)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    aside = next(tmp_path.glob("eic_lab.sqlite3.damaged-*"))
    assert aside.name in restored.stderr and aside.read_bytes() == bytes(content)
    store = open_database(world.url)
    assert len(OrganiserService(store, SystemClock(), SystemChance()).studies()) == 1
    store.dispose()
    place.tell(
        "a start on a damaged database",
        "one sentence, status 3; a backup goes in its place, the damaged file is kept",
    )
