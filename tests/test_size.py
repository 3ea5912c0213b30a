"""What `make size` counts, and when `make lint` fails for it."""

from __future__ import annotations

from tools.size import ROOT, figures_of, python_figures, room_of, tracked, wider


def test_a_room_that_is_wider_than_its_row_is_named_with_what_grew() -> None:
    rows = {"study": {"statements": 10, "docstrings": 4, "tokens": 99, "riddles": 1}}
    assert not [*wider(rows, rows)]
    assert not [*wider({"study": {**rows["study"], "statements": 9}}, rows)]
    grown = {"study": {**rows["study"], "statements": 12}, "tools": {**rows["study"], "tokens": 0}}
    assert [*wider(grown, rows)] == [
        "study: statements 12 (+2)",
        "tools: statements 10 (+10), docstrings 4 (+4), riddles 1 (+1)",
    ]


def test_names_that_are_riddles_count_wherever_they_are_given() -> None:
    text = "found = 1\ndef _shown(said): ...\nclass Kept: ...\nfor here, b in x: x.told = known\n"
    assert python_figures(text)["riddles"] == 5


def test_every_file_has_a_room_under_its_folder() -> None:
    rooms = {room_of(path.relative_to(ROOT)) for path in tracked(ROOT)}
    assert {"eic_core/formula/syntax", "pages/ui/organising", "tests/core", "docs/adr"} <= rooms
    assert all(room.count("/") < 3 for room in rooms)
    here = figures_of(ROOT / "tools/size.py")
    assert all(here[column] for column in ("statements", "docstrings", "tokens", "modules"))
