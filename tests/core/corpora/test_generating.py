"""Generated formulas: their data, the filter, and runs that were stopped and resumed."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec

import numpy as np
import pytest
from scipy.stats import norm

from eic_core.corpora import stored
from eic_core.corpora.clusters import random_rotations, random_tables
from eic_core.corpora.generating import GenerationPlan, Proposals, samples
from eic_core.corpora.stored import StoredFormulas, parquet, torch_dataset, write_dataset
from eic_core.engine.values import plain_values
from eic_core.errors import DataError
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from eic_core.samples import Samples
from tests.effort import cases

SMALL = GenerationPlan(max_eic=1.5, points=40)
PER_FILE = 60


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("whole") / "set"
    write_dataset(found, SMALL, 150, seed=4, per_file=PER_FILE)
    return found


def test_every_variable_of_a_table_has_mean_0_and_variance_1():
    for variables in (1, 2, 7):
        tables = random_tables(20, variables, 90, 9, np.random.default_rng(variables))
        assert tables.shape == (20, variables, 90)
        np.testing.assert_allclose(tables.mean(axis=2), 0, atol=1e-5)
        np.testing.assert_allclose(tables.var(axis=2), 1, atol=1e-5)
        assert (tables == tables.astype(np.float32)).all()


def test_a_table_of_one_part_is_uniform_or_normal():
    """By its fourth moment, of one variable: 9/5 and 3."""
    fourth = (random_tables(400, 1, 2000, 1, np.random.default_rng(1))[:, 0] ** 4).mean(axis=1)
    assert ((np.abs(fourth - 1.8) < 0.15) | (np.abs(fourth - 3) < 0.9)).all()
    assert abs(int((fourth > 2.1).sum()) - 200) < norm.isf(1e-6) * math.sqrt(400) / 2


def test_parts_are_turned_in_every_direction_alike():
    """The entries of a uniform rotation have mean 0, variance 1/n and fourth moment 3/(n(n+2))."""
    count, size = cases(4000, 40_000), 4
    turns = random_rotations(count, size, np.random.default_rng(2)).astype(float)
    np.testing.assert_allclose(
        turns @ turns.transpose(0, 2, 1), np.broadcast_to(np.eye(size), turns.shape), atol=1e-4
    )
    limit = norm.isf(1e-7) / math.sqrt(count)
    fourth = 3 / (size * (size + 2))
    assert np.abs(turns.mean(axis=0)).max() < limit * math.sqrt(1 / size)
    spread = math.sqrt(fourth - 1 / size**2)
    assert np.abs((turns**2).mean(axis=0) - 1 / size).max() < limit * spread


def rows_of(sample) -> Samples:
    columns = {f"x{i}": sample.x[:, i].astype(float) for i in range(sample.x.shape[1])}
    return Samples.from_columns(columns)


def test_the_filter_is_the_eic_that_inspect_finds_on_the_stored_rows(folder):
    seen = 0
    for sample in StoredFormulas(folder):
        formula, rows = read(sample.infix).formula, rows_of(sample)
        inspection = inspect(formula, rows)
        assert inspection.eic == pytest.approx(sample.eic, abs=1e-9) and sample.eic <= 1.5
        assert (plain_values(formula, rows).astype(np.float32) == sample.y).all()
        assert sample.complexity == formula.complexity
        seen += 1
    assert seen == 150


def test_nothing_is_left_out_but_what_loses_more():
    """The kept ones are, in order, those of the unfiltered stream whose EIC is small enough."""
    for measure in ("mean", "q90"):
        batches = [
            Proposals(GenerationPlan(limit, 40, measure)).batch(np.random.default_rng(0), 300)
            for limit in (math.inf, 1.2)
        ]
        every, few = (np.concatenate([group.eic for group in b.groups]) for b in batches)
        assert 0 < len(few) < len(every) == batches[0].valid == batches[1].valid
        assert (every[every <= 1.2] == few).all()


def test_formulas_without_a_value_at_some_row_are_left_out():
    batch = Proposals(GenerationPlan(math.inf, 40)).batch(np.random.default_rng(3), 400)
    assert batch.valid < batch.proposed
    for group in batch.groups:
        assert np.isfinite(group.y).all() and group.y.dtype == np.float32


def test_weights_are_1_below_the_threshold_and_a_tenth_for_each_digit_beyond(tmp_path):
    write_dataset(tmp_path / "set", GenerationPlan(1.0, 20, weights=True), 80, per_file=80)
    found = list(StoredFormulas(tmp_path / "set"))
    assert any(sample.eic > 1.5 for sample in found)
    for sample in found:
        assert sample.weight == pytest.approx(min(1.0, 10 ** (1.0 - sample.eic)))


def test_a_stream_is_repeatable_and_keeps_to_its_plan():
    stream = samples(SMALL, seed=9)
    first = [next(stream) for _ in range(5)]
    again = samples(SMALL, seed=9)
    assert [one.infix for one in first] == [next(again).infix for _ in range(5)]
    for one in first:
        assert one.x.dtype == np.float32 and len(one.x) == len(one.y) == 40 and one.eic <= 1.5


class Stop:
    """Interrupts a run after so many batches."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, now) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def test_a_run_that_was_interrupted_and_gone_on_with_leaves_the_same_bytes(folder, tmp_path):
    """Each file takes one batch here."""
    again = tmp_path / "set"
    for expected in (0, 1, 2):
        done = write_dataset(
            again, SMALL, 150, seed=4, per_file=PER_FILE, progress=Stop(min(expected, 1))
        )
        assert done.interrupted and done.files == expected
        assert len(list(again.glob("part-*"))) == expected
    done = write_dataset(again, SMALL, 150, seed=4, per_file=PER_FILE)
    assert not done.interrupted and done.progress.stored == 150 and done.progress.new == 30
    assert contents(again) == contents(folder)


