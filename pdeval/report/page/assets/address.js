// The state of the page, and its address: every state is a link that has names, not numbers. Back and Forward work.

const OPEN = { origin: 0, measure: 0, system: 0, against: null, query: null };
const DEFAULTS = {
  view: "table", sort: null, order: "", group: null, search: "", reference: null, pairs: "", shown: "difference",
  collection: "", by: "", look: "look", result: "all", unjudged: false, queries: "size", open: null,
};
// sort, group and reference are null until the reader chooses one: the page then has a default
const state = { ...DEFAULTS, filters: new Map(), queryFilters: new Map() };

const VIEWS = ["table", "pairs", "queries"];
const TEXTS = ["sort", "group", "search", "reference", "pairs", "shown", "result", "queries", "order", "collection", "by", "look"];

function addressOf(values) {
  const params = new URLSearchParams();
  if (values.view !== DEFAULTS.view) params.set("view", values.view);
  for (const name of TEXTS) if (values[name] !== DEFAULTS[name]) params.set(name, values[name]);
  if (values.unjudged) params.set("unjudged", "yes");
  for (const [name, value] of values.filters) params.set(`is:${name}`, value);
  for (const [name, value] of values.queryFilters) params.set(`query:${name}`, value);
  if (values.open) {
    const { measure, system, against, query } = values.open;
    const origin = DATA.origins[values.open.origin];
    if (DATA.origins.length > 1) params.set("of", origin.title);
    params.set("system", origin.systems[system]);
    params.set("measure", origin.measures[measure].label);
    if (against !== null) params.set("against", origin.systems[against]);
    if (query !== null) params.set("query", origin.queries[query]);
  }
  return params.toString();
}

function readAddress() {
  const params = new URLSearchParams(embedded ? DATA.start ?? "" : location.hash.slice(1));
  Object.assign(state, DEFAULTS, { filters: new Map(), queryFilters: new Map() });
  if (VIEWS.includes(params.get("view"))) state.view = params.get("view");
  for (const name of TEXTS) if (params.has(name)) state[name] = params.get(name);
  state.unjudged = params.has("unjudged");
  for (const facet of DATA.facets) {
    const value = params.get(`is:${facet.name}`);
    if (facet.values.includes(value)) state.filters.set(facet.name, value);
  }
  for (const [name, value] of params) if (name.startsWith("query:")) state.queryFilters.set(name.slice(6), value);
  state.open = openFrom(params);
}

function openFrom(params) {
  const at = Math.max(0, DATA.origins.findIndex((one) => one.title === params.get("of")));
  const origin = DATA.origins[at];
  if (!params.has("system") || !origin) return null;
  const place = (names, name) => (names.includes(params.get(name)) ? names.indexOf(params.get(name)) : null);
  const system = place(origin.systems, "system");
  const measure = place(origin.measures.map((one) => one.label), "measure");
  if (system === null || measure === null) return null;
  return { ...OPEN, origin: at, measure, system, against: place(origin.systems, "against"), query: place(origin.queries, "query") };
}

// change the state: a new entry of the history, unless the change is small (typing)
function go(changes, { small = false, from = null, focus = true } = {}) {
  const before = addressOf(state);
  Object.assign(state, changes);
  const after = addressOf(state);
  if (!embedded && before !== after) {
    const url = after ? `#${after}` : location.pathname + location.search;
    try {
      if (small) history.replaceState(null, "", url);
      else history.pushState(null, "", url);
    } catch {
      // the frame of a notebook has no address
    }
  }
  return draw({ from, focus });
}

let linesDrawn = "";

// draw what the state says; the panel only if something in it changed
async function draw({ from = null, focus = false } = {}) {
  if (from) cameFrom = from;
  showTools();
  showTable();
  showMatches();
  await showView();
  const lines = JSON.stringify([state.open, state.result, state.unjudged, state.queries, [...state.queryFilters], wholeRanking]);
  if (lines === linesDrawn) return;
  linesDrawn = lines;
  if (!state.open) closePanel();
  else if (state.open.query === null) await showQueries(focus);
  else await showQuery(focus);
}
