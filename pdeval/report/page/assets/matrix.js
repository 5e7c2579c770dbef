// Every pair of systems as a square: the row against the column.

const SHOWN = [["difference", "Difference"], ["won", "Share of queries won"], ["p", "Adjusted p"]];
const square = { origin: 0, measure: 0, shown: "difference", drawn: 0 };

async function showPairs() {
  const section = byId("pairs");
  const origins = DATA.origins.map((one, at) => [at, one.title || "All"]).filter(([at]) => DATA.origins[at].pairs.length);
  if (!origins.length) {
    section.replaceChildren(make("h2", { id: "pairs-title" }, "Pairs"), make("p", {}, "This page has no pairs of systems; see the notes."));
    return;
  }
  if (!origins.some(([at]) => at === square.origin)) square.origin = origins[0][0];
  const origin = DATA.origins[square.origin];
  square.measure = Math.min(square.measure, origin.pairs.length - 1);
  const held = origin.pairs[square.measure];
  square.drawn += 1;
  const own = square.drawn;
  const pairs = CAN_UNPACK ? await unpack(held.data) : null;
  if (own !== square.drawn) return; // asked for again meanwhile
  const set = (name, read) => (value) => {
    square[name] = read(value);
    showPairs().then(() => [...section.querySelectorAll("label.choice")]
      .find((one) => one.dataset.name === name)?.lastChild.focus());
  };
  const named = (name, control) => {
    control.dataset.name = name;
    return control;
  };
  section.replaceChildren(
    make("h2", { id: "pairs-title" }, "Pairs"),
    make("div", { class: "controls" },
      origins.length > 1 ? named("origin", choice("Collection", origins, square.origin, set("origin", Number))) : null,
      named("measure", choice("Measure", origin.pairs.map((one, at) => [at, shownName(origin, one)]), square.measure, set("measure", Number))),
      named("shown", choice("Show", SHOWN, square.shown, set("shown", String)))),
    make("p", { class: "small" }, `Row against column: blue, and +, where the row is ahead; orange, and ${MINUS}, where it is behind. ` +
      `${MARKED}${held.how ? ` (${held.how})` : ""}, adjusted for all pairs of the measure.`),
    pairs ? pairTable(origin, held, pairs) : make("p", {}, CANNOT));
}

function shownName(origin, one) {
  return origin.measures.find((measure) => measure.label === one.label)?.shown ?? `${one.label} (preference)`;
}

function pairTable(origin, held, pairs) {
  const systems = systemsShown(square.origin);
  const size = systems.length;
  const sizes = pairs.difference.map((one) => Math.abs(asNumber(one))).filter(Number.isFinite).sort((x, y) => x - y);
  const largest = sizes[Math.floor(0.9 * (sizes.length - 1))] || sizes[sizes.length - 1] || 0; // few outliers, more colour
  const digits = origin.measures.find((one) => one.label === held.label)?.digits ?? 3;
  const numbered = size > 12; // long names over narrow columns: numbers say which
  if (size < 2) return make("p", {}, "A pair needs two systems: search or filter for more.");
  const head = make("tr", {}, make("td"), systems.map((system, at) =>
    make("th", { scope: "col", class: numbered ? "n" : "run", title: origin.systems[system] },
      make("span", {}, numbered ? String(at + 1) : origin.systems[system]))));
  const lines = systems.map((row, at) => make("tr", {},
    make("th", { scope: "row", class: "t", title: origin.systems[row] },
      numbered ? make("span", { class: "number" }, `${at + 1} `) : null, origin.systems[row]),
    systems.map((column) => pairCell(origin, pairs, row, column, largest, digits))));
  const grid = make("table", { class: "square" }, make("thead", {}, head), make("tbody", {}, lines));
  const first = grid.querySelector("button");
  if (first) first.tabIndex = 0;
  grid.addEventListener("keydown", (event) => moveInSquare(event, grid));
  for (const kind of ["pointerover", "focusin"]) grid.addEventListener(kind, (event) => sayPair(event, origin, pairs, digits));
  grid.addEventListener("click", (event) => {
    const cell = event.target.closest("button");
    if (!cell) return;
    const [system, against] = cell.dataset.pair.split(" ").map(Number);
    const measure = Math.max(0, origin.measures.findIndex((one) => one.label === held.label));
    openQueries({ origin: square.origin, measure, system, against, query: null }, cell);
  });
  return scrolled("Pairs of systems", { id: "square" }, grid);
}

function pairCell(origin, pairs, row, column, largest, digits) {
  if (row === column) return make("td", { class: "same" });
  const pair = pairOf(origin, pairs, row, column);
  if (!pair) return make("td", { class: "n" }, DASH);
  const share = pair.won / pair.n;
  const text = { difference: signed(pair.difference, digits), won: `${Math.round(100 * share)}%`, p: chance(pair.adjusted) }[square.shown];
  const balance = square.shown === "won" ? (pair.won - pair.lost) / pair.n : pair.difference / (largest || 1);
  const strength = Number.isFinite(balance) ? Math.min(4, Math.ceil(Math.sqrt(Math.abs(balance)) * 4)) : 0;
  return make("td", { class: `n ${balance > 0 ? "won" : "lost"}${strength}` },
    make("button", { type: "button", class: "cell", tabindex: "-1", "data-pair": `${row} ${column}` },
      text, make("span", { class: "star" }, pair.mark)));
}

// thousands of cells: what each says at length is written when it is looked at
function sayPair(event, origin, pairs, digits) {
  const cell = event.target.closest("button");
  if (!cell || cell.title) return;
  const [row, column] = cell.dataset.pair.split(" ").map(Number);
  const pair = pairOf(origin, pairs, row, column);
  cell.title = `${origin.systems[row]} against ${origin.systems[column]}: difference ${signed(pair.difference, digits)}, ` +
    `${pair.won} won, ${pair.lost} lost of ${pair.n}, adjusted p ${chance(pair.adjusted)}${SAID_OF_MARK[pair.mark] ?? ""}`;
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
