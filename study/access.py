"""Who may act as the organiser: passphrase, set-up link, slowed-down guesses and logins."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from study.clock import Chance, Clock
from study.errors import AccessError, PassphraseLengthError
from study.links import token_hash
from study.store import Store, Tx

MIN_PASSPHRASE = 12
MAX_PASSPHRASE = 1000
LOGIN_LIFETIME = timedelta(hours=12)
SETUP_LIFETIME = timedelta(hours=24)
WINDOW = timedelta(minutes=15)
FREE_ATTEMPTS = 5
"""Failures within the window, from one address, before waiting begins."""
FREE_ATTEMPTS_ALL = 50
"""The same over all addresses together."""


@dataclass(frozen=True)
class HashParameters:
    """Costs of scrypt (RFC 7914): N, r, p; the defaults take 32 MB and some 50 ms."""

    n: int = 2**15
    r: int = 8
    p: int = 1


def hash_passphrase(passphrase: str, parameters: HashParameters | None = None) -> str:
    used = parameters or HashParameters()
    salt = secrets.token_bytes(16)
    digest = _scrypt(passphrase, salt, used)
    return f"scrypt${used.n}${used.r}${used.p}${salt.hex()}${digest.hex()}"


def passphrase_matches(passphrase: str, stored: str) -> bool:
    """Compare in constant time.

    >>> stored = hash_passphrase("correct horse", HashParameters(n=2**10))
    >>> passphrase_matches("correct horse", stored), passphrase_matches("wrong horse", stored)
    (True, False)
    """
    _, n, r, p, salt, digest = stored.split("$")
    computed = _scrypt(passphrase, bytes.fromhex(salt), HashParameters(int(n), int(r), int(p)))
    return hmac.compare_digest(computed, bytes.fromhex(digest))


def _scrypt(passphrase: str, salt: bytes, used: HashParameters) -> bytes:
    # Twice what scrypt needs (128 N r p): OpenSSL refuses more than 32 MB by default.
    memory = 256 * used.n * used.r * used.p
    return hashlib.scrypt(
        passphrase.encode(), salt=salt, n=used.n, r=used.r, p=used.p, maxmem=memory, dklen=32
    )


@dataclass(frozen=True)
class Login:
    """A login just made: put `token` into an HttpOnly, SameSite=Lax cookie until `expires_at`."""

    token: str
    expires_at: datetime


class AccessService:
    """Who may organise.

    Parameters
    ----------
    store
    clock
    chance
        Where logins are stored, what time it is, and where tokens come from.
    demo
        True: no passphrase, everybody who reaches the app organises. The app must listen on
        127.0.0.1 only and use a database of its own.
    parameters
        Costs of scrypt for new passphrases; None: the defaults of `HashParameters`.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        chance: Chance,
        *,
        demo: bool = False,
        parameters: HashParameters | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._chance = chance
        self._parameters = parameters or HashParameters()
        self.demo = demo

    def needs_setup(self) -> bool:
        """Whether nobody has chosen a passphrase yet.

        Returns
        -------
        bool
            False in a demo.
        """
        if self.demo:
            return False
        with self._store.reading() as tx:
            return tx.access.passphrase_hash() is None

    def setup_token(self) -> str | None:
        """A new one-time token for the set-up link; an earlier one stops working.

        Call once at start, and print ``study.links.setup_link(base, token)`` on the console.

        Returns
        -------
        str | None
            Good for a day; None if a passphrase exists, or in a demo.
        """
        if self.demo:
            return None
        now = self._clock.now()
        with self._store.writing() as tx:
            if tx.access.passphrase_hash() is not None:
                return None
            token = self._chance.token()
            tx.access.set_setup_token(token_hash(token), now + SETUP_LIFETIME)
            return token

    def set_up(self, token: str, passphrase: str) -> Login:
        """Choose the first passphrase, and burn the token of the set-up link.

        Parameters
        ----------
        token
            From `setup_token`.
        passphrase
            12 to 1000 characters.

        Returns
        -------
        Login
            The organiser's first.

        Raises
        ------
        AccessError
            If the passphrase is too short, or the token is used, replaced or expired.
        """
        self._check(passphrase)
        hashed = hash_passphrase(passphrase, self._parameters)
        now = self._clock.now()
        with self._store.writing() as tx:
            if tx.access.passphrase_hash() is not None or not tx.access.use_setup_token(
                token_hash(token), now
            ):
                raise AccessError(
                    "this set-up link is not good any more", hint="restart the app for a new one"
                )
            tx.access.set_passphrase_hash(hashed, now)
            tx.audit.add(now, "organiser", "chose the passphrase")
            return self._login(tx, now)

    def log_in(self, passphrase: str, *, origin: str = "") -> Login:
        """Begin a login.

        Parameters
        ----------
        passphrase
            As typed.
        origin
            The visitor's address; stored as a hash, to slow down who guesses.

        Returns
        -------
        Login
            Good for twelve hours.

        Raises
        ------
        AccessError
            If the passphrase is wrong, or attempts come too fast; `retry_after` has the seconds
            to wait, the same for right and wrong guesses.
        """
        where = hashlib.sha256(origin.encode()).hexdigest()[:32]
        now = self._clock.now()
        with self._store.writing() as tx:
            wait = self._wait(tx, where, now)
            stored = tx.access.passphrase_hash()
            # Counted before it is looked at, so that a hundred guesses at once count as a hundred.
            attempt = None if wait > 0 else tx.access.add_attempt(where, now)
        if attempt is None:
            raise AccessError(
                "too many attempts", hint=f"try again in {wait:.0f} seconds", retry_after=wait
            )
        if stored is None:
            raise AccessError("there is no passphrase yet", hint="use the set-up link")
        if len(passphrase) > MAX_PASSPHRASE or not passphrase_matches(passphrase, stored):
            # A text of megabytes is refused unhashed: hashing it would keep the server busy.
            raise AccessError("that is not the passphrase")
        with self._store.writing() as tx:
            tx.access.forgive(attempt)
            tx.audit.add(now, "organiser", "logged in")
            return self._login(tx, now)

    def is_organiser(self, cookie_token: str | None) -> bool:
        """Whether this cookie belongs to a login that has neither expired nor ended.

        Parameters
        ----------
        cookie_token
            `Login.token`; None or "" without a cookie.

        Returns
        -------
        bool
            Always True in a demo.
        """
        if self.demo:
            return True
        if not cookie_token:
            return False
        with self._store.reading() as tx:
            return tx.access.login_expiry(token_hash(cookie_token), self._clock.now()) is not None

    def log_out(self, cookie_token: str) -> None:
        """End a login; harmless without one.

        Parameters
        ----------
        cookie_token
            `Login.token`.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            tx.access.end_login(token_hash(cookie_token), now)

    def change_passphrase(self, cookie_token: str, old: str, new: str) -> Login:
        """Replace the passphrase; end every login and begin a new one.

        Parameters
        ----------
        cookie_token
            Of a login that is good.
        old
        new
            Passphrases; the new one has 12 to 1000 characters.

        Returns
        -------
        Login
            The only one that is good from now on.

        Raises
        ------
        AccessError
            If nobody is logged in, the old passphrase is wrong, or the new one too short.
        """
        if not self.is_organiser(cookie_token):
            raise AccessError("log in first")
        self.log_in(old, origin=f"change {token_hash(cookie_token)}")
        self._check(new)
        hashed = hash_passphrase(new, self._parameters)
        now = self._clock.now()
        with self._store.writing() as tx:
            tx.access.set_passphrase_hash(hashed, now)
            tx.access.end_logins(now)
            tx.audit.add(now, "organiser", "changed the passphrase")
            return self._login(tx, now)

    def _check(self, passphrase: str) -> None:
        if not MIN_PASSPHRASE <= len(passphrase) <= MAX_PASSPHRASE:
            raise PassphraseLengthError(
                f"a passphrase has at least {MIN_PASSPHRASE} characters",
                hint="four or five unrelated words are easy to remember",
            )

    def _login(self, tx: Tx, now: datetime) -> Login:
        token = self._chance.token()
        tx.access.add_login(token_hash(token), now, now + LOGIN_LIFETIME)
        return Login(token, now + LOGIN_LIFETIME)

    def _wait(self, tx: Tx, where: str, now: datetime) -> float:
        """Seconds until the next attempt; they double with each failure over the free ones."""
        longest = 0.0
        for origin, free in ((where, FREE_ATTEMPTS), (None, FREE_ATTEMPTS_ALL)):
            failures = sorted(tx.access.failures(now - WINDOW, origin))
            if len(failures) >= free:
                pause = min(2.0 ** (len(failures) - free), WINDOW.total_seconds())
                elapsed = (now - failures[-1]).total_seconds()
                longest = max(longest, pause - elapsed)
        return longest
