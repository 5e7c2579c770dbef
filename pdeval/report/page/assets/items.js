// One query opened: its judged items, their grades, their rank in each run, who finds what sooner, and what it adds.

const FEW_RUNS = 10;
const FEW_COLUMNS = 3;
let everyRun = null;
let itemSort = "grade";

async function openItems(open, sequence, from = null) {
  state.open = open;
  const origin = DATA.origins[open.origin];
  const title = `${origin.words.query[0].toUpperCase()}${origin.words.query.slice(1)} ${origin.queries[open.query]}`;
  const back = () => openQueries({ ...open, query: null }).then(() => focusQuery(origin, open.query));
  const text = origin.items?.data[open.query];
  const parts = [neighbours(open, sequence, from), opponent(origin, open, sequence, from), await measuresOf(origin, open)];
  if (text) {
    const items = await unpack(text);
    const factors = await factorsOf(origin, open.measure, open.query);
    const [own, others] = [runsOf(origin, open.system), open.against === null ? [] : runsOf(origin, open.against)];
    const account = own.length === 1 && others.length === 1 ? await levels(origin, open, items, own[0], others[0]) : null;
    if (state.open !== open) return;
    parts.push(...itemParts(origin, open, items, factors, () => openItems(open, sequence, from)), account);
  } else {
    parts.push(make("p", {}, `This page has no ${origin.words.docs} of this ${origin.words.query}; see the notes below the table.`));
  }
  showPanel(title, parts, { back, from: null });
}

function focusQuery(origin, query) {
  const name = origin.queries[query];
  [...panel.querySelectorAll("button.link")].find((one) => one.textContent === name)?.focus();
}

function neighbours(open, sequence, from) {
  const at = sequence.indexOf(open.query);
  const go = (step) => () => openItems({ ...open, query: sequence[at + step] }, sequence, from);
  return make("div", { class: "controls" },
    button("Previous", go(-1), { class: "plain", disabled: at <= 0 }),
    button("Next", go(1), { class: "plain", disabled: at < 0 || at >= sequence.length - 1 }),
    at >= 0 ? make("span", { class: "small" }, `${at + 1} of ${sequence.length} in the list`) : null);
}

// a preference is between two: where no baseline is the other one, the reader names it here
function opponent(origin, open, sequence, from) {
  if (!origin.preferences || origin.systems.length < 2) return null;
  const others = origin.systems.map((name, at) => [at, name]).filter(([at]) => at !== open.system);
  return choice("Against", [["", "none"], ...others], open.against ?? "", (value) =>
    openItems({ ...open, against: value === "" ? null : Number(value) }, sequence, from));
}

// what the system and the other one score on the query, by every measure
async function measuresOf(origin, open) {
  const size = origin.systems.length;
  const all = await Promise.all(origin.values.map(unpack));
  const two = [open.system, open.against].filter((one) => one !== null && one !== undefined);
  return scrolled("Measures of the query", {}, make("table", { class: "account" },
    make("thead", {}, make("tr", {}, make("td"),
      origin.measures.map((one) => make("th", { scope: "col", class: "n" }, one.shown)))),
    make("tbody", {}, two.map((system) => make("tr", {},
      make("th", { scope: "row", class: "t" }, origin.systems[system]),
      origin.measures.map((one, at) => make("td", { class: "n" }, fixed(all[at][open.query * size + system], one.digits))))))));
}

// the runs of a system among the runs that ranks are held of: several where it has replicates
function runsOf(origin, system) {
  return origin.items.systems.map((one, at) => (one === system ? at : -1)).filter((at) => at >= 0);
}

