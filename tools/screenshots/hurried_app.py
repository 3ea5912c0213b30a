"""The application on a machine that is always too slow, for pictures of that."""

from __future__ import annotations

import sys
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages.ui.kit import wiring
from pages.ui.kit.browser import PackedAssets
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.server import ROUTES, lifespan

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

ROOT = Path(__file__).resolve().parents[2]
wiring._built["diagnosis"] = DiagnosisService(seconds=0.5)
app = st.App(
    ROOT / "pages" / "ui" / "shell.py",
    routes=ROUTES,
    lifespan=lifespan,
    middleware=[Middleware(PackedAssets)],
)
