// The items that answers to a query are labeled by, such as nuggets, and their labels in the answers of two systems.

// the items of one query; human[side][item] are labels, empty if an answer has no such row
async function answersOf(origin, query, systems) {
  const { answers } = origin;
  const [texts, sizes, human, machine] =
    await Promise.all(["texts", "sizes", "human", "machine"].map((name) => answers[name] && unpack(answers[name])));
  const attributes = await Promise.all(Object.values(answers.attributes).map(unpack));
  const first = sizes.slice(0, query).reduce((sum, size) => sum + size, 0);
  const size = sizes[query];
  const labelsOf = (codes) => systems.map((system) => Array.from({ length: size },
    (_, item) => answers.labels[codes[(first + item) * origin.systems.length + system]]));
  return {
    texts: texts.slice(first, first + size),
    attributes: attributes.map((values) => values.slice(first, first + size)),
    human: labelsOf(human),
    machine: machine ? labelsOf(machine) : null,
  };
}

async function answerTable(origin, open) {
  const { query } = origin.words;
  const { kind, ids, label } = origin.answers;
  const one = kind.replace(/s$/, "");
  const systems = [open.system, open.against].filter((system) => system !== null);
  const answers = await answersOf(origin, open.query, systems);
  if (!answers.texts.length) return make("p", {}, `No ${one} of this ${query} is known.`);
  const cell = (side, item) => {
    const [human, machine] = [answers.human[side][item], answers.machine?.[side][item] ?? ""];
    const differs = machine && human !== DASH && machine !== DASH && machine !== human;
    return make("td", { class: `t assigned${differs ? " differs" : ""}` }, badgeOf(human || DASH, origin.answers),
      machine ? make("span", { class: "small" }, ` machine: ${machine.replaceAll("_", " ")}`) : null);
  };
  const heads = [ids.join(", "), ...Object.keys(origin.answers.attributes)].map(capitalized);
  return make("div", { class: "answers" },
    scrolled(`${capitalized(kind)} of the ${query}`, {}, make("table", { class: "queries answers main", id: "answers" },
      make("caption", {}, count(answers.texts.length, one, kind)),
      make("thead", {}, make("tr", {}, [...heads, ...systems.map((system) => origin.systems[system])]
        .map((text) => make("th", { scope: "col", class: "t" }, text)))),
      make("tbody", {}, answers.texts.map((text, item) => make("tr", {},
        make("th", { scope: "row", class: "t", dir: "auto" }, text),
        answers.attributes.map((values) => make("td", { class: "t" }, values[item])),
        systems.map((_, side) => cell(side, item))))))),
    make("p", { class: "small" }, `${capitalized(label)} of each ${one} in the answers; ${DASH} none${answers.machine ?
      "; an outline marks labels by people and by a machine that differ" : ""}.`));
}

// a label as a badge: darker for a larger value
function badgeOf(label, { labels, values }) {
  const value = values[labels.indexOf(label)] ?? Number(label);
  const kind = Number.isFinite(value) ? (value > 0 ? `grade g${Math.ceil(4 * Math.min(value, 1))}` : "zero") : "none";
  return make("span", { class: `badge ${kind}` }, label.replaceAll("_", " "));
}
