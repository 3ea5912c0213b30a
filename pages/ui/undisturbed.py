"""Callbacks that come to their end, whatever is clicked meanwhile.

Streamlit ends a run at its next call once a newer request waits, and reading the session state is
such a call.  A callback that reads it half-way is then left there, and the click it stood for is
lost: the newer request does not bring it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.runtime.scriptrunner import get_script_run_ctx

_CHECK = "_yield_callback"  # of `streamlit.runtime.state.safe_session_state.SafeSessionState`


@contextmanager
def undisturbed() -> Iterator[None]:
    """While this lasts, reading and writing the session state does not end the run.

    A newer request is served at the next Streamlit call after it.  Outside a run, and should a
    Streamlit come that checks elsewhere, nothing happens.

    Examples
    --------
    >>> @undisturbed()
    ... def clicked() -> str:
    ...     return "done"
    >>> clicked()
    'done'
    """
    context = get_script_run_ctx(suppress_warning=True)
    state = vars(context.session_state) if context is not None else {}
    check = state.get(_CHECK)
    if check is None:
        yield
        return
    state[_CHECK] = _no_check
    try:
        yield
    finally:
        state[_CHECK] = check


def _no_check() -> None:
    """A newer request may wait."""
