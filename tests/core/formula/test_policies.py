"""What words and signs mean is the policy of a language, which can be given; the docs name each."""

from dataclasses import replace
from pathlib import Path

import pytest

from eic_core.formula.syntax import Policy, WordRule, read
from eic_core.formula.syntax.languages import LANGUAGES, language

DOCS = Path(__file__).resolve().parents[3] / "docs" / "notations.md"


def test_the_docs_name_the_policy_of_every_language() -> None:
    table = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    listed = "".join([line.split("|")[1] for line in table])
    assert [name for name in LANGUAGES if f"`{name}`" not in listed] == []


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_reading_has_the_policy_of_its_language(name: str) -> None:
    text = {"fpcore": "(+ x 1)", "prefix": "+ x 1", "e2e_prefix": "+ x 1"}.get(name, "x + 1")
    text = "<math><mi>x</mi></math>" if name == "mathml" else text
    reading = read(text, syntax=name)
    assert reading.policy == replace(LANGUAGES[name].policy, words=reading.policy.words)


@pytest.mark.parametrize(
    ("text", "policy", "meant"),
    [
        ("kBT/h", Policy(WordRule.PRODUCT), "k*B*T/h"),
        ("kBT/h", Policy(WordRule.NAME), "f(kBT, h) = kBT/h"),
        ("log(2, x)", Policy(log_base="first"), "ln(x)/ln(2)"),
        ("E*x", Policy(euler=True), "e*x"),
        ("a^b^c", Policy(powers_from_left=True), "(a^b)^c"),
        ("a^b^c", Policy(), "a^(b^c)"),
        ("mod(x, y)", Policy(calls="mod=fmod"), "fmod(x, y)"),
        ("x % y", Policy(remainder="fmod"), "fmod(x, y)"),
    ],
)
def test_a_policy_that_is_given_decides(text: str, policy: Policy, meant: str) -> None:
    formula = read(text, policy=policy).formula
    expected = read(meant, columns=("kBT",) if "kBT" in meant else ()).formula
    if "ln" in meant:
        assert [node.parameter for node in formula.nodes][-1] == 2
    else:
        assert formula.structure() == expected.structure()


@pytest.mark.parametrize("hint", ["hand", "handwritten", "by hand"])
def test_text_written_by_hand_has_products_of_letters(hint: str) -> None:
    assert language(hint) == "hand"
    assert read("kBT/h", syntax=hint).formula.variables == ("k", "B", "T", "h")


def test_a_star_elsewhere_does_not_change_what_a_word_is() -> None:
    assert read("kBT/h").formula.variables == ("kBT", "h")
    assert read("mom*kBT").formula.variables == ("mom", "kBT")
    assert read("kBT/h", columns=("k", "B", "T", "h")).formula.variables == ("k", "B", "T", "h")
