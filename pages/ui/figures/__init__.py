"""Figures: pure functions from an inspection to a Plotly figure; no Streamlit."""
