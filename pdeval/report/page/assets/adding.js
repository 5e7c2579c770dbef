// What each relevant item adds to the measure, and each recall level to the preference: products of the data of the page.

function rankOf(items, item, run) {
  return items.ranks[run * items.docs.length + item] || Infinity;
}

// the factors of a measure on a query, or null where the page cannot tell what an item adds
async function factorsOf(origin, measure, query) {
  const held = origin.adds?.[measure];
  if (!held) return null;
  const { discount, weight } = await unpack(held.packed);
  return { gain: new Map(held.gain), byLevel: held.byLevel, only: held.only, discount, weight: asNumber(weight[query]) };
}

// what each item adds in one run: the recall level of an item is its place among those that count, in the order of ranks
function addedIn(items, run, factors) {
  const added = items.docs.map(() => 0);
  const counted = items.docs.map((_, item) => item)
    .filter((item) => factors.gain.has(items.grades[item]) && rankOf(items, item, run) < Infinity)
    .sort((x, y) => rankOf(items, x, run) - rankOf(items, y, run));
  counted.forEach((item, at) => {
    if (factors.only !== null && factors.only !== at + 1) return;
    const discount = factors.discount[rankOf(items, item, run) - 1] ?? 0;
    added[item] = factors.weight * factors.gain.get(items.grades[item]) * discount * (factors.byLevel ? at + 1 : 1);
  });
  return added;
}

// columns of what items add: of each run, and of two runs their difference
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
  return make("td", { class: `n adds${kind}` }, value === 0 ? make("span", { class: "faint" }, "0") : column.text(value));
}

// one line under the items: what they add up to
function addedSums(columns, before, after) {
  return make("tfoot", {}, make("tr", {},
    make("th", { scope: "row", class: "t", colspan: before }, "Sum"),
    columns.map((one) => make("td", { class: "n" }, one.text(one.values.reduce((sum, value) => sum + value, 0)))),
    after ? make("td", { colspan: after }) : null));
}

// who reaches each recall level sooner, and by whose users the preference comes about
async function levels(origin, open, items, a, b) {
  const relevant = items.docs.map((_, at) => at).filter((at) => items.relevant[at]);
  if (!relevant.length || items.docs.length < items.of) return null;
  const users = origin.users;
  const held = users ? await unpack(users.packed) : null;
  const groups = users ? users.populations.map((one, at) => ({ ...one, share: asNumber(held.shares[at][open.query]) }))
    .filter((one) => one.share > 0) : [{ name: "relevant", least: -Infinity, share: NaN }];
  const shown = (rank) => (rank === Infinity ? DASH : String(rank));
  let sum = 0;
  const lines = groups.flatMap((one) => {
    const wanted = (users ? items.docs.map((_, at) => at).filter((at) => items.grades[at] >= one.least) : relevant);
    const sorted = (run) => wanted.map((item) => rankOf(items, item, run)).sort((x, y) => (x === y ? 0 : x - y));
    const [x, y] = [sorted(a), sorted(b)];
    const levels = x.map((rank, at) => {
      const ahead = rank === y[at] ? 0 : Math.sign(y[at] - rank);
      const weight = users ? one.share * held.weights[wanted.length][at] : NaN;
      sum += weight * ahead;
      return make("tr", {},
        make("th", { scope: "row", class: "n" }, String(at + 1)),
        make("td", { class: "n" }, shown(rank)), make("td", { class: "n" }, shown(y[at])),
        soonerCell(origin, open, [rank, y[at]], ahead),
        users ? [make("td", { class: "n" }, fixed(weight, 4)), make("td", { class: "n" }, signed(Math.abs(sum) < 1e-12 ? 0 : sum, 4))] : null);
    });
    const who = `Who want ${origin.words.docs} of ${one.name.replace(">=", "≥")}: ${(100 * one.share).toFixed(0)}% of the users`;
    return groups.length > 1 ? [make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: 6 }, who)), ...levels] : levels;
  });
  const heads = [["Recall level", "n"], [origin.systems[open.system], "n"], [origin.systems[open.against], "n"], ["Sooner", "t"]];
  if (users) heads.push(["Weight", "n"], ["Running sum", "n"]);
  const title = users ? `Who reaches each recall level sooner: how ${users.label} comes about` : "Who reaches each recall level sooner";
  return make("details", { open: origin.preferences && users !== null }, make("summary", {}, title),
    users ? make("p", { class: "small" }, `Each line adds its weight for ${origin.systems[open.system]}, or takes it off for ` +
      `${origin.systems[open.against]}; the last running sum is ${users.label} on this ${origin.words.query}.`) : null,
    scrolled("Recall levels", {}, make("table", { class: "queries levels" },
      make("thead", {}, make("tr", {}, heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)))),
      make("tbody", {}, lines))));
}