def test_a_run_that_is_killed_while_it_writes_leaves_the_same_bytes(folder, tmp_path, monkeypatch):
    again = tmp_path / "set"

    def die(source, target):
        if str(target).endswith("part-00001.parquet"):
            raise MemoryError("killed here")
        replace(source, target)

    replace = stored.os.replace
    monkeypatch.setattr(stored.os, "replace", die)
    with pytest.raises(MemoryError):
        write_dataset(again, SMALL, 150, seed=4, per_file=PER_FILE)
    assert len(list(again.glob("part-*.parquet"))) == 1
    monkeypatch.undo()
    write_dataset(again, SMALL, 150, seed=4, per_file=PER_FILE)
    assert contents(again) == contents(folder)


def test_any_number_of_processes_leaves_the_same_bytes(folder, tmp_path):
    """A run that was killed is gone on with, too: what it left unfinished is no part of the set."""
    again = tmp_path / "set"
    write_dataset(again, SMALL, 60, seed=4, per_file=PER_FILE)
    (again / "part-00007.parquet.unfinished").write_bytes(b"PAR1")
    done = write_dataset(again, SMALL, 150, seed=4, per_file=PER_FILE, jobs=2)
    assert (done.files, done.progress.stored, done.progress.new) == (3, 150, 90)
    assert done.progress.proposed >= done.progress.valid >= 90
    assert contents(again) == contents(folder)


def test_an_interruption_of_several_processes_keeps_whole_files(folder, tmp_path):
    again = tmp_path / "set"
    done = write_dataset(again, SMALL, 150, seed=4, per_file=PER_FILE, jobs=2, progress=Stop(0))
    assert done.interrupted and done.progress.stored == sum(
        stored.rows_of(path) for path in again.glob("part-*.parquet")
    )
    write_dataset(again, SMALL, 150, seed=4, per_file=PER_FILE)
    assert contents(again) == contents(folder)


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    def again(now):
        write_dataset(tmp_path / "set", SMALL, 30, seed=4)

    with pytest.raises(DataError, match="another run is writing"):
        write_dataset(tmp_path / "set", SMALL, 30, seed=4, progress=again)


def test_more_formulas_are_added_to_those_that_there_are(folder, tmp_path):
    again = tmp_path / "set"
    write_dataset(again, SMALL, 70, seed=4, per_file=PER_FILE)
    write_dataset(again, SMALL, 150, seed=4, per_file=PER_FILE)
    assert contents(again) == contents(folder)
    done = write_dataset(again, SMALL, 70, seed=4, per_file=PER_FILE)
    assert (done.progress.stored, done.progress.new) == (120, 0)  # nothing is thrown away
    assert contents(again) == contents(folder)


