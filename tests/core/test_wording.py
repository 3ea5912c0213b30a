"""Numbers in words: nothing is rounded onto what it is not, and one number reads one way."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core import wording

SHARES = st.one_of(
    st.floats(0, 1),
    st.builds(
        lambda mark, power, sign: min(1.0, max(0.0, mark + sign * 10.0**power)),
        st.sampled_from([0.0, 0.5, 1.0]),
        st.floats(-14, -1),
        st.sampled_from([-1, 1]),
    ),
)
DECIMALS = st.sampled_from([None, 0, 1, 2])
FLOATS = st.floats(-1e300, 1e300)


def read(text: str) -> float:
    """The number that `significant`, `number` or `plain` wrote."""
    text = text.replace(",", "").replace("−", "-")
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    found = re.fullmatch(r"(-?)([\d.]*)·?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if not found:
        return float(text)
    return float(f"{found[1]}{found[2] or 1}e{found[3].translate(raised)}")


# --- shares ---


@given(SHARES, DECIMALS)
def test_a_share_is_never_rounded_onto_none_half_or_all(share: float, decimals: int | None) -> None:
    text = wording.percent(share, decimals)
    for mark in (0.0, 0.5, 1.0):
        same = share == 0 if mark == 0 else abs(share - mark) < 1e-12
        shown = re.fullmatch(r"[\d.]+ %", text) and float(text[:-2]) == 100 * mark
        assert bool(shown) == same, (share, text)


@given(SHARES, DECIMALS)
def test_a_share_in_words_is_true(share: float, decimals: int | None) -> None:
    text, value = wording.percent(share, decimals), 100 * share
    number = float(re.search(r"[\d.]+", text)[0])
    if text.startswith("over "):
        assert value > number
    elif text.startswith("under "):
        assert value < number
    else:
        assert abs(value - number) <= 0.5 * 10.0 ** -(decimals or 0) + 1e-9


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_does_not_read_as_a_smaller_one(a: float, b: float) -> None:
    ends = {"under 0.01 %": 0.005, "over 99.9 %": 99.95}

    def read_share(share: float) -> float:
        text = wording.percent(share, 1)
        return ends.get(text) or float(re.search(r"[\d.]+", text)[0])

    if a < b:
        assert read_share(a) <= read_share(b)


@pytest.mark.parametrize("decimals", [None, 0, 1, 2])
def test_nearly_all_reads_the_same_everywhere(decimals: int | None) -> None:
    assert wording.percent(0.9998, decimals) == "over 99.9 %"
    assert wording.percent(1e-5, decimals) == "under 0.01 %"


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0.503, 0, "50.3 %"),
        (0.503, None, "50.3 %"),
        (0.001, 0, "0.1 %"),
        (0.997, 0, "99.7 %"),
        (0.5, 1, "50.0 %"),
        (1.0, 1, "100.0 %"),
        (0.0, None, "0 %"),
        (0.1 + 0.4, 0, "50 %"),
        (0.50000001, 0, "over 50 %"),
        (0.49999999, 1, "under 50 %"),
        (0.0023, None, "0.23 %"),
        (0.095, None, "9.5 %"),
        (0.0999, None, "10 %"),
        (math.nan, 0, "not defined"),
    ],
)
def test_shares(share: float, decimals: int | None, text: str) -> None:
    assert wording.percent(share, decimals) == text


# --- numbers ---


@given(FLOATS, st.integers(1, 7))
def test_significant_digits_are_those_of_the_number(value: float, digits: int) -> None:
    text = wording.significant(value, digits)
    spared = digits - (digits == 3)
    assert "-" not in text and "e" not in text
    assert read(text) == pytest.approx(value, rel=0.5000001 * 10.0 ** (1 - spared), abs=0)
    assert len(text) <= digits + 14


@given(FLOATS, st.integers(0, 4))
def test_zero_has_no_sign(value: float, decimals: int) -> None:
    for text in (wording.number(value, decimals), wording.rounded(value, min(decimals, 4))):
        assert "-" not in text
        assert not text.startswith("−") or any(c in "123456789" for c in text)


@given(st.floats(-1, 1))
def test_a_change_has_its_sign_or_is_none(change: float) -> None:
    text = wording.signed(change)
    assert text == "unchanged" if round(change, 2) == 0 else text[0] == "+−"[change < 0]


def test_what_is_no_number_says_so() -> None:
    nan, inf = math.nan, math.inf
    assert [wording.number(v) for v in (-1.5, inf, -inf, nan)] == ["−1.50", "∞", "−∞", "—"]
    assert [wording.significant(v) for v in (inf, -inf, nan)] == ["∞", "−∞", "undefined"]
    assert [wording.digits_lost(v) for v in (4.389053, inf, nan)] == ["4.39", "∞", "undefined"]
    assert wording.number(None, missing=wording.UNDEFINED) == "not defined"


@given(st.floats(0, 1 - 1e-11))
def test_an_r_squared_below_1_does_not_read_as_1(value: float) -> None:
    assert wording.r_squared(value) not in ("1", "1.00", "1.000", "1.0000")


# --- lists, counts and times ---


@given(st.lists(st.text("abc", min_size=1), min_size=1, max_size=9), st.integers(1, 9))
def test_a_list_names_so_many_and_counts_the_rest(items: list[str], limit: int) -> None:
    parts = re.split(r", | and ", wording.join(items, limit=limit))
    assert parts[:limit] == items[:limit]
    assert parts[limit:] == [f"{len(items) - limit} more"] * (len(items) > limit)


@given(st.text(), st.integers(1, 50))
def test_a_shortened_text_is_no_longer_than_asked(text: str, limit: int) -> None:
    shown = wording.shorten(text, limit)
    assert len(shown) <= limit and (shown == text or shown[-1] == "…")


def test_times_are_shown_in_utc() -> None:
    there = datetime(2025, 3, 1, 23, 5, tzinfo=timezone(timedelta(hours=-2)))
    assert wording.minute(there) == "2 Mar 2025, 01:05 UTC"
    assert wording.day(there) == wording.day(there.astimezone(UTC)) == "2 March 2025"
