"""What `pip install .` gives: `eic_core` alone, which runs where the repository is out of reach."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from email import message_from_bytes
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import eic_core
from eic_core.engine.native.library import file_name
from tests.effort import FULL

ROOT = Path(__file__).resolve().parents[1]
FORMULA = ["log(exp(x))", "--range", "x=normal:1000:1"]
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "var", "build", "*.so", "*.egg-info")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, in which the engine of another machine lies."""
    source = tmp_path_factory.mktemp("source") / "eic-lab"
    shutil.copytree(ROOT, source, ignore=NOT_COPIED)
    (source / "eic_core" / "engine" / "native" / "kernel-0-linux.so").write_bytes(b"\x7fELF")
    return source


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quick run lets its compiler optimise nothing, which takes a quarter of the time."""
    folder = tmp_path_factory.mktemp("wheel")
    hasty = folder / "cc"
    hasty.write_text('#!/bin/sh\nexec cc "$@" -O0\n')
    hasty.chmod(0o700)
    return built("wheel", source, folder, **({} if FULL else {"CC": str(hasty)}))


def built(kind: str, source: Path, made: Path, **variables: str) -> Path:
    """The wheel or sdist of a folder, by the hook that pip calls."""
    call = f"from setuptools import build_meta; print(build_meta.build_{kind}({str(made)!r}))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", call],
        cwd=source, env=os.environ | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return made / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel, and of what this one has its dependencies alone."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=os.name != "nt")
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for place in needed(wheel):
        (packages / place.name).symlink_to(place)
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "--disable-pip-version-check"]
    # fails if a dependency is not there; what is imported is compiled then
    run([*pip, "install", "--no-index", "--no-compile", "--quiet", str(wheel)], folder)
    return folder


def needed(wheel: Path) -> set[Path]:
    """Folders of what the wheel depends on, and of what that does."""
    with zipfile.ZipFile(wheel) as archive:
        [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        message = message_from_bytes(archive.read(metadata))
    waiting = [*message.get_all("Requires-Dist", [])]
    names, places = set[str](), set[Path]()
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        names.add(canonicalize_name(requirement.name))
        package = distribution(requirement.name)
        waiting += package.requires or []
        tops = {file.parts[0] for file in package.files or [] if file.parts[0] != ".."}
        places |= {Path(str(package.locate_file(top))).resolve() for top in tops - {"__pycache__"}}
    assert names == {"jinja2", "markupsafe", "numpy", "python-flint"}
    return places


def run(command: Sequence[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command that knows nothing of the repository and finds no compiled engine."""
    known = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EIC_LAB"))}
    known |= {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONIOENCODING": "utf-8", **variables}
    done = subprocess.run(
        command, cwd=folder, env=known, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def script(environment: Path, name: str) -> str:
    """A program of the environment."""
    return str(Path(sysconfig.get_path("scripts", vars={"base": str(environment)})) / name)


def test_the_wheel_holds_the_package_its_engine_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        [named] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(named))
    here = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "eic_core").rglob("*")
        if path.is_file() and path.suffix != ".so" and "__pycache__" not in path.parts
    }
    engines = held - here
    assert here < held and engines == {f"eic_core/engine/native/{file_name()}"}
    # of any Python, of one platform
    assert re.fullmatch(r"eic_lab-[\d.]+-py3-none-\w+", wheel.stem) and "none-any" not in wheel.stem
    native = {f"eic_core/engine/native/{name}" for name in ("kernel.c", "rules.h")}
    assert {"eic_core/py.typed", *native} < held
    assert metadata["Version"] == eic_core.__version__
    assert (metadata["License-Expression"], metadata["Requires-Python"]) == ("MIT", ">=3.11")


def test_the_installed_package_is_imported_from_its_environment(environment: Path) -> None:
    program = (
        "import eic_core, eic_core.measure, importlib.util; print(eic_core.__file__); "
        "print(*map(importlib.util.find_spec, ('study', 'scipy', 'pandas')))"
    )
    said = run([script(environment, "python"), "-I", "-c", program], environment).stdout
    place, others = said.splitlines()
    assert Path(place).is_relative_to(environment) and others == "None None None"


