"""The pages: each reads state, calls one service and draws."""
