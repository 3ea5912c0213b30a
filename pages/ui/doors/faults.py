"""Failures of a page, for its visitor and for the log."""

from __future__ import annotations

import logging

import streamlit as st

from eic_core.errors import UserError

_FAILED = (
    "This page failed for a reason of ours.",
    "What was saved is kept. Reload the page; if it fails again, tell whoever runs this server.",
)
_LEFT_OUT = "st.session_state has no key "
_LOGGERS = ("streamlit.error_util", "streamlit.runtime.app_session")


def show_fault(error: Exception) -> bool:
    """Draw an error of a page or a callback; True keeps Streamlit's own box away."""
    title, hint = (error.message, error.hint) if isinstance(error, UserError) else _FAILED
    title = title[:1].upper() + title[1:]
    st.error(f"**{title}** {hint}" if hint else f"**{title}**")
    return True  # else Streamlit adds a box with words about a cloud that this server is not in


class OneSentence(logging.Filter):
    """Logs a fault that is not ours as one line, without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, UserError):
            record.msg, record.args, record.exc_info = "%s", (str(error),), None
        elif isinstance(error, KeyError) and _LEFT_OUT in str(error):
            # A page sends all its widgets, and its callbacks count on that: a stranger does not.
            name = str(error).partition(_LEFT_OUT)[2][:80]
            sentence = "a browser did not send what a widget of its page holds: %s"
            record.msg, record.args, record.exc_info = sentence, (name,), None
        return True


def log_in_sentences() -> None:
    """Set up the log of the doors, and Streamlit's log of what a page raised."""
    doors = logging.getLogger("eic_lab")
    if not doors.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s EIC Lab: %(message)s"))
        doors.addHandler(handler)
        doors.setLevel(logging.INFO)
        doors.propagate = False
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, OneSentence) for each in logger.filters):
            logger.addFilter(OneSentence())
