"""Texts for readers are made last, in the rooms' phrases alone, and nothing reads one back."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.sources import ROOT, nodes, trees

ROOMS = (
    "eic_core/errors.py",
    "eic_core/exports.py",
    "eic_core/markup.py",
    "eic_core/phrasing.py",
    "eic_core/samples.py",
    "eic_core/engine/*.py",
    "eic_core/explain",
    "eic_core/measure/crossings.py",
    "eic_core/measure/double_range.py",
    "eic_core/measure/following.py",
    "eic_core/measure/measured.py",
    "eic_core/measure/outcomes.py",
    "eic_core/measure/reasons.py",
    "eic_core/measure/runs.py",
    "eic_core/rewriting/gains.py",
    "eic_core/rewriting/measuring.py",
    "eic_core/rewriting/own_form.py",
    "eic_core/rewriting/repair.py",
    "eic_core/rewriting/results.py",
    "eic_core/search",
    "eic_core/formula/rendering.py",
    "eic_core/formula/tree.py",
    "eic_core/formula/syntax/protected.py",
    "eic_core/pool/candidate.py",
    "eic_core/pool/front.py",
    "eic_core/pool/list_variables.py",
    "eic_core/pool/tool_functions.py",
    "db/repositories",
)
"""Rooms and modules without English outside their phrases; more join, none leaves."""

WAITING = (
    "eic_core/rewriting",
    "eic_core/measure",
    "eic_core/report",
    "eic_core/formula",
    "eic_core/pool",
    "eic_core/operators",
    "eic_core/drawing",
    "eic_core/corpora",
    "eic_core/cli",
    "study",
    "db",
    "pages",
)
"""Rooms whose sentences still stand beside their numbers; a room moves up when its sentences are in
its phrases."""

FROM_OUTSIDE = {
    ("study/freezing.py", "problem.column(name).meaning.strip()"),
    (
        "study/model_raters/endpoint.py",
        "str(error.message).removeprefix(f'Error code: {e",
    ),
}
"""Attributes of these names that hold what a user or another program has written."""

Finding = tuple[int, str]


def modules_of(room: str) -> list[str]:
    """The modules of a folder and those below it, or those that a pattern names."""
    pattern = room if room.endswith(".py") else f"{room}/**/*.py"
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern))


def findings(module: str, detect: Callable[[ast.Module], Iterator[Finding]]) -> list[str]:
    return [
        f"{module}:{line}: {text}"
        for line, text in detect(trees()[module])
        if (module, text) not in FROM_OUTSIDE
    ]


def is_of_phrases(module: str) -> bool:
    return "phrases" in (Path(module).stem, Path(module).parent.name)


# English outside phrases

_NO_PROSE = re.compile(r"`[^`]*`|<[^>]*>|\{[^}]*\}|[\w.]*[\\/_=][\w.]*")
_WORD = re.compile(r"(?<![\w.$#@:%*+-])(?:[A-Za-z]?[a-z]+(?:['’-][a-z]+)*|[aAI])(?![\w(*-])")
_SPOKEN = {"help", "hint", "description", "epilog", "metavar"}
_RAISING = {"fail", "refuse", "fail_unbalanced", "error", "exit"}
_LOGGING = {"LOG", "log", "logger", "logging", "warnings"}
_PATTERNS = {"compile", "match", "fullmatch", "search", "sub", "findall", "finditer"}


def words_of(text: str) -> int:
    """How many English words a literal holds; code, markup, paths and single letters are none.

    >>> [words_of(each) for each in ("loses every digit", "`a b c` is", "<b class='x y z'>", "a-b")]
    [3, 1, 0, 1]
    """
    return len(_WORD.findall(_NO_PROSE.sub(" ", text)))


def english(tree: ast.Module) -> Iterator[Finding]:
    """Literals of three words or more that are no docstring, help text, error, log line, pattern or
    list of names.
    """
    for node in _spoken(tree):
        text = _constant_parts(node)
        if words_of(text) >= 3:
            yield node.lineno, text[:48]


def _spoken(node: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """The strings below a node, but for those that are exempt."""
    match node:
        case ast.Raise() | ast.Assert() | ast.Expr(value=ast.Constant()):
            return
        case ast.keyword(arg=str(name)) if name in _SPOKEN:
            return
        case ast.Call(func=ast.Attribute(attr="split", value=ast.Constant())):
            return
        case ast.Call(func=ast.Attribute(attr=name)) if name in _RAISING | _PATTERNS:
            return
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in _LOGGING:
            return
        case ast.Call(func=ast.Name(id=name)) if name.endswith(("Error", "Refusal")):
            return
        case ast.JoinedStr():
            yield node
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    yield from _spoken(part.value)
            return
        case ast.Constant(value=str()):
            yield node
    for child in ast.iter_child_nodes(node):
        yield from _spoken(child)


def _constant_parts(node: ast.Constant | ast.JoinedStr) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "\N{REPLACEMENT CHARACTER}"
        for part in parts
    )


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_its_english_in_its_phrases(room: str) -> None:
    modules = [module for module in modules_of(room) if not is_of_phrases(module)]
    assert modules
    assert [line for module in modules for line in findings(module, english)] == []


def test_a_room_that_waits_is_in_the_product() -> None:
    assert [room for room in WAITING if not modules_of(room)] == []


@pytest.mark.parametrize(
    "source",
    [
        "x = 'loses every digit'",
        "x = f'{n} rows have {y} value'",
        'x = f\'{"has a pole" if y else ""} there\'',
        "x = ('at', 'the other samples lose')",
        "f(label='the whole table')",
        "def f():\n    'A docstring of many words.'\n    return 'no digit is left'",
        "x = 'At `x` the loss is largest'",
        "match x:\n    case 1: y = 'it overflows here'",
        "x = {'a': 'the sum cancels'}",
    ],
)
def test_english_is_seen_wherever_it_stands(source: str) -> None:
    assert list(english(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "'What a module does and why.'",
        "class A:\n    x = 1\n    'An attribute and its meaning.'",
        "raise DataError(f'the table {name} has no rows', hint='add a row at least')",
        "report.fail('a bracket is not closed', 1, 2, 'close it with a bracket')",
        "parser.add_argument('--x', help='how many samples are drawn')",
        "LOG.warning('a login from %s has failed', x)",
        "assert x, 'this cannot be so'",
        "x = 'sin cos tan atan'.split()",
        "x = re.compile('one or two or three')",
        "x = '<p class=\"eic-answer eic-quiet large\">'",
        "x = '`where(a and b or c)`'",
        "x = 'no value'",
        "x = 'eic_core/locale/a b.txt'",
    ],
)
def test_what_is_no_text_of_a_result_is_let_alone(source: str) -> None:
    assert list(english(ast.parse(source))) == []


# phrases that are read back

ONE = {"sentence", "advice", "meaning", "clause", "message", "hint"}
SEVERAL = {"sentences", "notes", "missing"}
_TEXT_METHODS = {
    *("replace", "startswith", "endswith", "split", "rsplit", "splitlines", "partition"),
    *("rpartition", "lower", "upper", "capitalize", "title", "casefold", "removeprefix"),
    *("removesuffix", "strip", "lstrip", "rstrip", "find", "rfind", "index", "translate"),
}


def read_back(tree: ast.Module) -> Iterator[Finding]:
    """Where a text of a phrases module, or an attribute that holds texts, is searched or edited."""
    modules, functions = _phrase_imports(tree)
    for scope in nodes(tree):
        if isinstance(scope, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _Scope(scope, modules, functions).findings()


def _phrase_imports(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The names of phrases modules in a module, and of functions that were taken from them."""
    modules: set[str] = set()
    functions: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom):
            of_phrases = {"phrases", "phrasing"} & {*(node.module or "").split(".")}
            for alias in node.names:
                name = alias.asname or alias.name
                if alias.name in ("phrases", "phrasing"):
                    modules.add(name)
                elif of_phrases:
                    (modules if _is_phrase_module(node.module, alias.name) else functions).add(name)
    return modules, functions


