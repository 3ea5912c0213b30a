// What the selected node and the chosen row mark in Plotly's plots, and what a click there chooses.
(() => {
  if (window.eicLinks) return;
  window.eicLinks = true;
  const bench = window.eicBench;
  const dataPlot = () => document.querySelector(".st-key-plots .js-plotly-plot");
  const ledgers = () =>
    [...document.querySelectorAll(".js-plotly-plot")].filter((plot) =>
      plot.data?.some((trace) => trace.name === "nodes"));

  const LINE = 2, RING = 17; // pixels

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

  const rowBoxes = (plot) => {
    const row = bench.row, [across, up] = axesOf(plot);
    if (row === null || !bench.rows || !across) return [];
    const inputs = bench.rows.inputs(row);
    const boxes = [];
    for (const [x, y] of panels(plot)) {
      const px = x.d2p(inputs[across]), py = up ? y.d2p(inputs[up]) : 0;
      if (!inside(px, x) || !inside(py, y)) continue;
      if (up) boxes.push([x._offset + px - RING / 2, y._offset + py - RING / 2, RING, RING]);
      else boxes.push([x._offset + px - LINE / 2, y._offset, LINE, y._length]);
    }
    return boxes;
  };

  // The shown row whose inputs lie nearest to a point of the plot, in pixels.
  const nearestRow = (plot, point) => {
    const [across, up] = axesOf(plot), { rows } = bench;
    if (!rows || !across) return null;
    if (point.data?.name === "rows") {
      const row = rows.positions.indexOf(point.customdata);
      if (row >= 0) return row;
    }
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

  const nodeBoxes = (plot, node) => {
    const boxes = [];
    for (const trace of node === null ? [] : plot._fullData) {
      if (trace.name !== "nodes") continue;
      const x = plot._fullLayout[`xaxis${trace.xaxis.slice(1)}`];
      const y = plot._fullLayout[`yaxis${trace.yaxis.slice(1)}`];
      [...trace.customdata].forEach((custom, at) => {
        if (!holds(custom, node)) return;
        const py = y.d2p(trace.y[at]);
        if (trace.type === "bar") {
          const base = trace.base?.[at] ?? trace.base ?? 0;
          const ends = [x.d2p(base), x.d2p(base + trace.x[at])];
          const thick = Math.abs(y.d2p(0) - y.d2p(trace.width?.[at] ?? trace.width ?? 0.8));
          const left = Math.min(...ends), width = Math.max(3, Math.abs(ends[1] - ends[0]));
          boxes.push([x._offset + left - 4, y._offset + py - thick / 2 - 4, width + 8, thick + 8]);
        } else {
          boxes.push([x._offset + x.d2p(trace.x[at]) - 10, y._offset + py - 10, 20, 20]);
        }
      });
    }
    return boxes;
  };

  const drawAll = () => {
    const plot = dataPlot();
    if (plot?._fullLayout?._plots) drawMarks(plot, "row", rowBoxes(plot));
    for (const ledger of ledgers()) {
      if (!ledger._fullLayout?._plots) continue;
      drawMarks(ledger, "node", nodeBoxes(ledger, bench.node));
      const hover = bench.hover === bench.node ? null : bench.hover;
      drawMarks(ledger, "hover", nodeBoxes(ledger, hover));
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