function itemParts(origin, open, items, factors, again) {
  const words = origin.words;
  if (!items.docs.length) return [make("p", {}, `No ${words.doc} of this ${words.query} is judged.`)];
  const own = runsOf(origin, open.system);
  const others = open.against === null ? [] : runsOf(origin, open.against);
  const many = origin.items.runs.length > FEW_RUNS;
  const all = everyRun ?? !many;
  const sooner = own.length === 1 && others.length === 1;
  const front = [...own, ...others];
  const rest = all ? origin.items.runs.map((_, at) => at).filter((at) => !front.includes(at)) : [];
  const columns = [...front, ...rest];
  const order = items.docs.map((_, at) => at);
  const sorts = [["grade", "Grade"], ...front.map((run) => [String(run), `Rank in ${origin.items.runs[run]}`])];
  const whole = items.docs.length === items.of; // recall levels are known of all items only
  const adds = factors && whole && own.length === 1 && others.length <= 1 ? addedColumns(origin, open, items, front, factors) : [];
  const measure = origin.measures[open.measure].shown;
  if (adds.length) sorts.push(["adds", adds.length > 1 ? `Difference in ${measure}` : `What it adds to ${measure}`]);
  const run = front.map(String).includes(itemSort) ? Number(itemSort) : null;
  const upwards = (x, y) => (x === y ? 0 : x < y ? -1 : 1); // not found is infinite
  const byAdded = adds.length > 0 && itemSort === "adds";
  if (run !== null) order.sort((x, y) => upwards(rankOf(items, x, run), rankOf(items, y, run)) || x - y);
  if (byAdded) order.sort((x, y) => Math.abs(adds.at(-1).values[y]) - Math.abs(adds.at(-1).values[x]) || x - y);
  const kind = columns.length + adds.length > FEW_COLUMNS ? "run" : "n"; // upright names take less room
  const runHead = (one) => make("th", { scope: "col", title: origin.items.runs[one], class: `${kind}${front.includes(one) ? " near" : ""}` },
    make("span", {}, origin.items.runs[one]));
  const names = [
    make("th", { scope: "col", class: "t" }, words.doc[0].toUpperCase() + words.doc.slice(1)),
    make("th", { scope: "col", class: "n" }, "Grade")];
  const head = [
    adds.length ? make("tr", { class: "over" }, make("td", { colspan: names.length }),
      make("th", { scope: "colgroup", class: "over", colspan: front.length }, "Rank in"),
      make("th", { scope: "colgroup", class: "over", colspan: adds.length }, `Adds to ${measure}`),
      sooner ? make("td") : null,
      rest.length ? make("th", { scope: "colgroup", class: "over", colspan: rest.length }, "Rank in other runs") : null) : null,
    make("tr", {}, names, front.map(runHead),
      adds.map((one) => make("th", { scope: "col", class: kind, title: one.name }, make("span", {}, one.name))),
      sooner ? make("th", { scope: "col", class: "t" }, "Sooner") : null,
      rest.map(runHead))];
  const lines = order.map((item) => {
    const ranks = columns.map((one) => rankOf(items, item, one));
    const best = ranks.length > 1 ? Math.min(...ranks) : NaN;
    const ahead = sooner ? Math.sign(ranks[1] - ranks[0]) || 0 : 0;
    return make("tr", { class: items.relevant[item] ? "relevant" : "" },
      make("th", { scope: "row", class: "t doc" }, items.docs[item]),
      make("td", { class: "n" }, fixed(items.grades[item], Number.isInteger(items.grades[item]) ? 0 : 2)),
      ranks.slice(0, front.length).map((rank) => rankCell(rank, best, " near")),
      adds.map((one) => addedCell(one, item)),
      sooner ? soonerCell(origin, open, ranks, ahead) : null,
      ranks.slice(front.length).map((rank) => rankCell(rank, best, "")));
  });
  const held = items.docs.length < items.of ? `${items.docs.length} of ${items.of} ${words.docs} are held. ` : "";
  return [
    sooner ? make("p", { class: "line" }, soonerLine(origin, open, items, own[0], others[0])) : null,
    own.length > 1 ? make("p", { class: "small" }, "The system is the mean of several runs: each has its own column.") : null,
    choice("Sort", sorts, byAdded ? "adds" : run === null ? "grade" : run, (value) => {
      itemSort = value;
      again();
    }),
    many ? make("label", { class: "check" }, make("input", { type: "checkbox", checked: all, on: { change: (event) => {
      everyRun = event.target.checked;
      again();
    } } }), ` Rank in every run (${origin.items.runs.length})`) : null,
    scrolled(`Ranks of the ${words.docs}`, {},
      make("table", { class: "items" }, make("thead", {}, head), make("tbody", {}, lines),
        adds.length ? addedSums(adds, names.length + front.length, rest.length + (sooner ? 1 : 0)) : null)),
    make("p", { class: "small" }, `${held}Ranks are from 1; ${DASH} not found. Relevant ${words.docs} have a bar at their left${columns.length > 1 ? "; bold is the best rank shown" : ""}.`),
    adds.length || origin.preferences ? null : make("p", { class: "small" }, notAdded(origin, measure, factors, whole)),
  ].filter(Boolean);
}

function rankCell(rank, best, kind) {
  return make("td", { class: `n${kind}${rank === best && best < Infinity ? " first" : ""}` },
    rank === Infinity ? make("span", { class: "faint" }, DASH) : String(rank));
}

// why no column says what items add
function notAdded(origin, measure, factors, whole) {
  const { docs, doc } = origin.words;
  if (!factors) return `What each ${doc} adds to ${measure} does not follow from ranks and grades alone: explain() tells it.`;
  return whole ? `What each ${doc} adds is shown of systems that are one run.` :
    `What each ${doc} adds to ${measure} is not shown: not all ${docs} are held.`;
}

function soonerCell(origin, open, ranks, ahead) {
  const both = ranks[0] === Infinity && ranks[1] === Infinity;
  const text = ahead > 0 ? origin.systems[open.system] : ahead < 0 ? origin.systems[open.against] : both ? DASH : "tie";
  return make("td", { class: `t ${ahead > 0 ? "won" : ahead < 0 ? "lost" : "tied"}` }, text);
}

function soonerLine(origin, open, items, a, b) {
  const counts = { first: 0, second: 0, same: 0, neither: 0 };
  items.docs.forEach((_, item) => {
    if (!items.relevant[item]) return;
    const [x, y] = [rankOf(items, item, a), rankOf(items, item, b)];
    counts[x < y ? "first" : y < x ? "second" : x === Infinity ? "neither" : "same"] += 1;
  });
  const { docs, doc } = origin.words;
  return `Relevant ${docs} found sooner: ${count(counts.first, doc, docs)} by ${origin.systems[open.system]}, ${counts.second} by ` +
    `${origin.systems[open.against]}; ${counts.same} at the same rank, ${counts.neither} by neither.`;
}
