"""Generated formulas on disk: Parquet files of ten thousand each, that a run which was stopped
goes on with, and that a training reads one after the other.

Every file depends on the plan, the seed and its own number alone.  So a folder holds the same
bytes however often the run was stopped, and files may be made in any order.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eic_core.corpora.generating import Batch, Generated, GenerationPlan, Proposals, Sample, located
from eic_core.corpora.texts import infix_texts, prefix_texts
from eic_core.errors import DataError

FORMAT = 1

PER_FILE = 10_000

MOST_FILES = 100_000
"""Of a folder: their numbers have five digits."""

PLAN_FILE = "plan.json"

_UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class GenerationProgress:
    """How far a run is."""

    # wanted, kept: formulas; those of files that were there already are kept ones
    wanted: int
    kept: int
    # made, proposed, valid: by this run: kept, drawn, with a finite value at every row
    made: int
    proposed: int
    valid: int
    seconds: float

    @property
    def rate(self) -> float:
        """Formulas made a second."""
        return self.made / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class GenerationResult:
    """What a run left in its folder."""

    progress: GenerationProgress
    files: int  # Whole ones, earlier ones included
    interrupted: bool  # Whether it was stopped before the end


def file_name(number: int) -> str:
    """The name of a file.

    >>> file_name(12)
    'part-00012.parquet'
    """
    return f"part-{number:05d}.parquet"


def write_dataset(
    folder: Path,
    plan: GenerationPlan,
    count: int,
    *,
    seed: int = 0,
    per_file: int = PER_FILE,
    jobs: int = 1,
    progress: Callable[[GenerationProgress], None] = lambda now: None,
    clock: Callable[[], float] = time.monotonic,
) -> GenerationResult:
    """Generate formulas into a folder; files that are there already stay.

    Parameters
    ----------
    folder
        Made if need be.
    plan
    count
        How many formulas.
    seed
    per_file
        How many to a file; the last one holds the rest.
    jobs
        Processes; the files are the same for any number of them.
    progress
        Called after every batch; with several processes after every file.
    clock
        Seconds.

    Returns
    -------
    GenerationResult
        After an interruption from the keyboard, too: whole files are kept.

    Raises
    ------
    DataError
        If the folder holds something else, another run is writing there, or pyarrow is not
        installed.
    """
    if count < 1:
        raise DataError("there is nothing to generate", hint="ask for one formula or more")
    if count > MOST_FILES * per_file:
        raise DataError(
            f"a folder holds {MOST_FILES * per_file:,} formulas at most",
            hint="use several folders, each with a seed of its own",
        )
    if jobs < 1:
        raise DataError("there must be at least one process", hint="--jobs 1 or more")
    parquet()
    proposals = Proposals(plan)
    check_plan(folder, plan, seed, per_file)
    started = clock()
    kept = files = made = proposed = valid = 0
    interrupted, missing = False, list[_Order]()
    with _alone(folder):
        for number in range(-(-count // per_file)):
            order = _Order(folder, number, min(per_file, count - number * per_file), seed)
            found = rows_of(order.path)
            if found >= order.size:  # it begins with what is wanted
                kept, files = kept + found, files + 1
            else:
                missing.append(order)
        try:
            for step in _steps(missing, proposals, jobs):
                made, proposed = made + step.made, proposed + step.proposed
                valid += step.valid
                progress(
                    GenerationProgress(count, kept + made, made, proposed, valid, clock() - started)
                )
        except KeyboardInterrupt:
            interrupted = True
        whole = [order.size for order in missing if rows_of(order.path) >= order.size]
    made = sum(whole)
    done = GenerationProgress(count, kept + made, made, proposed, valid, clock() - started)
    return GenerationResult(done, files + len(whole), interrupted)


class _Order(NamedTuple):
    """A file that is to be made: the first `size` formulas of its number."""

    folder: Path
    number: int
    size: int
    seed: int

    @property
    def path(self) -> Path:
        return self.folder / file_name(self.number)


class _Step(NamedTuple):
    """What was added: formulas made, drawn, with a finite value at every row."""

    made: int
    proposed: int
    valid: int


def _file_steps(order: _Order, proposals: Proposals) -> Iterator[_Step]:
    """Make a file, a step a batch; it is there when the last step has been taken."""
    parts: list[tuple[Batch, int]] = []
    there = 0
    for batch in proposals.batches(np.random.default_rng([order.seed, order.number])):
        take = min(len(batch.order), order.size - there)
        parts.append((batch, take))
        there += take
        yield _Step(take, batch.proposed, batch.valid)
        if there == order.size:
            break
    _write(order.path, parts, proposals)


def _steps(orders: Sequence[_Order], proposals: Proposals, jobs: int) -> Iterator[_Step]:
    """Make files, one after the other or in processes, then a step a file."""
    if jobs == 1 or len(orders) < 2:
        for order in orders:
            yield from _file_steps(order, proposals)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed  # takes a while
    from multiprocessing import Event

    stop = Event()
    with ProcessPoolExecutor(
        min(jobs, len(orders)), initializer=_prepare, initargs=(proposals.plan, stop)
    ) as executor:
        try:
            for future in as_completed([executor.submit(_make, order) for order in orders]):
                yield future.result()
        finally:
            stop.set()
            executor.shutdown(cancel_futures=True)  # after the batches that were begun


_worker: list[Any] = []
"""Of a process that makes files: its `Proposals`, and the event that ends its work."""


def _prepare(plan: GenerationPlan, stop: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker[:] = [Proposals(plan), stop]


def _end_with_parent() -> None:
    """A parent that was killed tells nobody: its processes would wait for work for ever."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _make(order: _Order) -> _Step:
    proposals, stop = _worker
    total = _Step(0, 0, 0)
    for step in _file_steps(order, proposals):
        if stop.is_set():
            break
        total = _Step(*map(sum, zip(total, step, strict=True)))
    return total


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other run writes into the folder meanwhile; what a killed one left unfinished goes.

    Raises `DataError` if another run does.
    """
    with (folder / PLAN_FILE).open("rb") as held:
        with suppress(ImportError):  # where there are no such locks, nobody looks
            import fcntl

            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if isinstance(error, BlockingIOError):
                    raise DataError(
                        f"another run is writing into {folder}",
                        hint="wait for it, name another folder, or use --jobs",
                    ) from error
        for left in folder.glob(f"part-*{_UNFINISHED}"):
            with suppress(OSError):
                left.unlink()
        yield


def parquet() -> Any:
    """pyarrow's module for Parquet, which is loaded only here.

    Raises `DataError` if it is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise DataError(
            "Parquet files need pyarrow", hint="install it: pip install 'eic-lab[generate]'"
        ) from None
    return pyarrow.parquet


