// One query opened: both rankings side by side, with grades, texts, what each document adds, and lines between them.

const FIRST = 10; // documents shown of each ranking, if the measure has no deeper cutoff
let wholeRanking = false;
let longTexts = false;

async function showQuery(focus) {
  const open = state.open;
  const origin = DATA.origins[open.origin];
  const { query, docs } = origin.words;
  const known = await queryRows(origin, open);
  const sequence = inOrder(filtered(known, origin, open), origin, open).map((row) => row.query);
  const items = await itemsOf(origin, open.query);
  const parts = [queryBar(origin, open, sequence), await measuresOf(origin, open, items)];
  const systems = await systemsOn(origin, open, items);
  if (origin.answers) parts.push(await answerTable(origin, open));
  if (items) parts.push(...await rankingParts(origin, open, items, systems));
  else if (!origin.answers) parts.push(make("p", {}, `This page has no ${docs} of this ${query}; see the notes below the table.`));
  if (!items) parts.push(...systems);
  if (state.open !== open) return;
  const text = origin.queryTexts[open.query];
  const title = `${capitalized(query)} ${origin.queries[open.query]}`;
  const lead = text ? make("p", { class: "query-text", dir: "auto" }, text) : null;
  showPanel(title, [lead, ...parts], { upText: `All ${origin.words.queries}`, focus, wide: true });
  drawLines();
}

// the neighbors of the query in the list, and the two systems
function queryBar(origin, open, sequence) {
  const at = sequence.indexOf(open.query);
  const step = (by) => () => go({ open: { ...open, query: sequence[at + by] } });
  const names = origin.systems.map((name, place) => [place, name]);
  const set = (name) => (value) => go({ open: { ...open, [name]: value === "" ? null : Number(value) } }, { focus: false })
    .then(() => focusControl(name));
  const opponents = names.filter(([place]) => place !== open.system);
  return make("div", { class: "controls" },
    button("Previous", step(-1), { class: "plain", disabled: at <= 0 }),
    button("Next", step(1), { class: "plain", disabled: at < 0 || at >= sequence.length - 1 }),
    at >= 0 ? make("span", { class: "small" }, `${at + 1} of ${sequence.length} in the list`) : null,
    choice("system", "System", names.filter(([place]) => place !== open.against), open.system, set("system")),
    opponents.length ? choice("against", "Against", [["", "no other system"], ...opponents], open.against ?? "", set("against")) : null,
    choice("measure", "Measure", origin.measures.map((one, place) => [place, one.shown]), open.measure, set("measure")));
}

// what both systems score on the query, by every measure, also with judged documents only if that changes a value
async function measuresOf(origin, open, items) {
  const all = await Promise.all(origin.measures.map((_, at) => valuesOf(origin, at)));
  const factors = await Promise.all(origin.measures.map((_, at) => factorsOf(origin, at, open.query)));
  const two = [open.system, open.against].filter((one) => one !== null);
  const judged = two.map((system) => factors.map((one) => judgedMean(origin, items, system, one)));
  const changes = two.some((system, side) => all.some((valueOf, at) => Math.abs(judged[side][at] - valueOf(open.query, system)) > 1e-9));
  const cells = (valueAt) => origin.measures.map((one, at) => make("td", { class: "n" }, fixed(valueAt(at), one.digits)));
  return scrolled("Measures of the query", {}, make("table", { class: "account" },
    make("thead", {}, make("tr", {}, make("td"),
      origin.measures.map((one) => make("th", { scope: "col", class: "n" }, one.shown)))),
    make("tbody", {}, two.map((system, side) => [
      make("tr", {}, make("th", { scope: "row", class: "t" }, origin.systems[system]), cells((at) => all[at](open.query, system))),
      changes ? make("tr", { class: "faint" }, make("th", { scope: "row", class: "t" }, `${origin.systems[system]}, judged ${origin.words.docs} only`),
        cells((at) => judged[side][at])) : null]))));
}

async function rankingParts(origin, open, items, systems) {
  const { words } = origin;
  if (!items.docs.length) return [make("p", {}, `No ${words.doc} of this ${words.query} is known.`), ...systems];
  const factors = await factorsOf(origin, open.measure, open.query);
  const [runs, opponents] = [runsOf(origin, open.system), open.against === null ? [] : runsOf(origin, open.against)];
  const single = runs.length === 1 && opponents.length <= 1;
  const parts = [];
  if (single) {
    const sides = [{ system: open.system, run: runs[0] }];
    if (opponents.length) sides.push({ system: open.against, run: opponents[0] });
    for (const side of sides) side.added = factors && isWhole(items) ? addedIn(items, side.run, factors) : null;
    parts.push(await conclusion(origin, open, items, sides, factors), ...sideBySide(origin, open, items, sides));
  }
  const account = single && opponents.length ? await levelsTable(origin, open, items, runs[0], opponents[0]) : null;
  return [...parts, ...systems, documentTable(origin, open, items, factors, !single), account];
}

