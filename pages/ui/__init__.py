"""What pages share: shell, routes, wiring, state, widgets and figures."""
