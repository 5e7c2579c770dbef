// The panel with the queries of a cell, or with one query: one at a time, its title focused, Escape goes back.

const panel = byId("panel");
let cameFrom = null;

// from a query to all queries, from there out of the panel; two fast keys are two steps, so the state counts, not what is drawn
function leave() {
  return go({ open: state.open && state.open.query !== null ? { ...state.open, query: null } : null });
}

// parts are below the title; upText names where Escape leads from a query
function showPanel(title, parts, { upText = "", focus = true, wide = false } = {}) {
  const heading = make("h2", { id: "panel-title", tabindex: "-1" }, title);
  const bar = make("div", { class: "bar" },
    upText ? button(upText, leave, { class: "plain up", title: "Escape" }) : null,
    exportMenu("panel", () => panel.querySelector("table.main") ?? panel.querySelector("table"), title),
    button("Close", () => go({ open: null }), { class: "plain close", title: upText ? "" : "Escape" }));
  panel.replaceChildren(bar, heading, ...parts.flat().filter(Boolean));
  panel.hidden = false;
  panel.onkeydown = (event) => {
    if (event.key !== "Escape" || event.target.closest("details.menu[open]")) return;
    event.stopPropagation();
    leave();
  };
  app.classList.add("opened");
  app.classList.toggle("wide", wide);
  markOpen();
  if (focus) {
    heading.focus({ preventScroll: true });
    panel.scrollTop = 0;
    if (wide) panel.scrollIntoView({ block: "start" });
  }
}

function closePanel() {
  const wasOpen = !panel.hidden;
  panel.hidden = true;
  panel.replaceChildren();
  app.classList.remove("opened", "wide");
  markOpen();
  if (wasOpen && cameFrom?.isConnected) cameFrom.focus();
  cameFrom = null;
}
