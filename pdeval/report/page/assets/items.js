// All known documents of a query with their ranks in each run, and the recall levels of the preference.

const FEW_COLUMNS = 3;
const ITEMS_AT_ONCE = 50;
let everyRun = false;
let itemSort = "grade";
let itemsOpen = false;

// what each document adds: in each run, and for two runs the difference
function addedColumns(origin, open, items, runs, factors) {
  const columns = runs.map((run) => ({ name: origin.items.runs[run], values: addedIn(items, run, factors), signed: false }));
  if (columns.length === 2) {
    const [first, second] = columns.map((one) => one.values);
    columns.push({ name: "Difference", values: first.map((value, at) => value - second[at]), signed: true });
  }
  const digits = origin.measures[open.measure].digits + 1;
  for (const one of columns) one.text = (value) => (one.signed ? signed(value, digits) : fixed(value, digits));
  return columns;
}

function addedCell(column, item) {
  const value = column.values[item];
  const kind = column.signed ? (value > 0 ? " won" : value < 0 ? " lost" : " tied") : "";
  return make("td", { class: `n adds${kind}`, "data-value": value }, value === 0 ? make("span", { class: "faint" }, "0") : column.text(value));
}

function documentTable(origin, open, items, factors, opened) {
  const { words } = origin;
  const front = [...runsOf(origin, open.system), ...(open.against === null ? [] : runsOf(origin, open.against))];
  const several = front.length > (open.against === null ? 1 : 2);
  const rest = everyRun ? origin.items.runs.map((_, at) => at).filter((at) => !front.includes(at)) : [];
  const adds = factors && isWhole(items) && !several ? addedColumns(origin, open, items, front, factors) : [];
  const measure = origin.measures[open.measure].shown;
  const sorts = [["grade", "Grade"], ...front.map((run) => [String(run), `Rank in ${origin.items.runs[run]}`])];
  if (adds.length) sorts.push(["adds", adds.length > 1 ? `Difference in ${measure}` : `What it adds to ${measure}`]);
  const order = items.docs.map((_, at) => at);
  const run = front.map(String).includes(itemSort) ? Number(itemSort) : null;
  const byAdded = adds.length > 0 && itemSort === "adds";
  if (run !== null) order.sort((x, y) => byNumber(rankOf(items, x, run), rankOf(items, y, run)) || x - y);
  if (byAdded) order.sort((x, y) => Math.abs(adds.at(-1).values[y]) - Math.abs(adds.at(-1).values[x]) || x - y);
  const kind = front.length + rest.length + adds.length > FEW_COLUMNS ? "run" : "n"; // upright names take less space
  const runHead = (one) => make("th", { scope: "col", title: origin.items.runs[one], class: `${kind}${front.includes(one) ? " near" : ""}` },
    make("span", {}, origin.items.runs[one]));
  const head = () => [
    adds.length ? make("tr", { class: "over" }, make("td", { colspan: 2 }),
      make("th", { scope: "colgroup", class: "over", colspan: front.length }, "Rank in"),
      make("th", { scope: "colgroup", class: "over", colspan: adds.length }, `Adds to ${measure}`),
      rest.length ? make("th", { scope: "colgroup", class: "over", colspan: rest.length }, "Rank in other runs") : null) : null,
    make("tr", {}, make("th", { scope: "col", class: "t" }, capitalized(words.doc)), make("th", { scope: "col", class: "n" }, "Grade"),
      front.map(runHead), adds.map((one) => make("th", { scope: "col", class: kind, title: one.name }, make("span", {}, one.name))),
      rest.map(runHead))];
  const line = (item) => {
    const columns = [...front, ...rest];
    const ranks = columns.map((one) => rankOf(items, item, one));
    const best = ranks.length > 1 ? Math.min(...ranks) : NaN;
    return make("tr", { class: items.relevant[item] ? "relevant" : "" },
      make("th", { scope: "row", class: "t doc" }, items.docs[item]),
      make("td", { class: `n${isUnjudged(items, item) ? " faint" : ""}` }, gradeText(items, item)),
      ranks.slice(0, front.length).map((rank) => rankCell(rank, best, " near")),
      adds.map((one) => addedCell(one, item)),
      ranks.slice(front.length).map((rank) => rankCell(rank, best, "")));
  };
  const build = (size) => make("table", { class: "items main" }, make("thead", {}, head()), make("tbody", {}, order.slice(0, size).map(line)),
    adds.length ? addedSums(adds, front.length, rest.length) : null);
  const again = () => showQuery(false);
  const cut = isWhole(items) ? "" : `${items.docs.length} of ${items.of} ${words.docs} are on the page. `;
  const details = make("details", { open: opened || itemsOpen, class: "documents", on: { toggle: () => { itemsOpen = details.open; } } },
    make("summary", {}, `All ${items.docs.length} ${words.docs} with their ranks`),
    several ? make("p", { class: "small" }, "The system is the mean of several runs: each has its own column.") : null,
    make("div", { class: "controls" },
      choice("items", "Sort", sorts, byAdded ? "adds" : run ?? "grade", (value) => {
        itemSort = value;
        again().then(() => focusControl("items"));
      }),
      origin.items.runs.length > front.length ? check("every", `Rank in every run (${origin.items.runs.length})`, everyRun, (checked) => {
        everyRun = checked;
        again().then(() => focusControl("every"));
      }) : null),
    firstRows("documents", `Ranks of the ${words.docs}`, [order.length, words.docs], ITEMS_AT_ONCE, build, again),
    make("p", { class: "small" }, `${cut}Ranks are from 1; ${DASH} not retrieved. Relevant ${words.docs} have a bar at their left; bold is the best rank.`),
    adds.length || origin.measures[open.measure].preference ? null : make("p", { class: "small" }, notAdded(origin, measure, factors, items)));
  return details;
}

