// The panel behind every number: its repeats, comparison, findings, environment and sources, beside the table.
//
// A section is a function of {found, cell} that returns an element, or null if it has nothing to show; add it
// to `panelSections`. `found` is the case (evidence.js), `cell` the cell it was opened from (tables.js) or null.

const panelSections = [];

const panel = (() => {
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
  let plot = null; // the chart that it was opened from

  function show(found, cell, focus) {
    current?.td.classList.remove("current");
    current = cell;
    cell?.td.classList.add("current");
    const heads = cell ? [...cell.row, ...cell.column].filter(Boolean).join(", ") : "";
    title.replaceChildren(h("small", {}, heads), h("span", {}, cell ? cell.text : found.title));
    body.replaceChildren(...panelSections.map((section) => section({ found, cell })).filter(Boolean));
    body.scrollTop = 0;
    previous.disabled = !cell || !tables.neighbour(cell.td, "previous");
    next.disabled = !cell || !tables.neighbour(cell.td, "next");
    element.hidden = false;
    document.body.classList.add("has-panel");
    if (cell?.address) setAddress(cell.address);
    if (focus) {
      plot = document.activeElement.closest(".chart-plot");
      title.focus({ preventScroll: true });
    }
  }

  function openCell(td, { focus = true } = {}) {
    const cell = tables.cell(td);
    const found = cell.case && evidence.get(cell.case);
    if (found) show(found, cell, focus);
    return Boolean(found);
  }

  function openCase(name) {
    const found = evidence.get(name);
    if (found) show(found, null, true);
    return Boolean(found);
  }

  function move(direction) {
    const td = current && tables.neighbour(current.td, direction);
    if (!td) return;
    plot = null;
    openCell(td, { focus: false });
    td.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function hide() {
    if (element.hidden) return;
    element.hidden = true;
    document.body.classList.remove("has-panel");
    current?.td.classList.remove("current");
    if (current?.address) setAddress(`#${current.model.id}`);
    else if (location.hash.startsWith("#case-")) setAddress("");
    (plot?.querySelector('[tabindex="0"]') ?? current?.link)?.focus();
    current = plot = null;
  }

  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowLeft") move("previous");
    else if (event.key === "ArrowRight") move("next");
    else return;
    event.preventDefault();
  });

  return { element, openCell, openCase, hide, isOpen: () => !element.hidden };
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
