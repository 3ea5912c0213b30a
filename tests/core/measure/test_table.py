"""Tables and ranges: what users bring, and what is said about it."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest

from eic_core.errors import DataError
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure import table as module
from eic_core.measure.table import match_variables, read_table
from tests.clocks import PacedClock


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_recognised(delimiter):
    table = read_table(f"a{delimiter}b\n1{delimiter}2\n")
    assert table.names == ("a", "b") and table.values["b"][0] == 2


def test_bad_cells_are_named_by_row_and_column():
    table = read_table("a,b\n1,2\n,3\n4,five\n")
    assert [str(p) for p in table.problems] == [
        "row 2, column `a`: empty",
        "row 3, column `b`: `five` is not a number",
    ]


def test_only_rows_complete_in_the_columns_used_are_kept():
    samples = read_table("a,b,c\n1,2,x\n,3,x\n4,5,x\n").samples({"u": "a"}, "b")
    assert list(samples.columns["u"]) == [1, 4] and list(samples.target) == [2, 5]
    assert list(samples.rows) == [1, 3]


def test_a_table_without_a_complete_row_lists_its_problems():
    with pytest.raises(DataError) as caught:
        read_table("a,b\n1,\n,2\n").samples({"a": "a", "b": "b"})
    assert len(caught.value.problems) == 2


def test_a_row_of_numbers_is_no_header():
    table = read_table("1,2\n3,4\n")
    assert table.names == ("x0", "x1") and table.rows == 2 and "No header" in table.notes[0]


def test_repeated_and_missing_column_names_become_unique():
    table = read_table("a,a,\n1,2,3\n")
    assert table.names == ("a", "a (2)", "column 3") and len(table.notes) == 2


@pytest.mark.parametrize(
    "text", ["", "\n\n", "a,b\n", "a,b\n1,2,3,4\n", b"\x89PNG\0\0\0", "a\n" + "1\n" * 3 + "1,2\n"]
)
def test_an_unusable_table_is_refused_with_a_reason(text):
    with pytest.raises(DataError) as caught:
        read_table(text)
    assert str(caught.value)


def test_a_byte_order_mark_and_latin_1_are_read():
    assert read_table("\ufeffa\n1\n".encode()).names == ("a",)
    assert read_table("größe\n1\n".encode("latin-1")).names == ("größe",)


def test_infinite_and_underscored_cells_are_no_numbers():
    assert len(read_table("a\ninf\n1_000\nnan\n1e999\n5\n").problems) == 4


def test_cells_mean_the_decimal_written_beyond_double_precision():
    samples = read_table("a\n0.1000000000000000000001\n0.1\n").samples({"x": "a"})
    assert samples.decimal("x", 0) == "0.1000000000000000000001"
    assert samples.decimal("x", 1) == "0.1"
    result = inspect(read("x-0.1").formula, samples)
    # 1e-22 and an exact zero: only the second is singular, though doubles see two zeros.
    assert result.counts.singular == 1
    assert result.eic_finite == pytest.approx(21.15, abs=0.01)


def test_a_cell_below_double_range_is_no_zero():
    samples = read_table("a\n1e-400\n").samples({"x": "a"})
    assert samples.decimal("x", 0) == "1e-400"
    result = inspect(read("log(x)").formula, samples)
    assert result.counts.valid == 1 and result.counts.rechecked == 1


SHIFTED = {"mapping": {"x1": "x2"}}
FROM_1 = {"mapping": {"x1": "x1"}, "index_base": 1}
ALIKE = {"x1": "x1", "x2": "x2"}
MATCHES = [
    # by name first; else indexed variables go by position, all or none
    (
        "log_Re x1",
        "x1 log_Re",
        {},
        {"mapping": {"log_Re": "log_Re", "x1": "x1"}, "index_base": None},
    ),
    (
        "x0 x1",
        "x1 x2",
        {},
        {"mapping": {"x0": "x1", "x1": "x2"}, "index_base": 0, "assumed": True},
    ),
    # an index past the last column means counting from one
    ("x1 x2", "a b", {}, {"mapping": {"x1": "a", "x2": "b"}}),
    ("x0 x2", "a b", {}, {"missing": ("x2",)}),
    # a stated base is kept even if a column is missing
    (
        "x1 x2",
        "a b",
        {"index_base": 0},
        {"mapping": {"x1": "b"}, "missing": ("x2",), "assumed": False},
    ),
    # a tool that was given a data frame prints its names: x1 is x1, unless the user says else
    ("x1", "x1 x2", {"index_base": 0}, FROM_1),
    ("x1", "x1 x2", {"index_base": 0, "group": ["x0"]}, SHIFTED),
    ("x1", "x1 x2", {"index_base": 0, "chosen": True}, SHIFTED),
    # names refute what a notation counts from, but not what the user says
    ("x1", "x1 x2", {"index_base": 0, "group": ["x2"]}, FROM_1 | {"renamed": {}}),
    ("x1", "x1 x2 x3", {"index_base": 0, "group": ["x2", "x3"]}, FROM_1 | {"renamed": {}}),
    (
        "x1",
        "x1 x2",
        {"index_base": 0, "group": ["x2"], "chosen": True},
        SHIFTED | {"renamed": {"x1": "x2"}},
    ),
    (
        "x1",
        "x1 x2 x3",
        {"index_base": 0, "group": ["x2", "x3"], "chosen": True},
        SHIFTED | {"renamed": {"x1": "x2"}},
    ),
    ("x1 x2", "x1 x2", {"index_base": 0}, {"mapping": ALIKE}),
    ("x1 m", "x0 x1 m", {"index_base": 1}, {"mapping": {"x1": "x1", "m": "m"}}),
    # one formula of a group that has no column by name moves all to positions
    ("x1", "x3 x1 t", {}, {"mapping": {"x1": "x1"}}),
    ("x1", "x3 x1 t", {"index_base": 1, "group": ["x2"]}, {"mapping": {"x1": "x3"}}),
]


@pytest.mark.parametrize(("variables", "columns", "told", "found"), MATCHES)
def test_variables_are_matched_by_name_or_by_position(variables, columns, told, found):
    match = match_variables(variables.split(), columns.split(), **told)
    assert {name: getattr(match, name) for name in found} == found


@pytest.mark.parametrize(
    ("columns", "base", "x1"),
    [
        ("x0 x1 x2", 0, "x1"),
        ("x0 x1 x2", 1, "x0"),
        ("x1 x2", 1, "x1"),
        ("X_0 X_1", 1, "X_0"),
        ("x0 x1 mass", 1, "x0"),
        ("x1 mass", 0, "x1"),
        ("id x0 x1", 1, "x1"),
        ("x1 x0", 1, "x1"),
        ("x1 x5", 0, "x1"),
        ("a b", 0, "b"),
    ],
)
def test_a_known_base_decides_before_names_where_the_columns_count(columns, base, x1):
    for chosen in (True, False):
        match = match_variables(["x1"], columns.split(), index_base=base, chosen=chosen)
        assert match.mapping == {"x1": x1}


def test_a_stream_depends_on_seed_and_name_alone():
    one = sample_domains({"x": Domain("normal", 0, 1), "y": Domain("uniform", 0, 1)}, count=9)
    two = sample_domains({"y": Domain("uniform", 0, 1)}, count=9)
    assert (one.columns["y"] == two.columns["y"]).all()
    other = sample_domains({"z": Domain("uniform", 0, 1)}, count=9)
    assert (one.columns["y"] != other.columns["z"]).any()
    again = sample_domains({"y": Domain("uniform", 0, 1)}, count=9, seed=1)
    assert (again.columns["y"] != two.columns["y"]).all()


@pytest.mark.parametrize(
    "text, low, high",
    [("x=0.1:10", 0.1, 10), ("x=loguniform:1e-3:1e3", 1e-3, 1e3), ("x=2.5", 2.5, 2.5)],
)
def test_samples_stay_inside_their_range(text, low, high):
    name, domain = Domain.parse(text)
    values = sample_domains({name: domain}, count=1000).columns[name]
    assert values.min() >= low and values.max() <= high
    assert Domain.parse(f"x={domain}") == ("x", domain)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x=",
        "=1:2",
        "x=1:2:3",
        "x=a:1:2",
        "x=2:1",
        "x=inf:1",
        "x=loguniform:0:1",
        "x=normal:0:-1",
        "x=-1e308:1.7e308",
        "x=nan",
    ],
)
def test_a_malformed_range_is_refused(text):
    with pytest.raises(DataError):
        Domain.parse(text)


@pytest.mark.parametrize("count, seed", [(0, 0), (-1, 0), (10**9, 0), (5, -1)])
def test_counts_and_seeds_are_checked(count, seed):
    with pytest.raises(DataError):
        sample_domains({"x": Domain("uniform", 0, 1)}, count=count, seed=seed)


def test_columns_must_be_finite_and_of_one_length():
    for columns in ({"x": [1.0, np.nan]}, {"x": [1.0], "y": [1.0, 2.0]}, {"x": []}, {"x": [[1]]}):
        with pytest.raises(DataError):
            Samples.from_columns(columns)


def test_the_digest_tells_data_apart_and_ignores_column_order():
    one = Samples.from_columns({"a": [1.0], "b": [2.0]})
    assert one.digest() == Samples.from_columns({"b": [2.0], "a": [1.0]}).digest()
    assert one.digest() != Samples.from_columns({"a": [2.0], "b": [1.0]}).digest()


def test_a_formula_without_variables_is_measured_on_any_number_of_samples():
    assert inspect(read("2+3").formula, sample_domains({}, count=5)).counts.valid == 5


@pytest.mark.parametrize("kind", [str, Path])
def test_a_table_is_read_from_its_path_as_from_its_bytes(tmp_path, kind):
    path = tmp_path / "pendulum; 2.csv"
    path.write_bytes("größe\n1\n".encode("latin-1"))
    table = read_table(kind(path))
    assert (table.names, table.source) == (("größe",), "pendulum; 2.csv")
    assert table.digest == read_table(path.read_bytes()).digest
    assert read_table(kind(path), source="drop").source == "drop"


@pytest.mark.parametrize("named", ["nowhere.csv", Path("nowhere.csv"), "a,b", Path(), "x" * 9000])
def test_a_file_that_cannot_be_read_is_named(named):
    with pytest.raises(DataError, match="^cannot read "):
        read_table(named)


def test_one_line_of_numbers_is_a_table_and_no_path():
    assert read_table("1, 2.5").rows == read_table("7").rows == 1


@pytest.mark.parametrize(
    ("text", "values", "noted"),
    [
        ("x;y\n1,5;2\n-0,25;3,5e2\n", {"x": [1.5, -0.25], "y": [2, 350]}, "`1,5`"),
        ("x\ty\n1,5\t2,25\n", {"x": [1.5], "y": [2.25]}, "`1,5`"),
        ("1,5;2,5;3,5\n4,5;5,5;6,5\n", {"x0": [1.5, 4.5], "x2": [3.5, 6.5]}, "`1,5`"),
        (
            "Temp, °C;Druck, bar\n20,5;1,013\n",
            {"Temp, °C": [20.5], "Druck, bar": [1.013]},
            "`20,5`",
        ),
        ("x;y\n1.234,5;2\n", {"x": [1234.5], "y": [2]}, "`1.234,5`"),
        ("x;y\n1 234,5;2\n", {"x": [1234.5], "y": [2]}, "`1 234,5`"),
        ("x;y\n1,234;2\n", {"x": [1.234], "y": [2]}, "`1,234`"),
        ("x;y\n,5;2\n", {"x": [0.5], "y": [2]}, "`,5`"),
    ],
)
def test_decimal_commas_are_read_and_said(text, values, noted):
    table = read_table(text)
    for name, column in values.items():
        assert table.values[name].tolist() == column
    assert not table.problems
    assert any("decimal mark" in note and noted in note for note in table.notes)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x;y\n1,5;2.5\n", "others write a point"),
        ("x\ty\n1,234\t2\n", "group thousands"),
    ],
)
def test_a_comma_that_may_mean_either_is_no_number_and_said_to_be_none(text, why):
    table = read_table(text)
    assert [problem.row for problem in table.problems] == [1]
    assert any(why in note for note in table.notes)


@pytest.mark.parametrize("text", ["x,y\n1,5\n", 'x,y\n"1,5",2\n', "a;b,c\n1;2,3\n4,5\n"])
def test_a_table_with_commas_between_its_cells_is_read_as_before(text):
    table = read_table(text)
    assert not any("decimal mark" in note for note in table.notes)


def test_a_cell_with_a_decimal_comma_keeps_the_digits_a_double_lacks():
    table = read_table("x;y\n0,12345678901234567890;1\n")
    assert table.exact["x"] == {0: "0.12345678901234567890"}


# --- limits, each with its sentence ---


LIMITS = {
    "the table is empty": b",",
    "has 100,000 columns in its first row; at most 1,000 are read: keep the columns": (
        b",".join([b"c"] * 100_000) + b"\n1\n"
    ),
    r"line 5,002 holds a character that is no text \(NUL\)": (
        b"a,b\n" + b"1,2\n" * 5_000 + b"1,\0\n"
    ),
    "the table cannot be unpacked": gzip.compress(b"a,b\n1,2\n")[:-9],
    "the cell that ends at line 32,770 has more than 131,072 characters: a quotation mark": (
        b'a,b\n1,"2\n' + b"1,2\n" * 50_000
    ),
    "row 3 has 3 cells, the header 2: quote": b"a,b\n1,2\n3,4\n5,6,7\n",
}


@pytest.mark.parametrize("said", LIMITS)
def test_what_is_beyond_a_limit_is_refused_with_what_is_wrong_where_and_what_to_do(said):
    with pytest.raises(DataError, match=said) as caught:
        read_table(LIMITS[said])
    assert caught.value.hint


def test_more_rows_than_are_read_and_more_seconds_than_are_given_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_SAMPLES", 25_000)
    raw = b"x\n" + b"1\n" * 25_000
    assert read_table(raw).rows == 25_000
    with pytest.raises(DataError, match="more than 25,000 rows; at most so many are read: keep"):
        read_table(raw + b"1\n")
    with pytest.raises(DataError, match="stopped after 20 seconds, at line 10,000: keep fewer"):
        read_table(raw, seconds=20, clock=PacedClock(30.0))


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 3_000_000)
    bomb = gzip.compress(b"1,2\n" * 750_001)
    assert len(bomb) < 5_000
    with pytest.raises(DataError, match="has more than 3 MB unpacked: keep the rows"):
        read_table(bomb)


def test_a_gzipped_table_is_the_table_in_it():
    plain = b"a,b\n1,2\n3,x\n"
    packed = read_table(gzip.compress(plain))
    assert packed.names == ("a", "b") and list(packed.values["a"]) == [1, 3]
    assert [str(p) for p in packed.problems] == [str(p) for p in read_table(plain).problems]


def test_a_table_is_the_same_however_many_of_its_rows_are_taken_at_once(monkeypatch):
    """Plain cells are read as a column, others one by one: both in every mixture."""
    cells = ["1", "0", "0.1000000000000000055", "1e-310", "4e-400", "1_0", "nan", "x", " 2 ", "-0"]
    rows = [",".join(random.Random(k).choices(cells, k=3)) for k in range(60)]
    text = "a,b,c\n" + "\n".join(rows) + "\n1\n1,2\n"
    whole = read_table(text)
    monkeypatch.setattr(module, "_AT_ONCE", 1)
    single = read_table(text)
    assert whole.problems == single.problems and whole.exact == single.exact
    for name in whole.names:
        np.testing.assert_array_equal(whole.values[name], single.values[name])


def test_of_very_many_bad_cells_the_first_are_named_and_all_are_counted(monkeypatch):
    monkeypatch.setattr(module, "MAX_PROBLEMS", 3)
    table = read_table("a,b\n" + "x,1\n" * 7)
    assert len(table.problems) == 3
    assert table.notes == ("7 cells hold no number; the first 3 are named.",)


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("m [kg]", "m", "kg"),
        ("KE [J]", "KE", "J"),
        ("v (m/s)", "v", "m/s"),
        ("T[°C]", "T", "°C"),
        ("c (J/(kg K))", "c", "J/(kg K)"),
        ("l [µm]", "l", "µm"),
        ("f (10^3 s⁻¹)", "f", "10^3 s⁻¹"),
        ("p [%]", "p", "%"),
    ],
)
def test_a_unit_in_the_header_is_no_part_of_the_name(header, name, unit):
    table = read_table(f"{header},y\n1,2\n")
    assert table.names == (name, "y") and table.units == {name: unit}
    assert table.column(header) == table.column(name) == name and table.header(name) == header
    assert f"`{name}` in {unit}" in table.notes[0]


@pytest.mark.parametrize("header", ["f(x)", "x[0]", "x [12]", "x (2)", "x [1:5]", "T/K", "[kg]"])
def test_an_argument_an_index_a_count_and_a_ratio_are_no_units(header):
    table = read_table(f"{header},y\n1,2\n")
    assert table.names == (header, "y") and not table.units and not table.notes


def test_columns_that_differ_by_nothing_but_their_unit_keep_their_headers():
    table = read_table("m [kg],m [lb],KE [J]\n1,2.2,5\n")
    assert table.names == ("m [kg]", "m [lb]", "KE") and table.units == {"KE": "J"}
    assert read_table("m,m [kg]\n1,2\n").names == ("m", "m [kg]")


def test_a_very_long_header_is_no_name_with_a_unit():
    header = " (m" * 40_000 + ")"
    assert read_table(f'"{header}",y\n1,2\n').names[0] == header.strip()


def test_a_formula_names_the_columns_without_their_units():
    table = read_table("m [kg],v (m/s),KE [J]\n2,3,9\n1,2,2\n")
    match = match_variables(["m", "v"], [name for name in table.names if name != "KE"])
    samples = table.samples(match.mapping, table.column("KE [J]"))
    assert samples.columns["v"].tolist() == [3, 2] and samples.target.tolist() == [9, 2]
