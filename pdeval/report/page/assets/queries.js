// The queries behind a cell: values of two systems, their differences as a scatter and a histogram, filters, a list.

const SORTS = [
  ["size", "Largest difference first"],
  ["gain", "Best difference first"],
  ["loss", "Worst difference first"],
  ["best", "Best value first"],
  ["worst", "Worst value first"],
  ["query", "Id"],
];
const RESULTS = [["all", "All"], ["won", "Won"], ["lost", "Lost"], ["tied", "Tied"]];
const AT_ONCE = 100;

async function showQueries(focus) {
  const open = state.open;
  const origin = DATA.origins[open.origin];
  const measure = origin.measures[open.measure];
  const title = `${origin.title ? `${origin.title}: ` : ""}${origin.systems[open.system]}, ${measure.shown}`;
  whole.delete("list");
  if (!CAN_UNPACK) return showPanel(title, [make("p", {}, CANNOT)], { focus });
  const account = await pairAccount(origin, open);
  const known = origin.values ? await queryRows(origin, open) : [];
  if (state.open !== open) return undefined; // another cell was opened meanwhile, or the panel closed
  if (!origin.values) {
    const text = `This page has no values per ${origin.words.query}; see the notes below the table.`;
    return showPanel(title, [make("p", {}, text), account], { focus });
  }
  const list = make("div");
  const redraw = () => list.replaceChildren(...queryList(origin, open, known, redraw));
  redraw();
  const charts = open.against === null ? null : make("div", { class: "charts" },
    scatter(origin, open, known), histogram(origin, open, known));
  return showPanel(title, [againstChoice(origin, open), meanLine(origin, open, known), account, charts, list], { focus });
}

// a row per query that counts for the system; a difference is positive if the system is better
async function queryRows(origin, open) {
  const measure = origin.measures[open.measure];
  const valueOf = await valuesOf(origin, open.measure);
  const unjudged = await unjudgedOf(origin);
  const paired = measure.preference && open.against !== null ?
    await preferencesOf(origin, measure.label, open.system, open.against) : null;
  const turn = measure.higher ? 1 : -1;
  const known = [];
  for (let query = 0; query < origin.queries.length; query += 1) {
    const value = valueOf(query, open.system);
    const base = open.against === null ? NaN : valueOf(query, open.against);
    if (Number.isNaN(value)) continue;
    const difference = paired ? paired[query] : value === base ? 0 : turn * (value - base);
    const counts = unjudged ? [open.system, open.against].map((one) => (one === null ? 0 : unjudged(query, one))) : null;
    const result = Number.isNaN(difference) ? "none" : difference > 0 ? "won" : difference < 0 ? "lost" : "tied";
    known.push({ query, value, base, difference, result, unjudged: counts });
  }
  return known;
}

function inOrder(known, origin, open) {
  const turn = origin.measures[open.measure].higher ? 1 : -1;
  const late = (number) => (Number.isNaN(number) ? -Infinity : number);
  const falling = (x, y) => byNumber(y, x);
  const compare = {
    size: (x, y) => falling(late(Math.abs(x.difference)), late(Math.abs(y.difference))),
    gain: (x, y) => falling(late(x.difference), late(y.difference)),
    loss: (x, y) => falling(late(-x.difference), late(-y.difference)),
    best: (x, y) => falling(turn * x.value, turn * y.value),
    worst: (x, y) => falling(turn * y.value, turn * x.value),
    query: () => 0,
  }[sortChosen(open)];
  return [...known].sort((x, y) => compare(x, y) || collator.compare(origin.queries[x.query], origin.queries[y.query]));
}

function sortChosen(open) {
  const chosen = SORTS.some(([name]) => name === state.queries) ? state.queries : "size";
  if (open.against !== null) return chosen;
  return { size: "best", gain: "best", loss: "worst" }[chosen] ?? chosen;
}

