// Start the page: open the number that the address names, and react to clicks and keys.

document.body.append(panel.element);

function openAddress() {
  const td = tables.find(location.hash);
  if (td) {
    td.scrollIntoView({ block: "center" });
    panel.openCell(td, { focus: false });
  } else if (location.hash.startsWith("#case-")) {
    panel.openCase(location.hash.slice("#case-".length));
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#case-"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const td = link.closest("section.table td");
  const isOpen = td ? panel.openCell(td) : panel.openCase(link.hash.slice("#case-".length));
  if (isOpen) event.preventDefault();
});

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") panel.hide();
  const td = event.target.closest?.("section.table td");
  if (!td || !ARROWS[event.key] || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const neighbour = tables.neighbour(td, ARROWS[event.key]);
  if (!neighbour) return;
  event.preventDefault();
  neighbour.querySelector("a").focus();
  if (panel.isOpen()) panel.openCell(neighbour, { focus: false });
});

addEventListener("hashchange", openAddress);
openAddress();
