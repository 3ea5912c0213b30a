// What the parts of the workbench share in the browser, without the server: the selected node, the
// node under the pointer, the row whose digits are shown, and what the colours mean.
const bench = (window.eicBench ??= {
  node: null,
  hover: null,
  row: null,
  by: "eic",
  rows: null,
  listeners: new Set(),
  set(changes) {
    const keys = Object.keys(changes).filter((key) => this[key] !== changes[key]);
    if (!keys.length) return;
    Object.assign(this, changes);
    for (const listener of [...this.listeners]) listener(keys);
  },
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  },
});
