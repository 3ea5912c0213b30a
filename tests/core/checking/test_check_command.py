"""`eic check`: status, formats and the baseline, as a CI service meets them."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from eic_core.checking import checks
from eic_core.checking.marks import SUFFIXES, marked_formulas
from eic_core.cli.main import main
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection
from eic_core.samples import Samples

COSINE = "import numpy as np\n\n# eic: x=1e-8:1e-4, max=3\ny = (1 - np.cos(x)) / x**2\n"
LOOP = "# eic: x=1:2\ndef f(x):\n    for _ in range(3):\n        x += 1\n    return x\n"
FINE = "# eic: x=1:2\narea = np.pi * x**2\n"


@pytest.fixture
def law(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("law.py")
    path.write_text(COSINE)
    return path


def check(*arguments: object) -> int:
    return main(["check", *map(str, arguments), "--samples", "500"])


@pytest.fixture
def checked(eic: Callable) -> Callable:
    return lambda *arguments, **ended: eic("check", *arguments, "--samples", 500, **ended)


def test_it_fails_and_passes_after_the_proposed_edit(law: Path, checked: Callable) -> None:
    [each] = json.loads(checked(law, "--format", "json", status=1).out)["formulas"]
    assert each["status"] == "exceeded" and each["line"] == 4
    assert each["losses"]["max"] > 8 and "the two terms cancel" in each["headline"]
    law.write_text(COSINE.replace("(1 - np.cos(x)) / x**2", each["better"]))
    assert "1 formula checked, 1 within limits" in checked(law).out


def test_what_is_not_read_fails_with_its_place(law: Path, checked: Callable) -> None:
    law.write_text(FINE + LOOP)
    out = checked(law, "--seconds", 0, status=1).out
    assert out.startswith("law.py:5:5: not checked: the statement `for` is not read")
    assert out.endswith("2 formulas checked, 1 within limits, 1 not checked\n")


def test_missing_data_names_what_to_write(law: Path, checked: Callable) -> None:
    law.write_text("# eic: x=1:2\ny = G*x\n")
    assert "no data for `G`: write `eic: G=1:5` above it" in checked(law, status=1).out


def test_a_table_beside_the_file_is_its_data(law: Path, checked: Callable) -> None:
    folder = law.parent / "sub"
    folder.mkdir()
    (folder / "t.csv").write_text("x,y\n1e-6,1\n1e-7,2\n")
    (folder / "law.py").write_text("# eic: data=t.csv target=y max=1\nz = 1 - cos(x)\n")
    assert "more than 1" in checked(folder, "--seconds", 0, status=1).out
    (folder / "law.py").write_text("# eic: data=none.csv\nz = 1 - cos(x)\n")
    assert "none.csv" in checked(folder, status=1).out


@pytest.mark.parametrize("limit", ["max=9", "worst=9", "eic=9"])
def test_each_limit_counts_alone(law: Path, limit: str) -> None:
    law.write_text(f"# eic: x=1e-2:1e-1, {limit}\ny = 1 - cos(x)\n")
    assert check(law) == 0
    law.write_text(f"# eic: x=1e-2:1e-1, {limit[:-1]}0.1\ny = 1 - cos(x)\n")
    assert check(law, "--seconds", 0) == 1


def test_the_default_limit_is_an_option(law: Path) -> None:
    law.write_text("# eic: x=1e-8:1e-4\ny = 1 - cos(x)\n")
    assert check(law, "--seconds", 0) == 1
    assert check(law, "--max", 16) == 0
    assert check(law, "--eic", 40) == 0


def test_a_baseline_accepts_what_was_and_nothing_else(law: Path, checked: Callable) -> None:
    law.write_text(COSINE + LOOP)
    assert check(law, "--seconds", 0, "--write-baseline", "base.json") == 0
    assert json.loads(Path("base.json").read_text())["FORMAT"] == 1
    assert check(law, "--seconds", 0, "--baseline", "base.json") == 0
    # another formula, a worse range and another loop are new
    for new in (
        COSINE.replace("x**2", "x**3"),
        COSINE.replace("1e-8:1e-4", "1e-12:1e-7"),
        LOOP.replace("3", "4"),
    ):
        law.write_text(COSINE + LOOP + new.replace("y =", "w ="))
        assert (
            checked(law, "--seconds", 0, "--baseline", "base.json", status=1).out.count("law.py:")
            == 1
        )
    law.write_text(FINE)
    assert "2 of the baseline needed no more" in checked(law, "--baseline", "base.json").out


def test_a_baseline_that_is_none_is_a_mistake(law: Path, checked: Callable) -> None:
    assert "make it with --write-baseline" in checked(law, "--baseline", "none.json", status=2).err
    for text in ("{}", "[]", '{"FORMAT": 1, "accepted": [3]}', "x"):
        Path("base.json").write_text(text)
        assert check(law, "--baseline", "base.json") == 2
    Path("base.json").write_text('{"FORMAT": 9, "accepted": []}')
    assert "FORMAT 9" in checked(law, "--baseline", "base.json", status=2).err


# What SARIF 2.1.0 (OASIS, 2020) allows and requires of the objects that are written: names, and
# whether one must be there
SARIF: dict[str, dict[str, bool]] = {
    "log": {"$schema": False, "version": True, "runs": True},
    "run": {"tool": True, "columnKind": False, "results": False},
    "driver": {"name": True, "version": False, "rules": False},
    "rule": {"id": True, "shortDescription": False, "defaultConfiguration": False},
    "result": {
        "ruleId": False,
        "level": False,
        "message": True,
        "locations": False,
        "suppressions": False,
    },
    "region": {"startLine": False, "startColumn": False, "endLine": False},
    "suppression": {"kind": True, "justification": False},
}


def is_sarif(kind: str, document: dict[str, Any]) -> bool:
    rows = SARIF[kind]
    required = {name for name, needed in rows.items() if needed}
    return required <= document.keys() <= rows.keys()


def test_sarif_has_a_result_with_its_region_for_each(law: Path, checked: Callable) -> None:
    Path("a b").mkdir()
    law = Path("a b/law#.py")
    law.write_text(COSINE + LOOP)
    check(law, "--seconds", 0, "--write-baseline", "base.json")
    law.write_text(COSINE + LOOP + "# eic: x=1:2\ny = x +\n")
    out = checked(law, "--seconds", 0, "--baseline", "base.json", "--format", "sarif", status=1).out
    document = json.loads(out[out.index("{") :])
    assert is_sarif("log", document) and document["version"] == "2.1.0"
    [run] = document["runs"]
    assert is_sarif("run", run) and run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert is_sarif("driver", driver) and driver["name"] == "eic check"
    assert all(is_sarif("rule", rule) for rule in driver["rules"])
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules)
    for result in run["results"]:
        assert is_sarif("result", result) and result["message"]["text"]
        assert result["level"] in ("none", "note", "warning", "error")
        [location] = result["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {"uri": "a%20b/law%23.py"}
        region = location["physicalLocation"]["region"]
        assert is_sarif("region", region) and region["startColumn"] >= 1
        assert result["ruleId"] in rules and 1 <= region["startLine"] <= region["endLine"]
        for each in result.get("suppressions", []):
            assert is_sarif("suppression", each) and each["kind"] in ("inSource", "external")
    assert [bool(result.get("suppressions")) for result in run["results"]][:1] == [True]


def test_github_annotates_lines_and_nothing_escapes(law: Path, checked: Callable) -> None:
    law.write_text("# eic: x=1:2, ::100%\ny = x\n" + COSINE)
    first, second, _ = checked(law, "--format", "github", status=1).out.splitlines()
    assert first.startswith("::error file=law.py,line=1,") and "%25" in first
    assert "%0A" in second and "title=eic check%3A loses digits::" in second


def test_without_marks_it_says_how_to_mark(law: Path, checked: Callable) -> None:
    law.write_text("y = x\n")
    assert "no formula is marked in 1 file: write `eic: x=0.1:10`" in checked(law).out


def test_a_folder_is_walked_and_lists_are_named(law: Path, checked: Callable) -> None:
    Path("pyproject.toml").write_text("[project]\n")
    Path("list.toml").write_text(
        "[[formula]]\nname = 'law'\ntext = '1 - cos(x)'\nranges = {x = '1e-8:1e-4'}\n"
    )
    Path(".hidden").mkdir()
    Path(".hidden/a.py").write_text(COSINE)
    assert checked(".", "--seconds", 0, status=1).out.count("more than 3") == 1
    assert (
        "list.toml:1:1: law: `1 - cos(x)` loses"
        in checked("list.toml", "--seconds", 0, status=1).out
    )


@pytest.mark.parametrize(
    ("encoding", "ends"), [("utf-8-sig", "\r\n"), ("utf-16", "\n"), ("utf-8", "\r")]
)
def test_any_encoding_and_line_ends_are_read(
    law: Path, checked: Callable, encoding: str, ends: str
) -> None:
    law.write_bytes(COSINE.replace("\n", ends).encode(encoding))
    assert checked(law, "--seconds", 0, status=1).out.startswith("law.py:4:1:")


@pytest.mark.parametrize("limit", ["nan", "inf", "-1"])
def test_a_limit_that_lets_all_pass_is_refused(law: Path, limit: str) -> None:
    for option in ("--max", "--worst", "--eic"):
        assert check(law, f"{option}={limit}") == 2


def test_a_target_is_a_column_and_no_input(law: Path, checked: Callable) -> None:
    Path("t.csv").write_text("m [kg],target\n1,2\n3,4\n")
    law.write_text("# eic: data=t.csv\ny = 2*m\n")
    assert check(law) == 0
    for text, fault in (
        ("# eic: data=t.csv\ny = target\n", "no column for `target`"),
        ("# eic: data=t.csv target=z\ny = m\n", "there is no column `z`"),
    ):
        law.write_text(text)
        assert fault in checked(law, status=1).out


def test_a_file_of_thousands_of_lines_is_parsed_once(law: Path) -> None:
    law.write_text("# eic: x=1:2\ny = x\n" * 300 + "y = x*y\n" * 20_000)
    parse = ast.parse
    with mock.patch("eic_core.checking.marks.ast.parse", side_effect=parse) as parsed:
        assert len(marked_formulas(law, law.read_text())) == 300
    assert parsed.call_count == 1


def test_a_report_goes_to_a_file(law: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(law, "--seconds", 0, "--format", "json", "--out", "out.json") == 1
    assert json.loads(Path("out.json").read_text())["failing"] == 1
    assert "beyond a limit" in capsys.readouterr().err
    assert check(law, "--out", "none/out.json", "--seconds", 0) == 2
    assert check("none.py") == 2


def test_a_baseline_takes_the_larger_loss_of_a_formula_that_stands_twice(
    law: Path, checked: Callable
) -> None:
    law.write_text(
        "# eic: x=1e-10:1e-5\na = np.exp(x) - 1\n# eic: x=1e-4:1e-2, max=1\nb = np.exp(x) - 1\n"
    )
    assert "2 accepted" in checked(law, "--write-baseline", "b.json").err
    assert check(law, "--baseline", "b.json") == 0


def test_a_name_in_a_mark_that_is_not_in_the_formula_fails(law: Path, checked: Callable) -> None:
    law.write_text("# eic: x=1:2, mx=1\ny = x + 1\n")
    assert "`mx` is not in the formula: did you mean `max`?" in checked(law, status=1).out
    law.with_name("list.toml").write_text('[[formula]]\ntext = "x + 1"\nx = "1:2"\nmx = 1\n')
    assert "`mx` is not in the formula" in checked("list.toml", status=1).out
    law.with_name("table.csv").write_text("x\n1\n2\n")
    law.write_text("# eic: data=table.csv, x=1:2\ny = x + 1\n")
    assert "`x` has a range beside a table" in checked(law, status=1).out
    law.write_text("# eic: x=1:2, t=1\ndef f(x, t):\n    return x + 1\n")
    assert check(law) == 0


def test_the_edit_of_numpy_code_is_numpy_code(law: Path, checked: Callable) -> None:
    law.write_text("# eic: x=1e-8:1e-4\ny = (1 - np.cos(x)) / x**2\n")
    assert "In Python, NumPy: 2*(np.sin(x/2)/x)**2" in checked(law, status=1).out


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.py", "y = np.exp({0}) - 1\n"), ("a.jl", "f({0}) = exp({0}) - 1\n")],
)
def test_the_edit_has_the_names_of_the_file(
    law: Path, checked: Callable, name: str, text: str
) -> None:
    mark = "# eic: {0}=loguniform:1e-9:1e-7\n"
    for variable in ("x", "e"):
        Path(name).write_text((mark + text).format(variable))
        [each] = json.loads(checked(name, "--format", "json", status=1).out)["formulas"]
        assert f"expm1({variable})" in each["better"]


def test_the_hook_of_pre_commit_takes_every_kind_of_file_with_marks() -> None:
    hooks = (Path(__file__).parents[3] / ".pre-commit-hooks.yaml").read_text()
    [pattern] = re.findall(r"files: (.*)", hooks)
    assert all(re.search(pattern, f"src/law{suffix}") for suffix in SUFFIXES)
    assert not re.search(pattern, "src/notes.md")


def test_rows_without_a_value_are_said_where_the_rest_passes(law: Path, checked: Callable) -> None:
    law.write_text("# eic: x=-1:10, samples=1000\ny = sqrt(x)\n")
    out = checked(law).out
    count = int(out.split(" of 1,000 rows")[0].rsplit(" ", 1)[1])
    assert 60 < count < 120 and out.startswith("law.py:2:1: `sqrt(x)` has no value at ")
    assert out.endswith("1 formula checked, 1 within limits, 1 without a value at some rows\n")
    for form, level in (("github", "::warning "), ("sarif", '"level": "warning"')):
        assert level in checked(law, "--format", form).out


def test_a_folder_without_files_is_a_mistake(law: Path, checked: Callable) -> None:
    (law.parent / "empty").mkdir()
    assert "there is no file to check" in checked(law.parent / "empty", status=2).err


SECRET = "SECRETNAME,7654321\n1,2\n"


@pytest.fixture
def strangers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checked folder, beside a file that is nobody's business."""
    (tmp_path / "secret.csv").write_text(SECRET)
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "fine.py").write_text(FINE)
    monkeypatch.chdir(tmp_path)
    return Path("src")