def check_plan(folder: Path, plan: GenerationPlan, seed: int, per_file: int) -> None:
    """Write down what a folder holds, or make sure that it holds the same.

    Raises `DataError` if it holds something else, or cannot be written.
    """
    wanted = {"format": FORMAT, "seed": seed, "per_file": per_file, **_plain(plan)}
    path = folder / PLAN_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            if any(folder.glob("part-*.parquet")):
                raise DataError(
                    f"{folder} holds files of another origin", hint="name an empty folder"
                )
            text = json.dumps(wanted, indent=1) + "\n"
            _whole(path, lambda target: target.write_text(text, encoding="utf-8"))
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError(found)
    except OSError as error:
        raise DataError(f"cannot write {folder}: {error.strerror}") from error
    except ValueError as error:
        raise DataError(f"{path} is damaged", hint="name an empty folder") from error
    other = [key for key, value in wanted.items() if found.get(key) != value]
    if other:
        key = other[0]
        raise DataError(
            f"{folder} was begun with another {key}: {found.get(key)}, not {wanted[key]}",
            hint="go on with the same, or name another folder",
        )


def _plain(plan: GenerationPlan) -> dict[str, Any]:
    found = asdict(plan)
    return found | {"max_eic": repr(plan.max_eic)}


def rows_of(path: Path) -> int:
    """How many formulas a file holds; 0 if there is none.

    Raises `DataError` if it cannot be read.
    """
    if not path.exists():
        return 0
    try:
        return int(parquet().read_metadata(path).num_rows)
    except (OSError, ValueError) as error:  # what pyarrow raises for files of another kind
        raise DataError(
            f"{path} is damaged", hint="remove it: the same command makes it anew"
        ) from error


