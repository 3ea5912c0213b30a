"""`make wheel`: the wheel with its compiled engine, and the sdist, into dist/.

On Linux the engine is compiled by zig for glibc 2.17 and any processor of the kind, so that one
wheel serves all Linux distributions since 2014; auditwheel says whether that holds.  Elsewhere the
machine's own compiler builds a wheel for the machine's own system.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GLIBC = "2.17"
ZIG_MACHINES = {"x86_64": "x86_64", "aarch64": "aarch64"}
MOST_MEGABYTES = 15
BUILDERS = ("build>=1.2,<2", "ziglang>=0.13", "auditwheel>=6,<7", "wheel>=0.45")


def main() -> None:
    machine = ZIG_MACHINES.get(platform.machine())
    is_portable = sys.platform == "linux" and machine is not None
    with tempfile.TemporaryDirectory() as scratch:
        python = builder(Path(scratch) / "venv")
        settings = dict(os.environ)
        if is_portable:
            target = f"{machine}-linux-gnu.{GLIBC}"
            settings["CC"] = f"{python} -m ziglang cc -target {target} -mcpu=baseline"
        dist = ROOT / "dist"
        run([python, "-m", "build", "--outdir", str(dist), str(ROOT)], settings)
        wheel = newest(dist)
        if is_portable:
            tag = f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
            output = run([python, "-m", "auditwheel", "show", str(wheel)], settings)
            if tag not in output and f"manylinux_2_5_{machine}" not in output:
                raise SystemExit(f"{wheel.name} does not keep to glibc {GLIBC}:\n{output}")
            run(
                [python, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, str(wheel)],
                settings,
            )
        downloads = Path(scratch) / "downloads"
        fetch = [python, "-m", "pip", "download", "--only-binary=:all:", "--dest", str(downloads)]
        run([*fetch, str(newest(dist))])
        for path in sorted(dist.iterdir()):
            print(f"{path.stat().st_size / 1e6:6.2f} MB  dist/{path.name}")
        sizes = {path.name: path.stat().st_size / 1e6 for path in downloads.iterdir()}
        beyond = sum(size for name, size in sizes.items() if not name.startswith("numpy-"))
        print(f"{beyond:6.2f} MB  are downloaded beyond NumPy: {', '.join(sorted(sizes))}")
        if beyond > MOST_MEGABYTES:
            raise SystemExit(f"that is more than {MOST_MEGABYTES} MB")


def newest(dist: Path) -> Path:
    return max(dist.glob("*.whl"), key=os.path.getmtime)


def builder(folder: Path) -> str:
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *BUILDERS])
    return python


def run(command: list[str], settings: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
