// The tools over the table, the keys, and what the address says when the page is opened.

const KEYS = [
  ["/", "search"],
  ["Arrow keys, Home, End", "from cell to cell"],
  ["Enter", "open a cell, a query"],
  ["Escape", "back, close"],
  ["t, p", "table, pairs"],
  ["?", "these keys"],
];
const MOST_FOUND = 12;

function tools() {
  const box = byId("tools");
  const search = make("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false",
    placeholder: "Search", "aria-label": `Search ${NOUN[1]} and queries`, "aria-keyshortcuts": "/", on: { input: () => {
      state.search = search.value;
      narrow();
    }, keydown: (event) => {
      if (event.key !== "Escape") return;
      search.value = state.search = "";
      narrow();
    } } });
  const groupings = [["", "none"], ...(rows.some((row) => row.title) ? [[AS_REPORTED, AS_REPORTED]] : []),
    ...DATA.facets.map((facet) => [facet.name, facet.name])];
  const filters = DATA.facets.map((facet) => {
    const values = [...facet.values].sort(collator.compare).map((value) => [value, value]);
    const control = choice(facet.name, [["", "all"], ...values], "", (value) => {
      if (value) state.filters.set(facet.name, value);
      else state.filters.delete(facet.name);
      narrow();
    });
    control.dataset.facet = facet.name;
    return control;
  });
  const views = DATA.origins.some((one) => one.pairs.length) ? make("div", { class: "views", role: "group", "aria-label": "View" },
    button("Table", () => setView("table"), { id: "view-table" }), button("Pairs", () => setView("pairs"), { id: "view-pairs" })) : null;
  const group = groupings.length > 1 ? choice("Group by", groupings, state.group, (value) => {
    state.group = value;
    showTable();
    writeAddress();
  }) : null;
  if (group) group.id = "group";
  box.append(...[views, search, group, ...filters, make("span", { id: "left", class: "small" }),
    button("Keys", openKeys, { class: "plain keys", "aria-haspopup": "dialog" })].filter(Boolean));
  box.after(make("div", { id: "found", class: "controls", hidden: true }));
  box.hidden = false;
  const opens = DATA.origins.some((one) => one.values) ? "; a number opens its queries" : "";
  const items = DATA.origins.some((one) => one.items) ? ", a query its items" : "";
  byId("contents").append(make("span", { class: "hint" }, ` \u00b7 A header sorts${opens}${items}.`));
}

function setView(view) {
  state.view = view;
  byId("scroll").hidden = view === "pairs";
  byId("pairs").hidden = view !== "pairs";
  for (const name of ["table", "pairs"]) byId(`view-${name}`)?.setAttribute("aria-pressed", String(name === view));
  writeAddress();
  return view === "pairs" ? showPairs() : Promise.resolve();
}

// queries whose id has what is searched for; a click opens the query, for the first system and its baseline
function showFoundQueries() {
  const wanted = state.search.trim().toLowerCase();
  const box = byId("found");
  const found = [];
  if (wanted) {
    DATA.origins.forEach((origin, at) => origin.queries.forEach((name, query) => {
      if (name.toLowerCase().includes(wanted)) found.push([at, query, name]);
    }));
  }
  box.hidden = !found.length;
  box.replaceChildren();
  if (!found.length) return 0;
  const act = ([at, query]) => (event) => {
    const origin = DATA.origins[at];
    const against = origin.baselines[0] ?? null;
    const system = against === 0 && origin.systems.length > 1 ? 1 : 0;
    cameFrom = event.currentTarget;
    openItems({ origin: at, measure: 0, system, against, query }, found.filter(([own]) => own === at).map((one) => one[1]));
  };
  box.append(make("span", { class: "small" }, `${count(found.length, "query", "queries")}:`),
    ...found.slice(0, MOST_FOUND).map((one) => button(one[2], act(one), { class: "link" })));
  if (found.length > MOST_FOUND) box.append(make("span", { class: "small" }, `and ${found.length - MOST_FOUND} more`));
  return found.length;
}

function openKeys() {
  const dialog = make("dialog", { "aria-labelledby": "keys-title", on: { close: () => dialog.remove() } },
    make("h2", { id: "keys-title" }, "Keys"),
    make("dl", {}, KEYS.map(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)])),
    button("Close", () => dialog.close(), { class: "plain" }));
  document.body.append(dialog);
  dialog.showModal();
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog")) return;
  if (event.target.closest("input, select, textarea")) return;
  const acts = {
    "/": () => byId("search").focus(),
    "?": openKeys,
    t: () => byId("view-table")?.click(),
    p: () => byId("view-pairs")?.click(),
    Escape: () => (panel.hidden ? undefined : closePanel()),
  };
  if (!(event.key in acts)) return;
  event.preventDefault();
  acts[event.key]();
}

async function follow() {
  readAddress();
  if (!heads.has(state.sort)) state.sort = null;
  byId("search").value = state.search;
  const group = byId("group");
  if (group) group.lastChild.value = state.group;
  for (const control of document.querySelectorAll("[data-facet]")) {
    control.lastChild.value = state.filters.get(control.dataset.facet) ?? "";
  }
  const open = state.open;
  narrow();
  await setView(state.view);
  if (!open) {
    if (!panel.hidden) closePanel();
    return;
  }
  const cell = table.querySelector(`button.cell[data-at="${open.origin} ${open.measure} ${open.system}"]`);
  cameFrom = cell;
  if (open.query !== null) await openItems(open, DATA.origins[open.origin].queries.map((_, at) => at));
  else await openQueries(open, cell);
}

tools();
document.addEventListener("keydown", onKey);
document.querySelector("a.skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address says what is open, not where the page is
  byId("scroll").focus();
});
addEventListener("hashchange", follow);
document.body.classList.add("ready");
follow();