@pytest.fixture(scope="module")
def inspected(environment: Path) -> subprocess.CompletedProcess[str]:
    return run([script(environment, "eic"), "inspect", *FORMULA, "--json"], environment)


def test_eic_says_what_python_dash_m_says(
    environment: Path, inspected: subprocess.CompletedProcess[str]
) -> None:
    by_module = [script(environment, "python"), "-m", "eic_core"]
    assert inspected.stdout == run([*by_module, "inspect", *FORMULA, "--json"], environment).stdout
    assert json.loads(inspected.stdout)["eic"] == pytest.approx(3.0, abs=0.01)
    assert not inspected.stderr
    for command, program in (
        ([script(environment, "eic")], "eic"),
        (by_module, "python -m eic_core"),
    ):
        usage = run([*command, "inspect", "--help"], environment).stdout
        assert usage.startswith(f"usage: {program} inspect ")


def test_the_script_that_a_report_prints_runs_where_the_wheel_is_installed(
    environment: Path, inspected: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    report, again = tmp_path / "report.html", tmp_path / "again.py"
    parts = ["--no-repair", "--no-triangulation", "--no-budget", "--out", str(report)]
    run([script(environment, "eic"), "report", *FORMULA, *parts], tmp_path)
    page = report.read_text(encoding="utf-8")
    found = re.search(r"<h3>In Python</h3>\s*<pre><code>(.*?)</code></pre>", page, re.DOTALL)
    assert found is not None
    again.write_text(html.unescape(found[1]), encoding="utf-8")
    printed = run([script(environment, "python"), "-I", str(again)], tmp_path).stdout.splitlines()
    assert printed[0] == f"EIC {json.loads(inspected.stdout)['eic']!r}"


def test_the_installed_engine_is_compiled_and_gives_what_numpy_gives(
    environment: Path, inspected: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    eic = script(environment, "eic")
    for engine, settings in (("compiled", {}), ("NumPy", {"EIC_LAB_NATIVE": "0"})):
        told = run([eic, "--version"], tmp_path, **settings).stdout
        assert told == f"EIC Lab {eic_core.__version__}, engine: {engine}\n"
    plain = run([eic, "inspect", *FORMULA, "--json"], tmp_path, EIC_LAB_NATIVE="0").stdout
    compiled = json.loads(inspected.stdout)["eic"]
    assert compiled == pytest.approx(json.loads(plain)["eic"], rel=1e-9)


def test_the_wheel_alone_offers_series(environment: Path, tmp_path: Path) -> None:
    line = "repair sin(x)-x --range x=loguniform:1e-4:1 --seconds inf --json".split()
    document = json.loads(run([script(environment, "eic"), *line], tmp_path).stdout)
    assert 0 < document["approximations"][0]["bound"] <= 2.0**-53 and not document["left_out"]


def test_an_sdist_without_a_compiler_gives_a_wheel_for_any_platform_that_says_so(
    source: Path, environment: Path, tmp_path: Path
) -> None:
    sdist = built("sdist", source, tmp_path)
    with tarfile.open(sdist) as archive:
        names = {PurePosixPath(name).name for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    assert {"kernel.c", "rules.h", "setup.py", "LICENSE"} < names
    assert not any(name.endswith(".so") for name in names)
    wheel = built("wheel", tmp_path / sdist.name[: -len(".tar.gz")], tmp_path, PATH="", CC="")
    assert wheel.stem.endswith("-py3-none-any")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "plain")
    program = (
        "import eic_core\n"
        "samples = eic_core.Samples.from_columns({'x': [1000.0, 1001.0]})\n"
        "for text in ('log(exp(x))', 'x + 1'):\n"
        "    print(eic_core.inspect(eic_core.read(text).formula, samples).eic)\n"
    )
    python, plain = script(environment, "python"), str(tmp_path / "plain")
    done = run([python, "-c", program], tmp_path, PYTHONPATH=plain)
    assert float(done.stdout.split()[0]) == pytest.approx(3.0, abs=0.01)
    assert done.stderr.count("runs on NumPy") == 1 and "eic_core.engine.native.build" in done.stderr
    quiet = run([python, "-c", program], tmp_path, PYTHONPATH=plain, EIC_LAB_NATIVE="0")
    assert (quiet.stdout, quiet.stderr) == (done.stdout, "")
