// What the pointer is on in the tree is framed in the formula, and the other way round; a click on
// a part of the formula selects it, as one on its card does.
//
// Every part of the formula stands between two spaces that undo one another, and whose width, in
// units of 10⁻⁴ em of the formula, is the node's number and one (`coloured_latex`).
(() => {
  if (window.eicLights) return;
  window.eicLights = true;

  const tree = () => document.querySelector('.st-key-tree .js-plotly-plot');
  const formula = () => document.querySelector('.st-key-coloured .katex-html');

  // --- the formula ---

  const number = (space, size) => {
    const width = parseFloat(space.style.marginRight) * parseFloat(getComputedStyle(space).fontSize);
    return Math.round(1e4 * width / size);
  };
  const marks = () => {
    const root = formula(), begins = new Map(), ends = new Map();
    const size = root ? parseFloat(getComputedStyle(root).fontSize) : 1;
    for (const space of root?.querySelectorAll('.mspace[style*="margin-right"]') || []) {
      const found = number(space, size);
      if (found > 0 && !begins.has(found - 1)) begins.set(found - 1, space);
      if (found < 0) ends.set(-found - 1, space);
    }
    return {begins, ends};
  };
  const box = (begin, end) => {
    const between = document.createRange();
    between.setStartAfter(begin);
    between.setEndBefore(end);
    const walker = document.createTreeWalker(
      between.commonAncestorContainer, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    let found = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.nodeType === Node.TEXT_NODE;
      if (!text && !node.matches('svg, .frac-line') || !between.intersectsNode(node)) continue;
      if (text && !node.data.replace(/[\s\u200b]/g, '')) continue;
      let place = node;
      if (text) { place = document.createRange(); place.selectNodeContents(node); }
      const r = place.getBoundingClientRect();
      found = found ? {
        left: Math.min(found.left, r.left), top: Math.min(found.top, r.top),
        right: Math.max(found.right, r.right), bottom: Math.max(found.bottom, r.bottom),
      } : {left: r.left, top: r.top, right: r.right, bottom: r.bottom};
    }
    return found;
  };
  const inFormula = node => {
    const {begins, ends} = marks();
    return begins.has(node) && ends.has(node) ? box(begins.get(node), ends.get(node)) : null;
  };
  const nodeAt = (x, y) => {
    const {begins, ends} = marks();
    let best = null, least = Infinity;
    for (const [node, begin] of begins) {
      const r = ends.has(node) && box(begin, ends.get(node));
      if (!r || x < r.left - 2 || x > r.right + 2 || y < r.top - 2 || y > r.bottom + 2) continue;
      const area = (r.right - r.left) * (r.bottom - r.top);
      if (area < least) { least = area; best = node; }
    }
    return best;
  };

  // --- the tree ---

  const card = node => {
    const plot = tree();
    const curveNumber = plot?.data?.findIndex(trace => trace.name === 'nodes') ?? -1;
    if (curveNumber < 0) return null;
    const {x, y, customdata, marker} = plot.data[curveNumber];
    const places = [...customdata.keys()].filter(at => customdata[at] === node);
    if (!places.length) return null;
    const {xaxis, yaxis} = plot._fullLayout, around = plot.getBoundingClientRect();
    const across = places.map(at => around.left + xaxis._offset + xaxis.l2p(x[at]));
    const down = around.top + yaxis._offset + yaxis.l2p(y[places[0]]), half = marker.size / 2;
    const r = {left: Math.max(Math.min(...across) - half, around.left),
               right: Math.min(Math.max(...across) + half, around.right),
               top: down - half, bottom: down + half};
    const point = {curveNumber, pointIndex: places[0], pointNumber: places[0], customdata: node,
                   x: x[places[0]], y: y[places[0]]};
    return {plot, point, r: r.left < r.right ? r : null};
  };

  // --- frames ---

  const frame = (name, r, pad) => {
    const drawn = document.getElementById(name) || document.createElement('div');
    if (!r) { drawn.remove(); return; }
    drawn.id = name;
    drawn.className = 'eic-lit';
    Object.assign(drawn.style, {
      left: `${r.left - pad}px`, top: `${r.top - pad}px`,
      width: `${r.right - r.left + 2 * pad}px`, height: `${r.bottom - r.top + 2 * pad}px`,
    });
    if (!drawn.parentNode) document.querySelector('.stApp').append(drawn);
  };
  const light = (node, where) => {
    const inTree = node !== null && where !== 'tree' && card(node);
    frame('eic-lit-formula', node === null ? null : inFormula(node), 2);
    frame('eic-lit-tree', inTree ? inTree.r : null, 2);
  };
  const dark = () => light(null);

  let waiting = 0;
  document.addEventListener('pointermove', event => {
    const plot = tree();
    if (plot?.on && !plot.eicLights) {
      plot.eicLights = true;
      plot.on('plotly_hover', ({points}) => light(points[0].customdata ?? null, 'tree'));
      plot.on('plotly_unhover', dark);
    }
    if (event.pointerType === 'touch') return;
    const over = event.target.closest?.('.st-key-coloured .katex');
    if (!over) {
      if (!event.target.closest?.('.st-key-tree')) dark();
      return;
    }
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => light(nodeAt(event.clientX, event.clientY), 'formula'));
  });
  document.addEventListener('click', event => {
    if (!event.target.closest?.('.st-key-coloured .katex') || !getSelection().isCollapsed) return;
    const node = nodeAt(event.clientX, event.clientY);
    const found = node === null ? null : card(node);
    if (found) found.plot.emit('plotly_selected', {points: [found.point]});
  });
  addEventListener('scroll', dark, {capture: true, passive: true});
})();
