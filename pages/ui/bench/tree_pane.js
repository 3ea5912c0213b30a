// The formula, its tree or table, and the selected node. What users type reaches the page as text
// nodes and attributes only; the two drawings are the server's, which escapes them.

const SVG = "http://www.w3.org/2000/svg";
const CALM = 0.3; // digits by which a part must differ from the box around it to get its own
const MOST_BOXES = 30;
const LEAST_SCALE = 0.7; // of a long formula, before it scrolls
const SLOWEST = 30000; // milliseconds that an answer of the server may take
const KEYS = [
  ["↑ ↓", "the node above, below in the tree"],
  ["← →", "fold, or to the operation; unfold, or to the first operand"],
  ["Home End", "the first, the last node in view"],
  ["Enter", "fold or unfold"],
  ["U D", "up to the operation, down to the first operand"],
  ["K J", "the node computed before, after"],
  ["W O", "the worst step, and where its digits come from"],
  ["+ − 0", "zoom the tree, show all of it"],
  ["?", "this list; Escape closes it"],
];

function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...content);
  return made;
}

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// A drawing of the server's; no script in such a document runs.
function drawing(text) {
  return document.importNode(new DOMParser().parseFromString(text, "text/html").body.firstElementChild, true);
}

const float = (value) =>
  value === "inf" ? Infinity : typeof value === "number" ? value : NaN;
const decimals = (value, places = 2) =>
  Number.isNaN(value) ? "—" : !Number.isFinite(value) ? "∞" : value < 0.005 ? "0" : value.toFixed(places);
const percent = (share) =>
  share > 0 && share < 0.01 ? "< 1 %" : `${Math.round(100 * share)} %`;
const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
const typing = (target) =>
  target?.closest?.("input, textarea, select, [contenteditable=true], [role=textbox], [role=combobox], [role=slider]");

class Pane {
  constructor(root) {
    this.root = root;
    this.data = null;
    this.shut = new Set(); // nodes folded by hand
    this.table = false;
    this.sort = ["digits", -1];
    this.serverNode = null;
    this.sent = null;
    this.timer = 0;
    this.build();
    this.ended = bench.listen((keys) => this.follow(keys));
    this.onKey = (event) => this.pageKey(event);
    document.addEventListener("keydown", this.onKey);
    this.onBack = () => { this.sent = null; }; // what the history brings is no answer to a selection
    window.addEventListener("popstate", this.onBack);
    this.watch = new ResizeObserver(() => { this.scaleFormula(); if (this.svg && this.fitted) this.fit(); });
    for (const part of [this.root, this.canvas]) this.watch.observe(part);
  }

