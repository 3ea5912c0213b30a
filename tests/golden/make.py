"""How the golden files were made: ``python -m tests.golden.make``.

They were made by EIC Lab 0.1.0 as it was at commit 4bf99a2, before its engine was redrawn, and
stand for what users have kept since: databases, exports, archives, results, scored pools, links.
Every later version must still open them; `tests/test_golden.py` holds it to that.

**Never regenerate a file to make a test pass.**  If a file no longer opens, or opens as something
else, the program is wrong, not the file.  A new format adds new files beside the old ones.  If an
ADR changes what a number means, the test's table of allowances names the cell and the ADR.

So this script never changes a file that is there: it makes everything afresh in a folder of its
own, adds the files that are missing here, and tells which of the others would differ today.
"""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from db import commands as db_commands
from eic_core import cli as core_cli
from eic_core.measure.table import read_table
from pages.ui.compare.desk import CompareState
from pages.ui.kit.visit import PageState
from study import cli as study_cli
from tests.golden.material import COMMANDS, MISTAKEN_LINK, ODD, page_links, pool, tables
from tests.golden.reading import query_of, run, state_values, visit_values
from tests.golden.studies import CLOSED, World, later, make_studies

GOLDEN = Path("tests") / "golden"
"""The folder, as commands that are run at the top of the repository name it."""


def write_inputs() -> None:
    """The tables and the pool."""
    (GOLDEN / "problems").mkdir(parents=True)
    (GOLDEN / "inspect").mkdir()
    for name, text in tables().items():
        (GOLDEN / "problems" / f"{name}.csv").write_text(text, encoding="utf-8")
    (GOLDEN / "inspect" / "odd.csv").write_text(ODD, encoding="utf-8")
    (GOLDEN / "pool.csv").write_text(pool(), encoding="utf-8")


def write_inspections() -> None:
    """A file for each command, with what it printed."""
    for command in COMMANDS:
        out, err = run(core_cli.main, *command.arguments)
        kept = {
            "command": shlex.join(["python", "-m", "eic_core", *command.arguments]),
            "arguments": command.arguments,
            "output": json.loads(out),
            "standard_error": err,
        }
        _write_json(GOLDEN / "inspect" / f"{command.name}.json", kept)


def write_scores() -> None:
    """SCORED.csv and PAIRS.csv of the pool."""
    problems, scored = GOLDEN / "problems", GOLDEN / "SCORED.csv"
    run(
        core_cli.main,
        "score",
        GOLDEN / "pool.csv",
        "--problems",
        problems,
        "--out",
        scored,
        "--jobs",
        "1",
    )
    run(study_cli.main, "pairs", scored, "--problems", problems, "--out", GOLDEN / "PAIRS.csv")


def write_studies() -> list[dict[str, Any]]:
    """The database, an export and a report; returns the links of raters."""
    file = Path("lab.sqlite3")
    addresses = make_studies(file, GOLDEN)
    (GOLDEN / "studies.sqlite3.gz").write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))
    with patch.object(db_commands, "SystemClock", later):
        run(
            db_commands.main,
            "--database",
            f"sqlite:///{file}",
            "export",
            CLOSED,
            "--out",
            GOLDEN / "export",
        )
    run(study_cli.main, "report", GOLDEN / "export", "--bundle", "report.zip")
    _without_prints(Path("report.zip"), GOLDEN / "report.zip")
    world = World.at(file)
    world.clock.advance((later().now() - world.clock.now()).total_seconds())
    links = []
    for name, address in addresses.items():
        visit = world.rating.open(query_of(address)["t"][0])
        links.append(_link(f"rating page, {name}", address, visit_values(visit)))
    world.store.dispose()
    return links


def _without_prints(bundle: Path, kept: Path) -> None:
    """The archive member by member, but for the PDF and PNG figures, three quarters of it."""
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(kept, "w") as target:
        for member in source.infolist():
            if not member.filename.endswith((".pdf", ".png")):
                target.writestr(member, source.read(member), compresslevel=9)


def write_links(raters: list[dict[str, Any]]) -> None:
    """Addresses of pages, with the state that each opens."""
    file = GOLDEN / "problems" / "braking.csv"
    digest = read_table(file.read_bytes(), source=file.name).digest
    links = []
    for name, state in page_links(digest).items():
        page = "compare" if isinstance(state, CompareState) else ""
        links.append(
            _link(name, f"/{page}?{urlencode(state.to_query(), doseq=True)}", state_values(state))
        )
    read = PageState.from_query(query_of(MISTAKEN_LINK))
    links.append(_link("inspector, full of mistakes", MISTAKEN_LINK, state_values(read)))
    _write_json(GOLDEN / "links.json", [*links, *raters])


def _link(name: str, address: str, opens: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "address": address, "opens": opens}


def _write_json(path: Path, value: Any) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Make everything in a temporary folder, and add here what is missing."""
    home = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory(prefix="eic-lab-") as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            write_inputs()
            write_inspections()
            write_scores()
            write_links(write_studies())
        finally:
            os.chdir(before)
        made = Path(folder) / GOLDEN
        for path in sorted(path for path in made.rglob("*") if path.is_file()):
            kept = home / path.relative_to(made)
            if not kept.exists():
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, kept)
                print(f"added {path.relative_to(made)}")
            elif kept.read_bytes() != path.read_bytes():
                print(f"{path.relative_to(made)} would differ today; left as it is")


if __name__ == "__main__":
    main()