// the queries that the filters keep: result, unjudged documents, metadata
function filtered(known, origin, open) {
  return known.filter((row) => (open.against === null || state.result === "all" || row.result === state.result) &&
    (!state.unjudged || !row.unjudged || row.unjudged.some((one) => one > 0)) &&
    origin.queryFacets.every((facet) => {
      const wanted = state.queryFilters.get(facet.name);
      return wanted === undefined || facet.values[facet.rows[row.query]] === wanted;
    }));
}

function againstChoice(origin, open) {
  if (origin.systems.length < 2) return null;
  const others = origin.systems.map((name, at) => [at, name]).filter(([at]) => at !== open.system);
  return choice("against", "Against", [["", "no other system"], ...others], open.against ?? "", (value) => {
    go({ open: { ...open, against: value === "" ? null : Number(value) } }, { focus: false }).then(() => focusControl("against"));
  });
}

function meanLine(origin, open, known) {
  const { digits } = origin.measures[open.measure];
  const { query, queries } = origin.words;
  const finite = known.map((row) => row.value).filter(Number.isFinite).sort(byNumber);
  const text = `${count(known.length, query, queries)}${known.length < origin.of ? ` of ${origin.of.toLocaleString("en")}` : ""}`;
  if (!finite.length) return make("p", { class: "line" }, text);
  const last = finite.length - 1;
  const at = (share) => fixed((finite[Math.floor(share * last)] + finite[Math.ceil(share * last)]) / 2, digits);
  return make("p", { class: "line" }, `${text}; from ${at(0)} to ${at(1)}, median ${at(0.5)}.`);
}

// the system compared with the other one by every measure
async function pairAccount(origin, open) {
  if (open.against === null || !origin.pairs.length) return null;
  const unpacked = await Promise.all(origin.pairs.map((one) => unpack(one.data)));
  const lines = origin.pairs.map((one, at) => {
    const pair = pairOf(origin, unpacked[at], open.system, open.against);
    if (!pair) return null;
    const known = origin.measures.find((measure) => measure.label === one.label);
    const chosen = known && known === origin.measures[open.measure];
    const tied = pair.n - pair.won - pair.lost;
    return make("tr", chosen ? { class: "chosen" } : {},
      make("th", { scope: "row", class: "t" }, known ? known.shown : one.label),
      make("td", { class: "n" }, signed(pair.difference, known ? known.digits : 3)),
      make("td", { class: "n" }, Number.isNaN(pair.won) ? DASH : `${pair.won} / ${pair.lost} / ${tied}`),
      make("td", { class: "n" }, chance(pair.p)),
      make("td", { class: "n" }, chance(pair.adjusted), pair.mark ? ` ${pair.mark}` : ""));
  }).filter(Boolean);
  if (!lines.length) return null;
  const how = [...new Set(origin.pairs.map((one) => one.how).filter(Boolean))];
  const head = ["", "Difference", "Won / lost / tied", "p", "Adjusted p"];
  const marked = origin.baselines.includes(open.against) ?
    ` The marks of the report are adjusted for the comparisons with ${origin.systems[open.against]} only.` : "";
  return make("div", { class: "account" }, scrolled(`Against ${origin.systems[open.against]}`, {},
    make("table", {},
      make("caption", {}, `Against ${origin.systems[open.against]}`),
      make("thead", {}, make("tr", {}, head.map((text, at) => (text ?
        make("th", { scope: "col", class: at ? "n" : "t" }, text) : make("td"))))),
      make("tbody", {}, lines))),
    make("p", { class: "small" }, `Positive: ${origin.systems[open.system]} has the better mean. Adjusted for all pairs of a measure; ` +
      `${MARKED}${how.length ? ` (${how.join("; ")})` : ""}.${marked}`));
}

