// Data, numbers and the helpers of every view. Texts become text nodes: nothing of the data is ever read as markup.

const byId = (id) => document.getElementById(id);
const DATA = JSON.parse(byId("data").textContent);
const CAN_UNPACK = typeof DecompressionStream === "function";
const CANNOT = "This browser is too old to open the data of the page; the table is complete without it.";
const MINUS = "\u2212";
const DASH = "\u2013";
const [BETTER, WORSE] = ["\u2020", "\u2021"];
const MARKED = `${BETTER} significantly better, ${WORSE} significantly worse`;
const SAID_OF_MARK = { [BETTER]: ", significantly better", [WORSE]: ", significantly worse" };

// what is shown; what the address after # says
const state = { view: "table", sort: null, descending: false, group: "", search: "", filters: new Map(), open: null };

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

// what may be wider than its place: a box that scrolls, by keys too
function scrolled(label, attributes, ...children) {
  return make("div", { tabindex: "0", role: "region", "aria-label": label, ...attributes, class: `scroll ${attributes.class ?? ""}` }, ...children);
}

// options are [value, text]
function choice(label, options, chosen, act) {
  const select = make("select", { on: { change: () => act(select.value) } });
  for (const [value, text] of options) select.append(make("option", { value }, text));
  select.value = String(chosen);
  return make("label", { class: "choice" }, make("span", {}, label), select);
}

const unpacked = new Map();

function unpack(text) {
  if (!unpacked.has(text)) unpacked.set(text, inflate(text));
  return unpacked.get(text);
}

async function inflate(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function asNumber(value) {
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return value === null || value === undefined ? NaN : value;
}

function fixed(value, digits) {
  const number = asNumber(value);
  if (Number.isNaN(number)) return DASH;
  if (!Number.isFinite(number)) return number > 0 ? "∞" : `${MINUS}∞`;
  return number.toFixed(digits).replace("-", MINUS);
}

function signed(value, digits) {
  const number = asNumber(value);
  if (Number.isNaN(number)) return DASH;
  const text = fixed(Math.abs(number), digits);
  if (number === 0) return text;
  return (number > 0 ? "+" : MINUS) + text;
}

function chance(p) {
  const number = asNumber(p);
  if (Number.isNaN(number)) return DASH;
  return number < 0.001 ? "< 0.001" : number.toFixed(3);
}

function count(number, one, several) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : several}`;
}

function tell(text) {
  byId("status").textContent = text;
}

// the place of a pair among all pairs of systems, and its sign: the page has every pair once
function pairPlace(size, a, b) {
  const low = Math.min(a, b);
  const high = Math.max(a, b);
  return [(low * (2 * size - low - 1)) / 2 + high - low - 1, a < b ? 1 : -1];
}

// how a stands to b by one measure of the pairs, or null where that is not held
function pairOf(origin, pairs, a, b) {
  const [at, sign] = pairPlace(origin.systems.length, a, b);
  const won = asNumber(pairs.won[at]);
  const lost = asNumber(pairs.lost[at]);
  const difference = asNumber(pairs.difference[at]) * sign;
  if (Number.isNaN(difference) && Number.isNaN(won)) return null;
  return {
    difference: difference === 0 ? 0 : difference,
    won: sign > 0 ? won : lost,
    lost: sign > 0 ? lost : won,
    n: asNumber(pairs.n[at]),
    p: asNumber(pairs.p_value[at]),
    adjusted: asNumber(pairs.p_adjusted[at]),
    mark: { 1: BETTER, "-1": WORSE }[asNumber(pairs.significant[at]) * sign] ?? "",
  };
}

const collator = new Intl.Collator("en", { numeric: true });

// names, not places, so that a link still points at the same thing when a report is made again
function writeAddress() {
  const said = new URLSearchParams();
  if (state.view !== "table") said.set("view", state.view);
  if (state.sort !== null) said.set("sort", `${state.descending ? MINUS : ""}${state.sort}`);
  if (state.group) said.set("group", state.group);
  if (state.search) said.set("search", state.search);
  for (const [name, value] of state.filters) said.set(`is:${name}`, value);
  if (state.open) {
    const { origin, measure, system, against, query } = state.open;
    const held = DATA.origins[origin];
    if (DATA.origins.length > 1) said.set("of", held.title);
    said.set("system", held.systems[system]);
    said.set("measure", held.measures[measure].label);
    if (against !== null) said.set("against", held.systems[against]);
    if (query !== null) said.set("query", held.queries[query]);
  }
  const text = said.toString();
  try {
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  } catch {
    // a frame of a notebook has no address of its own
  }
}

function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const sort = said.get("sort");
  state.view = said.get("view") === "pairs" ? "pairs" : "table";
  state.descending = sort !== null && sort.startsWith(MINUS);
  state.sort = sort === null ? null : Number(sort.replace(MINUS, ""));
  if (said.has("group")) state.group = said.get("group");
  state.search = said.get("search") || "";
  state.filters = new Map();
  for (const facet of DATA.facets) {
    const value = said.get(`is:${facet.name}`);
    if (facet.values.includes(value)) state.filters.set(facet.name, value);
  }
  state.open = openFrom(said);
}

function openFrom(said) {
  if (!said.has("system")) return null;
  const origin = Math.max(0, DATA.origins.findIndex((one) => one.title === said.get("of")));
  const held = DATA.origins[origin];
  if (!held) return null;
  const system = held.systems.indexOf(said.get("system"));
  const measure = held.measures.findIndex((one) => one.label === said.get("measure"));
  const against = held.systems.indexOf(said.get("against"));
  const query = held.queries.indexOf(said.get("query"));
  if (system < 0 || measure < 0) return null;
  return { origin, measure, system, against: against < 0 ? null : against, query: query < 0 ? null : query };
}
