// One row of the data: the exact value and what a program computes, digit under digit.
const PER_DIGIT = 25, INFINITE = 254, UNDEFINED = 255;

const create = (tag, css, text) => {
  const element = document.createElement(tag);
  if (css) element.className = css;
  if (text !== undefined) element.textContent = text;
  return element;
};

// --- the data ---

const unpackSteps = (packed, count) => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const width = count ? bytes.length / count : 0;
  const digits = (byte) =>
    byte === INFINITE ? Infinity : byte === UNDEFINED ? NaN : byte / PER_DIGIT;
  return (row) => Array.from(bytes.subarray(row * width, (row + 1) * width), digits);
};

const publishRows = ({ of, rows, steps, titles }) => {
  const inputs = rows.map((row) =>
    Object.fromEntries(Object.entries(row.inputs).map(([name, text]) => [name, Number(text)])));
  window.eicBench.set({
    rows: {
      of,
      count: rows.length,
      titles,
      positions: rows.map((row) => row.position),
      digits: unpackSteps(steps, rows.length),
      inputs: (row) => inputs[row],
    },
  });
};

// --- a number and its wrong digits ---

const FIGURE_SPACE = /\u2007/g; // which not every fixed-width font has
const align = (text) => text.replace(FIGURE_SPACE, " ");

const describeWrong = (wrong, of, lost) => {
  if (!wrong) return "less than a digit lost";
  const written = `${wrong === of ? "all" : `last ${wrong} of`} ${of} digits wrong`;
  return lost ? `${written}, ${lost.toFixed(1)} lost` : written;
};

// A title, the exact value and the computed one under it.
const createBlock = (css) => {
  const block = create("div", `eic-digits ${css}`);
  const title = create("p", "eic-digits-title");
  const lines = create("div", "eic-digits-lines");
  const [exact, computed] = ["exact", "double"].map((name) => {
    const label = create("span", "eic-digits-name", name);
    const value = create("span", "eic-digits-value");
    lines.append(label, value);
    return { label, value };
  });
  const note = create("p", "eic-digits-note");
  block.append(title, lines, note);
  lines.setAttribute("role", "img");
  const show = (exactText, [text, right, end, wrong, lost], format, of) => {
    const [above, below] = [exactText, text].map(align);
    exact.value.textContent = above;
    computed.value.replaceChildren(below.slice(0, right));
    if (right < end) computed.value.append(create("s", "", below.slice(right, end)));
    computed.value.append(below.slice(end));
    // digits that differ though none is lost: the format hardly holds them
    const first = wrong ? -1 : [...below].findIndex((c, k) => c !== above[k]);
    if (first > 0 && above.length === below.length) {
      const rest = create("span", "eic-beyond", below.slice(first, end));
      rest.title = `Less than a digit is lost: ${format} hardly holds these`;
      computed.value.replaceChildren(below.slice(0, first), rest, below.slice(end));
    }
    computed.label.textContent = format;
    lines.style.setProperty("--columns", Math.max(above.length, below.length));
    const words = describeWrong(wrong, of, lost);
    lines.setAttribute("aria-label",
      `exact ${above.trim()}, ${format} ${below.trim()}: ${words}`);
    block.classList.toggle("eic-fine", !wrong);
    const [before, after] = words.split(" digits "); // the word is left out where room is scarce
    note.replaceChildren(`${wrong ? "✕" : "✓"} ${before}`);
    if (after) note.append(create("span", "", " digits"), ` ${after}`);
  };
  const wait = (text) => {
    title.textContent = text;
    block.classList.add("eic-waiting");
  };
  return { block, title, show, wait };
};

// --- the row ---

const LONG = 30; // characters of a row's inputs that have room
const shortenInput = (inputs) => ([name, text]) =>
  `${name} = ${inputs.flat().join("").length > LONG ? Number(Number(text).toPrecision(6)) : text}`;

const FORMATS = { float64: "double", float32: "float32" };
const JUMPS = [
  ["typical", "typical", "Half of the rows lose no more digits"],
  ["nine_in_ten", "9 in 10", "Nine rows in ten lose no more digits"],
  ["worst", "worst", "The row that loses most"],
];
const HALF_THUMB = 8; // pixels; the ends of a slider's way lie half a thumb inside it

