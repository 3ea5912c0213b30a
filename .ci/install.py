"""Install a file of requirements into the environment of the Python that runs this.

With uv, which does what pip does for a tenth of its work; with pip wherever uv is not to be had,
does not know what pip was told on this machine, or fails.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from typing import Any

UV = "uv>=0.9,<1"

SECTIONS = ("global", "install", ":env:")
"""Where pip is told what to do, what goes before it later."""

OF_NO_CONSEQUENCE = {
    "break-system-packages",
    "cache-dir",
    "compile",
    "default-timeout",
    "disable-pip-version-check",
    "no-cache-dir",
    "no-color",
    "no-compile",
    "no-input",
    "no-python-version-warning",
    "no-warn-script-location",
    "progress-bar",
    "quiet",
    "require-virtualenv",
    "retries",
    "root-user-action",
    "timeout",
    "verbose",
}


def pip(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=False, **options)


def settings() -> dict[str, str]:
    """What pip was told on this machine, by its files or by the environment."""
    listed = pip("config", "list", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    lines = [line.partition("=") for line in listed.stdout.splitlines()]
    told = [(*place.rpartition("."), ast.literal_eval(value)) for place, _, value in lines]
    return {
        name: value for asked in SECTIONS for section, _, name, value in told if section == asked
    }


def for_uv(told: dict[str, str]) -> tuple[list[str], dict[str, str]] | None:
    """The same as arguments and environment of uv; None if there is more to it."""
    arguments: list[str] = []
    environment: dict[str, str] = {}
    for name, value in told.items():
        if name == "index-url":
            arguments += ["--default-index", value]
        elif name == "extra-index-url":
            arguments += [part for url in value.split() for part in ("--index", url)]
            arguments += ["--index-strategy", "unsafe-best-match"]  # as pip: the best of them all
        elif name == "find-links":
            arguments += [part for place in value.split() for part in ("--find-links", place)]
        elif name == "cert":
            environment["SSL_CERT_FILE"] = value
        elif name not in OF_NO_CONSEQUENCE:
            return None
    return arguments, environment


def with_uv(file: str) -> bool:
    """Whether uv installed it."""
    told = for_uv(settings())
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if told is None or pip("install", "--quiet", "--only-binary", ":all:", UV, **silent).returncode:
        return False
    arguments, environment = told
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "install",
            "--quiet",
            "--python",
            sys.executable,
            *arguments,
            "-r",
            file,
        ],
        env=os.environ | environment,
        check=False,
        **silent,
    )
    return done.returncode == 0


if __name__ == "__main__":
    [_, file] = sys.argv
    sys.exit(0 if with_uv(file) else pip("install", "--quiet", "-r", file).returncode)
