// The nuggets of a query: their importance, and their assignment in the answers of two systems.

const NAMES_OF_NUGGETS = ["texts", "importance", "sizes", "assignment", "machine"];

// the nuggets of one query; assigned[name][side][nugget] are labels, empty if an answer has no such row
async function nuggetsOf(origin, query, systems) {
  const names = NAMES_OF_NUGGETS.filter((name) => origin.nuggets[name]);
  const parts = await Promise.all(names.map((name) => unpack(origin.nuggets[name])));
  const all = Object.fromEntries(names.map((name, at) => [name, parts[at]]));
  const first = all.sizes.slice(0, query).reduce((sum, size) => sum + size, 0);
  const size = all.sizes[query];
  const code = (codes, nugget, system) => codes[(first + nugget) * origin.systems.length + system];
  const labelsOf = (codes) => systems.map((system) =>
    Array.from({ length: size }, (_, nugget) => origin.nuggets.labels[code(codes, nugget, system)]));
  return {
    texts: all.texts.slice(first, first + size),
    importance: all.importance?.slice(first, first + size) ?? null,
    assignment: labelsOf(all.assignment),
    machine: all.machine ? labelsOf(all.machine) : null,
  };
}

async function nuggetTable(origin, open) {
  const { query } = origin.words;
  const systems = [open.system, open.against].filter((one) => one !== null);
  const nuggets = await nuggetsOf(origin, open.query, systems);
  if (!nuggets.texts.length) return make("p", {}, `No nugget of this ${query} is known.`);
  const cell = (side, nugget) => {
    const [people, machine] = [nuggets.assignment[side][nugget], nuggets.machine?.[side][nugget] ?? ""];
    const differs = machine && people !== DASH && machine !== DASH && machine !== people;
    return make("td", { class: `t assigned${differs ? " differs" : ""}` }, badgeOf(people || DASH),
      machine ? make("span", { class: "small" }, ` machine: ${machine.replaceAll("_", " ")}`) : null);
  };
  return make("div", { class: "nuggets" },
    scrolled(`Nuggets of the ${query}`, {}, make("table", { class: "queries nuggets main", id: "nuggets" },
      make("caption", {}, count(nuggets.texts.length, "nugget", "nuggets")),
      make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "t" }, "Nugget"),
        nuggets.importance ? make("th", { scope: "col", class: "t" }, "Importance") : null,
        systems.map((system) => make("th", { scope: "col", class: "t" }, origin.systems[system])))),
      make("tbody", {}, nuggets.texts.map((text, nugget) => make("tr", {},
        make("th", { scope: "row", class: "t", dir: "auto" }, text),
        nuggets.importance ? make("td", { class: "t" }, nuggets.importance[nugget]) : null,
        systems.map((_, side) => cell(side, nugget))))))),
    make("p", { class: "small" }, `Assignment of each nugget to the answers; ${DASH} none${nuggets.machine ?
      "; an outline marks assignments by people and by a machine that differ" : ""}.`));
}

// an assignment as a badge: darker for more support
function badgeOf(label) {
  const shade = { support: "grade g4", partial_support: "grade g2", not_support: "zero" }[label];
  const number = Number(label);
  const kind = shade ?? (Number.isFinite(number) ? (number > 0 ? `grade g${Math.ceil(4 * Math.min(number, 1))}` : "zero") : "none");
  return make("span", { class: `badge ${kind}` }, label.replaceAll("_", " "));
}
