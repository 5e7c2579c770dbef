// Copies and downloads of what is shown: the link, and the table as TSV, Markdown, LaTeX or CSV.

// a table as rows of cells {text, value}; sub-columns under one header are one cell
function tableCells(source) {
  const heads = [...source.tHead.rows];
  const over = heads.length > 1 ? [...heads[0].cells].flatMap((cell) => Array(cell.colSpan).fill(cell.textContent.trim())) : [];
  let column = 0;
  const columns = [...heads[heads.length - 1].cells].map((cell) => {
    const title = over[column] ?? "";
    const text = visibleText(cell);
    column += cell.colSpan;
    return { text: title && text ? `${title} ${text}` : text || title, span: cell.colSpan };
  });
  const used = columns.map((one, at) => !(one.text === "" && at > 0));
  const lines = [...source.querySelectorAll("tbody tr:not(.group), tfoot tr")].map((line) => {
    const cells = [...line.cells].flatMap((cell) => [cell, ...Array(cell.colSpan - 1).fill(null)]);
    let at = 0;
    return columns.map(({ span }) => {
      const part = cells.slice(at, at + span).filter(Boolean);
      at += span;
      return { text: part.map(visibleText).filter(Boolean).join(" "), value: part[0]?.dataset.value };
    }).filter((_, place) => used[place]);
  });
  return [columns.filter((_, place) => used[place]).map(({ text }) => ({ text })), ...lines];
}

// what a reader sees: no arrows of sorting, no texts for screen readers only
function visibleText(cell) {
  const copy = cell.cloneNode(true);
  for (const part of copy.querySelectorAll(".unseen, .better, [aria-hidden=true]")) part.remove();
  if (table.classList.contains("reference-marks")) for (const part of cell.matches("td.m") ? [copy] : []) part.textContent = "";
  return copy.textContent.replace(/\s+/g, " ").trim();
}

// a spreadsheet reads a text that begins with one of these signs as a formula
function safeText(text) {
  return /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

const inMarkdown = (text) => text.replace(/[\\|*_`<>[\]]/g, "\\$&");
const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", [MINUS]: "$-$", [DASH]: "--",
  [BETTER]: "\\dag{}", [WORSE]: "\\ddag{}", "↑": "$\\uparrow$", "↓": "$\\downarrow$", "▲": "$\\uparrow$", "▼": "$\\downarrow$" };
const inLatex = (text) => text.replace(/[\\~^↑↓▲▼†‡\u2212\u2013]|[&%$#_{}]/g, (sign) => LATEX[sign] ?? `\\${sign}`);
const inCsv = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

const FORMATS = {
  TSV: (cells) => cells.map((row) => row.map(({ text }) => safeText(text.replace(MINUS, "-"))).join("\t")).join("\n"),
  Markdown: (cells) => {
    const lines = cells.map((row) => `| ${row.map(({ text }) => inMarkdown(text)).join(" | ")} |`);
    lines.splice(1, 0, `|${cells[0].map(() => " --- |").join("")}`);
    return lines.join("\n");
  },
  LaTeX: (cells) => {
    const lines = cells.map((row) => `${row.map(({ text }) => inLatex(text)).join(" & ")} \\\\`);
    lines.splice(1, 0, "\\midrule");
    const columns = cells[0].map((_, at) => (Number.isNaN(parseFloat(cells[1]?.[at]?.text)) ? "l" : "r")).join("");
    return [`\\begin{tabular}{${columns}}`, "\\toprule", ...lines, "\\bottomrule", "\\end{tabular}"].join("\n");
  },
  // numbers with all digits
  CSV: (cells) => cells.map((row) => row.map(({ text, value }) =>
    inCsv(value !== undefined && value !== "NaN" ? value : safeText(text.replace(MINUS, "-")))).join(",")).join("\r\n"),
};

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // without permission: a selected text is copied by the older command
    const field = make("textarea", { class: "unseen", readonly: true }, text);
    app.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  announce(`${what} copied.`);
  byId("copied").textContent = `${what} copied.`;
  setTimeout(() => { byId("copied").textContent = ""; }, 2500);
}

function download(text, name) {
  const url = URL.createObjectURL(new Blob([`\ufeff${text}\r\n`], { type: "text/csv;charset=utf-8" }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// a menu: link, formats of the table, download
function exportMenu(name, source, title) {
  const act = (action) => () => {
    menu.open = false;
    action();
  };
  const cells = () => {
    const shown = source();
    return tableCells(shown.whole?.() ?? shown);
  };
  const file = `${title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "table"}.csv`;
  const menu = make("details", { class: "menu", "data-name": name, on: { keydown: (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.firstChild.focus();
  } } }, make("summary", {}, "Copy"), make("div", { class: "choices" },
    embedded ? null : button("Copy link", act(() => copy(location.href, "Link"))),
    ["TSV", "Markdown", "LaTeX"].map((format) => button(`Copy table as ${format}`, act(() => copy(FORMATS[format](cells()), `Table as ${format}`)))),
    button("Download CSV", act(() => download(FORMATS.CSV(cells()), file)))));
  return menu;
}