// one sentence: who loses, how many of its first documents are judged, and the result with judged documents only
async function conclusion(origin, open, items, sides, factors) {
  const measure = origin.measures[open.measure];
  if (origin.items.depth === null || measure.preference) return null;
  const valueOf = await valuesOf(origin, open.measure);
  const turn = measure.higher ? 1 : -1;
  const results = sides.map((side) => ({ ...side, value: valueOf(open.query, side.system), name: origin.systems[side.system] }))
    .sort((x, y) => turn * byNumber(x.value, y.value));
  const [last, first] = [results[0], results[results.length - 1]];
  const firstOnes = (side) => items.docs.map((_, item) => item).filter((item) => rankOf(items, item, side.run) <= measure.top);
  const top = firstOnes(last);
  const judged = top.filter((item) => !isUnjudged(items, item)).length;
  const { doc, docs } = origin.words;
  let counted = `${judged} of its top ${top.length} ${docs} ${judged === 1 ? "is" : "are"} judged`;
  if (!top.length) counted = `it returns no ${doc}`;
  else if (judged === 0) counted = `none of its top ${top.length} ${docs} is judged`;
  else if (judged === top.length) counted = `all of its top ${top.length} ${docs} are judged`;
  const lost = Math.abs(first.value - last.value);
  let text = `${last.name} loses ${fixed(lost, measure.digits)} ${measure.shown} to ${first.name}: ${counted}`;
  if (results.length === 1) text = `${last.name} has ${measure.shown} ${fixed(last.value, measure.digits)}: ${counted}`;
  else if (lost === 0) text = `the runs have the same ${measure.shown}, ${fixed(last.value, measure.digits)}`;
  if (!Number.isFinite(lost)) return null;
  if (!factors || !isWhole(items) || (results.length > 1 && lost === 0)) return make("p", { id: "conclusion" }, `${text}.`);
  const [low, high] = [last, first].map((side) => valueOfJudged(items, side.run, factors));
  const changes = results.some((side) => firstOnes(side).some((item) => isUnjudged(items, item))) ||
    Math.max(Math.abs(low - last.value), Math.abs(high - first.value)) > 1e-9;
  if (!changes) return make("p", { id: "conclusion" }, `${text}.`);
  const won = turn * (low - high);
  let after = Math.abs(won) < 1e-12 ? "ties" : `${won > 0 ? "wins" : "loses"} by ${fixed(Math.abs(won), measure.digits)}`;
  if (results.length === 1) after = `has ${fixed(low, measure.digits)}`;
  return make("p", { id: "conclusion" }, `${text}; with judged ${docs} only it ${after}.`);
}

// the first documents of both rankings, rank by rank; lines connect a document that both have
function sideBySide(origin, open, items, sides) {
  const { depth } = origin.items;
  const { docs } = origin.words;
  const { top } = origin.measures[open.measure];
  const shown = Math.min(depth ?? FIRST, Math.max(top, FIRST));
  const inSide = (side) => items.docs.map((_, item) => item).filter((item) => rankOf(items, item, side.run) < Infinity)
    .sort((x, y) => rankOf(items, x, side.run) - rankOf(items, y, side.run));
  const lists = sides.map((side) => {
    const all = inSide(side);
    return wholeRanking ? all : all.filter((item) => rankOf(items, item, side.run) <= shown);
  });
  const highest = Math.max(...items.grades.filter((grade) => grade > 0), 1);
  const columns = sides.map((side, at) => make("div", { class: "ranking" },
    make("h3", {}, origin.systems[side.system]),
    lists[at].length ? make("ol", { class: at ? "right" : "left" }, lists[at].map((item) =>
      rankingLine(origin, items, item, side, sides[1 - at], highest, at, top))) :
      make("p", { class: "small" }, `No ${docs}.`)));
  const label = depth === null ? `Judged ${docs} of each ranking; the page has no others.` :
    `The first ${wholeRanking ? depth : shown} ${docs} of each ranking${wholeRanking ? `, and judged ${docs} below` : ""}.`;
  const redraw = (name, act) => (checked) => {
    act(checked);
    showQuery(false).then(() => focusControl(name));
  };
  const more = depth > shown ? `${capitalized(docs)} to rank ${depth} and judged ${docs} below` : `Judged ${docs} below rank ${shown} too`;
  const words = [["grade", "relevant, darker for a higher grade"], ["zero", "not relevant"], ["unjudged", "unjudged"]];
  return [
    make("div", { class: `rankings${sides.length > 1 ? " two" : ""}${longTexts ? " long" : ""}`, id: "rankings" }, columns[0],
      sides.length > 1 ? [drawn("svg", { id: "lines", "aria-hidden": "true" }), columns[1]] : null),
    make("p", { class: "small" }, `${label} `, words.map(([kind, text]) => [make("span", { class: `badge ${kind}${kind === "grade" ? " g4" : ""}`, "aria-hidden": "true" }, kind === "unjudged" ? "?" : ""), ` ${text}  `])),
    make("div", { class: "controls" },
      check("whole", more, wholeRanking, redraw("whole", (checked) => { wholeRanking = checked; })),
      origin.texts?.text ? check("long", "Longer texts", longTexts, redraw("long", (checked) => { longTexts = checked; })) : null),
  ];
}

