// Start the page: open the number that the address names, and react to clicks and keys.

document.body.append(panel.element);
document.querySelector("main").append(ask.status);
tables.all().forEach(views.shorten);
tables.all().forEach(tools.add);
tables.all().forEach(scrolls.add);
families.start();
contents.start();
// On a phone the facts would push the results down.
if (matchMedia("(max-width: 40rem)").matches) document.querySelector(".measured")?.removeAttribute("open");
// A tall figure above the first table is below it where the two are not side by side.
const tall = matchMedia("(max-width: 64rem)").matches && document.querySelector(".opening figure.tall");
if (tall) document.querySelector(`main a[href="#${CSS.escape(tall.id)}"]`)?.parentElement.replaceWith(tall);
figures.start();

// One number of each table is in the order of the Tab key; the arrow keys reach the others.
for (const table of tables.all()) {
  [...table.querySelectorAll('td a[href^="#case-"]')].slice(1).forEach((link) => (link.tabIndex = -1));
}

// Open the folded parts that an element is in.
function unfold(element) {
  families.reveal(element);
  if (element.closest("section.table tr")) views.showAll(element.closest("table"));
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

function openAddress() {
  const td = tables.find(location.hash);
  const target = td ?? document.getElementById(decoded(location.hash.slice(1)));
  if (target) unfold(target);
  if (td) {
    td.scrollIntoView({ block: "center" });
    panel.openCell(td, { focus: false });
  } else if (ask.read(location.hash)) {
    ask.open(...ask.read(location.hash));
  } else if (location.hash.startsWith("#case-")) {
    panel.openCase(location.hash.slice("#case-".length));
  } else {
    target?.scrollIntoView();
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#case-"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const td = link.closest("section.table td");
  const name = link.hash.slice("#case-".length);
  const asked = ask.read(link.hash);
  const isOpen = asked ? ask.open(...asked) : ask.choose(name) || (td ? panel.openCell(td) : panel.openCase(name));
  if (isOpen) event.preventDefault();
});

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") ask.leave() || panel.hide();
  const td = event.target.closest?.("section.table td");
  if (!td || !ARROWS[event.key] || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const neighbour = tables.neighbour(td, ARROWS[event.key]);
  if (!neighbour) return;
  event.preventDefault();
  td.querySelector("a").tabIndex = -1;
  const link = neighbour.querySelector("a");
  link.tabIndex = 0;
  link.focus();
  if (panel.isOpen()) panel.openCell(neighbour, { focus: false });
});

// Everything is on paper, folded or not, but the list of all configurations: the tables have its numbers.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("main details:not([open], .tools, .everything), .measured:not([open])")) {
    fold.open = true;
    addEventListener("afterprint", () => (fold.open = false), { once: true });
  }
});

addEventListener("hashchange", openAddress);
openAddress();
// The style sheet may come after the script, and moves what the address names.
if (document.readyState !== "complete") {
  window.addEventListener("load", () => tables.find(location.hash)?.scrollIntoView({ block: "center" }), { once: true });
}