def _is_phrase_module(package: str | None, name: str) -> bool:
    return (ROOT / (package or "").replace(".", "/") / f"{name}.py").is_file()


class _Scope:
    """One function, or the statements of a module: which names hold phrases in it."""

    def __init__(self, scope: ast.AST, modules: set[str], functions: set[str]) -> None:
        self.modules, self.functions = modules, functions
        self.nodes = _own_nodes(scope)
        self.one: set[str] = set()
        self.several: set[str] = set()
        before = -1
        while before < (before := len(self.one) + len(self.several)):
            for node in self.nodes:
                self._bind(node)

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                pass
            case (
                ast.For(target=ast.Name(id=name), iter=of)
                | ast.comprehension(target=ast.Name(id=name), iter=of)
            ):
                if self.is_several(of):
                    self.one.add(name)
                return
            case _:
                return
        if self.is_one(value):
            self.one.add(name)
        elif self.is_several(value):
            self.several.add(name)

    def is_one(self, node: ast.AST) -> bool:
        """Whether an expression is one text for readers."""
        match node:
            case ast.Attribute(attr=name):
                return name in ONE
            case ast.Name(id=name):
                return name in self.one
            case ast.Call(func=ast.Name(id="str"), args=[inner]):
                return self.is_one(inner)
            case ast.Call(func=ast.Name(id=name)):
                return name in self.functions
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                return name in self.modules
            case ast.Subscript(value=value, slice=index):
                return self.is_several(value) and not isinstance(index, ast.Slice)
            case ast.IfExp(body=body, orelse=other):
                return self.is_one(body) or self.is_one(other)
        return False

    def is_several(self, node: ast.AST) -> bool:
        match node:
            case ast.Attribute(attr=name):
                return name in SEVERAL
            case ast.Name(id=name):
                return name in self.several
            case ast.Subscript(value=value, slice=ast.Slice()):
                return self.is_several(value)
        return False

    def findings(self) -> Iterator[Finding]:
        for node in self.nodes:
            if self._reads(node):
                assert isinstance(node, ast.expr)
                yield node.lineno, ast.unparse(node)[:48]

    def _reads(self, node: ast.AST) -> bool:
        match node:
            case ast.Compare(ops=ops, comparators=others, left=left):
                inside = [
                    each
                    for op, each in zip(ops, others, strict=True)
                    if isinstance(op, ast.In | ast.NotIn)
                ]
                return any(self.is_one(e) or self.is_several(e) for e in inside) or (
                    bool(inside) and self.is_one(left)
                )
            case ast.Subscript(value=value):
                return self.is_one(value)
            case ast.Call(func=ast.Attribute(attr=name, value=value)) if self.is_one(value):
                return name in _TEXT_METHODS
            case ast.Call(func=ast.Attribute(attr=name), args=args):
                return name in _PATTERNS | {"split"} and any(map(self.is_one, args))
        return False