def _write(path: Path, parts: list[tuple[Batch, int]], proposals: Proposals) -> None:
    """One file, which is there as a whole or not at all."""
    import pyarrow

    plan = proposals.plan
    found: list[tuple[Generated, int]] = []
    prefix: list[str] = []
    infix: list[str] = []
    for batch, count in parts:
        some = list(located(batch))[:count]
        found += some
        texts = {}
        for group in batch.groups:
            used = np.array([place for of, place in some if of is group], dtype=np.int64)
            few = group.forest.take(used)
            texts[id(group)] = iter(
                zip(prefix_texts(few, proposals.grower.words), infix_texts(few), strict=True)
            )
        for group, _ in some:
            tokens, text = next(texts[id(group)])
            prefix.append(tokens)
            infix.append(text)
    variables = np.array([group.x.shape[1] for group, _ in found], dtype=np.int8)
    eic = np.array([group.eic[place] for group, place in found])
    columns: dict[str, Any] = {
        "prefix": prefix,
        "infix": infix,
        "variables": variables,
        "complexity": np.array([tokens.count(",") + 1 for tokens in prefix], dtype=np.int16),
        "eic": eic,
    }
    if plan.weights:
        columns["weight"] = proposals.weights(eic)
    if plan.points:
        flat = np.concatenate([group.x[place].ravel() for group, place in found])
        tables = pyarrow.FixedSizeListArray.from_arrays(flat, plan.points)
        ends = np.concatenate(([0], np.cumsum(variables, dtype=np.int32)), dtype=np.int32)
        columns["x"] = pyarrow.ListArray.from_arrays(ends, tables)
        y = np.concatenate([group.y[place] for group, place in found])
        columns["y"] = pyarrow.FixedSizeListArray.from_arrays(y, plan.points)
    # single-precision noise does not get smaller
    compression = {_leaf(name): "none" if name in ("x", "y") else "zstd" for name in columns}
    table = pyarrow.table(columns)

    def write(target: Path) -> None:
        parquet().write_table(
            table, target, use_dictionary=False, write_statistics=False, compression=compression
        )

    _whole(path, write)


def _leaf(name: str) -> str:
    """The path by which Parquet knows a column."""
    return {"x": "x.list.element.list.element", "y": "y.list.element"}.get(name, name)


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file that is there as a whole or not at all."""
    unfinished = path.with_name(path.name + _UNFINISHED)
    try:
        write(unfinished)
        os.replace(unfinished, path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from error


class StoredFormulas:
    """The formulas of a folder, one after the other; or a share of its files.

    Parameters
    ----------
    folder
    worker
        Of so many readers this one reads every `workers`-th file, from that of number `worker`
        on.
    workers
        Of so many readers this one reads every `workers`-th file, from that of number `worker`
        on.

    Raises
    ------
    DataError
        If the folder holds no generated formulas.
    """

    def __init__(self, folder: os.PathLike[str] | str, worker: int = 0, workers: int = 1) -> None:
        self.folder = Path(folder)
        self.worker, self.workers = worker, workers
        self.files = sorted(self.folder.glob("part-*.parquet"))
        if not self.files:
            raise DataError(
                f"there are no generated formulas in {self.folder}",
                hint="make some: eic generate --out FOLDER",
            )

    def share(self, worker: int, workers: int) -> StoredFormulas:
        """What one of several readers reads.

        Parameters
        ----------
        worker
        workers

        Returns
        -------
        StoredFormulas
        """
        return StoredFormulas(self.folder, worker, workers)

    def __len__(self) -> int:
        return sum(map(rows_of, self.files[self.worker :: self.workers]))

    def __iter__(self) -> Iterator[Sample]:
        for path in self.files[self.worker :: self.workers]:
            for group in parquet().ParquetFile(path).iter_batches(batch_size=1_000):
                yield from _samples(group)


def _samples(group: Any) -> Iterator[Sample]:
    """The rows of a record batch."""
    names = set(group.schema.names)
    count = group.num_rows
    prefix, infix = group["prefix"].to_pylist(), group["infix"].to_pylist()
    eic = group["eic"].to_numpy()
    weight = group["weight"].to_numpy() if "weight" in names else np.ones(count)
    none = np.empty((0, 0), dtype=np.float32)
    x, y, ends = none, none, np.zeros(count + 1, dtype=int)
    if "x" in names:
        points = group.schema.field("y").type.list_size
        y = group["y"].flatten().to_numpy().reshape(-1, points)
        ends = group["x"].offsets.to_numpy()
        first = int(ends[0])
        x = group["x"].flatten().flatten().to_numpy().reshape(-1, points)
        ends = ends - first
    for i in range(count):
        yield Sample(
            tuple(prefix[i].split(",")),
            infix[i],
            float(eic[i]),
            float(weight[i]),
            x[ends[i] : ends[i + 1]].T,
            y[i] if len(y) else none[0:0].ravel(),
        )


def torch_dataset(folder: os.PathLike[str] | str) -> Any:
    """The formulas of a folder as a PyTorch ``IterableDataset`` of `Sample`.

    Every worker of a ``DataLoader`` reads files of its own.

    Parameters
    ----------
    folder

    Returns
    -------
    Any
    """
    from torch.utils.data import IterableDataset, get_worker_info

    class TorchFormulas(IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Iterator[Sample]:
            worker = get_worker_info()
            return iter(stored.share(worker.id, worker.num_workers) if worker else stored)

        def __reduce__(self) -> Any:  # for workers that are started anew
            return torch_dataset, (os.fspath(folder),)

    stored = StoredFormulas(folder)
    return TorchFormulas()
