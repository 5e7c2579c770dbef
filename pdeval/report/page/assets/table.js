// The table: sorted by a header, grouped and filtered by metadata, searched; its cells reached by arrow keys.

const table = byId("table");
const rows = [...table.querySelectorAll("tr[data-row]")].map((line, number) => ({
  line,
  number,
  text: line.textContent.toLowerCase(),
  title: line.parentElement.querySelector("tr.group")?.textContent ?? "",
}));
for (const facet of DATA.facets) {
  for (const row of rows) row.text += ` ${facet.values[facet.rows[row.number]].toLowerCase()}`;
}
const heads = new Map([...table.querySelectorAll("th[data-column]")]
  .filter((head) => head.closest("thead")).map((head) => [Number(head.dataset.column), head]));
const AS_REPORTED = "as reported";
if (rows.some((row) => row.title)) state.group = AS_REPORTED;
const NOUN = DATA.origins.length ? ["system", "systems"] : ["row", "rows"];

const sortKeys = new Map();

// numbers, or texts where a column has none; what is missing comes last whatever the direction
function keysOf(column) {
  if (!sortKeys.has(column)) {
    const cells = rows.map((row) => row.line.querySelector(`[data-column="${column}"]`));
    const numeric = heads.get(column).classList.contains("n");
    sortKeys.set(column, {
      numeric,
      keys: cells.map((cell) => (numeric ? numberIn(cell.dataset.value) : cell.textContent)),
    });
  }
  return sortKeys.get(column);
}

function numberIn(text) {
  if (text === "inf" || text === "-inf") return text === "inf" ? Infinity : -Infinity;
  return text === undefined || text === "nan" ? NaN : Number(text);
}

function ordered(some) {
  if (state.sort === null || !heads.has(state.sort)) return some;
  const { numeric, keys } = keysOf(state.sort);
  const turn = state.descending ? -1 : 1;
  return [...some].sort((one, other) => {
    const x = keys[one.number];
    const y = keys[other.number];
    if (!numeric) return turn * collator.compare(x, y) || one.number - other.number;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || one.number - other.number;
    return (x === y ? 0 : turn * (x < y ? -1 : 1)) || one.number - other.number;
  });
}

function groupsOf(some) {
  const facet = DATA.facets.find((one) => one.name === state.group);
  const titleOf = (row) => (facet ? facet.values[facet.rows[row.number]] : row.title);
  if (!facet && state.group !== AS_REPORTED) return [["", some]];
  const found = new Map();
  for (const row of some) {
    if (!found.has(titleOf(row))) found.set(titleOf(row), []);
    found.get(titleOf(row)).push(row);
  }
  return [...found];
}

function isShown(row) {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => row.text.includes(word))) return false;
  return DATA.facets.every((facet) => {
    const wanted = state.filters.get(facet.name);
    return wanted === undefined || facet.values[facet.rows[row.number]] === wanted;
  });
}

function showTable() {
  for (const [column, head] of heads) {
    const own = column === state.sort;
    head.setAttribute("aria-sort", own ? (state.descending ? "descending" : "ascending") : "none");
  }
  const shown = rows.filter(isShown);
  const width = [...table.querySelectorAll("thead tr:last-child > *")].reduce((sum, cell) => sum + cell.colSpan, 0);
  const bodies = groupsOf(shown).map(([title, members]) => {
    const body = make("tbody");
    if (title) {
      body.append(make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: width }, title)));
    }
    body.append(...ordered(members).map((row) => row.line));
    return body;
  });
  if (!shown.length) {
    const text = `No ${NOUN[0]} matches.`;
    bodies.push(make("tbody", {}, make("tr", {}, make("td", { class: "t", colspan: width }, text))));
  }
  for (const body of [...table.tBodies]) body.remove();
  table.append(...bodies);
  keepOneStop();
  if (state.view === "pairs") showPairs();
  return shown.length;
}

