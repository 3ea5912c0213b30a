"""What may become of a row, and why: the words of `outcomes`, which its detectors share."""

from __future__ import annotations

from enum import IntEnum, unique


@unique
class Outcome(IntEnum):
    """What becomes of a row; where several are true the first counts."""

    NOT_CHECKED = 0  # the exact check ended before it
    NO_REAL_VALUE = 1  # some node has none
    UNKNOWN = 2  # no arithmetic here tells whether it has one, or which
    NO_DOUBLE = 3  # the result has a value, and a program gets none
    NO_DIGIT = 4  # no digit of the result is right
    FOLLOWS = 5  # by first order it keeps its digits, but it moves with a step that keeps none
    DECIDED = 6  # a rounding decides a branch or a jump, and digits with it
    STEEP = 7  # it is infinitely steep: no multiple of an error bounds its own
    RANGE_LOSS = 8  # a value beyond double range costs digits
    FINITE = 9  # errors grow to a finite multiple


@unique
class Reason(IntEnum):
    """Why a row has its outcome."""

    FIRST_ORDER = 0  # errors of inputs and steps, each multiplied by its condition number
    LIMIT = 1  # the work that an exact check may take was spent
    DOMAIN = 2  # an operand lies outside the domain of its operator
    INDISTINCT = 3  # an operand cannot be told from where there is no value
    UNREDUCED = 4  # a wave's argument or a remainder's quotient is too large to be reduced
    LEAVES = 5  # a value is too large or small for every range of numbers
    OVERFLOW = 6
    UNDERFLOW = 7
    ROUNDED_TO_ZERO = 8
    ROUNDED_OUT = 9  # rounded out of the domain of the step above
    SLOPE = 10  # a step is infinitely steep
    ZERO = 11  # a step is 0 and moves
    JUMP = 12  # a step lies on a jump or a threshold
    ROUNDING = 13  # a rounding takes a step over a jump or a threshold
    RANGE = 14  # an over- or underflow takes it there


DOUBLE_DIGITS = 15.95
"""Decimal digits of a double: no row loses more."""
