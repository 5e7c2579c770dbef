// The queries behind a cell: each with its value and its difference from another system, as a list and as a strip.

const SORTS = [
  ["gain", "Difference, best first"],
  ["loss", "Difference, worst first"],
  ["best", "Value, best first"],
  ["worst", "Value, worst first"],
  ["query", "Query"],
];
const RESULTS = [["all", "All"], ["won", "Won"], ["lost", "Lost"], ["tied", "Tied"]];
const AT_ONCE = 250;
const listing = { sort: "gain", result: "all", most: AT_ONCE };

async function openQueries(open, from = null, focus = true) {
  state.open = open;
  listing.most = AT_ONCE;
  const origin = DATA.origins[open.origin];
  const title = `${origin.systems[open.system]}, ${origin.measures[open.measure].shown}`;
  if (!CAN_UNPACK) return showPanel(title, [make("p", {}, CANNOT)], { from, focus });
  const account = await pairAccount(origin, open);
  if (!origin.values) {
    const text = `This page has no values per ${origin.words.query}; see the notes below the table.`;
    return showPanel(title, [make("p", {}, text), account], { from, focus });
  }
  const values = await unpack(origin.values[open.measure]);
  if (state.open !== open) return undefined; // something else was opened meanwhile
  const known = queryRows(origin, open, values);
  const body = make("div");
  const redraw = () => body.replaceChildren(...queryList(origin, open, known, redraw));
  redraw();
  const name = origin.title ? `${origin.title}: ${title}` : title;
  return showPanel(name, [againstChoice(origin, open), meanLine(origin, open, known), account, body], { from, focus });
}

// a row per query that counts for the system; a difference is positive where the system is better
function queryRows(origin, open, values) {
  const size = origin.systems.length;
  const turn = origin.measures[open.measure].higher ? 1 : -1;
  const found = [];
  for (let query = 0; query < origin.queries.length; query += 1) {
    const value = asNumber(values[query * size + open.system]);
    const base = open.against === null ? NaN : asNumber(values[query * size + open.against]);
    if (Number.isNaN(value)) continue;
    const difference = origin.preferences ? value : value === base ? 0 : turn * (value - base);
    found.push({ query, value, base, difference, result: resultOf(difference) });
  }
  return found;
}

function resultOf(difference) {
  if (Number.isNaN(difference)) return "none";
  return difference > 0 ? "won" : difference < 0 ? "lost" : "tied";
}

function inOrder(known, origin, open) {
  const turn = origin.measures[open.measure].higher ? 1 : -1;
  const late = (number) => (Number.isNaN(number) ? -Infinity : number);
  const falling = (x, y) => (x === y ? 0 : x > y ? -1 : 1);
  const compare = {
    gain: (x, y) => falling(late(x.difference), late(y.difference)),
    loss: (x, y) => falling(late(-x.difference), late(-y.difference)),
    best: (x, y) => falling(turn * x.value, turn * y.value),
    worst: (x, y) => falling(turn * y.value, turn * x.value),
    query: () => 0,
  }[sortChosen(origin, open)];
  return [...known].sort((x, y) => compare(x, y) ||
    collator.compare(origin.queries[x.query], origin.queries[y.query]));
}

function hasDifference(origin, open) {
  return origin.preferences || open.against !== null;
}

function sortChosen(origin, open) {
  if (hasDifference(origin, open)) return listing.sort;
  return { gain: "best", loss: "worst" }[listing.sort] ?? listing.sort;
}

function againstChoice(origin, open) {
  if (origin.preferences || origin.systems.length < 2) return null;
  const others = origin.systems.map((name, at) => [at, name]).filter(([at]) => at !== open.system);
  return choice("Against", [["", "no other system"], ...others], open.against ?? "", (value) => {
    openQueries({ ...open, against: value === "" ? null : Number(value), query: null }, null, false)
      .then(() => panel.querySelector("select")?.focus());
  });
}

function meanLine(origin, open, known) {
  const measure = origin.measures[open.measure];
  const finite = known.map((row) => row.value).filter(Number.isFinite);
  const words = origin.words;
  const held = `${count(known.length, words.query, words.queries)}${known.length < origin.of ? ` of ${origin.of.toLocaleString("en")} held` : ""}`;
  if (!finite.length) return make("p", { class: "line" }, held);
  const sorted = [...finite].sort((x, y) => x - y);
  const last = sorted.length - 1;
  const at = (share) => fixed((sorted[Math.floor(share * last)] + sorted[Math.ceil(share * last)]) / 2, measure.digits);
  return make("p", { class: "line" }, `${held}; from ${at(0)} to ${at(1)}, median ${at(0.5)}.`);
}

