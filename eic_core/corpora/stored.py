"""Generated formulas on disk: Parquet files of ten thousand, each with a stream of its own."""

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
from eic_core.errors import DataError, require

FORMAT = 1

PER_FILE = 10_000

MOST_FILES = 100_000
"""Files of a folder: their numbers have five digits."""

PLAN_FILE = "plan.json"

_UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class GenerationProgress:
    goal: int  # Formulas in all
    stored: int  # Those in the folder, with those of earlier runs
    new: int  # Those that this run added
    proposed: int  # Formulas that this run has drawn
    valid: int  # Proposed formulas with a finite value at every row
    seconds: float

    @property
    def rate(self) -> float:
        return self.new / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class GenerationResult:
    progress: GenerationProgress
    files: int  # Whole ones, those of earlier runs included
    interrupted: bool  # Stopped before the end


def file_name(number: int) -> str:
    """Five digits, so that names sort by number.

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
        What is generated; the folder's plan must be the same.
    count
        Formulas in all.
    seed
        Non-negative; with the number of a file it gives the file.
    per_file
        Formulas in a file; the last one holds the rest.
    jobs
        Processes; the files are the same for any number of them.
    progress
        Called after every batch; with several processes after every file.
    clock
        Seconds.

    Returns
    -------
    GenerationResult
        After Ctrl-C, too: whole files stay.

    Raises
    ------
    DataError
        If the folder holds something else, another run is writing there, or pyarrow is not
        installed.
    """
    require(plan, GenerationPlan)
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
    stored = files = new = proposed = valid = 0
    interrupted, missing = False, list[_Order]()
    with _lock_folder(folder):
        for number in range(-(-count // per_file)):
            order = _Order(folder, number, min(per_file, count - number * per_file), seed)
            rows = rows_of(order.path)
            # a longer file begins with the formulas of a shorter one of the same number
            if rows >= order.size:
                stored, files = stored + rows, files + 1
            else:
                missing.append(order)
        try:
            for step in _steps(missing, proposals, jobs):
                new, proposed = new + step.new, proposed + step.proposed
                valid += step.valid
                progress(
                    GenerationProgress(count, stored + new, new, proposed, valid, clock() - started)
                )
        except KeyboardInterrupt:
            interrupted = True
        whole = [order.size for order in missing if rows_of(order.path) >= order.size]
    new = sum(whole)
    done = GenerationProgress(count, stored + new, new, proposed, valid, clock() - started)
    return GenerationResult(done, files + len(whole), interrupted)


class _Order(NamedTuple):
    """A file to make: the first `size` formulas of its number."""

    folder: Path
    number: int
    size: int
    seed: int

    @property
    def path(self) -> Path:
        return self.folder / file_name(self.number)


class _Step(NamedTuple):
    """New formulas, formulas drawn, and those with a finite value at every row."""

    new: int
    proposed: int
    valid: int


def _file_steps(order: _Order, proposals: Proposals) -> Iterator[_Step]:
    """Make a file, one step a batch; the file is there after the last step."""
    parts: list[tuple[Batch, int]] = []
    written = 0
    # a stream for each file: files may be made in any order, and a stopped run goes on
    for batch in proposals.batches(np.random.default_rng([order.seed, order.number])):
        few = min(len(batch.order), order.size - written)
        parts.append((batch, few))
        written += few
        yield _Step(few, batch.proposed, batch.valid)
        if written == order.size:
            break
    _write_file(order.path, parts, proposals)


def _steps(orders: Sequence[_Order], proposals: Proposals, jobs: int) -> Iterator[_Step]:
    """Make files: one after the other with a step a batch, or in processes with a step a file."""
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
            executor.shutdown(cancel_futures=True)  # waits for the batches that were begun


_worker: list[Any] = []
"""In a process that makes files: its `Proposals`, and the event that ends its work."""


def _prepare(plan: GenerationPlan, stop: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker[:] = [Proposals(plan), stop]


def _end_with_parent() -> None:
    """A killed parent tells nobody: its processes would wait for work forever."""
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
def _lock_folder(folder: Path) -> Iterator[None]:
    """Keep other runs out of the folder, and remove what a killed run left unfinished."""
    with (folder / PLAN_FILE).open("rb") as lock:
        with suppress(ImportError):  # Windows has no such locks: there nobody checks
            import fcntl

            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if isinstance(error, BlockingIOError):
                    raise DataError(
                        f"another run is writing into {folder}",
                        hint="wait for it, name another folder, or use --jobs",
                    ) from error
        for unfinished in folder.glob(f"part-*{_UNFINISHED}"):
            with suppress(OSError):
                unfinished.unlink()
        yield


def parquet() -> Any:
    """pyarrow's module for Parquet, loaded only here; `DataError` if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise DataError("Parquet files need pyarrow", hint="pip install pyarrow") from None
    return pyarrow.parquet


def check_plan(folder: Path, plan: GenerationPlan, seed: int, per_file: int) -> None:
    """Write down what a folder holds; `DataError` if it holds something else."""
    settings = {"format": FORMAT, "seed": seed, "per_file": per_file, **_plan_document(plan)}
    path = folder / PLAN_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            if any(folder.glob("part-*.parquet")):
                raise DataError(
                    f"{folder} holds files of another origin", hint="name an empty folder"
                )
            text = json.dumps(settings, indent=1) + "\n"
            _write_whole(path, lambda target: target.write_text(text, encoding="utf-8"))
        stored = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(stored, dict):
            raise ValueError(stored)
    except OSError as error:
        raise DataError(f"cannot write {folder}: {error.strerror}") from error
    except ValueError as error:
        raise DataError(f"{path} is damaged", hint="name an empty folder") from error
    other = [key for key, value in settings.items() if stored.get(key) != value]
    if other:
        key = other[0]
        raise DataError(
            f"{folder} was begun with another {key}: {stored.get(key)}, not {settings[key]}",
            hint="go on with the same, or name another folder",
        )


def _plan_document(plan: GenerationPlan) -> dict[str, Any]:
    return asdict(plan) | {"max_eic": repr(plan.max_eic)}  # JSON has no infinity


def rows_of(path: Path) -> int:
    """The number of formulas in a file; 0 without a file, `DataError` if it is damaged."""
    if not path.exists():
        return 0
    try:
        return int(parquet().read_metadata(path).num_rows)
    except (OSError, ValueError) as error:  # what pyarrow raises for files of another kind
        raise DataError(
            f"{path} is damaged", hint="remove it: the same command makes it anew"
        ) from error


def _write_file(path: Path, parts: list[tuple[Batch, int]], proposals: Proposals) -> None:
    import pyarrow

    plan = proposals.plan
    formulas: list[tuple[Generated, int]] = []
    prefix: list[str] = []
    infix: list[str] = []
    for batch, count in parts:
        batch_formulas = list(located(batch))[:count]
        formulas += batch_formulas
        for tokens, text in _texts(batch, batch_formulas, proposals.grower.words):
            prefix.append(tokens)
            infix.append(text)
    variables = np.array([group.x.shape[1] for group, _ in formulas], dtype=np.int8)
    eic = np.array([group.eic[place] for group, place in formulas])
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
        flat = np.concatenate([group.x[place].ravel() for group, place in formulas])
        tables = pyarrow.FixedSizeListArray.from_arrays(flat, plan.points)
        ends = np.concatenate(([0], np.cumsum(variables, dtype=np.int32)), dtype=np.int32)
        columns["x"] = pyarrow.ListArray.from_arrays(ends, tables)
        y = np.concatenate([group.y[place] for group, place in formulas])
        columns["y"] = pyarrow.FixedSizeListArray.from_arrays(y, plan.points)
    # the last bits of single-precision numbers are noise, which does not get smaller
    compression = {_leaf(name): "none" if name in ("x", "y") else "zstd" for name in columns}
    table = pyarrow.table(columns)

    def write(target: Path) -> None:
        parquet().write_table(
            table, target, use_dictionary=False, write_statistics=False, compression=compression
        )

    _write_whole(path, write)


def _texts(
    batch: Batch, formulas: Sequence[tuple[Generated, int]], words: Sequence[str]
) -> Iterator[tuple[str, str]]:
    texts = {}
    for group in batch.groups:  # a group's formulas are written at once
        places = np.array([place for owner, place in formulas if owner is group], dtype=np.int64)
        forest = group.forest.take(places)
        texts[id(group)] = iter(zip(prefix_texts(forest, words), infix_texts(forest), strict=True))
    for group, _ in formulas:
        yield next(texts[id(group)])


def _leaf(name: str) -> str:
    """The path by which Parquet knows a column."""
    return {"x": "x.list.element.list.element", "y": "y.list.element"}.get(name, name)


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
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
        As `write_dataset` filled it.
    worker
        The number of this reader, from 0: it reads every `workers`-th file from here on.
    workers
        Readers in all.

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
        """The formulas that one of several readers reads.

        Parameters
        ----------
        worker
            Its number, from 0.
        workers
            Readers in all.

        Returns
        -------
        StoredFormulas
            Of every `workers`-th file.
        """
        return StoredFormulas(self.folder, worker, workers)

    def __len__(self) -> int:
        return sum(map(rows_of, self.files[self.worker :: self.workers]))

    def __iter__(self) -> Iterator[Sample]:
        for path in self.files[self.worker :: self.workers]:
            for group in parquet().ParquetFile(path).iter_batches(batch_size=1_000):
                yield from _samples(group)


def _samples(group: Any) -> Iterator[Sample]:
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

    Parameters
    ----------
    folder
        As `write_dataset` filled it.

    Returns
    -------
    Any
        Every worker of a ``DataLoader`` reads files of its own.
    """
    from torch.utils.data import IterableDataset, get_worker_info

    class TorchFormulas(IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Iterator[Sample]:
            worker = get_worker_info()
            return iter(stored.share(worker.id, worker.num_workers) if worker else stored)

        def __reduce__(self) -> Any:  # a spawned worker cannot import a class of this function
            return torch_dataset, (os.fspath(folder),)

    stored = StoredFormulas(folder)
    return TorchFormulas()
