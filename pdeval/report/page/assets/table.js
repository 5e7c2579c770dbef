// The table: ranked by a measure, sorted by a header, grouped and filtered by metadata; cells have bars and marks.

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
const heads = new Map([...table.querySelectorAll("thead th[data-name]")].map((head) => [head.dataset.name, head]));
const firstNumber = [...heads.keys()].find((name) => heads.get(name).classList.contains("n"));
const AS_REPORTED = "as reported";
const BEST = "best";
const NOUN = DATA.origins.length ? ["system", "systems"] : ["row", "rows"];
const hasMarks = table.querySelector("td.m sup") !== null;
const hasPairs = DATA.origins.some((one) => one.pairs.length);
const hasGroups = rows.some((row) => row.title);

// a column with the rank of each row in front of the others
for (const line of table.tHead.rows) {
  const last = line === table.tHead.rows[table.tHead.rows.length - 1];
  line.prepend(last ? make("th", { scope: "col", class: "n rank" }, "Rank") : make("td"));
}
for (const row of rows) row.line.prepend(make("td", { class: "n rank" }));
const width = [...table.querySelectorAll("thead tr:last-child > *")].reduce((sum, cell) => sum + cell.colSpan, 0);

// the name of a row opens what the number opens that the table is sorted by
for (const { line } of rows) {
  const name = line.querySelector("th");
  if (name && line.querySelector("button.cell")) name.replaceChildren(make("button", { type: "button", class: "system", tabindex: "-1" }, ...name.childNodes));
}

function cellOfRow(line) {
  const sort = sorting();
  const sorted = sort && line.querySelector(`[data-column="${heads.get(sort.name).dataset.column}"] button.cell`);
  return sorted ?? line.querySelector("button.cell");
}

const sortKeys = new Map();

// numbers, or texts if a column has none
function keysOf(name) {
  if (!sortKeys.has(name)) {
    const head = heads.get(name);
    const numeric = head.classList.contains("n");
    const cells = rows.map((row) => row.line.querySelector(`[data-column="${head.dataset.column}"]`));
    const keys = cells.map((cell) => (numeric ? numberIn(cell.dataset.value) : cell.textContent));
    const least = head.querySelector("button")?.title === "less is better";
    sortKeys.set(name, { numeric, keys, cells, best: numeric && !least }); // best: the largest comes first
  }
  return sortKeys.get(name);
}

function numberIn(text) {
  if (text === "inf" || text === "-inf") return text === "inf" ? Infinity : -Infinity;
  return text === undefined || text === "nan" ? NaN : Number(text);
}

// the column that sorts the table: chosen, or the first measure, best first; null in the order of the report
function sorting() {
  if (state.sort === AS_REPORTED) return null;
  const name = heads.has(state.sort) ? state.sort : firstNumber;
  if (name === undefined) return null;
  const best = keysOf(name).best;
  return { name, descending: state.order === "reversed" ? !best : best };
}

// missing values come last in either direction
function ordered(some) {
  const sort = sorting();
  if (!sort) return some;
  const { numeric, keys } = keysOf(sort.name);
  const turn = sort.descending ? -1 : 1;
  return [...some].sort((one, other) => {
    const x = keys[one.number];
    const y = keys[other.number];
    if (!numeric) return turn * collator.compare(x, y) || one.number - other.number;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || one.number - other.number;
    return turn * byNumber(x, y) || one.number - other.number;
  });
}

// the rank of each row by the numbers that sort the table, or by the first measure; equal values have equal ranks
function showRanks() {
  const sort = sorting();
  const name = sort && keysOf(sort.name).numeric ? sort.name : firstNumber;
  if (name === undefined) return;
  const { keys, best } = keysOf(name);
  const sorted = keys.filter((key) => !Number.isNaN(key)).sort((x, y) => (best ? -1 : 1) * byNumber(x, y));
  for (const row of rows) {
    const key = keys[row.number];
    row.line.firstChild.textContent = Number.isNaN(key) ? DASH : String(sorted.indexOf(key) + 1);
  }
}

function grouping() {
  if (state.group !== null) return state.group;
  return hasGroups ? AS_REPORTED : "";
}

function groupsOf(some) {
  const facet = DATA.facets.find((one) => one.name === grouping());
  if (!facet && grouping() !== AS_REPORTED) return [["", some]];
  const members = new Map();
  for (const row of some) {
    const title = facet ? facet.values[facet.rows[row.number]] : row.title;
    if (!members.has(title)) members.set(title, []);
    members.get(title).push(row);
  }
  return [...members];
}

function searchWords() {
  return state.search.toLowerCase().split(/\s+/).filter(Boolean);
}

function rowsShown() {
  const filtered = rows.filter((row) => DATA.facets.every((facet) => {
    const wanted = state.filters.get(facet.name);
    return wanted === undefined || facet.values[facet.rows[row.number]] === wanted;
  }));
  const words = searchWords();
  const matches = filtered.filter((row) => words.every((word) => row.text.includes(word)));
  return matches.length ? matches : filtered; // a search for queries or documents keeps all systems
}

