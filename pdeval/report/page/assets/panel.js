// The panel beside the table: one thing at a time, its title focused, Escape leads back.

const panel = byId("panel");
let cameFrom = null;

// parts are what stands below the title; back is where Escape leads, null for out of the panel
function showPanel(title, parts, { back = null, from = null, focus = true } = {}) {
  if (from) cameFrom = from;
  const leave = back ?? closePanel;
  const heading = make("h2", { id: "panel-title", tabindex: "-1" }, title);
  const bar = make("div", { class: "bar" },
    back ? button("Back", back, { class: "plain", title: "Escape" }) : null,
    button("Close", closePanel, { class: "plain close", title: back ? "" : "Escape" }));
  panel.replaceChildren(bar, heading, ...parts.filter(Boolean));
  panel.hidden = false;
  panel.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    leave();
  };
  document.body.classList.add("opened");
  markOpen();
  writeAddress();
  if (focus) {
    heading.focus({ preventScroll: true });
    panel.scrollTop = 0;
  }
}

function closePanel() {
  panel.hidden = true;
  panel.replaceChildren();
  state.open = null;
  document.body.classList.remove("opened");
  markOpen();
  writeAddress();
  if (cameFrom && cameFrom.isConnected) cameFrom.focus();
  cameFrom = null;
}
