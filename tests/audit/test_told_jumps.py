"""What is said of a result that jumps by little: a millionth of its size is not every digit."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp, mpf

from eic_core.explain.diagnosis import diagnose
from eic_core.explain.ledger import blame
from eic_core.explain.losses import account_line, account_of_losses
from eic_core.explain.where import where
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from eic_core.samples import Samples

WHOLE = [1.0, 2.0, 3.0, 4.0, 5.0]

# formula, the same by hand, its row on a jump
JUMPS = (
    ("1000000+floor(x)", lambda x: 1_000_000 + mp.floor(x), 3),
    ("1+sign(x-3)*1e-9", lambda x: 1 + mp.sign(x - 3) * mpf("1e-9"), 3),
    ("100+0.001*floor(x-2)", lambda x: 100 + mpf("0.001") * mp.floor(x - 2), 3),
    ("2+sign(x-3)", lambda x: 2 + mp.sign(x - 3), 3),
    ("sign(x-3)", lambda x: mp.sign(x - 3), 3),
    ("floor(x)", mp.floor, 1),
)


@pytest.mark.parametrize(("text", "value", "at"), JUMPS)
def test_a_result_that_jumps_by_little_is_not_said_to_lose_every_digit(text, value, at):
    columns = {"x": np.array(WHOLE)}
    found = diagnose(inspect(read(text).formula, Samples.from_columns(columns)))
    with mp.workdps(40):
        near = [value(mpf(at) + step) for step in (mpf(-1e-12), mpf(0), mpf(1e-12))]
        moves = max(abs(a - near[1]) for a in near) / max(map(abs, near))
    if moves < mpf("0.1"):  # nor does another sentence of the page say that no digit is left
        root = found.inspection.formula.root.id
        for node in (None, root):
            told = [*blame(found.inspection, node).sentences]
            told += where(found.inspection, node).sentences
            assert not any("no digit" in line.lower() for line in told), told
        losses = account_of_losses(found.inspection)
        assert "infinite" in losses[1].sentence and "every digit" not in account_line(losses)
    said = found.verdict.sentence
    assert ("loses every digit" in said) == (moves > mpf("0.1")), said
    assert ("The result jumps" in said) == (moves < mpf("0.1")), said