// the systems of a collection whose rows are shown, in the order of the rows; all where no row is one system
function systemsShown(origin) {
  const places = [...table.querySelectorAll("tbody tr[data-row]")].map((line) => new Set(
    [...line.querySelectorAll("button.cell")].map((cell) => cell.dataset.at.split(" ").map(Number))
      .filter(([own]) => own === origin).map(([, , system]) => system)));
  const single = places.filter((found) => found.size === 1).map((found) => [...found][0]);
  const all = DATA.origins[origin].systems.map((_, at) => at);
  return places.some((found) => found.size > 1) ? all : [...new Set(single)];
}

function sortBy(column) {
  const higher = heads.get(column).querySelector("button").title === "more is better";
  const numeric = heads.get(column).classList.contains("n");
  const best = numeric && (higher || !heads.get(column).querySelector("button").title); // the best, or the most, first
  if (state.sort !== column) [state.sort, state.descending] = [column, best];
  else if (state.descending === best) state.descending = !best;
  else state.sort = null;
  showTable();
  writeAddress();
  const name = heads.get(column).textContent.trim();
  tell(state.sort === null ? "In the order of the report." :
    `Sorted by ${name}, ${state.descending ? "descending" : "ascending"}.`);
}

function narrow() {
  const left = showTable();
  writeAddress();
  const queries = showFoundQueries();
  const said = `${left.toLocaleString("en")} of ${count(rows.length, ...NOUN)}`;
  byId("left").textContent = left === rows.length ? "" : said;
  tell(queries ? `${said}, ${count(queries, "query", "queries")} found` : said);
}

// one cell is a stop of the Tab key; arrow keys lead to the others
let stop = null;

function keepOneStop() {
  if (stop?.isConnected) return;
  if (stop) stop.tabIndex = -1;
  stop = table.querySelector("tbody button.cell");
  if (stop) stop.tabIndex = 0;
}

function stopAt(cell) {
  if (stop) stop.tabIndex = -1;
  stop = cell;
  stop.tabIndex = 0;
}

function moveTo(cell) {
  if (!cell) return;
  stopAt(cell);
  cell.focus();
}

function onArrow(event) {
  const cell = event.target.closest("button.cell");
  if (!cell || event.altKey || event.ctrlKey || event.metaKey) return;
  const lines = [...table.querySelectorAll("tbody tr[data-row]")];
  const line = cell.closest("tr");
  const inLine = (other) => (other ? [...other.querySelectorAll("button.cell")] : []);
  const own = inLine(line);
  const at = own.indexOf(cell);
  const upDown = (step) => inLine(lines[lines.indexOf(line) + step])[at];
  const targets = {
    ArrowLeft: () => own[at - 1],
    ArrowRight: () => own[at + 1],
    ArrowUp: () => upDown(-1),
    ArrowDown: () => upDown(1),
    Home: () => own[0],
    End: () => own[own.length - 1],
  };
  if (!(event.key in targets)) return;
  event.preventDefault();
  moveTo(targets[event.key]());
}

table.addEventListener("keydown", onArrow);
table.addEventListener("click", (event) => {
  const head = event.target.closest("button.sort");
  if (head) {
    sortBy(Number(head.closest("th").dataset.column));
    return;
  }
  const cell = event.target.closest("button.cell");
  if (!cell) return;
  stopAt(cell);
  const [origin, measure, system] = cell.dataset.at.split(" ").map(Number);
  const base = DATA.origins[origin].baselines.find((one) => one !== system);
  openQueries({ origin, measure, system, against: base ?? null, query: null }, cell);
});

// a table that fits needs no box of its own to scroll in: then its header stays in sight on a long page
function fit() {
  byId("scroll").classList.toggle("fits", table.offsetWidth <= byId("main").clientWidth);
}

new ResizeObserver(fit).observe(byId("main"));

function markOpen() {
  const open = state.open;
  const at = open ? `${open.origin} ${open.measure} ${open.system}` : null;
  for (const cell of table.querySelectorAll("button.cell")) {
    if (cell.dataset.at === at) cell.setAttribute("aria-expanded", "true");
    else cell.removeAttribute("aria-expanded");
  }
}
