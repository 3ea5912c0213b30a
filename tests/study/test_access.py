"""The organiser's door."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from study.access import (
    AccessService,
    HashParameters,
    hash_passphrase,
    passphrase_matches,
)
from study.clock import SystemChance
from study.errors import AccessError
from tests.rehearsal import Rehearsal

PASSPHRASE = "four unrelated words here"
CHEAP = HashParameters(n=2**4)


@pytest.fixture
def door(rehearsal: Rehearsal) -> AccessService:
    """A door without a passphrase yet."""
    return AccessService(rehearsal.store, rehearsal.clock, SystemChance(), parameters=CHEAP)


@pytest.fixture
def token(door: AccessService) -> str:
    """That of the door's set-up link."""
    made = door.setup_token()
    assert made is not None
    return made


@pytest.fixture
def locked(door: AccessService, token: str) -> AccessService:
    """A door with a passphrase."""
    door.set_up(token, PASSPHRASE)
    return door


def test_there_is_no_default_passphrase(door: AccessService) -> None:
    assert door.needs_setup()
    for guess in ("", "admin", "password", PASSPHRASE):
        with pytest.raises(AccessError, match="no passphrase yet"):
            door.log_in(guess, origin=guess)
    assert not door.is_organiser(None) and not door.is_organiser("")


def test_the_set_up_link_works_once_and_a_short_passphrase_does_not_use_it_up(
    door: AccessService, token: str
) -> None:
    with pytest.raises(AccessError, match="at least 12"):
        door.set_up(token, "short")
    assert door.is_organiser(door.set_up(token, PASSPHRASE).token) and not door.needs_setup()
    assert door.setup_token() is None
    with pytest.raises(AccessError, match="not good any more"):
        door.set_up(token, "another passphrase")


def test_a_set_up_link_is_replaced_by_a_new_start_and_expires_after_a_day(
    door: AccessService, token: str, rehearsal: Rehearsal
) -> None:
    newer, newest = door.setup_token(), door.setup_token()
    assert newer and newest
    for old in (token, newer):
        with pytest.raises(AccessError):
            door.set_up(old, PASSPHRASE)
    rehearsal.clock.advance(24 * 3600 + 1)
    with pytest.raises(AccessError):
        door.set_up(newest, PASSPHRASE)
    assert door.set_up(door.setup_token() or "", PASSPHRASE)


def test_nothing_secret_is_stored_in_clear(
    door: AccessService, token: str, rehearsal: Rehearsal, tmp_path: Path
) -> None:
    login = door.set_up(token, PASSPHRASE)
    with rehearsal.store.reading() as tx:
        assert (tx.access.passphrase_hash() or "").startswith("scrypt$16$8$1$")
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("eic_lab.sqlite3*"))
    assert not [s for s in (token, login.token, PASSPHRASE) if s.encode() in stored]


def test_the_default_costs_are_those_recommended_for_logins() -> None:
    stored = hash_passphrase(PASSPHRASE)
    assert stored.startswith("scrypt$32768$8$1$")
    assert passphrase_matches(PASSPHRASE, stored) and not passphrase_matches("x", stored)
    assert hash_passphrase(PASSPHRASE) != stored


def test_a_login_expires_and_ends_with_logging_out(
    locked: AccessService, rehearsal: Rehearsal
) -> None:
    first, second = locked.log_in(PASSPHRASE), locked.log_in(PASSPHRASE)
    locked.log_out(first.token)
    assert not locked.is_organiser(first.token) and locked.is_organiser(second.token)
    rehearsal.clock.advance(12 * 3600)
    assert not locked.is_organiser(second.token)


def test_guesses_are_slowed_down_and_the_right_one_waits_too(
    locked: AccessService, rehearsal: Rehearsal
) -> None:
    for _ in range(5):
        with pytest.raises(AccessError, match="not the passphrase"):
            locked.log_in("a wrong passphrase", origin="10.0.0.1")
    with pytest.raises(AccessError, match="too many") as error:
        locked.log_in(PASSPHRASE, origin="10.0.0.1")
    assert 0 < error.value.retry_after <= 1
    assert locked.log_in(PASSPHRASE, origin="10.0.0.2")  # somebody else is not locked out
    waits = []
    for _ in range(6):
        with pytest.raises(AccessError) as error:
            locked.log_in(PASSPHRASE, origin="10.0.0.1")
        waits.append(error.value.retry_after)
        rehearsal.clock.advance(error.value.retry_after)
        with pytest.raises(AccessError, match="not the passphrase"):
            locked.log_in("a wrong passphrase", origin="10.0.0.1")
    assert waits == [1, 2, 4, 8, 16, 32]
    rehearsal.clock.advance(15 * 60)
    assert locked.log_in(PASSPHRASE, origin="10.0.0.1")


def test_guesses_from_many_addresses_are_slowed_down_as_well(locked: AccessService) -> None:
    for number in range(50):
        with pytest.raises(AccessError, match="not the passphrase"):
            locked.log_in("a wrong passphrase", origin=f"10.0.0.{number}")
    with pytest.raises(AccessError, match="too many"):
        locked.log_in("a wrong passphrase", origin="10.0.1.1")


def test_the_throttle_survives_a_restart_and_simultaneous_guesses(
    locked: AccessService, rehearsal: Rehearsal
) -> None:
    def guess(_: int) -> str:
        fresh = AccessService(rehearsal.store, rehearsal.clock, SystemChance(), parameters=CHEAP)
        with pytest.raises(AccessError) as error:
            fresh.log_in("a wrong passphrase", origin="10.0.0.1")
        return error.value.message

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(guess, range(20)))
    assert answers.count("that is not the passphrase") == 5


def test_changing_the_passphrase_ends_every_other_login(locked: AccessService) -> None:
    one, two = locked.log_in(PASSPHRASE), locked.log_in(PASSPHRASE)
    with pytest.raises(AccessError, match="not the passphrase"):
        locked.change_passphrase(one.token, "not the old one", "a new one, long enough")
    new = locked.change_passphrase(one.token, PASSPHRASE, "a new one, long enough")
    assert locked.is_organiser(new.token)
    assert not locked.is_organiser(one.token) and not locked.is_organiser(two.token)
    with pytest.raises(AccessError):
        locked.change_passphrase("nobody", PASSPHRASE, PASSPHRASE)


def test_a_demo_needs_no_passphrase(rehearsal: Rehearsal) -> None:
    demo = AccessService(rehearsal.store, rehearsal.clock, SystemChance(), demo=True)
    assert demo.is_organiser(None) and not demo.needs_setup() and demo.setup_token() is None
