// Data, numbers, and helpers of every view. Texts become text nodes: no data are ever parsed as markup.
// The script runs inside a function with the arguments root (the document, or the shadow root of a notebook output),
// DATA and embedded (whether it is a notebook output).

const byId = (id) => root.getElementById(id);
const app = byId("app");
const CAN_UNPACK = typeof DecompressionStream === "function";
const CANNOT = "This browser is too old to open the data of the page; the table is complete without it.";
const MINUS = "\u2212";
const DASH = "\u2013";
const [BETTER, WORSE] = ["\u2020", "\u2021"];
const MARKED = `${BETTER} significantly better, ${WORSE} significantly worse`;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [kind, act] of Object.entries(value)) element.addEventListener(kind, act);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return element;
}

function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function button(text, act, attributes = {}) {
  return make("button", { type: "button", ...attributes, on: { click: act } }, text);
}

// a box that scrolls if its content is wider, with the keyboard too
function scrolled(label, attributes, ...children) {
  return make("div", { tabindex: "0", role: "region", "aria-label": label, ...attributes, class: `scroll ${attributes.class ?? ""}` }, ...children);
}

const whole = new Set(); // ids of the tables that show all rows

// the first rows of a table, and a button that shows all of them: a page with thousands of cells is slow. Copies have all rows
function firstRows(id, label, [size, noun], most, build, redraw) {
  const all = size <= most || whole.has(id);
  const grid = build(all ? size : most);
  grid.whole = () => build(size);
  const showAll = async () => {
    whole.add(id);
    await redraw();
    byId(id).focus();
  };
  const parts = [scrolled(label, { id }, grid)];
  if (!all) parts.push(button(`Show all ${size.toLocaleString("en")} ${noun}`, showAll, { class: "plain more" }));
  return parts;
}

// options are [value, text]; data-name identifies the control
function choice(name, label, options, chosen, act) {
  const select = make("select", { on: { change: () => act(select.value) } });
  for (const [value, text] of options) select.append(make("option", { value }, text));
  select.value = String(chosen);
  return make("label", { class: "choice", "data-name": name }, make("span", {}, label), select);
}

function check(name, label, checked, act) {
  const box = make("input", { type: "checkbox", checked, on: { change: () => act(box.checked) } });
  return make("label", { class: "choice", "data-name": name }, box, make("span", {}, label));
}

function focusControl(name) {
  const control = [...root.querySelectorAll("label.choice")].find((one) => one.dataset.name === name);
  control?.querySelector("select, input")?.focus();
}

const ARRAYS = { f8: Float64Array, f4: Float32Array, u8: BigUint64Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
const unpacked = new Map();

// arrays and JSON are compressed; each is unpacked once
function unpack(text) {
  if (!unpacked.has(text)) unpacked.set(text, inflate(text));
  return unpacked.get(text);
}

async function inflate(text) {
  const letters = atob(text.slice(2));
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const content = new Uint8Array(await new Response(stream).arrayBuffer());
  const kind = text.slice(0, 2);
  if (kind === "js") return JSON.parse(new TextDecoder().decode(content));
  // all first bytes of the numbers come first, then all second bytes, ...
  const width = ARRAYS[kind].BYTES_PER_ELEMENT;
  const size = content.length / width;
  const sorted = new Uint8Array(content.length);
  for (let byte = 0; byte < width; byte += 1) {
    for (let at = 0; at < size; at += 1) sorted[at * width + byte] = content[byte * size + at];
  }
  return new ARRAYS[kind](sorted.buffer);
}

function fixed(number, digits) {
  if (number === null || Number.isNaN(number)) return DASH;
  if (!Number.isFinite(number)) return number > 0 ? "∞" : `${MINUS}∞`;
  return number.toFixed(digits).replace("-", MINUS);
}

function signed(number, digits) {
  if (Number.isNaN(number)) return DASH;
  const text = fixed(Math.abs(number), digits);
  if (number === 0) return text;
  return (number > 0 ? "+" : MINUS) + text;
}

function chance(p) {
  if (Number.isNaN(p)) return DASH;
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

function count(number, one, several) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : several}`;
}

function capitalized(text) {
  return text[0].toUpperCase() + text.slice(1);
}

// announced by screen readers
function announce(text) {
  byId("status").textContent = text;
}

const collator = new Intl.Collator("en", { numeric: true });
const byNumber = (x, y) => (x === y ? 0 : x < y ? -1 : 1);

// the place of a pair among all pairs of systems, and its sign: the page has every pair once
function pairPlace(size, a, b) {
  const low = Math.min(a, b);
  const high = Math.max(a, b);
  return [(low * (2 * size - low - 1)) / 2 + high - low - 1, a < b ? 1 : -1];
}

const PAIR_COLUMNS = ["difference", "p", "adjusted", "won", "lost", "n", "significant"];

// system a compared with system b by one measure, or null if the page does not have it
function pairOf(origin, pairs, a, b) {
  if (a === b) return null;
  const [at, sign] = pairPlace(origin.systems.length, a, b);
  const size = pairs.length / PAIR_COLUMNS.length;
  const pair = Object.fromEntries(PAIR_COLUMNS.map((name, column) => [name, pairs[column * size + at]]));
  if (Number.isNaN(pair.difference) && Number.isNaN(pair.won)) return null;
  return {
    ...pair,
    difference: sign * pair.difference || 0 * pair.difference,
    won: sign > 0 ? pair.won : pair.lost,
    lost: sign > 0 ? pair.lost : pair.won,
    mark: { 1: BETTER, "-1": WORSE }[pair.significant * sign] ?? "",
  };
}

// the values of one measure: a number for each query and system
async function valuesOf(origin, measure) {
  const values = await unpack(origin.values[measure]);
  const size = origin.systems.length;
  return (query, system) => values[query * size + system];
}