def _own_nodes(scope: ast.AST) -> list[ast.AST]:
    """The nodes of a scope without those of functions in it."""
    own = [*ast.iter_child_nodes(scope)]
    for node in own:  # which grows meanwhile
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own += ast.iter_child_nodes(node)
    return own


def test_nothing_in_the_product_reads_a_phrase_back() -> None:
    assert len(trees()) > 250
    assert [line for module in trees() for line in findings(module, read_back)] == []


PHRASES = "from eic_core.explain import phrases\nfrom eic_core.phrasing import say\n"


@pytest.mark.parametrize(
    "source",
    [
        "'lost' in phrases.headline(x)",
        "'lost' not in verdict.sentence",
        "verdict.sentence in other.sentences",
        "'x' in verdict.sentences",
        "say('{x} rows', x=1)[1:]",
        "str(say('rows'))[0]",
        "str(finding.clause).replace('a', 'b')",
        "finding.advice.startswith('use')",
        "finding.clause.endswith('left')",
        "reading.notes[0].split(' ')",
        "finding.meaning.lower()",
        "'column' in str(error.hint)",
        "error.message.endswith('has no argument')",
        "re.sub('a', 'b', finding.sentence)",
        "PATTERN.search(str(phrases.place(x)))",
        "text = phrases.headline(x)\ntext.removeprefix('The ')",
        "def f(v):\n    first, text = 1, 2\n    text = v.sentence\n    return text[:4]",
        "for note in reading.notes:\n    note.startswith('a')",
        "[note for note in result.notes if 'rows' in note]",
        "[s for s in v.sentences[1:] if s not in others]",
        "lines = v.sentences\nfor line in lines:\n    line.strip('.')",
        "def f():\n    def g(v):\n        return v.sentence.partition(': ')",
        "(text := v.sentence) and text.find('a')",
        "(v.sentence if x else '').lower()",
    ],
)
def test_a_phrase_that_is_read_back_is_seen(source: str) -> None:
    assert list(read_back(ast.parse(PHRASES + source)))


