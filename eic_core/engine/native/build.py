"""Compile the native engine: ``python -m eic_core.engine.native.build``.

The compiler is ``CC``, ``cc``, ``gcc``, ``clang`` or the package ``ziglang``. The library is named
after its sources, what the rows of operators come to in C among them, and the kind of machine; it
chooses between instruction sets when it is loaded, so that an image may be built on another
processor.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from eic_core.engine.native import library as native
from eic_core.engine.native.generate import header
from eic_core.operators import ROWS, Operator

_PORTABLE = ("-mcpu=baseline",)
"""Zig compiles for the processor at hand unless told otherwise."""


class Unusable(OSError):
    """A compiler built the library, and it does not load or compute what NumPy does."""


def compilers() -> Iterator[list[str]]:
    setting = os.environ.get("CC")
    for name in (*([setting] if setting else []), "cc", "gcc", "clang"):
        command = name.split()
        if shutil.which(command[0]):
            yield command
    if importlib.util.find_spec("ziglang") is not None:
        yield [sys.executable, "-m", "ziglang", "cc", *_PORTABLE]


def build(
    folder: Path | None = None,
    commands: Iterable[list[str]] | None = None,
    rows: Sequence[Operator] = ROWS,
) -> Path:
    """Compile the library and put it in place in one step; by default in the first of
    `native.folders`.

    What was built is loaded and each row called once, before it takes its place.

    Raises `OSError` if no compiler was found, or none of them could build it; `Unusable` if one
    could and the library does not work. The message says why.
    """
    choices = list(compilers() if commands is None else commands)
    if not choices:
        raise OSError("no C compiler was found")
    failures: list[str] = []
    error_type: type[OSError] = OSError
    for target in [folder] if folder else native.folders():
        try:
            target.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target) as scratch:
                path = Path(scratch) / native.file_name(rows)
                path.with_name("operators.h").write_text(header(rows), encoding="utf-8")
                include = [f"-I{scratch}", f"-I{native.SOURCE_FOLDER}"]
                for command in choices:
                    done = subprocess.run(
                        [
                            *command,
                            *native.FLAGS,
                            *include,
                            str(native.SOURCE_FOLDER / "kernel.c"),
                            "-o",
                            str(path),
                            "-lm",
                        ],
                        capture_output=True,
                        text=True,
                        check=False,
                        stdin=subprocess.DEVNULL,
                    )
                    fault = done.stderr.strip()[-500:]
                    if done.returncode == 0 and path.is_file():
                        try:
                            native.check_rows(path, rows)
                        except OSError as error:
                            error_type, fault = Unusable, str(error).removeprefix(f"{path}: ")
                        else:
                            return path.replace(target / path.name)
                    failures.append(f"{' '.join(command)}: {fault}")
        except OSError as error:
            failures.append(f"{target}: {error}")
    raise error_type("; ".join(failures))


@contextmanager
def borrowed_compiler() -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--target",
                folder,
                "ziglang>=0.13",
            ],
            check=True,
            stdin=subprocess.DEVNULL,
        )
        os.environ["ZIG_GLOBAL_CACHE_DIR"] = os.environ["ZIG_LOCAL_CACHE_DIR"] = folder
        try:
            yield [sys.executable, str(Path(folder) / "ziglang" / "__main__.py"), "cc", *_PORTABLE]
        finally:
            del os.environ["ZIG_GLOBAL_CACHE_DIR"], os.environ["ZIG_LOCAL_CACHE_DIR"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eic_core.engine.native.build")
    parser.add_argument(
        "--borrow",
        action="store_true",
        help="fetch a compiler from PyPI (80 MB, not kept) if there is none",
    )
    options = parser.parse_args(arguments)
    built = native.find()
    with suppress(OSError):  # is built anew
        if built is not None:
            native.check_rows(built, ROWS)
            return 0
    try:
        try:
            build()
        except OSError as error:
            if not options.borrow or isinstance(error, Unusable):
                raise
            print("There is no C compiler: fetching one for a moment…", file=sys.stderr)
            with borrowed_compiler() as command:
                build(commands=[command])
    except Unusable as error:
        print(
            f"The native engine was compiled, but does not work: {error}.\nEverything works "
            "without it, several times slower. What a row's formulas may call, and which of them "
            "become C, stands in eic_core/operators/row.py.",
            file=sys.stderr,
        )
        return 1
    except (OSError, subprocess.CalledProcessError) as error:
        fetching = isinstance(error, subprocess.CalledProcessError)
        reason = "no compiler could be fetched" if fetching else str(error)
        print(
            f"The native engine was not built: {reason}.\nEverything works without it, several "
            f"times slower. Install a C compiler, or `pip install ziglang`, and run\n"
            f"    {sys.executable} -m eic_core.engine.native.build",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
