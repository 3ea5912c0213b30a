"""The house rules that no contract of import-linter says (those are in pyproject.toml)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.sources import HOUSES, ROOT, nodes, trees

SCREEN = {"streamlit", "plotly"}
ROOMS = {"pages.ui", "pages.ballot"}


@cache
def sources() -> dict[str, Path]:
    """Modules of the application by dotted name."""
    return {
        module.removesuffix(".py").removesuffix("/__init__").replace("/", "."): ROOT / module
        for module in trees()
    }


def tree_of(name: str) -> ast.Module:
    """The syntax tree of a module."""
    return trees()[sources()[name].relative_to(ROOT).as_posix()]


@cache
def imports(name: str) -> set[str]:
    """Dotted names that a module imports, type-checking imports included."""
    path = sources()[name]
    found: set[str] = set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes(tree_of(name)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            named = {f"{base}.{alias.name}" for alias in node.names}
            found.update(named)
            if not named <= sources().keys():  # more than sub-modules is taken from it
                found.add(base)
    return found


def external(name: str) -> set[str]:
    """What it imports, by the first part of the name."""
    return {imported.split(".")[0] for imported in imports(name)}


def house_of(name: str) -> str:
    return name.split(".")[0]


def test_there_are_modules_in_every_house() -> None:
    """What is said below of all modules would be empty without any."""
    assert {house_of(name) for name in sources()} == {*HOUSES, "app"}
    assert len(sources()) > 220 and len(rating_modules()) > 4


def test_every_room_is_a_package_that_the_contracts_read() -> None:
    """import-linter passes over folders without an `__init__.py`."""
    folders = {path.parent for path in sources().values()} - {ROOT}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_app_is_the_pages_and_a_screen() -> None:
    """The contracts read packages, and `app` is a module."""
    assert external("app") == {"pages", "streamlit"}


def test_the_product_imports_no_tests_tools_or_benchmarks() -> None:
    beside = {"tests", "tools", "benchmarks", "app"}
    assert [name for name in sources() if external(name) & beside] == []


def test_pages_are_thin() -> None:
    """A page reads its state, calls a room and draws nothing itself."""
    pages = [n for n in sources() if re.fullmatch(r"pages\.[a-z]+", n) and n not in ROOMS]
    assert len(pages) == 6
    for name in pages:
        assert not external(name) & {"eic_core", "db", "numpy", "plotly"}, name
        # Statements, not lines, which a formatter changes; the largest page, Compare, has 79.
        statements = sum(isinstance(node, ast.stmt) for node in nodes(tree_of(name)))
        assert statements <= 80, f"{name} has {statements} statements"


def test_no_public_class_name_twice() -> None:
    where: dict[str, list[str]] = {}
    for name in sources():
        for node in tree_of(name).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where.setdefault(node.name, []).append(name)
    assert {kind: names for kind, names in where.items() if len(names) > 1} == {}


def test_no_basename_three_times() -> None:
    where: dict[str, list[str]] = {}
    for name, path in sources().items():
        # a catalogue of phrases has a module for each question
        if path.name not in ("__init__.py", "__main__.py") and ".phrases" not in name:
            where.setdefault(path.name, []).append(name)
    assert {file: names for file, names in where.items() if len(names) > 2} == {}


def test_every_name_of_a_module_in_this_file_is_one() -> None:
    """No exemption outlives what it exempts."""
    text = Path(__file__).read_text(encoding="utf-8")
    named = set(re.findall(r'"((?:pages|study|db|eic_core)(?:\.[a-z_]+)+)"', text))
    assert named - sources().keys() == set()


def rating_modules() -> list[str]:
    return sorted(n for n in sources() if n.startswith("pages.ballot"))


BLIND = {"study.rating_types", "study.errors"}
"""All of `study` that the volunteer's pages may import: types without EIC, method or pool id."""

OF_TEXTS = {"eic_core.phrasing", "eic_core.phrasing.Phrase"}
"""All of `eic_core`: what a text is."""


