// The panel with the queries of a cell, or with one query: one at a time, its title focused, Escape goes back.

const panel = byId("panel");
let cameFrom = null;

// parts are below the title; up is the state of the panel that Escape leads to, null to close it
function showPanel(title, parts, { up = null, upText = "", focus = true, wide = false } = {}) {
  const leave = () => (up ? go({ open: up }) : go({ open: null }));
  const heading = make("h2", { id: "panel-title", tabindex: "-1" }, title);
  const bar = make("div", { class: "bar" },
    up ? button(upText, leave, { class: "plain up", title: "Escape" }) : null,
    exportMenu("panel", () => panel.querySelector("table.main") ?? panel.querySelector("table"), title),
    button("Close", () => go({ open: null }), { class: "plain close", title: up ? "" : "Escape" }));
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