def test_a_named_file_reads_below_the_folder_from_which_the_command_runs(
    strangers: Path, checked: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    (strangers.parent / "points.csv").write_text("x\n1\n2\n")
    (strangers / "law.py").write_text("# eic: data=../points.csv\ny = x + 1\n")
    for paths in ([strangers / "law.py"], [strangers / "law.py", "."], [strangers, "."]):
        assert check(*paths, "--seconds", 0) == 0, paths
    monkeypatch.chdir(strangers)
    assert "outside of the folder" in checked("law.py", "--seconds", 0, status=1).out


@pytest.mark.parametrize("output", ["text", "json", "sarif", "github"])
@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("../secret.csv", "outside of the folder"),
        ("{folder}/../secret.csv", "outside of the folder"),
        ("link.csv", "outside of the folder"),
        ("config", "is read as no table"),
        ("inner.csv", "no column for `x`"),
        ("inner.csv,target=z", "no column `z`"),
        ("words.csv", "no row has a number"),
        (".", "cannot be read"),
        ("a\0b", "names no file"),
        ("pipe", "is no regular file"),
        ("large.csv", "has more than"),
    ],
)
def test_a_mark_reads_regular_files_of_the_folder_alone_and_tells_no_line_of_them(
    strangers: Path,
    data: str,
    why: str,
    output: str,
    checked: Callable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("eic_core.checking.checks.MOST_TABLE", 1000)
    (strangers / "link.csv").symlink_to(Path("..", "secret.csv"))
    (strangers / "inner.csv").write_text(SECRET)
    (strangers / "config").write_text("[SECRETNAME]\n\t7654321,1\n")
    (strangers / "words.csv").write_text("x,SECRETNAME\na7654321,1\n")
    (strangers / "large.csv").write_text("x\n" + "7654321\n" * 200)
    if data == "pipe":
        os.mkfifo(strangers / "pipe")
    data = data.format(folder=strangers.absolute())
    (strangers / "law.py").write_text(f"# eic: data={data}\ny = x + 1\n")
    told = "".join(checked(strangers, "--seconds", 0, "--format", output, status=1))
    assert why in told and "1 within limits, 1 not checked" in told or output == "sarif"
    assert "SECRET" not in told and "7654321" not in told


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("outside.py", "link ../secret.csv"),
        ("dangling.py", "link nowhere.py"),
        ("circular.py", "link circular.py"),
        ("pipe.py", "pipe"),
        ("large.py", "#" * 1001),
        ("minus.py", "# eic: x=1:2\ny = " + "lambda:" * 5_000 + "x\n"),
        ("nots.py", "# eic: x=1:2\ny = " + "not " * 50_000 + "x\n"),
        ("nul.py", "# eic: data=a\0b\ny = x\n"),
        ("twice.py", "# eic: x=1:2\nq = = x\n"),
        ("twice.c", "// eic: x=1:2\nq = = x;\n"),
        ("broken.py", "z = (\n# eic: x=1:2\ny = 2x\n"),
        ("ranges.toml", '[[formula]]\ntext = "x"\nranges = 3\n'),
        ("defaults.toml", 'defaults = 3\n[[formula]]\ntext = "x"\n'),
        ("deep.toml", "x = " + "[" * 50_000),
        ("digits.toml", "x = " + "9" * 5_000),
        ("none.toml", "x = ="),
        ("syntax.toml", '[[formula]]\ntext = "x"\nsyntax = "nope"\nranges = { x = "1:2" }\n'),
    ],
)
def test_what_breaks_is_not_checked_and_the_others_are(
    strangers: Path,
    name: str,
    content: str,
    checked: Callable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = strangers / name
    if content.startswith("link "):
        path.symlink_to(content.removeprefix("link "))
    elif content == "pipe":
        os.mkfifo(path)
    else:
        path.write_text(content)
    if name == "large.py":
        monkeypatch.setattr("eic_core.cli.check_command.MOST_SOURCE", 1000)
    named = [path] if name.endswith(".toml") else []
    told = checked(strangers, *named, "--seconds", 0, status=1).out
    assert f"{path.as_posix()}:" in told
    assert told.endswith("2 formulas checked, 1 within limits, 1 not checked\n")


def test_signs_without_end_are_read_where_python_gives_up(law: Path, checked: Callable) -> None:
    law.write_text("# eic: x=1:2\ny = " + "-" * 6_000 + "x\n" + FINE)
    assert checked(law).out == "2 formulas checked, 2 within limits\n"


def test_a_fault_of_our_own_is_one_formula_that_is_not_checked(
    law: Path, checked: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    law.write_text(FINE + "# eic: x=1:2\ny = x\n")
    real = checks.inspect

    def fails(formula: Formula, samples: Samples, **options: Any) -> Inspection:
        if formula.source == "y = x":
            raise RuntimeError("of SECRETNAME")
        return real(formula, samples, **options)

    monkeypatch.setattr(checks, "inspect", fails)
    told = checked(law, status=1).out
    assert "law.py:4:1: not checked: EIC Lab ended it with RuntimeError" in told
    assert told.endswith("1 within limits, 1 not checked\n") and "SECRET" not in told


COMMANDS = "\x1b[2J\x9b2J\u202e ##[stop-commands]a ##vso[task.x]"


@pytest.mark.parametrize("output", ["text", "json", "sarif", "github"])
def test_nothing_that_others_wrote_commands_a_terminal_or_a_runner(
    strangers: Path, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = f"# eic: {COMMANDS}\ny = x\n"
    for name in (f"a\n::error::b{COMMANDS}.py", "::error::c.py", f"d\r::warning::{COMMANDS}.toml"):
        (strangers / name).write_text(mark if name.endswith("py") else f'[[formula]]\n"{mark}"')
    (strangers / "e.py").write_text(
        f"# eic: x=1:2\ny = x + zz{COMMANDS}z\n# eic: data=t.csv\ny=x\n"
    )
    (strangers / "t.csv").write_text(f"{COMMANDS},b\n1,2\n")
    lists = [path for path in strangers.iterdir() if path.suffix == ".toml"]
    os.chdir(strangers)
    check(".", *[path.name for path in lists], "--seconds", 0, "--format", output)
    check(".", "--out", "out", "--write-baseline", f"a\n::error::{COMMANDS}.json")
    check(f"no\n::error::{COMMANDS}.py", "--format", output)
    out, err = capsys.readouterr()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]|##\\w*\\[", out + err)
    lines = [line.strip() for line in (out + err).splitlines()]
    obeyed = [line for line in lines if line.startswith("::")]
    assert all(line.startswith(("::error file=", "::warning file=")) for line in obeyed)
    assert bool(obeyed) == (output == "github") and r"\n::error::\x1b[2J" in err
    if output in ("json", "sarif"):
        json.loads(out)


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="its names of files are UTF-8")
@pytest.mark.parametrize("output", ["text", "json", "sarif", "github"])
def test_a_file_whose_name_is_not_utf8_is_checked_in_every_format(
    strangers: Path, output: str, checked: Callable
) -> None:
    path = strangers / os.fsdecode(b"\xff ##[debug].py")
    path.write_text("# eic: x=1:2\ny = x +\n")
    arguments = (strangers, "--seconds", 0, "--format", output)
    assert check(*arguments, "--out", "out") == 1
    written = Path("out").read_text(encoding="utf-8")
    assert checked(*arguments, status=1).out == written
    if output == "sarif":
        [result] = json.loads(written)["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        # RFC 3986, 2.1: the octets, percent-encoded
        assert place == {"uri": "src/%FF%20%23%23%5Bdebug%5D.py"}
    else:
        name = r"\\xff" if output == "json" else r"src/\xff"
        assert name in written
    assert check(*arguments, "--write-baseline", "base.json") == 0
    assert check(*arguments, "--baseline", "base.json") == 0


def test_the_conditions_of_a_form_go_with_it(law: Path, checked: Callable) -> None:
    # log(exp(u) + 1) is max(u, 0) + log1p(exp(-|u|)); |u| is u where u >= 0
    law.write_text("# eic: x=1:1000, T=1:2\ny = log(exp(x*T)+1)\n")
    for output in ("text", "json", "sarif", "github"):
        told = checked(law, "--format", output, status=1).out
        assert "`max(x*T, 0) + log1p(exp(-(x*T)))` where `x·T ≥ 0` (" in told
        if output == "json":
            [each] = json.loads(told)["formulas"]
            assert each["needs"] == ["x·T ≥ 0"]