const createPanel = (root) => {
  const bench = window.eicBench;
  const panel = create("section", "eic-row");
  panel.setAttribute("aria-label", "The digits of one row");
  const written = createBlock("eic-written"), instead = createBlock("eic-instead");
  const values = create("div", "eic-row-values");
  values.append(written.block, instead.block);

  const track = create("div", "eic-row-track");
  const slider = create("input");
  slider.type = "range";
  slider.min = 0;
  slider.setAttribute("aria-label", "Rows, from the least to the greatest loss");
  slider.title = "Rows from the least to the greatest loss";
  const marks = JUMPS.map(() => create("i"));
  track.append(...marks, slider);

  const jumps = create("div", "eic-row-jumps");
  jumps.setAttribute("role", "group");
  jumps.setAttribute("aria-label", "Jump to a row");
  const buttons = JUMPS.map(([, name, title]) => {
    const button = create("button", "", name);
    button.title = title;
    return button;
  });
  const all = create("button", "eic-row-all", "all rows");
  all.title = "The tree's colours of all rows together";
  jumps.append(...buttons, all);

  const kinds = create("div", "eic-row-kinds");
  kinds.setAttribute("role", "group");
  kinds.setAttribute("aria-label", "Number format");
  const formats = Object.entries(FORMATS).map(([kind, name]) => {
    const button = create("button", "", name);
    button.addEventListener("click", () => state.choose(kind));
    kinds.append(button);
    return [kind, button];
  });
  for (const button of [...buttons, all, ...formats.map(([, b]) => b)]) button.type = "button";
  const controls = create("div", "eic-row-controls");
  controls.append(track, jumps, kinds);
  panel.append(values, controls);
  root.append(panel); // beside the style sheet that Streamlit lays there

  const state = { data: null, at: 0, choose: () => {} };

  const draw = () => {
    const { rows, kind, digits, better, searching } = state.data, row = rows[state.at];
    const format = FORMATS[kind] ?? kind;
    const inputs = Object.entries(row.inputs);
    written.title.replaceChildren(
      create("b", "", `Row ${(row.position + 1).toLocaleString("en")}`),
      inputs.length ? `: ${inputs.map(shortenInput(inputs)).join(", ")}` : "");
    written.title.title = inputs.map((pair) => pair.join(" = ")).join("\n");
    const computed = [row.computed, row.right, row.end, row.wrong, row.lost];
    written.show(row.exact, computed, format, digits);
    instead.block.classList.toggle("eic-waiting", !row.better);
    if (row.better) {
      instead.title.replaceChildren("instead: ", create("code", "", better));
      instead.title.title = better;
      const result = [
        row.better, row.better_right, row.better_end, row.better_wrong, row.better_lost];
      instead.show(row.exact, result, format, digits);
    } else {
      const without = rows.some((other) => other.wrong) ? state.data.without : "";
      instead.wait(searching ? "looking for a form that keeps more digits…" : without);
    }
    window.eicDigitRow = { of: state.data.of, position: row.position };
    slider.value = state.at;
    slider.setAttribute("aria-valuetext",
      `${written.title.textContent}. ${state.data.sentences[row.wrong]}`);
    buttons.forEach((button, k) =>
      button.setAttribute("aria-pressed", String(state.data[JUMPS[k][0]] === state.at)));
    panel.classList.toggle("eic-of-row", bench.by === "row");
    all.disabled = bench.by !== "row";
  };

  const move = (at) => {
    state.at = at;
    bench.set({ row: at, by: "row" });
    draw();
  };
  slider.addEventListener("input", () => move(Number(slider.value)));
  buttons.forEach((button, k) =>
    button.addEventListener("click", () => move(state.data[JUMPS[k][0]])));
  all.addEventListener("click", () => {
    slider.focus();
    bench.set({ by: "eic" });
  });

  const stop = bench.listen((keys) => {
    if (!state.data?.rows.length || !keys.some((key) => key === "row" || key === "by")) return;
    if (bench.row !== null && bench.row < state.data.rows.length) state.at = bench.row;
    draw();
  });

  const show = (data, choose) => {
    state.data = data;
    state.choose = choose;
    panel.hidden = !data.rows.length;
    if (!data.rows.length) return;
    // The same rows drawn anew, as with a form to write instead, stay where they are.
    const before = window.eicDigitRow;
    const at = before?.of === data.of
      ? data.rows.findIndex((row) => row.position === before.position) : -1;
    state.at = at < 0 ? data.worst : at;
    publishRows(data);
    bench.set({ row: state.at, by: at < 0 && bench.by === "row" ? "eic" : bench.by });
    const last = data.rows.length - 1;
    slider.max = last;
    slider.disabled = !last;
    marks.forEach((mark, k) => {
      const share = last ? data[JUMPS[k][0]] / last : 1;
      mark.style.left = `calc(${HALF_THUMB}px + (100% - ${2 * HALF_THUMB}px) * ${share})`;
    });
    for (const [kind, button] of formats)
      button.setAttribute("aria-pressed", String(kind === data.kind));
    draw();
  };
  const end = () => {
    stop();
    panel.remove();
  };
  return { show, end, panel };
};

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement;
  if (!root.eicDigitRow?.panel.isConnected) {
    root.eicDigitRow?.end();
    root.eicDigitRow = createPanel(root);
  }
  root.eicDigitRow.show(data, (kind) => setStateValue("kind", kind));
  // Where one element takes another's place, the new one may be drawn before the old one ends.
  const drawing = (root.eicDrawing = {});
  return () => {
    if (root.eicDrawing !== drawing) return;
    root.eicDigitRow?.end();
    delete root.eicDigitRow;
  };
}
