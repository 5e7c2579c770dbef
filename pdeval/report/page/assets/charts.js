// Two charts of the queries: the values of two systems as points, and a histogram of their differences.

const SIDE = 240;
const EDGE = 30;

function axisText(x, y, text, anchor = "middle") {
  return drawn("text", { x, y, "text-anchor": anchor }, text);
}

// a point per query: across the other system, up the system; above the line the system has the larger value
function scatter(origin, open, known) {
  const { digits, shown } = origin.measures[open.measure];
  const points = known.filter((row) => Number.isFinite(row.value) && Number.isFinite(row.base));
  const all = points.flatMap((row) => [row.value, row.base]);
  const [low, high] = [Math.min(0, ...all), Math.max(...all, 0)];
  const scale = (value) => (high > low ? (value - low) / (high - low) : 0.5) * (SIDE - 2 * EDGE);
  const across = (value) => (EDGE + scale(value)).toFixed(1);
  const up = (value) => (SIDE - EDGE - scale(value)).toFixed(1);
  const names = [origin.systems[open.system], origin.systems[open.against]];
  const drawing = drawn("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, class: "chart scatter", role: "img",
    "aria-label": `${shown} of each ${origin.words.query}: ${names[0]} (up) against ${names[1]} (across); the list below has the same values` });
  drawing.append(
    drawn("rect", { x: EDGE, y: EDGE, width: SIDE - 2 * EDGE, height: SIDE - 2 * EDGE, class: "frame" }),
    drawn("line", { x1: across(low), y1: up(low), x2: across(high), y2: up(high) }),
    axisText(EDGE, SIDE - EDGE + 14, fixed(low, 1)), axisText(SIDE - EDGE, SIDE - EDGE + 14, fixed(high, 1)),
    axisText(EDGE - 5, SIDE - EDGE + 4, fixed(low, 1), "end"), axisText(EDGE - 5, EDGE + 4, fixed(high, 1), "end"),
    axisText(SIDE / 2, SIDE - 4, shortened(names[1])), axisText(EDGE, EDGE - 10, shortened(names[0]), "start"));
  for (const row of points) {
    const point = drawn("circle", { cx: across(row.base), cy: up(row.value), r: 4, class: row.result, "data-query": row.query });
    point.append(drawn("title", {}, `${origin.queries[row.query]}: ${fixed(row.value, digits)} against ${fixed(row.base, digits)}`));
    drawing.append(point);
  }
  drawing.addEventListener("click", (event) => {
    const { query } = event.target.dataset;
    if (query !== undefined) go({ open: { ...open, query: Number(query) } });
  });
  return drawing;
}

function shortened(text) {
  return text.length > 32 ? `${text.slice(0, 31)}…` : text;
}

const BARS = 15;

// the number of queries with each difference; zero is in the middle of the middle bar
function histogram(origin, open, known) {
  const finite = known.map((row) => row.difference).filter(Number.isFinite);
  const largest = Math.max(...finite.map(Math.abs), 0) || 1;
  const half = (BARS - 1) / 2;
  const counts = new Array(BARS).fill(0);
  for (const difference of finite) counts[half + Math.round((difference / largest) * half)] += 1;
  const top = Math.max(...counts, 1);
  const step = (SIDE - 2 * EDGE) / BARS;
  const { digits, shown } = origin.measures[open.measure];
  const drawing = drawn("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, class: "chart histogram", role: "img",
    "aria-label": `Histogram of the differences in ${shown}: ${tally(known)}` });
  counts.forEach((number, at) => {
    const height = (number / top) * (SIDE - 2 * EDGE);
    const middle = ((at - half) / half) * largest;
    const bar = drawn("rect", { x: (EDGE + at * step + 0.5).toFixed(1), width: (step - 1).toFixed(1), y: (SIDE - EDGE - height).toFixed(1),
      height: height.toFixed(1), class: at > half ? "won" : at < half ? "lost" : "tied" });
    bar.append(drawn("title", {}, `about ${signed(middle, digits)}: ${count(number, origin.words.query, origin.words.queries)}`));
    drawing.append(bar);
  });
  drawing.append(
    drawn("line", { x1: EDGE, x2: SIDE - EDGE, y1: SIDE - EDGE, y2: SIDE - EDGE }),
    axisText(EDGE, SIDE - EDGE + 14, signed(-largest, 1)), axisText(SIDE - EDGE, SIDE - EDGE + 14, signed(largest, 1)),
    axisText(SIDE / 2, SIDE - EDGE + 14, "0"), axisText(EDGE - 5, EDGE + 4, String(top), "end"),
    axisText(SIDE / 2, SIDE - 4, `difference in ${shown}`), axisText(EDGE, EDGE - 10, origin.words.queries, "start"));
  return drawing;
}
