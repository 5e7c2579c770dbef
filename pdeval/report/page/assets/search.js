// Search: systems (rows of the table), queries by id and text, documents by id, title and text.

const MOST_MATCHES = 12;
const SHORTEST = 3; // letters of a search for documents
let searching = 0;

// queries and documents that match, below the search field; the table keeps its systems
async function showMatches() {
  searching += 1;
  const turn = searching;
  const words = searchWords();
  const has = (text) => words.every((word) => text.includes(word));
  const queries = [];
  const documents = [];
  if (words.length) {
    for (const [at, origin] of DATA.origins.entries()) {
      origin.queries.forEach((name, query) => {
        const text = origin.queryTexts?.[query] ?? "";
        if (has(`${name} ${text}`.toLowerCase())) queries.push({ at, query, text: text ? `${name}: ${text}` : name });
      });
      if (state.search.trim().length >= SHORTEST && CAN_UNPACK) documents.push(...await documentsWith(origin, at, has));
    }
  }
  if (turn !== searching) return; // typed on meanwhile
  const box = byId("matches");
  box.hidden = !queries.length && !documents.length;
  box.replaceChildren(...matchList(queries, "query", "queries"), ...matchList(documents, "document", "documents"));
  if (words.length) {
    const systems = rows.filter((row) => has(row.text)).length;
    const counts = [count(systems, ...NOUN), count(queries.length, "query", "queries")];
    if (documents.length) counts.push(count(documents.length, "document", "documents"));
    announce(`${counts.join(", ")} found`);
  }
}

async function documentsWith(origin, at, has) {
  const all = await documentsOf(origin);
  if (!all) return [];
  const { title = [], text = [], place = [] } = all.texts;
  const matches = [];
  let query = 0;
  for (let item = 0; item < all.docs.length; item += 1) {
    while (item >= all.first[query + 1]) query += 1;
    const about = [title[place[item]] ?? "", text[place[item]] ?? ""];
    if (!has(`${all.docs[item]} ${about.join(" ")}`.toLowerCase())) continue;
    const name = about[0] ? `${all.docs[item]}: ${about[0]}` : all.docs[item];
    matches.push({ at, query, item: item - all.first[query], text: `${name} (${origin.words.query} ${origin.queries[query]})` });
  }
  return matches;
}

function matchList(matches, one, several) {
  if (!matches.length) return [];
  const links = matches.slice(0, MOST_MATCHES).map((match) => button(match.text.length > 90 ? `${match.text.slice(0, 89)}…` : match.text,
    (event) => openMatch(match, event.currentTarget), { class: "link", dir: "auto" }));
  const more = matches.length - links.length;
  return [make("p", {}, make("span", { class: "small" }, `${count(matches.length, one, several)}: `),
    links.flatMap((link) => [link, " "]), more > 0 ? make("span", { class: "small" }, `and ${more.toLocaleString("en")} more`) : null)];
}

// open the query of a match for the two systems that differ most on it, or for systems that have the document
async function openMatch({ at, query, item }, from) {
  const origin = DATA.origins[at];
  const measure = Math.max(0, origin.measures.findIndex((one) => one.label === state.by));
  let { system, against } = pairOn((await overviewRows(origin, measure))[query]);
  if (item !== undefined) {
    const items = await itemsOf(origin, query);
    const run = origin.items.runs.map((_, one) => one).sort((x, y) => byNumber(rankOf(items, item, x), rankOf(items, item, y)))[0];
    system = origin.items.systems[run];
    wholeRanking ||= rankOf(items, item, run) > FIRST;
    if (against === system) against = opponentOf(at, 0, system);
  }
  await go({ open: { ...OPEN, origin: at, measure, system, against, query } }, { from });
  if (item === undefined) return;
  const place = byId(`left-${item}`);
  place?.classList.add("searched");
  place?.scrollIntoView({ block: "center" });
}