def test_a_damaged_file_is_named(folder, tmp_path):
    again = tmp_path / "set"
    write_dataset(again, SMALL, 60, seed=4, per_file=PER_FILE)
    (again / "part-00000.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(DataError, match="part-00000.parquet is damaged"):
        write_dataset(again, SMALL, 60, seed=4, per_file=PER_FILE)
    with pytest.raises(DataError, match="there are no generated formulas"):
        StoredFormulas(tmp_path)


def test_a_folder_of_another_plan_is_refused(folder, tmp_path):
    with pytest.raises(DataError, match="another max_eic: 1.5, not 2.0"):
        write_dataset(folder, GenerationPlan(2.0, 40), 10, seed=4, per_file=PER_FILE)
    with pytest.raises(DataError, match="another seed"):
        write_dataset(folder, SMALL, 10, seed=5, per_file=PER_FILE)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "plan.json").write_text("[]")
    with pytest.raises(DataError, match="plan.json is damaged"):
        write_dataset(tmp_path / "set", SMALL, 10)
    (tmp_path / "part-00000.parquet").write_bytes(b"mine")
    with pytest.raises(DataError, match="another origin"):
        write_dataset(tmp_path, SMALL, 10)


def test_parquet_holds_what_was_generated(folder):
    table = parquet().read_table(folder / "part-00000.parquet").to_pydict()
    found = list(StoredFormulas(folder))
    assert len(table["infix"]) == PER_FILE
    for number, sample in enumerate(found[:PER_FILE]):
        assert table["infix"][number] == sample.infix
        assert table["prefix"][number].split(",") == list(sample.prefix)
        assert table["variables"][number] == sample.x.shape[1]
        assert table["complexity"][number] == sample.complexity
        assert table["eic"][number] == sample.eic
        assert np.array(table["x"][number], dtype=np.float32).T.tolist() == sample.x.tolist()
        assert table["y"][number] == sample.y.tolist()


def test_formulas_alone_have_no_rows(tmp_path):
    write_dataset(tmp_path / "set", GenerationPlan(2.0, 0), 30)
    found = list(StoredFormulas(tmp_path / "set"))
    assert len(found) == 30 and all(one.x.size == one.y.size == 0 for one in found)
    assert "x" not in parquet().read_schema(tmp_path / "set" / "part-00000.parquet").names


def test_several_readers_share_the_files(folder):
    whole = [sample.infix for sample in StoredFormulas(folder)]
    some = [[s.infix for s in StoredFormulas(folder).share(i, 2)] for i in range(2)]
    assert sorted(some[0] + some[1]) == sorted(whole) and len(some[0]) == 90
    assert [len(StoredFormulas(folder).share(i, 2)) for i in range(2)] == [90, 60]
    assert not list(StoredFormulas(folder).share(4, 5))


if find_spec("torch") is not None:  # an extra that no test run installs: it is larger than the rest

    def test_pytorch_reads_the_same_formulas(folder):
        from torch.utils import data

        dataset = torch_dataset(folder)
        assert isinstance(dataset, data.IterableDataset)
        wanted = [sample.infix for sample in StoredFormulas(folder)]
        for workers in (0, 2):
            loader = data.DataLoader(dataset, batch_size=None, num_workers=workers)
            assert sorted(sample.infix for sample in loader) == sorted(wanted)


def test_the_command_generates_goes_on_and_says_what_is_there(tmp_path, eic):
    out = tmp_path / "set"
    command = ["generate", "--count", "5e1", "--points", "20", "--seed", "1", "--out", str(out)]
    said = eic(*command, "--json")
    done = json.loads(said.out)
    assert (done["kept"], done["files"], done["interrupted"]) == (50, 1, False)
    assert "50 formulas in 1 file of" in said.err
    before = contents(out)
    assert "a second" not in eic(*command).err.split("file")[1]
    assert contents(out) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--points", "3"], "3 points tell too little"),
        (["--points", "1e6"], "1,000,000 points a formula are too many: 5,000 at most"),
        (["--max-eic", "nan"], "must be a number"),
        (["--max-eic", "inf", "--weights"], "weights need a largest EIC"),
        (["--count", "0"], "nothing to generate"),
        (["--count", "1e12"], "a folder holds 1,000,000,000 formulas at most"),
        (["--jobs", "0"], "at least one process"),
        (["--seed", "-1"], "a seed is 0 or more"),
        (["--max-eic", "0.1", "--points", "10"], "none has an EIC of at most 0.1"),
    ],
)
def test_a_users_mistake_is_told(tmp_path, eic, options, message, monkeypatch):
    monkeypatch.setattr("eic_core.corpora.generating.HOPELESS", 4000)
    assert message in eic("generate", "--out", tmp_path / "set", *options, status=2).err