// one line under the documents: what they add up to
function addedSums(columns, before, after) {
  return make("tfoot", {}, make("tr", {},
    make("th", { scope: "row", class: "t", colspan: before + 2 }, "Sum"),
    columns.map((one) => make("td", { class: "n" }, one.text(one.values.reduce((sum, value) => sum + value, 0)))),
    after ? make("td", { colspan: after }) : null));
}

function rankCell(rank, best, kind) {
  return make("td", { class: `n${kind}${rank === best && best < Infinity ? " first" : ""}` },
    rank === Infinity ? make("span", { class: "faint" }, DASH) : String(rank));
}

// why no column has what documents add
function notAdded(origin, measure, factors, items) {
  const { docs, doc } = origin.words;
  if (!factors) return `What each ${doc} adds to ${measure} does not follow from ranks and grades alone: explain() computes it.`;
  return isWhole(items) ? `What each ${doc} adds is shown for systems that are one run.` :
    `What each ${doc} adds to ${measure} is not shown: not all ${docs} are on the page.`;
}

// which system reaches each recall level at a better rank, and how the preference adds up
async function levelsTable(origin, open, items, a, b) {
  const steps = await preferenceSteps(origin, items, open.query, a, b);
  if (!steps?.length) return null;
  const rankText = (rank) => (rank === Infinity ? DASH : String(rank));
  const names = [origin.systems[open.system], origin.systems[open.against]];
  let sum = 0;
  const lines = steps.flatMap((one) => {
    const levels = one.levels.map(({ ranks, ahead, weight }, at) => {
      sum += weight * ahead;
      const text = ahead > 0 ? names[0] : ahead < 0 ? names[1] : ranks[0] === Infinity ? DASH : "tie";
      return make("tr", {},
        make("th", { scope: "row", class: "n" }, String(at + 1)),
        ranks.map((rank) => make("td", { class: "n" }, rankText(rank))),
        make("td", { class: `t ${ahead > 0 ? "won" : ahead < 0 ? "lost" : "tied"}` }, text),
        make("td", { class: "n" }, fixed(weight, 4)),
        make("td", { class: "n" }, signed(Math.abs(sum) < 1e-12 ? 0 : sum, 4)));
    });
    const who = `Users who want ${origin.words.docs} of ${one.name.replace(">=", "≥")}: ${(100 * one.share).toFixed(0)}%`;
    return steps.length > 1 ? [make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: 6 }, who)), ...levels] : levels;
  });
  const heads = [["Recall level", "n"], [names[0], "n"], [names[1], "n"], ["Better rank", "t"], ["Weight", "n"], ["Running sum", "n"]];
  const { label } = origin.users;
  return make("details", { open: origin.measures[open.measure].label === label, class: "levels" },
    make("summary", {}, `${label} on this ${origin.words.query}, recall level by recall level`),
    make("p", { class: "small" }, `Each line adds its weight for ${names[0]} and subtracts it for ${names[1]}; the last running sum is ${label}.`),
    scrolled("Recall levels", {}, make("table", { class: "queries levels" },
      make("thead", {}, make("tr", {}, heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)))),
      make("tbody", {}, lines))));
}
