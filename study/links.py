"""Links and the tokens in them; the database holds hashes only."""

from __future__ import annotations

import base64
import hashlib


def token_hash(token: str) -> str:
    """SHA-256 of a token, 64 hex digits: tokens have 128 random bits, so no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def rating_link(base_url: str, token: str) -> str:
    """Where a rater goes.

    Examples
    --------
    >>> rating_link("https://study.example.org/", "abc")
    'https://study.example.org/rate?t=abc'
    """
    return f"{base_url.rstrip('/')}/rate?t={token}"


def setup_link(base_url: str, token: str) -> str:
    """Where the organiser chooses the passphrase."""
    return f"{base_url.rstrip('/')}/organise?setup={token}"


def derived_token(open_token: str, request_id: str) -> str:
    """A rater's own token, the same whenever one consent is sent twice."""
    digest = hashlib.sha256(f"rater\0{open_token}\0{request_id}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")
