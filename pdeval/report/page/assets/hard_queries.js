// The queries of all systems: first those that deserve a look, each with its reason.

const QUERY_SORTS = [
  ["look", "Deserve a look first"],
  ["hard", "Hardest first"],
  ["spread", "Largest differences first"],
  ["unjudged", "Fewest labels first"],
  ["id", "Id"],
];
const PROBLEMS = ["all fail", "runs differ", "few labels"];
const MOST_REASONS = 5; // queries of each problem, if the page computes them

// the collection of a view, among those that have the data: its place, and all of them as options
function collectionOf(has) {
  const places = DATA.origins.map((_, at) => at).filter((at) => has(DATA.origins[at]));
  const chosen = places.find((at) => DATA.origins[at].title === state.collection) ?? places[0];
  return [chosen, places.map((at) => [DATA.origins[at].title, DATA.origins[at].title || "All"])];
}

async function showHardQueries() {
  const [place, titles] = collectionOf((one) => one.values);
  const origin = DATA.origins[place];
  const number = Math.max(0, origin.measures.findIndex((one) => one.label === state.by));
  const measure = origin.measures[number];
  const { query, queries, docs } = origin.words;
  const lines = await overviewRows(origin, number);
  const counted = lines.some((line) => line.unjudged > 0);
  const sorts = QUERY_SORTS.filter(([name]) => counted || name !== "unjudged");
  const sort = sorts.some(([name]) => name === state.look) ? state.look : "look";
  const late = (value) => (Number.isFinite(value) ? value : Infinity);
  const turn = measure.higher ? 1 : -1;
  const hard = (x, y) => byNumber(late(turn * x.mean), late(turn * y.mean));
  const compare = {
    look: (x, y) => byNumber(x.order, y.order) || hard(x, y),
    hard,
    spread: (x, y) => byNumber(late(-x.spread), late(-y.spread)),
    unjudged: (x, y) => byNumber(-x.unjudged, -y.unjudged),
    id: () => 0,
  }[sort];
  lines.sort((x, y) => compare(x, y) || collator.compare(origin.queries[x.query], origin.queries[y.query]));
  const set = (name) => (value) => go({ [name]: value }).then(() => focusControl(name));
  const heads = [[capitalized(query), "t"], ["Why", "t"], ["Mean", "n"], ["Best", "n"], ["Best system", "t"], ["Worst", "n"], ["Range", "n"]];
  if (counted) heads.push([`Unjudged in the top ${origin.items.top}`, "n"]);
  const problems = origin.look ? `, two systems differ most, or few of the first ${docs} are judged` : " or two systems differ most";
  const build = (size) => make("table", { class: "queries overview", id: "query-table" },
    make("thead", {}, make("tr", {}, heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)))),
    make("tbody", {}, lines.slice(0, size).map((line) => overviewLine(origin, place, number, line, counted))));
  byId("queries").replaceChildren(
    make("h2", { id: "queries-title" }, capitalized(queries)),
    make("div", { class: "controls" },
      titles.length > 1 ? choice("collection", "Collection", titles, origin.title, set("collection")) : null,
      choice("by", "Measure", origin.measures.map((one) => [one.label, one.shown]), measure.label, set("by")),
      choice("look", "Sort", sorts, sort, set("look"))),
    make("p", { class: "small" }, `${measure.shown} of all systems on each ${query}. A ${query} deserves a look if all systems fail on it` +
      `${problems}. It opens two systems: those of the reason, or the worst and the best.`),
    ...firstRows("overview", `${capitalized(queries)} of all systems`, [lines.length, queries], AT_ONCE, build, showHardQueries));
}

// a row per query: values of all systems, and the reasons to look at it
async function overviewRows(origin, number) {
  const valueOf = await valuesOf(origin, number);
  const unjudged = await unjudgedOf(origin);
  const systems = origin.systems.map((_, at) => at);
  const turn = origin.measures[number].higher ? 1 : -1;
  const lines = origin.queries.map((_, query) => {
    const known = systems.filter((system) => !Number.isNaN(valueOf(query, system)))
      .sort((x, y) => turn * byNumber(valueOf(query, y), valueOf(query, x)));
    const values = known.map((system) => valueOf(query, system));
    return {
      query,
      best: known[0] ?? 0,
      worst: known.at(-1) ?? 0,
      values: [values[0] ?? NaN, values.at(-1) ?? NaN],
      mean: values.reduce((sum, value) => sum + value, 0) / values.length,
      spread: Math.abs(values[0] - values.at(-1)),
      unjudged: unjudged ? systems.reduce((sum, system) => sum + unjudged(query, system), 0) / systems.length : 0,
      reasons: [],
      order: Infinity,
    };
  });
  const reasons = origin.look?.filter(([measure]) => measure === number) ?? reasonsOf(origin, number, lines);
  const place = new Map(); // the next place of each problem: the first queries of all problems come first
  for (const [, query, problem, worst, best, text] of reasons) {
    place.set(problem, (place.get(problem) ?? 0) + 1);
    const line = lines[query];
    line.order = Math.min(line.order, place.get(problem) * PROBLEMS.length + PROBLEMS.indexOf(problem));
    if (!line.reasons.length && worst >= 0 && best >= 0 && worst !== best) Object.assign(line, { pair: { system: worst, against: best } });
    line.reasons.push([problem, text]);
  }
  return lines;
}

// the reasons that follow from values: a page of scores has no documents and no labels
function reasonsOf(origin, number, lines) {
  const { shown, digits, higher } = origin.measures[number];
  const turn = higher ? 1 : -1;
  const known = lines.filter((line) => line.values.every(Number.isFinite));
  const failing = [...known].sort((x, y) => turn * byNumber(x.values[0], y.values[0])).slice(0, MOST_REASONS);
  const differing = known.filter((line) => line.spread > 0).sort((x, y) => byNumber(y.spread, x.spread)).slice(0, MOST_REASONS);
  return [
    ...failing.map(({ query, worst, best, values }) =>
      [number, query, PROBLEMS[0], worst, best, `no system has ${higher ? "more" : "less"} than ${fixed(values[0], digits)} ${shown}.`]),
    ...differing.map(({ query, worst, best, spread }) =>
      [number, query, PROBLEMS[1], worst, best, `${origin.systems[worst]} loses ${fixed(spread, digits)} ${shown} to ${origin.systems[best]}.`]),
  ];
}

// the two systems that a query opens: those of its first reason, or the worst and the best
function pairOn(line) {
  return line.pair ?? { system: line.worst, against: line.best === line.worst ? null : line.best };
}

function overviewLine(origin, place, number, line, counted) {
  const { digits } = origin.measures[number];
  const text = origin.queryTexts[line.query];
  const cell = (value, decimals = digits) => make("td", { class: "n", "data-value": value }, fixed(value, decimals));
  const open = { ...OPEN, origin: place, measure: number, ...pairOn(line), query: line.query };
  return make("tr", {},
    make("th", { scope: "row", class: "t" },
      button(origin.queries[line.query], (event) => go({ open }, { from: event.currentTarget }), { class: "link" }),
      text ? make("span", { class: "query-text", dir: "auto" }, text) : null),
    make("td", { class: "t why" }, line.reasons.map(([problem, reason]) =>
      make("p", {}, make("b", {}, capitalized(problem)), `: ${reason}`))),
    cell(line.mean), cell(line.values[0]), make("td", { class: "t" }, origin.systems[line.best]),
    cell(line.values[1]), cell(line.spread), counted ? cell(line.unjudged, 1) : null);
}