function rankingLine(origin, items, item, side, other, highest, at, top) {
  const rank = rankOf(items, item, side.run);
  const grade = items.grades[item];
  const kind = isUnjudged(items, item) ? "unjudged" : grade > 0 ? `grade g${Math.ceil((4 * grade) / highest)}` : "zero";
  const added = side.added?.[item];
  const adds = added ? make("span", { class: "adds", title: "What it adds to the measure" }, signed(added, 3)) : null;
  const title = items.text("title", item);
  const text = items.text("text", item);
  const url = items.text("url", item);
  const name = items.docs[item];
  const shown = url && /^https?:\/\//i.test(url) ?
    make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, name) : name;
  return make("li", { class: `entry ${kind}${rank === top ? " last" : ""}`, "data-item": item, value: rank, id: `${at ? "right" : "left"}-${item}` },
    make("span", { class: "place" }, String(rank)),
    make("span", { class: `badge ${kind}`, title: isUnjudged(items, item) ? "unjudged" : `grade ${gradeText(items, item)}` },
      isUnjudged(items, item) ? "?" : gradeText(items, item), make("span", { class: "unseen" }, isUnjudged(items, item) ? " unjudged" : " grade")),
    make("span", { class: "about" }, make("span", { class: "doc" }, shown),
      title ? make("span", { class: "doc-title", dir: "auto" }, title) : null,
      text ? make("span", { class: "doc-text", dir: "auto" }, text) : null),
    adds, other ? movement(origin, items, item, rank, other) : null);
}

// how many ranks higher or lower than in the other ranking
function movement(origin, items, item, rank, other) {
  const there = rankOf(items, item, other.run);
  const name = origin.systems[other.system];
  if (there === Infinity) return make("span", { class: "moved faint", title: `${name} does not have it` }, "only here");
  const by = there - rank;
  if (by === 0) return make("span", { class: "moved faint", title: `the same rank in ${name}` }, "=");
  return make("span", { class: "moved", title: `rank ${there} in ${name}` }, `${by > 0 ? "▲" : "▼"}${Math.abs(by)}`);
}

// a line from the place of a document on the left to its place on the right
function drawLines() {
  const lines = byId("lines");
  const box = byId("rankings");
  if (!lines || !box || getComputedStyle(lines).display === "none") return;
  const frame = lines.getBoundingClientRect();
  lines.replaceChildren();
  lines.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  for (const left of box.querySelectorAll("ol.left > li")) {
    const right = byId(`right-${left.dataset.item}`);
    if (!right) continue;
    const [y1, y2] = [left, right].map((one) => {
      const place = one.getBoundingClientRect();
      return (place.top + Math.min(place.height / 2, 18) - frame.top).toFixed(1);
    });
    lines.append(drawn("line", { x1: 2, y1, x2: frame.width - 2, y2, class: left.className.split(" ").slice(1).join(" "), "data-item": left.dataset.item }));
  }
}

new ResizeObserver(drawLines).observe(panel);

// the other place of a document, and its line, are emphasized under the pointer
for (const kind of ["pointerover", "focusin"]) {
  panel.addEventListener(kind, (event) => {
    const item = event.target.closest("[data-item]")?.dataset.item;
    for (const one of panel.querySelectorAll("[data-item]")) one.classList.toggle("same", item !== undefined && one.dataset.item === item);
  });
}
