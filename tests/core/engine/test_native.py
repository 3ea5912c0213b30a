"""The compiled engine: built for these sources, from this table, wherever it may lie."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from eic_core.engine.amplify import amplify
from eic_core.engine.native import build, generate
from eic_core.engine.native import library as native
from eic_core.engine.native.library import PRECISION, Library, library
from eic_core.engine.native.loops import double_loop
from eic_core.engine.passes import fold
from eic_core.engine.tape import CONDITIONS, tape_of
from eic_core.formula.syntax import read
from eic_core.operators import NUMPY, OPERATORS, ROWS, registered
from eic_core.operators.backend import Traced
from eic_core.operators.row import Derivatives, call, call_by_name
from eic_core.samples import Samples
from tests.core.operators.test_registered import ADDEXP, ERFC

ROOT = Path(__file__).resolve().parents[3]


def compile_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly = tuple("-O0" if flag == "-O3" else flag for flag in native.FLAGS)
    monkeypatch.setattr(native, "FLAGS", quickly)


def test_a_row_that_is_added_to_the_table_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (*ROWS, ERFC, ADDEXP)
    compile_quickly(monkeypatch)
    made = build.build(tmp_path, rows=rows)
    assert made.name == native.file_name(rows) != native.file_name()
    assert [*tmp_path.iterdir()] == [made]
    rng = np.random.default_rng(5)
    samples = Samples.from_columns({v: rng.uniform(-3, 3, 500) for v in "xy"})
    with registered(ERFC, ADDEXP):
        tape = tape_of(read("addexp(2*x, erfc(y) - 1)/erfc(x)").formula)
        found = []
        for engine in (Library(made), None):
            if engine is not None:
                assert engine.pack(tape) is not None
            monkeypatch.setattr(native, "library", lambda engine=engine: engine)
            found.append(fold(tape, samples, edges=True).summary)
    compiled, plain = found
    assert compiled.sums == pytest.approx(plain.sums, rel=1e-12)
    assert compiled.edge_sums == pytest.approx(plain.edge_sums, rel=1e-12)
    assert compiled.signs == plain.signs


@pytest.mark.parametrize("compiled", (True, False))
def test_a_pass_is_told_how_few_digits_are_too_few(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(native, "library", lambda: None)
    samples = Samples.from_columns({"x": [3.0, 1 + 1e-6, 1 + 1e-9, math.nextafter(1, 2)]})
    tape = tape_of(read("x - 1").formula)

    def coarse(**given: float) -> list[bool]:
        return ((fold(tape, samples, **given).status & PRECISION) != 0).tolist()

    assert coarse() == [False, False, False, True]
    assert coarse(recheck_s2=1e15) == [False, False, True, True]
    assert coarse(recheck_s2=1e10) == [False, True, True, True]


def test_every_operator_but_those_of_conditions_runs_in_compiled_code() -> None:
    engine = library()
    assert engine is not None
    assert engine.codes.keys() == OPERATORS.keys() - CONDITIONS


def test_a_read_only_folder_leaves_the_library_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    broken = tmp_path / "file"
    broken.write_text("no folder can be made here")
    monkeypatch.setattr(native, "folders", lambda: [broken, tmp_path / "cache" / "eic-lab"])
    compile_quickly(monkeypatch)
    made = build.build()
    assert made.parent == tmp_path / "cache" / "eic-lab" and native.find() == made
    assert Library(made).codes.keys() == OPERATORS.keys() - CONDITIONS
    assert not [p for p in made.parent.iterdir() if p != made]


def test_other_sources_have_another_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = native.file_name()
    for name in native.SOURCES:
        shutil.copy(native.SOURCE_FOLDER / name, tmp_path / name)
    (tmp_path / "kernel.c").write_text((tmp_path / "kernel.c").read_text() + "\n/* changed */\n")
    monkeypatch.setattr(native, "SOURCE_FOLDER", tmp_path)
    assert native.file_name() != before


def test_without_a_compiler_the_builder_says_what_that_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(native, "folders", lambda: [tmp_path])
    monkeypatch.setattr(build, "compilers", lambda: iter(()))
    assert build.main([]) == 1
    said = capsys.readouterr().err
    assert "no C compiler was found" in said and "several times slower" in said.replace("\n", " ")
    assert "pip install ziglang" in said


def test_a_damaged_library_is_not_used_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    damaged = tmp_path / native.file_name()
    damaged.write_bytes(b"\x7fELF nonsense")
    with pytest.raises(OSError):
        Library(damaged)
    monkeypatch.setattr(native, "find", lambda: damaged)
    # in a worker nothing is said, and tests are run in workers
    monkeypatch.setattr("multiprocessing.process.parent_process", lambda: None)
    assert native._load() is None
    assert f"does not load ({damaged}" in caplog.text and "Install" not in caplog.text


@pytest.mark.parametrize(
    ("kappa2", "fault"),
    [
        (lambda B, a, y, p: (generate.C("lost(a0)"),), "undefined symbol: lost"),
        (lambda B, a, y, p: (2.0 * y,), "the row of `sinh` gives other numbers than NumPy"),
    ],
)
def test_a_library_that_does_not_work_does_not_count_as_built(
    kappa2: Derivatives,
    fault: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    compile_quickly(monkeypatch)
    built = partial(build.build, rows=[replace(OPERATORS["sinh"], kappa2=kappa2)])
    with pytest.raises(build.Unusable, match=fault):
        built(tmp_path)
    assert not [*tmp_path.iterdir()]
    monkeypatch.setattr(build, "build", partial(built, tmp_path))
    monkeypatch.setattr(native, "find", lambda: None)
    assert build.main(["--borrow"]) == 1
    message = capsys.readouterr().err
    assert fault in message and "Install" not in message and "operators/row.py" in message


def test_two_functions_of_one_name_are_refused() -> None:
    other = Traced("digamma", lambda B, x: B.log(x))
    with pytest.raises(ValueError, match="called `digamma`, one of them in the row of `log1p`"):
        generate.header([*ROWS, replace(OPERATORS["log1p"], program=call(other))])
    assert call_by_name("digamma")(math.nan, 1) == ((NUMPY.digamma, 0),)
    assert call_by_name("erf") is call_by_name("erf")


def test_without_the_library_everything_runs_on_the_reference() -> None:
    program = (
        "from eic_core.engine.native.library import library\n"
        "from eic_core.formula.syntax import read\n"
        "from eic_core.measure import Samples, inspect\n"
        "assert library() is None\n"
        "data = Samples.from_columns({'x': [0.0, 1.0, -1.0, 2.5]})\n"
        "print(repr(inspect(read('log(x) + exp(x)/(x - 1)').formula, data).to_json()))\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program.replace("is None", test)],
            cwd=ROOT,
            text=True,
            capture_output=True,
            check=True,
            env=os.environ | {"EIC_LAB_NATIVE": wanted},
        ).stdout
        for wanted, test in (("0", "is None"), ("1", "is not None"))
    ]
    assert said[0] == said[1] != ""


@pytest.mark.parametrize("function", (np.sin, np.add, np.power, np.hypot, np.sqrt, np.fmax))
def test_the_loop_of_a_ufunc_is_found(function: np.ufunc) -> None:
    assert double_loop(function) is not None


@pytest.mark.parametrize("function", (np.frompyfunc(abs, 1, 1), np.modf, np.bitwise_and, abs))
def test_what_has_no_loop_over_doubles_has_none(function: object) -> None:
    assert double_loop(function) is None


def test_threads_do_not_disturb_each_other() -> None:
    texts = [f"sin(x*{i}.5)/(y + {i}) - exp(x**{i % 5})" for i in range(12)]
    rng = np.random.default_rng(0)
    samples = Samples.from_columns({v: rng.uniform(-2, 2, 20_000) for v in "xy"})
    alone = [amplify(read(t).formula, samples, recheck=False) for t in texts]
    found: dict[int, list[float]] = {}

    def work(i: int) -> None:
        for _ in range(3):
            again = amplify(read(texts[i]).formula, samples, recheck=False)
            found[i] = [*again.finite_sum, *again.singular, again.valid_count]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, one in enumerate(alone):
        assert found[i] == [*one.finite_sum, *one.singular, one.valid_count]


def test_packing_is_kept_with_the_tape() -> None:
    engine = library()
    assert engine is not None
    tape = tape_of(read("x + 1").formula)
    assert engine.pack(tape) is engine.pack(tape)
