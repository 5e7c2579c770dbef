// The documents of a query: ids, grades, ranks in each run and texts; what each adds to a measure or a preference.

// the arrays of all queries of a collection, unpacked at the first use; null if the page has no documents
async function documentsOf(origin) {
  if (!origin.items?.docs) return null;
  if (!origin.documents) {
    const names = ["docs", "sizes", "grades", "relevant", "ranks"];
    const parts = await Promise.all(names.map((name) => unpack(origin.items[name])));
    const all = Object.fromEntries(names.map((name, at) => [name, parts[at]]));
    all.first = [0];
    for (const size of all.sizes) all.first.push(all.first.at(-1) + size);
    const fields = Object.entries(origin.texts ?? {});
    all.texts = Object.fromEntries(await Promise.all(fields.map(async ([name, text]) => [name, await unpack(text)])));
    origin.documents = all;
  }
  return origin.documents;
}

// the documents of one query; ranks by run and then by document, 0 if a run does not have it
async function itemsOf(origin, query) {
  const all = await documentsOf(origin);
  if (!all) return null;
  const [from, to] = [all.first[query], all.first[query + 1]];
  const runs = origin.items.runs.length;
  const text = (name, item) => all.texts[name]?.[all.texts.place[from + item]] ?? null;
  return {
    docs: all.docs.slice(from, to),
    grades: all.grades.subarray(from, to),
    relevant: all.relevant.subarray(from, to),
    ranks: all.ranks.subarray(from * runs, to * runs),
    of: origin.items.of[query],
    text,
  };
}

const isUnjudged = (items, item) => !(items.grades[item] >= 0);
const isWhole = (items) => items.docs.length === items.of;

function rankOf(items, item, run) {
  return items.ranks[run * items.docs.length + item] || Infinity;
}

function gradeText(items, item) {
  if (isUnjudged(items, item)) return "unjudged";
  return fixed(items.grades[item], Number.isInteger(items.grades[item]) ? 0 : 2);
}

// the runs of a system: several if it has replicates
function runsOf(origin, system) {
  return origin.items.systems.map((one, at) => (one === system ? at : -1)).filter((at) => at >= 0);
}

// the number of unjudged documents among the first ones of a query, for each system; null if it is unknown
async function unjudgedOf(origin) {
  if (!origin.items?.unjudged) return null;
  const counts = await unpack(origin.items.unjudged);
  const runs = origin.items.runs.length;
  return (query, system) => Math.max(0, ...runsOf(origin, system).map((run) => counts[query * runs + run]));
}

// the factors of a measure on a query, or null if ranks and grades do not determine what a document adds
async function factorsOf(origin, measure, query) {
  const contribution = origin.adds?.[measure];
  if (!contribution) return null;
  const [discount, weight] = await Promise.all([unpack(contribution.discount), unpack(contribution.weight)]);
  return { gain: new Map(contribution.gain), byLevel: contribution.byLevel, only: contribution.only, discount, weight: weight[query] };
}

// what each document adds in one run: its recall level is its place among those that count, in the order of ranks
function addedIn(items, run, factors, ranks = null) {
  const rank = ranks ?? ((item) => rankOf(items, item, run));
  const added = items.docs.map(() => 0);
  const counted = items.docs.map((_, item) => item)
    .filter((item) => factors.gain.has(items.grades[item]) && rank(item) < Infinity)
    .sort((x, y) => rank(x) - rank(y));
  counted.forEach((item, at) => {
    if (factors.only !== null && factors.only !== at + 1) return;
    const discount = factors.discount[rank(item) - 1] ?? 0;
    added[item] = factors.weight * factors.gain.get(items.grades[item]) * discount * (factors.byLevel ? at + 1 : 1);
  });
  return added;
}

// the value of the measure if unjudged documents were removed from the list
function valueOfJudged(items, run, factors) {
  const judged = items.docs.map((_, item) => item)
    .filter((item) => !isUnjudged(items, item) && rankOf(items, item, run) < Infinity)
    .sort((x, y) => rankOf(items, x, run) - rankOf(items, y, run));
  const ranks = new Map(judged.map((item, at) => [item, at + 1]));
  return addedIn(items, run, factors, (item) => ranks.get(item) ?? Infinity).reduce((sum, one) => sum + one, 0);
}

// the mean over the runs of a system if unjudged documents were removed; NaN if the page cannot compute it
function judgedMean(origin, items, system, factors) {
  if (!factors || !items || !isWhole(items)) return NaN;
  const runs = runsOf(origin, system);
  return runs.reduce((sum, run) => sum + valueOfJudged(items, run, factors), 0) / runs.length;
}

// the steps of a preference on a query: recall levels of each population of users, with their weights
async function preferenceSteps(origin, items, query, a, b) {
  const users = origin.users;
  if (!users || !isWhole(items)) return null;
  const [shares, weights] = await Promise.all([unpack(users.shares), unpack(users.weights)]);
  return users.populations.map((population, at) => {
    const wanted = items.docs.map((_, item) => item).filter((item) => items.grades[item] >= population.least);
    const sorted = (run) => wanted.map((item) => rankOf(items, item, run)).sort(byNumber);
    const [x, y] = [sorted(a), sorted(b)];
    const share = shares[at * origin.queries.length + query];
    const levels = x.map((rank, level) => ({
      ranks: [rank, y[level]],
      ahead: rank === y[level] ? 0 : Math.sign(y[level] - rank),
      weight: share * (weights[wanted.length]?.[level] ?? 0),
    }));
    return { ...population, share, levels };
  }).filter((one) => one.share > 0);
}

// the preference between two systems on every query, or null if the page cannot compute it
async function preferencesOf(origin, label, system, against) {
  if (origin.users?.label !== label || !(await documentsOf(origin))) return null;
  const [a, b] = [runsOf(origin, system), runsOf(origin, against)];
  if (a.length !== 1 || b.length !== 1) return null;
  const values = [];
  for (let query = 0; query < origin.queries.length; query += 1) {
    const steps = await preferenceSteps(origin, await itemsOf(origin, query), query, a[0], b[0]);
    if (!steps) return null;
    const sum = steps.flatMap((one) => one.levels).reduce((total, one) => total + one.weight * one.ahead, 0);
    values.push(Math.abs(sum) < 1e-12 ? 0 : sum);
  }
  return values;
}
