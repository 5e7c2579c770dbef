// The tools over the table, the views, the keys, and the state when the page is opened.

const KEYS = [
  ["/", "search"],
  ["Arrow keys, Home, End", "from cell to cell"],
  ["Enter", "open a cell, a query"],
  ["Escape", "back, close"],
  ["t, p, q", "table, pairs, queries"],
  ["?", "these keys"],
];
const VIEW_TABLES = { table: "table", pairs: "pair-table", queries: "query-table" };
const hasQueries = DATA.origins.some((one) => one.values);

function tools() {
  const box = byId("tools");
  const search = make("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false",
    placeholder: "Search systems, queries, documents", "aria-label": `Search ${NOUN[1]}, queries and documents`, "aria-keyshortcuts": "/", on: {
      input: () => go({ search: search.value }, { small: true }),
      keydown: (event) => {
        if (event.key !== "Escape") return;
        search.value = "";
        go({ search: "" }, { small: true });
      } } });
  const groupings = [["", "none"], ...(hasGroups ? [[AS_REPORTED, AS_REPORTED]] : []), ...DATA.facets.map((facet) => [facet.name, facet.name])];
  const filters = DATA.facets.map((facet) => {
    const values = [...facet.values].sort(collator.compare).map((value) => [value, value]);
    return choice(`is:${facet.name}`, facet.name, [["", "all"], ...values], "", (value) => {
      const kept = new Map(state.filters);
      if (value) kept.set(facet.name, value);
      else kept.delete(facet.name);
      go({ filters: kept });
    });
  });
  const views = [["table", "Table", true], ["pairs", "Pairs", hasPairs], ["queries", "Queries", hasQueries && CAN_UNPACK]].filter(([, , has]) => has);
  const names = [...new Set(DATA.origins.flatMap((one) => one.systems))];
  const references = [...(hasMarks ? [[AS_REPORTED, AS_REPORTED]] : []), [BEST, "the best"], ...names.map((name) => [name, name])];
  box.append(...[
    views.length > 1 ? make("div", { class: "views", role: "group", "aria-label": "View" },
      views.map(([view, text]) => button(text, () => go({ view }), { id: `view-${view}` }))) : null,
    search,
    hasPairs ? choice("reference", "Significance against", references, "", (value) => go({ reference: value })) : null,
    groupings.length > 1 ? choice("group", "Group by", groupings, "", (value) => go({ group: value })) : null,
    ...filters,
    make("span", { id: "left", class: "small" }),
    exportMenu("main", () => byId(VIEW_TABLES[state.view]), DATA.title),
    make("span", { id: "copied", class: "small", "aria-hidden": "true" }),
    embedded ? null : button("Keys", openKeys, { class: "plain keys", "aria-haspopup": "dialog" }),
  ].filter(Boolean));
  box.after(make("div", { id: "matches", hidden: true }));
  box.hidden = false;
  const opens = hasQueries ? "; a system or a number opens its queries" : "";
  const items = DATA.origins.some((one) => one.items?.docs) ? ", a query both rankings" :
    DATA.origins.some((one) => one.answers) ? ", a query both answers" : "";
  byId("contents")?.append(make("span", { class: "hint" }, ` \u00b7 A header sorts${opens}${items}.`));
}

// the controls have the values of the state
function showTools() {
  const search = byId("search");
  if (search.value !== state.search) search.value = state.search;
  const values = { group: grouping(), reference: reference(), ...Object.fromEntries(DATA.facets.map((facet) => [`is:${facet.name}`, state.filters.get(facet.name) ?? ""])) };
  for (const control of byId("tools").querySelectorAll("label.choice")) {
    control.querySelector("select").value = values[control.dataset.name];
  }
}

function showView() {
  for (const view of VIEWS) {
    byId(view === "table" ? "scroll" : view).hidden = view !== state.view;
    byId(`view-${view}`)?.setAttribute("aria-pressed", String(view === state.view));
  }
  if (state.view !== "table") byId("legend").hidden = true;
  if (state.view === "pairs") return showPairs();
  return state.view === "queries" && hasQueries && CAN_UNPACK ? showHardQueries() : Promise.resolve();
}

function openKeys() {
  const dialog = make("dialog", { "aria-labelledby": "keys-title", on: { close: () => dialog.remove() } },
    make("h2", { id: "keys-title" }, "Keys"),
    make("dl", {}, KEYS.map(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)])),
    button("Close", () => dialog.close(), { class: "plain" }));
  app.append(dialog);
  dialog.showModal();
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || root.querySelector("dialog")) return;
  if (event.target.closest("input, select, textarea")) return;
  const acts = {
    "/": () => byId("search").focus(),
    "?": openKeys,
    t: () => byId("view-table")?.click(),
    p: () => byId("view-pairs")?.click(),
    q: () => byId("view-queries")?.click(),
    Escape: () => (panel.hidden ? undefined : go({ open: null })),
  };
  if (!(event.key in acts)) return;
  event.preventDefault();
  acts[event.key]();
}

tools();
readAddress();
if (!embedded) {
  document.addEventListener("keydown", onKey);
  root.querySelector("a.skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address is the state, not a place of the page
    byId("scroll").focus();
  });
  addEventListener("popstate", () => {
    readAddress();
    draw();
  });
}
app.classList.add("ready");
draw({ focus: state.open !== null && !embedded });
