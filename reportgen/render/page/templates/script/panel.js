// The panel behind every number: its repeats, comparison, findings, environment and sources, beside the table.
//
// A section is a function of {found, cell} that returns an element, or null if it has nothing to show; add it
// to `panelSections`. `found` is the case (evidence.js), `cell` the cell it was opened from (tables.js) or null.

const panelSections = [];

const panel = (() => {
  const CASE = "#case-";
  const title = h("h2", { id: "panel-title", tabindex: "-1" });
  const body = h("div", { class: "panel-body" });
  const step = (direction, text) =>
    h("button", { type: "button", onclick: () => move(direction), "aria-label": `${text} number`, title: `${text} number` }, direction === "previous" ? "\u2190" : "\u2192");
  const previous = step("previous", "Previous");
  const next = step("next", "Next");
  const close = h("button", { type: "button", onclick: () => hide(), "aria-label": "Close", title: "Close (Esc)" }, "\u2715");
  const element = h(
    "aside",
    { id: "panel", hidden: true, "aria-labelledby": "panel-title" },
    h("div", { class: "panel-head" }, title, h("div", { class: "buttons" }, previous, next, close)),
    body,
  );
  let current = null; // the cell that is shown
  let opener = null; // what had the focus before a chart or an answer opened the panel
  let before = ""; // the address of the page when a case without a cell was opened
  let waiting = null; // the names of the cases that were asked for last

  // Show sections under a title, and the address of what they are about.
  function open({ heads, text, sections, address, cell = null, focus = true }) {
    current?.td.classList.remove("current");
    current = cell;
    cell?.td.classList.add("current");
    title.replaceChildren(h("small", {}, heads), h("span", {}, text));
    body.replaceChildren(...sections.flat().filter(Boolean));
    body.scrollTop = 0;
    previous.disabled = !cell || !tables.neighbour(cell.td, "previous");
    next.disabled = !cell || !tables.neighbour(cell.td, "next");
    element.hidden = false;
    document.body.classList.add("has-panel");
    if (!location.hash.startsWith(CASE)) before = location.hash;
    if (address) setAddress(address);
    if (focus) {
      opener = openerOf(document.activeElement, cell);
      title.focus({ preventScroll: true });
    }
  }

  // A chart is drawn again, so its mark is found again; a cell has its link.
  function openerOf(focused, cell) {
    if (element.contains(focused)) return opener;
    return focused.closest(".chart-plot") ?? (cell ? null : focused);
  }

  function show(found, cell, focus) {
    const heads = cell ? [...cell.row, ...cell.column].filter(Boolean).join(", ") : "";
    open({ heads, text: cell ? cell.text : found.title, sections: panelSections.map((section) => section({ found, cell })), address: cell ? cell.address : CASE + found.name, cell, focus });
  }

  // Show cases: at once, or when the files with their evidence are loaded, unless others were asked for meanwhile.
  function withEvidence(names, show) {
    waiting = names;
    if (evidence.isReady(names)) return show();
    const isCurrent = () => waiting === names;
    evidence.load(names).then(
      () => isCurrent() && show(),
      (error) => isCurrent() && open({ heads: "", text: "No evidence", sections: [h("p", {}, `The evidence is not beside this page, which lacks ${error.message}. To write it, run `, h("code", {}, "reportgen build"), ".")] }),
    );
    return true;
  }

  function openCell(td, { focus = true } = {}) {
    const cell = tables.cell(td);
    return Boolean(cell.case) && withEvidence([cell.case], () => showKnown(cell.case, cell, focus));
  }

  const openCase = (name) => withEvidence([name], () => showKnown(name, null, true));

  function showKnown(name, cell, focus) {
    const found = evidence.get(name);
    if (found) show(found, cell, focus);
    return Boolean(found);
  }

  function move(direction) {
    const td = current && tables.neighbour(current.td, direction);
    if (!td) return;
    opener = null;
    openCell(td, { focus: false });
    td.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function hide() {
    waiting = null;
    if (element.hidden) return;
    element.hidden = true;
    document.body.classList.remove("has-panel");
    current?.td.classList.remove("current");
    if (current?.address) setAddress(`#${current.model.id}`);
    else if (location.hash.startsWith(CASE)) setAddress(before);
    (opener?.querySelector('[tabindex="0"]') ?? opener ?? current?.link)?.focus();
    current = opener = null;
  }

  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowLeft") move("previous");
    else if (event.key === "ArrowRight") move("next");
    else return;
    event.preventDefault();
  });

  return { element, open, withEvidence, openCell, openCase, hide, isOpen: () => !element.hidden };
})();

function panelSection(heading, ...children) {
  return h("section", {}, h("h3", {}, heading), ...children);
}

function pairs(values) {
  const rows = Object.entries(values).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)));
  return rows.length ? h("table", { class: "pairs" }, h("tbody", {}, rows)) : null;
}

function sourceLink(source) {
  return !source.href ? h("code", {}, source.text) : h("a", { href: source.href }, source.text);
}
