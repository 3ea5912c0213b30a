"""Every ballot of the demo as the page that a rater gets, without votes and without a server."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import cache

from playwright.sync_api import Page, Route

from pages.ballot.parts import plain
from pages.ballot.views import SCRIPT, STYLE, ballot_screen
from study.ballots import make_content
from study.design import StudyDesign
from study.material import Member, NewPair, Problem
from study.rating_types import Ballot, Progress, RatingVisit, Stage
from study.stimulus.shapes import MAIN_PX
from study.stimulus.typesetting import typeset
from tests.e2e.rating_world import World

PLACE = "http://ballots.test"
_ASSETS = {asset.address: asset for asset in (STYLE, SCRIPT)}


def every_ballot(world: World, every: int = 1) -> Iterator[tuple[str, Ballot]]:
    """Practice and checks first, then each pair, or one of `every`, with its name."""
    for place, special in enumerate(world.organiser.preview_specials(world.study.id), start=1):
        yield f"special{place}", special.ballot
    for pair in world.organiser.pairs(world.study.id)[::every]:
        shown = world.organiser.preview(world.study.id, pair.id, lower_left=pair.number % 2 == 0)
        yield f"{pair.number:03}", shown.ballot


_SPEED, _ROOM = "rotationspeed_of_the_outer_disc", "temperature_of_the_room"
LONG_NAMED = (
    (f"1.00731*{_ROOM}", f"sqrt({_ROOM})*{_ROOM}**2/(4.51 - {_ROOM}*0.5123)"),
    (f"{_SPEED}**3 + 12.5*{_SPEED}**2*({_SPEED} - 51.7)", f"exp({_SPEED}**2*0.0001) - {_SPEED}"),
    (f"log({_SPEED} + sqrt({_SPEED} + 51.7*{_SPEED}))", f"{_SPEED}**(1/{_SPEED}**0.5)"),
    (
        f"({_SPEED}*{_ROOM} + 2.5)/({_SPEED} + {_ROOM} + {_SPEED}*{_ROOM})",
        f"sqrt(({_SPEED} + {_ROOM})/({_SPEED} - 0.5*{_ROOM}))*sin({_SPEED}*{_ROOM})",
    ),
)
"""Pairs of formulas in one or two columns whose names are wider than half of a phone."""


def long_named() -> Iterator[tuple[str, Ballot]]:
    """Ballots whose columns have long names."""
    for place, texts in enumerate(LONG_NAMED, start=1):
        names = [name for name in (_SPEED, _ROOM) if name in "".join(texts)]
        rows = [[10.0 + 3 * k + 5 * (k % 3) * i for i in range(len(names))] for k in range(12)]
        table = "\n".join(",".join(f"{x:g}" for x in (*row, row[0] + 2)) for row in rows)
        problem = Problem(
            "p", ",".join([*names, "mass_of_the_disc"]) + "\n" + table + "\n", "Discs"
        )
        members = (Member(text, 0.0, 1.0, 9) for text in texts)
        content = make_content(problem, NewPair("p", *members))
        yield (
            f"long{place}",
            content.ballot(StudyDesign(), lower_left=True, token="t", number=3, of=10),
        )


def show(page: Page, ballot: Ballot) -> None:
    """Open a ballot, made of the page's own templates, style sheet and script."""
    visit = RatingVisit(Stage.RATING, "Study", progress=Progress(3, 10))
    document = plain(ballot_screen(ballot, visit, "token").document())

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(PLACE)
        if path == "/":
            route.fulfill(body=document, content_type="text/html; charset=utf-8")
        elif path in _ASSETS:
            route.fulfill(body=_ASSETS[path].part.text, content_type=_ASSETS[path].kind)
        else:
            route.fulfill(status=404)

    page.unroute(f"{PLACE}/**")
    page.route(f"{PLACE}/**", answer)
    page.goto(f"{PLACE}/")
    page.locator(".plot svg:visible").first.wait_for()


@cache
def size_of_glyphs() -> dict[str, float]:
    """The size in pixels that a letter or digit has in a drawing that is not scaled, by its name.

    A glyph's name is a hash of its outline, so it stands for a letter in one size.
    """
    signs = r" \cdot ".join(
        ("1234567890", *string.ascii_letters, rf"\mathrm{{{string.ascii_letters}}}")
    )
    sizes: dict[str, float] = {}
    tall = 0.0
    for written in (signs, f"x^{{{signs}}}", f"x^{{y^{{{signs}}}}}"):
        drawn = typeset(written, written)
        outlines = dict(re.findall(r'<path id="(\w+)" d="([^"]+)"', drawn.glyphs))
        names = re.findall(r'<use href="#(\w+)"', drawn.lower.wide)
        one = next(name for name in names if name not in sizes)
        tall = tall or _height(outlines[one])
        size = MAIN_PX * _height(outlines[one]) / tall
        sizes |= {name: size for name in names if name not in sizes}
    return sizes


def _height(outline: str) -> int:
    """From the lowest to the highest corner of an outline.

    >>> _height("m1 100c1 0 1 0 1 100v101h-2z")
    201
    """
    y, corners = 0, [0]
    for command, text in re.findall(r"([mlqchv])([^mlqchvz]*)", outline):
        numbers = [int(number) for number in re.findall(r"-?\d+", text)]
        step = 1 if command == "v" else {"m": 2, "l": 2, "q": 4, "c": 6}.get(command, 0)
        y += sum(numbers[step - 1 :: step]) if step else 0
        corners.append(y)
    return max(corners[1:]) - min(corners[1:])
