"""The inspector: its inputs, its headline, the workbench, and what can be taken away."""
