"""Where nothing can be started, as in a browser, a formula is read, diagnosed and mended."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FORBIDDEN = """
import _thread, multiprocessing.process, os, subprocess, threading

def forbid(*_, **__):
    raise AssertionError("a thread or a process is started")

threading.Thread.start = threading._start_new_thread = _thread.start_new_thread = forbid
multiprocessing.process.BaseProcess.start = subprocess.Popen.__init__ = forbid
for name in ("fork", "forkpty", "posix_spawn", "posix_spawnp", "execv", "execve", "system"):
    setattr(os, name, forbid)
"""

QUIET = """
import eic_core
from eic_core.engine.native.library import library
from eic_core.report import html_report

assert library() is None
for text, columns in (
    ("sqrt(x + 1) - sqrt(x)", {"x": [1e8, 2e8, 3e9]}),
    ("erfc(x) + lgamma(x) if x > 2 else gamma(x)", {"x": [1.5, 2.5, 20.0]}),
    ("sin(x) - x", {"x": [10.0**-k for k in range(9)]}),
):
    samples = eic_core.Samples.from_columns(columns)
    inspection = eic_core.inspect(eic_core.read(text).formula, samples)
    print(inspection.eic, eic_core.diagnose(inspection).verdict.sentence)
    mended = eic_core.repair(inspection.formula, samples)
    print(mended.leading and mended.leading.text)
    print("</html>" in html_report(inspection))
"""


def said(program: str) -> subprocess.CompletedProcess[str]:
    settings = os.environ | {"EIC_LAB_NATIVE": "0"}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=settings, capture_output=True, text=True
    )


def test_without_threads_and_processes_all_works() -> None:
    done = said(FORBIDDEN + QUIET)
    assert done.returncode == 0, done.stderr
    verdict, form, report, *_, series, _ = done.stdout.splitlines()
    assert float(verdict.split()[0]) > 8 and "cancel" in verdict
    assert form == "1/(sqrt(x + 1) + sqrt(x))" and report == "True"
    assert series.startswith("where(abs(x) <= ") and done.stdout.count("True") == 3


def test_what_starts_a_process_is_noticed() -> None:
    done = said(FORBIDDEN + "subprocess.Popen(['true'])")
    assert done.returncode == 1 and "a thread or a process is started" in done.stderr