def test_the_rating_page_is_blind_by_construction() -> None:
    """What it imports, and what that imports in turn (wiring aside), knows nothing to hide."""
    reached, waiting = set(), {*rating_modules()}
    while waiting:
        here = waiting.pop()
        reached.add(here)
        waiting |= {
            i
            for i in imports(here) & sources().keys() - reached
            if i.startswith("pages") and i != "pages.ui.kit.wiring"
        }
    named = set().union(*(imports(module) for module in reached))
    imported = {i if i in sources() else i.rpartition(".")[0] or i for i in named} - {"study"}
    assert not {i for i in named - OF_TEXTS if i.split(".")[0] in ("eic_core", "db")}
    assert {i for i in imported if i.startswith("study")} <= BLIND
    assert not {i for i in imported if i.startswith("pages.ui.organising")}
    assert not {i for i in named if i.split(".")[0] in SCREEN}


def test_the_types_of_a_ballot_name_nothing_hidden() -> None:
    from study import rating_types

    shown = re.compile(r"eic|method|pool|row_|lower|higher|pair|problem_id", re.IGNORECASE)
    for kind in vars(rating_types).values():
        for attribute in getattr(kind, "__dataclass_fields__", {}):
            assert not shown.search(attribute), f"{kind.__name__}.{attribute}"