function showTable() {
  const sort = sorting();
  for (const [name, head] of heads) {
    const sorted = sort?.name === name;
    head.setAttribute("aria-sort", sorted ? (sort.descending ? "descending" : "ascending") : "none");
  }
  const shown = rowsShown();
  const bodies = groupsOf(shown).map(([title, members]) => {
    const body = make("tbody");
    if (title) body.append(make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: width }, title)));
    body.append(...ordered(members).map((row) => row.line));
    return body;
  });
  if (!shown.length) bodies.push(make("tbody", {}, make("tr", {}, make("td", { class: "t", colspan: width }, `No ${NOUN[0]} matches.`))));
  for (const body of [...table.tBodies]) body.remove();
  table.append(...bodies);
  showRanks();
  keepOneStop();
  markOpen();
  showMarks();
  const text = `${shown.length.toLocaleString("en")} of ${count(rows.length, ...NOUN)}`;
  byId("left").textContent = shown.length === rows.length ? "" : text;
  if (shown.length < rows.length) announce(text);
}

// a light bar from 0 to the number, as long as the number is large in its column
for (const name of heads.keys()) {
  const { numeric, keys, cells } = keysOf(name);
  const finite = keys.filter(Number.isFinite);
  const low = Math.min(0, ...finite);
  const high = Math.max(0, ...finite);
  if (!numeric || !cells[0]?.querySelector("button.cell") || high === low) continue;
  const share = (value) => `${(100 * (value - low) / (high - low)).toFixed(1)}%`;
  cells.forEach((cell, at) => {
    if (!Number.isFinite(keys[at])) return;
    cell.classList.add("bar");
    cell.style.setProperty("--from", share(Math.min(0, keys[at])));
    cell.style.setProperty("--to", share(Math.max(0, keys[at])));
  });
}

// the systems of a collection whose rows are shown, in the order of the rows; all if a row has several systems
function systemsShown(origin) {
  const systems = [...table.querySelectorAll("tbody tr[data-row]")].map((line) => new Set(
    places.filter((one) => one.origin === origin && line.contains(one.cell)).map((one) => one.system)));
  const single = systems.filter((one) => one.size === 1).map((one) => [...one][0]);
  const all = DATA.origins[origin].systems.map((_, at) => at);
  return systems.some((one) => one.size > 1) ? all : [...new Set(single)];
}

// best first, then worst first, then as reported
function sortBy(name) {
  const sort = sorting();
  if (sort?.name !== name) go({ sort: name === firstNumber ? null : name, order: "" });
  else if (state.order !== "reversed") go({ order: "reversed" });
  else go({ sort: AS_REPORTED, order: "" });
  const now = sorting();
  announce(now === null ? "In the order of the report." :
    `Sorted by ${heads.get(now.name).textContent.trim()}, ${now.descending ? "descending" : "ascending"}.`);
}

// one cell is a stop of the Tab key; arrow keys move to the others
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

function onArrow(event) {
  const cell = event.target.closest("button.cell, button.system");
  if (!cell || event.altKey || event.ctrlKey || event.metaKey) return;
  const lines = [...table.querySelectorAll("tbody tr[data-row]")];
  const line = cell.closest("tr");
  const inLine = (other) => (other ? [...other.querySelectorAll("button.cell, button.system")] : []);
  const cells = inLine(line);
  const at = cells.indexOf(cell);
  const upDown = (step) => inLine(lines[lines.indexOf(line) + step])[at];
  const targets = {
    ArrowLeft: () => cells[at - 1],
    ArrowRight: () => cells[at + 1],
    ArrowUp: () => upDown(-1),
    ArrowDown: () => upDown(1),
    Home: () => cells[0],
    End: () => cells[cells.length - 1],
  };
  if (!(event.key in targets)) return;
  event.preventDefault();
  const target = targets[event.key]();
  if (!target) return;
  stopAt(target);
  target.focus();
}

// another system to compare with: the one that marks compare with, the baseline, else the best of the others
function opponentOf(origin, measure, system) {
  const { systems, baselines } = DATA.origins[origin];
  const base = [systems.indexOf(state.reference), ...baselines].find((one) => one >= 0 && one !== system);
  return base ?? bySystem(origin, measure).find((one) => one !== system) ?? null;
}

table.addEventListener("keydown", onArrow);
table.addEventListener("click", (event) => {
  const head = event.target.closest("button.sort");
  if (head) {
    sortBy(head.closest("th").dataset.name);
    return;
  }
  const from = event.target.closest("button.cell, button.system");
  if (!from) return;
  stopAt(from);
  const cell = from.matches(".system") ? cellOfRow(from.closest("tr")) : from;
  const { origin, measure, system } = places.find((one) => one.cell === cell);
  go({ open: { ...OPEN, origin, measure, system, against: opponentOf(origin, measure, system) } }, { from });
});

// a table that fits needs no box to scroll in: then its header stays visible on a long page
function fit() {
  byId("scroll").classList.toggle("fits", table.offsetWidth <= byId("main").clientWidth);
}

new ResizeObserver(fit).observe(byId("main"));

function markOpen() {
  const open = state.open;
  const at = open ? `${open.origin} ${open.measure} ${open.system}` : null;
  for (const { cell } of places) {
    if (cell.dataset.at === at) cell.setAttribute("aria-expanded", "true");
    else cell.removeAttribute("aria-expanded");
  }
}
