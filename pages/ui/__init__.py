"""Shell, routes, wiring, state, widgets and figures of the pages."""