@cache
def imports_by_name(name: str) -> set[str]:
    """Modules that a module may load by name: what its texts name, its own packages aside.

    Where it calls `import_module`, a name may also be relative, or an f-string with any gaps.
    """
    path = sources()[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    own = {"__name__": re.escape(name), "__package__": re.escape(package)}
    calls = "import_module" in path.read_text(encoding="utf-8")
    found: set[str] = set()
    for node in nodes(tree_of(name)):
        if isinstance(node, ast.Constant) or (calls and isinstance(node, ast.JoinedStr)):
            pattern = "".join(
                own.get(ast.unparse(part.value), r"[\w.]+")
                if isinstance(part, ast.FormattedValue)
                else re.escape(str(part.value))
                for part in getattr(node, "values", [node])
            )
            pattern = (own["__package__"] if calls and pattern[:2] == r"\." else "") + pattern
            if re.match(rf"({'|'.join(HOUSES)})\b", pattern):
                module = re.compile(pattern.partition(":")[0])  # a function may follow
                found |= {other for other in sources() if module.fullmatch(other)}
    return {other for other in found if not f"{name}.".startswith(f"{other}.")}


def test_an_import_by_name_is_seen() -> None:
    """In a text, with a function, in an f-string with gaps, in a table of the package."""
    assert "pages.ui.kit.heavy" in imports_by_name("pages.ui.kit.wiring")
    assert "eic_core.cli.score_command" in imports_by_name("eic_core.cli.main")
    assert {"eic_core.notebook", "eic_core.measure.inspection"} <= imports_by_name("eic_core")


FRONT_DOOR = "eic_core"
"""Loads by name whatever is asked of it, once it has run itself: nobody waits for that."""


def test_there_are_no_circles_between_modules() -> None:
    """Imports by name and for type checkers included."""
    graph = {
        name: (imports(name) | (set() if name == FRONT_DOOR else imports_by_name(name)))
        & sources().keys() - {name}
        for name in sources()
    }
    reached = {name: set(graph[name]) for name in graph}
    for middle in graph:  # paths through one more module each time
        for above in reached.values():
            if middle in above:
                above |= reached[middle]
    circles = {frozenset(o for o in reached[name] if name in reached[o]) for name in graph}
    assert [sorted(circle) for circle in circles if circle] == []


def test_the_engine_runs_without_any_screen_or_database_library() -> None:
    program = (
        "import sys\n"
        "for name in ('streamlit', 'plotly', 'sqlalchemy', 'pandas', 'pages', 'study', 'db'):\n"
        "    sys.modules[name] = None\n"
        "from eic_core.formula.syntax import read\n"
        "from eic_core.measure import Samples, inspect\n"
        "inspect(read('x+1').formula, Samples.from_columns({'x': [1.0]}))\n"
        "import eic_core.cli\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_user_text_is_never_evaluated() -> None:
    forbidden = {"eval", "exec", "sympify", "parse_expr", "literal_eval", "__import__"}
    for name in sources():
        for node in nodes(tree_of(name)):
            if isinstance(node, ast.Call):
                function = node.func
                called = (
                    function.id
                    if isinstance(function, ast.Name)
                    else function.attr
                    if isinstance(function, ast.Attribute)
                    else ""
                )
                assert called not in forbidden, f"{name}:{node.lineno} calls {called}"


TEMPLATES = {
    # Rows of tables in the code, by the name that each has where it is filled
    "eic_core.formula.syntax.build": {"first", "second"},
    "eic_core.formula.syntax.neighbours": {"inverse"},
    "eic_core.formula.syntax.reading": {"meaning"},
    "eic_core.formula.syntax.refusals": {"hint", "row.message", "row.hint"},
    "eic_core.formula.syntax.statements": {"told"},
    "eic_core.operators.dialects": {"line", "template"},
    "eic_core.operators.helpers": {"template"},
    "eic_core.operators.words": {"self.clause"},
    "eic_core.phrasing": {"_texts().gettext(template)", "template"},
    "eic_core.pool.importers.formats": {"template"},
    "eic_core.rewriting.tables.exponentials": {"over", "power", "under"},
    "pages.ui.figures.typeset": {"brackets"},
    "pages.ui.organising.login": {"hint"},
    "study.report.preregistration": {"text"},
}


def test_no_text_of_a_user_is_a_format_string() -> None:
    """A template is written in the code: as a literal, a constant, or a row of a table there."""
    for name in sources():
        for node in nodes(tree_of(name)):
            match node:
                case ast.Call(func=ast.Attribute(value, "format" | "format_map")):
                    template = ast.unparse(value)
                    written = isinstance(value, ast.Constant) or template.isupper()
                    written = written or template.startswith("Markup('")
                    known = TEMPLATES.get(name, set())
                    assert written or template in known, f"{name}:{node.lineno} fills {template}"
                case ast.BinOp(ast.Constant(str()) | ast.JoinedStr(), ast.Mod()):
                    raise AssertionError(f"{name}:{node.lineno} fills a template by %")
                case ast.Call(func=ast.Name("Template" | "Formatter")):
                    raise AssertionError(f"{name}:{node.lineno} makes a template")


HEAVY = {"scipy", "sympy", "pandas", "pyarrow", "matplotlib", "jinja2", "cattrs", *SCREEN}


def loaded_by(program: str, modules: set[str]) -> list[str]:
    """Which of these modules are loaded once a program has run."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; {program}; print(*sorted({modules!r} & sys.modules.keys()))",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1].split()


def test_scoring_loads_nothing_that_it_does_not_use() -> None:
    program = "from eic_core.cli.main import build_parser; build_parser(['score'])"
    assert loaded_by(program, HEAVY | {"flint"}) == []


def test_a_first_answer_waits_for_no_module_that_it_does_not_use() -> None:
    program = (
        "from eic_core.cli.main import main; "
        "main(['inspect', 'sqrt(x + 1) - sqrt(x)', '--range', 'x=1:100'])"
    )
    rooms = {f"eic_core.{room}" for room in ("rewriting", "pool", "search", "corpora", "report")}
    assert loaded_by(program, HEAVY | rooms | {"subprocess", "multiprocessing"}) == []


def test_nothing_in_the_repository_names_a_machine() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    absolute = re.compile(r"(?<![\w.~-])/(?:home|root|Users|work|mnt|srv)/[\w.-]+")
    for file in filter(None, listed.stdout.split("\0")):
        path = ROOT / file
        if path.suffix in {".png", ".jpg", ".svg", ".gz", ".ico"} or not path.is_file():
            continue
        if path == Path(__file__).resolve():
            continue
        found = absolute.search(path.read_text(encoding="utf-8", errors="replace"))
        assert not found, f"{file} names {found[0] if found else ''}"


def test_reading_infix_formulas_loads_no_other_reader() -> None:
    readers = ("latex", "mathml", "mathematica", "spreadsheet", "sexpr", "prefix", "source_code")
    formulas = ("x0*sin(x1) - 2.5*x**2", "m c^2", "- x + 2", "y = a*x + b", "E*x", "2x(x+1)/z")
    program = (
        "from eic_core.cli.main import build_parser; build_parser(['score']); "
        "import eic_core.pool.scoring; from eic_core.formula.syntax import read; "
        f"[read(text) for text in {formulas!r}]"
    )
    assert loaded_by(program, {f"eic_core.formula.syntax.{reader}" for reader in readers}) == []