function queryControls(origin, open, known) {
  const differs = open.against !== null;
  const set = (name) => (value) => go({ [name]: value }, { focus: false }).then(() => focusControl(name));
  const sorts = SORTS.filter(([name]) => differs || !["size", "gain", "loss"].includes(name));
  const facets = origin.queryFacets.map((facet) => {
    const values = [...facet.values].sort(collator.compare).map((value) => [value, value]);
    return choice(`query:${facet.name}`, facet.name, [["", "all"], ...values], state.queryFilters.get(facet.name) ?? "", (value) => {
      const kept = new Map(state.queryFilters);
      if (value) kept.set(facet.name, value);
      else kept.delete(facet.name);
      go({ queryFilters: kept }, { focus: false }).then(() => focusControl(`query:${facet.name}`));
    });
  });
  return make("div", { class: "controls" },
    choice("queries", "Sort", sorts, sortChosen(open), set("queries")),
    differs ? choice("result", "Show", RESULTS, state.result, set("result")) : null,
    known.some((row) => row.unjudged?.some((one) => one > 0)) ?
      check("unjudged", `Unjudged in the top ${origin.items.top}`, state.unjudged, set("unjudged")) : null,
    facets);
}

function queryList(origin, open, known, redraw) {
  const measure = origin.measures[open.measure];
  const differs = open.against !== null;
  const kept = inOrder(filtered(known, origin, open), origin, open);
  const size = (row) => Math.abs(differs ? row.difference : row.value);
  const largest = Math.max(...kept.map(size).filter(Number.isFinite), 0);
  const counted = known.some((row) => row.unjudged?.some((one) => one > 0));
  const head = () => [
    make("th", { scope: "col", class: "t" }, capitalized(origin.words.query)),
    make("th", { scope: "col", class: "n" }, origin.systems[open.system]),
    differs ? [make("th", { scope: "col", class: "n" }, origin.systems[open.against]),
      make("th", { scope: "col", class: "n" }, measure.preference ? "Preference" : "Difference")] : null,
    counted ? make("th", { scope: "col", class: "n", title: `Unjudged ${origin.words.docs} in the top ${origin.items.top}` }, "Unjudged") : null,
    make("td")];
  const build = (size) => make("table", { class: "queries main" }, make("thead", {}, make("tr", {}, head())),
    make("tbody", {}, kept.slice(0, size).map((row) => queryLine(origin, open, row, measure, differs, largest))));
  return [
    queryControls(origin, open, known),
    make("p", { class: "small", id: "tally" }, differs ? tally(kept) : count(kept.length, origin.words.query, origin.words.queries)),
    ...firstRows("list", capitalized(origin.words.queries), [kept.length, origin.words.queries], AT_ONCE, build, redraw),
  ];
}

function tally(kept) {
  const counts = { won: 0, lost: 0, tied: 0, none: 0 };
  for (const row of kept) counts[row.result] += 1;
  return `${counts.won} won, ${counts.lost} lost, ${counts.tied} tied${counts.none ? `, ${counts.none} without the other` : ""}.`;
}

function queryLine(origin, open, row, measure, differs, largest) {
  const size = differs ? row.difference : row.value;
  const bar = make("span", { class: `bar-of ${differs ? row.result : "value"}` });
  const share = largest > 0 && Number.isFinite(size) ? Math.abs(size) / largest : 0;
  bar.style.width = `${((differs ? 50 : 100) * share).toFixed(1)}%`;
  const text = origin.queryTexts[row.query];
  return make("tr", {},
    make("th", { scope: "row", class: "t" },
      button(origin.queries[row.query], () => go({ open: { ...open, query: row.query } }), { class: "link", "data-query": row.query }),
      text ? make("span", { class: "query-text", dir: "auto" }, text) : null),
    make("td", { class: "n", "data-value": row.value }, fixed(row.value, measure.digits)),
    differs ? [make("td", { class: "n", "data-value": row.base }, fixed(row.base, measure.digits)),
      make("td", { class: `n ${row.result}`, "data-value": row.difference }, signed(row.difference, measure.digits))] : null,
    row.unjudged ? make("td", { class: "n" }, row.unjudged.some((one) => one > 0) ? row.unjudged.slice(0, differs ? 2 : 1).join(" / ") : make("span", { class: "faint" }, "0")) : null,
    make("td", { class: `bars ${differs ? "two" : ""} ${row.result}`, "aria-hidden": "true" }, bar));
}
