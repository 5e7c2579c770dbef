// Every pair of systems as a square in the order of the table: the row against the column.

const SHOWN = [["difference", "Difference"], ["won", "Percentage of queries won"], ["p", "Adjusted p"]];
const SYSTEMS_AT_ONCE = 25;
let squares = 0;

async function showPairs() {
  const section = byId("pairs");
  const [place, titles] = collectionOf((one) => one.pairs.length);
  if (place === undefined) {
    section.replaceChildren(make("h2", { id: "pairs-title" }, "Pairs"), make("p", {}, "This page has no pairs of systems; see the notes."));
    return;
  }
  const origin = DATA.origins[place];
  const comparison = origin.pairs.find((one) => one.label === state.pairs) ?? origin.pairs[0];
  squares += 1;
  const turn = squares;
  const pairs = CAN_UNPACK ? await unpack(comparison.data) : null;
  if (turn !== squares) return; // drawn again meanwhile
  const set = (name) => (value) => go({ [name]: value }).then(() => focusControl(name));
  section.replaceChildren(
    make("h2", { id: "pairs-title" }, "Pairs"),
    make("div", { class: "controls" },
      titles.length > 1 ? choice("collection", "Collection", titles, origin.title, set("collection")) : null,
      choice("pairs", "Measure", origin.pairs.map((one) => [one.label, shownName(origin, one)]), comparison.label, set("pairs")),
      choice("shown", "Show", SHOWN, state.shown, set("shown"))),
    make("p", { class: "small" }, `Row against column: blue, and +, if the row is better; orange, and ${MINUS}, if it is worse. ` +
      `${MARKED}${comparison.how ? ` (${comparison.how})` : ""}, adjusted for all pairs of the measure.`),
    ...(pairs ? pairTable(origin, place, comparison, pairs) : [make("p", {}, CANNOT)]));
}

function shownName(origin, one) {
  return origin.measures.find((measure) => measure.label === one.label)?.shown ?? `${one.label} (preference)`;
}

function pairTable(origin, place, comparison, pairs) {
  const all = systemsShown(place);
  const sizes = [...pairs.subarray(0, pairs.length / PAIR_COLUMNS.length)].map(Math.abs).filter(Number.isFinite).sort(byNumber);
  const largest = sizes[Math.floor(0.9 * (sizes.length - 1))] || sizes[sizes.length - 1] || 0; // outliers do not fade the others
  const digits = origin.measures.find((one) => one.label === comparison.label)?.digits ?? 3;
  const numbered = all.length > 12; // long names over narrow columns: numbers instead
  if (all.length < 2) return [make("p", {}, "A pair needs two systems: search or filter for more.")];
  const build = (size) => square(origin, place, comparison, pairs, { systems: all.slice(0, size), largest, digits, numbered });
  return firstRows("square", "Pairs of systems", [all.length, NOUN[1]], SYSTEMS_AT_ONCE, build, showPairs);
}

function square(origin, place, comparison, pairs, { systems, largest, digits, numbered }) {
  const head = make("tr", {}, make("td"), systems.map((system, at) =>
    make("th", { scope: "col", class: numbered ? "n" : "run", title: origin.systems[system] },
      make("span", {}, numbered ? String(at + 1) : origin.systems[system]))));
  const lines = systems.map((row, at) => make("tr", {},
    make("th", { scope: "row", class: "t", title: origin.systems[row] },
      numbered ? make("span", { class: "number" }, `${at + 1} `) : null, origin.systems[row]),
    systems.map((column) => pairCell(origin, pairs, row, column, largest, digits))));
  const grid = make("table", { class: "square", id: "pair-table" }, make("thead", {}, head), make("tbody", {}, lines));
  const first = grid.querySelector("button");
  if (first) first.tabIndex = 0;
  grid.addEventListener("keydown", (event) => moveInSquare(event, grid));
  for (const kind of ["pointerover", "focusin"]) grid.addEventListener(kind, (event) => describePair(event, origin, pairs, digits));
  grid.addEventListener("click", (event) => {
    const cell = event.target.closest("button");
    if (!cell) return;
    const [system, against] = cell.dataset.pair.split(" ").map(Number);
    const measure = Math.max(0, origin.measures.findIndex((one) => one.label === comparison.label));
    go({ open: { ...OPEN, origin: place, measure, system, against } }, { from: cell });
  });
  return grid;
}

function pairCell(origin, pairs, row, column, largest, digits) {
  if (row === column) return make("td", { class: "same" });
  const pair = pairOf(origin, pairs, row, column);
  if (!pair) return make("td", { class: "n" }, DASH);
  const share = pair.won / pair.n;
  const text = { won: `${Math.round(100 * share)}%`, p: chance(pair.adjusted) }[state.shown] ?? signed(pair.difference, digits);
  const balance = state.shown === "won" ? (pair.won - pair.lost) / pair.n : pair.difference / (largest || 1);
  const strength = Number.isFinite(balance) ? Math.min(4, Math.ceil(Math.sqrt(Math.abs(balance)) * 4)) : 0;
  return make("td", { class: `n ${balance > 0 ? "won" : "lost"}${strength}`, "data-value": pair.difference },
    make("button", { type: "button", class: "pair", tabindex: "-1", "data-pair": `${row} ${column}` },
      text, make("span", { class: "star" }, pair.mark)));
}

const MARK_TEXT = { [BETTER]: ", significantly better", [WORSE]: ", significantly worse" };

// there are thousands of cells: the description of one is written when it is looked at
function describePair(event, origin, pairs, digits) {
  const cell = event.target.closest("button");
  if (!cell || cell.title) return;
  const [row, column] = cell.dataset.pair.split(" ").map(Number);
  const pair = pairOf(origin, pairs, row, column);
  cell.title = `${origin.systems[row]} against ${origin.systems[column]}: difference ${signed(pair.difference, digits)}, ` +
    `${pair.won} won, ${pair.lost} lost of ${pair.n}, adjusted p ${chance(pair.adjusted)}${MARK_TEXT[pair.mark] ?? ""}`;
}

function moveInSquare(event, grid) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const step = steps[event.key];
  const cell = event.target.closest("button");
  if (!step || !cell) return;
  event.preventDefault();
  let [row, column] = [cell.closest("tr").rowIndex - 1, cell.closest("td").cellIndex - 1];
  const size = grid.tBodies[0].rows.length;
  for (;;) {
    [row, column] = [row + step[0], column + step[1]];
    if (row < 0 || column < 0 || row >= size || column >= size) return;
    const next = grid.tBodies[0].rows[row].cells[column + 1].querySelector("button");
    if (!next) continue; // the diagonal
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    return;
  }
}
