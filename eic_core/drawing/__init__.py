"""Pictures without a screen library: the colour scale, a tree's layout and its SVG."""