  close() {
    this.ended();
    this.watch.disconnect();
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.onKey);
    window.removeEventListener("popstate", this.onBack);
    this.tip.remove();
  }

  // --- the parts of the pane ---

  build() {
    const button = (label, text, act, more = {}) =>
      element("button", {type: "button", "aria-label": label, title: label, onclick: act, ...more}, text);
    this.formula = element("div", {class: "eic-pane-formula", tabindex: "0", role: "group"});
    this.asTree = button("Show the tree", "Tree", () => this.switchTo(false), {"aria-pressed": "true"});
    this.asTable = button("Show every node in a table", "Table", () => this.switchTo(true), {"aria-pressed": "false"});
    this.places = element("span", {class: "eic-pane-places"});
    this.by = element("select", {"aria-label": "What the colours mean", onchange: () => bench.set({by: this.by.value})},
      element("option", {value: "eic"}, "colour: all rows"),
      element("option", {value: "created"}, "colour: created here"),
      element("option", {value: "row"}, "colour: this row"));
    this.tools = element("div", {class: "eic-pane-tools", role: "toolbar", "aria-label": "Formula, tree and table"},
      element("span", {class: "eic-pane-switch"}, this.asTree, this.asTable), this.places, this.by,
      button("Keys", "?", () => this.help(), {class: "eic-pane-ask"}));
    this.canvas = element("div", {class: "eic-pane-canvas"});
    this.unfoldAll = button("Unfold all", "⊞", () => this.unfoldEvery());
    this.foldAll = button("Fold again", "⊟", () => { this.shut.clear(); this.trigger("unfold", []); });
    this.zooms = element("div", {class: "eic-pane-zoom"}, this.unfoldAll, this.foldAll,
      button("Zoom in", "+", () => this.zoom(1.3)), button("Zoom out", "−", () => this.zoom(1 / 1.3)),
      button("Show the whole tree", "⤢", () => this.fit()));
    this.legend = element("div", {class: "eic-pane-legend"});
    this.tree = element("div", {class: "eic-pane-tree"}, this.canvas,
      element("div", {class: "eic-pane-foot"}, this.legend, this.zooms));
    this.list = element("div", {class: "eic-pane-table", hidden: true, tabindex: "0", role: "group", "aria-label": "Every node"});
    this.strip = element("div", {class: "eic-pane-strip", role: "group", "aria-label": "Selected node"});
    this.live = element("p", {class: "eic-pane-live", "aria-live": "polite"});
    this.keys = element("dialog", {class: "eic-pane-keys", "aria-label": "Keys"},
      element("table", {}, element("tbody", {}, ...KEYS.map(([keys, what]) => element("tr", {},
        element("th", {scope: "row"}, ...keys.split(" ").flatMap((key) => [element("kbd", {}, key), " "])),
        element("td", {}, what))))),
      element("button", {type: "button", onclick: () => this.keys.close()}, "Close"));
    this.tip = element("div", {class: "eic-pane-tip", role: "tooltip", id: "eic-pane-tip", hidden: true});
    this.root.replaceChildren(this.formula, this.tools, this.tree, this.list, this.strip, this.live, this.keys);
    document.body.append(this.tip);
    for (const [name, act] of [["pointerover", this.explain], ["pointerout", this.hush],
      ["focusin", this.explain], ["focusout", this.hush]])
      this.root.addEventListener(name, (event) => act.call(this, event));
    this.formula.addEventListener("pointermove", (event) => this.hover(this.partAt(event)));
    this.formula.addEventListener("pointerleave", () => this.hover(null));
    this.formula.addEventListener("click", (event) => {
      const part = this.partAt(event);
      if (part !== null && getSelection().isCollapsed) this.select(part);
    });
    this.listenToTree();
    this.list.addEventListener("keydown", (event) => this.tableKey(event));
  }

  update(data, trigger) {
    this.trigger = trigger;
    const before = this.data;
    const fresh = before?.name !== data.name;
    const drawn = fresh || before.tree !== data.tree;
    this.data = data;
    for (const name of ["ink", "paper", "accent"]) this.root.style.setProperty(`--eic-${name}`, data.colours[name]);
    if (fresh) {
      this.hover(null); // it was a node of the formula before
      this.shut.clear();
      this.sent = null;
      clearTimeout(this.timer);
      this.nodes = data.nodes.map((node) => ({...node, digits: float(node.digits),
        finite: float(node.finite), s: float(node.s), created: float(node.created)}));
      this.drawPlaces();
      this.list.replaceChildren();
    }
    if (fresh || before.formula.svg !== data.formula.svg) this.drawFormula();
    if (drawn) this.drawTree(fresh);
    this.unfoldAll.hidden = this.groups.size === this.nodes.length || this.nodes.length > data.listed;
    this.foldAll.hidden = !data.unfolded && !this.shut.size;
    // An answer to an earlier selection must not undo a later one.
    const old = this.sent !== null && data.node !== this.sent && performance.now() - this.sentAt < SLOWEST;
    this.serverNode = data.node;
    if (data.node === this.sent) this.sent = null;
    if (!old && !this.timer && bench.node !== data.node) bench.set({node: data.node});
    else if (drawn) this.light();
    this.paint();
    if (fresh) this.describe();
    this.legend.replaceChildren(...data.legend.map(([words, ramp]) => element("span", {},
      element("i", {style: `background:${ramp.length === 2
        ? `repeating-linear-gradient(135deg,${ramp[0]} 0 2px,${ramp[1]} 2px 3px)` // infinite: hatched
        : `linear-gradient(90deg,${ramp.join()})`}`, "data-steps": ramp.length}), words)));
  }

  drawPlaces() {
    this.places.replaceChildren(...this.data.places.map((place) => element("button",
      {type: "button", "data-why": place.why, "aria-keyshortcuts": place.key, "data-goal": place.node,
        onclick: () => this.select(place.node)}, place.name, " ", element("kbd", {}, place.key))));
  }

  // --- selection and hover ---

  select(node, wait = 0) {
    if (node === null || node === undefined || !this.nodes[node]) return;
    this.wait = wait;
    bench.set({node});
    this.wait = 0;
  }

  hover(node) {
    if (bench.hover !== node) bench.set({hover: node});
  }

  follow(keys) {
    if (!this.data) return;
    if (keys.includes("by") || (bench.by === "row" && (keys.includes("row") || keys.includes("rows")))) this.paint();
    if (keys.includes("row") || keys.includes("rows") || keys.includes("by")) this.describe();
    if (keys.includes("node")) {
      this.light();
      this.describe();
      this.notify();
    } else if (keys.includes("hover")) this.light();
  }

  // The server draws the plots of the node, once no other follows at once.
  notify() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (bench.node === this.serverNode && this.sent === null) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.sent = bench.node;
      this.sentAt = performance.now();
      this.trigger("select", bench.node);
    }, this.wait || 0);
  }

  // --- colours ---

  value(k) {
    if (bench.by === "created") return this.nodes[k].created;
    if (bench.by === "row") return this.rowDigits ? float(this.rowDigits[k]) : NaN;
    return this.nodes[k].digits;
  }

  // What stands for others has the colour of the worst of them.
  worst(k, shown) {
    let value = this.value(k);
    for (const child of this.nodes[k].children)
      if (!shown(child)) {
        const inside = this.worst(child, shown);
        if (!(inside <= value)) value = Number.isNaN(inside) ? value : inside;
      }
    return value;
  }

  colour(digits) {
    const {ramp, inks, high, paper, ink} = this.data.colours;
    if (!Number.isFinite(digits)) return {fill: paper, ink};
    const at = Math.round(Math.min(Math.max(digits / high, 0), 1) * (ramp.length - 1));
    return {fill: ramp[at], ink: inks[at]};
  }

  paint() {
    if (!this.nodes) return;
    // Where no panel shows digits, the rows are still those of the formula before.
    const can = bench.rows?.of === this.data.name && bench.row !== null;
    if (!can && bench.by === "row") return bench.set({by: "eic"});
    this.rowDigits = can ? bench.rows.digits(bench.row) : null;
    this.by.querySelector("[value=row]").disabled = !can;
    this.by.value = bench.by;
    for (const [k, group] of this.groups) this.paintCard(k, group);
    this.paintFormula();
  }

  paintCard(k, group) {
    const own = bench.by === "eic";
    const digits = own ? NaN : this.worst(k, (child) => this.inView(child));
    const {fill, ink} = this.colour(digits);
    for (const part of group.querySelectorAll(".fill, .hatch, .title, .value")) {
      part.drawn ??= {fill: part.getAttribute("fill"), text: part.textContent};
      if (part.classList.contains("hatch")) part.style.visibility = own ? "" : digits === Infinity ? "visible" : "hidden";
      else part.setAttribute("fill", own ? part.drawn.fill : part.classList.contains("fill") ? fill : ink);
      if (part.classList.contains("value") && part.drawn.text)
        part.textContent = own ? part.drawn.text : Number.isNaN(digits) ? "—" : decimals(digits, bench.by === "row" ? 1 : 2);
    }
  }

  // --- the formula ---

  drawFormula() {
    const {svg, mathml} = this.data.formula;
    this.formula.setAttribute("aria-label", "Formula");
    const parsed = drawing(svg);
    const [x, y, width, height] = parsed.getAttribute("viewBox").split(/[\s,]+/).map(Number);
    this.paper = {x, y, width, height};
    this.picture = shape("svg", {viewBox: `${x - 3} ${y - 3} ${width + 6} ${height + 6}`, "aria-hidden": "true"});
    this.under = shape("g", {});
    this.mask = shape("mask", {id: "eic-other-ink", maskUnits: "userSpaceOnUse", x: x - 3, y: y - 3, width: width + 6, height: height + 6});
    const glyphs = shape("g", {id: "eic-glyphs", fill: "currentColor"});
    glyphs.append(...parsed.childNodes);
    const first = shape("g", {});
    first.append(glyphs);
    // Glyphs on boxes that need the other ink are drawn once more, seen through the boxes alone.
    this.other = shape("g", {mask: "url(#eic-other-ink)"});
    this.other.append(shape("use", {href: "#eic-glyphs"}));
    this.over = shape("g", {fill: "none"});
    this.picture.append(this.mask, this.under, first, this.other, this.over);
    this.formula.replaceChildren(this.picture, element("span", {class: "eic-pane-live"}, drawing(mathml)));
    this.first = first;
    this.scaleFormula();
  }

  scaleFormula() {
    if (!this.paper) return;
    const {width, height} = this.paper;
    const room = this.formula.clientWidth - 16;
    const scale = Math.min(1.15, Math.max(LEAST_SCALE, Math.min(room / (width + 6), 96 / (height + 6))));
    this.picture.setAttribute("width", (width + 6) * scale);
    this.picture.setAttribute("height", (height + 6) * scale);
  }

  // Boxes only where the value differs visibly from that of the box around.
  boxed() {
    const around = new Map([[null, 0]]), boxes = [], drawn = this.data.formula.boxes;
    for (let k = this.nodes.length - 1; k >= 0; k--) {
      const outside = around.get(this.nodes[k].parent);
      around.set(k, outside);
      const places = drawn[k];
      if (!places) continue;
      const value = this.worst(k, (child) => child in drawn);
      if (Number.isNaN(value) || (bench.by === "eic" && !this.nodes[k].children.length)) continue;
      if (!(value === Infinity ? outside !== Infinity : !(Math.abs(value - outside) < CALM))) continue;
      around.set(k, value);
      boxes.push([k, value, places]);
    }
    if (boxes.length <= MOST_BOXES) return boxes;
    const least = boxes.map(([, value]) => value).sort((a, b) => b - a)[MOST_BOXES - 1];
    return boxes.filter(([, value]) => value >= least).slice(0, 2 * MOST_BOXES);
  }

  paintFormula() {
    const {ink} = this.data.colours;
    const light = (hex) => parseInt(hex.slice(1, 3), 16) > 127;
    const other = light(ink) ? "#000000" : "#ffffff";
    this.first.style.color = ink;
    this.other.style.color = other;
    const under = [], mask = [];
    for (const [, value, places] of this.boxed())
      for (const [x, y, width, height] of places) {
        const place = {x: x - 1, y: y - 1, width: width + 2, height: height + 2, rx: 2};
        const colour = this.colour(value);
        under.push(shape("rect", {...place, fill: colour.fill,
          ...(value === Infinity ? {stroke: ink, "stroke-dasharray": "4 2"} : {})}));
        mask.push(shape("rect", {...place, fill: light(colour.ink) === light(other) ? "white" : "black"}));
      }
    this.under.replaceChildren(...under);
    this.mask.replaceChildren(...mask);
  }

  partAt(event) {
    const matrix = this.picture?.getScreenCTM()?.inverse();
    if (!matrix) return null;
    const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    let part = null, least = Infinity;
    for (const [k, places] of Object.entries(this.data.formula.boxes))
      for (const [left, top, width, height] of places) {
        if (x < left - 1 || x > left + width + 1 || y < top - 1 || y > top + height + 1) continue;
        if (width * height < least) { least = width * height; part = Number(k); }
      }
    return part;
  }

  lightFormula() {
    const {accent} = this.data.colours;
    const frames = [];
    const drawn = this.data.formula.boxes;
    const part = (k) => { // the node, or what stands for it
      while (this.nodes[k] && !(k in drawn)) k = this.nodes[k].parent;
      return drawn[k] ?? [];
    };
    for (const [node, name] of [[bench.node, "eic-selected"], [bench.hover, "eic-hover"]])
      for (const [x, y, width, height] of part(node))
        frames.push(shape("rect", {class: name, x: x - 1.5, y: y - 1.5, width: width + 3, height: height + 3, rx: 3,
          stroke: accent, "stroke-width": name === "eic-hover" ? 1.2 : 2}));
    this.over.replaceChildren(...frames);
  }

  scrollFormula() {
    const frame = this.over.querySelector(".eic-selected");
    if (!frame) return;
    const box = frame.getBoundingClientRect(), view = this.formula.getBoundingClientRect();
    const shift = (low, high, from, to) => (high - low > to - from || low < from ? low - from - 8 : high > to ? high - to + 8 : 0);
    this.formula.scrollLeft += shift(box.left, box.right, view.left, view.right);
    this.formula.scrollTop += shift(box.top, box.bottom, view.top, view.bottom);
  }

  // --- the tree ---

  drawTree(fresh) {
    const svg = drawing(this.data.tree);
    this.whole = svg.getAttribute("viewBox").split(/[\s,]+/).map(Number);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.querySelector(".paper")?.remove();
    svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
    const focused = this.canvas.contains(document.activeElement);
    this.svg = svg;
    this.groups = new Map();
    for (const group of svg.querySelectorAll("g[data-node]")) this.groups.set(Number(group.dataset.node), group);
    this.canvas.replaceChildren(svg);
    this.label();
    if (fresh || !this.view || this.fitted) this.fit();
    else this.show();
    if (focused) this.focusCard();
  }

  shutAbove(k) {
    for (let up = this.nodes[k].parent; up !== null; up = this.nodes[up].parent) if (this.shut.has(up)) return true;
    return false;
  }
  isHidden(k) { return this.shut.size > 0 && this.shutAbove(k); }
  inView(k) { return this.groups.has(k) && !this.isHidden(k); }
  below(k) { // the cards below a card
    if (this.shut.has(k)) return [];
    return this.nodes[k].children.flatMap((child) => (this.groups.has(child) ? [child] : this.below(child)));
  }
  card(k) { // the card that shows a node, or stands for it
    while (k !== null && !this.inView(k)) k = this.nodes[k].parent;
    return k;
  }
  above(k) { return this.nodes[k].parent === null ? null : this.card(this.nodes[k].parent); }
  order() {
    const order = [];
    const visit = (k) => { order.push(k); this.below(k).forEach(visit); };
    visit(this.card(this.nodes.length - 1));
    return order;
  }
  // Whether the server hides something directly below a card.
  folded(k) { return this.nodes[k].children.some((child) => !this.groups.has(child)); }

  label() {
    for (const [k, group] of this.groups) {
      group.style.display = this.isHidden(k) ? "none" : "";
      group.classList.toggle("eic-shut", this.shut.has(k));
      if (this.nodes[k].children.length) group.setAttribute("aria-expanded", String(this.below(k).length > 0));
    }
    for (const edge of this.svg.querySelectorAll("[data-edge]"))
      edge.style.display = this.isHidden(Number(edge.dataset.edge)) ? "none" : "";
  }

  lightTree() {
    const card = this.card(bench.node ?? this.data.node);
    const hovered = this.nodes[bench.hover] ? this.card(bench.hover) : null;
    for (const [k, group] of this.groups) {
      const selected = k === card;
      group.classList.toggle("selected", selected);
      group.classList.toggle("near", selected && k !== bench.node);
      group.classList.toggle("hover", k === hovered && !selected);
      if (group.getAttribute("aria-selected") !== String(selected)) group.setAttribute("aria-selected", String(selected));
      if (group.getAttribute("tabindex") !== (selected ? "0" : "-1")) group.setAttribute("tabindex", selected ? "0" : "-1");
    }
  }

  light() {
    this.lightTree();
    this.lightFormula();
    this.lightTable();
    if (this.lit !== bench.node) {
      this.lit = bench.node;
      requestAnimationFrame(() => { this.scrollFormula(); this.reveal(); }); // reads the layout
      for (const button of this.places.children) button.setAttribute("aria-pressed", String(Number(button.dataset.goal) === bench.node));
    }
  }

  toggle(k) {
    if (!this.nodes[k].children.length) return;
    if (this.shut.has(k)) this.shut.delete(k);
    else if (this.folded(k)) { this.trigger("unfold", k); return; }
    else this.shut.add(k);
    this.foldAll.hidden = !this.data.unfolded && !this.shut.size;
    this.label();
    this.light();
    this.paint();
  }

  unfoldEvery() {
    this.shut.clear();
    this.trigger("unfold", this.nodes.flatMap((node, k) => (node.children.length ? [k] : [])));
  }

  focusCard() {
    const card = this.card(bench.node);
    if (card !== null) this.groups.get(card).focus({preventScroll: true});
  }

  listenToTree() {
    const canvas = this.canvas;
    const at = (event) => {
      const group = event.target.closest?.("g[data-node]");
      return group ? Number(group.dataset.node) : null;
    };
    const pointers = new Map();
    let moved = false, gap = 0;
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) {
        if (event.pointerType !== "touch") this.hover(at(event));
        return;
      }
      const step = [event.clientX - before[0], event.clientY - before[1]];
      if (!moved && Math.hypot(...step) < 4) return;
      if (!moved) canvas.setPointerCapture(event.pointerId);
      moved = true;
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()];
        const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (gap) this.zoom(now / gap, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);
        gap = now;
      } else this.pan(...step);
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      moved = false;
      gap = 0;
    });
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (event) => { pointers.delete(event.pointerId); gap = 0; });
    canvas.addEventListener("pointerleave", (event) => { if (event.buttons === 0) pointers.clear(); this.hover(null); });
    canvas.addEventListener("click", (event) => {
      const k = at(event);
      if (moved || k === null) return;
      this.select(k);
      requestAnimationFrame(() => this.focusCard()); // lays the page out
    });
    canvas.addEventListener("dblclick", (event) => {
      const k = at(event);
      if (k === null) this.fit();
      else this.toggle(k);
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 300), [event.clientX, event.clientY]);
    }, {passive: false});
    canvas.addEventListener("keydown", (event) => this.treeKey(event));
  }

  treeKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const k = this.card(bench.node), order = this.order(), place = order.indexOf(k);
    const steps = {
      ArrowDown: () => order[place + 1], ArrowUp: () => order[place - 1], Home: () => order[0], End: () => order.at(-1),
      ArrowLeft: () => this.above(k),
      ArrowRight: () => this.below(k)[0],
    };
    if (event.key === "Enter" || event.key === " ") this.toggle(k);
    else if (event.key === "ArrowLeft" && this.below(k).length && !this.shut.has(k)) this.toggle(k);
    else if (event.key === "ArrowRight" && this.nodes[k].children.length && !this.below(k).length) this.toggle(k);
    else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.fit();
    else if (steps[event.key]) this.select(steps[event.key](), 120);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.focusCard();
  }

  pageKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
    if (!this.data || this.keys.open || !this.root.isConnected) return;
    const k = bench.node ?? this.data.node;
    const goals = {
      u: () => this.nodes[k].parent, d: () => this.nodes[k].children[0], k: () => k - 1, j: () => k + 1,
      b: () => this.data.places[0].node, o: () => this.data.places[1]?.node,
    };
    if (event.key === "?") this.help();
    else if (goals[event.key.toLowerCase()] && !event.shiftKey) {
      const focused = this.canvas.contains(document.activeElement);
      this.select(goals[event.key.toLowerCase()](), 60);
      if (focused) this.focusCard();
    } else return;
    event.preventDefault();
  }

  help() {
    if (!this.keys.open) this.keys.showModal();
  }

  // --- pan and zoom ---

  fit() {
    const [x, y, width, height] = this.whole;
    const room = this.canvas.getBoundingClientRect();
    const least = 1 / 1.25; // a small tree is not blown up
    const tight = Math.max(width / room.width, height / room.height);
    const near = tight > 0 && tight < least ? least / tight : 1;
    this.view = [x - (width * near - width) / 2, y - (height * near - height) / 2, width * near, height * near];
    this.fitted = true;
    this.show();
  }

  show() {
    if (!this.svg || !this.view) return;
    this.svg.setAttribute("viewBox", this.view.map((v) => v.toFixed(2)).join(" "));
    this.canvas.classList.toggle("eic-zoomed", !this.fitted);
  }

  unit() { // user units per pixel
    const matrix = this.svg.getScreenCTM();
    return matrix ? 1 / matrix.a : 1;
  }

  pan(dx, dy) {
    const unit = this.unit();
    this.view[0] -= dx * unit;
    this.view[1] -= dy * unit;
    this.fitted = false;
    this.show();
  }

  zoom(factor, at = null) {
    const room = this.canvas.getBoundingClientRect();
    const now = this.whole[2] / this.view[2];
    factor = Math.min(Math.max(factor, 0.4 / now), 8 / now);
    const [px, py] = at ?? [room.left + room.width / 2, room.top + room.height / 2];
    const {x, y} = new DOMPoint(px, py).matrixTransform(this.svg.getScreenCTM().inverse());
    const [left, top, width, height] = this.view;
    this.view = [x - (x - left) / factor, y - (y - top) / factor, width / factor, height / factor];
    this.fitted = false;
    this.show();
  }

  // The selected card comes into view where the tree is zoomed.
  reveal() {
    const card = this.card(bench.node);
    if (card === null || this.fitted) return;
    const box = this.groups.get(card).getBoundingClientRect(), view = this.canvas.getBoundingClientRect();
    const shift = (low, high, from, to) => (low < from ? from - low + 12 : high > to ? to - high - 12 : 0);
    const [dx, dy] = [shift(box.left, box.right, view.left, view.right), shift(box.top, box.bottom, view.top, view.bottom)];
    if (dx || dy) this.pan(dx, dy);
  }

  // --- the table ---

  switchTo(table) {
    this.table = table;
    this.asTree.setAttribute("aria-pressed", String(!table));
    this.asTable.setAttribute("aria-pressed", String(table));
    this.tree.hidden = table;
    this.list.hidden = !table;
    this.light();
  }

  drawTable() {
    const {columns, listed} = this.data;
    const [by, sign] = this.sort;
    const key = (k) => (by === "id" ? k : by === "text" ? this.nodes[k].text : float(this.nodes[k][by]));
    const ids = [...this.nodes.keys()].sort((a, b) => {
      const [one, other] = [key(a), key(b)];
      if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other) || a - b;
      return (one < other ? -sign : one > other ? sign : 0) || a - b;
    });
    const header = columns.map(([name, label, why]) => element("th", {scope: "col",
      "aria-sort": name === by ? (sign < 0 ? "descending" : "ascending") : null},
      element("button", {type: "button", "data-why": why || null, onclick: () => {
        this.sort = [name, name === by ? -sign : name === "id" || name === "text" ? 1 : -1];
        this.drawTable();
        this.lightTable();
        this.list.querySelectorAll("th button")[columns.findIndex(([other]) => other === name)].focus();
      }}, label, name === by ? (sign < 0 ? " ▾" : " ▴") : "")));
    const cell = (k, name) => {
      const node = this.nodes[k];
      if (name === "text") return element("th", {scope: "row"}, element("code", {}, short(node.text, 200)));
      if (name === "digits") {
        const {fill, ink} = this.colour(node.digits);
        return element("td", {}, element("span", {class: "eic-pane-digit", style: `background:${fill};color:${ink}`}, decimals(node.digits)));
      }
      const text = name === "id" ? String(k) : name === "s" ? node.s_text : name === "finite" ? decimals(node.finite)
        : node[name] < 0 ? "—" : node[name].toLocaleString("en");
      return element("td", {}, text);
    };
    const rows = ids.slice(0, listed).map((k) => element("tr", {"data-row": k, tabindex: "-1"}, ...columns.map(([name]) => cell(k, name))));
    const body = element("tbody", {
      onclick: (event) => { const row = event.target.closest("tr"); if (row) this.select(Number(row.dataset.row)); },
      onpointermove: (event) => this.hover(Number(event.target.closest("tr").dataset.row)),
      onpointerleave: () => this.hover(null),
    }, ...rows);
    const parts = [element("table", {}, element("thead", {}, element("tr", {}, ...header)), body)];
    if (ids.length > listed)
      parts.push(element("p", {}, `The first ${listed} of ${ids.length.toLocaleString("en")} nodes, in this order; the JSON has all.`));
    this.list.replaceChildren(...parts);
  }

  lightTable() {
    if (!this.table) return;
    if (!this.list.firstChild) this.drawTable();
    for (const row of this.list.querySelectorAll("tr.eic-selected, tr.eic-hover, tr[tabindex='0']")) {
      row.classList.remove("eic-selected", "eic-hover");
      row.removeAttribute("aria-current");
      row.setAttribute("tabindex", "-1");
    }
    const row = this.list.querySelector(`tr[data-row="${bench.node}"]`);
    if (row) {
      row.classList.add("eic-selected");
      row.setAttribute("aria-current", "true");
      row.setAttribute("tabindex", "0");
      const head = this.list.querySelector("thead").offsetHeight;
      if (row.offsetTop < this.list.scrollTop + head) this.list.scrollTop = row.offsetTop - head;
      else if (row.offsetTop + row.offsetHeight > this.list.scrollTop + this.list.clientHeight)
        this.list.scrollTop = row.offsetTop + row.offsetHeight - this.list.clientHeight;
    }
    this.list.querySelector(`tr[data-row="${bench.hover}"]`)?.classList.add("eic-hover");
  }

  tableKey(event) {
    const row = event.target.closest("tr[data-row]");
    if (!row) return;
    const rows = [...row.parentNode.children], place = rows.indexOf(row);
    const goal = {ArrowDown: rows[place + 1], ArrowUp: rows[place - 1], Home: rows[0], End: rows.at(-1), Enter: row}[event.key];
    if (!goal) return;
    event.preventDefault();
    this.select(Number(goal.dataset.row), event.key === "Enter" ? 0 : 120);
    goal.focus({preventScroll: true});
  }

  // --- the selected node in words ---

  describe() {
    const k = bench.node ?? this.data.node, node = this.nodes[k];
    if (!node) return;
    const fact = (name, value, why) => element("span", {class: "eic-pane-fact", tabindex: "0", "data-why": why ?? null},
      name, " ", element("b", {}, value));
    const words = this.data.words;
    const facts = [fact("local EIC", decimals(node.digits), words.digits), fact("s̄", node.s_text, words.s)];
    if (bench.by === "created") facts.push(fact("created here", decimals(node.created), "Digits of the worst step's that arise at this node."));
    if (bench.by === "row" && this.rowDigits) facts.push(fact("this row", decimals(float(this.rowDigits[k]), 1), "log10 of s at this row."));
    if (node.evaluated >= 0 && node.evaluated < this.data.valid) facts.push(fact("evaluated at", node.evaluated.toLocaleString("en"), words.evaluated));
    if (node.singular) facts.push(fact("finite", decimals(node.finite), words.finite), fact("singular at", node.singular.toLocaleString("en"), words.singular));
    if (node.invalid) facts.push(fact("no real value at", node.invalid.toLocaleString("en"), words.invalid));
    if (node.unchecked) facts.push(fact("not checked at", node.unchecked.toLocaleString("en"), words.unchecked));
    const tag = k === this.data.worst_step ? [element("span", {class: "eic-tag"}, "worst step")] : [];
    this.strip.replaceChildren(
      element("div", {class: "eic-pane-line"}, element("code", {title: node.text}, short(node.text, 160)), ...tag, ...facts),
      this.sources(node));
    this.live.textContent = `Node ${k}: ${short(node.text, 100)}, local EIC ${decimals(node.digits)}`;
  }

  sources(node) {
    const line = (...content) => element("div", {class: "eic-pane-sources"}, ...content);
    if (!node.children.length) return line("A leaf: it carries its own rounding only.");
    if (!node.shares.length) return line("Where its noise comes from is undefined here.");
    const own = Math.max(0, 1 - node.shares.reduce((sum, share) => sum + share, 0));
    const parts = node.children.map((child, place) => [child, node.shares[place]]);
    return line("noise: ", ...[...parts, [null, own]].map(([child, share]) => {
      const {fill} = this.colour(child === null ? 0 : this.nodes[child].digits);
      const text = child === null ? "own rounding" : short(this.nodes[child].text, 24);
      const inside = [element("i", {style: `width:${(36 * share).toFixed(1)}px;background:${fill}`}),
        child === null ? text : element("code", {}, text), ` ${percent(share)}`];
      return child === null ? element("span", {class: "eic-pane-share"}, ...inside)
        : element("button", {type: "button", class: "eic-pane-share", "aria-label": `${percent(share)} of its noise from ${text}`,
          onclick: () => this.select(child), onpointerenter: () => this.hover(child), onpointerleave: () => this.hover(null)}, ...inside);
    }));
  }

  // --- explanations ---

  explain(event) {
    const place = event.target.closest?.("[data-why]");
    if (!place) return;
    this.tip.textContent = place.dataset.why.replaceAll("**", "");
    place.setAttribute("aria-describedby", this.tip.id);
    this.tip.hidden = false;
    const box = place.getBoundingClientRect(), tip = this.tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left), innerWidth - tip.width - 8);
    const top = box.bottom + tip.height + 8 < innerHeight ? box.bottom + 6 : box.top - tip.height - 6;
    Object.assign(this.tip.style, {left: `${left}px`, top: `${top}px`});
  }

  hush(event) {
    event.target.closest?.("[data-why]")?.removeAttribute("aria-describedby");
    this.tip.hidden = true;
  }
}

const panes = new WeakMap();

export default function (component) {
  const {data, parentElement, setTriggerValue} = component;
  const root = parentElement.querySelector(".eic-pane");
  if (!panes.has(root)) panes.set(root, new Pane(root));
  panes.get(root).update(data, setTriggerValue);
  return () => {
    panes.get(root)?.close();
    panes.delete(root);
  };
}
