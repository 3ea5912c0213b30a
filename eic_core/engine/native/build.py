"""Compile the native engine: ``python -m eic_core.engine.native.build``.

The compiler is ``CC``, ``cc``, ``gcc``, ``clang`` or the package ``ziglang``. The library is named
after its sources, what the rows of operators come to in C among them, and the kind of machine; it
chooses between instruction sets when it is loaded, so that an image may be built on another
processor.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from eic_core.engine.native.generate import header
from eic_core.operators import ROWS, Operator

SOURCES = ("kernel.c", "rules.h")
SOURCE_FOLDER = Path(__file__).parent

FLAGS = (
    "-std=gnu11",
    "-O3",
    "-fPIC",
    "-shared",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
)
"""Never -ffast-math: (x + 1e12) - 1e12 is not x."""


_PORTABLE = ("-mcpu=baseline",)
"""Zig compiles for the processor at hand unless told otherwise."""


def file_name(rows: Sequence[Operator] = ROWS) -> str:
    sha = hashlib.sha256((" ".join(FLAGS) + header(rows)).encode())
    for name in SOURCES:
        sha.update((SOURCE_FOLDER / name).read_bytes())
    system = f"{sys.platform}-{platform.machine().lower()}-{platform.libc_ver()[0] or 'libc'}"
    return f"kernel-{sha.hexdigest()[:12]}-{system}.so"


def folders() -> list[Path]:
    """Where the library may lie: beside the sources, or in the user's cache."""
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return [SOURCE_FOLDER, Path(cache_home) / "eic-lab"]


def find() -> Path | None:
    name = file_name()
    return next((folder / name for folder in folders() if (folder / name).is_file()), None)


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
    """Compile the library and put it in place in one step; by default in the first of `folders`.

    Raises `OSError` if no compiler was found, or none of them could build it; the message says why.
    """
    choices = list(compilers() if commands is None else commands)
    if not choices:
        raise OSError("no C compiler was found")
    failures: list[str] = []
    for target in [folder] if folder else folders():
        try:
            target.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target) as scratch:
                path = Path(scratch) / file_name(rows)
                path.with_name("operators.h").write_text(header(rows), encoding="utf-8")
                include = [f"-I{scratch}", f"-I{SOURCE_FOLDER}"]
                for command in choices:
                    done = subprocess.run(
                        [
                            *command,
                            *FLAGS,
                            *include,
                            str(SOURCE_FOLDER / "kernel.c"),
                            "-o",
                            str(path),
                            "-lm",
                        ],
                        capture_output=True,
                        text=True,
                        check=False,
                        stdin=subprocess.DEVNULL,
                    )
                    if done.returncode == 0 and path.is_file():
                        return path.replace(target / path.name)
                    failures.append(f"{' '.join(command)}: {done.stderr.strip()[-500:]}")
        except OSError as error:
            failures.append(f"{target}: {error}")
    raise OSError("; ".join(failures))


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
    if find() is not None:
        return 0
    try:
        try:
            build()
        except OSError:
            if not options.borrow:
                raise
            print("There is no C compiler: fetching one for a moment…", file=sys.stderr)
            with borrowed_compiler() as command:
                build(commands=[command])
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
