// All systems on one query, best first: the measure, also with judged documents only, and the differences from a system.

async function systemsOn(origin, open, items) {
  if (origin.systems.length < 2) return [];
  const measure = origin.measures[open.measure];
  const { query, docs } = origin.words;
  const name = origin.systems[open.system];
  const unjudged = await unjudgedOf(origin);
  const lines = await systemLines(origin, open, items);
  const own = lines.find((line) => line.system === open.system);
  const columns = lines.some((line) => !Number.isNaN(line.values[1])) ? [0, 1] : [0];
  const compared = own && !measure.preference;
  const turn = measure.higher ? 1 : -1;
  const difference = (line, at) => {
    const value = turn * (own.values[at] - line.values[at]);
    return Math.abs(value) < 1e-12 ? 0 : value;
  };
  const heads = [["System", "t"], ...columns.flatMap((at) =>
    [[at ? `Judged ${docs} only` : measure.shown, "n"], compared ? ["Difference", "n"] : null])];
  if (unjudged) heads.push([`Unjudged in the top ${origin.items.top}`, "n"]);
  const row = (line) => make("tr", [open.system, open.against].includes(line.system) ? { class: "chosen" } : {},
    make("th", { scope: "row", class: "t" }, line === own ? make("b", {}, name) :
      button(origin.systems[line.system], () => go({ open: { ...open, against: line.system } }), { class: "link" })),
    columns.map((at) => [make("td", { class: "n", "data-value": line.values[at] }, fixed(line.values[at], measure.digits)),
      compared ? differenceCell(line === own ? NaN : difference(line, at), measure) : null]),
    unjudged ? make("td", { class: "n" }, String(unjudged(open.query, line.system))) : null);
  const better = (at) => lines.filter((line) => difference(line, at) < 0).length;
  const text = compared ? `${better(0)} of ${count(lines.length - 1, "other system is", "other systems are")} better than ${name}` +
    `${columns.length > 1 ? `, ${better(1)} with judged ${docs} only` : ""}. A difference is positive if ${name} is better. ` : "";
  return [
    make("h3", { id: "systems-title" }, `All systems on this ${query}`),
    make("p", { class: "small" }, `${text}Choose a system to compare it with ${name}.`),
    scrolled(`All systems on this ${query}`, { id: "systems" }, make("table", { class: "systems" },
      make("thead", {}, make("tr", {}, heads.filter(Boolean).map(([head, kind]) => make("th", { scope: "col", class: kind }, head)))),
      make("tbody", {}, lines.map(row)))),
  ];
}

// the value of each system on the query, and its value with judged documents only, NaN if the page cannot compute it
async function systemLines(origin, open, items) {
  const valueOf = await valuesOf(origin, open.measure);
  const factors = await factorsOf(origin, open.measure, open.query);
  const turn = origin.measures[open.measure].higher ? 1 : -1;
  const lines = origin.systems.map((_, system) =>
    ({ system, values: [valueOf(open.query, system), judgedMean(origin, items, system, factors)] }));
  return lines.filter((line) => !Number.isNaN(line.values[0])).sort((x, y) => turn * byNumber(y.values[0], x.values[0]));
}

function differenceCell(value, measure) {
  if (Number.isNaN(value)) return make("td", { class: "n" });
  return make("td", { class: `n ${value > 0 ? "won" : value < 0 ? "lost" : "tied"}`, "data-value": value }, signed(value, measure.digits));
}
