// Marks of significance in the table: against the baseline as reported, the best system, or a chosen one.

// the cells of a collection: where a number of the table comes from
const places = [...table.querySelectorAll("button.cell")].map((cell) => {
  const [origin, measure, system] = cell.dataset.at.split(" ").map(Number);
  return { cell, origin, measure, system, mean: numberIn(cell.closest("td").dataset.value) };
});
for (const place of places) {
  place.mark = make("span", { class: "mark" });
  place.cell.after(place.mark);
}

// the systems of a collection by a measure, best first
function bySystem(origin, measure) {
  const turn = DATA.origins[origin].measures[measure].higher ? -1 : 1;
  return places.filter((one) => one.origin === origin && one.measure === measure && !Number.isNaN(one.mean))
    .sort((x, y) => turn * byNumber(x.mean, y.mean)).map((one) => one.system);
}

// the system that marks compare with: as reported, the best of each measure, or a system
function reference() {
  if (state.reference !== null) return state.reference;
  return hasMarks || !hasPairs ? AS_REPORTED : BEST;
}

function referenceOf(origin, measure) {
  const chosen = reference();
  if (chosen === AS_REPORTED) return -1;
  return chosen === BEST ? bySystem(origin, measure)[0] : DATA.origins[origin].systems.indexOf(chosen);
}

let marking = 0;

async function showMarks() {
  marking += 1;
  const turn = marking;
  const chosen = reference();
  table.classList.toggle("reference-marks", chosen !== AS_REPORTED);
  const how = new Set();
  for (const place of places) {
    const origin = DATA.origins[place.origin];
    const against = CAN_UNPACK ? referenceOf(place.origin, place.measure) : -1;
    const comparison = origin.pairs.find((one) => one.measure === origin.measures[place.measure].label);
    const pair = comparison && against >= 0 ? pairOf(origin, await unpack(comparison.data), place.system, against) : null;
    if (turn !== marking) return; // another reference was chosen meanwhile
    if (comparison?.how && against >= 0) how.add(comparison.how);
    place.mark.textContent = pair?.mark ?? "";
    place.cell.closest("td").classList.toggle("reference", against === place.system);
  }
  const legend = byId("legend");
  legend.hidden = chosen === AS_REPORTED || !hasPairs;
  legend.textContent = `${MARKED} than ${chosen === BEST ? "the best system of the measure" : chosen}` +
    `${how.size ? ` (${[...how].join("; ")})` : ""}, adjusted for all pairs of systems. No mark: the difference is not significant.`;
}
