// What the selected node and the chosen row mark in Plotly's plots, and what a click there chooses.
(() => {
  if (window.eicLinks) return;
  window.eicLinks = true;
  const bench = window.eicBench;
  const dataPlot = () => document.querySelector(".st-key-plots .js-plotly-plot");
  // A ledger's bars carry their node; the last bar of a node lies on its track.
  const ofNodes = (trace) =>
    trace.name === "nodes" || (trace.type === "bar" && trace.orientation === "h" && trace.customdata);
  const ledgers = () =>
    [...document.querySelectorAll(".js-plotly-plot")].filter((plot) => plot._fullData?.some(ofNodes));

  const LINE = 2, RING = 17, PAD = 4; // pixels

  // A mark lies in the plot's own box, in its pixels: it moves with the page, not with the axes.
  const drawMarks = (plot, kind, boxes) => {
    const area = plot.querySelector(".svg-container");
    const drawn = [...(area?.querySelectorAll(`.eic-mark-${kind}`) ?? [])];
    for (const mark of drawn.slice(boxes.length)) mark.remove();
    boxes.forEach(([left, top, width, height], at) => {
      const mark = drawn[at] ?? document.createElement("div");
      mark.className = `eic-mark-${kind}${width === LINE ? " eic-mark-line" : ""}`;
      mark.setAttribute("aria-hidden", "true");
      mark.style.cssText =
        `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
      if (!mark.parentNode) area?.append(mark);
    });
  };

  // --- the chosen row in the data plot ---

  // The variables of a plot: as the figure states them, else by its axes' titles.
  const axesOf = (plot) => {
    const { xaxis, yaxis, meta } = plot._fullLayout, titles = bench.rows?.titles ?? {};
    const named = (axis) => Object.keys(titles).find((name) => titles[name] === axis?.title?.text);
    return meta?.axes ?? [named(xaxis), named(yaxis)];
  };
  const panels = (plot) =>
    (plot._fullLayout._subplots?.cartesian ?? ["xy"]).map((name) => {
      const info = plot._fullLayout._plots[name];
      return [info.xaxis, info.yaxis];
    });
  const inside = (place, axis) =>
    Number.isFinite(place) && place >= -1 && place <= axis._length + 1;

  const ring = (x, y, px, py) =>
    [x._offset + px - RING / 2, y._offset + py - RING / 2, RING, RING];
  const axis = (plot, name) => plot._fullLayout[name.replace(/^./, (letter) => `${letter}axis`)];

  // Where no axis is an input, as in residuals: the points that are this row.
  const pointsOf = (plot, position) => {
    const boxes = [];
    for (const trace of plot._fullData) {
      const at = trace.name === "rows" ? [...trace.customdata].indexOf(position) : -1;
      if (at < 0) continue;
      const x = axis(plot, trace.xaxis), y = axis(plot, trace.yaxis);
      boxes.push(ring(x, y, x.d2p(trace.x[at]), y.d2p(trace.y[at])));
    }
    return boxes;
  };

  const rowBoxes = (plot) => {
    const row = bench.row, [across, up] = axesOf(plot);
    if (row === null || !bench.rows) return [];
    if (!across) return pointsOf(plot, bench.rows.positions[row]);
    const inputs = bench.rows.inputs(row);
    const boxes = [];
    for (const [x, y] of panels(plot)) {
      const px = x.d2p(inputs[across]), py = up ? y.d2p(inputs[up]) : 0;
      if (!inside(px, x) || !inside(py, y)) continue;
      if (up) boxes.push(ring(x, y, px, py));
      else boxes.push([x._offset + px - LINE / 2, y._offset, LINE, y._length]);
    }
    return boxes;
  };

  // The shown row whose inputs lie nearest to a point of the plot, in pixels.
  const nearestRow = (plot, point) => {
    const [across, up] = axesOf(plot), { rows } = bench;
    if (!rows) return null;
    if (point.data?.name === "rows") {
      const row = rows.positions.indexOf(point.customdata);
      if (row >= 0) return row;
    }
    if (!across) return null;
    const { xaxis: x, yaxis: y } = point;
    let nearest = null, least = Infinity;
    for (let row = 0; row < rows.count; row++) {
      const inputs = rows.inputs(row);
      const dx = x.d2p(inputs[across]) - x.d2p(point.x);
      const dy = up ? y.d2p(inputs[up]) - y.d2p(point.y) : 0;
      const distance = dx * dx + dy * dy;
      if (distance < least) [nearest, least] = [row, distance];
    }
    return nearest;
  };

  // --- the selected node in the ledger ---

  const holds = (custom, node) => (Array.isArray(custom) ? custom.includes(node) : custom === node);

  const nodeBox = (plot, node) => {
    let box = null;
    for (const trace of node === null ? [] : plot._fullData.filter(ofNodes)) {
      const at = [...trace.customdata].findIndex((custom) => holds(custom, node));
      if (at < 0) continue;
      const x = axis(plot, trace.xaxis), y = axis(plot, trace.yaxis);
      const middle = y._offset + y.d2p(trace.y[at]);
      if (trace.type === "bar") {
        const base = trace.base?.[at] ?? trace.base ?? 0;
        const from = x.d2p(base), to = x.d2p(base + trace.x[at]);
        const high = Math.abs(y.d2p(0) - y.d2p(trace.width?.[at] ?? trace.width ?? 0.8)) + 2 * PAD;
        box = [x._offset + from - PAD, middle - high / 2, Math.max(0, to - from) + 2 * PAD, high];
      } else {
        box = ring(x, y, x.d2p(trace.x[at]), y.d2p(trace.y[at]));
      }
    }
    return box ? [box] : [];
  };

  const drawAll = () => {
    const plot = dataPlot();
    if (plot?._fullLayout?._plots) drawMarks(plot, "row", rowBoxes(plot));
    for (const ledger of ledgers()) {
      if (!ledger._fullLayout?._plots) continue;
      drawMarks(ledger, "node", nodeBox(ledger, bench.node));
      const hover = bench.hover === bench.node ? null : bench.hover;
      drawMarks(ledger, "hover", nodeBox(ledger, hover));
    }
  };
  let waiting = 0;
  const drawSoon = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(drawAll);
  };

  // Plots come, go and are drawn anew by the page; each is joined once.
  const join = () => {
    for (const plot of document.querySelectorAll(".js-plotly-plot")) {
      if (!plot.on || plot.eicJoined) continue;
      plot.eicJoined = true;
      plot.on("plotly_afterplot", drawSoon);
      plot.on("plotly_relayout", drawSoon);
      plot.on("plotly_click", ({ points }) => {
        const row = plot === dataPlot() ? nearestRow(plot, points[0]) : null;
        if (row !== null) bench.set({ row, by: "row" });
      });
      drawSoon();
    }
  };
  new MutationObserver(join).observe(document.body, { childList: true, subtree: true });
  bench.listen((keys) => {
    if (keys.some((key) => ["row", "rows", "node", "hover"].includes(key))) drawSoon();
  });
  join();
})();
