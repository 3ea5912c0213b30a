"""Nouns and clauses of an operator's row, for the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass

VALUE_IS_ZERO = "its value is 0 there, so that no digit of it is right"
TOO_MUCH = "errors grow beyond 10³⁰ on the way to it"
ON_A_JUMP = "its argument lies exactly on a jump"
AT_ITS_END = "its argument is at the end of its domain"
NEARLY_ON_A_JUMP = "its argument agrees with a jump in more than 30 digits"
NEARLY_AT_ITS_END = "its argument agrees with the end of its domain in more than 30 digits"
ON_A_POLE = "a sample lies on a pole"


@dataclass(frozen=True)
class Near:
    # True for an end of the domain, which `Operator.brink` measures; False for a zero of the value
    brink: bool
    within: float  # So near the operand must come to the end, or the value to 0
    label: str  # Two to six words for it
    clause: str  # What happens, to follow a colon; ``{end}`` stands for 1, −1 or ±1

    def clause_at(self, end: str) -> str:
        return self.clause.format(end=end)


@dataclass(frozen=True)
class Words:
    """Words of the diagnosis; by default it names the factor that multiplies an operand's error."""

    noun: str = "step"  # What its result is called: "amplified 12 times at the sum `x + y`"
    family: str = ""  # What it is called among the functions that grow alike; empty: its noun
    cancels: bool = False  # True if digits are lost where its two operands cancel
    near: Near | None = None  # Where else it loses digits, if in one kind of place
    # Why no digit is left where the value is 0 or the operator jumps, to follow a colon
    singular: str = VALUE_IS_ZERO
    # The same where the value is not 0, and s only beyond 10^30; empty: as `singular`
    nearly: str = TOO_MUCH
    invalid: str = ""  # Why it may have no real value; empty where it can only leave every range


def at_end(name: str, end: str, invalid: str) -> Words:
    """A function whose slope is infinite at an end of its domain, in words: ``"±1"``."""
    place = "{end}" if end == "±1" else end
    clause = f"the argument of `{name}` comes close to {place}"
    near = Near(True, 0.5, "end of the domain", clause)
    return Words(near=near, singular=AT_ITS_END, nearly=NEARLY_AT_ITS_END, invalid=invalid)


def periodic(noun: str = "step", *, poles: bool = False) -> Words:
    place = "a zero or a pole" if poles else "a zero"
    return Words(
        noun,
        singular=f"its argument lies exactly on {place}",
        nearly=f"its argument agrees with {place} in more than 30 digits",
        invalid=ON_A_POLE if poles else "",
    )


STEPPED = Words(singular=ON_A_JUMP, nearly=NEARLY_ON_A_JUMP)
"""A function that is flat between its jumps."""