@pytest.mark.parametrize(
    "source",
    [
        "prose(v.sentence)",
        "' '.join(map(str, v.sentences))",
        "first, *rest = v.sentences",
        "v.sentences[0], v.sentences[1:]",
        "say('{first} and {last}', first=v.clause, last=say('x'))",
        "v.sentence == other.sentence",
        "line = 'a b'\nline.split(' ')",
        "def f(v):\n    text = v.sentence\n\ndef g(text):\n    return text.lower()",
        "f'{v.sentence} {v.clause}'",
        "if v.notes and not v.missing: pass",
    ],
)
def test_a_phrase_may_be_shown_joined_and_put_into_another(source: str) -> None:
    assert list(read_back(ast.parse(PHRASES + source))) == []


# tables of inspections

_TABLES = {"dict", "defaultdict", "OrderedDict", "MutableMapping", "WeakKeyDictionary"}
_CACHES = {"cache", "lru_cache"}


def tables_of_inspections(tree: ast.Module) -> Iterator[Finding]:
    """Tables by inspection and caches of functions of one, which outlive what they hold."""
    for node in nodes(tree):
        match node:
            case ast.Subscript(value=kind, slice=ast.Tuple(elts=[key, *_])):
                bad = _last_name(kind) in _TABLES and _mentions_inspection(key)
            case ast.Call(func=kind):
                bad = _last_name(kind) in ("WeakKeyDictionary", "WeakValueDictionary")
            case ast.FunctionDef(decorator_list=decorators, args=arguments):
                cached = [d.func if isinstance(d, ast.Call) else d for d in decorators]
                bad = any(_last_name(d) in _CACHES for d in cached) and any(
                    a.annotation is not None and _mentions_inspection(a.annotation)
                    for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
                )
            case _:
                continue
        if bad:
            yield node.lineno, ast.unparse(node)[:48]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _mentions_inspection(node: ast.expr) -> bool:
    return any(
        isinstance(each, ast.Name | ast.Attribute) and _last_name(each) == "Inspection"
        for each in ast.walk(node)
    )


def test_no_table_is_keyed_by_an_inspection() -> None:
    """What is computed of an inspection is on it: see `cached_on_inspection`."""
    assert [line for module in trees() for line in findings(module, tables_of_inspections)] == []


@pytest.mark.parametrize(
    "source",
    [
        "table: dict[Inspection, float] = {}",
        "table: dict[tuple[Inspection, int], float] = {}",
        "table: weakref.WeakKeyDictionary[measure.Inspection, int]",
        "table = WeakKeyDictionary()",
        "@cache\ndef f(inspection: Inspection) -> int: ...",
        "class A:\n    @functools.lru_cache(8)\n    def f(self, *, a: Inspection | None): ...",
    ],
)
def test_a_table_of_inspections_is_seen(source: str) -> None:
    assert list(tables_of_inspections(ast.parse(source)))


# facts

FACTS = ("eic_core/explain/findings.py", "eic_core/measure/outcomes.py")


def untyped_facts(tree: ast.Module) -> Iterator[Finding]:
    """What says nothing of a fact: `Any`, and a kind that is a string."""
    for node in nodes(tree):
        match node:
            case ast.Name(id="Any", lineno=line) | ast.Attribute(attr="Any", lineno=line):
                yield line, "Any"
            case ast.AnnAssign(
                target=ast.Name(id="kind"), annotation=ast.Name(id="str"), lineno=line
            ):
                yield line, "kind: str"
            case ast.arg(arg="kind", annotation=ast.Name(id="str"), lineno=line):
                yield line, "kind: str"


def test_facts_have_types() -> None:
    assert [line for fact in FACTS for line in findings(fact, untyped_facts)] == []


@pytest.mark.parametrize(
    "source",
    ["data: dict[str, Any]", "x: typing.Any", "kind: str", "def f(kind: str): ..."],
)
def test_an_untyped_fact_is_seen(source: str) -> None:
    assert list(untyped_facts(ast.parse(f"class A:\n    {source}")))
