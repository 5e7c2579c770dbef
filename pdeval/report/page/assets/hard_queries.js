// The queries of all systems: where all fail, where they differ most, where labels are thinnest.

const QUERY_SORTS = [
  ["hard", "Hardest first"],
  ["spread", "Largest differences first"],
  ["unjudged", "Fewest labels first"],
  ["id", "Id"],
];
const overview = { origin: 0, measure: 0, sort: "hard", most: AT_ONCE };

async function showHardQueries() {
  const section = byId("queries");
  const origins = DATA.origins.map((one, at) => [at, one.title || "All"]).filter(([at]) => DATA.origins[at].values);
  if (!origins.some(([at]) => at === overview.origin)) overview.origin = origins[0][0];
  const origin = DATA.origins[overview.origin];
  overview.measure = Math.min(overview.measure, origin.measures.length - 1);
  const measure = origin.measures[overview.measure];
  const lines = await overviewRows(origin);
  const late = (number) => (Number.isFinite(number) ? number : Infinity);
  const turn = measure.higher ? 1 : -1;
  const compare = {
    hard: (x, y) => byNumber(late(turn * x.mean), late(turn * y.mean)),
    spread: (x, y) => byNumber(late(-x.spread), late(-y.spread)),
    unjudged: (x, y) => byNumber(-x.unjudged, -y.unjudged),
    id: () => 0,
  }[overview.sort];
  lines.sort((x, y) => compare(x, y) || collator.compare(origin.queries[x.query], origin.queries[y.query]));
  const set = (name, read = Number) => (value) => {
    overview[name] = read(value);
    showHardQueries().then(() => focusControl(`overview-${name}`));
  };
  const counted = lines.some((line) => line.unjudged > 0);
  const heads = [capitalized(origin.words.query), "Mean", "Best", "Best system", "Worst", "Range", counted ? `Unjudged in the top ${origin.items.top}` : null];
  section.replaceChildren(
    make("h2", { id: "queries-title" }, capitalized(origin.words.queries)),
    make("div", { class: "controls" },
      origins.length > 1 ? choice("overview-origin", "Collection", origins, overview.origin, set("origin")) : null,
      choice("overview-measure", "Measure", origin.measures.map((one, at) => [at, one.shown]), overview.measure, set("measure")),
      choice("overview-sort", "Sort", QUERY_SORTS.filter(([name]) => counted || name !== "unjudged"), overview.sort, set("sort", String))),
    make("p", { class: "small" }, `${measure.shown} of all systems on each ${origin.words.query}. A ${origin.words.query} opens the worst and the best system.`),
    scrolled(`${capitalized(origin.words.queries)} of all systems`, {}, make("table", { class: "queries overview", id: "query-table" },
      make("thead", {}, make("tr", {}, heads.filter((text) => text !== null).map((text, at) =>
        make("th", { scope: "col", class: at && text !== "Best system" ? "n" : "t" }, text)))),
      make("tbody", {}, lines.slice(0, overview.most).map((line) => overviewLine(origin, measure, line, counted))))),
    ...(lines.length > overview.most ? [button(`Show all ${lines.length}`, () => {
      overview.most = lines.length;
      showHardQueries();
    }, { class: "plain" })] : []));
}

async function overviewRows(origin) {
  const valueOf = await valuesOf(origin, overview.measure);
  const unjudged = await unjudgedOf(origin);
  const systems = origin.systems.map((_, at) => at);
  const turn = origin.measures[overview.measure].higher ? 1 : -1;
  return origin.queries.map((_, query) => {
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
    };
  });
}

// the worst and the best system on a query
async function extremes(at, query) {
  overview.origin = at;
  const line = (await overviewRows(DATA.origins[at]))[query];
  return { system: line.worst, against: line.best === line.worst ? null : line.best };
}

function overviewLine(origin, measure, line, counted) {
  const text = origin.queryTexts[line.query];
  const number = (value, digits = measure.digits) => make("td", { class: "n", "data-value": value }, fixed(value, digits));
  const open = { ...OPEN, origin: overview.origin, measure: overview.measure, system: line.worst, against: line.best === line.worst ? null : line.best, query: line.query };
  return make("tr", {},
    make("th", { scope: "row", class: "t" },
      button(origin.queries[line.query], (event) => go({ open }, { from: event.currentTarget }), { class: "link" }),
      text ? make("span", { class: "query-text", dir: "auto" }, text) : null),
    number(line.mean), number(line.values[0]), make("td", { class: "t" }, origin.systems[line.best]),
    number(line.values[1]), number(line.spread), counted ? number(line.unjudged, 1) : null);
}
