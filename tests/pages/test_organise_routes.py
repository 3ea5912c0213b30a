"""The organiser's routes, without a browser: who is let in, and what a file needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from pages.ui.kit import door, wiring
from pages.ui.kit.door import (
    COOKIE,
    FORM_LASTS,
    form_fits,
    form_token,
    safe_next,
    timed_fits,
    timed_token,
)
from pages.ui.kit.wiring import Lab, Settings
from pages.ui.organising import (
    login as door_routes,
)
from pages.ui.organising import (
    report_files as results_data,
)
from pages.ui.server import ROUTES
from study.access import AccessService, HashParameters

PASSPHRASE = "correct horse battery"
CHEAP = HashParameters(n=2**10)


@pytest.fixture
def new_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    made = Lab(Settings(f"sqlite:///{tmp_path}/lab.sqlite3"))
    made.__dict__["access"] = AccessService(made.store, made.clock, made.chance, parameters=CHEAP)
    for module in (wiring, door, door_routes, results_data):
        monkeypatch.setattr(module, "lab", lambda: made)
    yield made
    made.store.dispose()


@pytest.fixture
def lab(new_lab: Lab) -> Lab:
    """With a passphrase, and nobody logged in."""
    token = new_lab.access.setup_token()
    assert token
    new_lab.access.log_out(new_lab.access.set_up(token, PASSPHRASE).token)
    return new_lab


def client(login: str = "") -> TestClient:
    app = Starlette(routes=ROUTES)
    cookies = {COOKIE: login} if login else None
    return TestClient(app, "http://lab.test", cookies=cookies, follow_redirects=False)


def log_in(passphrase: str = PASSPHRASE, **headers: str) -> Any:
    """What the form of the door is answered."""
    form = {"passphrase": passphrase, "token": timed_token(wiring.form_key(), "login")}
    return client().post("/door/login", data=form, headers=headers)


def test_the_right_passphrase_sets_a_strict_http_only_cookie(lab: Lab) -> None:
    answer = log_in()
    assert (answer.status_code, answer.headers["location"]) == (303, "/organise")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert "secure" not in cookie and PASSPHRASE not in cookie
    assert "secure" in log_in(**{"X-Forwarded-Proto": "https"}).headers["set-cookie"].lower()


def test_a_wrong_passphrase_sets_no_cookie_and_throttling_holds_for_the_right_one_too(
    lab: Lab,
) -> None:
    for _ in range(6):
        answer = log_in("wrong")
        assert "set-cookie" not in answer.headers
    assert "door=wait" in answer.headers["location"]
    answer = log_in()
    assert "door=wait" in answer.headers["location"] and "wait=" in answer.headers["location"]
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
    ],
)
def test_a_form_of_another_site_is_not_taken(lab: Lab, headers: dict[str, str]) -> None:
    answer = log_in(**headers)
    assert "door=again" in answer.headers["location"]
    assert "set-cookie" not in answer.headers


def test_a_form_that_keeps_its_origin_to_itself_is_taken_from_our_own_pages(lab: Lab) -> None:
    """What a browser sends from a page with `Referrer-Policy: no-referrer` (Fetch, 3.2)."""
    answer = log_in(**{"Origin": "null", "Sec-Fetch-Site": "same-origin"})
    assert answer.headers["location"] == "/organise"


@pytest.mark.parametrize("more", [{}, {"token": "1.x"}])
def test_a_form_without_its_token_is_not_taken(lab: Lab, more: dict[str, str]) -> None:
    answer = client().post("/door/login", data={"passphrase": PASSPHRASE, **more})
    assert "door=again" in answer.headers["location"]
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "token", ["", ".", "login..", "login.AA.AA", "ü.ü.ü", f"login.{'A' * 4000}.AA", "\0"]
)
def test_a_token_that_nobody_made_fits_no_form(token: str) -> None:
    assert not form_fits(token, "key", "login") and not timed_fits(token, "key", "login")


def test_a_token_fits_its_own_login_purpose_and_half_day_only() -> None:
    form, timed = form_token("key", "login"), timed_token("key", "login", now=100)
    assert form_fits(form, "key", "login")
    assert not form_fits(form, "other", "login") and not form_fits(form, "key", "setup")
    assert not form_fits(timed, "key", "login") and not timed_fits(form, "key", "login", now=100)
    assert timed_fits(timed, "key", "login", now=100 + FORM_LASTS)
    assert not timed_fits(timed, "key", "login", now=101 + FORM_LASTS)
    assert not timed_fits(timed, "other", "login", now=100)
    assert not timed_fits(timed, "key", "setup", now=100)


def test_the_set_up_link_works_once_and_refuses_short_or_differing_passphrases(
    new_lab: Lab,
) -> None:
    link = new_lab.access.setup_token()
    assert link

    def send(passphrase: str, again: str) -> str:
        token = timed_token(wiring.form_key(), "setup")
        form = {"token": token, "setup": link, "passphrase": passphrase, "again": again}
        return client().post("/door/setup", data=form).headers["location"]

    assert "door=differ" in send(PASSPHRASE, "another one entirely")
    assert "door=short" in send("short", "short")
    assert send(PASSPHRASE, PASSPHRASE) == "/organise"
    assert "door=stale" in send("a second passphrase", "a second passphrase")
    assert new_lab.access.log_in(PASSPHRASE)


@pytest.mark.parametrize(
    "address",
    [
        "//evil.example",
        "/organise@evil",
        "https://evil.example",
        "/organise?study=1&next=//x",
        "/rate?t=1",
    ],
)
def test_nobody_is_sent_elsewhere_after_the_door(address: str) -> None:
    assert safe_next(address) == "/organise"


@pytest.mark.parametrize("what", ["study.zip", "votes.csv", "report.html"])
def test_an_export_needs_a_login_and_its_form(lab: Lab, what: str) -> None:
    study, login = lab.organising.create("A").id, lab.access.log_in(PASSPHRASE).token
    url, token = f"/exports/{study}/{what}", form_token(login, f"export {study}")
    assert client().post(url).status_code == 401
    forged = {"token": form_token("forged", f"export {study}")}
    assert client("forged").post(url, data=forged).status_code == 401
    browser = client(login)
    assert browser.post(url).status_code == 403
    other = {"token": form_token(login, f"export {study + 1}")}
    assert browser.post(url, data=other).status_code == 403
    refused = browser.post(url, data={"token": token})
    assert refused.status_code == 409 and "a draft has nothing to export" in refused.text
    lab.access.log_out(login)
    assert browser.post(url, data={"token": token}).status_code == 401


@pytest.mark.parametrize(
    ("study", "read"),
    [(str(10**9), 10**9), (str(10**40), 0), ("9" * 5000, 0), ("-1", 0), ("one", 0)],
)
def test_a_study_that_no_database_can_hold_is_not_found(lab: Lab, study: str, read: int) -> None:
    login = lab.access.log_in(PASSPHRASE).token
    token = form_token(login, f"export {read}")
    answer = client(login).post(f"/exports/{study}/study.zip", data={"token": token})
    assert answer.status_code == 404 and "there is no study" in answer.text


def test_a_name_that_points_here_does_not_open_a_demo(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.settings = replace(lab.settings, demo=True)
    lab.__dict__["access"] = AccessService(lab.store, lab.clock, lab.chance, demo=True)
    study = lab.organising.create("A").id
    for host, status in (("127.0.0.1:8501", 403), ("rebound.example:8501", 401)):
        answer = client().post(f"/exports/{study}/study.zip", headers={"Host": host})
        assert answer.status_code == status
        monkeypatch.setattr(door.st, "context", SimpleNamespace(headers={"Host": host}))
        assert door.is_organiser() == (status == 403)


def test_a_parcel_goes_to_its_owner_only(lab: Lab) -> None:
    mine, theirs = (lab.access.log_in(PASSPHRASE).token for _ in range(2))
    url = f"/exports/parcel/{wiring.parcels().leave(mine, 'links.csv', b'id,link')}"
    for login, status in ((theirs, 404), (mine, 200), (mine, 200)):
        answer = client(login).post(url, data={"token": form_token(login, "parcel")})
        assert answer.status_code == status
    assert answer.text == "id,link"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-disposition"] == 'attachment; filename="links.csv"'


def test_logging_out_needs_the_form_and_ends_the_login(lab: Lab) -> None:
    login = lab.access.log_in(PASSPHRASE).token
    browser = client(login)
    assert browser.post("/door/logout").status_code == 403
    assert lab.access.is_organiser(login)
    answer = browser.post("/door/logout", data={"token": form_token(login, "logout")})
    assert answer.status_code == 303 and not lab.access.is_organiser(login)


def test_changing_the_passphrase_ends_every_other_login(lab: Lab) -> None:
    mine, other = (lab.access.log_in(PASSPHRASE).token for _ in range(2))
    new = dict.fromkeys(("new", "again"), "another passphrase")
    form = {"token": form_token(mine, "passphrase"), "old": PASSPHRASE, **new}
    answer = client(mine).post("/door/passphrase", data=form)
    assert answer.headers["location"] == "/organise?door=changed"
    assert not lab.access.is_organiser(other) and not lab.access.is_organiser(mine)
    fresh = answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
    assert lab.access.is_organiser(fresh)