// how the system stands to the other one by every measure that pairs are held of
async function pairAccount(origin, open) {
  if (open.against === null || !origin.pairs.length) return null;
  const held = await Promise.all(origin.pairs.map((one) => unpack(one.data)));
  const lines = origin.pairs.map((one, at) => {
    const pair = pairOf(origin, held[at], open.system, open.against);
    if (!pair) return null;
    const known = origin.measures.find((measure) => measure.label === one.label);
    const tied = pair.n - pair.won - pair.lost;
    const own = known && known === origin.measures[open.measure];
    return make("tr", own ? { class: "own" } : {},
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
    ` The marks in the table are adjusted for the comparisons with ${origin.systems[open.against]} alone.` : "";
  return make("div", { class: "account" }, scrolled(`Against ${origin.systems[open.against]}`, {},
    make("table", {},
      make("caption", {}, `Against ${origin.systems[open.against]}`),
      make("thead", {}, make("tr", {}, head.map((text, at) => (text ?
        make("th", { scope: "col", class: at ? "n" : "t" }, text) : make("td"))))),
      make("tbody", {}, lines))),
    make("p", { class: "small" }, `Positive: ${origin.systems[open.system]} has the better mean. Adjusted for all pairs of a measure; ` +
      `${MARKED}${how.length ? ` (${how.join("; ")})` : ""}.${marked}`));
}

function queryList(origin, open, known, redraw) {
  const measure = origin.measures[open.measure];
  const differs = hasDifference(origin, open);
  const found = inOrder(known, origin, open).filter((row) => listing.result === "all" || !differs ||
    row.result === listing.result);
  const sorts = SORTS.filter(([name]) => differs || (name !== "gain" && name !== "loss"));
  const set = (name) => (value) => {
    listing[name] = value;
    listing.most = AT_ONCE;
    redraw();
    [...panel.querySelectorAll("label.choice")].find((one) => one.dataset.name === name)?.lastChild.focus();
    tell(count(inOrder(known, origin, open).length, origin.words.query, origin.words.queries));
  };
  const controls = [choice("Sort", sorts, sortChosen(origin, open), set("sort"))];
  if (differs) controls.push(choice("Show", RESULTS, listing.result, set("result")));
  controls.forEach((control, at) => { control.dataset.name = at ? "result" : "sort"; });
  const largest = Math.max(...found.map((row) => Math.abs(differs ? row.difference : row.value)).filter(Number.isFinite), 0);
  const lines = found.slice(0, listing.most).map((row) => queryLine(origin, open, row, measure, differs, largest, found));
  const base = differs && !origin.preferences;
  const head = [origin.words.query[0].toUpperCase() + origin.words.query.slice(1), base ? origin.systems[open.system] : measure.shown,
    base ? origin.systems[open.against] : null, base ? "Difference" : null];
  const more = found.length - lines.length;
  return [
    make("div", { class: "controls" }, controls),
    strip(origin, open, found, differs, largest),
    differs ? make("p", { class: "small" }, tally(found)) : null,
    make("div", { class: "scroll" }, make("table", { class: "queries" },
      make("thead", {}, make("tr", {}, head.map((text, at) => (text === null ? null :
        make("th", { scope: "col", class: at ? "n" : "t" }, text))), make("td"))),
      make("tbody", {}, lines))),
    more > 0 ? button(`Show ${Math.min(more, AT_ONCE)} more of ${more}`, () => {
      listing.most += AT_ONCE;
      redraw();
    }) : null,
  ].filter(Boolean);
}

function tally(found) {
  const counts = { won: 0, lost: 0, tied: 0, none: 0 };
  for (const row of found) counts[row.result] += 1;
  return `${counts.won} won, ${counts.lost} lost, ${counts.tied} tied${counts.none ? `, ${counts.none} without the other` : ""}.`;
}

function queryLine(origin, open, row, measure, differs, largest, found) {
  const shown = differs ? row.difference : row.value;
  const bar = make("span", { class: `bar-of ${differs ? row.result : "value"}` });
  const share = largest > 0 && Number.isFinite(shown) ? Math.abs(shown) / largest : 0;
  bar.style.width = `${((differs ? 50 : 100) * share).toFixed(1)}%`;
  const act = (event) => openItems({ ...open, query: row.query }, found.map((one) => one.query), event.currentTarget);
  const base = differs && !origin.preferences;
  return make("tr", {},
    make("th", { scope: "row", class: "t" }, button(origin.queries[row.query], act, { class: "link" })),
    make("td", { class: "n" }, fixed(row.value, measure.digits)),
    base ? make("td", { class: "n" }, fixed(row.base, measure.digits)) : null,
    base ? make("td", { class: "n" }, signed(row.difference, measure.digits)) : null,
    make("td", { class: `bars ${differs ? "two" : ""} ${row.result}`, "aria-hidden": "true" }, bar));
}

// a bar per query, in the order of the list: above the line where the system is better, or its value
function strip(origin, open, found, differs, largest) {
  const width = 640;
  const height = 96;
  const middle = differs ? height / 2 : height;
  const step = width / Math.max(found.length, 1);
  const drawing = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "strip", preserveAspectRatio: "none", role: "img",
    "aria-label": `${differs ? "Difference" : "Value"} of each ${origin.words.query}, in the order of the list below` });
  found.forEach((row, at) => {
    const shown = differs ? row.difference : row.value;
    if (!Number.isFinite(shown)) return;
    const size = largest > 0 ? (Math.abs(shown) / largest) * (middle - 2) : 0;
    const bar = drawn("rect", { x: (at * step).toFixed(2), width: Math.max(step * 0.86, 0.4).toFixed(2),
      y: (shown >= 0 ? middle - size : middle).toFixed(2), height: Math.max(size, 0.6).toFixed(2),
      class: differs ? row.result : "value", "data-query": row.query });
    bar.append(drawn("title", {}, `${origin.queries[row.query]}: ${signed(shown, origin.measures[open.measure].digits)}`));
    drawing.append(bar);
  });
  if (differs) drawing.append(drawn("line", { x1: 0, x2: width, y1: middle, y2: middle }));
  drawing.addEventListener("click", (event) => {
    const query = event.target.dataset.query;
    if (query !== undefined) openItems({ ...open, query: Number(query) }, found.map((one) => one.query));
  });
  return make("div", { class: "strip-box" }, drawing);
}
